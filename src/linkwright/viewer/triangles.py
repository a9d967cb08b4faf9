"""Solids of a scene as triangles: corners, normals and faces in the frame of their body."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.dataclass import dataclass
from linkwright.numerics.tolerances import LEAST_SIZE, TINY
from linkwright.viewer.shown_motion import unpack_array

Array = np.ndarray
Data = dict[str, Any]
_ROUND = 24  # sides of a cylinder
_TURNS = 9  # of a spring


@dataclass(frozen=True, eq=False)
class TriangleSet:
    """Corners (n, 3) [m], unit normals (n, 3) outward, faces (k, 3) counterclockwise from outside."""

    corners: Array
    normals: Array
    faces: Array

    def transform_points(self, r: Array, R: Array) -> TriangleSet:
        """The same solid turned and displaced."""
        return TriangleSet(self.corners @ R.T + r, self.normals @ R.T, self.faces)


def of_solid(solid: Data, surfaces: list[Data]) -> TriangleSet:
    """The triangles of a scene's solid, in its body's frame."""
    at = np.array(solid["at"], dtype=float)
    kind, size = solid["kind"], np.array(solid["size"], dtype=float)
    match kind:
        case "plate":
            own = _plate_triangles(np.array(solid["corners"], dtype=float)[:, :2], float(size[0]))
        case "mesh":
            own = _mesh_triangles(surfaces[solid["surface"]])
        case "spiral":
            own = tube_triangles(_spiral_points(size[0]), 0.07 * size[0])
        case _:
            own = _scale_triangles(_UNIT[kind](), size)
    return own.transform_points(at[:3], rotations.rotation_matrix(at[3:]))


def join_solids(parts: list[TriangleSet]) -> TriangleSet:
    """Several solids as one."""
    starts = np.cumsum([0, *(len(p.corners) for p in parts)])
    faces = [p.faces + start for p, start in zip(parts, starts, strict=False)]
    return TriangleSet(*(np.concatenate(x) for x in ([p.corners for p in parts], [p.normals for p in parts], faces)))


def rod_triangles(radius: float) -> TriangleSet:
    """A cylinder along y from 0 to 1 with a radius."""
    unit = _scale_triangles(_cylinder_triangles(), np.array([radius, radius, 1.0]))
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    return unit.transform_points(np.array([0.0, 0.5, 0.0]), turn)


def coil_triangles(radius: float, length: float) -> TriangleSet:
    """A spring along y from 0 to 1, whose wire is round at a length [m]."""
    share = np.linspace(0.0, 1.0, 24 * _TURNS + 1)
    out = radius * np.minimum(1.0, 12.0 * np.minimum(share, 1.0 - share))
    angle = 2.0 * np.pi * _TURNS * share
    made = tube_triangles(np.stack([out * np.cos(angle), length * share, out * np.sin(angle)], axis=1), 0.22 * radius)
    return _scale_triangles(made, np.array([1.0, 1.0 / max(length, LEAST_SIZE), 1.0]))


def tube_triangles(points: Array, radius: float, sides: int = 6) -> TriangleSet:
    """A tube along points (n, 3)."""
    along = np.gradient(points, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1, keepdims=True), TINY)
    aside = np.where(np.abs(along[:, 1:2]) < 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    u = np.cross(along, aside)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    w = np.cross(along, u)
    angle = 2.0 * np.pi * np.arange(sides) / sides
    normals = np.cos(angle)[None, :, None] * u[:, None] + np.sin(angle)[None, :, None] * w[:, None]
    corners = points[:, None] + radius * normals
    return TriangleSet(corners.reshape(-1, 3), normals.reshape(-1, 3), _grid_faces(len(points), sides))


def _grid_faces(rows: int, sides: int) -> Array:
    """Faces between neighboring rings of corners."""
    i, j = (x.ravel() for x in np.meshgrid(np.arange(rows - 1), np.arange(sides), indexing="ij"))
    a, b = i * sides + j, i * sides + (j + 1) % sides
    return np.concatenate([np.stack([a, b, a + sides], axis=1), np.stack([b, b + sides, a + sides], axis=1)])


def _scale_triangles(solid: TriangleSet, size: Array) -> TriangleSet:
    normals = solid.normals / size
    return TriangleSet(
        solid.corners * size, normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), TINY), solid.faces
    )


def flat_faces(corners: Array, faces: Array) -> TriangleSet:
    """TriangleSet with a normal of their own each."""
    points = corners[faces]
    n = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    size = np.linalg.norm(n, axis=1)
    points, n, size = points[size > 0.0], n[size > 0.0], size[size > 0.0]
    normals = np.repeat(n / size[:, None], 3, axis=0)
    return TriangleSet(points.reshape(-1, 3), normals, np.arange(3 * len(points)).reshape(-1, 3))


def _box_triangles() -> TriangleSet:
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return flat_faces(corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]))


def _cylinder_triangles() -> TriangleSet:
    """Radius one about z, from -0.5 to 0.5."""
    angle = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    half = np.array([0.0, 0.0, 0.5])
    side = TriangleSet(np.concatenate([ring - half, ring + half]), np.tile(ring, (2, 1)), _grid_faces(2, _ROUND))
    fan = np.array([(0, i, i + 1) for i in range(1, _ROUND - 1)])
    up = TriangleSet(ring + half, np.tile([0.0, 0.0, 1.0], (_ROUND, 1)), fan)
    down = TriangleSet(ring - half, np.tile([0.0, 0.0, -1.0], (_ROUND, 1)), fan[:, ::-1])
    return join_solids([side, up, down])


def _ball_triangles() -> TriangleSet:
    rows = _ROUND // 2
    polar = np.pi * np.arange(rows + 1) / rows
    angle = 2.0 * np.pi * np.arange(_ROUND) / _ROUND
    x = np.sin(polar)[:, None] * np.cos(angle)
    y = np.sin(polar)[:, None] * np.sin(angle)
    z = np.broadcast_to(-np.cos(polar)[:, None], x.shape)
    corners = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    return TriangleSet(corners, corners.copy(), _grid_faces(rows + 1, _ROUND))


_UNIT: dict[str, Callable[[], TriangleSet]] = {
    "box": _box_triangles,
    "cylinder": _cylinder_triangles,
    "ball": _ball_triangles,
}


def _spiral_points(radius: float) -> Array:
    share = np.linspace(0.0, 1.0, 91)
    angle = 6.0 * np.pi * share
    return radius * (0.3 + 0.7 * share)[:, None] * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)


def _mesh_triangles(surface: Data) -> TriangleSet:
    corners = np.array(surface["low"]) + unpack_array(surface["corners"]).reshape(-1, 3) * np.array(surface["step"])
    return flat_faces(corners, unpack_array(surface["faces"]).reshape(-1, 3).astype(int))


def _plate_triangles(outline: Array, thickness: float) -> TriangleSet:
    if polygon_area(outline) < 0.0:
        outline = outline[::-1]
    n = len(outline)
    low, high = (np.column_stack([outline, np.full(n, z)]) for z in (-0.5 * thickness, 0.5 * thickness))
    caps = np.array(clip_ears(outline))
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, n + j), (i, n + j, n + i))]
    return flat_faces(np.concatenate([low, high]), np.concatenate([caps[:, ::-1], caps + n, np.array(sides)]))


def polygon_area(outline: Array) -> float:
    """Area of a polygon (n, 2), positive when it goes counterclockwise."""
    x, y = outline.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def clip_ears(outline: Array) -> list[tuple[int, int, int]]:
    """TriangleSet of a simple polygon (n, 2) that goes counterclockwise, by cutting off ears.

    >>> clip_ears(np.array([[0, 0], [2, 0], [1, 0.5], [1, 2]], dtype=float))
    [(0, 1, 2), (0, 2, 3)]
    """
    left, found = list(range(len(outline))), []
    while len(left) > 3:
        ears = [k for k in range(len(left)) if _is_ear(outline, left, k)]
        k = ears[0] if ears else 0
        found.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return [*found, (left[0], left[1], left[2])]


def _is_ear(outline: Array, left: list[int], k: int) -> bool:
    a, b, c = (outline[left[i % len(left)]] for i in (k - 1, k, k + 1))
    if polygon_area(np.stack([a, b, c])) <= 0.0:
        return False
    others = [outline[i] for i in left if not any(np.array_equal(outline[i], x) for x in (a, b, c))]
    return not any(all(polygon_area(np.stack([u, w, p])) >= 0.0 for u, w in ((a, b), (b, c), (c, a))) for p in others)
