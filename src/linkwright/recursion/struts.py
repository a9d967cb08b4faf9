"""Springs and dampers between points of two bodies."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.sums import is_zero, known
from linkwright.algebra.vectors import Vec, cross, twist
from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import Tree, TreeStrut
from linkwright.numerics.tolerances import COINCIDENT_SQUARED
from linkwright.recursion.frame_poses import WORLD, FramePose, chained_poses
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.motion import Motion


@dataclass(frozen=True, eq=False)
class PulledStrut:
    """A strut in motion.

    Attributes:
        strut: the strut. distance: of its ends [m]. rate: of the distance [m/s].
        along: unit vector from the parent's end to the child's, world axes.
        poses: of all links, and last of the world.
    """

    strut: TreeStrut
    distance: Any
    rate: Any
    along: Vec
    poses: list[FramePose]

    def wrenches(self, tree: Tree, tension: Any) -> tuple[tuple[int, Vec], tuple[int, Vec]]:
        """Per end its link and the wrench of a tension on it, link axes, at the link's origin."""
        strut, pull = self.strut, tension * self.along
        return self._at(tree, strut.parent, strut.at, pull), self._at(tree, strut.child, strut.child_at, -pull)

    def _at(self, tree: Tree, i: int, at: Vec, force: Vec) -> tuple[int, Vec]:
        local = self.poses[i].R.T @ force
        return i, twist(cross(_point(tree, i, at), local), local)


def pulled_struts(tree: Tree, state: Motion) -> list[PulledStrut]:
    """The struts in motion."""
    poses = [*chained_poses(tree, state.A), WORLD] if tree.struts else []
    return [_pulled(tree, strut, poses, state) for strut in tree.struts]


def _pulled(tree: Tree, strut: TreeStrut, poses: list[FramePose], state: Motion) -> PulledStrut:
    d = _end(tree, strut.child, strut.child_at, poses) - _end(tree, strut.parent, strut.at, poses)
    distance = _distance(strut, d)
    along = d / distance
    vel = _velocity(tree, strut.child, strut.child_at, poses, state)
    rate = along @ (vel - _velocity(tree, strut.parent, strut.at, poses, state))
    return PulledStrut(strut, distance, rate, along, poses)


def _distance(strut: TreeStrut, d: Vec) -> Any:
    """Length of the vector d between a strut's ends.

    A strut whose free length may be zero may also have its ends in one point: there its direction is zero and so is
    its pull, k d, with the derivative k. One that is longer pushes its ends apart and never gets there.
    """
    squared = d @ d
    return np.sqrt(squared if known(strut.length) else squared + COINCIDENT_SQUARED)


def strut_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of the struts on every link, link axes, at the link's origin."""
    w = [np.zeros(6) for _ in range(len(tree.links) + 1)]
    for pulled in pulled_struts(tree, state):
        strut = pulled.strut
        tension = strut.stiffness * (pulled.distance - strut.length)
        if not is_zero(strut.damping):
            tension = tension + strut.damping * pulled.rate
        for i, wrench in pulled.wrenches(tree, tension):
            w[i] = w[i] + wrench
    return w[:-1]


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
        stretch = _distance(strut, d) - strut.length
        total = total + 0.5 * strut.stiffness * stretch * stretch
    return total
