"""The cylindrical joint."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, Z, opposite
from linkwright.joints.parts import ANGLE, AXIS, LENGTH


@dataclass(frozen=True)
class Cylindrical(JointKind):
    """Turns about and slides along the same axis; q = angle [rad], length [m]."""

    axis: Vec3 = Z
    numbers = (AXIS,)
    coordinates = (ANGLE, LENGTH)
    keeps_axis = True

    def reversed_kind(self) -> Cylindrical:
        return Cylindrical(opposite(self.axis))
