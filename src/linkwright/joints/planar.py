"""The planar joint."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.vectors import Vec, Vec3, cross
from linkwright.dataclass import dataclass
from linkwright.joints.inertia import on_axis
from linkwright.joints.kind import JointKind, JointNumber, Z
from linkwright.joints.motion import NOTHING, X_AXIS, Y_AXIS, Z_AXIS, Movement, Placement, motion_columns, turn_about_z
from linkwright.joints.parts import ANGLE, POSITION


@dataclass(frozen=True)
class Planar(JointKind):
    """Slides in and turns within the plane normal to `normal`; q = x, y [m], angle [rad] in the joint plane."""

    normal: Vec3 = Z
    numbers = (JointNumber("normal", is_direction=True),)
    coordinates = (*POSITION[:2], ANGLE)
    keeps_axis = True
    has_constant_p = False
    has_constant_reversed_p = False

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        R = turn_about_z(q[2], at.offsets[1])
        x, y = R.T @ X_AXIS, R.T @ Y_AXIS
        p = motion_columns((NOTHING, x), (NOTHING, y), (Z_AXIS, NOTHING))
        slides = (NOTHING, -v[2] * cross(Z_AXIS, x)), (NOTHING, -v[2] * cross(Z_AXIS, y))
        return R, q[0] * x + q[1] * y, p, motion_columns(*slides, (NOTHING, NOTHING))

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The turn -angle first, then the travel (-x, -y), whose directions are fixed in this link."""
        R = turn_about_z(-q[2], at.offsets[1])
        x, y = X_AXIS, Y_AXIS
        p = motion_columns((NOTHING, -x), (NOTHING, -y), (-Z_AXIS, cross(Z_AXIS, q[0] * x + q[1] * y)))
        turn = (NOTHING, cross(Z_AXIS, v[0] * x + v[1] * y))
        return R, -(q[0] * x + q[1] * y), p, motion_columns((NOTHING, NOTHING), (NOTHING, NOTHING), turn)

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(0.0, np.zeros(3), on_axis(body))
