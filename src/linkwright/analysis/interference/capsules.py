"""Capsules that cover the shapes of bodies, and the distances between them, for arrays and compiled for batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from linkwright.algebra.rotations import rotation_matrix
from linkwright.compiler import Kernel, cached_kernel, maximum, minimum, select, trace
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.formats.meshes import load_mesh
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plate, Shape, Sphere
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import NO_DIRECTION

# --- capsules that cover the shapes of bodies -------------------------------------------------------------------------

Array = np.ndarray
Range = Callable[[float, float], tuple[float, float]]
_STRIPS = 8


@dataclass(frozen=True, eq=False)
class Capsules:
    """Capsules of all bodies of a mechanism.

    Attributes:
        bodies: names of all bodies, the base last. owner: index of each capsule's body, (n,).
        start, end: of their middle lines in the frames of the bodies, (n, 3), [m]. radius: (n,), [m].
        without: bodies that have none, with the reason.
    """

    bodies: tuple[str, ...]
    owner: Array
    start: Array
    end: Array
    radius: Array
    without: dict[str, str]


def capsules_of(mech: Mechanism) -> Capsules:
    """Capsules that cover every shape; each point of a shape is inside one."""
    every = {body.name: body.shapes for body in mech.bodies} | {mech.base: mech.base_shapes}
    owner: list[int] = []
    rows: list[Array] = []
    without: dict[str, str] = {}
    for i, (name, shapes) in enumerate(every.items()):
        try:
            own = [row for shape in shapes for row in capsules_of_shape(shape)]
        except LinkwrightError as error:
            without[name] = str(error)
            continue
        if not own:
            without[name] = "it has no shape"
        owner += [i] * len(own)
        rows += own
    table = np.array(rows).reshape(-1, 7)
    return Capsules(tuple(every), np.array(owner, dtype=int), table[:, :3], table[:, 3:6], table[:, 6], without)


def capsules_of_shape(shape: Shape) -> Array:
    """Capsules that cover a shape in its body's frame: start, end and radius, (n, 7)."""
    R, r = np.array(shape.pose.R, dtype=float), np.array(shape.pose.r, dtype=float)
    own = _capsules_of_solid(shape.solid)
    return np.concatenate([own[:, :3] @ R.T + r, own[:, 3:6] @ R.T + r, own[:, 6:]], axis=1)


def _capsules_of_solid(solid: object) -> Array:
    match solid:
        case Capsule(radius, start, end):
            return np.array([[*start, *end, radius]], dtype=float)
        case Sphere(radius):
            return np.array([[0.0] * 6 + [radius]])
        case Cylinder(radius, length):
            return _capsules_of_cylinder(radius, length)
        case Box(size):
            return _capsules_of_box(np.array(size, dtype=float))
        case Ellipsoid(radii):
            return _capsule_of_ellipsoid(np.array(radii, dtype=float))
        case Plate(corners, thickness):
            return _capsules_of_plate(np.array(corners, dtype=float), thickness)
        case Mesh():
            return _capsules_of_points(load_mesh(solid).vertices)
    raise LinkwrightError(f"shapes of type {type(solid).__name__} have no capsules")


def _capsules_of_cylinder(radius: float, length: float) -> Array:
    if length >= radius:
        return np.array([[0.0, 0.0, -0.5 * length, 0.0, 0.0, 0.5 * length, radius]])

    def across(low: float, high: float) -> tuple[float, float]:
        nearest = 0.0 if low < 0.0 < high else min(abs(low), abs(high))
        half = float(np.sqrt(max(radius**2 - nearest**2, 0.0)))
        return -half, half

    return _parallel_capsules(across, (-radius, radius), 0.5 * length, np.eye(3), np.zeros(3))


def _capsules_of_box(size: Array) -> Array:
    x, y, z = np.argsort(-size, kind="stable")
    axes = np.eye(3)[[x, y, z]]
    return _parallel_capsules(
        lambda low, high: (-0.5 * size[x], 0.5 * size[x]),
        (-0.5 * size[y], 0.5 * size[y]),
        0.5 * float(size[z]),
        axes,
        np.zeros(3),
    )


def _capsule_of_ellipsoid(radii: Array) -> Array:
    """A capsule around the longest axis: its ends touch, its radius is the second half axis."""
    long, second, _ = np.argsort(-radii, kind="stable")
    half = (radii[long] - radii[second]) * np.eye(3)[long]
    return np.array([[*-half, *half, radii[second]]])


def _capsules_of_plate(corners: Array, thickness: float) -> Array:
    middle = corners.mean(axis=0)
    axes = decompose_scaled(corners - middle, complete=True).Vt
    flat = (corners - middle) @ axes.T

    def across(low: float, high: float) -> tuple[float, float]:
        found = []
        for a, b in zip(flat, np.roll(flat, -1, axis=0), strict=True):
            inside = [p[0] for p in (a, b) if low <= p[1] <= high]
            cut = [
                a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) for y in (low, high) if (a[1] - y) * (b[1] - y) < 0
            ]
            found += inside + cut
        return (min(found), max(found)) if found else (0.0, 0.0)

    half = 0.5 * thickness + float(np.abs(flat[:, 2]).max())
    return _parallel_capsules(across, (float(flat[:, 1].min()), float(flat[:, 1].max())), half, axes, middle)


def _capsules_of_points(points: Array) -> Array:
    """The box of points along their principal axes."""
    middle = points.mean(axis=0)
    axes = decompose_scaled(np.cov((points - middle).T)).Vt
    own = (points - middle) @ axes.T
    low, high = own.min(axis=0), own.max(axis=0)
    found, center = _capsules_of_box(high - low), 0.5 * (low + high)
    ends = [(found[:, k : k + 3] + center) @ axes + middle for k in (0, 3)]
    return np.concatenate([*ends, found[:, 6:]], axis=1)


def _parallel_capsules(across: Range, width: tuple[float, float], half: float, axes: Array, middle: Array) -> Array:
    """Capsules side by side along the first axis that cover a flat part.

    Args:
        across: extent along the first axis over a range of the second. width: extent along the second.
        half: half its thickness along the third. axes: rows. middle: origin of all.
    """
    low, high = width
    n = int(np.clip(np.ceil((high - low) / (2.0 * max(half, NO_DIRECTION))), 1, _STRIPS))
    edges = np.linspace(low, high, n + 1)
    rows: list[Sequence[float]] = []
    for a, b in pairwise(edges):
        x = across(a, b)
        start, end = (middle + np.array([each, 0.5 * (a + b), 0.0]) @ axes for each in x)
        rows.append([*start, *end, float(np.hypot(0.5 * (b - a), half))])
    return np.array(rows)


# --- distances between segments: one text for arrays and, compiled, for batches ---------------------------------------

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
    return cached_kernel(
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
    return cached_kernel(f"moved points {_VERSION}", lambda: trace(moved, shapes), title="distances of links")
