"""Link frames chained in the world or in another link, from the transforms between them (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rigid_transform import RigidTransform
from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Mat, Vec, reproducible_product
from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import Tree


@dataclass(frozen=True, eq=False)
class FramePose:
    """Origin r [m] and axes R (columns) in the world."""

    r: Vec
    R: Mat


WORLD = FramePose(np.zeros(3), np.eye(3))


def chained_poses(tree: Tree, A: list[Transform], top: int = -1) -> list[FramePose]:
    """Poses of all link frames in the world (theory 2.10), or of those beyond a link `top` in its frame."""
    poses: list[FramePose] = [WORLD] * (len(tree.links) + 1)
    for i in tree.outward if top < 0 else tree.beyond(top):
        k = tree.parent[i]
        poses[i] = FramePose(
            poses[k].r + reproducible_product(poses[k].R, A[i].origin), reproducible_product(poses[k].R, A[i].R.matrix)
        )
    return poses[:-1]


def attached_pose(pose: FramePose, at: RigidTransform) -> FramePose:
    """World pose of a frame with the constant pose `at` in a frame: r + R r_at, R R_at."""
    return FramePose(pose.r + reproducible_product(pose.R, at.r), reproducible_product(pose.R, at.R))
