"""Charts as plain data: what pages and matplotlib draw of runs, studies, ensembles and sweeps.

There are three kinds: a `Panel` of curves and areas, a `Map` of a quantity over a plane, a `Surface` in space. Labels
of axes hold the unit: "torque [N m]". `fit_units` gives a chart the prefixes that are read best.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.readable_text import fitting_unit
from linkwright.results.series import Series

Array = np.ndarray
Marks = Sequence[tuple[str, float]]
"""Names and values."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Values y (n,) over x (n,), with a name; a dashed line is for comparison with a full one, dots have no line.

    A single value is a dot. `other` is x and y of the same curve in a run to compare with.
    """

    name: str
    x: Any
    y: Any
    dashed: bool = False
    dots: bool = False
    other: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        if len(self.x) == 1:
            object.__setattr__(self, "dots", True)


@dataclass(frozen=True, eq=False)
class Band:
    """The area between low (n,) and high (n,) over x (n,), with a name; NaN separates its parts."""

    name: str
    x: Any
    low: Any
    high: Any


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves and areas that share both axes; an axis without label has no numbers.

    `limits` are bounds to draw, with the names of their curves; `constants` are components that do not move, which are
    written below the title.
    """

    below: str
    beside: str
    curves: Sequence[Curve] = ()
    title: str = ""
    log: bool = False
    equal: bool = False
    bands: Sequence[Band] = ()
    limits: Marks = ()
    constants: Marks = ()

    @property
    def counts(self) -> bool:
        """Whether the numbers below are counts, as of steps, and have no fractions."""
        return bool(self.curves) and all(np.asarray(each.x).dtype.kind in "iu" for each in self.curves)


@dataclass(frozen=True, eq=False)
class Map:
    """A quantity over a plane: values (len(x), len(y)), NaN where there is none; `equal` for axes of one unit.

    Where known, triangles (k, 3) between `points` (n, 2) with values `at_points` (n,) are drawn instead: they
    end where the quantity does. Without triangles the points are dots.
    """

    below: str
    beside: str
    x: Any
    y: Any
    values: Any
    quantity: str
    title: str = ""
    equal: bool = True
    points: Any = None
    triangles: Any = None
    at_points: Any = None

    @property
    def colored_values(self) -> Any:
        """The values that colors show."""
        return self.values if self.at_points is None else self.at_points


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (k, 3) between points (n, 3), colored by values (n,) where given; labels of the three axes."""

    labels: tuple[str, str, str]
    points: Any
    triangles: Any
    values: Any = None
    quantity: str = ""
    title: str = ""

    @property
    def colored_values(self) -> Any:
        """The values that colors show."""
        return () if self.values is None else self.values


AnyPanel = Panel | Map | Surface


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure: its file name without ending, its title and its panels, in rows of `columns`."""

    name: str
    title: str
    panels: Sequence[Panel]
    columns: int = 1


def axis_label(name: str, unit: str) -> str:
    """The label of an axis.

    >>> axis_label("effort", "N m"), axis_label("step", "")
    ('effort [N m]', 'step')
    """
    return f"{name} [{unit}]" if unit else name


def split_label(label: str) -> tuple[str, str]:
    """Name and unit of a label.

    >>> split_label("effort [N m]"), split_label("step"), split_label("[rad]")
    (('effort', 'N m'), ('step', ''), ('', 'rad'))
    """
    found = re.fullmatch(r"(.*?) ?\[([^\[\]]*)\]", label)
    return (found[1], found[2]) if found else (label, "")


# --- panels of what is often drawn ------------------------------------------------------------------------------------

CURVES = 12  # in one chart
_TITLES = {
    "tau": "Efforts",
    "q": "Positions",
    "v": "Velocities",
    "a": "Accelerations",
    "power": "Power",
    "reaction force": "Forces in the joints",
    "reaction moment": "Moments in the joints",
    "closure": "Closure",
    "energy": "Energy",
}


def time_panel(title: str, unit: str, names: Sequence[str], t: Any, values: Any, **more: Any) -> Panel:
    """Curves of one unit over time: values (n, k) with a name each."""
    curves = [Curve(name, t, column) for name, column in zip(names, np.asarray(values).T, strict=True)]
    return Panel("t [s]", axis_label(title, unit), curves, **more)


