"""Documents of the parts of a mechanism in a file: solids, force elements, joints, beams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictInt, ValidationError, create_model, model_validator

from linkwright.algebra.transforms import IDENTITY
from linkwright.algebra.vectors import Vec3
from linkwright.forces import Friction, Spring
from linkwright.forces.element import ENDS, ForceElement, force_elements, force_sections
from linkwright.formats.units import UnitError, quote_short_value, value_in_si
from linkwright.formats.yaml.quantities import (
    Axis,
    Checked,
    Quantity,
    Strict,
    Text,
    WrittenPose,
    number_field,
    row_field,
    vector_field,
)
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine
from linkwright.joints.joint_registry import KINDS
from linkwright.joints.kind import units_along_parts
from linkwright.mechanism import Box, Capsule, Cylinder, Ellipsoid, Joint, Limits, Mesh, Plate, Shape, Sphere
from linkwright.mechanism.names import suggest_name

# --- solids for drawing in a file -------------------------------------------------------------------------------------

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


# --- documents of force elements --------------------------------------------------------------------------------------


@cache
def force_document(element: type[ForceElement]) -> type[Strict]:
    """The document of an element: its numbers in their units, points of its ends, and texts."""
    units = {each.key: each.unit for each in element.numbers}
    keys: dict[str, Any] = {}
    for field in fields(element):  # type: ignore[arg-type]
        if field.name in ENDS:
            keys[field.name] = (Point, (0.0, 0.0, 0.0))
        elif field.name != "name":
            number = Annotated[float, number_field(units[field.name])] if field.name in units else None
            keys[field.name] = (number or _plain_type(field.type), _default_or_required(field))
    return create_model(f"{element.__name__}Document", __base__=Strict, **keys)


def _default_or_required(field: Any) -> Any:
    return ... if field.default is MISSING else field.default


def _plain_type(declared: Any) -> Any:
    """What a file may say for a field without a unit."""
    name = declared if isinstance(declared, str) else getattr(declared, "__name__", "")
    return {"str": Text, "int": StrictInt, "bool": StrictBool}.get(name, Any)


def _read_force(written: Any) -> Any:
    """A registered element as its class and its document."""
    if not isinstance(written, dict) or not isinstance(written.get("type"), str):
        raise UnitError(
            f"{quote_short_value(written)} is not a force element; write for example {{type: ..., joint: ...}}"
        )
    known = {name: each for name, each in force_elements().items() if each.section == ForceElement.section}
    if written["type"] not in known:
        raise UnitError(
            f"the force element {quote_short_value(written['type'])} is not "
            f"registered{suggest_name(written['type'], known)}; "
            "import its module, or install its package"
        )
    element = known[written["type"]]
    try:
        return element, force_document(element)(**{key: value for key, value in written.items() if key != "type"})
    except ValidationError as error:
        first = error.errors()[0]
        raise UnitError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


AnyForce = Annotated[Any, Checked(_read_force, dict[str, Any])]


def read_forces(document: Any) -> Iterator[ForceElement]:
    """The elements of a document, those of its own sections first."""
    for section, own in force_sections().items():
        for name, each in getattr(document, section).items():
            kind, written = each if own is None else (own, each)
            make_element: Callable[..., ForceElement] = kind
            yield make_element(name, **dict(written))


def force_data(forces: Iterable[ForceElement], section: str) -> dict[str, dict[str, Any]]:
    """The elements of a section as a file says them."""
    return {force.name: _data_of_force(force) for force in forces if force.section == section}


def _data_of_force(force: ForceElement) -> dict[str, Any]:
    written = {f.name: getattr(force, f.name) for f in fields(force) if f.name != "name"}  # type: ignore[arg-type]
    data = {key: list(x) if isinstance(x, tuple) else x for key, x in written.items() if x is not None}
    return data if force.section != ForceElement.section else {"type": type(force).__name__.lower(), **data}


# --- documents of joints: one per kind, with units that follow from its coordinates -----------------------------------


class JointDocument(Strict):
    """Keys that every joint has."""

    type: str
    parent: Text
    child: Text
    at: WrittenPose = IDENTITY
    child_at: WrittenPose = IDENTITY


def friction_document(viscous: tuple[str, ...], coulomb: tuple[str, ...], owner: str = "") -> type[Strict]:
    """Return the document of friction in the given units; `owner` is part of its name in the JSON Schema."""
    keys: dict[str, Any] = {
        "viscous": (row_field(*viscous), ()),
        "coulomb": (row_field(*coulomb), ()),
        "slip": (Annotated[float, number_field("rad/s|m/s")], Friction().slip),
    }
    return create_model(f"{owner}Friction", __base__=Strict, **keys)


def resistance_fields(kind: Any) -> dict[str, Any]:
    """The fields limits, spring, friction and armature of a kind of joint."""
    viscous, coulomb = (
        units_along_parts(kind.velocities, "N m s/rad", "N s/m"),
        units_along_parts(kind.velocities, "N m", "N"),
    )
    return {
        "limits": (_limits_document(kind) | None, None),
        "spring": (_spring_document(kind) | None, None),
        "friction": (friction_document(viscous, coulomb, kind.__name__) | None, None),
        "armature": (row_field(*units_along_parts(kind.velocities, "kg m^2", "kg")), ()),
    }


def _limits_document(kind: Any) -> type[Strict]:
    q, v = units_along_parts(kind.coordinates, "rad", "m"), kind.velocities
    keys: dict[str, Any] = {
        "lower": (row_field(*q, endless=True), ()),
        "upper": (row_field(*q, endless=True), ()),
        "speed": (row_field(*units_along_parts(v, "rad/s", "m/s"), endless=True), ()),
        "effort": (row_field(*units_along_parts(v, "N m", "N"), endless=True), ()),
        "cone": (Annotated[float, number_field("rad")] | None, None),
    }
    return create_model(f"{kind.__name__}Limits", __base__=Strict, **keys)


def _spring_document(kind: Any) -> type[Strict]:
    keys: dict[str, Any] = {
        "stiffness": (row_field(*units_along_parts(kind.velocities, "N m/rad", "N/m")), ...),
        "rest": (row_field(*units_along_parts(kind.coordinates, "rad", "m")), ()),
    }
    return create_model(f"{kind.__name__}Spring", __base__=Strict, **keys)


def _joint_document(name: str, kind: Any) -> type[JointDocument]:
    default = kind()
    keys: dict[str, Any] = {"type": (Literal[name], ...)}
    for given in kind.numbers:
        if given.is_direction:
            keys[given.key] = (Axis, getattr(default, given.key))
        else:
            keys[given.key] = (Annotated[float, number_field(given.unit)], ...)
    keys |= resistance_fields(kind)
    return create_model(f"{name.capitalize()}Joint", __base__=JointDocument, **keys)


def _loop_document(name: str, document: type[JointDocument]) -> type[JointDocument]:
    keys: Any = {"open": (StrictBool, False)}
    return create_model(f"{name.capitalize()}LoopJoint", __base__=document, **keys)


def joint_unions(kinds: dict[str, Any]) -> tuple[Any, Any]:
    """The documents of any joint and of any joint that closes a loop."""
    documents = {name: _joint_document(name, kind) for name, kind in kinds.items()}
    loops = [_loop_document(name, document) for name, document in documents.items()]
    tree, closing = (Annotated[reduce(or_, each), Field(discriminator="type")] for each in (documents.values(), loops))
    return tree, closing


def is_direction(key: str | int) -> bool:
    """Return True if a key of a joint is a direction."""
    return any(number.key == key and number.is_direction for kind in KINDS.values() for number in kind.numbers)


def joint_of_document(name: str, written: Any) -> Joint:
    """The record of a checked joint document."""
    kind: Any = KINDS[written.type]
    shape = {given.key: getattr(written, given.key) for given in kind.numbers}
    return Joint(
        name=name,
        parent=written.parent,
        child=written.child,
        kind=kind(**shape),
        at=written.at,
        child_at=written.child_at,
        **resistance_of_document(written),
    )


def resistance_of_document(written: Any) -> dict[str, Any]:
    """Limits, spring, friction and armature of a checked document, as records."""
    return {
        "limits": Limits(**dict(written.limits)) if written.limits else Limits(),
        "spring": Spring(**dict(written.spring)) if written.spring else None,
        "friction": friction_of_document(written.friction),
        "armature": written.armature,
    }


def friction_of_document(written: Any) -> Friction | None:
    """The record of a checked friction document."""
    return None if written is None else Friction(**dict(written))


# --- flexible links in a file: `beam_of_document` on a body -----------------------------------------------------------

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
