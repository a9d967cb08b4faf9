"""The spherical joint."""

from __future__ import annotations

import numpy as np

from linkwright.algebra import quaternion
from linkwright.algebra.moments import Moments
from linkwright.algebra.rotation import Full, Rotation
from linkwright.algebra.vectors import Vec, skew
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind
from linkwright.joints.motion import NOTHING, Movement, Placement
from linkwright.joints.parts import ANGULAR_VELOCITY, QUATERNION


@dataclass(frozen=True)
class Spherical(JointKind):
    """Turns freely about a point; q = unit quaternion w x y z, v = angular velocity in the child frame."""

    coordinates = QUATERNION
    velocities = ANGULAR_VELOCITY
    keeps_origin = True
    has_quaternion = True
    has_constant_reversed_p = False

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        return Rotation((Full(quaternion.rotation(q)),)), NOTHING, np.eye(6)[:, :3], np.zeros((6, 3))

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """R(q)^T; v is the angular velocity of the parent link relative to this one, in parent axes."""
        R, zero = quaternion.rotation(q), np.zeros((3, 3))
        return Rotation((Full(R.T),)), NOTHING, np.vstack([-R, zero]), np.vstack([-(R @ skew(v)), zero])

    def coordinate_rates(self, q: Vec, v: Vec) -> Vec:
        return quaternion.rate(q, v)

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(body.m, np.zeros(3), np.zeros((3, 3)))