def time_panels(title: str, units: Sequence[str], names: Sequence[str], t: Any, values: Any) -> list[Panel]:
    """Curves over time, values (n, k) with a name and a unit each; those of one unit together."""
    columns = np.asarray(values)
    alike = {unit: [i for i, own in enumerate(units) if own == unit] for unit in dict.fromkeys(units)}
    return [time_panel(title, unit, [names[i] for i in own], t, columns[:, own]) for unit, own in alike.items()]


def charts_of_groups(series: Sequence[Series], t: Array, without: Sequence[str] = ()) -> tuple[Panel, ...]:
    """All series by group and unit, but for those of some groups."""
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.group, []).append(each)
    named = {_TITLES.get(group, group or "Values"): own for group, own in groups.items() if group not in without}
    return tuple(chart for title, own in named.items() for chart in charts_of_series(title, own, t))


def charts_of_series(
    title: str, series: Sequence[Series], t: Array, limits: Mapping[str, tuple[float, ...]] | None = None
) -> list[Panel]:
    """Charts of at most a dozen curves of one unit each, with the limits of series by name."""
    charts = []
    for unit in dict.fromkeys(each.unit for each in series):
        alike = [each for each in series if each.unit == unit]
        for k in range(0, len(alike), CURVES):
            part = alike[k : k + CURVES]
            marks = tuple((each.name, x) for each in part for x in (limits or {}).get(each.name, ()))
            curves = [Curve(each.name, t, each.values) for each in part]
            charts.append(Panel("t [s]", axis_label(title, unit), curves, limits=marks))
    return charts


def histogram(below: str, beside: str, counts: Any, edges: Any) -> Panel:
    """Counts (n,) between edges (n + 1,)."""
    high = np.concatenate([[0.0], np.repeat(counts, 2), [0.0]])
    return Panel(below, beside, bands=[Band("", np.repeat(edges, 2), np.zeros(len(high)), high)])


def stretches(below: str, parts: Mapping[str, Sequence[tuple[float, float]]], title: str = "") -> Panel:
    """Stretches (low, high) of one axis by their names."""
    bands = []
    for name, ends in parts.items():
        x = np.array([(low, high, np.nan) for low, high in ends]).ravel()
        bands.append(Band(name, x, np.where(np.isnan(x), np.nan, 0.0), np.where(np.isnan(x), np.nan, 1.0)))
    return Panel(below, "", bands=bands, title=title)


# --- units, colors ----------------------------------------------------------------------------------------------------


def fit_units(panel: Any, time: bool = True) -> Any:
    """The chart in units whose prefixes fit its values; axes of one unit are scaled alike where they must.

    Args:
        time: scale axes of time, too; not where a clock runs along.
    """
    if isinstance(panel, Surface):
        k, labels = _fit_labels(panel.labels, panel.points)
        by, quantity = _fit_label(panel.quantity, panel.colored_values)
        values = None if panel.values is None else by * np.asarray(panel.values)
        return replace(panel, labels=labels, points=k * np.asarray(panel.points), values=values, quantity=quantity)
    if isinstance(panel, Map):
        return _fit_map(panel)
    lines = [(each.x, each.y) for each in panel.curves]
    lines += [(x, y) for each in panel.curves if each.other is not None for x, y in [each.other]]
    areas = [(each.x, each.low, each.high) for each in panel.bands]
    x = [row[0] for row in (*lines, *areas)]
    k, beside = _fit_label(panel.beside, *(y for row in (*lines, *areas) for y in row[1:]))
    i, below = (1.0, panel.below) if split_label(panel.below)[1] == "s" and not time else _fit_label(panel.below, *x)
    if i == k == 1.0:
        return panel
    across = {id(each): i * np.asarray(each) for each in x}  # curves that share their x go on doing so

    def fitted(x: Any, *ys: Any) -> tuple[Any, ...]:
        return across[id(x)], *(k * np.asarray(y) for y in ys)

    curves = []
    for each in panel.curves:
        x, y = fitted(each.x, each.y)
        curves.append(replace(each, x=x, y=y, other=None if each.other is None else fitted(*each.other)))
    bands = [Band(each.name, *fitted(each.x, each.low, each.high)) for each in panel.bands]
    limits = [(name, k * value) for name, value in panel.limits]
    constants = [(name, k * value) for name, value in panel.constants]
    return replace(panel, below=below, beside=beside, curves=curves, bands=bands, limits=limits, constants=constants)


