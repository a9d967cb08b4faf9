"""The revolute joint."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Mat, Vec, Vec3, stack_scalars
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_Z, Equation
from linkwright.joints.coordinate_gradients import Covector, Freedom, turn_covector, turn_from_pose
from linkwright.joints.kind import ANGLE, AXIS, GlyphPart, JointKind, Z, opposite_axis
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
class Revolute(JointKind):
    """Turns about an axis fixed in both bodies; q in rad."""

    axis: Vec3 = Z
    numbers = (AXIS,)
    coordinates = (ANGLE,)
    keeps_origin = True
    keeps_axis = True
    has_constant_p = True
    has_constant_reversed_p = True
    velocity_sides = (1,)
    starts_about_z = True
    can_shift_along_z = True
    elements = (("turn", 0),)

    def reversed_kind(self) -> Self:
        return self.with_numbers({"axis": opposite_axis(self.axis)})

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        return turn_about_z(q[0], at.offsets[1]), NOTHING, motion_columns((Z_AXIS, NOTHING)), np.zeros((6, 1))

    def shared_moments(self, body: Moments) -> Moments:
        """What lies on the axis."""
        return Moments.of(body.m, stack_scalars(0.0, 0.0, body.h[2]), moments_on_axis(body))

    def closure_rows(self) -> tuple[Equation, ...]:
        return (*SAME_ORIGIN, *SAME_Z)

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        return np.array([np.arctan2(Q[1, 0], Q[0, 0])])

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        return [turn_from_pose(pose.Q)]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        return [turn_covector(flipped)]

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return (GlyphPart("pin", self.axis),)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return (JointFreedom(True, self.axis),)
