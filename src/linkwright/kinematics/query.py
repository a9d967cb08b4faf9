"""What is given of a motion in kinematics, and what is found."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.kinematics.failures import Failures

Array = np.ndarray
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
"""Components of a pose or twist in their order."""


@dataclass(frozen=True, eq=False)
class KinematicsQuery:
    """What is given of a motion.

    Attributes:
        lead: leading axes of the batch.
        frame: a frame whose pose is given; None where the actuators' positions are.
        given: components of the frame rx ry rz x y z that count, or numbers of the actuators.
        target: pose x y z, w x y z (..., 7), or positions of the actuators (..., na).
        rate, acceleration: twist and twist rate (..., 6), or those of the actuators; None for zero.
        norms: norms of the given quaternions, (...), where some are not 1 and their rows are NaN; else None.
    """

    lead: tuple[int, ...]
    frame: str | None
    given: tuple[int, ...]
    target: Array
    rate: Array | None
    acceleration: Array | None
    norms: Array | None = None


@dataclass(frozen=True, eq=False)
class KinematicsResult:
    """Coordinates, velocities and accelerations, NaN in rows that have none, and those rows."""

    q: Array
    v: Array
    a: Array
    failures: tuple[Failures, ...]
