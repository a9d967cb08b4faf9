"""Mass moments of a body about its origin: mass, first and second moments of the mass distribution.

The second moment Sigma = integral of r r^T dm replaces the inertia tensor J = tr(Sigma) 1 - Sigma: with the spin
rate S of `spin_acceleration_matrix` Newton's and Euler's equations become f = m acc + S h and n = [S Sigma]_x + h x
acc, which cost 13 multiplications for the moment where the textbook form costs 24 (theory 3.7).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.rotation import Rotation
from linkwright.algebra.sums import float_if_known, numeric_array
from linkwright.algebra.vectors import (
    Mat,
    Vec,
    cross_product,
    join_twist,
    skew,
    spin_acceleration_matrix,
    stack_scalars,
)
from linkwright.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Moments:
    """Mass m [kg], first moment h [kg m], second moment Sigma and inertia tensor J [kg m^2], about the body's origin.

    J = tr(Sigma) 1 - Sigma is kept beside Sigma because a turn about an axis leaves J about that axis untouched, which
    saves its recomputation in composite bodies.
    """

    m: Any
    h: Vec
    Sigma: Mat
    J: Mat

    @staticmethod
    def of(m: Any, h: Vec, Sigma: Mat) -> Moments:
        """Moments from mass, first and second moment."""
        S = Sigma
        xx, yy, zz = S[1, 1] + S[2, 2], S[0, 0] + S[2, 2], S[0, 0] + S[1, 1]
        J = np.array([[xx, -S[0, 1], -S[0, 2]], [-S[0, 1], yy, -S[1, 2]], [-S[0, 2], -S[1, 2], zz]])
        return Moments(m, h, Sigma, J)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.m + other.m, self.h + other.h, self.Sigma + other.Sigma, self.J + other.J)

    def turned(self, R: Rotation) -> Moments:
        """The same body in axes that R turns from."""
        return Moments(self.m, R @ self.h, R.similar_symmetric(self.Sigma), R.similar_symmetric(self.J))

    def shifted(self, r: Vec) -> Moments:
        """The same body about an origin r before the present one (the body sits at +r)."""
        product = np.outer(r, self.h + 0.5 * self.m * r)
        both = product + product.T
        spread = np.diag([both[1, 1] + both[2, 2], both[0, 0] + both[2, 2], both[0, 0] + both[1, 1]])
        J = self.J + spread - (both - np.diag(np.diagonal(both)))
        return Moments(self.m, self.h + self.m * r, self.Sigma + both, J)

    @property
    def M(self) -> Mat:
        """The 6x6 mass matrix about the origin, angular first."""
        H = skew(self.h)
        return np.block([[self.J, H], [H.T, self.m * np.eye(3)]])

    def momentum(self, t: Vec) -> Vec:
        """The 6-momentum M t of a body with twist t."""
        omega, vel = t[:3], t[3:]
        return join_twist(self.J @ omega + cross_product(self.h, vel), self.m * vel - cross_product(self.h, omega))


def moments_about_origin(mass: float, com: Vec, tensor: Mat) -> Moments:
    """Moments about the origin from mass, mass center and inertia tensor about the mass center."""
    com, tensor = numeric_array(com), numeric_array(tensor)
    Sigma = 0.5 * np.trace(tensor) * np.eye(3) - tensor + mass * np.outer(com, com)
    return Moments.of(float_if_known(mass), mass * com, Sigma)


def newton_euler(body: Moments, t: Vec, t_dot: Vec) -> Vec:
    """Wrench that gives a body with twist t the ordinary twist rate t_dot = [alpha; acc of the origin] (theory 3.7)."""
    S, acc = spin_acceleration_matrix(t[:3], t_dot[:3]), t_dot[3:]
    return join_twist(spin_moment(S, body.Sigma) + cross_product(body.h, acc), body.m * acc + S @ body.h)


def spin_moment(S: Mat, Sigma: Mat) -> Vec:
    """The moment integral of r x (S r) dm, written so that no product is computed twice."""
    n_x = S[2, 1] * Sigma[1, 1] - S[1, 2] * Sigma[2, 2] + (S[2, 2] - S[1, 1]) * Sigma[1, 2]
    n_y = S[0, 2] * Sigma[2, 2] - S[2, 0] * Sigma[0, 0] + (S[0, 0] - S[2, 2]) * Sigma[0, 2]
    n_z = S[1, 0] * Sigma[0, 0] - S[0, 1] * Sigma[1, 1] + (S[1, 1] - S[0, 0]) * Sigma[0, 1]
    return stack_scalars(
        n_x + S[2, 0] * Sigma[0, 1] - S[1, 0] * Sigma[0, 2],
        n_y + S[0, 1] * Sigma[1, 2] - S[2, 1] * Sigma[0, 1],
        n_z + S[1, 2] * Sigma[0, 2] - S[0, 2] * Sigma[1, 2],
    )
