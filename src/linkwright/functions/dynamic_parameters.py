"""The parameters theta that efforts are linear in: those of bodies and force elements, and offsets of actuators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np

from linkwright.algebra.transforms import moments_about_origin
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, JointForce, Role
from linkwright.forces.friction import Friction
from linkwright.forces.rotor import Rotor
from linkwright.functions.setup import Setup
from linkwright.loops.closure import DrivenVelocity
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import TreeJointForce, coordinate_slices, part_names

INERTIAL = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
_INERTIAL_UNITS = ("kg", *3 * ("kg m",), *6 * ("kg m^2",))
_GROUPS = {
    **dict.fromkeys(INERTIAL, "inertial"),
    **dict.fromkeys(("viscous", "coulomb"), "friction"),
    **dict.fromkeys(("stiffness", "preload", "damping"), "spring"),
    "strain": "bending",
}


@dataclass(frozen=True)
class DynamicParameter:
    """A number that efforts are linear in.

    Attributes:
        name: unique, subject and kind joined by a dot.
        kind: m, mx, my, mz (mass, first moments), Ixx to Izz (inertia tensor about the body's origin, body axes),
            viscous, coulomb, rotor, stiffness, preload (stiffness times rest position or length), damping, offset; of
            bending links bending and strain, and of force elements factor, factors of their own; what elements name.
        subject: body, velocity, force element or actuator.
        unit: SI. value: in the mechanism.
    """

    name: str
    kind: str
    subject: str
    unit: str
    value: Any

    @property
    def group(self) -> str:
        """Group of kinds: inertial, friction, rotor, spring, bending or offset."""
        return _GROUPS.get(self.kind, self.kind)


@dataclass(frozen=True, eq=False)
class RegressedForce:
    """A force element with its linear parameters.

    Attributes:
        placed: its velocity and coordinate in the tree; None elsewhere.
        velocity: of a joint along which it acts; None between points.
    """

    element: ForceElement
    parameters: tuple[DynamicParameter, ...]
    placed: TreeJointForce | None = None
    velocity: DrivenVelocity | None = None


def regressed_forces(setup: Setup) -> tuple[RegressedForce, ...]:
    """Force elements in the order of the regressor's columns; actuated velocities always have friction and a rotor."""
    seen: Counter[str] = Counter()
    joints = (found for each in _velocities(setup) for found in _forces_along(setup, *each))
    points = ((x.element, None, None) for x in setup.tree.point_forces)
    return tuple(
        RegressedForce(element, tuple(_parameters(element, seen)), placed, velocity)
        for element, placed, velocity in (*joints, *points)
    )


def _parameters(element: ForceElement, seen: Counter[str]) -> Iterator[DynamicParameter]:
    """Linear parameters of an element; the second of a name along one velocity has a 2 behind it."""
    for each in element.linear_parameters():
        name = f"{element.name}.{each.kind}"
        seen[name] += 1
        number = "" if seen[name] == 1 else str(seen[name])
        yield DynamicParameter(f"{name}{number}", each.kind, element.name, each.unit, each.value)


def _velocities(setup: Setup) -> Iterator[tuple[Joint, int, DrivenVelocity]]:
    """Joints and parts of all velocities, and where they are driven."""
    slices = coordinate_slices(setup.mech.joints)
    for joint in setup.mech.joints:
        first = slices[joint.name][1].start
        yield from ((joint, k, DrivenVelocity(first + k)) for k in range(joint.kind.nv))
    for index, joint in enumerate(setup.mech.loops):
        yield from ((joint, k, DrivenVelocity(None, index, k)) for k in range(joint.kind.nv))


Located = tuple[JointForce, TreeJointForce | None, DrivenVelocity]


def _forces_along(setup: Setup, joint: Joint, part: int, velocity: DrivenVelocity) -> list[Located]:
    """Elements along one velocity by their roles."""
    tree = setup.tree
    outside = [x for cut in tree.cut_joints if cut.name == joint.name for x in cut.forces]
    found: list[tuple[JointForce, TreeJointForce | None]] = [(x, None) for x in outside]
    found += [(x.element, x) for x in tree.joint_forces if x.element.joint == joint.name]
    found = [(x, placed) for x, placed in found if x.part == part]
    driven = any((x.joint, x.dof) == (joint.name, part) for x in setup.mech.actuators) or velocity in setup.drives
    if driven:
        at = (part_names((joint,), speeds=True)[part], joint.name, part, joint.kind.velocities[part].unit == "rad")
        known = {type(x) for x, _ in found}
        empty = [x for x in (*Friction().forces_along(*at), Rotor(*at)) if type(x) not in known]
        found += [(x, None if velocity.speed is None else TreeJointForce(velocity.speed, None, x)) for x in empty]
    found.sort(key=lambda pair: get_args(Role).index(pair[0].role))
    return [(x, placed, velocity) for x, placed in found]


def dynamic_parameters(setup: Setup) -> tuple[DynamicParameter, ...]:
    """Names, units and values of theta, in the order of the regressor's columns."""
    forces = (x for force in regressed_forces(setup) for x in force.parameters)
    return (*_of_bodies(setup), *forces, *_actuator_offsets(setup))


def _of_bodies(setup: Setup) -> Iterator[DynamicParameter]:
    """Ten inertial parameters of every body, then inertia in bending of every bending link."""
    for body in setup.mech.bodies:
        own = moments_about_origin(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.tensor))
        J = own.J
        values = (own.m, *own.h, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])
        for kind, unit, value in zip(INERTIAL, _INERTIAL_UNITS, values, strict=True):
            yield DynamicParameter(f"{body.name}.{kind}", kind, body.name, unit, value)
    for i, _ in setup.tree.beams:
        name = setup.tree.links[i].name
        yield DynamicParameter(f"{name}.bending", "bending", name, "1", 1.0)


def _actuator_offsets(setup: Setup) -> Iterator[DynamicParameter]:
    parts = {velocity: joint.kind.velocities[part] for joint, part, velocity in _velocities(setup)}
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        yield DynamicParameter(f"{name}.offset", "offset", name, "N m" if parts[drive].unit == "rad" else "N", 0.0)
