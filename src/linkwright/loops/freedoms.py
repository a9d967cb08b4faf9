"""Freedoms of a cut joint: its value, and the generalized force of an effort along it (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.sums import plain
from linkwright.algebra.vectors import Mat, Vec, cross
from linkwright.loops.frames import Loop
from linkwright.recursion.relative import RelativePose

_O = np.zeros(3)
_X, _Y, _Z = np.eye(3)


def joint_value(loop: Loop, pose: RelativePose) -> Vec:
    """Coordinates of a cut joint as if it were in the tree; angles between -pi and pi, of a screw over many turns.

    Quaternions are not given: a spherical joint has no coordinates here, a floating one its position only.
    """
    Q, d = (pose.Q.T, -(pose.Q.T @ pose.d)) if loop.flipped else (pose.Q, pose.d)
    angle = np.arctan2(Q[1, 0], Q[0, 0])
    match loop.kind:
        case kinds.Screw(_, pitch) if pitch:
            return np.array([d[2] * (1.0 / pitch)])
        case kinds.Revolute() | kinds.Screw():
            return np.array([angle])
        case kinds.Prismatic():
            return np.array([d[2]])
        case kinds.Cylindrical():
            return np.array([angle, d[2]])
        case kinds.Planar():
            return np.array([d[0], d[1], angle])
        case kinds.Universal():
            return _universal_angles(Q, loop.kind.turn_between)
        case kinds.Floating():
            return d
        case _:
            return np.zeros(0)


def _universal_angles(Q: Mat, B: Mat) -> Vec:
    """The angles of Q = R_z(first) B R_z(second): how far the last column of B is turned, and its last row back."""
    first = np.arctan2(B[0, 2] * Q[1, 2] - B[1, 2] * Q[0, 2], B[0, 2] * Q[0, 2] + B[1, 2] * Q[1, 2])
    second = np.arctan2(B[2, 1] * Q[2, 0] - B[2, 0] * Q[2, 1], B[2, 0] * Q[2, 0] + B[2, 1] * Q[2, 1])
    return np.array([first, second])


def effort_covectors(loop: Loop, pose: RelativePose) -> list[tuple[Vec, Vec]]:
    """Per velocity of a cut joint the covector (n, f) on the relative velocity that extracts it, near axes.

    The generalized force of an effort along it is the effort times this covector, carried to the tree. Velocities are
    those of the drawn child's frame relative to the drawn parent. Written on the child's side (`flipped`), the velocity
    of the child's origin in the parent is omega x d - vel, and a force along it has the moment n = d x direction too;
    of the sliding joints only planar and floating ones have a travel d that leaves their direction.
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
            return _universal(loop, pose, plain(np.dot(first, second)), sign)
        case kinds.Spherical():
            axes = np.eye(3) if loop.flipped else pose.Q
            return [(sign * axes[:, i], _O) for i in range(3)]
        case kinds.Planar():
            axes = pose.Q if loop.flipped else np.eye(3)
            return [*(_travel(loop, pose, axes[:, i]) for i in range(2)), turn]
        case kinds.Floating():
            axes = np.eye(3) if loop.flipped else pose.Q
            turns = [(sign * axes[:, i], _O) for i in range(3)]
            return [*turns, *(_travel(loop, pose, axes[:, i]) for i in range(3))]
        case _:
            return []


def _travel(loop: Loop, pose: RelativePose, along: Vec) -> tuple[Vec, Vec]:
    """The covector of the velocity of the drawn child's origin in the drawn parent, along a direction in near axes."""
    return (cross(pose.d, along), -along) if loop.flipped else (_O, along)


def _universal(loop: Loop, pose: RelativePose, cosine: Any, sign: float) -> list[tuple[Vec, Vec]]:
    """Dual directions of the two axes, which stand at a constant angle."""
    near, far = _Z, pose.Q @ _Z
    scale: Any = sign / (1.0 - cosine * cosine)
    along_near, along_far = scale * (near - cosine * far), scale * (far - cosine * near)
    pair = [(along_near, _O), (along_far, _O)]
    return pair[::-1] if loop.flipped else pair
