"""Joints outside the tree: their two frames, closure equations and freedoms (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.transforms import IDENTITY, RigidTransform, frame_with_z
from linkwright.algebra.vectors import Vec
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import Equation
from linkwright.joints.motion_terms import RelativeMotion, RelativePose
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import Tree
from linkwright.recursion.relative_motion import (
    WORLD,
    FramePose,
    attached_pose,
    frame_motion,
    relative_motion,
    relative_pose,
)
from linkwright.recursion.twist_recursion import Motion

# --- the two frames that a cut joint brings together ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JointFrame:
    """A frame fixed in a link (-1: the base)."""

    link: int
    at: RigidTransform


@dataclass(frozen=True, eq=False)
class Loop:
    """A cut joint: `near` carries the axes in which its equations are written, `far` is the other side.

    `near` is the predecessor frame, fixed in the joint's parent, and `far` the successor frame, fixed in its child;
    `flipped` exchanges them. z of each frame is the joint's axis there (of a universal joint, the axis fixed on that
    side). `released` are numbers of closure equations that are left out (plans/near_redundancy).
    """

    name: str
    kind: kinds.JointKind
    near: JointFrame
    far: JointFrame
    flipped: bool = False
    released: tuple[int, ...] = ()


def loops_of_cut_joints(
    mech: Mechanism,
    tree: Tree,
    flipped: tuple[bool, ...] | None = None,
    released: tuple[tuple[int, ...], ...] | None = None,
) -> tuple[Loop, ...]:
    """The cut joints of a mechanism, their frames given in the link frames of `tree`."""
    sides, left_out = flipped or (False,) * len(mech.loops), released or ((),) * len(mech.loops)
    return tuple(
        loop_of(mech, tree, joint, side, rows) for joint, side, rows in zip(mech.loops, sides, left_out, strict=True)
    )


def loop_of(mech: Mechanism, tree: Tree, joint: Joint, flipped: bool = False, released: tuple[int, ...] = ()) -> Loop:
    """A joint, cut or not, as the two frames that it brings together."""
    axes = joint.kind.axes
    first = frame_with_z(axes[0]) if axes else np.eye(3)
    last = frame_with_z(axes[-1]) if axes else np.eye(3)
    parent = _joint_frame_on_link(mech, tree, joint.parent, joint.at @ RigidTransform.of(matrix=first))
    child = _joint_frame_on_link(mech, tree, joint.child, joint.child_at @ RigidTransform.of(matrix=last))
    near, far = (child, parent) if flipped else (parent, child)
    return Loop(joint.name, joint.kind, near, far, flipped, released)


def _joint_frame_on_link(mech: Mechanism, tree: Tree, body: str, at: RigidTransform) -> JointFrame:
    if body == mech.base:
        return JointFrame(-1, IDENTITY @ at)
    i = mech.names.index(body)
    return JointFrame(i, tree.links[i].body @ at)


def shared_link(tree: Tree, loop: Loop) -> int:
    """The last link on the way from the base to both sides of a loop; -1 is the base."""
    near = set(tree.ancestors(loop.near.link)) if loop.near.link >= 0 else set()
    above = tree.ancestors(loop.far.link) if loop.far.link >= 0 else ()
    return next((i for i in above if i in near), -1)


def joints_of_loop(tree: Tree, loop: Loop) -> list[str]:
    """Names of the joints around a loop, its cut joint last."""
    top = shared_link(tree, loop)
    shared = set(tree.ancestors(top)) if top >= 0 else set()
    sides = [tree.ancestors(end.link) if end.link >= 0 else () for end in (loop.near, loop.far)]
    return [tree.links[i].joint for side in sides for i in side if i not in shared] + [loop.name]


def loop_pose(loop: Loop, poses: list[FramePose], top: int = -1) -> RelativePose:
    """Pose of the far frame in the near frame, from the poses of the links in link `top` (-1: in the world)."""
    near, far = (attached_pose(WORLD if f.link == top else poses[f.link], f.at) for f in (loop.near, loop.far))
    return relative_pose(near, far)


def loop_motion(loop: Loop, pose: RelativePose, state: Motion) -> RelativeMotion:
    """Relative velocity and acceleration of a closed loop; uniform gravity cancels between the two sides."""
    near, far = (frame_motion(state, f.link, f.at) for f in (loop.near, loop.far))
    return relative_motion(pose, near, far, point=loop.kind.keeps_origin and not loop.released)


# --- closure equations of a cut joint, and which way round it is assembled --------------------------------------------


def equations_of_cut_joint(loop: Loop) -> tuple[Equation, ...]:
    """The closure equations of a cut joint, without those that are released."""
    every = loop.kind.closure_rows_from_child() if loop.flipped else loop.kind.closure_rows()
    return tuple(eq for i, eq in enumerate(every) if i not in loop.released) if loop.released else every


def assembly_sense_cosines(loop: Loop, Q: np.ndarray) -> np.ndarray:
    """Cosines that must be positive for the joint to be assembled the right way round, (..., k)."""
    return loop.kind.assembly_senses(Q)


# --- freedoms of a cut joint: its value, and the generalized force of an effort along it (any scalar) -----------------


def joint_value(loop: Loop, pose: RelativePose) -> Vec:
    """Coordinates of a cut joint as if it were in the tree; angles between -pi and pi, of a screw over many turns.

    Quaternions are not given: a spherical joint has no coordinates here, a floating one its position only.
    """
    Q, d = (pose.Q.T, -(pose.Q.T @ pose.d)) if loop.flipped else (pose.Q, pose.d)
    return loop.kind.coordinates_from_pose(Q, d)


def effort_covectors(loop: Loop, pose: RelativePose) -> list[tuple[Vec, Vec]]:
    """Per velocity of a cut joint the covector (n, f) on the relative velocity that extracts it, near axes.

    The generalized force of an effort along it is the effort times this covector, carried to the tree. Velocities are
    those of the drawn child's frame relative to the drawn parent.
    """
    return loop.kind.effort_covectors(pose, loop.flipped)
