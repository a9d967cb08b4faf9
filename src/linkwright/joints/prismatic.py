"""The prismatic joint."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Mat, Vec, Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_X, SAME_Z, Equation
from linkwright.joints.coordinate_gradients import Covector, Freedom, Slide, slide_covector
from linkwright.joints.kind import AXIS, LENGTH, GlyphPart, JointKind, Z, opposite_axis
from linkwright.joints.motion_terms import (
    NOTHING,
    Z_AXIS,
    JointFreedom,
    Movement,
    Placement,
    RelativePose,
    motion_columns,
    turn_about_z,
)


@dataclass(frozen=True)
class Prismatic(JointKind):
    """Slides along an axis fixed in both bodies; q in m."""

    axis: Vec3 = Z
    numbers = (AXIS,)
    coordinates = (LENGTH,)
    keeps_orientation = True
    has_constant_p = True
    has_constant_reversed_p = True
    velocity_sides = (1,)
    starts_about_z = True
    can_shift_along_z = True
    elements = (("slide", 0),)

    def reversed_kind(self) -> Self:
        return self.with_numbers({"axis": opposite_axis(self.axis)})

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        return turn_about_z(0.0, at.offsets[1]), Z_AXIS * q[0], motion_columns((NOTHING, Z_AXIS)), np.zeros((6, 1))

    def shared_moments(self, body: Moments) -> Moments:
        """What resists turning alone."""
        return Moments.of(0.0, np.zeros(3), body.Sigma)

    def closure_rows(self) -> tuple[Equation, ...]:
        return (*SAME_ORIGIN[:2], *SAME_Z, *SAME_X)

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        return np.array([d[2]])

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        return [Slide(Z_AXIS, pose.d[2])]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        return [slide_covector(flipped)]

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return (GlyphPart("slider", self.axis),)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return (JointFreedom(False, self.axis),)
