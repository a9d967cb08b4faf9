"""Solids of a scene, and flat outlines through points in space."""

from __future__ import annotations

from typing import Any

import numpy as np

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
    if _largest_extent(flat) <= 0.0 or singular_values(flat - flat.mean(axis=0))[-1] < UNSEEN * _largest_extent(flat):
        return np.zeros((0, 2)), frame
    return (flat if is_simple_polygon(flat) and not convex else convex_hull(flat)), frame


def fitted_plane(points: Array) -> RigidTransform:
    """The frame at the points' middle whose z axis is normal to the plane nearest to them."""
    middle = points.mean(axis=0)
    axes = decompose_scaled(points - middle, complete=True).Vt
    x, z = axes[0], axes[-1]
    return RigidTransform.of(middle, np.column_stack([x, np.cross(z, x), z]))


def off_plane(points: Array) -> float:
    """The largest distance of a point from the plane nearest to all of them, [m]."""
    frame = fitted_plane(points)
    return float(np.abs((points - frame.r) @ frame.R[:, 2]).max())


def _largest_extent(points: Array) -> float:
    return float(np.ptp(points, axis=0).max())


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


def convex_hull(points: Array) -> Array:
    """Corners of the convex hull of points (n, 2), counter-clockwise (Andrew's monotone chain).

    >>> convex_hull(np.array([[0, 0], [2, 0], [1, 0.1], [1, 2]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]]
    """
    ordered = [np.array(p, dtype=float) for p in sorted(map(tuple, points))]
    lower, upper = _monotone_chain(ordered), _monotone_chain(ordered[::-1])
    return np.array(lower[:-1] + upper[:-1])


def _monotone_chain(points: list[Array]) -> list[Array]:
    chain: list[Array] = []
    for p in points:
        while len(chain) > 1 and _signed_double_area(chain[-2], chain[-1], p) <= 0.0:
            chain.pop()
        chain.append(p)
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
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    ends = [Solid("ball", body, at @ RigidTransform.of(p), (radius,) * 3, color) for p in (a, b)]
    length = float(np.linalg.norm(b - a))
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
    points, frame = outline_of_points(np.asarray(corners, dtype=float), convex)
    if len(points) < 3:
        far = np.asarray(corners, dtype=float)
        return capsule_solids(body, 0.5 * thickness, far[0], far[-1], color, at)
    flat = tuple((float(x), float(y), 0.0) for x, y in points)
    return [Solid("plate", body, at @ frame, (thickness,) * 3, color, flat)]
