"""Constrained dynamics the plain way: one dense least-squares solution of the whole KKT system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Dense:
    """Equations M a + h = force + J^T lam, J a + c = 0 of another program, in its own velocities."""

    M: Array
    h: Array
    J: Array
    c: Array

    def _split(self) -> tuple[Array, Array]:
        """The acceleration that J forces, and a basis of what it leaves free."""
        n = len(self.M)
        if not len(self.J):
            return np.zeros(n), np.eye(n)
        lengths = np.linalg.norm(self.J, axis=1)
        scale = 1.0 / np.maximum(lengths, 1e-6 * lengths.max())
        U, s, Vt = np.linalg.svd(self.J * scale[:, None])
        rank = int(np.sum(s > 1e-7 * s[0]))
        held = -(Vt[:rank].T @ ((U[:, :rank].T @ (self.c * scale)) / s[:rank]))
        return held, Vt[rank:].T

    def accelerations(self, force: Array) -> Array:
        """Accelerations by the null space of J, so that redundant rows do no harm."""
        held, N = self._split()
        return held + N @ np.linalg.solve(N.T @ self.M @ N, N.T @ (force - self.h - self.M @ held))

    def difference(self, a: Array, force: Array) -> float:
        """How far accelerations are from these equations' solution, as a share of the largest.

        Freedoms that move next to no mass (a ball of 7 mg that spins in a delta) lose digits by cancellation in M
        itself, whoever computes them; there a thousand times the residual of the equations counts, if that is less.
        """
        held, N = self._split()
        terms = [N.T @ (self.M * a), N.T @ np.diag(self.h), N.T @ np.diag(force)]
        largest = max(1e-9, *(float(np.abs(term).max(initial=0.0)) for term in terms))
        residual = float(np.abs(N.T @ (self.M @ a + self.h - force)).max(initial=0.0)) / largest
        across = a - held - N @ (N.T @ (a - held))
        residual = max(residual, float(np.abs(across).max(initial=0.0)) / max(1.0, float(np.abs(a).max())))
        return min(difference(a, self.accelerations(force)), 1e3 * residual)


def rate_along(J: Callable[[float], Array], v: Array) -> Array:
    """(dJ/dt) v along a motion, J given as a function of time; central differences of eighth order."""
    h = 0.03 / max(1.0, float(np.abs(v).max(initial=0.0)))
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    return sum((w / h) * ((J(k * h) - J(-k * h)) @ v) for k, w in weights)


def difference(found: Array, expected: Array) -> float:
    """Largest difference as a share of the largest value, not below 1."""
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(np.asarray(found) - expected).max(initial=0.0)) / scale
