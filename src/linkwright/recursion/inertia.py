"""Composite bodies and the generalized inertia matrix (Saha 21-24 on any tree)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Mat, Vec
from linkwright.mechanism.tree import Tree
from linkwright.recursion.bending_terms import bent_moments, modal_momenta
from linkwright.recursion.cut_joints import cut_rotor_inertia
from linkwright.recursion.joint_propagation import JointMap, joint_map


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
            M_tilde[k] = M_tilde[k] + A[i].composed(M_tilde[i])
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
