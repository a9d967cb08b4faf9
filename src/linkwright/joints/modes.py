"""The modal coordinates of a beam."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rotations import Rotation
from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Vec
from linkwright.checks import require_instance
from linkwright.dataclass import dataclass
from linkwright.joints.beams import Beam
from linkwright.joints.kind import GlyphPart, JointKind, JointPart
from linkwright.joints.motion_terms import NOTHING, Movement, Placement


@dataclass(frozen=True)
class Modes(JointKind):
    """Carries a beam's modal coordinates and its mass; the beam's own frame does not move by them. q in m."""

    beam: Beam
    bends = True
    has_constant_p = True
    has_constant_reversed_p = True

    def __post_init__(self) -> None:
        require_instance("beam", self.beam, Beam, "a Beam")
        parts = tuple(JointPart(f"eta{i + 1}", "m") for i in range(self.beam.count))
        names = tuple(part.name for part in parts)
        for name, value in (("coordinates", parts), ("velocities", parts), ("q_parts", names), ("v_parts", names)):
            object.__setattr__(self, name, value)

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        return Rotation(), NOTHING, np.zeros((6, len(q))), np.zeros((6, len(q)))

    def shared_moments(self, body: Moments) -> Moments:
        return body

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return ()
