"""The planar joint."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.transforms import Moments, frame_with_z
from linkwright.algebra.vectors import Mat, Vec, Vec3, cross_product
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_Z, Equation
from linkwright.joints.coordinate_gradients import (
    Covector,
    Freedom,
    Slide,
    travel_covector,
    turn_covector,
    turn_from_pose,
)
from linkwright.joints.kind import ANGLE, POSITION, GlyphPart, JointKind, JointNumber, Z
from linkwright.joints.motion_terms import (
    NOTHING,
    X_AXIS,
    Y_AXIS,
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
class Planar(JointKind):
    """Slides in and turns within the plane normal to `normal`; q = x, y [m], angle [rad] in the joint plane."""

    normal: Vec3 = Z
    numbers = (JointNumber("normal", is_direction=True),)
    coordinates = (*POSITION[:2], ANGLE)
    keeps_axis = True
    velocity_sides = (0, 0, 1)
    elements = (("slide", 0), ("slide", 1), ("turn", 2))
    reversed_elements = (("turn", 2), ("slide", 0), ("slide", 1))

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        R = turn_about_z(q[2], at.offsets[1])
        x, y = R.T @ X_AXIS, R.T @ Y_AXIS
        p = motion_columns((NOTHING, x), (NOTHING, y), (Z_AXIS, NOTHING))
        slides = (NOTHING, -v[2] * cross_product(Z_AXIS, x)), (NOTHING, -v[2] * cross_product(Z_AXIS, y))
        return R, q[0] * x + q[1] * y, p, motion_columns(*slides, (NOTHING, NOTHING))

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The turn -angle first, then the travel (-x, -y), whose directions are fixed in this link."""
        R = turn_about_z(-q[2], at.offsets[1])
        x, y = X_AXIS, Y_AXIS
        p = motion_columns((NOTHING, -x), (NOTHING, -y), (-Z_AXIS, cross_product(Z_AXIS, q[0] * x + q[1] * y)))
        turn = (NOTHING, cross_product(Z_AXIS, v[0] * x + v[1] * y))
        return R, -(q[0] * x + q[1] * y), p, motion_columns((NOTHING, NOTHING), (NOTHING, NOTHING), turn)

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(0.0, np.zeros(3), moments_on_axis(body))

    def closure_rows(self) -> tuple[Equation, ...]:
        return (SAME_ORIGIN[2], *SAME_Z)

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        return np.array([d[0], d[1], np.arctan2(Q[1, 0], Q[0, 0])])

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        return [Slide(X_AXIS, pose.d[0]), Slide(Y_AXIS, pose.d[1]), turn_from_pose(pose.Q)]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        axes = pose.Q if flipped else np.eye(3)
        return [*(travel_covector(pose, flipped, axes[:, i]) for i in range(2)), turn_covector(flipped)]

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return (GlyphPart("plate", self.normal, radius=5.0, length=0.6),)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        """It turns about the middle of its two origins, so that both ends count alike."""
        x, y, z = (tuple(column) for column in frame_with_z(self.normal).T)
        return JointFreedom(False, x), JointFreedom(False, y), JointFreedom(True, z, 0, 0.5)

    def element_axes(self, parent: Mat, child: Mat) -> tuple[Vec, ...]:
        return parent[:, 0], parent[:, 1], parent[:, 2]
