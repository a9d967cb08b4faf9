"""The floating joint."""

from __future__ import annotations

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.rotations import Full, Rotation
from linkwright.algebra.vectors import Mat, Vec, skew
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import Equation
from linkwright.joints.coordinate_gradients import Component, Covector, Freedom, travel_covector, turning_covectors
from linkwright.joints.kind import ANGULAR_VELOCITY, LINEAR_VELOCITY, POSITION, QUATERNION, GlyphPart, JointKind
from linkwright.joints.motion_terms import COORDINATE_AXES, JointFreedom, Movement, Placement, RelativePose


@dataclass(frozen=True)
class Floating(JointKind):
    """Moves freely; q = x y z in the parent and quaternion w x y z, v = [angular; linear] in the child frame."""

    coordinates = (*POSITION, *QUATERNION)
    velocities = (*ANGULAR_VELOCITY, *LINEAR_VELOCITY)
    has_quaternion = True
    floats = True
    has_constant_p = True
    velocity_sides = (1,) * 6

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        R = Rotation((Full(rotations.rotation_of_quaternion(q[3:])),))
        return R, R.T @ q[:3], np.eye(6), np.zeros((6, 6))

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The inverse; v is the twist of the parent link relative to this one, in parent axes at its joint frame."""
        r, R, zero = q[:3], rotations.rotation_of_quaternion(q[3:]), np.zeros((3, 3))
        r_dot, R_dot = R @ v[3:], R @ skew(v[:3])
        p = np.block([[-R, zero], [-(skew(r) @ R), -R]])
        p_dot = np.block([[-R_dot, zero], [-(skew(r_dot) @ R) - skew(r) @ R_dot, -R_dot]])
        return Rotation((Full(R.T),)), -r, p, p_dot

    def coordinate_rates(self, q: Vec, v: Vec) -> Vec:
        return np.concatenate(
            [rotations.rotation_of_quaternion(q[3:]) @ v[3:], rotations.quaternion_rate(q[3:], v[:3])]
        )

    def closure_rows(self) -> tuple[Equation, ...]:
        return ()

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        """The position alone."""
        return d

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        turns = [Component(axis, np.zeros(3)) for axis in pose.Q.T]
        return [*turns, *(Component(np.zeros(3), axis) for axis in pose.Q.T)]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        axes = np.eye(3) if flipped else pose.Q
        travels = [travel_covector(pose, flipped, axes[:, i]) for i in range(3)]
        return [*turning_covectors(pose, flipped), *travels]

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return tuple(JointFreedom(turns, axis, 1, 1.0) for turns in (True, False) for axis in COORDINATE_AXES)

    def element_axes(self, parent: Mat, child: Mat) -> tuple[Vec, ...]:
        return (*child.T, *child.T)

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return ()
