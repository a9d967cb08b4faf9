"""Springs and dampers between points of two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.sums import is_zero
from linkwright.algebra.vectors import Vec, cross, twist
from linkwright.mechanism.tree import Tree, TreeStrut
from linkwright.recursion.frame_poses import WORLD, FramePose, chained_poses
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.motion import Motion


def strut_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of the struts on every link, link axes, at the link's origin."""
    poses = [*chained_poses(tree, state.A), WORLD]
    w = [np.zeros(6) for _ in range(len(tree.links) + 1)]
    for strut in tree.struts:
        pull = _pull(tree, strut, poses, state)
        for i, at, force in ((strut.parent, strut.at, pull), (strut.child, strut.child_at, -pull)):
            local = poses[i].R.T @ force
            w[i] = w[i] + twist(cross(_point(tree, i, at), local), local)
    return w[:-1]


def _pull(tree: Tree, strut: TreeStrut, poses: list[FramePose], state: Motion) -> Vec:
    """Force on the parent's end towards the child's, world axes."""
    d = _end(tree, strut.child, strut.child_at, poses) - _end(tree, strut.parent, strut.at, poses)
    distance = np.sqrt(d @ d)
    tension = strut.stiffness * (distance - strut.length)
    along = d / distance
    if not is_zero(strut.damping):
        vel = _velocity(tree, strut.child, strut.child_at, poses, state)
        tension = tension + strut.damping * (along @ (vel - _velocity(tree, strut.parent, strut.at, poses, state)))
    return tension * along


def _point(tree: Tree, i: int, at: Vec) -> Vec:
    """A point of a body's frame in the link's frame."""
    if i < 0:
        return at
    body = tree.links[i].body
    return body.r + body.R @ at


def _end(tree: Tree, i: int, at: Vec, poses: list[FramePose]) -> Vec:
    return poses[i].r + poses[i].R @ _point(tree, i, at)


def _velocity(tree: Tree, i: int, at: Vec, poses: list[FramePose], state: Motion) -> Vec:
    t = state.t[i]
    return poses[i].R @ (t[3:] + cross(t[:3], _point(tree, i, at)))


def strut_energy(tree: Tree, q: Vec) -> Any:
    """Energy stored in the struts' springs, [J]."""
    if not tree.struts:
        return 0.0
    poses = [*chained_poses(tree, [m.A for m in joint_maps(tree, q)]), WORLD]
    total: Any = 0.0
    for strut in tree.struts:
        d = _end(tree, strut.child, strut.child_at, poses) - _end(tree, strut.parent, strut.at, poses)
        stretch = np.sqrt(d @ d) - strut.length
        total = total + 0.5 * strut.stiffness * stretch * stretch
    return total
