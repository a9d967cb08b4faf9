"""Flat outlines through points in space."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.pose import Pose

Array = np.ndarray
_FLAT = 1e-6


def outline(points: Array, convex: bool = False) -> tuple[Array, Pose]:
    """Corners (m, 2) of a polygon and the frame whose x-y plane it lies in.

    The points' own order is kept when it does not cross itself, else, or when `convex`, their convex hull is taken.
    Points on one line give fewer than three corners.
    """
    frame = plane(points)
    flat = ((points - frame.r) @ frame.R)[:, :2]
    if _extent(flat) <= 0.0 or np.linalg.svd(flat - flat.mean(axis=0), compute_uv=False)[-1] < _FLAT * _extent(flat):
        return np.zeros((0, 2)), frame
    return (flat if simple(flat) and not convex else hull(flat)), frame


def plane(points: Array) -> Pose:
    """The frame at the points' middle whose z axis is normal to the plane nearest to them."""
    middle = points.mean(axis=0)
    _, _, axes = np.linalg.svd(points - middle, full_matrices=True)
    x, z = axes[0], axes[-1]
    return Pose.of(middle, np.column_stack([x, np.cross(z, x), z]))


def off_plane(points: Array) -> float:
    """The largest distance of a point from the plane nearest to all of them, [m]."""
    frame = plane(points)
    return float(np.abs((points - frame.r) @ frame.R[:, 2]).max())


def _extent(points: Array) -> float:
    return float(np.ptp(points, axis=0).max())


def simple(corners: Array) -> bool:
    """Whether no two edges of a polygon cross.

    >>> simple(np.array([[0, 0], [1, 0], [1, 1], [0, 1]])), simple(np.array([[0, 0], [1, 1], [1, 0], [0, 1]]))
    (True, False)
    """
    n = len(corners)
    edges = [(corners[i], corners[(i + 1) % n]) for i in range(n)]
    pairs = [(i, j) for i in range(n) for j in range(i + 2, n) if (i, j) != (0, n - 1)]
    return not any(_cross(*edges[i], *edges[j]) for i, j in pairs)


def _cross(a: Array, b: Array, c: Array, d: Array) -> bool:
    return _side(a, b, c) * _side(a, b, d) <= 0.0 and _side(c, d, a) * _side(c, d, b) <= 0.0


def _side(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def hull(points: Array) -> Array:
    """Corners of the convex hull of points (n, 2), counter-clockwise (Andrew's monotone chain).

    >>> hull(np.array([[0, 0], [2, 0], [1, 0.1], [1, 2]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]]
    """
    ordered = [np.array(p, dtype=float) for p in sorted(map(tuple, points))]
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _chain(points: list[Array]) -> list[Array]:
    chain: list[Array] = []
    for p in points:
        while len(chain) > 1 and _side(chain[-2], chain[-1], p) <= 0.0:
            chain.pop()
        chain.append(p)
    return chain
