"""One comparison: our call and the peers' calls of the same function, checked, then timed together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np

from linkwright.cli.call_timing import NOISE, MeasuringExtent, noise_ratio, time_functions

Array = np.ndarray


@dataclass(frozen=True)
class Rival:
    """A peer's call and its result put in our form.

    Attributes:
        call: what is timed.
        result: the same result as ours, for the check; None when it cannot be put in our form.
        tolerance: how near ours its result must be; None when it solves something else.
    """

    call: Callable[[], Any]
    result: Callable[[], Array] | None = None
    tolerance: float | None = 1e-8


@dataclass(frozen=True)
class Comparison:
    """A function, our call, the peers' calls.

    Attributes:
        states: how many states one call works on.
        promised: how many times faster we want to be than the fastest peer in `against` (all when empty).
    """

    case: str
    function: str
    ours: Callable[[], Any]
    result: Array | None
    rivals: dict[str, Rival]
    states: int = 1
    promised: float | None = None
    against: tuple[str, ...] = ()


@dataclass(frozen=True)
class PeerTime:
    """A peer's time per state [us], how many times slower it is than we are, and how far its result lies from ours."""

    us: float
    median_us: float
    ratio: float
    difference: float | None


@dataclass(frozen=True)
class Measured:
    """What a comparison gave; times per state, [us]."""

    case: str
    function: str
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
    """A call of a model's function, compiled beforehand, with little between timer and function.

    Compiled code takes the method's place after ten calls (`Model._fast`).
    """
    for _ in range(20):
        getattr(model, name)(*arrays)
    return partial(getattr(model, name), *arrays)


def difference(theirs: Array, ours: Array) -> float:
    """Largest deviation, relative to the largest entry."""
    return float(np.max(np.abs(theirs - ours)) / np.max(np.abs(ours)))


def measured(given: Comparison, extent: MeasuringExtent) -> Measured:
    """Check every peer's result, then time all calls in turn."""
    apart = {name: _apart(rival, given.result) for name, rival in given.rivals.items()}
    times = time_functions({_OURS: given.ours, **{name: rival.call for name, rival in given.rivals.items()}}, extent)
    ours, noise = times[_OURS], times[NOISE]
    peers = {
        name: PeerTime(
            times[name].least / given.states,
            times[name].median / given.states,
            times[name].least / ours.least,
            apart[name],
        )
        for name in given.rivals
    }
    rated = [peers[name].ratio for name in given.against or peers if name in peers]
    return Measured(
        given.case,
        given.function,
        ours.least / given.states,
        ours.median / given.states,
        peers,
        noise_ratio(noise),
        given.states,
        given.promised,
        min(rated, default=None),
        _faults(given, apart),
    )


def _apart(rival: Rival, result: Array | None) -> float | None:
    return None if rival.result is None or result is None else difference(np.array(rival.result()), result)


def _faults(given: Comparison, apart: dict[str, float | None]) -> list[str]:
    return [
        f"{given.case}, {given.function}: {name} differs from ours by {found:.1e}"
        for name, found in apart.items()
        if found is not None and (limit := given.rivals[name].tolerance) is not None and not found < limit
    ]
