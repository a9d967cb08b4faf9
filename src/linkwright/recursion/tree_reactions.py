"""Wrenches inside the joints."""

from __future__ import annotations

from linkwright.algebra.rigid_transform import IDENTITY, RigidTransform, wrench_at
from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Vec, cross_product, join_twist
from linkwright.mechanism.tree import Tree
from linkwright.recursion.inverse_recursion import transmitted_wrenches
from linkwright.recursion.twist_recursion import motion_of_tree


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
