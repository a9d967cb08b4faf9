"""Documents of joints: one per kind, with units that follow from its coordinates."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, create_model

from linkwright.algebra.transforms import IDENTITY
from linkwright.forces import Friction, Spring
from linkwright.formats.yaml.quantities import Axis, Strict, Text, WrittenPose, number_field, row_field
from linkwright.joints.joint_registry import KINDS
from linkwright.joints.kind import units_along_parts
from linkwright.mechanism import Joint, Limits


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
