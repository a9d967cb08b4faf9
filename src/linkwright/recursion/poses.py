"""World poses, twists and Jacobians of links and frames, and the center line of a bent beam."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist
from linkwright.joints.beams import Beam, axial_shortening, center_line_deflection
from linkwright.mechanism.tree import Tree
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.relative_motion import WORLD, FramePose, attached_pose, chained_poses
from linkwright.recursion.twist_recursion import motion_of_tree

# --- world poses, twists and Jacobians of links and frames ------------------------------------------------------------


def link_poses(tree: Tree, q: Vec) -> list[FramePose]:
    """World poses of all link frames (theory 2.10)."""
    return chained_poses(tree, [m.A for m in joint_maps(tree, q)])


def pose_of_frame(tree: Tree, q: Vec, link: int, at: RigidTransform) -> FramePose:
    """World pose of a frame fixed in a link (or, link -1, in the world)."""
    return attached_pose(WORLD if link < 0 else link_poses(tree, q)[link], at)


def twist_of_frame(tree: Tree, q: Vec, v: Vec, link: int, at: RigidTransform) -> Vec:
    """Twist of a frame fixed in a link, (6,), world axes, at the frame's origin."""
    t = motion_of_tree(tree, q, v, np.zeros(tree.nv)).t[link]
    R = pose_of_frame(tree, q, link, RigidTransform()).R
    return join_twist(R @ t[:3], R @ (t[3:] + cross_product(t[:3], at.r)))


def frame_acceleration(tree: Tree, q: Vec, v: Vec, a: Vec, link: int, at: RigidTransform) -> Vec:
    """Ordinary rate of a frame's twist: [angular acceleration; acceleration of its origin], (6,), world axes."""
    state = motion_of_tree(tree, q, v, a, gravity=False)
    t, t_dot = state.t[link], state.t_dot[link]
    R = pose_of_frame(tree, q, link, RigidTransform()).R
    arm = cross_product(t_dot[:3], at.r) + cross_product(t[:3], cross_product(t[:3], at.r))
    return join_twist(R @ t_dot[:3], R @ (t_dot[3:] + arm))


def jacobian_of_frame(tree: Tree, q: Vec, link: int, at: RigidTransform) -> Mat:
    """Jacobian J of a frame with twist = J v, (6, nv), world axes, at the frame's origin."""
    return _by_columns(tree, lambda v: twist_of_frame(tree, q, v, link, at))


def jacobian_rate_of_frame(tree: Tree, q: Vec, v: Vec, link: int, at: RigidTransform) -> Mat:
    """Rate J_dot of the frame's Jacobian while the tree moves with v; twist rate = J a + J_dot v, (6, nv)."""
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv), gravity=False)
    poses, tip = link_poses(tree, q), pose_of_frame(tree, q, link, at).r
    tip_vel = twist_of_frame(tree, q, v, link, at)[3:]
    J_dot = np.zeros((6, tree.nv), dtype=np.result_type(q, v))
    for j in tree.ancestors(link):
        R, omega = poses[j].R, state.t[j][:3]
        arm, arm_dot = tip - poses[j].r, tip_vel - R @ state.t[j][3:]
        for p, p_dot, d in zip(state.p[j].T, state.p_dot[j].T, range(tree.dofs[j].start, tree.dofs[j].stop)):
            angular, angular_dot = R @ p[:3], R @ (cross_product(omega, p[:3]) + p_dot[:3])
            linear_dot = (
                R @ (cross_product(omega, p[3:]) + p_dot[3:])
                + cross_product(angular_dot, arm)
                + cross_product(angular, arm_dot)
            )
            J_dot[:, d] = J_dot[:, d] + join_twist(angular_dot, linear_dot)
    return J_dot


def _by_columns(tree: Tree, f: Callable[[Vec], Vec]) -> Mat:
    if tree.nv == 0:
        return np.zeros((6, 0))
    return np.array([f(e) for e in np.eye(tree.nv)]).T


# --- center line of a bent beam (any scalar) --------------------------------------------------------------------------


def bent_point(beam: Beam, eta: Vec, x: float) -> Vec:
    """The point of the center line that lies at x when the beam is straight, beam axes, (3,), [m] (theory 9.7)."""
    along = x - 0.5 * (eta @ (axial_shortening(beam, x) @ eta)) if beam.shortening else x
    return along * np.array([1.0, 0.0, 0.0]) + center_line_deflection(beam, x) @ eta


def center_line(tree: Tree, q: Vec, link: int, xs: Vec) -> Mat:
    """Points of the center line of the beam whose modal coordinates a link carries, world axes, (len(xs), 3), [m]."""
    carrier = tree.links[link]
    pose = link_poses(tree, q)[link]
    return np.array([pose.r + pose.R @ bent_point(carrier.kind.beam, q[carrier.coords], float(x)) for x in xs])
