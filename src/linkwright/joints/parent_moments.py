"""Moments of a body that move with its parent in the same way (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.vectors import Mat


def moments_on_axis(body: Moments) -> Mat:
    """Second moments of a body along the joint's axis."""
    return np.diag([0.0, 0.0, 1.0]) * body.Sigma
