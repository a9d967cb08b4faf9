"""Solids for drawing in a file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, model_validator

from linkwright.algebra.transforms import IDENTITY
from linkwright.algebra.vectors import Vec3
from linkwright.formats.units import UnitError, quote_short_value
from linkwright.formats.yaml.quantities import Strict, Text, WrittenPose, number_field, vector_field
from linkwright.mechanism import Box, Capsule, Cylinder, Ellipsoid, Mesh, Plate, Shape, Sphere

SOLIDS: dict[str, Any] = {"box": Box, "cylinder": Cylinder, "sphere": Sphere, "capsule": Capsule, "plate": Plate}
SOLIDS |= {"ellipsoid": Ellipsoid, "mesh": Mesh}
Length = Annotated[float, number_field("m")]
Point = Annotated[Vec3, vector_field("m")]


def _require_hex_color(text: str) -> str:
    digits = text[1:]
    if text[:1] != "#" or len(digits) not in (6, 8) or any(d not in "0123456789abcdefABCDEF" for d in digits):
        raise UnitError(
            f"{quote_short_value(text)} is not a valid color; write '#rrggbb' or '#rrggbbaa' in quotes, as '#ff8800'"
        )
    return text


class BoxDocument(Strict):
    size: Point


class CylinderDocument(Strict):
    radius: Length
    length: Length


class SphereDocument(Strict):
    radius: Length


class EllipsoidDocument(Strict):
    radii: Point


class CapsuleDocument(Strict):
    radius: Length
    start: Point
    end: Point


class PlateDocument(Strict):
    corners: tuple[Point, ...]
    thickness: Length


class MeshDocument(Strict):
    """A file below the mechanism's own folder; its numbers times the scale are meters."""

    file: Text
    scale: Annotated[Vec3, vector_field("")] = (1.0, 1.0, 1.0)


class ShapeDocument(Strict):
    """One solid at a pose on its body."""

    box: BoxDocument | None = None
    cylinder: CylinderDocument | None = None
    sphere: SphereDocument | None = None
    ellipsoid: EllipsoidDocument | None = None
    capsule: CapsuleDocument | None = None
    plate: PlateDocument | None = None
    mesh: MeshDocument | None = None
    at: WrittenPose = IDENTITY
    color: Annotated[Text, AfterValidator(_require_hex_color)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_solid(cls, written: Any) -> Any:
        if isinstance(written, dict) and sum(name in written for name in SOLIDS) != 1:
            raise UnitError(f"a shape is one of {', '.join(SOLIDS)}; write for example sphere: {{radius: 50 mm}}")
        return written


def shape_of_document(written: ShapeDocument) -> Shape:
    """The record of a checked shape document."""
    name = next(name for name in SOLIDS if getattr(written, name) is not None)
    return Shape(SOLIDS[name](**dict(getattr(written, name))), written.at, written.color)
