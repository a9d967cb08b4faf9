"""Columns of numbers with their units, summaries and derivatives of them, and things that happen at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

Array = np.ndarray
_FLOAT = np.dtype(np.float64)
TIME = "t"
"""The name of the time axis, which no series may take."""


@dataclass(frozen=True, eq=False)
class Series:
    """A column of a run.

    Attributes:
        name: what people ask for, for example "theta1_dot".
        values: one number per time, (n,), read-only.
        unit: SI unit as text, "" for pure numbers.
        group: which array of the run it belongs to: "q", "v", "a", "tau", "closure", "energy", "power" or any other.

    >>> Series("theta1", [0.0, 0.1], "rad", "q")
    Series(name='theta1', values=[0, 0.1], unit='rad', group='q')
    """

    name: str
    values: Array
    unit: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        if not type(self.name) is type(self.unit) is type(self.group) is str:
            _require_text(self)
        if self.name in ("", TIME):
            raise ArgumentError(f"a series cannot be called '{self.name}'; '{TIME}' is the time, give it another name")
        if not _is_column(self.values):
            object.__setattr__(self, "values", read_only_column(f"series '{self.name}'", self.values))

    def __reduce__(self) -> Any:
        return Series, (self.name, self.values, self.unit, self.group)


@dataclass(frozen=True)
class Event:
    """Something that happened: a limit reached, a loop closed, other coordinates chosen, the end of the run.

    Attributes:
        t: when, [s].
        kind: one word a program can ask for, for example "limit".
        name: the joint, loop or function it concerns.
        text: a short description.
    """

    t: float
    kind: str
    name: str = ""
    text: str = ""


def _require_text(series: Series) -> None:
    for field in ("name", "unit", "group"):
        if not isinstance(getattr(series, field), str):
            raise ArgumentError(f"the {field} of a series is {getattr(series, field)!r}, expected text")


def _is_column(values: Any) -> bool:
    """Return True if values are what `read_only_column` would make of them."""
    return type(values) is Array and values.dtype is _FLOAT and values.ndim == 1 and not values.flags.writeable


def read_only_column(what: str, values: Any) -> Array:
    """Numbers as a read-only (n,) float64 array; a writable array is copied so that nobody changes it later."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what} holds {type(values).__name__}, expected a row of numbers") from None
    if found.ndim != 1:
        raise ArgumentError(f"{what} has shape {found.shape}, expected (n,)")
    if found.flags.writeable:
        found = found.copy()
        found.setflags(write=False)
    return found


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


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives of the last state of a run, at its fixed time, by k numbers.

    Attributes:
        names: the numbers: inputs of the model, then "q0.<velocity>" and "v0.<velocity>" of the start.
        t: the time of the state, [s].
        q: displacements (nv, k), of spherical and floating joints in body axes; the loops stay closed.
        v: changes of the velocities, (nv, k).
        coordinates: derivatives of the coordinates themselves, (nq, k).
        value: the objective there; NaN where none was given.
        gradient: derivatives of the objective, (k,).
    """

    names: tuple[str, ...]
    t: float
    q: Array
    v: Array
    coordinates: Array
    value: float
    gradient: Array

    def by(self, name: str) -> tuple[Array, Array]:
        """Displacements and changes of velocity, (nv,) each, by one of the numbers."""
        if not isinstance(name, str) or name not in self.names:
            raise ArgumentError(f"name is {name!r:.80}, which is not among {', '.join(self.names)}", name=name)
        i = self.names.index(name)
        return self.q[:, i], self.v[:, i]
