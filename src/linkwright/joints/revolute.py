"""The revolute joint."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, Z, opposite
from linkwright.joints.parts import ANGLE, AXIS


@dataclass(frozen=True)
class Revolute(JointKind):
    """Turns about an axis fixed in both bodies; q in rad."""

    axis: Vec3 = Z
    numbers = (AXIS,)
    coordinates = (ANGLE,)
    keeps_origin = True
    keeps_axis = True

    def reversed_kind(self) -> Revolute:
        return Revolute(opposite(self.axis))
