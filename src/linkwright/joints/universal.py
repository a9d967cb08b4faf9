"""The universal joint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from linkwright.algebra.sums import direction_angle, float_if_known
from linkwright.algebra.transforms import Moments, RigidTransform, frame_with_z
from linkwright.algebra.vectors import Mat, Vec, Vec3, cross_product, reproducible_product
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, Angle, Equation
from linkwright.joints.coordinate_gradients import AngleAbout, Covector, Freedom, sign_of_side
from linkwright.joints.kind import GlyphPart, JointKind, JointNumber, JointPart, NumberProblem, X, Y, opposite_axis
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
from linkwright.numerics.tolerances import WRITTEN_DIGITS


@dataclass(frozen=True)
class Universal(JointKind):
    """Turns about `first`, fixed in the parent, then about `second`, fixed in the child; q in rad."""

    first: Vec3 = X
    second: Vec3 = Y
    numbers = (JointNumber("first", is_direction=True), JointNumber("second", is_direction=True))
    coordinates = (JointPart("first", "rad"), JointPart("second", "rad"))
    keeps_origin = True
    starts_about_z = True
    velocity_sides = (0, 1)
    elements = (("turn", 0), ("turn", 1))
    reversed_elements = (("turn", 1), ("turn", 0))

    def reversed_kind(self) -> Self:
        """The two angles follow each other in the opposite order."""
        return self.with_numbers({"first": opposite_axis(self.second), "second": opposite_axis(self.first)})

    @property
    def turn_between(self) -> Mat:
        """The constant turn from a frame whose z is the first axis to one whose z is the second."""
        return RigidTransform.of(matrix=reproducible_product(frame_with_z(self.first).T, frame_with_z(self.second))).R

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        inner = at.between * turn_about_z(q[1], at.offsets[1])
        first = inner.T @ Z_AXIS
        p = motion_columns((first, NOTHING), (Z_AXIS, NOTHING))
        p_dot = motion_columns((-v[1] * cross_product(Z_AXIS, first), NOTHING), (NOTHING, NOTHING))
        return turn_about_z(q[0], at.offsets[0]) * inner, NOTHING, p, p_dot

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The drawing's second angle comes first; columns stay in the drawing's order."""
        R, s, p, p_dot = self.motion(q[::-1], v[::-1], at)
        return R, s, p[:, ::-1], p_dot[:, ::-1]

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(body.m, np.zeros(3), np.zeros((3, 3)))

    @property
    def cosine(self) -> Any:
        """The cosine of the constant angle between the axes."""
        return float_if_known(np.dot(self.first, self.second))

    def closure_rows(self) -> tuple[Equation, ...]:
        return (*SAME_ORIGIN, Angle(Z_AXIS, Z_AXIS, self.cosine))

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        """The angles of Q = R_z(first) B R_z(second): how far the last column of B is turned, and its last row back."""
        B = self.turn_between
        first = np.arctan2(B[0, 2] * Q[1, 2] - B[1, 2] * Q[0, 2], B[0, 2] * Q[0, 2] + B[1, 2] * Q[1, 2])
        second = np.arctan2(B[2, 1] * Q[2, 0] - B[2, 0] * Q[2, 1], B[2, 0] * Q[2, 0] + B[2, 1] * Q[2, 1])
        return np.array([first, second])

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        """The two angles, about the z axes of the first and of the second frame."""
        Q, neutral = pose.Q, self.turn_between
        u = np.array([Q[0, 2], Q[1, 2], self.cosine if closed else Q[2, 2]])
        first = AngleAbout(Z_AXIS, u, u, Q[0, 2], Q[1, 2], origin=direction_angle(neutral[1, 2], neutral[0, 2]))
        origin = direction_angle(neutral[2, 1], neutral[2, 0])
        return [first, AngleAbout(u, Z_AXIS, u, Q[2, 0], Q[2, 1], origin=origin, sense=-1.0)]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        """Dual directions of the two axes, which stand at a constant angle."""
        near, far, cosine = Z_AXIS, pose.Q @ Z_AXIS, self.cosine
        scale: Any = sign_of_side(flipped) / (1.0 - cosine * cosine)
        along_near, along_far = scale * (near - cosine * far), scale * (far - cosine * near)
        pair = [(along_near, NOTHING), (along_far, NOTHING)]
        return pair[::-1] if flipped else pair

    def check_numbers(self) -> Iterator[NumberProblem]:
        if np.linalg.norm(np.cross(self.first, self.second)) < WRITTEN_DIGITS:
            fix = "take a revolute joint, or turn one of them"
            yield "parallel-axes", "has two parallel universal axes", fix, None

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        pair = ((self.first, 0), (self.second, 1))
        return tuple(GlyphPart("rod", axis, side, radius=0.55, length=3.6) for axis, side in pair)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return JointFreedom(True, self.first), JointFreedom(True, self.second, 1, 1.0)

    def element_axes(self, parent: Mat, child: Mat) -> tuple[Vec, ...]:
        return parent[:, 2], child[:, 2]
