"""A mechanism with other dynamic parameters: the way back from theta to inertias, friction, rotors and springs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.forces import ForceElement, Friction, Spring
from linkwright.functions.dynamic_parameters import INERTIAL, VelocityTerms, velocity_terms
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
    bodies = tuple(_body(body, new, changed) for body in mech.bodies)
    forces = tuple(_force(force, new, changed) for force in mech.forces)
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    actuators = {each.name: each for each in mech.actuators}
    for term in velocity_terms(model.kernels.here):
        _change(term, new, changed, joints, actuators)
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


def _body(body: Body, new: Mapping[str, float], changed: Mapping[str, float]) -> Body:
    names = [f"{body.name}.{kind}" for kind in INERTIAL]
    if not any(name in changed for name in names):
        return body
    return replace(body, inertia=inertia_of(np.array([new[name] for name in names])))


def _force(force: ForceElement, new: Mapping[str, float], changed: Mapping[str, float]) -> ForceElement:
    names = {each.kind: f"{force.name}.{each.kind}" for each in force.linear_parameters()}
    if not set(names.values()) & changed.keys():
        return force
    return force.with_parameters({kind: new[name] for kind, name in names.items()})


def _change(
    term: VelocityTerms,
    new: Mapping[str, float],
    changed: Mapping[str, float],
    joints: dict[str, Joint],
    actuators: dict[str, Actuator],
) -> None:
    """Put the changes of one velocity's parameters into its joint and its actuator."""
    joint, k, n = joints[term.joint], term.part, joints[term.joint].kind.nv
    mover = next((x.name for x in actuators.values() if (x.joint, x.dof) == (term.joint, k)), None)
    for i, (_, slip) in enumerate(term.dry):
        number = "" if not i else str(i + 1)
        viscous = changed.get(f"{term.name}.viscous", 0.0) if not i else 0.0
        coulomb = changed.get(f"{term.name}.coulomb{number}", 0.0)
        if not (viscous or coulomb):
            continue
        own = None if mover is None else actuators[mover].friction
        if joint.friction is None and mover is not None and own is not None:
            actuators[mover] = replace(actuators[mover], friction=_rubbing(own, 0, 1, viscous, coulomb))
        elif joint.friction is not None and joint.friction.slip != slip and mover is not None and own is not None:
            actuators[mover] = replace(actuators[mover], friction=_rubbing(own, 0, 1, 0.0, coulomb))
            joint = replace(joint, friction=_rubbing(joint.friction, k, n, viscous, 0.0))
        else:
            joint = replace(joint, friction=_rubbing(joint.friction or Friction(), k, n, viscous, coulomb))
    rotor = changed.get(f"{term.name}.rotor", 0.0)
    if rotor and mover is not None:
        each = actuators[mover]
        actuators[mover] = replace(each, rotor_inertia=each.rotor_inertia + rotor / each.gear**2)
    elif rotor:
        joint = replace(joint, armature=_added(joint.armature, k, n, rotor))
    if joint.spring is not None and {f"{term.name}.stiffness", f"{term.name}.preload"} & changed.keys():
        joint = replace(joint, spring=_spring(joint.spring, k, n, new, term.name))
    joints[term.joint] = joint


def _rubbing(friction: Friction, k: int, n: int, viscous: float, coulomb: float) -> Friction:
    return replace(
        friction,
        viscous=_added(friction.viscous, k, n, viscous) if viscous else friction.viscous,
        coulomb=_added(friction.coulomb, k, n, coulomb) if coulomb else friction.coulomb,
    )


def _spring(spring: Spring, k: int, n: int, new: Mapping[str, float], name: str) -> Spring:
    stiffness, preload = new[f"{name}.stiffness"], new[f"{name}.preload"]
    if not stiffness:
        raise ArgumentError(f"the spring at '{name}' has a preload and no stiffness; leave one of them known")
    rest = _added(spring.rest, k, n, preload / stiffness - (spring.rest[k] if spring.rest else 0.0))
    return Spring(_added(spring.stiffness, k, n, stiffness - spring.stiffness[k]), rest)


def _added(values: tuple[float, ...], k: int, n: int, change: float) -> tuple[float, ...]:
    """The values, zeros where there are none, with one of them changed."""
    out = list(values) or [0.0] * n
    out[k] += change
    return tuple(out)
