"""Unit motions of all velocities as screws in the world: what a point of any body gains by them follows at once."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist
from linkwright.functions.definition import compiled
from linkwright.functions.setup import Setup
from linkwright.recursion import poses
from linkwright.recursion.twist_recursion import motion_of_tree


@compiled("q")
def velocity_screws(setup: Setup, q: Vec) -> Mat:
    """Twist that a unit of each velocity gives to all links behind it, (nv, 6), world axes, at the world's origin."""
    tree, still = setup.simplified, np.zeros(setup.simplified.nv)
    rows = np.zeros((tree.nv, 6), dtype=q.dtype)
    if not tree.nv:
        return rows
    motion = motion_of_tree(tree, q, still, still, gravity=False)
    for pose, p, dofs in zip(poses.link_poses(tree, q), motion.p, tree.dofs, strict=True):
        for k, column in zip(range(dofs.start, dofs.stop), p.T, strict=True):
            angular = pose.R @ column[:3]
            rows[k] = join_twist(angular, pose.R @ column[3:] + cross_product(pose.r, angular))
    return rows
