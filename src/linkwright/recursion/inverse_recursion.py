"""Inverse dynamics: forces that make a motion (Saha's RIDIM on any tree) and wrenches inside the joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform, Transform, newton_euler, wrench_at
from linkwright.algebra.vectors import Vec, cross_product, join_twist
from linkwright.mechanism.tree import Tree
from linkwright.recursion.bending_terms import bent_wrench, modal_forces
from linkwright.recursion.force_elements import element_wrenches, passive_forces
from linkwright.recursion.twist_recursion import Motion, motion_of_tree

# --- inverse dynamics: from a motion to the forces that make it (Saha's RIDIM on any tree) ----------------------------


def tree_inverse_dynamics(tree: Tree, q: Vec, v: Vec, a: Vec, w_ext: list[Vec] | None = None) -> Vec:
    """Tree forces tau, (nv,), [N m or N], that produce a; friction, springs and rotors included (theory 3.4-3.6)."""
    state = motion_of_tree(tree, q, v, a)
    return forces_along_joints(tree, state, w_ext) + passive_forces(tree, q, v) + tree.rotors * a


def forces_along_joints(tree: Tree, state: Motion, w_ext: list[Vec] | None = None) -> Vec:
    """Forces along the joints' freedoms that the bodies need for a motion, (nv,)."""
    w = transmitted_wrenches(tree, state, w_ext)
    tau = np.zeros(tree.nv, dtype=np.result_type(*w))
    for i in tree.bodies:
        tau[tree.dofs[i]] = tau[tree.dofs[i]] + state.p[i].T @ w[i]  # sections of a beam share their speeds
    for i, flex in tree.beams:
        bent = modal_forces(flex, state.bends[i], state.t[i], state.t_dot[i])
        tau[tree.dofs[i]] = tau[tree.dofs[i]] + bent
    return tau


def transmitted_wrenches(tree: Tree, state: Motion, w_ext: list[Vec] | None = None) -> list[Vec]:
    """Wrench w_i of the parent on every link through its joint, link axes, at the link's origin (theory 3.4-3.5)."""
    w = wrenches_for_motion(tree, state, w_ext)
    for i in tree.inward:
        k = tree.parent[i]
        if k >= 0:
            w[k] = w[k] + state.A[i].T @ w[i]
    return w


def wrenches_for_motion(tree: Tree, state: Motion, w_ext: list[Vec] | None = None) -> list[Vec]:
    """Wrench each link needs from its joints for its own motion, external wrenches taken off."""
    w = [newton_euler(tree.links[i].moments, state.t[i], state.t_dot[i]) for i in tree.bodies]
    for i, flex in tree.beams:
        w[i] = w[i] + bent_wrench(flex, state.bends[i], state.t[i], state.t_dot[i])
    for given in element_wrenches(tree, state):
        w = [w_i - w_f for w_i, w_f in zip(w, given, strict=True)]
    return w if w_ext is None else [w_i - w_e for w_i, w_e in zip(w, w_ext, strict=True)]


def tree_bias_forces(tree: Tree, q: Vec, v: Vec, w_ext: list[Vec] | None = None) -> Vec:
    """Forces h at zero acceleration: velocity terms, gravity, springs, friction, (nv,)."""
    return tree_inverse_dynamics(tree, q, v, np.zeros(tree.nv), w_ext)


def tree_gravity_forces(tree: Tree, q: Vec) -> Vec:
    """Forces that hold the tree still against gravity, less what gravity compensation carries, (nv,)."""
    rest = np.zeros(tree.nv)
    return forces_along_joints(replace(tree, point_forces=(), cut_joints=()), motion_of_tree(tree, q, rest, rest))


# --- wrenches inside the joints ---------------------------------------------------------------------------------------


def parent_wrenches_on_links(tree: Tree, q: Vec, v: Vec, a: Vec, w_ext: list[Vec] | None = None) -> list[Vec]:
    """Wrench of the parent on each link through its joint, (6,), link axes, at the link's origin.

    It holds everything the joint carries: the constraint wrench and, along the joint's freedoms, the forces of drive,
    spring and friction. A rotor's own inertia torque acts inside the drive and is not part of it.
    """
    return transmitted_wrenches(tree, motion_of_tree(tree, q, v, a), w_ext)


def tree_joint_reactions(tree: Tree, q: Vec, v: Vec, a: Vec, w_ext: list[Vec] | None = None) -> list[Vec]:
    """Wrench of each joint's parent on its child as the file draws them, (6,), child axes, at the child's joint frame.

    Per link, of the joint that carries it; what it holds is that of `parent_wrenches_on_links`.
    """
    state = motion_of_tree(tree, q, v, a)
    wrenches = transmitted_wrenches(tree, state, w_ext)
    return [_as_drawn(tree, i, state.A[i], w) for i, w in enumerate(wrenches)]


def _as_drawn(tree: Tree, i: int, A: Transform, w: Vec) -> Vec:
    """The wrench w of the parent link on link i, or the opposite one at the parent's side of a reversed joint."""
    link = tree.links[i]
    if not link.reversed:
        return wrench_at(w, RigidTransform(rows=link.body.rows))
    opposite = join_twist(-(A.R @ (w[:3] + cross_product(A.s, w[3:]))), -(A.R @ w[3:]))
    return wrench_at(opposite, RigidTransform(rows=tree.links[link.parent].body.rows) if link.parent >= 0 else IDENTITY)
