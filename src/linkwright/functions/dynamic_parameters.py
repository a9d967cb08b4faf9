"""The parameters theta that efforts are linear in: inertias, friction, rotors, springs and offsets of a mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwright.algebra.moments import moments
from linkwright.dataclass import dataclass
from linkwright.forces import Friction
from linkwright.forces.element import JointForce
from linkwright.functions.setup import Setup, part_names
from linkwright.loops.efforts import DrivenVelocity
from linkwright.mechanism.records import Actuator, Joint
from linkwright.mechanism.tree import Passive, coordinate_slices

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
class VelocityTerms:
    """A velocity of a joint with the parameters it has: friction, rotor, spring.

    Attributes:
        name: of the velocity. joint: its joint; part: which of the joint's velocities.
        at: index in v, or loop and part of a joint outside the tree.
        turns: whether it turns, else it slides.
        dry: pairs of Coulomb force and slip speed, () without friction.
        viscous, rotor: coefficient and inertia; None without.
        spring: stiffness and rest position; None without.
        elements: further force elements that act along it.
    """

    name: str
    joint: str
    part: int
    at: DrivenVelocity
    turns: bool
    dry: tuple[tuple[Any, Any], ...]
    viscous: Any
    rotor: Any
    spring: tuple[Any, Any] | None
    elements: tuple[JointForce, ...] = ()

    def parameters(self) -> Iterator[DynamicParameter]:
        """Names and values in the order of the columns: viscous, Coulomb, rotor, stiffness, preload."""
        effort, angle = ("N m", "rad") if self.turns else ("N", "m")
        if self.dry:
            yield self._named("viscous", f"{effort} s/{angle}", self.viscous)
            for i, (coulomb, _) in enumerate(self.dry):
                yield self._named("coulomb", effort, coulomb, "" if not i else str(i + 1))
        if self.rotor is not None:
            yield self._named("rotor", "kg m^2" if self.turns else "kg", self.rotor)
        if self.spring is not None:
            stiffness, rest = self.spring
            yield self._named("stiffness", f"{effort}/{angle}", stiffness)
            yield self._named("preload", effort, stiffness * rest)

    def _named(self, kind: str, unit: str, value: Any, number: str = "") -> DynamicParameter:
        return DynamicParameter(f"{self.name}.{kind}{number}", kind, self.name, unit, value)


def velocity_terms(setup: Setup) -> tuple[VelocityTerms, ...]:
    """Velocities that have parameters: every actuated one, and those whose joint has friction, armature or a spring."""
    mech, passive = setup.mech, setup.tree.passive
    cuts = {cut.name: cut.passive for cut in setup.tree.cut_joints}
    slices = coordinate_slices(mech.joints)
    out: list[VelocityTerms] = []
    for joint in mech.joints:
        if not joint.kind.is_of_beam:
            first = slices[joint.name][1].start
            located = [DrivenVelocity(first + k) for k in range(joint.kind.nv)]
            out += _terms(setup, joint, passive, located, first)
    for index, joint in enumerate(mech.loops):
        located = [DrivenVelocity(None, index, k) for k in range(joint.kind.nv)]
        out += _terms(setup, joint, cuts.get(joint.name), located, 0)
    return tuple(out)


def _terms(
    setup: Setup, joint: Joint, passive: Passive | None, located: list[DrivenVelocity], first: int
) -> Iterator[VelocityTerms]:
    turning = [part.unit == "rad" for part in joint.kind.velocities]
    names = part_names((joint,), speeds=True)
    for k, (name, at) in enumerate(zip(names, located, strict=True)):
        drives = [each for each in setup.mech.actuators if (each.joint, each.dof) == (joint.name, k)]
        driven = bool(drives) or at in setup.drives
        d = first + k
        dry = _dry(joint, drives, passive, d) if driven or joint.friction is not None else ()
        viscous, rotor = (0.0, 0.0) if passive is None else (passive.viscous[d], passive.rotor[d])
        spring = None
        if joint.spring is not None and passive is not None:
            spring = (passive.stiffness[d], passive.rest[d])
        turned = driven or bool(joint.armature)
        own = () if passive is None else tuple(each.element for each in passive.elements if each.speed == d)
        rotor = rotor if turned else None
        yield VelocityTerms(name, joint.name, k, at, turning[k], dry, viscous, rotor, spring, own)


def _dry(joint: Joint, drives: list[Actuator], passive: Passive | None, d: int) -> tuple[tuple[Any, Any], ...]:
    rubs = joint.friction is not None or any(each.friction is not None for each in drives)
    return tuple(passive.dry(d)) if rubs and passive is not None else ((0.0, Friction().slip),)


def dynamic_parameters(setup: Setup) -> tuple[DynamicParameter, ...]:
    """Names, units and values of theta, in the order of the regressor's columns."""
    joints = (x for term in velocity_terms(setup) for x in term.parameters())
    return (*_of_bodies(setup), *joints, *_of_elements(setup), *_offsets(setup))


def _of_bodies(setup: Setup) -> Iterator[DynamicParameter]:
    """Ten inertial parameters of every body, then inertia in bending and strain of every bending link."""
    for body in setup.mech.bodies:
        own = moments(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.tensor))
        J = own.J
        values = (own.m, *own.h, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2])
        for kind, unit, value in zip(INERTIAL, _INERTIAL_UNITS, values, strict=True):
            yield DynamicParameter(f"{body.name}.{kind}", kind, body.name, unit, value)
    for i, _ in setup.tree.beams:
        name = setup.tree.links[i].name
        for kind in ("bending", "strain"):
            yield DynamicParameter(f"{name}.{kind}", kind, name, "1", 1.0)


def _of_elements(setup: Setup) -> Iterator[DynamicParameter]:
    """Linear parameters of force elements, those at joints as in `velocity_terms`, then those between points."""
    at_joints = [element for term in velocity_terms(setup) for element in term.elements]
    for force in (*at_joints, *(x.element for x in setup.tree.point_forces)):
        for each in force.linear_parameters():
            yield DynamicParameter(f"{force.name}.{each.kind}", each.kind, force.name, each.unit, each.value)


def _offsets(setup: Setup) -> Iterator[DynamicParameter]:
    turning = {term.at: term.turns for term in velocity_terms(setup)}
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        yield DynamicParameter(f"{name}.offset", "offset", name, "N m" if turning[drive] else "N", 0.0)
