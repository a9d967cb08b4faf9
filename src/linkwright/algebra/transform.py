"""The twist propagation A from a parent body to its child, kept as shift, rotation, shift.

The child's origin is `r` [m, parent axes] away from the parent's, the axes turn by R, and a further shift `s`
[m, child axes] follows (a prismatic travel). `A @ t` takes the parent's twist to the child's origin and axes,
`A.T @ w` takes a child's wrench back, `A.congruence(M)` is A^T M A.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.rotation import Rotation
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, spin_acceleration_matrix
from linkwright.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Transform:
    """Twist propagation matrix A as an operator, (6, 6) when written out."""

    r: Vec
    R: Rotation
    s: Vec

    def __matmul__(self, t: Vec) -> Vec:
        R_T = self.R.T
        omega = R_T @ t[:3]
        return join_twist(omega, R_T @ (t[3:] + cross_product(t[:3], self.r)) + cross_product(omega, self.s))

    def rate(self, t: Vec, t_dot: Vec) -> Vec:
        """Ordinary rate at the child's origin of a point fixed in the parent: A t_dot plus the centripetal part."""
        R_T = self.R.T
        omega, alpha = R_T @ t[:3], R_T @ t_dot[:3]
        acc = R_T @ (t_dot[3:] + spin_acceleration_matrix(t[:3], t_dot[:3]) @ self.r)
        return join_twist(alpha, acc + spin_acceleration_matrix(omega, alpha) @ self.s)

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def congruence(self, M: Mat) -> Mat:
        """A^T M A for a symmetric 6x6 matrix M."""
        J, H, m = shift_symmetric_form(M[:3, :3], M[:3, 3:], M[3:, 3:], self.s)
        J, H, m = self.R.similar_symmetric(J), self.R.similar(H), self.R.similar_symmetric(m)
        J, H, m = shift_symmetric_form(J, H, m, self.r)
        return np.block([[J, H], [H.T, m]])

    def composed(self, body: Moments) -> Moments:
        """The child's moments seen from the parent's origin and axes."""
        return body.shifted(self.s).turned(self.R).shifted(self.r)

    @property
    def origin(self) -> Vec:
        """The child's origin seen from the parent, [m], parent axes."""
        return self.r + self.R @ self.s

    @property
    def matrix(self) -> Mat:
        """A written out, (6, 6)."""
        return np.array([self @ e for e in np.eye(6)]).T


@dataclass(frozen=True, eq=False)
class Transposed:
    """The transpose of a `Transform`: takes wrenches from child to parent."""

    A: Transform

    def __matmul__(self, w: Vec) -> Vec:
        A = self.A
        f = A.R @ w[3:]
        return join_twist(A.R @ (w[:3] + cross_product(A.s, w[3:])) + cross_product(A.r, f), f)


def shift_symmetric_form(J: Mat, H: Mat, m: Mat, r: Vec) -> tuple[Mat, Mat, Mat]:
    """Blocks of a symmetric 6x6 form seen from an origin r before the present one, one coordinate at a time."""
    for i in range(3):
        J, H = _shift_along_axis(J, H, m, i, r[i])
    return J, H, m


def _shift_along_axis(J: Mat, H: Mat, m: Mat, i: int, r: object) -> tuple[Mat, Mat]:
    """The same for a shift r along coordinate axis i: H + X m and J - H X + X H_new^T with X = r (e_i x 1)."""
    j, k = (i + 1) % 3, (i + 2) % 3
    H_new, J_new = _copy_for_products(H, r), _copy_for_products(J, r)
    for a in range(3):
        H_new[j, a], H_new[k, a] = H[j, a] - r * m[k, a], H[k, a] + r * m[j, a]
    J_new[i, j] = J_new[j, i] = J[i, j] - r * H[i, k]
    J_new[i, k] = J_new[k, i] = J[i, k] + r * H[i, j]
    J_new[j, k] = J_new[k, j] = J[j, k] + r * (H[j, j] - H_new[k, k])
    J_new[j, j] = J[j, j] - r * (H[j, k] + H_new[j, k])
    J_new[k, k] = J[k, k] + r * (H[k, j] + H_new[k, j])
    return J_new, H_new


def _copy_for_products(B: Mat, r: object) -> Mat:
    """A copy of B that can hold products with r."""
    return np.array(B, dtype=np.result_type(B, np.asarray(r)))
