"""The universal joint."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, JointNumber, JointPart, X, Y, opposite


@dataclass(frozen=True)
class Universal(JointKind):
    """Turns about `first`, fixed in the parent, then about `second`, fixed in the child; q in rad."""

    first: Vec3 = X
    second: Vec3 = Y
    numbers = (JointNumber("first", is_direction=True), JointNumber("second", is_direction=True))
    coordinates = (JointPart("first", "rad"), JointPart("second", "rad"))
    keeps_origin = True

    def reversed_kind(self) -> Universal:
        """The two angles follow each other in the opposite order."""
        return Universal(opposite(self.second), opposite(self.first))
