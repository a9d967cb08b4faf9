"""The cylindrical joint."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Mat, Vec, Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_Z, Equation
from linkwright.joints.coordinate_gradients import (
    Covector,
    Freedom,
    Slide,
    slide_covector,
    turn_covector,
    turn_from_pose,
)
from linkwright.joints.kind import ANGLE, AXIS, LENGTH, GlyphPart, JointKind, Z, opposite_axis
from linkwright.joints.motion_terms import (
    NOTHING,
    Z_AXIS,
    JointFreedom,
    Movement,
    Placement,
    RelativePose,
    moments_on_axis,
    motion_columns,
    turn_about_z,
)


@dataclass(frozen=True)
class Cylindrical(JointKind):
    """Turns about and slides along the same axis; q = angle [rad], length [m]."""

    axis: Vec3 = Z
    numbers = (AXIS,)
    coordinates = (ANGLE, LENGTH)
    keeps_axis = True
    has_constant_p = True
    has_constant_reversed_p = True
    velocity_sides = (1, 1)
    starts_about_z = True
    can_shift_along_z = True
    elements = (("turn", 0), ("slide", 1))

    def reversed_kind(self) -> Self:
        return self.with_numbers({"axis": opposite_axis(self.axis)})

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        p = motion_columns((Z_AXIS, NOTHING), (NOTHING, Z_AXIS))
        return turn_about_z(q[0], at.offsets[1]), Z_AXIS * q[1], p, np.zeros((6, 2))

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(0.0, np.zeros(3), moments_on_axis(body))

    def closure_rows(self) -> tuple[Equation, ...]:
        return (*SAME_ORIGIN[:2], *SAME_Z)

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        return np.array([np.arctan2(Q[1, 0], Q[0, 0]), d[2]])

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        return [turn_from_pose(pose.Q), Slide(Z_AXIS, pose.d[2])]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        return [turn_covector(flipped), slide_covector(flipped)]

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return GlyphPart("sleeve", self.axis), GlyphPart("rod", self.axis, radius=0.8, length=5.0)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return JointFreedom(True, self.axis), JointFreedom(False, self.axis)
