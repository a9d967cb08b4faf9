"""Grids of poses: some components of a frame vary, the others stay."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.algebra.jets import as_jet
from linkwright.control.pose_references import euler_quaternion
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.numerics.tolerances import END_OF_WAY

Array = np.ndarray
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
MOST_POSES = 20_000_000


@dataclass(frozen=True, eq=False)
class PoseGrid:
    """Poses whose named components run over axes.

    Attributes:
        names: components that vary, one to three of x y z rx ry rz. axes: their values, each (n_i,), evenly spaced.
        position: origin where x, y, z do not vary, (3,), [m].
        quaternion_wxyz: orientation to which rx, ry, rz (about fixed axes, one after the other) are added, (4,).
    """

    names: tuple[str, ...]
    axes: tuple[Array, ...]
    position: Array
    quaternion_wxyz: Array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(axis) for axis in self.axes)

    @property
    def count(self) -> int:
        return int(np.prod(self.shape))

    @cached_property
    def spacing(self) -> Array:
        """Distances between neighbors along each axis."""
        return np.array([axis[1] - axis[0] if len(axis) > 1 else 0.0 for axis in self.axes])

    @property
    def cell(self) -> float:
        """Length, area or volume of one cell."""
        return float(np.prod(self.spacing))

    @property
    def unit(self) -> str:
        """Unit of the cell, for example m^3."""
        n = sum(not name.startswith("r") for name in self.names)
        return " ".join(f"{unit}^{k}" if k > 1 else unit for unit, k in (("m", n), ("rad", len(self.names) - n)) if k)

    def coordinates(self, rows: Array) -> Array:
        """Components of numbered poses, (n, k)."""
        index = np.unravel_index(rows, self.shape)
        return np.stack([axis[i] for axis, i in zip(self.axes, index, strict=True)], axis=-1)

    def targets(self, coordinates: Array) -> Array:
        """Poses x y z, w x y z, (n, 7), of components (n, k)."""
        out = np.empty((len(coordinates), 7))
        out[:, :3], out[:, 3:] = self.position, self.quaternion_wxyz
        angles = [as_jet(0.0)] * 3
        for name, x in zip(self.names, coordinates.T, strict=True):
            i = COMPONENTS.index(name)
            if i < 3:
                out[:, i] = x
            else:
                angles[i - 3] = as_jet(x)
        if any(name.startswith("r") for name in self.names):
            wxyz = euler_quaternion(angles, "xyz", self.quaternion_wxyz)
            out[:, 3:] = np.stack([np.broadcast_to(e.value, len(out)) for e in wxyz], axis=-1)
        return out

    def nearest(self, point: Array) -> int:
        """Number of the pose nearest to components, (k,)."""
        index = [int(np.argmin(np.abs(axis - x))) for axis, x in zip(self.axes, point, strict=True)]
        return int(np.ravel_multi_index(index, self.shape))

    def around(self, row: int, steps: int = 1) -> Array:
        """Numbers of the poses that many steps from a numbered one, along axes and diagonals."""
        middle = np.array(np.unravel_index(row, self.shape))
        offsets = np.array([x for x in itertools.product((-steps, 0, steps), repeat=len(self.shape)) if any(x)])
        index = middle + offsets
        index = index[np.all((index >= 0) & (index < np.array(self.shape)), axis=1)]
        return np.ravel_multi_index(tuple(index.T), self.shape)

    def open_ends(self, inside: Array) -> list[tuple[bool, bool]]:
        """Tell for both ends of every axis if poses inside, of bool (shape), lie there; a full turn has no end."""
        found = []
        for i, (name, axis) in enumerate(zip(self.names, self.axes, strict=True)):
            full = name.startswith("r") and axis[-1] - axis[0] >= 2.0 * np.pi - END_OF_WAY
            found.append((not full and bool(inside.take(0, i).any()), not full and bool(inside.take(-1, i).any())))
        return found


def axes_of(given: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[Array, ...]]:
    """Names and values of axes given as {name: (low, high, count)}, in the order x y z rx ry rz."""
    if not isinstance(given, Mapping) or not 1 <= len(given) <= 3:
        raise ArgumentError("a grid has one to three axes, for example {'x': (-0.1, 0.1, 41), 'y': (0.3, 0.5, 41)}")
    for name in given:
        if name not in COMPONENTS:
            raise ArgumentError(f"unknown axis '{name}' of the grid{suggest_name(str(name), COMPONENTS)}")
    names = tuple(name for name in COMPONENTS if name in given)
    axes = tuple(_grid_axis(name, given[name]) for name in names)
    count = int(np.prod([len(axis) for axis in axes]))
    if count > MOST_POSES:
        raise ArgumentError(f"the grid has {count} poses; at most {MOST_POSES} are allowed")
    return names, axes


def _grid_axis(name: str, given: Any) -> Array:
    try:
        low, high, count = float(given[0]), float(given[1]), int(given[2])
    except (TypeError, ValueError, IndexError, KeyError):
        raise ArgumentError(f"axis '{name}' is {given!r}, expected (low, high, count)") from None
    if not (np.isfinite([low, high]).all() and high > low):
        raise ArgumentError(f"axis '{name}' goes from {low:g} to {high:g}; its end must be above its beginning")
    if count < 2:
        raise ArgumentError(f"axis '{name}' has {count} values, expected at least 2")
    return np.linspace(low, high, count)
