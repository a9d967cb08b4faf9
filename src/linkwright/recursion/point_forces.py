"""Force elements between points of two bodies, in motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec, cross_product, join_twist, reproducible_product
from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import Tree, TreePointForce
from linkwright.numerics.tolerances import COINCIDENT_SQUARED
from linkwright.recursion.frame_poses import WORLD, FramePose, chained_poses
from linkwright.recursion.twist_recursion import Motion


@dataclass(frozen=True, eq=False)
class MovingPoints:
    """The two points of an element in motion.

    Attributes:
        force: the element and its ends. distance: of its ends [m]. rate: of the distance [m/s].
        along: unit vector from the parent's end to the child's, world axes.
        poses: of all links, and last of the world.
    """

    force: TreePointForce
    distance: Any
    rate: Any
    along: Vec
    poses: list[FramePose]

    def wrenches(self, tree: Tree, tension: Any) -> tuple[tuple[int, Vec], tuple[int, Vec]]:
        """Per end its link and the wrench of a tension on it, link axes, at the link's origin."""
        force, pull = self.force, tension * self.along
        return self._at(tree, force.parent, force.at, pull), self._at(tree, force.child, force.child_at, -pull)

    def _at(self, tree: Tree, i: int, at: Vec, force: Vec) -> tuple[int, Vec]:
        local = self.poses[i].R.T @ force
        return i, join_twist(cross_product(_point_in_link(tree, i, at), local), local)


def moving_points(tree: Tree, state: Motion) -> list[MovingPoints]:
    """The elements between points, in motion."""
    poses = [*chained_poses(tree, state.A), WORLD] if tree.point_forces else []
    return [_moving_points(tree, force, poses, state) for force in tree.point_forces]


def _moving_points(tree: Tree, force: TreePointForce, poses: list[FramePose], state: Motion) -> MovingPoints:
    d = _vector_between_ends(tree, force, poses)
    distance = _distance_of_ends(force, d)
    along = d / distance
    vel = _velocity_of_end(tree, force.child, force.child_at, poses, state)
    rate = along @ (vel - _velocity_of_end(tree, force.parent, force.at, poses, state))
    return MovingPoints(force, distance, rate, along, poses)


def _distance_of_ends(force: TreePointForce, d: Vec) -> Any:
    """Length of the vector d between an element's ends; where they may meet, the direction there is zero."""
    squared = d @ d
    return np.sqrt(squared + COINCIDENT_SQUARED if force.element.may_vanish else squared)


def point_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of the elements between points on every link, link axes, at the link's origin."""
    w = [np.zeros(6) for _ in range(len(tree.links) + 1)]
    for moving in moving_points(tree, state):
        tension = moving.force.element.channel_force(moving.distance, moving.rate)
        for i, wrench in moving.wrenches(tree, tension):
            w[i] = w[i] + wrench
    return w[:-1]


def _point_in_link(tree: Tree, i: int, at: Vec) -> Vec:
    """A point of a body's frame in the link's frame."""
    if i < 0:
        return at
    body = tree.links[i].body
    return body.r + reproducible_product(body.R, at)


def _vector_between_ends(tree: Tree, force: TreePointForce, poses: list[FramePose]) -> Vec:
    """Vector between an element's ends, world axes."""
    return _end_in_world(tree, force.child, force.child_at, poses) - _end_in_world(tree, force.parent, force.at, poses)


def _end_in_world(tree: Tree, i: int, at: Vec, poses: list[FramePose]) -> Vec:
    return poses[i].r + poses[i].R @ _point_in_link(tree, i, at)


def _velocity_of_end(tree: Tree, i: int, at: Vec, poses: list[FramePose], state: Motion) -> Vec:
    t = state.t[i]
    return poses[i].R @ (t[3:] + cross_product(t[:3], _point_in_link(tree, i, at)))
