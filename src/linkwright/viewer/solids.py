"""Solids of a scene, and flat outlines through points in space."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.sums import float_if_known, nominal_array, numeric_array
from linkwright.algebra.transforms import IDENTITY, RigidTransform, frame_with_z
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plate, Shape, Sphere
from linkwright.numerics.dense import decompose_scaled, singular_values
from linkwright.numerics.tolerances import NO_DIRECTION, UNSEEN
from linkwright.viewer.surfaces import Surfaces

Array = np.ndarray


def outline_of_points(points: Array, convex: bool = False) -> tuple[Array, RigidTransform]:
    """Corners (m, 2) of a polygon and the frame whose x-y plane it lies in.

    The points' own order is kept when it does not cross itself, else, or when `convex`, their convex hull is taken.
    Points on one line give fewer than three corners.
    """
    frame = fitted_plane(points)
    flat = ((points - frame.r) @ frame.R)[:, :2]
    drawn = nominal_array(flat)
    size = float(np.ptp(drawn, axis=0).max())
    if size <= 0.0 or singular_values(drawn - drawn.mean(axis=0))[-1] < UNSEEN * size:
        return np.zeros((0, 2)), frame
    return (flat if is_simple_polygon(drawn) and not convex else flat[convex_hull(drawn)]), frame


def fitted_plane(points: Array) -> RigidTransform:
    """The frame at the points' middle with x to the farthest of them, whose x-y plane holds one that is far off x."""
    middle = points.mean(axis=0)
    off = points - middle
    far = _farthest_row(off)
    if not np.linalg.norm(far) > 0.0:
        return RigidTransform.of(middle)
    x = far / np.linalg.norm(far)
    aside = off - (off @ x)[:, None] * x
    y = _farthest_row(aside)
    if not np.linalg.norm(y) > UNSEEN * np.linalg.norm(far):
        return RigidTransform.of(middle, np.roll(frame_with_z(x), 1, axis=1))
    y = y / np.linalg.norm(y)
    return RigidTransform.of(middle, np.column_stack([x, y, np.cross(x, y)]))


def _farthest_row(off: Array) -> Array:
    """The longest row, of about equal ones the first."""
    length = np.linalg.norm(nominal_array(off), axis=1)
    return off[int(np.argmax(length > (1.0 - UNSEEN) * length.max()))]


def off_plane(points: Array) -> float:
    """The largest distance of a point from the plane nearest to all of them, [m]."""
    drawn = nominal_array(points)
    middle = drawn.mean(axis=0)
    normal = decompose_scaled(drawn - middle, complete=True).Vt[-1]
    return float(np.abs((drawn - middle) @ normal).max())


def is_simple_polygon(corners: Array) -> bool:
    """Return True if no two edges of a polygon cross.

    >>> square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> is_simple_polygon(square), is_simple_polygon(square[[0, 2, 1, 3]])
    (True, False)
    """
    n = len(corners)
    edges = [(corners[i], corners[(i + 1) % n]) for i in range(n)]
    pairs = [(i, j) for i in range(n) for j in range(i + 2, n) if (i, j) != (0, n - 1)]
    return not any(_is_edge_crossing(*edges[i], *edges[j]) for i, j in pairs)


def _is_edge_crossing(a: Array, b: Array, c: Array, d: Array) -> bool:
    return (
        _signed_double_area(a, b, c) * _signed_double_area(a, b, d) <= 0.0
        and _signed_double_area(c, d, a) * _signed_double_area(c, d, b) <= 0.0
    )


