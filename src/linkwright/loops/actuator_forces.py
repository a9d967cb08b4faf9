"""Generalized forces of actuators at tree joints and at cut joints, and wrenches at the loops' ends (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rigid_transform import wrench_from
from linkwright.algebra.vectors import Mat, Vec, join_twist
from linkwright.dataclass import dataclass
from linkwright.loops.closure import Closure, closed_relative_poses, frame_covectors, tree_covector
from linkwright.loops.equations import equations_of_cut_joint
from linkwright.loops.freedoms import effort_covectors
from linkwright.recursion.inertia import joint_maps


@dataclass(frozen=True)
class DrivenVelocity:
    """A driven speed: index in v for a tree joint, or (loop, speed) for a cut joint."""

    speed: int | None
    loop: int = -1
    part: int = 0


def actuation_matrix(closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec) -> Mat:
    """B with tree forces = B tau, (nv, na)."""
    tree = closure.tree
    columns = []
    for drive in drives:
        if drive.speed is not None:
            columns.append(np.eye(tree.nv)[drive.speed])
            continue
        loop, pose = closed_relative_poses(closure, q)[drive.loop]
        covector = effort_covectors(loop, pose)[drive.part]
        columns.append(tree_covector(tree, joint_maps(tree, q), loop, pose, covector, q.dtype))
    return np.array(columns, dtype=q.dtype).reshape(len(drives), tree.nv).T


def loop_wrenches(
    closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec, lam: Vec, tau: Vec
) -> list[tuple[Vec, Vec]]:
    """Per loop the wrench (n; f) on its near and far end, in the end's own axes, from multipliers and efforts.

    `lam` belongs to all rows of the closure, kept or not.
    """
    row, out = 0, []
    for index, (loop, pose) in enumerate(closed_relative_poses(closure, q)):
        near, far = np.zeros(6), np.zeros(6)
        covectors = []
        for eq in equations_of_cut_joint(loop):
            covectors.append((lam[row], eq.covector(pose)))
            row += 1
        for effort, drive in zip(tau, drives, strict=True):
            if drive.speed is None and drive.loop == index:
                covectors.append((effort, effort_covectors(loop, pose)[drive.part]))
        for size, (n, f) in covectors:
            at_near, at_far = frame_covectors(pose, n, f)
            near, far = near + size * at_near, far + size * at_far
        out.append((near, far))
    return out


def loop_wrenches_on_links(closure: Closure, ends: list[tuple[Vec, Vec]]) -> list[Vec]:
    """The loops' wrenches summed on the links they act on, link axes, at the links' origins."""
    w = [join_twist(np.zeros(3), np.zeros(3)) for _ in closure.tree.links]
    for loop, pair in zip(closure.loops, ends, strict=True):
        for end, wrench in zip((loop.near, loop.far), pair, strict=True):
            if end.link >= 0:
                w[end.link] = w[end.link] + wrench_from(wrench, end.at)
    return w
