"""Forward dynamics by reverse Gaussian elimination: I = U D U^T (Saha 40-55, RFDSIM on any tree).

The elimination runs from the tips to the base; M_hat_i is the articulated body i, the inertia that link i shows when
the joints beyond it are free. A joint with several speeds is eliminated one speed at a time, last speed first, which
is the same elimination; p_j are then the columns of its motion matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.sums import is_one, is_structural_zero
from linkwright.algebra.transforms import Transform
from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.mechanism.tree import Tree
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.inertia import joint_maps, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces, wrenches_for_motion
from linkwright.recursion.twist_recursion import Motion, motion_of_tree, rest_twists

# --- reverse Gaussian elimination of an explicit symmetric matrix: I = U D U^T (Saha 40-55), any scalar ---------------


def factor_udu(inertia: Mat, order: list[int] | None = None) -> tuple[Mat, Vec]:
    """Unit triangular U and pivots D (n,) with inertia = U diag(D) U^T.

    The elimination starts at the end of `order` (last row by default); a tree's outward order causes no fill-in.
    """
    order = list(range(len(inertia))) if order is None else order
    L = np.array(inertia)
    U = np.eye(len(L)) + 0.0 * L
    D = np.array(np.diag(L))
    for position in reversed(range(len(order))):
        k, above = order[position], order[:position]
        D[k] = L[k, k]
        for i in above:
            U[i, k] = L[i, k] / D[k]
        for n, i in enumerate(above):
            for j in above[: n + 1]:
                L[i, j] = L[j, i] = L[i, j] - U[i, k] * L[j, k]
    return U, D


def udu_solve(U: Mat, D: Vec, b: Vec, order: list[int] | None = None) -> Vec:
    """Solve U diag(D) U^T x = b by three sweeps."""
    order = list(range(len(b))) if order is None else order
    x = np.array(b, dtype=np.result_type(b, D))
    for position in reversed(range(len(order))):
        k = order[position]
        for i in order[:position]:
            x[i] = x[i] - U[i, k] * x[k]
    x = x / D
    for position, k in enumerate(order):
        for i in order[:position]:
            x[k] = x[k] - U[i, k] * x[i]
    return x


def outward_speeds(tree: Tree) -> list[int]:
    """The speeds in the order in which the tree is walked outward."""
    order = [d for i in tree.outward for d in range(tree.dofs[i].start, tree.dofs[i].stop)]
    return list(dict.fromkeys(order))  # sections of a beam share their speeds


# --- forward dynamics by reverse Gaussian elimination -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Articulation:
    """Per speed d: psi_hat_d = M_hat p_d, psi_d = psi_hat_d / m_hat_d, m_hat_d; per link the articulated mass M_hat."""

    psi: list[Vec]
    psi_hat: list[Vec]
    m_hat: list[Vec]
    M_hat: list[Mat]


def articulated_body_masses(tree: Tree, A: list[Transform], p: list[Mat]) -> Articulation:
    """Articulated masses from the tips inward (theory 5.1-5.4)."""
    M_hat = [link.moments.M for link in tree.links]
    psi, psi_hat, m_hat = ([np.zeros(0)] * tree.nv for _ in range(3))
    for i in tree.inward:
        M = M_hat[i]
        for column, d in reversed(_velocity_columns_of_link(tree, p, i)):
            psi_hat[d] = M @ column
            m_hat[d] = _some_mass(tree, i, column @ psi_hat[d] + tree.rotors[d])
            psi[d] = psi_hat[d] / m_hat[d]
            M = M - symmetric_outer(psi_hat[d], psi[d], column)
        k = tree.parent[i]
        if k >= 0:
            M_hat[k] = M_hat[k] + A[i].congruence(M)
    return Articulation(psi, psi_hat, m_hat, M_hat)


def _some_mass(tree: Tree, i: int, m_hat: Any) -> Any:
    """The articulated mass that a speed of joint i moves; refused when it is zero in every configuration."""
    if is_structural_zero(m_hat):
        raise MechanismError(
            f"joint '{tree.links[i].joint}' can move without moving any mass, so its acceleration is not determined; "
            f"give '{tree.links[i].name}' or what it carries a mass or an inertia, or make the joint fixed"
        )
    return m_hat


def tree_forward_dynamics(tree: Tree, q: Vec, v: Vec, tau: Vec, w_ext: list[Vec] | None = None) -> Vec:
    """Accelerations a, (nv,), that tree forces tau produce; three sweeps (theory 5.5-5.9)."""
    return swept_dynamics(tree, q, v, tau, w_ext)[0]


def swept_dynamics(tree: Tree, q: Vec, v: Vec, tau: Vec, w_ext: list[Vec] | None = None) -> tuple[Vec, Vec]:
    """The same, and the pivots m_hat of the elimination, (nv,).

    Speeds that several links share, as those of a beam, cannot be swept, nor rotors at joints outside the tree, which
    couple its branches; then composite bodies serve.
    """
    if tree.beams or tree.cut_rotors:
        return composite_dynamics(tree, q, v, tau, w_ext)
    still = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    art = articulated_body_masses(tree, still.A, still.p)
    phi = tau - passive_forces(tree, q, v)
    tau_tilde = _inward_sweep(tree, still, art, phi, w_ext)
    return _outward_sweep(tree, still, art, tau_tilde), np.array(art.m_hat)


def _inward_sweep(tree: Tree, still: Motion, art: Articulation, phi: Vec, w_ext: list[Vec] | None) -> list[Vec]:
    """tau_tilde = D^-1 U^-1 (phi - bias): bias wrenches and eta = psi tau_hat walk to the base together."""
    w = wrenches_for_motion(tree, still, w_ext)
    tau_tilde = [np.zeros(0)] * tree.nv
    for i in tree.inward:
        eta = w[i]
        for column, d in reversed(_velocity_columns_of_link(tree, still.p, i)):
            tau_hat = phi[d] - column @ eta
            tau_tilde[d] = tau_hat / art.m_hat[d]
            eta = eta + art.psi[d] * tau_hat
        k = tree.parent[i]
        if k >= 0:
            w[k] = w[k] + still.A[i].T @ eta
    return tau_tilde


def _outward_sweep(tree: Tree, still: Motion, art: Articulation, tau_tilde: list[Vec]) -> Vec:
    """a = U^-T tau_tilde: mu_i is the acceleration of link i beyond that of the bias motion."""
    mu = rest_twists(tree)
    a = np.array(tau_tilde)
    for i in tree.outward:
        mu[i] = still.A[i] @ mu[tree.parent[i]]
        for column, d in _velocity_columns_of_link(tree, still.p, i):
            a[d] = tau_tilde[d] - art.psi[d] @ mu[i]
            mu[i] = mu[i] + column * a[d]
    return a


def composite_forward_dynamics(tree: Tree, q: Vec, v: Vec, tau: Vec, w_ext: list[Vec] | None = None) -> Vec:
    """The same accelerations from composite bodies and the factored inertia matrix; cheaper for short chains."""
    return composite_dynamics(tree, q, v, tau, w_ext)[0]


def composite_dynamics(tree: Tree, q: Vec, v: Vec, tau: Vec, w_ext: list[Vec] | None = None) -> tuple[Vec, Vec]:
    """The same, and the pivots D of the elimination, (nv,)."""
    order = outward_speeds(tree)
    U, D = factor_udu(tree_mass_matrix(tree, q), order)
    return udu_solve(U, D, tau - tree_bias_forces(tree, q, v, w_ext), order), D


def articulated_udu(tree: Tree, q: Vec) -> tuple[Mat, Vec]:
    """Factors U (unit upper triangular in the tree's order, (nv, nv)) and D (nv,) with inertia = U diag(D) U^T."""
    if tree.beams or tree.cut_rotors:
        return factor_udu(tree_mass_matrix(tree, q), outward_speeds(tree))
    maps = joint_maps(tree, q)
    A, p = [m.A for m in maps], [m.p for m in maps]
    art = articulated_body_masses(tree, A, p)
    U = np.eye(tree.nv) + np.zeros((tree.nv, tree.nv), dtype=q.dtype)
    for i in tree.bodies:
        for d in range(tree.dofs[i].start, tree.dofs[i].stop):
            _fill_column(tree, U, A, p, i, d, art.psi[d])
    return U, np.array(art.m_hat)


def _fill_column(tree: Tree, U: Mat, A: list[Transform], p: list[Mat], i: int, d: int, psi: Vec) -> None:
    for j in tree.ancestors(i):
        for column, e in _velocity_columns_of_link(tree, p, j):
            if j != i or e < d:
                U[e, d] = column @ psi
        psi = A[j].T @ psi


def symmetric_outer(psi_hat: Vec, psi: Vec, column: Vec) -> Mat:
    """psi_hat psi^T, which is symmetric because psi is psi_hat scaled; each pair of entries computed once.

    Where the joint's column is a unit vector psi is exactly one, and that row repeats psi_hat without round-off: what
    the joint frees leaves M as exact zeros.
    """
    unit = [is_one(x) for x in column]
    order = sorted(range(len(psi)), key=lambda i: (unit[i], i))
    out = np.array([psi_hat] * len(psi), dtype=np.result_type(psi_hat, psi))
    for n, j in enumerate(order):
        for i in order[: n + 1]:
            out[i, j] = out[j, i] = psi_hat[i] * psi[j]
    return out


def _velocity_columns_of_link(tree: Tree, p: list[Mat], i: int) -> list[tuple[Vec, int]]:
    """The columns of link i's motion matrix with the speeds they belong to."""
    return list(zip(p[i].T, range(tree.dofs[i].start, tree.dofs[i].stop), strict=True))
