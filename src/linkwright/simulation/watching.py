"""Events: limits of joints and the caller's own zero crossings, as one compiled function of time and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program, compiled, inlined, trace
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.kernels.limit_recipes import limits_of
from linkwright.model import Model
from linkwright.results.series import Event
from linkwright.simulation.callbacks import Callback


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
    """Event functions as code, the direction and end of each, and words for them."""

    code: Kernel | Callback | None
    kinds: list[tuple[int, int]]
    words: list[tuple[str, str, str]]

    def event(self, t: float, number: int, way: float) -> Event:
        """The record of one event."""
        kind, name, text = self.words[number]
        return Event(t, kind, name, text or f"'{name}' {'rises' if way > 0 else 'falls'} through zero")


def watch(model: Model, crossings: Sequence[Crossing], stop_at_limits: bool) -> Watch:
    """Limits of the mechanism and the caller's crossings."""
    for each in crossings:
        if not isinstance(each, Crossing):
            raise ArgumentError(f"events holds {each!r:.60}, expected Crossing(name, function)")
    bounds = limit_words(model)
    kinds = [(-1, int(stop_at_limits))] * len(bounds) + [(c.direction, int(c.stop)) for c in crossings]
    words = [("limit", name, text) for name, text in bounds] + [("crossing", c.name, "") for c in crossings]
    if not kinds:
        return Watch(None, [], [])
    return Watch(_code(model, bool(bounds), list(crossings)), kinds, words)


def limit_words(model: Model) -> list[tuple[str, str]]:
    """(joint, sentence) of every limit, in the order of the compiled function."""
    return [(limit.joint, limit.words) for limit in limits_of(model.mechanism)]


def _code(model: Model, limited: bool, crossings: list[Crossing]) -> Kernel | Callback:
    if not crossings:
        known = model.__dict__.setdefault("_watched", {})
        if not known:
            known[None] = _compiled(_traced(model, limited, []))
        return known[None]
    try:
        return _compiled(_traced(model, limited, crossings))
    except (LinkwrightError, TypeError, ValueError, AttributeError):
        return _called(model, limited, crossings)


def _compiled(program: Program) -> Kernel:
    return compiled(b"events" + program.digest, lambda: program)


def _traced(model: Model, limited: bool, crossings: list[Crossing]) -> Program:
    limits = model._engine.kernels.program("limit_distances") if limited else None

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        first = [] if limits is None else list(inlined(limits, q))
        return np.array([*first, *(c.function(t[0], q, v) for c in crossings)])

    return trace(values, {"t": 1, "q": model.nq, "v": model.nv})


def _called(model: Model, limited: bool, crossings: list[Crossing]) -> Callback:
    limits = model._engine.kernels.function("limit_distances") if limited else None

    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray]:
        own = [_number(c, float(t[0]), q, v) for c in crossings]
        return (np.array([*(limits(q) if limits else ()), *own]),)

    first = len(limit_words(model)) if limited else 0
    return Callback(values, [1, model.nq, model.nv], [first + len(crossings)])


def _number(crossing: Crossing, t: float, q: np.ndarray, v: np.ndarray) -> float:
    value = float(crossing.function(t, q, v))
    if not np.isfinite(value):
        raise ArgumentError(f"the event function '{crossing.name}' gave {value} at t = {t:.9g} s", t=t)
    return value
