"""The screw joint."""

from __future__ import annotations

from typing import Self

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.vectors import Vec, Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.inertia import on_axis
from linkwright.joints.kind import JointKind, JointNumber, Z, opposite
from linkwright.joints.motion import Z_AXIS, Movement, Placement, motion_columns, turn_about_z
from linkwright.joints.parts import ANGLE, AXIS


@dataclass(frozen=True)
class Screw(JointKind):
    """Turns about an axis and advances `pitch` [m/rad] along it; q in rad."""

    axis: Vec3 = Z
    pitch: float = 0.0
    numbers = (AXIS, JointNumber("pitch", "m/rad"))
    coordinates = (ANGLE,)
    keeps_axis = True
    starts_about_z = True
    can_shift_along_z = True

    def reversed_kind(self) -> Self:
        return self.with_numbers({"axis": opposite(self.axis)})

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        pitch = self.pitch * Z_AXIS
        return turn_about_z(q[0], at.offsets[1]), pitch * q[0], motion_columns((Z_AXIS, pitch)), np.zeros((6, 1))

    def shared_moments(self, body: Moments) -> Moments:
        return Moments.of(0.0, np.zeros(3), on_axis(body))
