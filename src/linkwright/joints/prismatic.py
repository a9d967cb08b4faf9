"""The prismatic joint."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, Z, opposite
from linkwright.joints.parts import AXIS, LENGTH


@dataclass(frozen=True)
class Prismatic(JointKind):
    """Slides along an axis fixed in both bodies; q in m."""

    axis: Vec3 = Z
    numbers = (AXIS,)
    coordinates = (LENGTH,)
    keeps_orientation = True

    def reversed_kind(self) -> Prismatic:
        return Prismatic(opposite(self.axis))
