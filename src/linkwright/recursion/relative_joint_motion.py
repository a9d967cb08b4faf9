"""Relative pose and motion of the two frames of a joint, in the first frame's axes (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rigid_transform import RigidTransform
from linkwright.algebra.vectors import Vec, cross_product, spin_acceleration_matrix
from linkwright.dataclass import dataclass
from linkwright.joints.relative_pose import RelativeMotion, RelativePose
from linkwright.recursion.frame_poses import FramePose
from linkwright.recursion.twist_recursion import Motion


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


def frame_motion(state: Motion, link: int, at: RigidTransform) -> FrameMotion:
    """The motion of a frame that stands at `at` in a link (-1: the base)."""
    t, t_dot = state.t[link], state.t_dot[link]
    R_T, r = at.R.T, at.r
    vel = t[3:] + cross_product(t[:3], r)
    acc = t_dot[3:] + spin_acceleration_matrix(t[:3], t_dot[:3]) @ r
    return FrameMotion(R_T @ t[:3], R_T @ vel, R_T @ t_dot[:3], R_T @ acc)


def relative_motion(pose: RelativePose, first: FrameMotion, second: FrameMotion, point: bool = False) -> RelativeMotion:
    """Relative velocity and acceleration; uniform gravity cancels. `point`: the two origins stay together."""
    w_f = pose.Q @ second.omega
    omega = w_f - first.omega
    alpha = pose.Q @ second.alpha + cross_product(omega, w_f) - first.alpha
    acc = pose.Q @ second.acc - first.acc
    if point:
        return RelativeMotion(omega, np.zeros(3), alpha, acc)
    vel = pose.Q @ second.vel - first.vel - cross_product(first.omega, pose.d)
    acc = acc - spin_acceleration_matrix(first.omega, first.alpha) @ pose.d - 2.0 * cross_product(first.omega, vel)
    return RelativeMotion(omega, vel, alpha, acc)
