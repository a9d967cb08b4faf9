"""Force elements on the channels they act along: forces at the tree's joints, stored energy and lost power of all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.forces.element import ForceElement
from linkwright.mechanism.tree import Tree
from linkwright.recursion.cut_joints import resisting_joints
from linkwright.recursion.point_forces import moving_points
from linkwright.recursion.twist_recursion import motion_of_tree


def passive_forces(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Forces of elements at the tree's joints that a drive must overcome, without inertia, (nv,)."""
    force = np.zeros(tree.nv, dtype=np.result_type(q, v, float))
    for each in tree.joint_forces:
        force[each.speed] = force[each.speed] + each.element.channel_force(each.deflection(q), v[each.speed])
    return force


def channel_values(tree: Tree, q: Vec, v: Vec) -> Iterator[tuple[ForceElement, Any, Any]]:
    """Every force element with its channel x and the rate of x."""
    for each in tree.joint_forces:
        yield each.element, each.deflection(q), v[each.speed]
    if not (tree.cut_joints or tree.point_forces):
        return
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    for moving in moving_points(tree, state):
        yield moving.force.element, moving.distance, moving.rate
    for joint in resisting_joints(tree, state.A):
        rates = joint.rates(joint.motion(state))
        yield from ((element, joint.deflection(element), rates[element.part]) for element in joint.cut.forces)


def stored_energy(tree: Tree, q: Vec) -> Any:
    """Energy stored in force elements, [J]."""
    return sum((element.stored_energy(x) for element, x, _ in channel_values(tree, q, np.zeros(tree.nv))), 0.0)


def lost_power(tree: Tree, q: Vec, v: Vec) -> Any:
    """Power that force elements take away, [W]."""
    return sum((element.lost_power(x, x_dot) for element, x, x_dot in channel_values(tree, q, v)), 0.0)
