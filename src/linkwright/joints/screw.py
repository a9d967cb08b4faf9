"""The screw joint."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, JointNumber, Z, opposite
from linkwright.joints.parts import ANGLE, AXIS


@dataclass(frozen=True)
class Screw(JointKind):
    """Turns about an axis and advances `pitch` [m/rad] along it; q in rad."""

    axis: Vec3 = Z
    pitch: float = 0.0
    numbers = (AXIS, JointNumber("pitch", "m/rad"))
    coordinates = (ANGLE,)
    keeps_axis = True

    def reversed_kind(self) -> Screw:
        return Screw(opposite(self.axis), self.pitch)
