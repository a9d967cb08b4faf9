"""A plane of a workspace as triangles that end where the region does."""

from __future__ import annotations

import numpy as np

from linkwright.analysis.region.boundary import (
    all_cells,
    cell_simplices,
    corners_inside_first,
    crossing_edges,
    mixed_cells,
)
from linkwright.dataclass import dataclass

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PlaneMesh:
    """Triangles (m, 3) between points (n, 2) of a plane, and a quantity at the points, (n,)."""

    points: Array
    triangles: Array
    values: Array


def plane_mesh(
    axes: tuple[Array, ...], inside: Array, crossings: Array, values: Array, held: tuple[int, int] | None = None
) -> PlaneMesh | None:
    """The part of a plane of a grid that is inside; None where the crossings are not those of the grid.

    Args:
        axes: values of the two or three axes. inside: poses inside. values: a quantity there, NaN where unknown.
        crossings: points of the refined boundary, (n, k), in the order of `boundary`.
        held: number of the axis and of its value that the plane has; None for a grid of two axes.

    Points of the boundary have the quantity of the pose inside next to them.
    """
    n, flat = inside.size, inside.ravel()
    edges = crossing_edges(*corners_inside_first(cell_simplices(inside.shape, mixed_cells(inside)), flat), n)
    if len(edges.keys) != len(crossings):
        return None
    plane = tuple(i for i in range(inside.ndim) if held is None or i != held[0])
    numbers = np.arange(n).reshape(inside.shape)
    numbers = numbers if held is None else np.take(numbers, held[1], axis=held[0])
    corners = numbers.ravel()[cell_simplices(numbers.shape, all_cells(numbers.shape))]
    S, m = corners_inside_first(corners, flat)
    a, b, c = S[m == 1].T
    one = np.stack([a, n + edges.of(a, b), n + edges.of(a, c)], axis=1)
    a, b, c = S[m == 2].T
    ac, bc = n + edges.of(a, c), n + edges.of(b, c)
    triangles = np.concatenate([S[m == 3], one, np.stack([a, b, bc], axis=1), np.stack([a, bc, ac], axis=1)])
    used, triangles = np.unique(triangles, return_inverse=True)
    at = np.stack([x.ravel() for x in np.meshgrid(*axes, indexing="ij")], axis=1)
    points = np.concatenate([at, crossings])[used][:, list(plane)]
    every = np.concatenate([values.ravel(), values.ravel()[edges.first]])
    return PlaneMesh(points, triangles.reshape(-1, 3), every[used])
