"""The screw joint."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Mat, Vec, Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_Z, Equation, Lead
from linkwright.joints.coordinate_gradients import Covector, Freedom, Slide, turn_covector, turn_from_pose
from linkwright.joints.kind import (
    AXIS,
    GlyphPart,
    JointKind,
    JointNumber,
    JointPart,
    SimpleStep,
    Z,
    opposite_axis,
)
from linkwright.joints.motion_terms import (
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
class Screw(JointKind):
    """Turns about an axis and advances `pitch` [m/rad] along it; q in rad."""

    axis: Vec3 = Z
    pitch: float = 0.0
    numbers = (AXIS, JointNumber("pitch", "m/rad"))
    coordinates = (JointPart("angle", "rad", wraps=False),)
    keeps_axis = True
    has_constant_p = True
    has_constant_reversed_p = True
    velocity_sides = (1,)
    starts_about_z = True
    can_shift_along_z = True

    def reversed_kind(self) -> Self:
        return self.with_numbers({"axis": opposite_axis(self.axis)})

    def simple_steps(self) -> tuple[SimpleStep, ...]:
        """A turn, and a slide that follows it."""
        return SimpleStep("turn", self.axis, (0,)), SimpleStep("slide", self.axis, ())

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        pitch = self.pitch * Z_AXIS
        return turn_about_z(q[0], at.offsets[1]), pitch * q[0], motion_columns((Z_AXIS, pitch)), np.zeros((6, 1))

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(0.0, np.zeros(3), moments_on_axis(body))

    def closure_rows(self) -> tuple[Equation, ...]:
        return (*SAME_ORIGIN[:2], *SAME_Z, Lead(self.pitch) if self.pitch else SAME_ORIGIN[2])

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        """The angle, counted over many turns by the travel."""
        angle = np.arctan2(Q[1, 0], Q[0, 0])
        return np.array([d[2] * (1.0 / self.pitch) if self.pitch else angle])

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        if not self.pitch:
            return [turn_from_pose(pose.Q)]
        return [Slide(Z_AXIS, pose.d[2] * (1.0 / self.pitch), 1.0 / self.pitch)]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        return [turn_covector(flipped)]

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return GlyphPart("sleeve", self.axis), GlyphPart("rod", self.axis, radius=0.8, length=5.0)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return (JointFreedom(True, self.axis, pitch=self.pitch),)
