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
    """Per free speed d: psi_hat_d = M_hat p_d, psi_d = psi_hat_d / m_hat_d, m_hat_d. Per link: the columns p_d of its
    free speeds, and the articulated mass that is left when these are eliminated."""

    psi: list[Vec]
    psi_hat: list[Vec]
    m_hat: list[Any]
    columns: list[list[tuple[Vec, int]]]
    rest: list[Mat]


def articulated_body_masses(
    tree: Tree, A: list[Transform], p: list[Mat], free: frozenset[int] | None = None
) -> Articulation:
    """Articulated masses from the tips inward (theory 5.1-5.4); only the `free` speeds are eliminated, by default all.

    A link at and beyond which nothing is free is a composite body (theory 4.1), which takes fewer operations.
    """
    columns = [
        [(column, d) for column, d in _velocity_columns_of_link(tree, p, i) if free is None or d in free]
        for i in tree.bodies
    ]
    M_tilde, loose = [link.moments for link in tree.links], {i for i in tree.bodies if columns[i]}
    for i in tree.inward:
        k = tree.parent[i]
        if i in loose:
            loose.add(k)
        elif k >= 0:
            M_tilde[k] = M_tilde[k] + A[i].moments_in_parent(M_tilde[i])
    M_hat = [body.M for body in M_tilde]
    psi, psi_hat, m_hat = ([np.zeros(0)] * tree.nv for _ in range(3))
    for i in tree.inward:
        for column, d in reversed(columns[i]):
            psi_hat[d] = M_hat[i] @ column
            m_hat[d] = _some_mass(tree, i, column @ psi_hat[d] + tree.rotors[d])
            psi[d] = psi_hat[d] / m_hat[d]
            M_hat[i] = M_hat[i] - symmetric_outer(psi_hat[d], psi[d], column)
        k = tree.parent[i]
        if k >= 0 and i in loose:
            M_hat[k] = M_hat[k] + A[i].congruence(M_hat[i])
    return Articulation(psi, psi_hat, m_hat, columns, M_hat)


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
    if not can_sweep(tree):
        return composite_dynamics(tree, q, v, tau, w_ext)
    found = swept_hybrid_dynamics(tree, frozenset(range(tree.nv)), q, v, np.zeros(tree.nv), tau, w_ext)
    return found.a, found.m_hat


def can_sweep(tree: Tree) -> bool:
    """True if speeds can be eliminated link by link."""
    return not (tree.beams or tree.cut_rotors)


@dataclass(frozen=True, eq=False)
class HybridMotion:
    """All tree forces and accelerations, (nv,) each, and the pivots m_hat of the free speeds in their order."""

    tau: Vec
    a: Vec
    m_hat: Vec


def swept_hybrid_dynamics(
    tree: Tree, free: frozenset[int], q: Vec, v: Vec, a: Vec, tau: Vec, w_ext: list[Vec] | None = None
) -> HybridMotion:
    """Accelerations that forces tau give the free speeds, and forces that give all others their accelerations a.

    Three sweeps that eliminate the free speeds alone; with all of them free this is forward dynamics (theory 5.5-5.9,
    5.11). What `a` says of a free speed is where its acceleration is counted from, and `tau` of the others nothing.
    """
    state = motion_of_tree(tree, q, v, a)
    art = articulated_body_masses(tree, state.A, state.p, free)
    resistance = passive_forces(tree, q, v) + tree.rotors * a
    eta, tau_tilde = _inward_sweep(tree, state, art, tau - resistance, w_ext)
    mu, kind = rest_twists(tree), np.result_type(*eta)
    tau, a = np.array(tau, dtype=kind), np.array(a, dtype=kind)
    for i in tree.outward:
        mu[i] = state.A[i] @ mu[tree.parent[i]]
        for column, d in _velocity_columns_of_link(tree, state.p, i):
            if d not in free:
                tau[d] = column @ eta[i] + (art.rest[i] @ column) @ mu[i] + resistance[d]
        for column, d in art.columns[i]:
            step = tau_tilde[d] - art.psi[d] @ mu[i]
            a[d], mu[i] = a[d] + step, mu[i] + column * step
    return HybridMotion(tau, a, np.array([art.m_hat[d] for d in sorted(free)]))


def _inward_sweep(
    tree: Tree, state: Motion, art: Articulation, phi: Vec, w_ext: list[Vec] | None
) -> tuple[list[Vec], list[Vec]]:
    """eta and tau_tilde = D^-1 U^-1 (phi - bias): bias wrenches and psi tau_hat walk to the base together."""
    eta = wrenches_for_motion(tree, state, w_ext)
    tau_tilde = [np.zeros(0)] * tree.nv
    for i in tree.inward:
        for column, d in reversed(art.columns[i]):
            tau_hat = phi[d] - column @ eta[i]
            tau_tilde[d] = tau_hat / art.m_hat[d]
            eta[i] = eta[i] + art.psi[d] * tau_hat
        k = tree.parent[i]
        if k >= 0:
            eta[k] = eta[k] + state.A[i].T @ eta[i]
    return eta, tau_tilde


# --- forward dynamics from composite bodies ---------------------------------------------------------------------------


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
    if not can_sweep(tree):
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
