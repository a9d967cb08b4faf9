"""A mechanism with other dynamic parameters: the way back from theta to inertias, friction, rotors and springs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.forces import ForceElement, Friction, Spring
from linkwright.forces.element import PartForce
from linkwright.functions.loop.regressor_functions import INERTIAL, RegressedForce, regressed_forces
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Actuator, Body, Inertia, Joint
from linkwright.model import Model

Array = np.ndarray


def mechanism_with(model: Model, theta: Array) -> Mechanism:
    """The mechanism of a model with other values of all its dynamic parameters, (n_theta,).

    Friction goes to the joint where it has some, else to the actuator or, where neither has, to the joint; rotors to
    the actuator where there is one, else to the joint's armature. Offsets of actuators are not part of a mechanism.
    """
    mech, records = model.mechanism, model.regressor_parameters
    new = dict(zip(records.names, np.asarray(theta, dtype=float).tolist(), strict=True))
    old = dict(zip(records.names, records.values.tolist(), strict=True))
    changed = {name: x - old[name] for name, x in new.items() if x != old[name]}
    bodies = tuple(_body_with_values(body, new, changed) for body in mech.bodies)
    forces = tuple(_force_with_values(force, new, changed) for force in mech.forces)
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    actuators = {each.name: each for each in mech.actuators}
    for force in regressed_forces(model.kernels.here):
        if isinstance(force.element, PartForce) and any(x.name in changed for x in force.parameters):
            _change_velocity_terms(force.element, force, new, changed, joints, actuators)
    return replace(
        mech,
        bodies=bodies,
        joints=tuple(joints[joint.name] for joint in mech.joints),
        loops=tuple(joints[joint.name] for joint in mech.loops),
        actuators=tuple(actuators[each.name] for each in mech.actuators),
        forces=forces,
    )


def inertia_of(phi: Array) -> Inertia:
    """The inertia of ten parameters about the body's origin."""
    m, h = float(phi[0]), np.asarray(phi[1:4])
    xx, xy, xz, yy, yz, zz = phi[4:]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m == 0.0:
        if np.any(h):
            raise ArgumentError("a body has no mass but a first moment; estimate with method='consistent'")
        return Inertia(0.0, (0.0, 0.0, 0.0), tuple(map(tuple, J.tolist())))  # type: ignore[arg-type]
    c = h / m
    J = J - m * (c @ c * np.eye(3) - np.outer(c, c))
    return Inertia(m, tuple(c.tolist()), tuple(map(tuple, J.tolist())))  # type: ignore[arg-type]


def _body_with_values(body: Body, new: Mapping[str, float], changed: Mapping[str, float]) -> Body:
    names = [f"{body.name}.{kind}" for kind in INERTIAL]
    if not any(name in changed for name in names):
        return body
    return replace(body, inertia=inertia_of(np.array([new[name] for name in names])))


def _force_with_values(force: ForceElement, new: Mapping[str, float], changed: Mapping[str, float]) -> ForceElement:
    names = {each.kind: f"{force.name}.{each.kind}" for each in force.linear_parameters()}
    if not set(names.values()) & changed.keys():
        return force
    return force.with_parameters({kind: new[name] for kind, name in names.items()})


def _change_velocity_terms(
    element: PartForce,
    force: RegressedForce,
    new: Mapping[str, float],
    changed: Mapping[str, float],
    joints: dict[str, Joint],
    actuators: dict[str, Actuator],
) -> None:
    """Put the changes of one element's parameters into its joint or its actuator."""
    joint, k, n = joints[element.joint], element.part, joints[element.joint].kind.nv
    mover = next((x for x in actuators.values() if (x.joint, x.dof) == (joint.name, k)), None)
    change = {x.kind: changed.get(x.name, 0.0) for x in force.parameters}
    if element.role == "dissipative":
        added = change.get("viscous", 0.0), change.get("coulomb", 0.0)
        own, other = joint.friction, None if mover is None else mover.friction
        elsewhere = own is not None and getattr(element, "slip", own.slip) != own.slip
        if mover is not None and other is not None and (own is None or elsewhere):
            actuators[mover.name] = replace(mover, friction=_friction_with_values(other, 0, 1, *added))
        else:
            joint = replace(joint, friction=_friction_with_values(own or Friction(), k, n, *added))
    elif element.role == "inertia" and mover is not None:
        inertia = mover.rotor_inertia + change["rotor"] / mover.gear**2
        actuators[mover.name] = replace(mover, rotor_inertia=inertia)
    elif element.role == "inertia":
        joint = replace(joint, armature=_add_to_component(joint.armature, k, n, change["rotor"]))
    elif joint.spring is not None:
        joint = replace(joint, spring=_spring_with_values(joint.spring, k, n, new, element.name))
    joints[joint.name] = joint


def _friction_with_values(friction: Friction, k: int, n: int, viscous: float, coulomb: float) -> Friction:
    return replace(
        friction,
        viscous=_add_to_component(friction.viscous, k, n, viscous) if viscous else friction.viscous,
        coulomb=_add_to_component(friction.coulomb, k, n, coulomb) if coulomb else friction.coulomb,
    )


def _spring_with_values(spring: Spring, k: int, n: int, new: Mapping[str, float], name: str) -> Spring:
    stiffness, preload = new[f"{name}.stiffness"], new[f"{name}.preload"]
    if not stiffness:
        raise ArgumentError(f"the spring at '{name}' has a preload and no stiffness; leave one of them known")
    rest = _add_to_component(spring.rest, k, n, preload / stiffness - (spring.rest[k] if spring.rest else 0.0))
    return Spring(_add_to_component(spring.stiffness, k, n, stiffness - spring.stiffness[k]), rest)


def _add_to_component(values: tuple[float, ...], k: int, n: int, change: float) -> tuple[float, ...]:
    """The values, zeros where there are none, with one of them changed."""
    out = list(values) or [0.0] * n
    out[k] += change
    return tuple(out)
