"""Peak, RMS and range of every series."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.results.series import Array, Series


@dataclass(frozen=True)
class SeriesSummary:
    """One row of a run's table, in the series' unit; NaN throughout for an empty run.

    Attributes:
        name, unit, group: of the series.
        peak: largest absolute value.
        rms: root of the mean square over time (trapezoids between the rows).
        low, high: smallest and largest value.
        first, last: values at both ends.
    """

    name: str
    unit: str
    group: str
    peak: float
    rms: float
    low: float
    high: float
    first: float
    last: float


def summarize_series(t: Array, series: tuple[Series, ...]) -> tuple[SeriesSummary, ...]:
    """A summary of every series.

    >>> from linkwright.results.series import Series
    >>> summarize_series(np.array([0.0, 1.0]), (Series("x", [3.0, -3.0]),))[0].peak
    3.0
    """
    return tuple(_series_summary(t, each) for each in series)


def _series_summary(t: Array, each: Series) -> SeriesSummary:
    x = each.values
    if not len(x):
        return SeriesSummary(each.name, each.unit, each.group, *[float("nan")] * 6)
    with np.errstate(all="ignore"):
        numbers = (np.abs(x).max(), rms(t, x), x.min(), x.max(), x[0], x[-1])
    return SeriesSummary(each.name, each.unit, each.group, *map(float, numbers))


def rms(t: Array, x: Array) -> float:
    """Root mean square of x over the time t; over the rows when no time passes.

    >>> round(float(rms(np.array([0.0, 1.0, 3.0]), np.array([2.0, 2.0, 2.0]))), 12)
    2.0
    """
    scale = np.abs(x).max()
    if not (0.0 < scale < np.inf):
        return float(scale)
    square = (x / scale) ** 2
    span = t[-1] - t[0]
    mean = np.sum(0.5 * (square[1:] + square[:-1]) * np.diff(t)) / span if span > 0.0 else np.mean(square)
    return float(scale * np.sqrt(mean))
