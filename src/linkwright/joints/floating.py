"""The floating joint."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind
from linkwright.joints.parts import ANGULAR_VELOCITY, LINEAR_VELOCITY, POSITION, QUATERNION


@dataclass(frozen=True)
class Floating(JointKind):
    """Moves freely; q = x y z in the parent and quaternion w x y z, v = [angular; linear] in the child frame."""

    coordinates = (*POSITION, *QUATERNION)
    velocities = (*ANGULAR_VELOCITY, *LINEAR_VELOCITY)
