"""A cross-section of a beam."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.joints.beams import Beam
from linkwright.joints.kind import JointKind
from linkwright.joints.modes import Modes


@dataclass(frozen=True)
class Section(JointKind):
    """The cross-section of a beam at x [m], moved by the modal coordinates of the `Modes` joint it hangs on."""

    beam: Beam
    x: float
    borrows = Modes
