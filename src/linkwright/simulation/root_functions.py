"""Events: limits of joints and the caller's own zero crossings, as one compiled function of time and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.checks import raised_by_caller, require_text
from linkwright.compiler import Kernel, Program, cached_kernel, inline_program, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import BoundKernel, Divided, in_parts
from linkwright.functions.memo import source_stamp
from linkwright.functions.stepping import limit_functions, stepping_functions
from linkwright.functions.stepping.limit_functions import Bound, Limit, bounds_of, limits_of
from linkwright.functions.store import Kernels
from linkwright.mechanism.mechanism import Mechanism
from linkwright.model import Model
from linkwright.numerics.tolerances import LIMIT_SLACK
from linkwright.results.series import Event
from linkwright.simulation.drivers.driver_records import (
    GOES_ON,
    LOOKED_AT,
    NEVER,
    SINGULAR,
)
from linkwright.simulation.problem.callbacks import Callback, warn_called_in_python
from linkwright.simulation.problem.problem import Function, Problem

SINGULARITY = "singularity"
CONDITIONING = "conditioning"
CROSSING = "crossing"


@dataclass(frozen=True, eq=False)
class Crossing:
    """An event where a function passes zero.

    Attributes:
        name: what the event is called in the result.
        function: of (t, q, v), one number; written for any scalar it is compiled, else called from Python.
        direction: 1 for rising, -1 for falling, 0 for both.
        stop: whether the run ends there.
    """

    name: str
    function: Callable[..., Any]
    direction: int = 0
    stop: bool = False

    def __post_init__(self) -> None:
        if not require_text("name", self.name).isprintable() or not self.name:
            raise ArgumentError(f"name is {self.name!r:.80}, expected a text without control characters", name="name")
        if not callable(self.function):
            raise ArgumentError(f"event '{self.name}' has no function; give a function of t, q and v")
        if not isinstance(self.direction, int) or self.direction not in (-1, 0, 1):
            raise ArgumentError(f"event '{self.name}' has direction {self.direction!r}, expected -1, 0 or 1")


Own = list[tuple[Kernels, Definition]]


@dataclass(frozen=True, eq=False)
class EventFunctions:
    """The mechanism's own event functions, and direction and end, kind and name of these and the caller's."""

    own: Own
    kinds: tuple[tuple[int, int], ...]
    names: tuple[tuple[str, str], ...]
    limits: Callable[[], list[Limit | Bound]]


@dataclass(frozen=True, eq=False)
class RootFunctions:
    """Event functions as compiled code, the direction and end of each, and their kinds and names.

    `joint_limit_events` are those of joints, positions first; their functions come first.
    """

    code: Function | None
    kinds: tuple[tuple[int, int], ...]
    names: tuple[tuple[str, str], ...]
    limits: Callable[[], list[Limit | Bound]]

    def event(self, t: float, number: int, way: float) -> Event:
        """The record of one event."""
        kind, name = self.names[number]
        return Event(t, kind, name, self.limits()[number].description if kind == "limit" else crossing_text(name, way))

    def beyond(self, q: np.ndarray, v: np.ndarray) -> list[tuple[str, str]]:
        """Name and text of every limit that a state breaks."""
        n = sum(kind == "limit" for kind, _ in self.names)
        if self.code is None or not n:
            return []
        try:
            values = _event_values_now(self.code, q, v)[:n]
        except LinkwrightError:  # a function of the caller that fails is reported by the run itself
            return []
        return [(self.names[i][1], self.limits()[i].description) for i in np.flatnonzero(values < -LIMIT_SLACK)]


NO_ROOTS = RootFunctions(None, (), (), list)
"""Of a motion without events."""


def crossing_text(name: str, way: float) -> str:
    """Text about a caller's function that has passed zero."""
    return f"'{name}' {'rises' if way > 0 else 'falls'} through zero"


