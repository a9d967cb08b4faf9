"""One comparison: our call and the peers' calls of the same question, checked, then timed together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np

from linkwright.cli.timing import NOISE, Effort, noise_ratio, timed

Array = np.ndarray


@dataclass(frozen=True)
class Rival:
    """A peer's call and its answer put in our form.

    Attributes:
        call: what is timed.
        answer: the same result as ours, for the check; None when it cannot be put in our form.
        tolerance: how near ours its answer must be; None when it solves something else.
    """

    call: Callable[[], Any]
    answer: Callable[[], Array] | None = None
    tolerance: float | None = 1e-8


@dataclass(frozen=True)
class Comparison:
    """A question, our call, the peers' calls.

    Attributes:
        states: how many states one call works on.
        promised: how many times faster we want to be than the fastest peer in `against` (all when empty).
    """

    case: str
    question: str
    ours: Callable[[], Any]
    answer: Array | None
    rivals: dict[str, Rival]
    states: int = 1
    promised: float | None = None
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class PeerTime:
    """A peer's time per state [us], how many times slower it is than we are, and how far its answer lies from ours."""

    us: float
    median_us: float
    ratio: float
    difference: float | None


@dataclass(frozen=True)
class Measured:
    """What a comparison gave; times per state, [us]."""

    case: str
    question: str
    us: float
    median_us: float
    peers: dict[str, PeerTime]
    noise: float
    states: int = 1
    promised: float | None = None
    ratio: float | None = None
    faults: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


_OURS = "linkwright"


def ready(model: Any, name: str, *arrays: Array) -> Callable[[], Any]:
    """A call of a model's function, compiled beforehand, with little between timer and function."""
    getattr(model, name)(*arrays)
    return partial(getattr(model, name), *arrays)


def difference(theirs: Array, ours: Array) -> float:
    """Largest deviation, relative to the largest entry."""
    return float(np.max(np.abs(theirs - ours)) / np.max(np.abs(ours)))


def measured(asked: Comparison, effort: Effort) -> Measured:
    """Check every peer's answer, then time all calls in turn."""
    apart = {name: _apart(rival, asked.answer) for name, rival in asked.rivals.items()}
    times = timed({_OURS: asked.ours, **{name: rival.call for name, rival in asked.rivals.items()}}, effort)
    ours, noise = times[_OURS], times[NOISE]
    peers = {
        name: PeerTime(
            times[name].least / asked.states,
            times[name].median / asked.states,
            times[name].least / ours.least,
            apart[name],
        )
        for name in asked.rivals
    }
    rated = [peers[name].ratio for name in asked.against or peers if name in peers]
    return Measured(
        asked.case,
        asked.question,
        ours.least / asked.states,
        ours.median / asked.states,
        peers,
        noise_ratio(noise),
        asked.states,
        asked.promised,
        min(rated, default=None),
        _faults(asked, apart),
    )


def _apart(rival: Rival, answer: Array | None) -> float | None:
    return None if rival.answer is None or answer is None else difference(np.array(rival.answer()), answer)


def _faults(asked: Comparison, apart: dict[str, float | None]) -> list[str]:
    return [
        f"{asked.case}, {asked.question}: {name} differs from ours by {found:.1e}"
        for name, found in apart.items()
        if found is not None and (limit := asked.rivals[name].tolerance) is not None and not found < limit
    ]
