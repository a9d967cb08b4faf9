"""Composite bodies, generalized inertia matrix (Saha 21-24) and convective inertia (25-29, corrected) on any tree.

With body-fixed components, C = sum_b J_b^T (M_b J_dot_b + B_b J_b), where B_b is Saha's choice of the matrix of
velocity terms carried to the link's frame; it is skew, which makes I_dot - 2 C skew. Sums over bodies become
composite matrices M_tilde and Z_tilde, sums over columns become wrenches walking to the base.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.sums import is_structural_zero
from linkwright.algebra.transforms import Moments, Transform
from linkwright.algebra.vectors import Mat, Vec, skew, twist_bracket
from linkwright.mechanism.tree import Link, Tree
from linkwright.recursion.bending_terms import bent_moments, modal_momenta
from linkwright.recursion.force_elements import cut_rotor_inertia
from linkwright.recursion.twist_recursion import JointMap, Motion, joint_map, motion_of_tree

# --- composite bodies and the generalized inertia matrix (Saha 21-24 on any tree) -------------------------------------


def joint_maps(tree: Tree, q: Vec, v: Vec | None = None) -> list[JointMap]:
    """Every joint's propagation and motion matrix at q (and at velocities v, else at rest)."""
    v = np.zeros(tree.nv) if v is None else v
    return [joint_map(link, q[link.coords], v[link.dofs]) for link in tree.links]


def link_moments(tree: Tree, q: Vec) -> list[Moments]:
    """Moments of every link about its origin; those of a beam depend on how it is bent."""
    found = [link.moments for link in tree.links]
    for i, flex in tree.beams:
        found[i] = found[i] + bent_moments(flex, q[tree.links[i].coords])
    return found


def composite_moments(tree: Tree, A: list[Transform], bodies: list[Moments] | None = None) -> list[Moments]:
    """Moments M_tilde_i of link i and everything beyond it, joints locked (theory 4.1)."""
    M_tilde = [link.moments for link in tree.links] if bodies is None else list(bodies)
    for i in tree.inward:
        k = tree.parent[i]
        if k >= 0:
            M_tilde[k] = M_tilde[k] + A[i].moments_in_parent(M_tilde[i])
    return M_tilde


def tree_mass_matrix(tree: Tree, q: Vec) -> Mat:
    """Generalized inertia matrix, (nv, nv): i_ij = p_i^T M_tilde_i A_ij p_j (theory 4.2), with all joints' rotors."""
    maps = joint_maps(tree, q)
    A, p = [m.A for m in maps], [m.p for m in maps]
    M_tilde = composite_moments(tree, A, link_moments(tree, q))
    inertia = np.diag(tree.rotors) + np.zeros((tree.nv, tree.nv), dtype=q.dtype)
    for i in tree.inward:
        for column, d in zip(p[i].T, _indices_of_dofs(tree.dofs[i]), strict=True):
            w = M_tilde[i].momentum(column)
            _fill_inertia_column(tree, inertia, A, p, i, d, w)
    for i, flex in tree.beams:
        flow, mass = modal_momenta(flex, q[tree.links[i].coords])
        inertia[tree.dofs[i], tree.dofs[i]] = inertia[tree.dofs[i], tree.dofs[i]] + mass
        for w, d in zip(flow.T, _indices_of_dofs(tree.dofs[i]), strict=True):
            _fill_inertia_column(tree, inertia, A, p, i, d, w)
    return inertia + cut_rotor_inertia(tree, A, p) if tree.cut_rotors else inertia


def inertia_diagonal(tree: Tree, q: Vec) -> Vec:
    """The diagonal of the generalized inertia matrix of a tree without beams and rotors outside it, (nv,)."""
    maps = joint_maps(tree, q)
    M_tilde = composite_moments(tree, [m.A for m in maps])
    own = [column @ body.momentum(column) for body, m in zip(M_tilde, maps, strict=True) for column in m.p.T]
    speeds = [d for dofs in tree.dofs for d in _indices_of_dofs(dofs)]
    return np.array(tree.rotors + np.array(own, dtype=q.dtype)[np.argsort(speeds)])


def _fill_inertia_column(tree: Tree, inertia: Mat, A: list[Transform], p: list[Mat], i: int, d: int, w: Vec) -> None:
    """Column d of the inertia and its mirror image: the wrench w walks from link i to the base."""
    for j in tree.ancestors(i):
        for column, e in zip(p[j].T, _indices_of_dofs(tree.dofs[j]), strict=True):
            if j != i or e <= d:
                value = column @ w
                inertia[e, d] = inertia[e, d] + value
                if e != d:
                    inertia[d, e] = inertia[d, e] + value
        w = A[j].T @ w


def _indices_of_dofs(dofs: slice) -> range:
    return range(dofs.start, dofs.stop)


# --- the convective inertia matrix C (Saha 25-29, corrected) on any tree ----------------------------------------------


def tree_convective_matrix(tree: Tree, q: Vec, v: Vec) -> Mat:
    """Matrix of convective inertia terms, (nv, nv) (theory 4.3-4.7)."""
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv), gravity=False)
    M_tilde = [body.M for body in composite_moments(tree, state.A)]
    Z_tilde = _composite_convection(tree, state)
    s = [twist_bracket(state.t[i]) @ state.p[i] + state.p_dot[i] for i in tree.bodies]
    C = np.zeros((tree.nv, tree.nv), dtype=np.result_type(q, v))
    for i in tree.bodies:
        F = M_tilde[i] @ s[i] + Z_tilde[i] @ state.p[i]
        G, E = M_tilde[i] @ state.p[i], Z_tilde[i].T @ state.p[i]
        C[tree.dofs[i], tree.dofs[i]] = state.p[i].T @ F
        for k, j in zip(tree.ancestors(i), tree.ancestors(i)[1:], strict=False):
            F, G, E = (np.array([state.A[k].T @ w for w in W.T]).T.reshape(W.shape) for W in (F, G, E))
            C[tree.dofs[j], tree.dofs[i]] = state.p[j].T @ F
            C[tree.dofs[i], tree.dofs[j]] = G.T @ s[j] + E.T @ state.p[j]
    return C


def _composite_convection(tree: Tree, state: Motion) -> list[Mat]:
    """Z_tilde_i: the matrices B_b - M_b ad(t_b) of link i and everything beyond it, summed at link i."""
    Z_tilde = [
        body_convection(link, state.t[i]) - link.moments.M @ twist_bracket(state.t[i])
        for i, link in enumerate(tree.links)
    ]
    for i in tree.inward:
        k = tree.parent[i]
        if k >= 0:
            A = state.A[i].matrix
            Z_tilde[k] = Z_tilde[k] + A.T @ Z_tilde[i] @ A
    return Z_tilde


def body_convection(link: Link, t: Vec) -> Mat:
    """Saha's velocity terms of one body, seen from the link's origin.

    At the mass center they are diag(I_c w x + w x I_c, m w x). The first block is the cross matrix of
    (tr(Sigma_c) 1 + Sigma_c) w; it is skew, so it does no work. About the origin the mass center shows only in
    (h.h/m) w x, which turns no twist of the link; grouped links without mass leave it out.
    """
    body, omega, arm = link.moments, skew(t[:3]), skew(link.moments.h)
    Sigma = body.Sigma
    size = Sigma[0, 0] + Sigma[1, 1] + Sigma[2, 2] - (0.0 if is_structural_zero(body.m) else body.h @ body.h / body.m)
    return np.block([[skew(size * t[:3] + Sigma @ t[:3]), arm @ omega], [-omega @ arm, body.m * omega]])
