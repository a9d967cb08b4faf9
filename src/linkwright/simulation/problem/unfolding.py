"""Singular positions near a step: does a configuration that loses rank close the loops, and by how much not?

Near such a configuration the lost equations read x y = eps. With eps = 0 two branches cross, and the motion goes
straight on; with any other eps they pass each other, and the motion turns. The mismatch of lengths decides (8.16).
"""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.model import Model
from linkwright.simulation.drivers.status import VERDICT
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.scaled_closure import ScaledClosure

Array = np.ndarray

# Lengths that agree to this share of the mechanism's length are those of a crossing.
EXACT = 1e-12

# Singular values below this share of the usual smallest are taken for lost.
_LOST = 0.05

_ROUNDS = 8
_SHIFT = 1e-5
_FOUND = 1e-9
_NEARLY_FOUND = 1e-6
_NEAR = 0.3


@dataclass(frozen=True, eq=False)
class Unfolding:
    """The singular configuration nearest to one, what its lost equations miss (shares of the mechanism's length), how
    many they are, and how far the last correction still moved it."""

    q: Array
    mismatch: float
    lost: int
    moved: float

    @property
    def converged(self) -> bool:
        """True if it is a singular configuration."""
        return self.moved < _NEARLY_FOUND


def nearest_singular(closure: ScaledClosure, q: Array) -> Unfolding:
    """The nearest configuration at which equations are lost and the others closed, by Gauss-Newton steps.

    With U and W the left and right directions of the lost equations, U^T J W = 0 there. Directions of equations that
    repeat others count with them: at the singular configuration itself they cannot be distinguished.
    """
    lost, step = 0, np.zeros(1)
    for _ in range(_ROUNDS):
        J = closure.jacobian(q)
        U, s, Vt = np.linalg.svd(J)
        lost = lost or max(1, int(np.sum(s[: closure.rank] < _LOST * closure.usual_loosest * s[0])))
        n = closure.rank - lost
        U0, W = U[:, n:], Vt[n:]
        sound = -Vt[:n].T @ ((U[:, :n].T @ closure.gap(q)) / s[:n])
        changes = [_change_along(closure, q, w, U0, W) for w in W]
        along = np.linalg.lstsq(np.array(changes).T, -(U0.T @ J @ W.T).ravel(), rcond=1e-6)[0]
        step = sound + W.T @ along
        q = closure.moved(q, step)
        if np.linalg.norm(step) < _FOUND:
            break
    U, s, Vt = np.linalg.svd(closure.jacobian(q))
    n = closure.rank - lost
    gap = closure.gap(q)
    gap = gap - closure.jacobian(q) @ (Vt[:n].T @ ((U[:, :n].T @ gap) / s[:n]))
    return Unfolding(q, float(np.linalg.norm(U[:, n:].T @ gap)), lost, float(np.linalg.norm(step)))


def _change_along(closure: ScaledClosure, q: Array, w: Array, U: Array, W: Array) -> Array:
    """Derivative of U^T J W along a direction."""
    after, before = (closure.jacobian(closure.moved(q, x * w)) for x in (_SHIFT, -_SHIFT))
    found: Array = (U.T @ ((after - before) / (2.0 * _SHIFT)) @ W.T).ravel()
    return found


def sides_changed(closure: ScaledClosure, q: Array, q_new: Array) -> Array:
    """Fractions of a step from q to q_new at which singular values change their sign, (n,).

    With N the directions that the equations decide at q, these are 1 / (1 - x) of every negative eigenvalue x of
    (J(q) N)^-1 J(q_new) N.
    """
    r = closure.rank
    U, s, Vt = np.linalg.svd(closure.jacobian(q))
    there = U[:, :r].T @ closure.jacobian(q_new) @ Vt[:r].T
    values = np.linalg.eigvals(there / np.sqrt(s[:r, None] * s[:r]))
    negative = values[(values.real < 0.0) & (np.abs(values.imag) < 0.5 * np.abs(values.real))].real
    found: Array = 1.0 / (1.0 - negative)
    return found


def judged_step(
    closure: ScaledClosure, q: Array, q_new: Array, rate: Array, rate_new: Array, h: float
) -> tuple[Array, Array]:
    """What a step met: crossings, fraction of the step, mismatch, lost equations, and 1 if they cross exactly; where.

    Args:
        closure: the loops' equations.
        q, q_new: coordinates at the beginning and the end of a step of size h [s], (nq,).
        rate, rate_new: their rates there, (nq,).
        h: its size.
    """
    fractions = sides_changed(closure, q, q_new)
    if not len(fractions):
        return np.zeros(VERDICT), q
    x = float(np.median(fractions))
    d = q_new - q
    between = q + x * d + x * (1 - x) * ((1 - x) * (h * rate - d) - x * (h * rate_new - d))
    try:
        found = nearest_singular(closure, between)
    except np.linalg.LinAlgError:
        return np.array([len(fractions), x, 1.0, 0, 0]), between
    near = float(np.linalg.norm(found.q - between)) < _NEAR * float(np.linalg.norm(d))
    exact = found.mismatch < EXACT and found.converged and near
    return np.array([len(fractions), x, min(found.mismatch, 1.0), found.lost, float(exact)]), found.q


def unfolding(model: Model) -> Callback:
    """`judged_step` as drivers call it."""
    closure = ScaledClosure(model.kinematics)

    def judged(q: Array, q_new: Array, rate: Array, rate_new: Array, h: Array) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            return judged_step(closure, q, q_new, rate, rate_new, float(h[0]))

    return Callback(judged, [model.nq] * 4 + [1], [VERDICT, model.nq])
