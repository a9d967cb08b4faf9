"""Closes loops by damped Newton steps on many starts at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import LEAST_GAIN, ROUNDED_AWAY, SOLVED, STALLED
from linkwright.plans.scales import Scales

# Steps of a walk, halvings of a step, and by how much the coordinate that moves least is turned before a walk [rad].
_CAREFUL_STEPS, _HALVINGS = 30, 12
_TURNS = (0.0, 0.7, -0.7, 1.5, -1.5)

Closing = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
Moving = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Closed:
    """Coordinates (n, nq), largest scaled gap (n,) of each, and the steps taken."""

    q: np.ndarray
    gap: np.ndarray
    steps: int


def close_gaps(
    q: np.ndarray,
    closing: Closing,
    moving: Moving,
    scales: Scales,
    free: np.ndarray,
    tolerance: float = SOLVED,
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
    weight = scales.speeds * free

    def equations(x: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = closing(x, active)
        return g / scales.rows, J / scales.rows[:, None] * weight

    return close_rows(q, equations, lambda x, g, J: moving(x, _damped_newton_step(g, J) * weight), tolerance, max_steps)


def close_rows(
    q: np.ndarray,
    equations: Closing,
    move: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
    tolerance: float,
    max_steps: int,
) -> Closed:
    """Newton steps of every row of q until its gap vanishes.

    Args:
        equations: coordinates and the numbers of their starts to scaled gaps (n, m) and their derivatives.
        move: coordinates, gaps and derivatives to the coordinates after a step.
    """
    q, gap = np.array(q), np.full(len(q), np.inf)
    active, steps = np.arange(len(q)), 0
    while steps < max_steps and len(active):
        steps += 1
        g, J = equations(q[active], active)
        gap[active] = np.abs(g).max(axis=1, initial=0.0)
        going = gap[active] > tolerance
        if not np.any(going):
            break
        active, g, J = active[going], g[going], J[going]
        q[active] = move(q[active], g, J)
    return Closed(q, gap, steps)


def _damped_newton_step(g: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Least-norm step with damping that fades with the square of the gap, no longer than half a unit."""
    m = g.shape[1]
    size = np.sum(g * g, axis=1)
    damping = fading_damping(size)
    JJ = J @ J.transpose(0, 2, 1) + damping[:, None, None] * np.eye(m)
    return limit_steps(-(J.transpose(0, 2, 1) @ _least_norm_solutions(JJ, g[:, :, None]))[:, :, 0])


def _least_norm_solutions(JJ: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Solutions, of least norm in the rows where repeated equations outweigh the damping."""
    try:
        return np.linalg.solve(JJ, g)
    except np.linalg.LinAlgError:
        return np.stack([_solved_row(A, b) for A, b in zip(JJ, g, strict=True)])


def _solved_row(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return decompose_scaled(A).inverse() @ b


def fading_damping(squares: np.ndarray) -> np.ndarray:
    """Damping of squares of singular values that fades with the square of the gap, above rounding of the products."""
    return np.minimum(1e-3, 1e-2 * squares) + ROUNDED_AWAY


def close_carefully(
    found: Closed, closing: Closing, moving: Moving, scales: Scales, free: np.ndarray, tolerance: float = SOLVED
) -> Closed:
    """Go on where damped steps stalled: near a joint's own singularity, where one coordinate hardly moves anything.

    There (a Hooke joint with its leg along the first axis is as a pole is to longitude) the way to go is long in one
    coordinate and short in the gap. Undamped least-norm steps by singular values, shortened until the gap shrinks, find
    it; from the pole itself, where no step helps, the coordinate that moves nothing is turned first.
    """
    q, gap = np.array(found.q), np.array(found.gap)
    for row in np.flatnonzero((gap > tolerance) & (gap < STALLED)):
        system = _System(int(row), closing, moving, scales, free)
        q[row], gap[row] = _best_of_walks(system, q[row], tolerance)
    return Closed(q, gap, found.steps)


@dataclass(frozen=True, eq=False)
class _System:
    """The equations of one start, scaled."""

    row: int
    closing: Closing
    moving: Moving
    scales: Scales
    free: np.ndarray

    def at(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = self.closing(q[None, :], np.array([self.row]))
        return g[0] / self.scales.rows, J[0] / self.scales.rows[:, None] * self.scales.speeds * self.free

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        return self.moving(q[None, :], (dv * self.scales.speeds * self.free)[None, :])[0]


def _best_of_walks(system: _System, q: np.ndarray, tolerance: float) -> tuple[np.ndarray, float]:
    """The best of some walks: from q, then from the best so far with the coordinate that moves least turned.

    On one walk the gap shrinks at every step; on another steps are whole, because where two roots nearly meet the gap
    lies in a narrow bent valley, which whole steps leave once and then come back to fast.
    """
    best, least = q, np.inf
    for turn in _TURNS:
        weakest = decompose_scaled(system.at(best)[1]).Vt[-1]
        start = system.moved(best, turn * weakest) if turn else best
        for shorten in (True, False):
            found, gap = _walk_to_smallest_gap(system, start, tolerance, shorten)
            if gap < least:
                best, least = found, gap
            if least <= tolerance:
                return best, least
            start = found
    return best, least


def _walk_to_smallest_gap(system: _System, q: np.ndarray, tolerance: float, shorten: bool) -> tuple[np.ndarray, float]:
    """The best place on a walk of least-norm steps, and its gap."""
    best, least = q, np.inf
    for _ in range(_CAREFUL_STEPS):
        g, J = system.at(q)
        size = float(np.abs(g).max(initial=0.0))
        if size < least:
            best, least = q, size
        dv = limit_steps(-least_norm(J, g, ROUNDED_AWAY))
        trial = _shorten_step(system, q, g, dv) if shorten else system.moved(q, dv)
        if trial is None or least <= tolerance:
            break
        q = trial
    return best, least


def limit_steps(dv: np.ndarray, longest: float = 0.5) -> np.ndarray:
    """Scaled displacements (..., nv), each shortened to where its largest velocity moves by `longest`."""
    return dv * np.minimum(1.0, longest / np.maximum(np.abs(dv).max(axis=-1, keepdims=True, initial=0.0), 1e-300))


def _shorten_step(system: _System, q: np.ndarray, g: np.ndarray, dv: np.ndarray) -> np.ndarray | None:
    """The step, halved until the gap shrinks; None when it does not."""
    for _ in range(_HALVINGS):
        trial = system.moved(q, dv)
        if np.linalg.norm(system.at(trial)[0]) < (1.0 - LEAST_GAIN) * np.linalg.norm(g):
            return trial
        dv = 0.5 * dv
    return None