def _event_values_now(code: Function, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The event functions at a state; those of the caller at time zero, which limits do not depend on."""
    values = code.function(np.zeros(2), q, v)[0] if isinstance(code, Callback) else code(np.zeros(2), q, v)
    return np.asarray(values)


def root_functions(problem: Problem, crossings: Sequence[Crossing], stop_at_limits: bool) -> RootFunctions:
    """Limits of the mechanism, determinants of its closure, and the caller's crossings."""
    if not crossings:
        return problem.model.cache.get(
            ("watch", problem, stop_at_limits), lambda: _make_watch(problem, (), stop_at_limits)
        )
    return _make_watch(problem, crossings, stop_at_limits)


def _make_watch(problem: Problem, crossings: Sequence[Crossing], stop_at_limits: bool) -> RootFunctions:
    functions = event_functions(problem, crossings, stop_at_limits)
    kinds = functions.kinds
    code = _event_code(problem, functions.own, list(crossings)) if kinds else None
    return RootFunctions(code, kinds, functions.names, functions.limits)


def event_functions(problem: Problem, crossings: Sequence[Crossing], stop_at_limits: bool) -> EventFunctions:
    """Event functions of a problem before they are compiled; the caller's crossings come last."""
    model = problem.model
    kinds, names = [], []
    own: Own = []
    bounds, speeds = model.nominal_cache.get("limits", lambda: _position_and_velocity_limits(model.setup.mech))
    if bounds:
        own.append((model.kernels, limit_functions.limit_distances))
        kinds += [(-1, int(stop_at_limits))] * len(bounds)
        names += [("limit", limit.joint) for limit in bounds]
    if speeds:
        own.append((model.kernels, limit_functions.speed_margins))
        kinds += [(-1, int(stop_at_limits))] * len(speeds)
        names += [("limit", bound.name) for bound in speeds]
    if problem.watched is not None:
        own.append((problem.watched, stepping_functions.nearing))
        blocks = problem.functions["size"].signature.outputs[0].size  # type: ignore[union-attr]
        kinds += [(1, SINGULAR), (NEVER, GOES_ON), (NEVER, GOES_ON)] * blocks
        names += [(SINGULARITY, "")] * (3 * blocks)
    if problem.partitioned is not None:
        own.append((problem.partitioned, stepping_functions.closure_determinant))
        kinds.append((-1, LOOKED_AT))
        names.append((CONDITIONING, ""))
    kinds += [(c.direction, int(c.stop)) for c in crossings]
    names += [(CROSSING, c.name) for c in crossings]
    return EventFunctions(own, tuple(kinds), tuple(names), lambda: joint_limit_events(model))


def joint_limit_events(model: Model) -> list[Limit | Bound]:
    """Limits of joints as event functions have them, positions first."""
    return [x for each in _position_and_velocity_limits(model.mechanism) for x in each]


def _position_and_velocity_limits(mech: Mechanism) -> tuple[list[Limit], list[Bound]]:
    """Limits of positions and of velocities."""
    return limits_of(mech), bounds_of(mech, "speed")


def _event_code(problem: Problem, own: Own, crossings: list[Crossing]) -> Function:
    model = problem.model
    if not crossings:
        key = ("watched", problem.description, *(definition for _, definition in own))
        return _bind_inputs(model, model.nominal_cache.get(key, lambda: _own_event_code(model, own)))
    try:
        return _bind_inputs(model, _compile_events(trace_events(model, own, crossings)))
    except (LinkwrightError, TypeError, ValueError, AttributeError) as error:
        names = ", ".join(f"'{each.name}'" for each in crossings)
        warn_called_in_python(model, f"an event function of {names}", error)
        return _events_in_python(model, own, crossings)


def _own_event_code(model: Model, own: Own) -> Kernel | Divided:
    """The mechanism's own event functions; without inputs they are traced only where the cache does not have them."""
    if model.setup.inputs is not None:
        return _compile_events(trace_events(model, own, []))
    title = [(kernels.record(definition).identity, definition.name) for kernels, definition in own]
    return cached_kernel(f"{source_stamp('simulation')} events {title}", lambda: trace_events(model, own, []))


def _compile_events(program: Program) -> Kernel | Divided:
    return in_parts(b"events", program, ["p"])


def _bind_inputs(model: Model, code: Kernel | Divided) -> Kernel | BoundKernel:
    return code if isinstance(code, Kernel) else code.bind_inputs(model.setup.with_p({}))


def trace_events(model: Model, own: Own, crossings: Sequence[Crossing], in_lanes: bool = False) -> Program:
    """All event functions as one program of t, q, v and the mechanism's inputs p, in lanes also if there are none."""

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray, p: Any = None) -> np.ndarray:
        given = {"q": q, "v": v, "p": p}
        first = [x for kernels, definition in own for x in _own_event_values(kernels, definition, t, given)]
        return np.array([*first, *(c.function(t[0], q, v) for c in crossings)])

    inputs = model.setup.inputs
    more = {"p": 0 if inputs is None else len(inputs.source.inputs)} if inputs is not None or in_lanes else {}
    return trace(values, {"t": 2, "q": model.nq, "v": model.nv, **more})


def _own_event_values(kernels: Kernels, definition: Definition, t: np.ndarray, given: dict[str, Any]) -> Sequence[Any]:
    """One of the mechanism's own functions; t holds the time and the size of a poor determinant."""
    program = kernels.input_program(definition)
    found = inline_program(program, *(given[port.name] for port in program.inputs))
    if definition is not stepping_functions.closure_determinant:
        return found
    (size,) = found
    return [size * size - t[1] * t[1]]


def _events_in_python(model: Model, own: Own, crossings: list[Crossing]) -> Callback:
    """The caller's functions from Python, the mechanism's own ones compiled."""
    first = _bind_inputs(model, _compile_events(trace_events(model, own, []))) if own else None
    size = (first.signature.outputs[0].size if first else 0) + len(crossings)

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray]:
        theirs = [event_number(f"'{c.name}'", c.function, float(t[0]), q, v) for c in crossings]
        return (np.array([*(first(t, q, v) if first else ()), *theirs]),)

    return Callback(values, [2, model.nq, model.nv], [size])


def event_number(name: str, function: Callable[..., Any], t: float, q: np.ndarray, v: np.ndarray) -> float:
    """Value of a caller's function at a state; a value that is not a finite number is an error with its name."""
    try:
        value = float(function(t, q, v))
    except (TypeError, ValueError) as error:
        if raised_by_caller(error):
            raise
        raise ArgumentError(
            f"the event function {name} failed at t = {t:.9g} s ({error}); give a function of t, q and v that "
            "returns one number",
            t=t,
        ) from error
    if not np.isfinite(value):
        raise event_not_finite_error(name, t)
    return value


def event_not_finite_error(name: str, t: float) -> ArgumentError:
    """The error about an event function that is nan or infinite."""
    text = f"the event function {name} is not finite at t = {t:.9g} s; give one that is finite all along the motion"
    return ArgumentError(text, t=t)
