"""Figures as plain data: curves, maps and surfaces that `plots` draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkwright.dataclass import dataclass


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
