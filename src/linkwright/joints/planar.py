"""The planar joint."""

from __future__ import annotations

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind, JointNumber, Z
from linkwright.joints.parts import ANGLE, POSITION


@dataclass(frozen=True)
class Planar(JointKind):
    """Slides in and turns within the plane normal to `normal`; q = x, y [m], angle [rad] in the joint plane."""

    normal: Vec3 = Z
    numbers = (JointNumber("normal", is_direction=True),)
    coordinates = (*POSITION[:2], ANGLE)
    keeps_axis = True
