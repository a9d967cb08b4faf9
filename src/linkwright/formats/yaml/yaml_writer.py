"""A mechanism to YAML text that reads back as the same mechanism, bit for bit, with its parameters.

The writer works on a mechanism whose computed numbers carry their expressions along; they compare as different from any
number, so that none of them is left out for being a default.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from itertools import product
from typing import Any

from linkwright.algebra.transforms import IDENTITY, UPRIGHT, RigidTransform, Rows
from linkwright.checks import require_instance
from linkwright.dataclass import dataclass
from linkwright.forces import Friction, Spring
from linkwright.forces.element import force_sections
from linkwright.formats.written_files import A_MECHANISM
from linkwright.formats.yaml.document import FORMAT
from linkwright.formats.yaml.expression_parser import LONGEST
from linkwright.formats.yaml.part_documents import data_of_beam, force_data
from linkwright.formats.yaml.quantities import read_pose_block
from linkwright.joints.beams import Beam
from linkwright.joints.kind import X, Y, Z
from linkwright.mechanism import Actuator, Body, Coupling, Joint, Limits, Mechanism, Shape
from linkwright.mechanism.expressions import (
    Expression,
    Formulas,
    ParameterDefinition,
    expression_text,
    names_in_expression,
)
from linkwright.mechanism.flexible_bodies import remove_beams
from linkwright.mechanism.parameters import live_formulas
from linkwright.mechanism.paths import MATRIX, QUATERNION, RPY, XYZ, Setting, visit_numbers
from linkwright.mechanism.records import NO_TENSOR, Tensor
from linkwright.mechanism.topology import as_drawn

# --- plain data to YAML text ------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"-?[A-Za-z_][A-Za-z0-9_.\-]*")
_MEANS_SOMETHING_ELSE = re.compile(r"(?i:true|false|null|yes|no|on|off|y|n)")
_WIDTH = 100


def block_lines(data: dict[str, Any], indent: int = 0) -> Iterator[str]:
    """Lines of a mapping; what fits in one line is written in one.

    >>> print("\\n".join(block_lines({"a": {"b": [1.0, 2.0]}, "c": "yes"})))
    a:
      b: [1.0, 2.0]
    c: "yes"
    """
    pad = " " * indent
    for key, value in data.items():
        head = f"{pad}{quote_text(key)}:"
        if isinstance(value, str) and "\n" in value and _fit_for_literal(value):
            yield f"{head} |-"
            yield from (f"{pad}  {line}" if line else "" for line in value.split("\n"))
        elif not isinstance(value, dict) or not value or (indent and len(flow_text(value)) + len(head) < _WIDTH):
            yield f"{head} {flow_text(value)}"
        else:
            yield head
            yield from block_lines(value, indent + 2)


def flow_text(value: Any) -> str:
    """A value in one line.

    >>> flow_text({"mass": 0.1, "com": [0.0, 1e-7, 2.0]})
    '{mass: 0.1, com: [0.0, 1.0e-07, 2.0]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote_text(k)}: {flow_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote_text(value)
    return _yaml_number(value)


def _yaml_number(value: float | int) -> str:
    text = repr(value)
    if text in ("inf", "-inf"):
        return text.replace("inf", ".inf")
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)


def quote_text(text: str) -> str:
    """A text, quoted when YAML would read it as something else."""
    if _PLAIN.fullmatch(text) and not _MEANS_SOMETHING_ELSE.fullmatch(text):
        return text
    return '"' + "".join(map(_escape_character, text)) + '"'


def _escape_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _fit_for_literal(text: str) -> bool:
    """Return True if a text of several lines survives a `|-` block."""
    lines = text.split("\n")
    printable = all(line.isprintable() and line.strip() == line for line in lines)
    return printable and bool(lines[0]) and bool(lines[-1])


# --- parameters and expressions in a written file ---------------------------------------------------------------------

_IN_BRACES = re.compile(r"\{[A-Za-z_][A-Za-z_0-9]*\}")


class _Computed(float):
    """A number that an expression gives."""

    written: str

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __bool__(self) -> bool:
        return True

    __hash__ = float.__hash__


class _Together(tuple[Any, ...]):
    """Rows of a rotation or a direction, with the text that gives them."""

    written: Any

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    __hash__ = tuple.__hash__


def _values_with_formula(values: Any, written: Any) -> _Together:
    out = _Together(values)
    out.written = written
    return out


def with_expressions(mech: Mechanism, formulas: Formulas) -> tuple[Mechanism, dict[str, Beam]]:
    """The mechanism as it is drawn and without beams, its computed numbers labeled with expressions; and the beams."""
    rigid, beams = remove_beams(mech)
    drawn = rigid.replace_unchecked(joints=tuple(map(as_drawn, rigid.joints)))
    numbers = formulas.numbers({})
    values = {path: _number_with_formula(expression, numbers[path]) for path, expression in formulas.expressions}
    changes, beams = visit_numbers(drawn, beams, _Labeling(values))
    return drawn.replace_unchecked(**changes), beams


def _number_with_formula(expression: Expression, value: float) -> float:
    formula = expression_text(expression)
    if not names_in_expression(expression) or len(formula) > LONGEST:
        return value
    out = _Computed(value)
    out.written = f"= {formula}"
    return out


@dataclass
class _Labeling(Setting):
    """Puts labeled numbers in; directions and orientations keep the text of their parts."""

    def rows(self, path: str, pose: RigidTransform) -> Any:
        for key, parts in (("rpy", RPY), ("quaternion", QUATERNION), ("matrix", MATRIX)):
            if f"{path}.{parts[0]}" in self.values:
                given = [self.values[f"{path}.{part}"] for part in parts]
                lines = [given[i : i + 3] for i in (0, 3, 6)] if parts is MATRIX else given
                return _values_with_formula(pose.rows, {key: lines})
        return pose.rows

    def direction(self, path: str, value: Any) -> Any:
        if f"{path}.x" not in self.values:
            return value
        return _values_with_formula(value, [self.values[f"{path}.{part}"] for part in XYZ])


def written_turn(pose: RigidTransform) -> dict[str, Any] | None:
    """Text of an orientation that follows from parameters."""
    return getattr(pose.rows, "written", None)


def written_axis(value: Any) -> list[Any] | None:
    """Text of a direction that follows from parameters."""
    return getattr(value, "written", None)


def as_written(data: Any) -> Any:
    """Plain data with labeled numbers replaced by their expressions; names in braces are not those of variables."""
    if isinstance(data, dict):
        return {as_written(key): as_written(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [as_written(value) for value in data]
    if isinstance(data, str):
        return _IN_BRACES.sub(r"{\g<0>}", data) if "{" in data else data
    return data.written if isinstance(data, _Computed) else data


def parameter_as_written(definition: ParameterDefinition) -> Any:
    """A parameter as it is written: an expression, a number with its unit, or a number."""
    if definition.expression is not None and len(expression_text(definition.expression)) <= LONGEST:
        return f"= {expression_text(definition.expression)}"
    return f"{definition.value!r} {definition.unit}" if definition.unit else definition.value


# --- A mechanism to YAML text that reads back as the same mechanism, bit for bit, with its parameters -----------------

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
    formulas = live_formulas(require_instance("mech", mech, Mechanism, A_MECHANISM))
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
        **{section: force_data(mech.forces, section) for section in force_sections()},
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
    return read_pose_block({"rpy": list(rpy)}).rows


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
