"""Flexible links in a file: `beam_of_document` on a body."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import model_validator

from linkwright.formats.units import UnitError, quote_short_value, value_in_si
from linkwright.formats.yaml.quantities import Checked, Quantity, Strict, number_field
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine

_SHAPES: dict[str, Any] = {"sine": Sine, "clamped": Clamped, "polynomial": Polynomial}
_PLAIN = Beam(1.0, 1.0, 1.0, Sine(1))
End = Literal["clamped", "pinned", "free"]


class ShapesDocument(Strict):
    """Family and number of the shapes, for example {sine: 2}."""

    sine: int | None = None
    clamped: int | None = None
    polynomial: int | None = None
    root: End | None = None
    tip: End | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_family(cls, written: Any) -> Any:
        if isinstance(written, dict) and sum(name in written for name in _SHAPES) != 1:
            raise UnitError(f"shapes are one of {', '.join(_SHAPES)} and their number; write for example {{sine: 2}}")
        if isinstance(written, dict) and "polynomial" not in written and ("root" in written or "tip" in written):
            raise UnitError("root and tip belong to polynomial shapes; leave them out")
        return written


def _read_bending_stiffness(written: Any) -> Any:
    items = written if isinstance(written, list) else [written]
    values = tuple(value_in_si(item, "N m^2") for item in items)
    return values if isinstance(written, list) else values[0]


def _read_bending_planes(written: Any) -> Any:
    items = written if isinstance(written, list) else [written]
    if not items or any(item not in ("y", "z") for item in items):
        raise UnitError(f"{quote_short_value(written)} is not a direction of bending; write y, z or [y, z]")
    return tuple(items)


class BeamDocument(Strict):
    """A uniform beam along the body's x axis."""

    length: Annotated[float, number_field("m")]
    density: Annotated[float, number_field("kg/m")]
    stiffness: Annotated[float | tuple[float, ...], Checked(_read_bending_stiffness, Quantity | list[Quantity])]
    shapes: ShapesDocument
    planes: Annotated[tuple[str, ...], Checked(_read_bending_planes, Literal["y", "z"] | list[Literal["y", "z"]])] = (
        "y",
    )
    damping: Annotated[float, number_field("s")] = 0.0
    gyration: Annotated[float, number_field("m")] = 0.0
    shortening: bool = False


def beam_of_document(written: BeamDocument) -> Beam:
    """The record of a checked beam document."""
    return Beam(**(dict(written) | {"shapes": _shape_functions_of_document(written.shapes)}))


def _shape_functions_of_document(written: ShapesDocument) -> Any:
    name = next(name for name in _SHAPES if getattr(written, name) is not None)
    ends = {key: getattr(written, key) for key in ("root", "tip") if getattr(written, key) is not None}
    return _SHAPES[name](getattr(written, name), **ends)


def data_of_beam(beam: Beam) -> dict[str, Any]:
    """Return a beam as plain data that reads back as the same beam."""
    shapes: dict[str, Any] = {type(beam.shapes).__name__.lower(): beam.shapes.count}
    if isinstance(beam.shapes, Polynomial):
        shapes |= {"root": beam.shapes.root, "tip": beam.shapes.tip}
    stiffness = list(beam.stiffness) if isinstance(beam.stiffness, tuple) else beam.stiffness
    data: dict[str, Any] = {"length": beam.length, "density": beam.density, "stiffness": stiffness, "shapes": shapes}
    if beam.planes != _PLAIN.planes:
        data["planes"] = list(beam.planes)
    rest = {name: getattr(beam, name) for name in ("damping", "gyration", "shortening")}
    return data | {name: value for name, value in rest.items() if value != getattr(_PLAIN, name)}
