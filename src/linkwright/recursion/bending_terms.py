"""Contributions of bending to a beam's link: moments, momentum, inertia forces (theory 9.12-9.15; any scalar).

The displacement of the beam from its straight place r0(x) is a sum of amplitude c_a times field psi_a(x); products of
fields are integrated beforehand (`mechanism/flexible_bodies.py`). The straight beam itself is an ordinary body, so all
here is what comes on top.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.transforms import Moments, newton_euler
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, spin_acceleration_matrix, stack_scalars
from linkwright.dataclass import dataclass
from linkwright.mechanism.flexible_bodies import Flexibility


@dataclass(frozen=True, eq=False)
class Bending:
    """Amplitudes c (K,), their rates, and C (K, n) with c_dot = C eta_dot; P_a = int r psi_a^T dm, (3, 3) each."""

    c: Vec
    c_dot: Vec
    c_ddot: Vec
    C: Mat
    P: list[Mat]


def bending_amplitudes(flex: Flexibility, eta: Vec, eta_dot: Vec, eta_ddot: Vec) -> Bending:
    """Amplitudes of the fields at modal coordinates eta (n,) with their rates (theory 9.7)."""
    c, C = modal_amplitudes(flex, eta)
    c_dot, c_ddot = C @ eta_dot, C @ eta_ddot
    products = [eta_dot[i] * eta_dot[j] for i, j in flex.pairs]
    c_ddot = np.concatenate(
        [c_ddot[: len(eta)], [x + 2.0 * y for x, y in zip(c_ddot[len(eta) :], products, strict=True)]]
    )
    return Bending(c, c_dot, c_ddot, C, _field_products(flex, c))


def modal_amplitudes(flex: Flexibility, eta: Vec) -> tuple[Vec, Mat]:
    """Amplitudes c (K,) and C = dc/d eta (K, n): the modal coordinates, then the products that shorten the beam."""
    n = len(eta)
    C = np.zeros((n + len(flex.pairs), n), dtype=eta.dtype)
    C[:n] = np.eye(n)
    for row, (i, j) in enumerate(flex.pairs, n):
        C[row, i] = C[row, i] + eta[j]
        C[row, j] = C[row, j] + eta[i]
    return np.concatenate([eta, np.array([eta[i] * eta[j] for i, j in flex.pairs], dtype=eta.dtype)]), C


def _field_products(flex: Flexibility, c: Vec) -> list[Mat]:
    """P_a = int r psi_a^T dm with r = r0 + sum c_b psi_b (theory 9.12)."""
    return [flex.D[a] + _sum_parts(c[b] * flex.B[b, a] for b in range(len(c))) for a in range(len(c))]


def bent_moments(flex: Flexibility, eta: Vec) -> Moments:
    """First and second moments that bending adds to those of the straight beam; it adds no mass (theory 9.13)."""
    c, _ = modal_amplitudes(flex, eta)
    return _moments_of_bent_beam(flex, c, _field_products(flex, c))


def _moments_of_bent_beam(flex: Flexibility, c: Vec, P: list[Mat]) -> Moments:
    h = _sum_parts(c[a] * flex.A[a] for a in range(len(c)))
    Sigma = np.array(_sum_parts(c[a] * (P[a] + flex.D[a].T) for a in range(len(c))))
    for i, j in ((1, 0), (2, 0), (2, 1)):
        Sigma[i, j] = Sigma[j, i]
    return Moments.of(0.0, h, Sigma)


def modal_momenta(flex: Flexibility, eta: Vec) -> tuple[Mat, Mat]:
    """Momentum (6, n) of the beam for unit modal speeds, frame at rest, and the modal mass (n, n) (theory 9.14)."""
    c, C = modal_amplitudes(flex, eta)
    flow = np.array([join_twist(_cross_moment(P), A) for P, A in zip(_field_products(flex, c), flex.A, strict=True)]).T
    return flow @ C, C.T @ amplitude_gram_matrix(flex) @ C


def amplitude_gram_matrix(flex: Flexibility) -> Mat:
    """Masses of the amplitudes, int psi_a . psi_b dm, (K, K)."""
    return np.trace(flex.B, axis1=2, axis2=3)


def bent_wrench(flex: Flexibility, bend: Bending, t: Vec, t_dot: Vec) -> Vec:
    """Wrench that the bending of a beam needs at its frame, on top of that of the straight beam, (6,) (theory 9.15)."""
    omega = t[:3]
    rigid = newton_euler(_moments_of_bent_beam(flex, bend.c, bend.P), t, t_dot)
    h_dot = _sum_parts(x * A for x, A in zip(bend.c_dot, flex.A, strict=True))
    h_ddot = _sum_parts(x * A for x, A in zip(bend.c_ddot, flex.A, strict=True))
    carried = _sum_parts(x * P for x, P in zip(bend.c_dot, bend.P, strict=True))
    drifting = _sum_parts(x * _cross_moment(P) for x, P in zip(bend.c_ddot, bend.P, strict=True))
    size = carried[0, 0] + carried[1, 1] + carried[2, 2]
    return rigid + join_twist(
        drifting + 2.0 * (size * omega - carried.T @ omega), h_ddot + 2.0 * cross_product(omega, h_dot)
    )


def modal_forces(flex: Flexibility, bend: Bending, t: Vec, t_dot: Vec) -> Vec:
    """Forces along the modal coordinates that the beam's inertia needs, (n,) (theory 9.15)."""
    omega, S, G = t[:3], spin_acceleration_matrix(t[:3], t_dot[:3]), amplitude_gram_matrix(flex)
    K = range(len(bend.c))
    rows = []
    for a in K:
        turning = _sum_parts(bend.c_dot[b] * _cross_moment(flex.B[b, a]) for b in K)
        along = _sum_parts(S[i, j] * bend.P[a][j, i] for i in range(3) for j in range(3))
        rows.append(flex.A[a] @ t_dot[3:] + along + 2.0 * (omega @ turning) + G[a] @ bend.c_ddot)
    return bend.C.T @ np.array(rows)


def bent_kinetic_energy(flex: Flexibility, bend: Bending, t: Vec) -> Any:
    """Kinetic energy on top of that of the straight beam, [J]."""
    frame = 0.5 * (t @ _moments_of_bent_beam(flex, bend.c, bend.P).momentum(t))
    return frame + t @ bent_momentum(flex, bend) + 0.5 * (bend.c_dot @ (amplitude_gram_matrix(flex) @ bend.c_dot))


def bent_momentum(flex: Flexibility, bend: Bending) -> Vec:
    """Momentum of the bending alone about the beam's origin, beam axes, (6,)."""
    parts = (x * join_twist(_cross_moment(P), A) for x, P, A in zip(bend.c_dot, bend.P, flex.A, strict=True))
    return _sum_parts(parts)


def _cross_moment(P: Mat) -> Vec:
    """int r x s dm from int r s^T dm."""
    return stack_scalars(P[1, 2] - P[2, 1], P[2, 0] - P[0, 2], P[0, 1] - P[1, 0])


def _sum_parts(parts: Any) -> Any:
    return reduce(lambda a, b: a + b, parts)
