"""Solids the page can draw: boxes, cylinders and balls scaled from one of each, and plates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra.pose import IDENTITY, Pose, frame_with_z
from linkwright.algebra.vectors import Vec3
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Plate, Shape, Sphere
from linkwright.viewer.outline import outline

GREY = "#777777"


@dataclass(frozen=True)
class Solid:
    """A solid fixed in a body.

    Attributes:
        kind: "box", "cylinder" (along z), "ball" or "plate".
        body: number of the body it moves with, -1 for the base.
        at: centre and axes in the body's frame.
        size: edge lengths; radius, radius, length; radii; for a plate its thickness three times. [m]
        colour: `#rrggbb`.
        corners: of a plate, in the frame `at`.
    """

    kind: str
    body: int
    at: Pose
    size: Vec3
    colour: str
    corners: tuple[Vec3, ...] = ()


def drawn(shape: Shape, body: int, colour: str) -> list[Solid]:
    """The solids of a shape given in a file."""
    colour = shape.colour or colour
    match shape.solid:
        case Box(size):
            return [Solid("box", body, shape.pose, size, colour)]
        case Cylinder(radius, length):
            return [Solid("cylinder", body, shape.pose, (radius, radius, length), colour)]
        case Sphere(radius):
            return [Solid("ball", body, shape.pose, (radius, radius, radius), colour)]
        case Capsule(radius, start, end):
            return capsule(body, radius, start, end, colour, shape.pose)
        case Plate(corners, thickness):
            return plate(body, corners, thickness, colour, shape.pose)
        case other:
            raise TypeError(f"no drawing for the shape {other!r}")


def capsule(body: int, radius: float, start: Any, end: Any, colour: str, at: Pose = IDENTITY) -> list[Solid]:
    """A rod with round ends between two points."""
    a, b = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    ends = [Solid("ball", body, at @ Pose.of(p), (radius,) * 3, colour) for p in (a, b)]
    length = float(np.linalg.norm(b - a))
    if length <= 1e-12:
        return ends[:1]
    middle = at @ Pose.of(0.5 * (a + b), frame_with_z((b - a) / length))
    return [Solid("cylinder", body, middle, (radius, radius, length), colour), *ends]


def rod(body: int, radius: float, at: Pose, axis: Vec3, length: float, colour: str) -> Solid:
    """A cylinder about the origin of `at`, along an axis given in it."""
    return Solid(
        "cylinder", body, at @ Pose.of(matrix=frame_with_z(np.asarray(axis))), (radius, radius, length), colour
    )


def plate(
    body: int, corners: Any, thickness: float, colour: str, at: Pose = IDENTITY, convex: bool = False
) -> list[Solid]:
    """A flat polygon; corners in an order that crosses itself, or told to be convex, are taken as their hull."""
    points, frame = outline(np.asarray(corners, dtype=float), convex)
    if len(points) < 3:
        far = np.asarray(corners, dtype=float)
        return capsule(body, 0.5 * thickness, far[0], far[-1], colour, at)
    flat = tuple((float(x), float(y), 0.0) for x, y in points)
    return [Solid("plate", body, at @ frame, (thickness,) * 3, colour, flat)]
