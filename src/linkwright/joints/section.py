"""A cross-section of a beam."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rotations import Rotation, Turn
from linkwright.algebra.sums import is_structural_zero
from linkwright.algebra.vectors import Vec, cross_product
from linkwright.dataclass import dataclass
from linkwright.joints.beams import Beam, axial_shortening, center_line_deflection
from linkwright.joints.kind import GlyphPart, JointKind
from linkwright.joints.modes import Modes
from linkwright.joints.motion_terms import X_AXIS, Y_AXIS, Z_AXIS, Movement, Placement, motion_columns


@dataclass(frozen=True)
class Section(JointKind):
    """The cross-section of a beam at x [m], moved by the modal coordinates of the `Modes` joint it hangs on."""

    beam: Beam
    x: float
    borrows = Modes

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The frame of a bent beam's cross-section: at the deflected point, turned by the slopes (theory 9.11)."""
        beam, x = self.beam, self.x
        deflection, tilt = center_line_deflection(beam, x), center_line_deflection(beam, x, 1)
        S = axial_shortening(beam, x) if beam.shortening else np.zeros((len(q), len(q)))
        about_z, about_y = _turn_by_tilt(2, tilt[1], q), _turn_by_tilt(1, -tilt[2], q)
        R = about_z * about_y
        first, y = about_y.T @ Z_AXIS, Y_AXIS
        first_dot = (tilt[2] @ v) * cross_product(y, first)
        turning = (tilt[1] @ v) * first - (tilt[2] @ v) * y
        short, short_dot = S @ q, S @ v
        columns, rates = [], []
        for j in range(len(q)):
            moved = R.T @ (deflection[:, j] - short[j] * X_AXIS)
            columns.append((tilt[1, j] * first - tilt[2, j] * y, moved))
            rates.append((tilt[1, j] * first_dot, -cross_product(turning, moved) - R.T @ (short_dot[j] * X_AXIS)))
        origin = (x - 0.5 * (q @ short)) * X_AXIS + deflection @ q
        return R, R.T @ origin, motion_columns(*columns), motion_columns(*rates)

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return ()


def _turn_by_tilt(axis: int, tilt: Vec, q: Vec) -> Rotation:
    """A turn about a coordinate axis by tilt @ q; none at all when the beam has no tilt there."""
    if all(map(is_structural_zero, tilt)):
        return Rotation()
    return Rotation((Turn(axis, np.cos(tilt @ q), np.sin(tilt @ q)),))
