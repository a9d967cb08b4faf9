"""Constrained dynamics the plain way: the whole KKT system of another program, solved densely."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np
import scipy.linalg

Array = np.ndarray
DIGITS = 40  # of extended precision
SAME_ROWS = 1e-11  # how well rows in extended precision must be those of the other program


@dataclass(frozen=True)
class Comparison:
    """How far accelerations are from another program's.

    Attributes:
        difference: from the other program's solution in double precision, as a share of the largest acceleration.
        residual: of the other program's equations, as a share of their largest term.
    """

    difference: float
    residual: float

    def worse(self, other: Comparison) -> Comparison:
        return Comparison(max(self.difference, other.difference), max(self.residual, other.residual))


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

    def compare(self, a: Array, force: Array) -> Comparison:
        """Compare accelerations with these equations and with their solution; where nothing moves they are the same."""
        if not len(self.M):
            return Comparison(0.0, 0.0)
        held, N = self._split()
        terms = [N.T @ (self.M * a), N.T @ np.diag(self.h), N.T @ np.diag(force)]
        largest = max(1e-9, *(float(np.abs(term).max(initial=0.0)) for term in terms))
        residual = float(np.abs(N.T @ (self.M @ a + self.h - force)).max(initial=0.0)) / largest
        across = a - held - N @ (N.T @ (a - held))
        residual = max(residual, float(np.abs(across).max(initial=0.0)) / max(1.0, float(np.abs(a).max())))
        return Comparison(difference(a, self.accelerations(force)), residual)

    def extended(self, force: Array, J: Array, c: Array) -> Array:
        """The solution with the same constraint rows given in extended precision.

        Rounding in J decides where a freedom moves next to no mass. In a delta robot with spheres of 7 mg that spin,
        N^T M N has an eigenvalue of 1.6e-11 beside entries of M of 6e-5, and entries of J that are zero by geometry
        come out as 1e-17 in double precision: that alone changes the accelerations by 2e-9 of the largest, whatever
        solves the system. So there the constraint rows (rows of mpmath numbers, in the same velocities) are taken
        from elsewhere; they must span what this program's rows span, to SAME_ROWS. M and h stay this program's.
        """
        with mp.workdps(DIGITS):
            rows = _independent(J)
            a, N = _solved(self, force, J[rows], c[rows])
        scale = max(1.0, float(np.abs(self.J).max()))
        if float(np.abs(self.J @ N).max(initial=0.0)) > SAME_ROWS * scale:
            raise ValueError("the constraint rows in extended precision are not those of the other program")
        if float(np.abs(self.J @ a + self.c).max()) > SAME_ROWS * scale * max(1.0, float(np.abs(a).max())):
            raise ValueError("the constraints in extended precision accelerate otherwise than the other program's")
        return a


def extended_precision(x: Array) -> Array:
    """An array of mpmath numbers."""
    return np.array([mp.mpf(float(value)) for value in np.ravel(x)], dtype=object).reshape(np.shape(x))


def _independent(J: Array) -> list[int]:
    """Rows that span all rows, the largest first."""
    as_float = J.astype(float)
    _, R, order = scipy.linalg.qr(as_float.T, pivoting=True, mode="economic")
    size = np.abs(np.diag(R))
    return [int(i) for i in order[: int(np.sum(size > 1e-10 * size[0]))]]


def _solved(equations: Dense, force: Array, J: Array, c: Array) -> tuple[Array, Array]:
    """Accelerations by LU with iterative refinement, residuals in extended precision; and the null space of J."""
    n, m = len(equations.M), len(J)
    K = np.zeros((n + m, n + m), dtype=object)
    K[:n, :n], K[:n, n:], K[n:, :n] = extended_precision(equations.M), J.T, J
    known = np.concatenate([extended_precision(force) - extended_precision(equations.h), -c])
    factors = scipy.linalg.lu_factor(K.astype(float))
    x = extended_precision(np.zeros(n + m))
    for _ in range(12):
        step = scipy.linalg.lu_solve(factors, (known - K @ x).astype(float))
        x = x + extended_precision(step)
        if float(np.abs(step).max()) <= 1e-18 * float(np.abs(x.astype(float)).max()):
            return x[:n].astype(float), scipy.linalg.null_space(J.astype(float))
    raise ValueError("iterative refinement does not converge")


def rate_along(J: Callable[[float], Array], v: Array) -> Array:
    """(dJ/dt) v along a motion, J given as a function of time; central differences of eighth order."""
    h = 0.03 / max(1.0, float(np.abs(v).max(initial=0.0)))
    weights = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
    return sum((w / h) * ((J(k * h) - J(-k * h)) @ v) for k, w in weights)


def difference(found: Array, expected: Array) -> float:
    """Largest difference as a share of the largest value, not below 1."""
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(np.asarray(found) - expected).max(initial=0.0)) / scale
