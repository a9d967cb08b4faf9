"""Freedoms of a cut joint: its value, and the generalized force of an effort along it (any scalar)."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec
from linkwright.joints.relative_pose import RelativePose
from linkwright.loops.frames import Loop


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
