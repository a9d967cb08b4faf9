"""Efforts of the actuators during a run: constants, laws traced into machine code, Python functions."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from linkwright.checks import raised_by_caller
from linkwright.compiler import Kernel, Options, Program, cached_kernel, trace
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, CompilerError
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.recursion.twist_recursion import normalize_quaternions
from linkwright.simulation.problem.applied_loads import NO_WRENCH, WrenchLaw, wrench_code, wrench_law
from linkwright.simulation.problem.callbacks import Callback

_SHORT = 8  # numbers that are written out
_LONGEST = 400  # characters


def describe_value(thing: Any) -> str:
    """A law, a reference or a number as text.

    >>> describe_value(np.array([1.0, 2.5])), describe_value(np.linspace(0.0, 2.0, 401))
    ('[1, 2.5]', '401 numbers from 0 to 2')
    """
    if isinstance(thing, Model):
        return f"'{thing.mechanism.name}'"
    if isinstance(thing, np.ndarray):
        return _array_value_text(thing)
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(describe_value, thing))}]" if len(thing) <= _SHORT else f"{len(thing)} values"
    if isinstance(thing, float):
        return f"{thing:.6g}"
    if is_dataclass(thing) and not isinstance(thing, type):
        parts = (f"{f.name}={describe_value(getattr(thing, f.name))}" for f in fields(thing) if f.init and f.repr)
        return f"{type(thing).__name__}({', '.join(parts)})"
    text = exact_text(thing)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _array_value_text(x: np.ndarray) -> str:
    if x.dtype.kind not in "fiu":
        return f"array of {x.shape}"
    if x.size <= _SHORT:
        return f"[{', '.join(f'{each:.6g}' for each in x.ravel().tolist())}]"
    size = " x ".join(map(str, x.shape))
    return f"{size} numbers from {np.min(x):.6g} to {np.max(x):.6g}"


_LAWS_KEPT = 8
_log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class RunActuation:
    """Efforts during a run.

    Attributes:
        start: efforts before the first evaluation, (na,).
        code: computes them at every derivative; None when they are constant.
        sampled: a Python function called at a fixed rate, or None.
        period: time between its samples, [s].
        description: for the run's meta.
        law: the effort law behind the code, when there is one.
        again: the same law evaluated in Python, for states in which the code gives numbers that are not finite.
        loads: wrenches on bodies and frames.
        wrench: computes their numbers, which follow the efforts, at every derivative; None without any.
        states: numbers that the law keeps; its code gives their rates too.
        title: the law or function in messages.
    """

    start: np.ndarray
    code: Kernel | Callback | None = None
    sampled: Callable[..., np.ndarray] | None = None
    period: float = 0.0
    description: str = "none"
    law: Any = None
    again: Callback | None = None
    loads: WrenchLaw = NO_WRENCH
    wrench: Kernel | Callback | None = None
    states: int = 0
    title: str = "the effort"


def actuation_of(model: Model, effort: Any, wrench: Any = None) -> RunActuation:
    """Efforts and wrenches from the `effort` and `wrench` arguments of a run."""
    loads = wrench_law(model, wrench)
    driven = _drive_of_effort(model, effort)
    return replace(driven, loads=loads, wrench=wrench_code(model, loads)) if loads.wrenches else driven


def _drive_of_effort(model: Model, effort: Any) -> RunActuation:
    zero = np.zeros(model.na)
    if effort is None:
        return RunActuation(zero)
    if hasattr(effort, "rate") and hasattr(effort, "function"):
        function = _check_effort_shape(effort.function, model.na, _quoted_function_name(effort.function))
        description = f"sampled at {effort.rate:g} Hz: {describe_value(effort)}"
        title = f"the effort function {_quoted_function_name(effort.function)}"
        return RunActuation(zero, None, function, 1.0 / float(effort.rate), description, title=title)
    if n_states(effort):
        own = controller_kernel(model, effort)
        return RunActuation(
            zero, own, description=describe_value(effort), law=effort, states=n_states(effort), title=_law_title(effort)
        )
    if hasattr(effort, "tau"):
        kernel, description = _known_law(model, effort)
        again = law_in_python(model, effort)
        return RunActuation(zero, kernel, description=description, law=effort, again=again, title=_law_title(effort))
    if callable(effort):
        function = _check_effort_shape(effort, model.na, _quoted_function_name(effort))
        sizes = [1, model.nq, model.nv]
        code = Callback(lambda t, q, v: (function(float(t[0]), q, v),), sizes, [model.na])
        title = _quoted_function_name(effort)
        warn_effort_in_python(title)
        return RunActuation(zero, code, description=f"Python function {title}", title=f"the effort function {title}")
    tau = _constant_effort(model, effort)
    return RunActuation(tau, description=repr(tau.tolist()))


@functools.cache
def warn_effort_in_python(title: str) -> None:
    """Say once per process that a function of the efforts is not compiled."""
    _log.warning(
        "the effort function %s is called in Python at every evaluation, which is slow; write it as a law, an object "
        "with tau(t, q, v), to have it compiled, or call it at a fixed rate with control.Sampled",
        title,
    )


def _known_law(model: Model, law: Any) -> tuple[Kernel, str]:
    """Kernel and description of a law; those of a law that cannot change are kept with the model for further runs."""

    def made() -> tuple[Any, Kernel, str]:
        return law, law_kernel(model, law), describe_value(law)

    if not is_unchanging(law):
        return made()[1:]
    return model.cache.recent("laws", id(law), made, _LAWS_KEPT)[
        1:
    ]  # the law is kept too, so that its id stays its own


def is_unchanging(thing: Any) -> bool:
    """Return True if a value cannot change: numbers, strings, read-only arrays, and frozen records of such values.

    >>> is_unchanging((1.0, "a")), is_unchanging([1.0])
    (True, False)
    """
    if thing is None or isinstance(thing, int | float | str | Model):
        return True
    if isinstance(thing, np.ndarray):
        return not thing.flags.writeable and thing.base is None
    if isinstance(thing, tuple):
        return all(is_unchanging(x) for x in thing)
    if not (is_dataclass(thing) and getattr(type(thing), "__dataclass_params__").frozen):  # noqa: B009
        return False
    return all(is_unchanging(x) for x in vars(thing).values())


def law_kernel(model: Model, law: Any, lanes: int | None = None) -> Kernel:
    """The machine code of an effort law written for any scalar, also for so many lanes; equal laws share it."""

    def efforts(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        tau = np.asarray(law.tau(t[0], q, v))
        if tau.shape != (model.na,):
            raise ArgumentError(f"{type(law).__name__}.tau gave shape {tau.shape}, expected ({model.na},)")
        return tau

    program = _trace_effort_law(law, efforts, {"t": 1, "q": model.nq, "v": model.nv})
    return cached_kernel(b"effort" + program.digest, lambda: program, Options(lanes=lanes))


def _trace_effort_law(law: Any, function: Callable[..., Any], sizes: dict[str, int]) -> Program:
    """The program of an effort law; an error names the law."""
    try:
        return trace(function, sizes)
    except CompilerError as error:
        raise CompilerError(
            f"the effort law {type(law).__name__} cannot be compiled: {error}; or give simulate a Python function "
            "effort(t, q, v), which is called as it is"
        ) from error


def n_states(law: Any) -> int:
    """Numbers that a law keeps: those of a controller with `n_states`, `tau(t, q, v, z)` and `rates(t, q, v, z)`."""
    n = getattr(law, "n_states", 0) if hasattr(law, "tau") else 0
    if not isinstance(n, int) or n < 0:
        raise ArgumentError(f"{type(law).__name__}.n_states is {n!r:.40}, expected a whole number of at least zero")
    return n


def controller_kernel(model: Model, law: Any, lanes: int | None = None) -> Kernel:
    """The machine code of a law with states: efforts and rates of the states, of t, q, v and the states."""
    n = n_states(law)

    def both(t: np.ndarray, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = np.asarray(law.tau(t[0], q, v, z)), np.asarray(law.rates(t[0], q, v, z))
        for title, x, size in (("tau", found[0], model.na), ("rates", found[1], n)):
            if x.shape != (size,):
                raise ArgumentError(f"{type(law).__name__}.{title} gave shape {x.shape}, expected ({size},)")
        return found

    program = _trace_effort_law(law, both, {"t": 1, "q": model.nq, "v": model.nv, "z": n})
    return cached_kernel(b"controller" + program.digest, lambda: program, Options(lanes=lanes))


def law_in_python(model: Model, law: Any) -> Callback:
    """The law on floats, where the model's functions have their second elimination and their dense solve.

    The recorded law contains the first elimination alone, which leaves some regular positions to these.
    """
    tree = model.setup.simplified

    def efforts(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray]:
        with np.errstate(all="ignore"):  # a step far too long leads into states out of all bounds
            return (np.asarray(law.tau(float(t[0]), normalize_quaternions(tree, q), v), dtype=float),)

    return Callback(efforts, [1, model.nq, model.nv], [model.na])


def efforts_in_order(model: Model, effort: Mapping[str, Any]) -> list[Any]:
    """Efforts by actuator name in the order of the actuators; those not named are zero."""
    for name, value in effort.items():
        if name not in model.actuated:
            raise ArgumentError(
                f"effort names '{name}', which is not an actuator{suggest_name(str(name), model.actuated)}"
            )
        if isinstance(value, str) or callable(value):
            raise ArgumentError(
                f"effort['{name}'] is {value!r:.60}, expected a number; for more give a function of t, q and v "
                "that returns all efforts"
            )
    return [effort.get(name, 0.0) for name in model.actuated]


def _constant_effort(model: Model, effort: Any) -> np.ndarray:
    if isinstance(effort, Mapping):
        effort = efforts_in_order(model, effort)
    try:
        tau = np.array(effort, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"effort is {effort!r:.80}, expected numbers, an effort law or a function") from None
    if tau.shape != (model.na,):
        raise ArgumentError(f"effort has shape {tau.shape}, expected ({model.na},) for {list(model.actuated)}")
    if not np.isfinite(tau).all():
        raise ArgumentError(f"effort holds {tau[~np.isfinite(tau)][0]}, expected finite numbers")
    return tau


def _law_title(law: Any) -> str:
    return f"the law {type(law).__name__}"


def _quoted_function_name(function: Any) -> str:
    return f"'{getattr(function, '__name__', type(function).__name__)}'"


def _check_effort_shape(function: Any, na: int, title: str) -> Callable[..., np.ndarray]:
    """Wrap the function so that the shape of its results is checked; an error reports the time."""

    def checked(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        try:
            tau = np.asarray(function(t, q, v), dtype=float)
        except (TypeError, ValueError) as error:
            if raised_by_caller(error):
                raise
            text = f"the effort function {title} failed at t = {t:.9g} s: {error}; it is called with (t, q, v)"
            raise ArgumentError(text, t=t) from error
        if tau.shape != (na,):
            raise ArgumentError(f"the effort function {title} gave shape {tau.shape}, expected ({na},)", t=t)
        return tau

    return checked
