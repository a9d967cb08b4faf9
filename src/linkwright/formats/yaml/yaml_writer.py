"""A mechanism to YAML text that reads back as the same mechanism, bit for bit, with its parameters."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from itertools import product
from typing import Any

from linkwright.algebra.transforms import IDENTITY, UPRIGHT, RigidTransform, Rows
from linkwright.forces import Friction, Spring
from linkwright.forces.element import FORCE_SECTIONS
from linkwright.formats.yaml.beam_documents import data_of_beam
from linkwright.formats.yaml.document import FORMAT
from linkwright.formats.yaml.emitter import block_lines
from linkwright.formats.yaml.forces import force_data
from linkwright.formats.yaml.quantities import read_pose_block as read_pose
from linkwright.formats.yaml.written_formulas import (
    as_written,
    parameter_as_written,
    with_expressions,
    written_axis,
    written_turn,
)
from linkwright.joints.beams import Beam
from linkwright.joints.kind import X, Y, Z
from linkwright.mechanism import Actuator, Body, Coupling, Joint, Limits, Mechanism, Shape
from linkwright.mechanism.parameters import live_formulas
from linkwright.mechanism.records import NO_TENSOR, Tensor
from linkwright.mechanism.topology import as_drawn

_AXIS_NAMES = {X: "x", Y: "y", Z: "z"}
_QUARTERS: tuple[Any, ...] = (0.0, "90 deg", "180 deg", "-90 deg")


def to_yaml(mech: Mechanism) -> str:
    """The mechanism as native YAML.

    >>> from linkwright.formats.yaml import from_yaml
    >>> from linkwright.joints import Revolute
    >>> from linkwright.mechanism import Body, Joint
    >>> mech = Mechanism("pendulum", (Body("rod"),), (Joint("swing", "ground", "rod", Revolute()),))
    >>> from_yaml(to_yaml(mech)) == mech
    True
    """
    formulas = live_formulas(mech)
    mech, beams = with_expressions(mech, formulas)
    base = _data_of_body(Body(mech.base, mech.base_inertia, mech.base_shapes), None)
    document = {
        "format": FORMAT,
        "name": mech.name,
        "source": mech.source,
        "license": mech.license,
        "parameters": {definition.name: parameter_as_written(definition) for definition in formulas.definitions},
        "gravity": list(mech.gravity),
        "base": {"name": mech.base, **base} if base else mech.base,
        "bodies": {body.name: _data_of_body(body, beams.get(body.name)) for body in mech.bodies},
        "joints": {joint.name: _data_of_joint(as_drawn(joint)) for joint in mech.joints},
        "loops": {joint.name: _data_of_joint(joint) for joint in mech.loops}
        | {joint.name: _data_of_joint(joint) | {"open": True} for joint in mech.open_loops},
        "couplings": {coupling.name: _data_of_coupling(coupling) for coupling in mech.couplings},
        **{section: force_data(mech.forces, section) for section in FORCE_SECTIONS},
        "frames": {f.name: {"body": f.body, **_data_of_pose("at", f.pose)} for f in mech.frames},
        "platform": mech.platform,
        "actuators": {actuator.name: _data_of_actuator(actuator) for actuator in mech.actuators},
        "home": {name: list(values) for name, values in mech.home},
    }
    given = {k: v for k, v in document.items() if v not in (None, "", {}) or k == "name"}
    return "\n".join(block_lines(as_written(given))) + "\n"


def _data_of_body(body: Body, beam: Beam | None) -> dict[str, Any]:
    inertia = body.inertia
    data: dict[str, Any] = {}
    if inertia.mass != 0.0:
        data["mass"] = inertia.mass
    if inertia.com != (0.0, 0.0, 0.0):
        data["com"] = list(inertia.com)
    if inertia.tensor != NO_TENSOR:
        data["inertia"] = _data_of_tensor(inertia.tensor)
    if body.gravity_compensation != 0.0:
        data["gravity_compensation"] = body.gravity_compensation
    if beam is not None:
        data["beam"] = data_of_beam(beam)
    if body.shapes:
        data["shapes"] = [_data_of_shape(shape) for shape in body.shapes]
    return data


def _data_of_tensor(tensor: Tensor) -> Any:
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = tensor
    if (xy, xz, yz) != (yx, zx, zy):
        return [list(row) for row in tensor]
    if xy == xz == yz == 0.0:
        return [xx, yy, zz]
    return {"xx": xx, "yy": yy, "zz": zz, "xy": xy, "xz": xz, "yz": yz}


def _data_of_shape(shape: Shape) -> dict[str, Any]:
    solid = {field.name: _list_of_tuple(getattr(shape.solid, field.name)) for field in fields(shape.solid)}
    data: dict[str, Any] = {type(shape.solid).__name__.lower(): solid, **_data_of_pose("at", shape.pose)}
    return data if shape.color is None else {**data, "color": shape.color}


def _list_of_tuple(value: Any) -> Any:
    return [_list_of_tuple(item) for item in value] if isinstance(value, tuple) else value


def _data_of_pose(key: str, pose: RigidTransform) -> dict[str, Any]:
    """A pose in the shortest form that gives it back exactly."""
    if pose == IDENTITY:
        return {}
    if pose.rows == UPRIGHT:
        return {key: list(pose.xyz)}
    turn = written_turn(pose) or _right_angles(pose) or {"matrix": [list(row) for row in pose.rows]}
    return {key: {**({"xyz": list(pose.xyz)} if any(pose.xyz) else {}), **turn}}


def _right_angles(pose: RigidTransform) -> dict[str, Any] | None:
    """Roll, pitch and yaw in quarter turns, when the pose has such."""
    if any(abs(element) not in (0.0, 1.0) for row in pose.rows for element in row):
        return None
    return next(
        ({"rpy": list(rpy)} for rpy in product(_QUARTERS, repeat=3) if _rotation_rows_of_rpy(rpy) == pose.rows), None
    )


@cache
def _rotation_rows_of_rpy(rpy: tuple[Any, ...]) -> Rows:
    return read_pose({"rpy": list(rpy)}).rows


def _data_of_joint(joint: Joint) -> dict[str, Any]:
    kind = joint.kind
    data: dict[str, Any] = {"type": type(kind).__name__.lower(), "parent": joint.parent, "child": joint.child}
    for number in kind.numbers:
        value = getattr(kind, number.key)
        data[number.key] = _axis_as_written(value) if number.is_direction else value
    data |= _data_of_pose("at", joint.at) | _data_of_pose("child_at", joint.child_at)
    for key, record in (("limits", joint.limits), ("spring", joint.spring), ("friction", joint.friction)):
        if record is not None and record != Limits():
            data[key] = _nonempty_fields(record)
    if joint.armature:
        data["armature"] = joint.armature[0] if len(joint.armature) == 1 else list(joint.armature)
    return data


def _axis_as_written(value: Any) -> Any:
    return written_axis(value) or _AXIS_NAMES.get(value) or list(value)


def _nonempty_fields(record: Limits | Spring | Friction) -> dict[str, Any]:
    """The fields that are not empty; a single value has no brackets."""
    data = {}
    for field in fields(record):
        value = getattr(record, field.name)
        if value is None or value == ():
            continue
        data[field.name] = (value[0] if len(value) == 1 else list(value)) if isinstance(value, tuple) else value
    return data


def _data_of_coupling(coupling: Coupling) -> dict[str, Any]:
    data: dict[str, Any] = {"terms": dict(coupling.terms)}
    data |= {"offset": coupling.offset} if coupling.offset != 0.0 else {}
    return data | ({"curves": {name: list(factors) for name, factors in coupling.curves}} if coupling.curves else {})


def _data_of_actuator(actuator: Actuator) -> dict[str, Any]:
    plain = Actuator(actuator.name, actuator.joint)
    data: dict[str, Any] = {"joint": actuator.joint}
    for field in fields(actuator):
        value = getattr(actuator, field.name)
        if field.name not in ("name", "joint") and value != getattr(plain, field.name):
            data[field.name] = _nonempty_fields(value) if isinstance(value, Friction) else value
    return data
