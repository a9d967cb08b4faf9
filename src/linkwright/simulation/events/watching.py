"""Events: limits of joints and the caller's own zero crossings, as one compiled function of time and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program, compiled, inlined, trace
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.definition import Definition
from linkwright.kernels.stepping.limits import bounds_of, limits_of
from linkwright.model import Model
from linkwright.results.series import Event
from linkwright.simulation.drivers import status
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import Problem

SINGULARITY = "singularity"
CONDITIONING = "conditioning"
_SLACK = 1e-9


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
        if not callable(self.function):
            raise ArgumentError(f"event '{self.name}' has no function; give a function of t, q and v")
        if self.direction not in (-1, 0, 1):
            raise ArgumentError(f"event '{self.name}' has direction {self.direction!r}, expected -1, 0 or 1")


@dataclass(frozen=True, eq=False)
class Watch:
    """Event functions as compiled code, the direction and end of each, and their descriptions."""

    code: Kernel | Callback | None
    kinds: tuple[tuple[int, int], ...]
    descriptions: tuple[tuple[str, str, str], ...]

    def event(self, t: float, number: int, way: float) -> Event:
        """The record of one event."""
        kind, name, text = self.descriptions[number]
        return Event(t, kind, name, text or f"'{name}' {'rises' if way > 0 else 'falls'} through zero")

    def beyond(self, q: np.ndarray, v: np.ndarray) -> list[tuple[str, str]]:
        """Name and text of every limit that a state breaks."""
        limits = [(name, text) for kind, name, text in self.descriptions if kind == "limit"]  # they come first
        if self.code is None or not limits:
            return []
        try:
            values = _now(self.code, q, v)[: len(limits)]
        except LinkwrightError:  # a function of the caller that fails is reported by the run itself
            return []
        return [limit for limit, x in zip(limits, values, strict=True) if x < -_SLACK]


def _now(code: Kernel | Callback, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The event functions at a state; those of the caller at time zero, which limits do not depend on."""
    values = code(np.zeros(2), q, v) if isinstance(code, Kernel) else code.function(np.zeros(2), q, v)[0]
    return np.asarray(values)


def watch(problem: Problem, crossings: Sequence[Crossing], stop_at_limits: bool) -> Watch:
    """Limits of the mechanism, determinants of its closure, and the caller's crossings."""
    if not crossings:
        return problem.model.cache.get(("watch", problem, stop_at_limits), lambda: _made(problem, (), stop_at_limits))
    return _made(problem, crossings, stop_at_limits)


def _made(problem: Problem, crossings: Sequence[Crossing], stop_at_limits: bool) -> Watch:
    model = problem.model
    kinds, descriptions = [], []
    parts: Parts = []
    bounds = limits_of(model.mechanism)
    if bounds:
        parts.append((model.kernels, registry.LIMIT_DISTANCES))
        kinds += [(-1, int(stop_at_limits))] * len(bounds)
        descriptions += [("limit", limit.joint, limit.description) for limit in bounds]
    speeds = bounds_of(model.mechanism, "speed")
    if speeds:
        parts.append((model.kernels, registry.SPEED_MARGINS))
        kinds += [(-1, int(stop_at_limits))] * len(speeds)
        descriptions += [("limit", bound.name, bound.description) for bound in speeds]
    if problem.watched is not None:
        parts.append((problem.watched, registry.NEARING))
        blocks = problem.watched.program(registry.CLOSURE_BLOCKS).signature.outputs[0].size
        kinds += [(1, status.SINGULAR), (status.NEVER, status.GOES_ON), (status.NEVER, status.GOES_ON)] * blocks
        descriptions += [(SINGULARITY, "", "")] * (3 * blocks)
    if problem.partitioned is not None:
        parts.append((problem.partitioned, registry.CLOSURE_DETERMINANT))
        kinds.append((-1, status.LOOKED_AT))
        descriptions.append((CONDITIONING, "", ""))
    kinds += [(c.direction, int(c.stop)) for c in crossings]
    descriptions += [("crossing", c.name, "") for c in crossings]
    return Watch(_code(model, parts, list(crossings)) if kinds else None, tuple(kinds), tuple(descriptions))


Parts = list[tuple[Kernels, Definition]]


def _code(model: Model, parts: Parts, crossings: list[Crossing]) -> Kernel | Callback:
    if not crossings:
        key = ("watched", *((kernels.stage.identity, definition) for kernels, definition in parts))
        return model.cache.get(key, lambda: _compiled(_traced(model, parts, [])))
    try:
        return _compiled(_traced(model, parts, crossings))
    except (LinkwrightError, TypeError, ValueError, AttributeError):
        return _called(model, parts, crossings)


def _compiled(program: Program) -> Kernel:
    return compiled(b"events" + program.digest, lambda: program)


def _traced(model: Model, parts: Parts, crossings: list[Crossing]) -> Program:
    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        own = [x for kernels, definition in parts for x in _values(kernels, definition, t, q, v)]
        return np.array([*own, *(c.function(t[0], q, v) for c in crossings)])

    return trace(values, {"t": 2, "q": model.nq, "v": model.nv})


def _values(kernels: Kernels, definition: Definition, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> Sequence[Any]:
    """One of the mechanism's own functions; t holds the time and the size of a poor determinant."""
    found = inlined(kernels.program(definition), *({"q": q, "v": v}[name] for name in definition.inputs))
    if definition is not registry.CLOSURE_DETERMINANT:
        return found
    (size,) = found
    return [size * size - t[1] * t[1]]


def _called(model: Model, parts: Parts, crossings: list[Crossing]) -> Callback:
    """The caller's functions from Python, the mechanism's own ones compiled."""
    first = _compiled(_traced(model, parts, [])) if parts else None
    size = (first.signature.outputs[0].size if first else 0) + len(crossings)

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray]:
        theirs = [number(f"'{c.name}'", c.function, float(t[0]), q, v) for c in crossings]
        return (np.array([*(first(t, q, v) if first else ()), *theirs]),)

    return Callback(values, [2, model.nq, model.nv], [size])


def number(name: str, function: Callable[..., Any], t: float, q: np.ndarray, v: np.ndarray) -> float:
    """Value of a caller's function at a state; a value that is not a finite number is an error with its name."""
    try:
        value = float(function(t, q, v))
    except (TypeError, ValueError) as error:
        raise ArgumentError(
            f"the event function {name} failed at t = {t:.9g} s ({error}); give a function of t, q and v that "
            "returns one number",
            t=t,
        ) from error
    if not np.isfinite(value):
        raise ArgumentError(f"the event function {name} gave {value} at t = {t:.9g} s; it must be finite", t=t)
    return value
