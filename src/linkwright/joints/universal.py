"""The universal joint."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.pose import RigidTransform, frame_with_z
from linkwright.algebra.vectors import Mat, Vec, Vec3, cross
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, JointNumber, JointPart, X, Y, opposite
from linkwright.joints.motion import NOTHING, Z_AXIS, Movement, Placement, motion_columns, turn_about_z


@dataclass(frozen=True)
class Universal(JointKind):
    """Turns about `first`, fixed in the parent, then about `second`, fixed in the child; q in rad."""

    first: Vec3 = X
    second: Vec3 = Y
    numbers = (JointNumber("first", is_direction=True), JointNumber("second", is_direction=True))
    coordinates = (JointPart("first", "rad"), JointPart("second", "rad"))
    keeps_origin = True
    starts_about_z = True
    has_constant_p = False
    has_constant_reversed_p = False

    def reversed_kind(self) -> Self:
        """The two angles follow each other in the opposite order."""
        return self.with_numbers({"first": opposite(self.second), "second": opposite(self.first)})

    @property
    def turn_between(self) -> Mat:
        """The constant turn from a frame whose z is the first axis to one whose z is the second."""
        return RigidTransform.of(matrix=frame_with_z(self.first).T @ frame_with_z(self.second)).R

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        inner = at.between * turn_about_z(q[1], at.offsets[1])
        first = inner.T @ Z_AXIS
        p = motion_columns((first, NOTHING), (Z_AXIS, NOTHING))
        p_dot = motion_columns((-v[1] * cross(Z_AXIS, first), NOTHING), (NOTHING, NOTHING))
        return turn_about_z(q[0], at.offsets[0]) * inner, NOTHING, p, p_dot

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The drawing's second angle comes first; columns stay in the drawing's order."""
        R, s, p, p_dot = self.motion(q[::-1], v[::-1], at)
        return R, s, p[:, ::-1], p_dot[:, ::-1]

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(body.m, np.zeros(3), np.zeros((3, 3)))
