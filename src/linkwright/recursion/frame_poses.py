"""Link frames chained_poses in the world, from the transforms between them (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Mat, Vec
from linkwright.mechanism.tree import Tree


@dataclass(frozen=True, eq=False)
class FramePose:
    """Origin r [m] and axes R (columns) in the world."""

    r: Vec
    R: Mat


WORLD = FramePose(np.zeros(3), np.eye(3))


def chained_poses(tree: Tree, A: list[Transform]) -> list[FramePose]:
    """World poses of all link frames (theory 2.10)."""
    poses: list[FramePose] = [WORLD] * (len(tree.links) + 1)
    for i in tree.outward:
        k = tree.parent[i]
        poses[i] = FramePose(poses[k].r + poses[k].R @ A[i].origin, poses[k].R @ A[i].R.matrix)
    return poses[:-1]
