"""Closure equations of a cut joint, and which way round it is assembled."""

from __future__ import annotations

import numpy as np

from linkwright.joints.closure_rows import Equation
from linkwright.loops.frames import Loop


def equations_of_cut_joint(loop: Loop) -> tuple[Equation, ...]:
    """The closure equations of a cut joint, without those that are released."""
    every = loop.kind.closure_rows_from_child() if loop.flipped else loop.kind.closure_rows()
    return tuple(eq for i, eq in enumerate(every) if i not in loop.released) if loop.released else every


def assembly_sense_cosines(loop: Loop, Q: np.ndarray) -> np.ndarray:
    """Cosines that must be positive for the joint to be assembled the right way round, (..., k)."""
    return loop.kind.assembly_senses(Q)
