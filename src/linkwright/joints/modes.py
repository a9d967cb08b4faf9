"""The modal coordinates of a beam."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.joints.beams import Beam
from linkwright.joints.kind import JointKind, JointPart


@dataclass(frozen=True)
class Modes(JointKind):
    """Carries a beam's modal coordinates and its mass; the beam's own frame does not move by them. q in m."""

    beam: Beam

    def __post_init__(self) -> None:
        parts = tuple(JointPart(f"eta{i + 1}", "m") for i in range(self.beam.count))
        names = tuple(part.name for part in parts)
        for name, value in (("coordinates", parts), ("velocities", parts), ("q_parts", names), ("v_parts", names)):
            object.__setattr__(self, name, value)
