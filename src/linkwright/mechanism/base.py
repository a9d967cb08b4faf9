"""A robot on the floor or free in space: the same mechanism with a fixed or a floating base."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.joints import Fixed, Floating
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Body, Inertia, Joint

BASES = ("fixed", "floating")
FLOATING_JOINT = "floating_base"


def with_floating_base(mech: Mechanism) -> Mechanism:
    """The mechanism whose base is a body that floats in a world; unchanged if all that it carries floats already.

    The base keeps its name, and gets its inertia and shapes; the floating joint comes first, so that q begins with the
    base's position and quaternion.

    >>> from linkwright import catalog
    >>> free = with_floating_base(catalog.load("three-link-arm"))
    >>> free.base, free.joints[0].name, free.names[0]
    ('world', 'floating_base', 'ground')
    """
    carried = [joint for joint in mech.joints if joint.parent == mech.base]
    if carried and all(joint.kind.floats for joint in carried):
        return mech
    taken = {mech.base, *mech.names, *(frame.name for frame in mech.frames)}
    world = next(name for name in ("world", "universe", *(f"world{i}" for i in range(len(taken)))) if name not in taken)
    named = {joint.name for joint in (*mech.joints, *mech.loops, *mech.open_loops)}
    joint = next(n for n in (FLOATING_JOINT, *(f"{FLOATING_JOINT}{i}" for i in range(len(named)))) if n not in named)
    return replace(
        mech,
        bodies=(Body(mech.base, mech.base_inertia, mech.base_shapes), *mech.bodies),
        joints=(Joint(joint, world, mech.base, Floating()), *mech.joints),
        base=world,
        base_inertia=Inertia(),
        base_shapes=(),
    )


def with_fixed_base(mech: Mechanism) -> Mechanism:
    """The mechanism whose floating bodies stand still where its home has them; unchanged if none floats on the base."""
    home = dict(mech.home)
    floating = [joint for joint in mech.joints if joint.parent == mech.base and joint.kind.floats]
    held = {
        joint.name: replace(joint, kind=Fixed(), at=joint.at @ _floating_joint_pose(home.get(joint.name)))
        for joint in floating
    }
    plain = {name: Joint(name, j.parent, j.child, j.kind, j.at, j.child_at) for name, j in held.items()}
    return replace(
        mech,
        joints=tuple(plain.get(joint.name, joint) for joint in mech.joints),
        home=tuple((name, values) for name, values in mech.home if name not in plain),
        actuators=tuple(actuator for actuator in mech.actuators if actuator.joint not in plain),
    )


def _floating_joint_pose(values: tuple[float, ...] | None) -> RigidTransform:
    """Relative pose of a floating joint at its coordinates."""
    return IDENTITY if values is None else RigidTransform.from_quaternion(np.array(values[:3]), values[3:])
