"""Figures and tables of an ensemble: fans of its series over time, histograms of their last values, how runs ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from linkwright import checks
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.numerics.tolerances import ROUNDED_RESULT, TINY
from linkwright.results.charts import Band, Curve, Panel, axis_label, histogram
from linkwright.results.study_result import StudyContent, StudyTable

_PANELS = 8  # series that are drawn unless they are named
_ROWS = 400  # times at which quantiles are taken
_FEW = 12  # runs that are drawn one by one
_FIRST = ("tau", "q", "v", "energy")  # groups, in the order in which series are chosen


class Runs(Protocol):
    """The parts of an ensemble that are drawn."""

    @property
    def t(self) -> np.ndarray: ...
    @property
    def values(self) -> np.ndarray: ...
    @property
    def columns(self) -> tuple[tuple[str, str, str], ...]: ...
    @property
    def status(self) -> tuple[str, ...]: ...
    @property
    def reasons(self) -> dict[int, str]: ...
    @property
    def counts(self) -> dict[str, np.ndarray]: ...
    @property
    def meta(self) -> dict[str, Any]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def done(self) -> np.ndarray: ...
    def __len__(self) -> int: ...


def ensemble_content(found: Runs, names: str | Sequence[str] | None = None) -> StudyContent:
    """Fans, histograms and tables of the named series or groups; of those that differ most among runs unless named."""
    chosen = _choose_columns(found, names)
    panels: list[Any] = [panel for k in chosen for panel in (_fan_panel(found, k), _histogram_panel(found, k))]
    ends = Counter(found.status)
    meta = found.meta.get("mechanism", {})
    facts = {
        "runs": len(found),
        "done": int(found.done.sum()),
        "times": len(found.t),
        "first_time": float(found.t[0]) if len(found.t) else None,
        "last_time": float(found.t[-1]) if len(found.t) else None,
        **{name: int(x.sum()) for name, x in found.counts.items()},
    }
    tables = [
        StudyTable("ends", {"end": "", "runs": ""}, ends.most_common(), "How the runs ended"),
        _last_values(found),
    ]
    notes = [f"run {i}: {reason}" for i, reason in list(found.reasons.items())[:20]]
    notes += [f"and {len(found.reasons) - 20} runs more that did not end as planned"] * (len(found.reasons) > 20)
    arrays = {"t": found.t, "values": found.values}
    title, units = f"{len(found)} runs of {meta.get('name', 'a mechanism')}", {"first_time": "s", "last_time": "s"}
    return StudyContent(title, facts, tables, panels, arrays, notes, units)


def _choose_columns(found: Runs, names: str | Sequence[str] | None) -> list[int]:
    if names is None:
        spread = {k: _relative_spread(found.values[:, :, k]) for k in range(len(found.columns))}
        order = {group: i for i, group in enumerate(_FIRST)}
        varied = [k for k in spread if spread[k] > ROUNDED_RESULT] or list(spread)
        return sorted(varied, key=lambda k: (order.get(found.columns[k][2], len(order)), k))[:_PANELS]
    chosen: list[int] = []
    groups = {group for _, _, group in found.columns}
    for name in [names] if isinstance(names, str) else checks.require_texts("names", names):
        if name not in found.names and name not in groups:
            raise ArgumentError(
                f"the ensemble has no series or group '{name}'{suggest_name(name, found.names)}", name=name
            )
        chosen += [k for k, column in enumerate(found.columns) if name in (column[0], column[2])]
    return list(dict.fromkeys(chosen))


def _relative_spread(values: np.ndarray) -> float:
    """Largest range among runs at one time, relative to the largest value."""
    good = np.where(np.isfinite(values), values, 0.0)
    return float(np.max(np.ptp(good, axis=0), initial=0.0) / max(float(np.abs(good).max(initial=0.0)), TINY))


def _column_label(found: Runs, k: int) -> str:
    return axis_label(*found.columns[k][:2])


def _fan_panel(found: Runs, k: int) -> Panel:
    """Median and the middle half and nine tenths of the runs over time; few runs one by one."""
    rows = np.unique(np.linspace(0, max(len(found.t) - 1, 0), _ROWS).astype(int)) if len(found.t) else np.zeros(0, int)
    t, values = found.t[rows], found.values[:, rows, k]
    if len(found) <= _FEW:
        return Panel("t [s]", _column_label(found, k), [Curve(f"run {i}", t, x) for i, x in enumerate(values)])
    low, quarter, middle, three, high = _run_quantiles(values)
    bands = (Band("5 to 95 %", t, low, high), Band("25 to 75 %", t, quarter, three))
    return Panel("t [s]", _column_label(found, k), [Curve("median", t, middle)], bands=bands)


def _run_quantiles(values: np.ndarray) -> np.ndarray:
    """Quantiles 5, 25, 50, 75, 95 % of runs (n, rows), (5, rows); NaN where no run has come."""
    some = np.isfinite(values).any(axis=0)
    out = np.full((5, values.shape[1]), np.nan)
    if some.any():
        out[:, some] = np.nanquantile(values[:, some], (0.05, 0.25, 0.5, 0.75, 0.95), axis=0)
    return out


def _end_values(found: Runs, k: int) -> np.ndarray:
    """The last value of each run that is a number, (n,)."""
    values = found.values[:, :, k]
    good = np.isfinite(values)
    last = values.shape[1] - 1 - np.argmax(good[:, ::-1], axis=1)
    return values[np.arange(len(values)), last][good.any(axis=1)] if values.shape[1] else np.zeros(0)


def _histogram_panel(found: Runs, k: int) -> Panel:
    ends = _end_values(found, k)
    counts, edges = np.histogram(ends, bins=max(5, min(40, round(len(ends) ** 0.5)))) if len(ends) else ([0], [0, 1])
    return histogram(f"last {_column_label(found, k)}", "runs", counts, edges)


def _last_values(found: Runs) -> StudyTable:
    names = ("series", "unit", "mean", "standard_deviation", "smallest", "low_5", "median", "high_95", "largest")
    rows = []
    for k, (name, unit, _) in enumerate(found.columns):
        x = _end_values(found, k)
        numbers = [np.nan] * 7
        if len(x):
            numbers = [
                x.mean(),
                x.std(ddof=1) if len(x) > 1 else 0.0,
                x.min(),
                *np.quantile(x, (0.05, 0.5, 0.95)),
                x.max(),
            ]
        rows.append([name, unit, *map(float, numbers)])
    titles = {"low_5": "5 %", "high_95": "95 %"}
    return StudyTable("last_values", dict.fromkeys(names, ""), rows, titles=titles)
