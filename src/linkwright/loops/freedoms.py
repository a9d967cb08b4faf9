"""What a cut joint still allows: its value, and the generalized force of an effort along it (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.loops.ends import Loop
from linkwright.loops.meeting import Meeting
from linkwright.mechanism import joints as kinds

_O = np.zeros(3)
_X, _Y, _Z = np.eye(3)


def joint_value(loop: Loop, meet: Meeting) -> Vec:
    """Coordinates of a cut joint as if it were in the tree; angles between -pi and pi. Quaternions are not given."""
    Q, d = (meet.Q.T, -(meet.Q.T @ meet.d)) if loop.flipped else (meet.Q, meet.d)
    angle = np.arctan2(Q[1, 0], Q[0, 0])
    match loop.kind:
        case kinds.Revolute() | kinds.Screw():
            return np.array([angle])
        case kinds.Prismatic():
            return np.array([d[2]])
        case kinds.Cylindrical():
            return np.array([angle, d[2]])
        case kinds.Planar():
            return np.array([d[0], d[1], angle])
        case _:
            return np.zeros(0)


def effort_covectors(loop: Loop, meet: Meeting) -> list[tuple[Vec, Vec]]:
    """Per speed of a cut joint the covector (n, f) on the relative velocity that extracts it, near axes.

    The generalized force of an effort along that speed is the effort times this covector, carried to the tree.
    """
    sign = -1.0 if loop.flipped else 1.0
    turn, slide = (sign * _Z, _O), (_O, sign * _Z)
    match loop.kind:
        case kinds.Revolute() | kinds.Screw():
            return [turn]
        case kinds.Prismatic():
            return [slide]
        case kinds.Cylindrical():
            return [turn, slide]
        case kinds.Universal(first, second):
            return _universal(loop, meet, float(np.dot(first, second)), sign)
        case kinds.Spherical():
            axes = np.eye(3) if loop.flipped else meet.Q
            return [(sign * axes[:, i], _O) for i in range(3)]
        case kinds.Planar():
            axes = meet.Q if loop.flipped else np.eye(3)
            return [(_O, sign * axes[:, 0]), (_O, sign * axes[:, 1]), turn]
        case _:
            return []


def _universal(loop: Loop, meet: Meeting, cosine: float, sign: float) -> list[tuple[Vec, Vec]]:
    """Dual directions of the two axes, which stand at a constant angle."""
    near, far = _Z, meet.Q @ _Z
    scale: Any = sign / (1.0 - cosine * cosine)
    along_near, along_far = scale * (near - cosine * far), scale * (far - cosine * near)
    pair = [(along_near, _O), (along_far, _O)]
    return pair[::-1] if loop.flipped else pair
