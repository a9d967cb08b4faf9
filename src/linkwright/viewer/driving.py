"""Which joints the actuators of a model drive."""

from __future__ import annotations

from linkwright.mechanism.records import Joint
from linkwright.model import Model

_SLIDING = ("length", "x", "y", "z")


def driven_joints(model: Model) -> list[tuple[Joint, int]]:
    """The joint behind every actuator and which of its velocities is driven."""
    mech = model.mechanism
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    named = {actuator.name: (actuator.joint, actuator.dof) for actuator in mech.actuators}
    out = []
    for name in model.actuated:
        if name in named:
            joint, dof = named[name]
            out.append((joints[joint], dof))
        elif name in joints:
            out.append((joints[name], 0))
        else:
            joint, _, part = name.rpartition(".")
            out.append((joints[joint], joints[joint].kind.v_parts.index(part)))
    return out


def is_turning(joint: Joint, dof: int) -> bool:
    """Return True if a velocity of a joint is an angular one."""
    return joint.kind.v_parts[dof] not in _SLIDING
