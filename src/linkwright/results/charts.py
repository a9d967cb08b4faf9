"""Charts as plain data: what pages and matplotlib draw of runs, and curves, maps and surfaces of studies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.results.series import Series

Array = np.ndarray

# --- runs over time ---------------------------------------------------------------------------------------------------

CURVES = 12  # in one chart
_TITLES = {
    "tau": "Efforts",
    "q": "Positions",
    "v": "Velocities",
    "a": "Accelerations",
    "power": "Power",
    "closure": "Closure",
    "energy": "Energy",
}


@dataclass(frozen=True, eq=False)
class TimeChart:
    """Curves of one unit over time: values (n, k) with a name each.

    `limits` are (name, value) of bounds to draw; `other` is (t, values) of the same curves of a run to compare with;
    `constants` are (name, value) of components of the same quantity that do not move and are written below the title.
    """

    title: str
    unit: str
    names: tuple[str, ...]
    t: Array
    values: Array
    limits: tuple[tuple[str, float], ...] = ()
    other: tuple[Array, Array] | None = None
    constants: tuple[tuple[str, float], ...] = ()


def charts_of_groups(series: Sequence[Series], t: Array, without: Sequence[str] = ()) -> tuple[TimeChart, ...]:
    """All series by group and unit, but for those of some groups."""
    groups: dict[str, list[Series]] = {}
    for each in series:
        groups.setdefault(each.group, []).append(each)
    named = {_TITLES.get(group, group or "Values"): own for group, own in groups.items() if group not in without}
    return tuple(chart for title, own in named.items() for chart in charts_of_series(title, own, t))


def charts_of_series(
    title: str, series: Sequence[Series], t: Array, limits: Mapping[str, tuple[float, ...]] | None = None
) -> list[TimeChart]:
    """Charts of at most a dozen curves of one unit each, with the limits of series by name."""
    charts = []
    for unit in dict.fromkeys(each.unit for each in series):
        alike = [each for each in series if each.unit == unit]
        for k in range(0, len(alike), CURVES):
            part = alike[k : k + CURVES]
            values = np.stack([each.values for each in part], axis=1)
            names = tuple(each.name for each in part)
            marks = tuple((name, x) for name in names for x in (limits or {}).get(name, ()))
            charts.append(TimeChart(title, unit, names, t, values, marks))
    return charts


# --- studies ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Curve:
    """Values y (n,) over x (n,), with a name; a dashed line is for comparison with a full one, dots have no line."""

    name: str
    x: Any
    y: Any
    dashed: bool = False
    dots: bool = False


@dataclass(frozen=True, eq=False)
class Band:
    """The area between low (n,) and high (n,) over x (n,), with a name."""

    name: str
    x: Any
    low: Any
    high: Any


@dataclass(frozen=True, eq=False)
class Bars:
    """A histogram: counts (n,) between edges (n + 1,)."""

    below: str
    beside: str
    edges: Any
    counts: Any
    title: str = ""


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves and bands that share both axes; their labels give quantity and unit, for example "torque [N m]"."""

    below: str
    beside: str
    curves: Sequence[Curve]
    title: str = ""
    log: bool = False
    equal: bool = False
    bands: Sequence[Band] = ()


@dataclass(frozen=True, eq=False)
class Map:
    """A quantity over a plane: values (len(x), len(y)), NaN where there is none; `equal` for axes of one unit.

    Where known, triangles (k, 3) between `points` (n, 2) with values `at_points` (n,) are drawn instead: they
    end where the quantity does.
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


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles (k, 3) between points (n, 3), colored by values (n,) where given; labels of the three axes."""

    labels: tuple[str, str, str]
    points: Any
    triangles: Any
    values: Any = None
    quantity: str = ""
    title: str = ""


@dataclass(frozen=True, eq=False)
class Strip:
    """Stretches (low, high) of one axis by their names; the first name is the good one."""

    below: str
    parts: Mapping[str, Sequence[tuple[float, float]]]
    title: str = ""


AnyPanel = Panel | Bars | Map | Surface | Strip


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure: its file name without ending, its title and its panels, in rows of `columns`."""

    name: str
    title: str
    panels: Sequence[Panel]
    columns: int = 1


_KINDS: dict[str, Any] = {each.__name__: each for each in (Curve, Band, Panel, Bars, Map, Surface, Strip)}


def panel_data(panel: Any, exact: Callable[[Any], Any]) -> dict[str, Any]:
    """A panel, or a part of one, as JSON data; `exact` makes numbers and arrays of it."""
    parts = {each.name: getattr(panel, each.name) for each in fields(panel)}
    kept = {name: x for name, x in parts.items() if x is not None}
    nested = {
        name: [panel_data(each, exact) for each in x] if name in ("curves", "bands") else exact(x)
        for name, x in kept.items()
    }
    return {"kind": type(panel).__name__, **nested}


def panel_from_data(data: Mapping[str, Any], restored: Callable[[Any], Any]) -> Any:
    """The panel that `panel_data` wrote; lists of numbers are arrays again."""
    parts: dict[str, Any] = {}
    for name, x in data.items():
        if name in ("curves", "bands"):
            parts[name] = [panel_from_data(each, restored) for each in x]
        elif name not in ("kind", "labels", "parts"):
            x = restored(x)
            parts[name] = np.array(x) if isinstance(x, list) else x
        elif name != "kind":
            parts[name] = tuple(x) if isinstance(x, list) else restored(x)
    return _KINDS[data["kind"]](**parts)
