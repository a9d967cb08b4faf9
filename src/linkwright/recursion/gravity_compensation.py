"""Gravity compensation: a force against gravity at the center of mass of single bodies (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec, cross_product, join_twist, reproducible_product
from linkwright.mechanism.tree import Tree
from linkwright.recursion.poses import link_poses
from linkwright.recursion.twist_recursion import Motion


def lift_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of the gravity compensation on every link, link axes, at the link's origin (theory 3.4)."""
    w = [np.zeros(6) for _ in tree.links]
    for lift, g in zip(tree.lifts, weights_of_lifted_links(tree, state), strict=True):
        body = tree.links[lift.link].body
        force = -lift.share * g
        h = lift.m * body.r + reproducible_product(body.R, lift.h)
        w[lift.link] = join_twist(cross_product(h, force), lift.m * force)
    return w


def weights_of_lifted_links(tree: Tree, state: Motion) -> list[Vec]:
    """Gravity in the axes of every link that has gravity compensation."""
    if not tree.lifts:
        return []
    g: list[Any] = [tree.gravity] * (len(tree.links) + 1)
    for i in tree.outward:
        g[i] = state.A[i].R.T @ g[tree.parent[i]]
    return [g[lift.link] for lift in tree.lifts]


def lift_energy(tree: Tree, q: Vec) -> Any:
    """Potential energy of the gravity compensation, zero at the world's origin, [J]."""
    if not tree.lifts:
        return 0.0
    poses = link_poses(tree, q)
    total: Any = 0.0
    for lift in tree.lifts:
        link, pose = tree.links[lift.link], poses[lift.link]
        h = lift.m * pose.r + pose.R @ (lift.m * link.body.r + reproducible_product(link.body.R, lift.h))
        total = total + lift.share * (tree.gravity @ h)
    return total
