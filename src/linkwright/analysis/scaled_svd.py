"""Linear equations with columns of length 1: rank, solution, covariance, and combinations without effect."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import NO_EFFECT, ROUNDED_RESULT, UNSEEN

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LeastSquaresSVD:
    """Singular value decomposition A / scale = U s Vt; `scale` are the lengths of the columns, 0 of those without."""

    U: Array
    s: Array
    Vt: Array
    scale: Array
    rank: int

    @staticmethod
    def of(A: Array) -> LeastSquaresSVD:
        """The decomposition of coefficients A, (n, k)."""
        scale = np.linalg.norm(A, axis=0)
        scale = np.where(scale > NO_EFFECT * scale.max(initial=0.0), scale, 0.0)
        x = decompose_scaled(A, columns=_inverse_scale(scale), complete=A.shape[0] < A.shape[1])
        return LeastSquaresSVD(x.U, x.s, x.Vt, scale, int(x.rank(NO_EFFECT)))

    @property
    def condition(self) -> float:
        """Condition number of the scaled equations."""
        return float(self.s[0] / self.s[-1]) if len(self.s) and self.s[-1] > 0.0 else float("inf")

    def solution(self, b: Array) -> Array:
        """The least x with the least |A x - b|, (k,), in scaled parameters."""
        k = self.rank
        return _inverse_scale(self.scale) * (self.Vt[:k].T @ ((self.U[:, :k].T @ b) / self.s[:k]))

    def covariance(self) -> Array:
        """Covariance of the solution, noise of b is 1, (k, k); NaN for parts of combinations without effect."""
        k = self.rank
        D = _inverse_scale(self.scale)[:, None] * self.Vt[:k].T / self.s[:k]
        C = D @ D.T
        lost = (np.abs(self.Vt[k:]) > UNSEEN).any(axis=0)
        C[lost], C[:, lost] = np.nan, np.nan
        return C

    def without_effect(self) -> Array:
        """Combinations without effect, each in as few parameters as elimination with pivoting leaves, (k - rank, k)."""
        N = self.Vt[self.rank :]
        return sparse_basis(np.where(self.scale > 0.0, N * _inverse_scale(self.scale), N)) if len(N) else N


def _inverse_scale(scale: Array) -> Array:
    return np.where(scale > 0.0, 1.0 / np.where(scale > 0.0, scale, 1.0), 0.0)


def sparse_basis(N: Array) -> Array:
    """Rows that span the same space, largest entry 1 and the first positive, zeros in the pivots of the others."""
    R, row = N.copy(), 0
    for _ in range(len(N)):
        size = np.abs(R[row:])
        i, j = divmod(int(np.argmax(size)), size.shape[1])
        if size[i, j] <= ROUNDED_RESULT * max(1.0, np.abs(N).max()):
            break
        R[[row, row + i]] = R[[row + i, row]]
        R[row] /= R[row, j]
        others = np.arange(len(R)) != row
        R[others] -= R[others, j][:, None] * R[row]
        row += 1
    R = R[:row] / np.abs(R[:row]).max(axis=1, keepdims=True)
    R = np.where(np.abs(R) > NO_EFFECT, R, 0.0)
    first = np.take_along_axis(R, np.argmax(R != 0.0, axis=1)[:, None], axis=1)
    return R * np.sign(first)
