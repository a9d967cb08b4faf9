"""Keys and values of a mechanism file; every key not named here is an error."""

from __future__ import annotations

from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field, create_model, model_validator

from linkwright.algebra.transforms import IDENTITY
from linkwright.algebra.vectors import Vec3
from linkwright.forces.element import force_sections
from linkwright.formats.dh import KINDS
from linkwright.formats.units import UnitError, quote_short_value, value_in_si
from linkwright.formats.yaml.part_documents import (
    AnyForce,
    BeamDocument,
    Length,
    Point,
    ShapeDocument,
    force_document,
    friction_document,
    joint_unions,
    resistance_fields,
)
from linkwright.formats.yaml.quantities import (
    Checked,
    Moments,
    Quantity,
    Strict,
    Text,
    WrittenPose,
    number_field,
    vector_field,
)
from linkwright.joints.joint_registry import registered_kinds
from linkwright.mechanism.records import NO_TENSOR

FORMAT = 1
Angle = Annotated[float, number_field("rad")]
ActuatorFriction: Any = friction_document(("N m s/rad|N s/m",), ("N m|N",), "Actuator")


class SolidDocument(Strict):
    """Mass and shapes of the base or of a link."""

    mass: Annotated[float, number_field("kg")] = 0.0
    com: Point = (0.0, 0.0, 0.0)
    inertia: Moments = NO_TENSOR
    shapes: tuple[ShapeDocument, ...] = ()


class MassDocument(SolidDocument):
    """Mass and shapes of a link."""

    gravity_compensation: Annotated[float, number_field("")] = 0.0


class BodyDocument(MassDocument):
    beam: BeamDocument | None = None


class BaseDocument(SolidDocument):
    """The base; its mass acts only when it is made to float."""

    name: Text = "ground"


class FrameDocument(Strict):
    body: Text
    at: WrittenPose = IDENTITY


def _read_coupling_ratios(written: Any) -> Any:
    if not isinstance(written, dict):
        raise UnitError(
            f"{quote_short_value(written)} is not a list of ratios; write for example {{wheel: 1, pinion: -2}}"
        )
    return {name: value_in_si(ratio, "", "m/rad", "rad/m") for name, ratio in written.items()}


class CouplingDocument(Strict):
    """A gear or belt: the sum of ratio times coordinate, and of the curves' polynomials, stays at the offset."""

    terms: Annotated[dict[Text, float], Checked(_read_coupling_ratios, dict[str, Quantity])]
    offset: Annotated[float, number_field("rad|m")] = 0.0
    curves: dict[Text, list[float]] = Field(default_factory=dict)


class ActuatorDocument(Strict):
    joint: Text
    dof: Any = 0
    gear: Annotated[float, number_field("|rad/m|m/rad")] = 1.0
    rotor_inertia: Annotated[float, number_field("kg m^2|kg")] = 0.0
    friction: ActuatorFriction | None = None
    effort: Annotated[float, number_field("N m|N", endless=True)] | None = None
    speed: Annotated[float, number_field("rad/s|m/s", endless=True)] | None = None


class RowDocument(MassDocument):
    """One row of a DH table: the joint, its constants, its link."""

    joint: str
    name: Text | None = None
    link: Text | None = None
    a: Length = 0.0
    b: Length | None = None
    d: Length | None = None
    alpha: Angle = 0.0
    theta: Angle = 0.0

    @model_validator(mode="before")
    @classmethod
    def _one_offset(cls, written: Any) -> Any:
        if isinstance(written, dict) and "b" in written and "d" in written:
            raise UnitError("b and d are two names of the same offset; keep one of them")
        return written


def _row_document(name: str) -> type[RowDocument]:
    fields: dict[str, Any] = {"joint": (Literal[name], ...), **resistance_fields(type(KINDS[name]))}
    return create_model(f"{name.capitalize()}Row", __base__=RowDocument, **fields)


AnyRow: Any = Annotated[reduce(or_, map(_row_document, KINDS)), Field(discriminator="joint")]


class TableDocument(Strict):
    convention: Literal["standard", "modified"]
    rows: tuple[AnyRow, ...]


def _require_known_format(written: Any) -> Any:
    if type(written) is not int or written != FORMAT:
        raise UnitError(
            f"the format is {quote_short_value(written)} and this version reads format {FORMAT}; write 'format: "
            f"{FORMAT}'"
        )
    return written


Version = Annotated[int, Checked(_require_known_format, Literal[1])]


def _base_as_block(written: Any) -> Any:
    return {"name": written} if isinstance(written, str) else written


def _actuators_as_blocks(written: Any) -> Any:
    """Read a list of joint names as one direct drive each."""
    if not isinstance(written, list):
        return written
    for name in written:
        if not isinstance(name, str) or written.count(name) > 1:
            raise UnitError(
                f"{quote_short_value(written)} is not a list of different joint names; name each driven joint once"
            )
    return {name: {"joint": name} for name in written}


Actuators = Annotated[
    dict[Text, ActuatorDocument],
    Checked(_actuators_as_blocks, list[str] | dict[str, ActuatorDocument]),
]


class Document(Strict):
    """A whole file."""

    format: Version
    name: Text
    source: Text = ""
    license: Text = ""
    gravity: Annotated[Vec3, vector_field("m/s^2")] = (0.0, 0.0, -9.81)
    base: Annotated[BaseDocument, Checked(_base_as_block, str | BaseDocument)] = Field("ground", validate_default=True)
    dh: TableDocument | None = None
    bodies: dict[Text, BodyDocument] = Field(default_factory=dict)
    joints: dict[Text, Any] = Field(default_factory=dict)
    loops: dict[Text, Any] = Field(default_factory=dict)
    couplings: dict[Text, CouplingDocument] = Field(default_factory=dict)
    forces: dict[Text, AnyForce] = Field(default_factory=dict)
    frames: dict[Text, FrameDocument] = Field(default_factory=dict)
    platform: Text | None = None
    actuators: Actuators = Field(default_factory=dict)
    home: dict[Text, Any] = Field(default_factory=dict)


def document_type() -> type[Document]:
    """The document of a whole file, with the kinds of joint that are registered now."""
    return _document_of(tuple(registered_kinds().items()), tuple(force_sections().items()))


@lru_cache(maxsize=1)
def _document_of(kinds: tuple[tuple[str, Any], ...], sections: tuple[tuple[str, Any], ...]) -> type[Document]:
    tree, closing = joint_unions(dict(kinds))
    empty: Any = Field(default_factory=dict)
    mapping: Any = dict
    keys: dict[str, Any] = {"joints": (mapping[Text, tree], empty), "loops": (mapping[Text, closing], empty)}
    keys |= {section: (mapping[Text, force_document(own)], empty) for section, own in sections if own}
    return create_model("Document", __base__=Document, __doc__=Document.__doc__, **keys)
