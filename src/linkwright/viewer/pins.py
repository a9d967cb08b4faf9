"""Where on its axis the pin of a turning joint lies: between what is drawn of its two bodies."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.dataclass import dataclass
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Shape, Sphere
from linkwright.numerics.tolerances import PARALLEL_AXES

Array = np.ndarray
Vec3 = tuple[float, float, float]
_STEPS = 41


@dataclass(frozen=True)
class OnAxis:
    """The part of a joint's axis inside the shapes of one body, from low to high [m] of its origin.

    `rod` is the radius [m] of a rod along the axis, 0 when there is none.
    """

    low: float
    high: float
    rod: float


def axis_inside_shapes(shapes: tuple[Shape, ...], at: RigidTransform, axis: Vec3) -> OnAxis | None:
    """The part of an axis inside shapes, given in their body; None where it meets none of them."""
    found = [part for shape in shapes if (part := _axis_inside_shape(shape, at, axis)) is not None]
    if not found:
        return None
    return OnAxis(min(p.low for p in found), max(p.high for p in found), max(p.rod for p in found))


def contact_point(near: OnAxis | None, far: OnAxis | None) -> float:
    """The point of the axis where two bodies meet: its origin where that is inside both, else the middle between them.

    >>> other = OnAxis(0.3, 0.5, 0.0)
    >>> contact_point(OnAxis(-0.1, 0.1, 0.0), other), contact_point(OnAxis(-0.1, 0.4, 0.0), other)
    (0.2, 0.35)
    """
    if near is None or far is None or all(side.low <= 0.0 <= side.high for side in (near, far)):
        return 0.0
    inner, outer = max(near.low, far.low), min(near.high, far.high)
    return 0.5 * (inner + outer)


def _axis_inside_shape(shape: Shape, at: RigidTransform, axis: Vec3) -> OnAxis | None:
    """The part of an axis inside one shape, by what is drawn near it."""
    local = shape.pose.inverse @ at
    r, n = local.r, local.R @ np.array(axis, dtype=float)
    match shape.solid:
        case Capsule(radius, start, end):
            return _of_rod(np.array(start), np.array(end), radius, radius, r, n)
        case Cylinder(radius, length):
            half = np.array([0.0, 0.0, 0.5 * length])
            return _of_rod(-half, half, radius, 0.0, r, n)
        case Sphere(radius):
            return _of_rod(np.zeros(3), np.zeros(3), radius, radius, r, n)
        case Box(size):
            return _of_box(np.array(size), r, n)
    return None


def _of_rod(a: Array, b: Array, radius: float, cap: float, r: Array, n: Array) -> OnAxis | None:
    """A rod from a to b with round ends of a radius, in whose frame the axis goes through r along n."""
    points = a + np.linspace(0.0, 1.0, _STEPS)[:, None] * (b - a) - r
    x = points @ n
    near = np.linalg.norm(points - x[:, None] * n, axis=1) < radius
    if not near.any():
        return None
    length = float(np.linalg.norm(b - a))
    parallel = length > radius and abs((b - a) @ n) > 0.99 * length
    beyond = cap if parallel else radius
    return OnAxis(float(x[near].min()) - beyond, float(x[near].max()) + beyond, radius if parallel else 0.0)


def _of_box(size: Array, r: Array, n: Array) -> OnAxis | None:
    """A box about the origin of its frame, where the line r + x n enters and leaves it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.sort(np.stack([(-0.5 * size - r) / n, (0.5 * size - r) / n]), axis=0)
    inside = np.abs(r) <= 0.5 * size
    still = np.abs(n) < PARALLEL_AXES
    if (still & ~inside).any():
        return None
    low, high = float(ends[0][~still].max()), float(ends[1][~still].min())
    return OnAxis(low, high, 0.0) if low < high else None
