"""Relative pose and motion of the two frames of a joint, in the first frame's axes."""

from __future__ import annotations

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class RelativePose:
    """Second frame seen from the first: axes Q (columns), origin d [m]."""

    Q: Mat
    d: Vec


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """Relative motion in the first frame's axes: omega, vel and the rates alpha, acc of their components."""

    omega: Vec
    vel: Vec
    alpha: Vec
    acc: Vec
