"""The distance rod."""

from __future__ import annotations

from collections.abc import Iterator

from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import Equation, Rod
from linkwright.joints.kind import LARGEST, GlyphPart, JointKind, JointNumber, NumberProblem
from linkwright.joints.motion_terms import COORDINATE_AXES, JointFreedom


@dataclass(frozen=True)
class Distance(JointKind):
    """Keeps two points `length` [m] apart, as a massless rod between spherical joints; closes loops only."""

    length: float = 1.0
    numbers = (JointNumber("length", "m"),)
    can_span_tree = False

    @property
    def label(self) -> str:
        return "distance rod"

    @property
    def rod_length(self) -> float:
        return self.length

    def check_numbers(self) -> Iterator[NumberProblem]:
        if not 0.0 < self.length <= LARGEST:
            yield "bad-size", f"is a rod of length {self.length} m", "give a length above zero", self.length

    def closure_rows(self) -> tuple[Equation, ...]:
        return (Rod(self.length),)

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        """A rod turns about its middle and slides across itself."""
        rolling = (JointFreedom(True, axis, 2, 0.5) for axis in COORDINATE_AXES)
        return (*rolling, *(JointFreedom(False, axis, 2) for axis in COORDINATE_AXES[:2]))

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return ()
