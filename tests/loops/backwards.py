"""The same mechanism with every joint drawn from child to parent."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.joints import Floating, JointKind, Planar, Spherical, Universal
from linkwright.mechanism import Mechanism
from linkwright.mechanism.topology import turned_round

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])


def drawn_backwards(mech: Mechanism) -> Mechanism:
    """The mechanism with every joint drawn the other way: the same tree, coordinates those of the new drawing.

    The bodies of a tree joint stay, and it becomes the reverse of what is drawn now; a cut joint is drawn anew.
    """
    kinds = {joint.name: joint.kind for joint in (*mech.joints, *mech.loops)}
    return replace(
        mech,
        joints=tuple(replace(joint, reversed=True) for joint in mech.joints),
        loops=tuple(replace(turned_round(joint), reversed=False) for joint in mech.loops),
        actuators=tuple(replace(a, dof=_dof(kinds[a.joint], a.dof)) for a in mech.actuators),
        home=tuple((name, tuple(map(float, inverse(kinds[name], np.array(x))))) for name, x in mech.home),
    )


def _dof(kind: JointKind, dof: int) -> int:
    if isinstance(kind, Planar | Spherical | Floating):
        raise NotImplementedError(kind)
    return 1 - dof if isinstance(kind, Universal) else dof


def inverse(kind: JointKind, q: np.ndarray) -> np.ndarray:
    """Coordinates of a joint drawn the other way; axes are negated, so those of one axis stay."""
    match kind:
        case Universal():
            return q[::-1]
        case Spherical():
            return CONJUGATE * q
        case Planar():
            c, s = np.cos(q[2]), np.sin(q[2])
            return np.array([-c * q[0] - s * q[1], s * q[0] - c * q[1], -q[2]])
        case Floating():
            w, x = q[3], q[4:]
            r = q[:3] + 2.0 * np.cross(-x, np.cross(-x, q[:3]) + w * q[:3])
            return np.concatenate([-r, CONJUGATE * q[3:]])
        case _:
            return q
