"""Relative pose and motion of the two frames of a joint, in the first frame's axes (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.pose import RigidTransform
from linkwright.algebra.vectors import Mat, Vec, cross, spin_rate
from linkwright.dataclass import dataclass
from linkwright.recursion.frame_poses import FramePose
from linkwright.recursion.motion import Motion


@dataclass(frozen=True, eq=False)
class RelativePose:
    """Second frame seen from the first: axes Q (columns), origin d [m]."""

    Q: Mat
    d: Vec


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """Relative motion in the first frame's axes: omega, vel and the rates alpha, acc of their components."""

    omega: Vec
    vel: Vec
    alpha: Vec
    acc: Vec


@dataclass(frozen=True, eq=False)
class FrameMotion:
    """Angular and linear velocity, angular and linear acceleration of a frame's origin, the frame's own axes."""

    omega: Vec
    vel: Vec
    alpha: Vec
    acc: Vec


def relative_pose(first: FramePose, second: FramePose) -> RelativePose:
    """Pose of the second frame in the first."""
    return RelativePose(first.R.T @ second.R, first.R.T @ (second.r - first.r))


def closed_pose(kind: kinds.JointKind, pose: RelativePose) -> RelativePose:
    """The pose with what a closed joint makes zero or one written as such, which costs fewer operations."""
    Q, d = pose.Q, np.zeros(3) if kind.keeps_origin else pose.d
    if kind.keeps_orientation:
        Q = np.eye(3)
    elif kind.keeps_axis:
        Q = np.array([[Q[0, 0], -Q[1, 0], 0.0], [Q[1, 0], Q[0, 0], 0.0], [0.0, 0.0, 1.0]])
    return RelativePose(Q, d)


def frame_motion(state: Motion, link: int, at: RigidTransform) -> FrameMotion:
    """The motion of a frame that stands at `at` in a link (-1: the base)."""
    t, t_dot = state.t[link], state.t_dot[link]
    R_T, r = at.R.T, at.r
    vel = t[3:] + cross(t[:3], r)
    acc = t_dot[3:] + spin_rate(t[:3], t_dot[:3]) @ r
    return FrameMotion(R_T @ t[:3], R_T @ vel, R_T @ t_dot[:3], R_T @ acc)


def relative_motion(pose: RelativePose, first: FrameMotion, second: FrameMotion, point: bool = False) -> RelativeMotion:
    """Relative velocity and acceleration; uniform gravity cancels. `point`: the two origins stay together."""
    w_f = pose.Q @ second.omega
    omega = w_f - first.omega
    alpha = pose.Q @ second.alpha + cross(omega, w_f) - first.alpha
    acc = pose.Q @ second.acc - first.acc
    if point:
        return RelativeMotion(omega, np.zeros(3), alpha, acc)
    vel = pose.Q @ second.vel - first.vel - cross(first.omega, pose.d)
    acc = acc - spin_rate(first.omega, first.alpha) @ pose.d - 2.0 * cross(first.omega, vel)
    return RelativeMotion(omega, vel, alpha, acc)
