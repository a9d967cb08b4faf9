"""The spherical joint."""

from __future__ import annotations

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.rotations import Full, Rotation
from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Mat, Vec, skew
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, Equation
from linkwright.joints.coordinate_gradients import Component, Covector, Freedom, turning_covectors
from linkwright.joints.kind import ANGULAR_VELOCITY, QUATERNION, JointKind
from linkwright.joints.motion_terms import COORDINATE_AXES, NOTHING, JointFreedom, Movement, Placement, RelativePose


@dataclass(frozen=True)
class Spherical(JointKind):
    """Turns freely about a point; q = unit quaternion w x y z, v = angular velocity in the child frame."""

    coordinates = QUATERNION
    velocities = ANGULAR_VELOCITY
    keeps_origin = True
    has_quaternion = True
    has_constant_p = True
    velocity_sides = (1, 1, 1)
    turns_about_point = True

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        return Rotation((Full(rotations.rotation_of_quaternion(q)),)), NOTHING, np.eye(6)[:, :3], np.zeros((6, 3))

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """R(q)^T; v is the angular velocity of the parent link relative to this one, in parent axes."""
        R, zero = rotations.rotation_of_quaternion(q), np.zeros((3, 3))
        return Rotation((Full(R.T),)), NOTHING, np.vstack([-R, zero]), np.vstack([-(R @ skew(v)), zero])

    def coordinate_rates(self, q: Vec, v: Vec) -> Vec:
        return rotations.quaternion_rate(q, v)

    def moved_coordinates(self, q: Vec, dv: Vec) -> Vec:
        return rotations.quaternion_product(q, rotations.quaternion_of_rotation_vector(dv))

    def displacement_between(self, q: Vec, q1: Vec) -> Vec:
        return rotations.rotation_vector_between(q, q1)

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(body.m, np.zeros(3), np.zeros((3, 3)))

    def closure_rows(self) -> tuple[Equation, ...]:
        return SAME_ORIGIN

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        return [Component(axis, NOTHING) for axis in pose.Q.T]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        return turning_covectors(pose, flipped)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return tuple(JointFreedom(True, axis, 1, 1.0) for axis in COORDINATE_AXES)

    def element_axes(self, parent: Mat, child: Mat) -> tuple[Vec, ...]:
        return tuple(child.T)