def _signed_double_area(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def convex_hull(points: Array) -> list[int]:
    """Rows of the corners of the convex hull of points (n, 2), counter-clockwise (Andrew's monotone chain).

    >>> convex_hull(np.array([[0, 0], [2, 0], [1, 0.1], [1, 2]]))
    [0, 1, 3]
    """
    order = sorted(range(len(points)), key=lambda i: tuple(points[i]))
    lower, upper = _monotone_chain(points, order), _monotone_chain(points, order[::-1])
    return lower[:-1] + upper[:-1]


def _monotone_chain(points: Array, order: list[int]) -> list[int]:
    chain: list[int] = []
    for i in order:
        while len(chain) > 1 and _signed_double_area(points[chain[-2]], points[chain[-1]], points[i]) <= 0.0:
            chain.pop()
        chain.append(i)
    return chain


GRAY = "#777777"


@dataclass(frozen=True)
class Solid:
    """A solid fixed in a body.

    Attributes:
        kind: "box", "cylinder" (along z), "ball", "spiral" (about z), "plate" or "mesh".
        body: number of the body it moves with, -1 for the base.
        at: center and axes in the body's frame.
        size: edge lengths; radius, radius, length; radii; for a plate its thickness three times. [m]
        color: `#rrggbb`, or `#rrggbbaa` with its opacity.
        corners: of a plate, in the frame `at`.
        surface: of a mesh, its number among the page's surfaces.
    """

    kind: str
    body: int
    at: RigidTransform
    size: Vec3
    color: str
    corners: tuple[Vec3, ...] = ()
    surface: int = -1


def solids_of_shape(shape: Shape, body: int, color: str, meshes: Surfaces) -> list[Solid]:
    """The solids of a shape given in a file; materials inside a mesh count more than the color of its shape."""
    color = shape.color or color
    match shape.solid:
        case Box(size):
            return [Solid("box", body, shape.pose, size, color)]
        case Cylinder(radius, length):
            return [Solid("cylinder", body, shape.pose, (radius, radius, length), color)]
        case Sphere(radius):
            return [Solid("ball", body, shape.pose, (radius, radius, radius), color)]
        case Ellipsoid(radii):
            return [Solid("ball", body, shape.pose, radii, color)]
        case Capsule(radius, start, end):
            return capsule_solids(body, radius, start, end, color, shape.pose)
        case Plate(corners, thickness):
            return plate_solids(body, corners, thickness, color, shape.pose)
        case Mesh() as mesh:
            parts = meshes.parts.get(mesh, ())
            whole = (1.0, 1.0, 1.0)
            return [Solid("mesh", body, shape.pose, whole, p.color or color, surface=p.number) for p in parts]
        case other:
            raise TypeError(f"no drawing for the shape {other!r}")


def capsule_solids(
    body: int, radius: float, start: Any, end: Any, color: str, at: RigidTransform = IDENTITY
) -> list[Solid]:
    """A rod with round ends between two points."""
    a, b = numeric_array(start), numeric_array(end)
    ends = [Solid("ball", body, at @ RigidTransform.of(p), (radius,) * 3, color) for p in (a, b)]
    length = float_if_known(np.linalg.norm(b - a))
    if length <= NO_DIRECTION:
        return ends[:1]
    middle = at @ RigidTransform.of(0.5 * (a + b), frame_with_z((b - a) / length))
    return [Solid("cylinder", body, middle, (radius, radius, length), color), *ends]


def rod_solid(body: int, radius: float, at: RigidTransform, axis: Vec3, length: float, color: str) -> Solid:
    """A cylinder about the origin of `at`, along an axis given in it."""
    return Solid(
        "cylinder", body, at @ RigidTransform.of(matrix=frame_with_z(np.asarray(axis))), (radius, radius, length), color
    )


def plate_solids(
    body: int, corners: Any, thickness: float, color: str, at: RigidTransform = IDENTITY, convex: bool = False
) -> list[Solid]:
    """A flat polygon; corners in an order that crosses itself, or declared convex, are taken as their hull."""
    points, frame = outline_of_points(numeric_array(corners), convex)
    if len(points) < 3:
        return capsule_solids(body, 0.5 * thickness, corners[0], corners[-1], color, at)
    flat = tuple((float_if_known(x), float_if_known(y), 0.0) for x, y in points)
    return [Solid("plate", body, at @ frame, (thickness,) * 3, color, flat)]
