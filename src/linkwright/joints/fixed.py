"""The fixed joint."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.joints.kind import JointKind


@dataclass(frozen=True)
class Fixed(JointKind):
    """Joins two bodies rigidly."""

    keeps_origin = True
    keeps_orientation = True
