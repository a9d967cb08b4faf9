"""Surfaces and lines inside a workspace on which an index has one value."""

from __future__ import annotations

import numpy as np

from linkwright.analysis.region.boundary import all_cells, cell_simplices, crossing_edges, faces_of
from linkwright.dataclass import dataclass

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LevelSet:
    """Points (n, k) where an index has a value, with triangles (m, 3) or segments (m, 2) between them."""

    points: Array
    faces: Array


def level_set(axes: tuple[Array, ...], values: Array, level: float) -> LevelSet:
    """Where values over a grid cross a level, straight between neighbors; simplices with a NaN are left out.

    >>> x = np.linspace(0.0, 1.0, 3)
    >>> found = level_set((x, x), x[:, None] + 0.0 * x, 0.25)
    >>> sorted(set(found.points[:, 0].tolist())), found.faces.shape
    ([0.25], (4, 2))
    """
    shape, flat = values.shape, values.ravel()
    S = cell_simplices(shape, all_cells(shape))
    S = S[np.isfinite(flat[S]).all(axis=1)]
    high = flat[S] >= level
    mixed = high.any(axis=1) & ~high.all(axis=1)
    S, high = S[mixed], high[mixed]
    S = np.take_along_axis(S, np.argsort(~high, axis=1, kind="stable"), axis=1)
    m = np.count_nonzero(high, axis=1)
    edges = crossing_edges(S, m, flat.size)
    a, b = (np.stack([axis[i] for axis, i in zip(axes, np.unravel_index(x, shape), strict=True)], axis=-1)
            for x in (edges.first, edges.last))  # fmt: skip
    share = (flat[edges.first] - level) / (flat[edges.first] - flat[edges.last])
    return LevelSet(a + share[:, None] * (b - a), faces_of(S, m, edges))
