"""Singular values of a scaled matrix, and what follows from them: rank, spaces, solutions, distance, error."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.numerics.blas_threads import one_blas_thread
from linkwright.numerics.tolerances import ROUNDED_AWAY

Array = np.ndarray
_EPS = float(np.finfo(float).eps)

# Rows and columns from which on BLAS uses threads.
_SHARED_AMONG_THREADS = 32


@dataclass(frozen=True, eq=False)
class ScaledSVD:
    """A / rows[:, None] * columns = U diag(s) Vt of a matrix A (m, n) or of a stack (..., m, n).

    Spaces are in scaled units, `solution` and `inverse` in those of A. A matrix that is not finite has `finite` False
    and NaN for an answer.
    """

    U: Array
    s: Array
    Vt: Array
    rows: Array | None
    columns: Array | None
    finite: Array

    def rank(self, share: float) -> Array:
        """Number of singular values above a share of the largest, (...)."""
        return count_above(self.s, share)

    def distance(self, rank: int) -> Array:
        """The smallest of the first `rank` singular values over the largest, (...): 0 at a singularity."""
        return distance_to_singularity(self.s, rank)

    def error_estimate(self, rank: int) -> Array:
        """Relative error of a solution of known rank when every entry of A is rounded, (...)."""
        with np.errstate(divide="ignore"):
            return _EPS / self.distance(rank)

    def row_space(self, rank: int) -> Array:
        """Orthonormal columns (..., n, rank) that the equations see."""
        return np.swapaxes(self.Vt[..., :rank, :], -1, -2)

    def null_space(self, rank: int) -> Array:
        """Orthonormal columns (..., n, n - rank) that the equations do not see; of a complete decomposition."""
        assert self.Vt.shape[-2] == self.Vt.shape[-1]
        return np.swapaxes(self.Vt[..., rank:, :], -1, -2)

    def column_space(self, rank: int) -> Array:
        """Orthonormal columns (..., m, rank) that right sides with a solution are made of."""
        return self.U[..., :rank]

    def solution(self, b: Array, rank: int | None = None, share: float | None = None) -> Array:
        """The least of all x (..., n) with the least |A x - b|, both scaled, for b (..., m).

        Singular values beyond the `rank`, or up to a `share` of the largest, count as zero.
        """
        k, kept = self._count_kept(rank, share)
        finite = (self.finite & np.isfinite(b).all(axis=-1))[..., None]
        b = np.where(finite, b if self.rows is None else b / self.rows, 0.0)
        y = (np.swapaxes(self.U[..., :k], -1, -2) @ b[..., None])[..., 0]
        y = np.where(kept, y / np.where(kept, self.s[..., :k], 1.0), 0.0)
        x = (np.swapaxes(self.Vt[..., :k, :], -1, -2) @ y[..., None])[..., 0]
        x = x if self.columns is None else self.columns * x
        return np.where(finite, x, np.nan)

    def inverse(self, rank: int | None = None, share: float | None = None) -> Array:
        """The pseudo-inverse of A (..., n, m); singular values count as in `solution`."""
        k, kept = self._count_kept(rank, share)
        inverse = np.where(kept, 1.0 / np.where(kept, self.s[..., :k], 1.0), 0.0)
        X = np.swapaxes(self.Vt[..., :k, :], -1, -2) @ (inverse[..., None] * np.swapaxes(self.U[..., :k], -1, -2))
        X = X if self.columns is None else self.columns[..., :, None] * X
        X = X if self.rows is None else X / self.rows[..., None, :]
        return np.where(self.finite[..., None, None], X, np.nan)

    def _count_kept(self, rank: int | None, share: float | None) -> tuple[int, Array]:
        """How many singular values may count, and which of them do, (..., k)."""
        k = self.s.shape[-1] if rank is None else min(rank, self.s.shape[-1])
        share = (ROUNDED_AWAY if rank is None else 0.0) if share is None else share
        return k, self.s[..., :k] > share * self.s[..., :1]


def decompose_scaled(
    A: Array, rows: Array | None = None, columns: Array | None = None, complete: bool = False
) -> ScaledSVD:
    """The decomposition of A (..., m, n) in units of `rows` (m,) per unit of `columns` (n,).

    A `complete` one has all rows of Vt and columns of U, those for a null space too.
    """
    scaled, finite = _scale_matrix(A, rows, columns)
    U, s, Vt = _svd(scaled, full_matrices=complete)
    return ScaledSVD(U, s, Vt, rows, columns, finite)


def singular_values(A: Array, rows: Array | None = None, columns: Array | None = None) -> Array:
    """Singular values (..., min(m, n)) of A scaled as in `decompose_scaled`, largest first; NaN if A is not finite."""
    scaled, finite = _scale_matrix(A, rows, columns)
    return np.where(finite[..., None], _svd(scaled, compute_uv=False), np.nan)


def _svd(A: Array, **options: Any) -> Any:
    if min(A.shape[-2:]) < _SHARED_AMONG_THREADS:
        return np.linalg.svd(A, **options)
    with one_blas_thread():
        return np.linalg.svd(A, **options)


def count_above(s: Array, share: float) -> Array:
    """Number of singular values s (..., k) above a share of the largest, (...)."""
    return np.sum(s > share * s[..., :1], axis=-1)


def distance_to_singularity(s: Array, rank: int | None = None) -> Array:
    """The last of `rank` singular values s (..., k) over the first, (...); 1 if there are none, 0 if all are zero."""
    k = s.shape[-1] if rank is None else rank
    if k == 0:
        return np.ones(s.shape[:-1])
    largest = s[..., 0]
    return np.where(largest > 0.0, s[..., k - 1] / np.where(largest > 0.0, largest, 1.0), 0.0)


def least_norm(A: Array, b: Array, share: float, rank: int | None = None) -> Array:
    """The least of all x (..., n) with the least |A x - b|, for A (..., m, n) and b (..., m); NaN where one is not
    finite. Singular values beyond the `rank` or up to a `share` of the largest count as zero."""
    return decompose_scaled(A).solution(b, rank, share)


def _scale_matrix(A: Array, rows: Array | None, columns: Array | None) -> tuple[Array, Array]:
    A = A if rows is None else A / rows[..., :, None]
    A = A if columns is None else A * columns
    finite = np.isfinite(A).all(axis=(-2, -1))
    return (A if finite.all() else np.where(finite[..., None, None], A, 0.0)), finite


def median_of_numbers(x: np.ndarray) -> float:
    """The median of the entries that are not NaN; NaN where there are none.

    That of NumPy imports masked arrays, which takes a tenth of a first run.
    """
    x = np.sort(x[~np.isnan(x)])
    return float(0.5 * (x[(len(x) - 1) // 2] + x[len(x) // 2])) if len(x) else np.nan
