"""What a run hands out and when: times of its rows, where they go, and the wall clock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.checks import require_number
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.files import require_regular
from linkwright.numerics.tolerances import END_OF_WAY

_ROWS = 201
_MOST_ROWS = 50_000_000
_FEW = 2000


@dataclass(frozen=True, eq=False)
class Times:
    """Span and rows of a run.

    Attributes:
        origin, end: times at the start and at the end, [s].
        since_start: times of the rows counted from the start, (n,) [s].
        shown: times of the rows as the result gives them, (n,) [s].
    """

    origin: float
    end: float
    since_start: np.ndarray
    shown: np.ndarray

    @property
    def duration(self) -> float:
        """From the start to the end, [s]."""
        return self.end - self.origin

    def after(self, t: float) -> Times:
        """The rows later than t seconds after the start, with one at t before them."""
        later = self.since_start > t
        since_start = np.concatenate([[t], self.since_start[later]])
        return Times(self.origin, self.end, since_start, np.concatenate([[self.origin + t], self.shown[later]]))


ENDLESS = Times(0.0, float("inf"), np.zeros(0), np.zeros(0))
"""Steps without an end or rows, as a stepper takes them."""


def checked_span(t_start: Any, t_end: Any) -> tuple[float, float]:
    """Beginning and end of a run, [s]."""
    first, last = (
        require_number("t_start", t_start, "a time in seconds"),
        require_number("t_end", t_end, "a time in seconds"),
    )
    if not last > first:
        raise ArgumentError(f"t_end is {t_end} s, expected a time after t_start = {t_start} s")
    return first, last


def output_times(output: Any, first: float, last: float) -> Times:
    """Times of the rows: a number of rows, the time between two rows [s], or the times themselves."""
    duration = last - first
    if output is None or (isinstance(output, int | np.integer) and not isinstance(output, bool)):
        n = _ROWS if output is None else int(output)
        _require_row_count(n)
        return _times_since_start(first, last, _even_times(duration, n) if n <= _FEW else np.linspace(0.0, duration, n))
    if isinstance(output, float | np.floating):
        return _times_since_start(first, last, _times_by_interval(float(output), duration))
    try:
        grid = np.array(output, dtype=float)
    except (TypeError, ValueError):
        grid = np.zeros(0)
    if grid.ndim != 1 or not len(grid) or not np.isfinite(grid).all() or np.any(np.diff(grid) <= 0):
        raise ArgumentError(
            f"output is {output!r:.60}, expected a number of rows, a time between rows [s], or times that increase"
        )
    if grid[0] < first or grid[-1] > last:
        raise ArgumentError(f"output requests t = {grid[0]:g} to {grid[-1]:g} s, the run is {first:g} to {last:g} s")
    return Times(first, last, grid - first, grid)


def _times_since_start(origin: float, end: float, since_start: np.ndarray) -> Times:
    if origin == 0.0:
        return Times(origin, end, since_start, since_start)
    shown = np.where(since_start < end - origin, np.minimum(origin + since_start, end), end)
    if np.any(np.diff(shown) <= 0.0):
        raise ArgumentError(
            f"output requests rows {np.diff(since_start).min():.2g} s apart, closer than float64 resolves at "
            f"t = {origin:.9g} s; request fewer rows, or a smaller t_start"
        )
    return Times(origin, end, since_start, shown)


@lru_cache(maxsize=8)
def _even_times(duration: float, n: int) -> np.ndarray:
    grid = np.linspace(0.0, duration, n)
    grid.setflags(write=False)
    return grid


def _times_by_interval(dt: float, duration: float) -> np.ndarray:
    if not dt > 0 or not np.isfinite(dt):
        raise ArgumentError(f"output is {dt!r}, expected a time between rows above zero [s]")
    n = duration / dt
    _require_row_count(int(min(n, 1e12)) + 2)
    grid = dt * np.arange(int(n + END_OF_WAY) + 1)
    grid[-1] = min(grid[-1], duration)
    return grid if grid[-1] >= duration - END_OF_WAY * dt else np.append(grid, duration)


def _require_row_count(n: int) -> None:
    if not 2 <= n <= _MOST_ROWS:
        raise ArgumentError(f"output requests {n} rows, expected 2 to {_MOST_ROWS}; give a number or times in between")


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

    def wait_until(self, t: float) -> None:
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


@dataclass(frozen=True, eq=False)
class Output:
    """What a run hands out, when and where.

    Attributes:
        rows: number of rows (201), time between rows [s], or an array of times [s].
        path: where to save the result; what was computed so far can be opened there after a crash.
        progress: called with the share done, now and then.
        pace: `Pace()` holds the run back to the wall clock; `run.meta["real_time"]` reports deadlines.
        overwrite: replace an unfinished run of that name, and a file that is not a run; both are refused otherwise.
    """

    rows: ArrayLike | None = None
    path: str | os.PathLike[str] | None = None
    progress: Callable[[float], object] | None = None
    pace: Pace | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.path is not None:
            require_regular(checks.require_path("path", self.path))
        if self.progress is not None:
            checks.require_callable("progress", self.progress, "a function of the share done, or None")
        checks.require_instance("pace", self.pace, (Pace, type(None)), "Pace(), or None")
        checks.require_flag("overwrite", self.overwrite)
