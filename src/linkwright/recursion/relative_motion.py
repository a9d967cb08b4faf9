"""Link frames chained in one another, and relative motion of the two frames of a joint (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.transforms import RigidTransform, Transform
from linkwright.algebra.vectors import Mat, Vec, cross_product, reproducible_product, spin_acceleration_matrix
from linkwright.dataclass import dataclass
from linkwright.joints.motion_terms import RelativeMotion, RelativePose
from linkwright.mechanism.tree import Tree
from linkwright.recursion.twist_recursion import Motion

# --- link frames chained in the world or in another link, from the transforms between them (any scalar) ---------------


@dataclass(frozen=True, eq=False)
class FramePose:
    """Origin r [m] and axes R (columns) in the world."""

    r: Vec
    R: Mat


WORLD = FramePose(np.zeros(3), np.eye(3))


def chained_poses(tree: Tree, A: list[Transform], top: int = -1) -> list[FramePose]:
    """Poses of all link frames in the world (theory 2.10), or of those beyond a link `top` in its frame."""
    poses: list[FramePose] = [WORLD] * (len(tree.links) + 1)
    for i in tree.outward if top < 0 else tree.beyond(top):
        k = tree.parent[i]
        poses[i] = FramePose(
            poses[k].r + reproducible_product(poses[k].R, A[i].origin), reproducible_product(poses[k].R, A[i].R.matrix)
        )
    return poses[:-1]


def attached_pose(pose: FramePose, at: RigidTransform) -> FramePose:
    """World pose of a frame with the constant pose `at` in a frame: r + R r_at, R R_at."""
    return FramePose(pose.r + reproducible_product(pose.R, at.r), reproducible_product(pose.R, at.R))


# --- relative pose and motion of the two frames of a joint, in the first frame's axes (any scalar) --------------------


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
