"""Every number of a mechanism by its path, `joints.B.at.x`: listed, and replaced, by one walk over the records.

Paths name things as a mechanism file does; joints are `joints.<name>` whether the tree carries them or they close
loops, drawn as in the file. A vector has the parts x, y, z; a row of values has the parts of its joint, and none when
there is one value; the orientation of a frame is given by roll, pitch, yaw, by the quaternion qw, qx, qy, qz or by
the matrix xx, xy, ..., zz.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, fields, replace
from typing import Any, Protocol

from linkwright import joints as kinds
from linkwright.algebra.transforms import RigidTransform, Rows, rpy_of_rotation
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.forces import Friction, Spring
from linkwright.forces.element import ENDS, ForceElement
from linkwright.joints.beams import Beam
from linkwright.joints.kind import JointPart, units_along_parts
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Actuator, Body, Coupling, Frame, Inertia, Joint, Limits
from linkwright.mechanism.shapes import Shape
from linkwright.mechanism.topology import as_drawn, turned_round
from linkwright.numerics.tolerances import NO_DIRECTION, WRITTEN_DIGITS

XYZ = ("x", "y", "z")
RPY = ("roll", "pitch", "yaw")
QUATERNION = ("qw", "qx", "qy", "qz")
MATRIX = tuple(a + b for a in XYZ for b in XYZ)
ORIENTATIONS = (RPY, QUATERNION, MATRIX)
_MOST_COMPARED = 2000  # paths that an unknown one is compared with


class Visitor(Protocol):
    """Visitor of a walk: returns the number that replaces each one."""

    def number(self, path: str, unit: str, value: Any) -> Any: ...

    def rows(self, path: str, pose: RigidTransform) -> Any:
        """Return the rotation rows that replace those of a pose."""

    def direction(self, path: str, value: Any) -> Any:
        """Return the unit vector that replaces one."""


@dataclass(frozen=True)
class Quantity:
    """A number of a mechanism with its SI unit."""

    value: float
    unit: str


@dataclass
class Listing:
    """Collects every number; an orientation by roll, pitch and yaw."""

    found: dict[str, Quantity] = field(default_factory=dict)

    def number(self, path: str, unit: str, value: Any) -> Any:
        self.found[path] = Quantity(value, unit)
        return value

    def rows(self, path: str, pose: RigidTransform) -> Any:
        for part, angle in zip(RPY, rpy_of_rotation(pose.R), strict=True):
            self.found[f"{path}.{part}"] = Quantity(angle, "rad")
        return pose.rows

    def direction(self, path: str, value: Any) -> Any:
        return _visit_vector(self, path, "", value)


@dataclass
class Setting:
    """Replaces values of a mechanism by given ones, of any scalar type; `used` are their paths."""

    values: Mapping[str, Any]
    used: set[str] = field(default_factory=set)

    def number(self, path: str, unit: str, value: Any) -> Any:
        if path not in self.values:
            return value
        self.used.add(path)
        return self.values[path]

    def rows(self, path: str, pose: RigidTransform) -> Any:
        groups = [parts for parts in ORIENTATIONS if any(f"{path}.{part}" in self.values for part in parts)]
        if not groups:
            return pose.rows
        if len(groups) > 1:
            raise ArgumentError(
                f"'{path}' is given by {groups[0][0]} ... and by {groups[1][0]} ...; give its orientation in one way"
            )
        (parts,) = groups
        given = tuple(self.number(f"{path}.{part}", "", x) for part, x in zip(parts, _orientation_values(parts, pose)))
        if parts is RPY:
            return RigidTransform.from_rpy((0.0, 0.0, 0.0), given[:3]).rows
        if parts is QUATERNION:
            return RigidTransform.from_quaternion((0.0, 0.0, 0.0), given).rows
        return given[:3], given[3:6], given[6:]

    def direction(self, path: str, value: Any) -> Any:
        """Scaled to length one where a part is replaced."""
        new = _visit_vector(self, path, "", value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else _normalized_direction(new)


def _orientation_values(parts: tuple[str, ...], pose: RigidTransform) -> list[Any]:
    return list(rpy_of_rotation(pose.R) if parts is RPY else pose.wxyz if parts is QUATERNION else pose.R.ravel())


def visit_numbers(mech: Any, beams: Mapping[str, Beam], visit: Visitor) -> tuple[dict[str, Any], dict[str, Beam]]:
    """The numeric fields of a mechanism without beams, and the beams of its bodies, as a visitor leaves them."""
    return {
        "gravity": _visit_vector(visit, "gravity", "m/s^2", mech.gravity),
        "base_shapes": _visit_shapes(visit, "base", mech.base_shapes),
        "base_inertia": _visit_inertia(visit, "base", mech.base_inertia),
        "bodies": tuple(_visit_body(visit, body) for body in mech.bodies),
        "joints": tuple(_visit_joint(visit, joint) for joint in mech.joints),
        "loops": tuple(_visit_joint(visit, joint) for joint in mech.loops),
        "open_loops": tuple(_visit_joint(visit, joint) for joint in mech.open_loops),
        "couplings": tuple(_visit_coupling(visit, coupling) for coupling in mech.couplings),
        "forces": tuple(_visit_force(visit, force) for force in mech.forces),
        "frames": tuple(_visit_frame(visit, frame) for frame in mech.frames),
        "actuators": tuple(_visit_actuator(visit, actuator, mech) for actuator in mech.actuators),
        "home": tuple(_visit_home(visit, name, values, mech) for name, values in mech.home),
    }, {name: _visit_beam(visit, f"bodies.{name}.beam", beam) for name, beam in beams.items()}


def unknown_path_error(path: str, known: Mapping[str, Any]) -> ArgumentError:
    """The error about a path that a mechanism has not, with the nearest one it has."""
    section, _, rest = path.partition(".")
    if section in ("actuators", "joints") and path.rpartition(".")[2] in _LIMITS:
        return _missing_limit_error(path, known)
    near = [name for name in known if name.startswith(f"{section}.")] if rest else []
    thing = rest.partition(".")[0]
    own = [name for name in near if name.startswith(f"{section}.{thing}.")]
    return ArgumentError(
        f"'{path}' is not a number of the mechanism{suggest_name(path, (own or near or list(known))[:_MOST_COMPARED])}",
        name=path,
    )


_LIMITS = tuple(each.name for each in fields(Limits))


def _missing_limit_error(path: str, known: Mapping[str, Any]) -> ArgumentError:
    """The error about a limit that the file does not give, or that is looked for at an actuator."""
    limit = path.rpartition(".")[2]
    there = [name for name in known if name.startswith("joints.") and name.endswith(f".limits.{limit}")]
    where = (
        f"such as '{there[0]}'" if there else f"and this one has none; write it at the joint, limits: {{{limit}: ...}}"
    )
    return ArgumentError(f"'{path}' is not a number of the mechanism: limits belong to joints, {where}", name=path)


def _visit_vector(visit: Visitor, path: str, unit: str, values: Any) -> Any:
    return tuple(visit.number(f"{path}.{part}", unit, x) for part, x in zip(XYZ, values, strict=True))


def _visit_row(visit: Visitor, path: str, units: tuple[str, ...], parts: tuple[str, ...], values: Any) -> Any:
    """Values per coordinate or velocity of a joint; one alone needs no name of its own."""
    if len(values) == 1:
        return (visit.number(path, units[0], values[0]),)
    return tuple(visit.number(f"{path}.{p}", u, x) for p, u, x in zip(parts, units, values, strict=False))


def _visit_pose(visit: Visitor, path: str, pose: RigidTransform) -> RigidTransform:
    return RigidTransform(_visit_vector(visit, path, "m", pose.xyz), visit.rows(path, pose))


def _visit_body(visit: Visitor, body: Body) -> Body:
    path = f"bodies.{body.name}"
    inertia = _visit_inertia(visit, path, body.inertia)
    share = visit.number(f"{path}.gravity_compensation", "", body.gravity_compensation)
    return replace(body, inertia=inertia, gravity_compensation=share, shapes=_visit_shapes(visit, path, body.shapes))


def _visit_inertia(visit: Visitor, path: str, inertia: Inertia) -> Inertia:
    mass = visit.number(f"{path}.mass", "kg", inertia.mass)
    com = _visit_vector(visit, f"{path}.com", "m", inertia.com)
    return Inertia(mass, com, _visit_tensor(visit, f"{path}.inertia", inertia.tensor))


def _visit_tensor(visit: Visitor, path: str, tensor: Rows) -> Any:
    """Elements above the diagonal give those below, as a tensor is symmetric."""
    given = {
        (i, j): visit.number(f"{path}.{XYZ[i]}{XYZ[j]}", "kg m^2", tensor[i][j]) for i in range(3) for j in range(i, 3)
    }
    same = {(i, j): given[j, i] is tensor[j][i] for i in range(3) for j in range(i)}
    lower = {ij: tensor[ij[0]][ij[1]] if kept else given[ij[::-1]] for ij, kept in same.items()}
    full = given | lower
    return tuple(tuple(full[i, j] for j in range(3)) for i in range(3))


def _visit_shapes(visit: Visitor, path: str, shapes: tuple[Shape, ...]) -> tuple[Shape, ...]:
    out = []
    for i, shape in enumerate(shapes):
        here, solid = f"{path}.shapes.{i}", shape.solid
        there = f"{here}.{type(solid).__name__.lower()}"
        given = {f.name: getattr(solid, f.name) for f in fields(solid) if f.name not in ("file", "scale")}
        sizes = {name: _visit_shape_size(visit, f"{there}.{name}", value) for name, value in given.items()}
        out.append(replace(shape, solid=replace(solid, **sizes), pose=_visit_pose(visit, f"{here}.at", shape.pose)))
    return tuple(out)


def _visit_shape_size(visit: Visitor, path: str, value: Any) -> Any:
    """A length, a point, or the corners of a plate."""
    if not isinstance(value, tuple):
        return visit.number(path, "m", value)
    if value and isinstance(value[0], tuple):
        return tuple(_visit_shape_size(visit, f"{path}.{i}", point) for i, point in enumerate(value))
    return _visit_vector(visit, path, "m", value)


def _visit_beam(visit: Visitor, path: str, beam: Beam) -> Beam:
    units = {"length": "m", "density": "kg/m", "damping": "s", "gyration": "m"}
    given = {name: visit.number(f"{path}.{name}", unit, getattr(beam, name)) for name, unit in units.items()}
    stiffness: Any = beam.stiffness
    if isinstance(stiffness, tuple):
        parts = [f"{path}.stiffness.{plane}" for plane in beam.planes]
        stiffness = tuple(visit.number(part, "N m^2", x) for part, x in zip(parts, stiffness, strict=False))
    else:
        stiffness = visit.number(f"{path}.stiffness", "N m^2", stiffness)
    return replace(beam, stiffness=stiffness, **given)


def _visit_joint(visit: Visitor, joint: Joint) -> Joint:
    drawn = as_drawn(joint)
    path, kind = f"joints.{drawn.name}", drawn.kind
    new = replace(
        drawn,
        kind=_visit_joint_kind(visit, path, kind),
        at=_visit_pose(visit, f"{path}.at", drawn.at),
        child_at=_visit_pose(visit, f"{path}.child_at", drawn.child_at),
        limits=_visit_limits(visit, f"{path}.limits", drawn.limits, kind),
        spring=_visit_spring(visit, f"{path}.spring", drawn.spring, kind),
        friction=_visit_friction(visit, f"{path}.friction", drawn.friction, kind.velocities),
        armature=_visit_row(
            visit, f"{path}.armature", units_along_parts(kind.velocities, "kg m^2", "kg"), kind.v_parts, drawn.armature
        ),
    )
    return turned_round(new) if joint.reversed else new


def _visit_joint_kind(visit: Visitor, path: str, kind: kinds.JointKind) -> Any:
    """A kind of joint with its directions and lengths."""
    given: dict[str, Any] = {}
    for number in kind.numbers:
        name, value = f"{path}.{number.key}", getattr(kind, number.key)
        given[number.key] = (
            visit.direction(name, value) if number.is_direction else visit.number(name, number.unit, value)
        )
    return kind.with_numbers(given)


def _normalized_direction(direction: tuple[Any, ...]) -> tuple[Any, ...]:
    """A direction of length one; what is one to rounding stays as it is."""
    squared = sum(x * x for x in direction)
    if isinstance(squared, float | int):
        length = math.hypot(*direction)
        return (
            direction
            if abs(length - 1.0) <= WRITTEN_DIGITS or not length > NO_DIRECTION
            else tuple(x / length for x in direction)
        )
    scale = 1.0 / squared**0.5
    return tuple(x * scale for x in direction)


def _visit_limits(visit: Visitor, path: str, limits: Limits, kind: kinds.JointKind) -> Limits:
    q, v = kind.q_parts, kind.v_parts
    cone = limits.cone if limits.cone is None else visit.number(f"{path}.cone", "rad", limits.cone)
    return Limits(
        _visit_row(visit, f"{path}.lower", units_along_parts(kind.coordinates, "rad", "m"), q, limits.lower),
        _visit_row(visit, f"{path}.upper", units_along_parts(kind.coordinates, "rad", "m"), q, limits.upper),
        _visit_row(visit, f"{path}.speed", units_along_parts(kind.velocities, "rad/s", "m/s"), v, limits.speed),
        _visit_row(visit, f"{path}.effort", units_along_parts(kind.velocities, "N m", "N"), v, limits.effort),
        cone,
    )


def _visit_spring(visit: Visitor, path: str, spring: Spring | None, kind: kinds.JointKind) -> Spring | None:
    if spring is None:
        return None
    q, v = kind.q_parts, kind.v_parts
    stiffness = _visit_row(
        visit, f"{path}.stiffness", units_along_parts(kind.velocities, "N m/rad", "N/m"), v, spring.stiffness
    )
    return Spring(
        stiffness, _visit_row(visit, f"{path}.rest", units_along_parts(kind.coordinates, "rad", "m"), q, spring.rest)
    )


def _visit_friction(
    visit: Visitor, path: str, friction: Friction | None, parts: tuple[JointPart, ...]
) -> Friction | None:
    if friction is None:
        return None
    v = tuple(part.name for part in parts)
    viscous = _visit_row(visit, f"{path}.viscous", units_along_parts(parts, "N m s/rad", "N s/m"), v, friction.viscous)
    coulomb = _visit_row(visit, f"{path}.coulomb", units_along_parts(parts, "N m", "N"), v, friction.coulomb)
    slip = "rad/s" if all(part.unit == "rad" for part in parts) else "m/s"
    return Friction(viscous, coulomb, visit.number(f"{path}.slip", slip, friction.slip))


def _visit_coupling(visit: Visitor, coupling: Coupling) -> Coupling:
    path = f"couplings.{coupling.name}"
    terms = tuple((name, visit.number(f"{path}.terms.{name}", "", ratio)) for name, ratio in coupling.terms)
    offset = visit.number(f"{path}.offset", "", coupling.offset)
    curves = tuple(
        (name, tuple(visit.number(f"{path}.curves.{name}.{i}", "", x) for i, x in enumerate(factors)))
        for name, factors in coupling.curves
    )
    return Coupling(coupling.name, terms, offset, curves)


def _visit_force(visit: Visitor, force: ForceElement) -> ForceElement:
    path = f"{force.section}.{force.name}"
    given = {x.key: visit.number(f"{path}.{x.key}", x.unit, value) for x, value in force.given_numbers()}
    points = [_visit_vector(visit, f"{path}.{key}", "m", at) for key, (_, at) in zip(ENDS, force.ends, strict=False)]
    at = iter(points)
    return replace(force, **given).with_ends(lambda body, _: (body, next(at)))  # type: ignore[type-var]


def _visit_frame(visit: Visitor, frame: Frame) -> Frame:
    return replace(frame, pose=_visit_pose(visit, f"frames.{frame.name}.at", frame.pose))


def _visit_actuator(visit: Visitor, actuator: Actuator, mech: Any) -> Actuator:
    path = f"actuators.{actuator.name}"
    joint = next((j for j in (*mech.joints, *mech.loops) if j.name == actuator.joint), None)
    part = () if joint is None else joint.kind.velocities[actuator.dof : actuator.dof + 1]
    units = {"effort": ("N m", "N"), "speed": ("rad/s", "m/s"), "rotor_inertia": ("kg m^2", "kg"), "gear": ("", "")}
    given: dict[str, Any] = {}
    for name, pair in units.items():
        value = getattr(actuator, name)
        unit = units_along_parts(part, *pair)[0] if part else ""
        given[name] = value if value is None else visit.number(f"{path}.{name}", unit, value)
    return replace(actuator, friction=_visit_friction(visit, f"{path}.friction", actuator.friction, part), **given)


def _visit_home(visit: Visitor, name: str, values: Any, mech: Any) -> tuple[str, Any]:
    kind = next((j.kind for j in (*mech.joints, *mech.loops) if j.name == name), kinds.JointKind())
    return name, _visit_row(
        visit, f"home.{name}", units_along_parts(kind.coordinates, "rad", "m"), kind.q_parts, values
    )
