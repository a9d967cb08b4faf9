"""Shapes for drawing; they have no influence on the motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass


@dataclass(frozen=True)
class Box:
    """A block with edge lengths `size` [m], centered."""

    size: Vec3


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z, centered; [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere, centered; [m]."""

    radius: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid with half axes `radii` [m] along x, y, z, centered."""

    radii: Vec3


@dataclass(frozen=True)
class Capsule:
    """A rounded rod between two points; [m]."""

    radius: float
    start: Vec3
    end: Vec3


@dataclass(frozen=True)
class Plate:
    """A flat polygon with corners [m] and a thickness [m]."""

    corners: tuple[Vec3, ...]
    thickness: float


@dataclass(frozen=True)
class Mesh:
    """A surface in a file, whose numbers times `scale` are meters; a name that leads to no file is kept as written."""

    file: str
    scale: Vec3 = (1.0, 1.0, 1.0)


Solid = Box | Cylinder | Sphere | Ellipsoid | Capsule | Plate | Mesh


@dataclass(frozen=True)
class Shape:
    """A solid at a pose in its body's frame, with an optional color `#rrggbb`, or `#rrggbbaa` with its opacity."""

    solid: Solid
    pose: RigidTransform = IDENTITY
    color: str | None = None


def drawn_sizes(shapes: Iterable[Shape]) -> Iterator[tuple[str, float]]:
    """Every length that shapes are drawn with, [m], with its name.

    >>> list(drawn_sizes([Shape(Cylinder(0.1, 0.5))]))
    [('cylinder radius', 0.1), ('cylinder length', 0.5)]
    """
    for solid in (shape.solid for shape in shapes):
        kind = type(solid).__name__.lower()
        if isinstance(solid, Box):
            yield from ((f"{kind} size", size) for size in solid.size)
        if isinstance(solid, Ellipsoid):
            yield from ((f"{kind} radius", radius) for radius in solid.radii)
        for name in ("radius", "length", "thickness"):
            if hasattr(solid, name):
                yield f"{kind} {name}", getattr(solid, name)
