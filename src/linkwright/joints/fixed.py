"""The fixed joint."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rotations import Rotation
from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Vec
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import SAME_ORIGIN, SAME_X, SAME_Z, Equation
from linkwright.joints.kind import GlyphPart, JointKind
from linkwright.joints.motion_terms import NOTHING, Movement, Placement


@dataclass(frozen=True)
class Fixed(JointKind):
    """Joins two bodies rigidly."""

    keeps_origin = True
    keeps_orientation = True
    has_constant_p = True
    has_constant_reversed_p = True
    velocity_sides = ()
    elements = ()

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        return Rotation(), NOTHING, np.zeros((6, 0)), np.zeros((6, 0))

    def shared_moments(self, body: Moments) -> Moments:
        return body

    def closure_rows(self) -> tuple[Equation, ...]:
        return (*SAME_ORIGIN, *SAME_Z, *SAME_X)

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return ()
