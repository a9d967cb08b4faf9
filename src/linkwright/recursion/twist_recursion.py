"""Twists and twist rates of every body, base to tips, and rates of coordinates (any scalar).

A twist rate here is the ordinary one, as in the papers: [angular acceleration; acceleration of the link's origin], in
link axes. It needs no linear velocities, which saves a third of the operations of the bracket form.
"""

from __future__ import annotations

from dataclasses import field

import numpy as np

from linkwright.algebra.transforms import Transform
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist
from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import Link, Tree
from linkwright.recursion.bending_terms import Bending, bending_amplitudes

# --- the joint that carries a link: twist propagation and motion matrix (any scalar) ----------------------------------


@dataclass(frozen=True, eq=False)
class JointMap:
    """A joint at coordinates q and speeds v.

    A: twist propagation from the parent link to this link. p: motion matrix, joint speeds to relative twist,
    (6, nv), link frame. p_dot: the rate of its components in the link frame, (6, nv).
    """

    A: Transform
    p: Mat
    p_dot: Mat


def joint_map(link: Link, q: Vec, v: Vec) -> JointMap:
    """The joint that carries a link (theory 2.1-2.9; drawn the other way, 2.14-2.17)."""
    R, s, p, p_dot = link.kind.reversed_motion(q, v, link) if link.reversed else link.kind.motion(q, v, link)
    return JointMap(Transform(link.r, link.R * R, s), p, p_dot)


# --- twists and twist rates of every body, base to tips ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Motion:
    """Per link, in link axes at the link's origin; the last entry of t and t_dot is the base.

    A: propagation from the parent, p: motion matrix, p_dot: its rate, t: twist, t_dot: ordinary twist rate;
    bends: how links that carry a beam's modal coordinates are bent.
    """

    A: list[Transform]
    p: list[Mat]
    p_dot: list[Mat]
    t: list[Vec]
    t_dot: list[Vec]
    bends: dict[int, Bending] = field(default_factory=dict)


def motion_of_tree(tree: Tree, q: Vec, v: Vec, a: Vec, gravity: bool = True) -> Motion:
    """Twist t_i and twist rate t_dot_i of every link (theory 3.1-3.3); gravity enters as base acceleration."""
    maps = [joint_map(link, q[link.coords], v[link.dofs]) for link in tree.links]
    A, p, p_dot = [m.A for m in maps], [m.p for m in maps], [m.p_dot for m in maps]
    t, t_dot = rest_twists(tree), rest_twists(tree)
    if gravity:
        t_dot[-1] = join_twist(np.zeros(3), -tree.gravity)
    for i in tree.outward:
        k, d = tree.parent[i], tree.dofs[i]
        t_rel = p[i] @ v[d]
        t[i] = A[i] @ t[k] + t_rel
        t_dot[i] = A[i].rate(t[k], t_dot[k]) + p[i] @ a[d] + p_dot[i] @ v[d] + relative_twist_convection(t[i], t_rel)
    bends = {i: bending_amplitudes(flex, *(x[s] for x, s in _modal_slices(tree, i, q, v, a))) for i, flex in tree.beams}
    return Motion(A, p, p_dot, t, t_dot, bends)


def _modal_slices(tree: Tree, i: int, q: Vec, v: Vec, a: Vec) -> list[tuple[Vec, slice]]:
    link = tree.links[i]
    return [(q, link.coords), (v, link.dofs), (a, link.dofs)]


def rest_twists(tree: Tree) -> list[Vec]:
    """Six zeros for every link and, last, for the base."""
    return [np.zeros(6) for _ in range(len(tree.links) + 1)]


def relative_twist_convection(t: Vec, t_rel: Vec) -> Vec:
    """Rate of a relative twist carried along by a turning link: [w x w_rel; (2 w - w_rel) x v_rel]."""
    omega, omega_rel, vel_rel = t[:3], t_rel[:3], t_rel[3:]
    return join_twist(cross_product(omega, omega_rel), cross_product(2.0 * omega - omega_rel, vel_rel))


# --- from speeds to rates of coordinates, and coordinates kept valid (any scalar) -------------------------------------


def tree_coordinate_rates(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Time derivative of q at speeds v, (nq,)."""
    q_dot = np.zeros(tree.nq, dtype=np.result_type(q, v))
    for link in tree.links:
        q_dot[link.coords] = link.kind.coordinate_rates(q[link.coords], v[link.dofs])
    return q_dot


def normalize_quaternions(tree: Tree, q: Vec) -> Vec:
    """The same coordinates with quaternions brought to unit length, (nq,)."""
    out = np.array(q)
    for own in quaternion_slices(tree):
        wxyz = q[own]
        out[own] = wxyz / np.sqrt(wxyz @ wxyz)
    return out


def quaternion_slices(tree: Tree) -> list[slice]:
    """Slices of the quaternions in q."""
    slices = []
    for link in tree.links:
        if link.kind.has_quaternion:
            slices.append(slice(link.coords.stop - 4, link.coords.stop))
    return slices


def advance_coordinates(tree: Tree, q: Vec, dv: Vec) -> Vec:
    """q moved by the small displacement dv, given as speeds over a unit of time (nv,); quaternions stay unit."""
    return normalize_quaternions(tree, q + tree_coordinate_rates(tree, q, dv))