def _fit_map(panel: Map) -> Map:
    parts = (panel.x, panel.y) if panel.points is None else (panel.x, panel.y, *np.asarray(panel.points).T)
    i, (below, beside) = _fit_labels((panel.below, panel.beside), np.concatenate([np.ravel(x) for x in parts]))
    k, quantity = _fit_label(panel.quantity, panel.colored_values)
    points, at_points = (
        None if x is None else by * np.asarray(x) for by, x in ((i, panel.points), (k, panel.at_points))
    )
    x, y, values = i * np.asarray(panel.x), i * np.asarray(panel.y), k * np.asarray(panel.values)
    return replace(
        panel,
        below=below,
        beside=beside,
        quantity=quantity,
        x=x,
        y=y,
        values=values,
        points=points,
        at_points=at_points,
    )


def _fit_label(label: str, *values: Any) -> tuple[float, str]:
    """The factor of an axis, and its label."""
    name, unit = split_label(label)
    if not unit:
        return 1.0, label
    seen = [np.abs(np.asarray(x, dtype=float)) for x in values]
    peaks = [float(x[np.isfinite(x)].max(initial=0.0)) for x in seen]
    factor, shown = fitting_unit(peaks, unit)
    return factor, axis_label(name, shown) if name else f"[{shown}]"


def _fit_labels(labels: Sequence[str], values: Any) -> tuple[float, Any]:
    """The one factor of axes, and their labels; those of several units stay."""
    if len({split_label(label)[1] for label in labels}) > 1:
        return 1.0, tuple(labels)
    found = [_fit_label(label, values) for label in labels]
    return found[0][0], tuple(label for _, label in found)


_MOST = 0.98  # share of values that colors tell apart


def color_scale(values: Any) -> tuple[tuple[float, float] | None, bool, str]:
    """Ends of a scale of colors, whether it is logarithmic, and a remark: outliers would leave one color to the rest.

    It ends at the value that two in a hundred exceed; over more than a decade it is logarithmic.
    """
    seen = np.asarray(values, dtype=float).ravel()
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return None, False, ""
    low, high, top = float(seen.min()), float(np.quantile(seen, _MOST)), float(seen.max())
    if not high > low or top - low <= 2.0 * (high - low):
        return ((low, top) if top > low else None), False, ""
    return (low, high), 0.0 < 10.0 * low < high, f"2 % are above {high:.3g}, up to {top:.3g}"


# --- as JSON data of files --------------------------------------------------------------------------------------------

_KINDS: dict[str, Any] = {each.__name__: each for each in (Curve, Band, Panel, Map, Surface)}
_PARTS = ("curves", "bands")
_TEXTS = ("labels", "limits", "constants")


def panel_data(panel: Any, exact: Callable[[Any], Any]) -> dict[str, Any]:
    """A panel, or a part of one, as JSON data; `exact` makes numbers and arrays of it."""
    parts = {each.name: getattr(panel, each.name) for each in fields(panel)}
    kept = {name: x for name, x in parts.items() if x is not None and (name not in _TEXTS or len(x))}
    nested = {name: [panel_data(each, exact) for each in x] if name in _PARTS else exact(x) for name, x in kept.items()}
    return {"kind": type(panel).__name__, **nested}


def panel_from_data(data: Mapping[str, Any], restored: Callable[[Any], Any]) -> Any:
    """The panel that `panel_data` wrote; lists of numbers are arrays again."""
    parts: dict[str, Any] = {}
    for name, x in data.items():
        if name in _PARTS:
            parts[name] = [panel_from_data(each, restored) for each in x]
        elif name in _TEXTS:
            parts[name] = tuple(each if isinstance(each, str) else tuple(each) for each in restored(x))
        elif name != "kind":
            x = restored(x)
            parts[name] = np.array(x) if isinstance(x, list) else x
    return _KINDS[data["kind"]](**parts)
