"""Closes loops by damped Newton steps on many starts at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from linkwright.assembly.scales import Scales

Closing = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Moving = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Closed:
    """Coordinates (n, nq), largest scaled gap (n,) of each, and the steps taken."""

    q: np.ndarray
    gap: np.ndarray
    steps: int


def close(
    q: np.ndarray,
    closing: Closing,
    moving: Moving,
    scales: Scales,
    free: np.ndarray,
    tolerance: float = 1e-13,
    max_steps: int = 60,
) -> Closed:
    """Move the free speeds of each row of q until its gap vanishes or stops shrinking.

    Args:
        q: starts, (n, nq).
        closing: coordinates and the numbers of their starts to gap (n, m) and Jacobian (n, m, nv).
        moving: q and displacement (n, nv) to the displaced q.
        scales: what a unit of each speed and row counts.
        free: which speeds may move, (nv,) of bool.
        tolerance: scaled gap to reach.
        max_steps: at most so many steps.
    """
    q, gap = np.array(q), np.full(len(q), np.inf)
    active = np.arange(len(q))
    weight = scales.speeds * free
    steps = 0
    while steps < max_steps:
        steps += 1
        g, J = closing(q[active], active)
        g, J = g / scales.rows, J / scales.rows[:, None] * weight
        gap[active] = np.abs(g).max(axis=1, initial=0.0)
        going = gap[active] > tolerance
        if not np.any(going):
            break
        active, g, J = active[going], g[going], J[going]
        q[active] = moving(q[active], _step(g, J) * weight)
    return Closed(q, gap, steps)


def _step(g: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Least-norm step with damping that fades with the square of the gap, no longer than half a unit."""
    m = g.shape[1]
    size = np.sum(g * g, axis=1)
    damping = np.minimum(1e-3, 1e-2 * size) + 1e-15
    JJ = J @ J.transpose(0, 2, 1) + damping[:, None, None] * np.eye(m)
    dv = -(J.transpose(0, 2, 1) @ _solved(JJ, g[:, :, None]))[:, :, 0]
    longest = np.abs(dv).max(axis=1, initial=0.0)
    return dv * np.minimum(1.0, 0.5 / np.maximum(longest, 1e-300))[:, None]


def _solved(JJ: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Solutions, of least norm where repeated equations outweigh the damping."""
    try:
        return np.linalg.solve(JJ, g)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(JJ, hermitian=True) @ g
