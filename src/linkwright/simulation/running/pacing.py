"""Runs held back to the wall clock: how fast they could go, and which deadlines they missed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

_LARGEST_BUDGET = 1 << 16


@dataclass(eq=False)
class Pace:
    """Keeps a run to the clock; for one run.

    Whole steps that cover about a `period` (one step where steps are longer) are computed as soon as the clock reaches
    their beginning; then the run waits until it reaches their end. A deadline is missed where they are finished later
    than that. The numbers of the run are those of a run without pace, bit for bit: only the waiting is added.

    Attributes:
        period: model time between looks at the clock, [s].
        clock, sleep: seconds that pass, and how to let some pass.

    >>> Pace(period=0.02).report()["deadlines"]
    0
    """

    period: float = 0.01
    clock: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], Any] = time.sleep
    _began: float | None = None
    _since: float = 0.0
    _reached: float = 0.0
    _computing: float = 0.0
    _deadlines: int = 0
    _missed: int = 0
    _latest: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.period, bool) or not isinstance(self.period, int | float) or not 0 < self.period < 1e9:
            raise ArgumentError(f"period is {self.period!r}, expected a time above zero [s]")

    def budget(self, h: float) -> int:
        """Number of steps of size h to compute next; the computing starts now."""
        self._since = self.clock()
        if self._began is None:
            self._began = self._since
        return int(min(max(1.0, self.period / h), _LARGEST_BUDGET)) if h > 0.0 else 1

    def reached(self, t: float) -> None:
        """Wait until the clock reaches t [s] after the start of the run, or note that the run is late."""
        assert self._began is not None
        now = self.clock()
        self._computing += now - self._since
        if t <= self._reached:
            return
        self._reached = t
        self._deadlines += 1
        late = now - self._began - t
        if late > 0.0:
            self._missed += 1
            self._latest = max(self._latest, late)
        else:
            self.sleep(-late)

    def report(self) -> dict[str, Any]:
        """For the run's meta: factor (model time over computing time), deadlines, missed ones, the worst delay [s]."""
        factor = self._reached / self._computing if self._computing > 0.0 else None
        return {
            "factor": factor,
            "computing": self._computing,
            "deadlines": self._deadlines,
            "missed": self._missed,
            "latest": self._latest,
        }
