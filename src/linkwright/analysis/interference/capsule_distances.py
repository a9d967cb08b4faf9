"""Distances between segments: one text for arrays and, compiled, for batches."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from linkwright.algebra.rotations import rotation_matrix
from linkwright.compiler import Kernel, compiled, maximum, minimum, select, trace

Array = np.ndarray
_VERSION = "1"


def segment_distance(p: Array, p_end: Array, r: Array, r_end: Array) -> Any:
    """Least distance of segments p to p_end and r to r_end, (3, ...) each, [m].

    The nearest points p + s d and r + t e are inside both segments, or one is an end: of these five candidates the
    nearest pair is taken and its distance computed from the points, also for parallel segments and for points.

    >>> one = np.array([0.0, 0.0, 0.0]), np.array([1.0, 0.0, 0.0])
    >>> float(segment_distance(*one, np.array([0.5, 1.0, 2.0]), np.array([0.5, -1.0, 2.0])))
    2.0
    """
    d, e, w = p_end - p, r_end - r, p - r
    dd, ee, de, dw, ew = (
        _dot_product(d, d),
        _dot_product(e, e),
        _dot_product(d, e),
        _dot_product(d, w),
        _dot_product(e, w),
    )
    cross = dd * ee - de * de
    ends = [
        (_segment_fraction(-dw, dd), 0.0),
        (_segment_fraction(de - dw, dd), 1.0),
        (0.0, _segment_fraction(ew, ee)),
        (1.0, _segment_fraction(ew + de, ee)),
    ]
    s, t = _segment_fraction(de * ew - ee * dw, cross), _segment_fraction(dd * ew - de * dw, cross)

    def square(s: Any, t: Any) -> Any:
        """The square of the distance, less that of the beginnings."""
        return s * (s * dd + 2.0 * (dw - t * de)) + t * (t * ee - 2.0 * ew)

    least = square(s, t)
    for s_end, t_end in ends:
        found = square(s_end, t_end)
        nearer = least - found
        least, s, t = minimum(least, found), select(nearer, s_end, s), select(nearer, t_end, t)
    apart = w + s * d - t * e
    return np.sqrt(_dot_product(apart, apart))


def _segment_fraction(x: Any, size: Any) -> Any:
    """x / size between 0 and 1; 0 or 1 where the size is zero."""
    return minimum(maximum(x / select(size, size, 1.0), 0.0), 1.0)


def _dot_product(a: Any, b: Any) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@cache
def segment_distances() -> Kernel:
    """`segment_distance` of rows (..., 3), compiled."""
    names = ("p", "p_end", "r", "r_end")
    return compiled(
        f"segment distance {_VERSION}",
        lambda: trace(lambda **x: segment_distance(*(x[name] for name in names)), dict.fromkeys(names, 3)),
        title="distances of links",
    )


@cache
def moved_points() -> Kernel:
    """Two points (..., 3) of a body in the world, from its quaternion (..., 4) and origin (..., 3), compiled."""

    def moved(wxyz: Array, origin: Array, start: Array, end: Array) -> tuple[Array, Array]:
        R = rotation_matrix(wxyz)
        return origin + R @ start, origin + R @ end

    shapes = {"wxyz": 4, "origin": 3, "start": 3, "end": 3}
    return compiled(f"moved points {_VERSION}", lambda: trace(moved, shapes), title="distances of links")
