"""The spherical joint."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind
from linkwright.joints.parts import ANGULAR_VELOCITY, QUATERNION


@dataclass(frozen=True)
class Spherical(JointKind):
    """Turns freely about a point; q = unit quaternion w x y z, v = angular velocity in the child frame."""

    coordinates = QUATERNION
    velocities = ANGULAR_VELOCITY
    keeps_origin = True
