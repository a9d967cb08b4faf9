"""The natural orthogonal complement's ingredients: every joint's constraints on the twists of all bodies (any scalar).

Rao compares the explicit DeNOC with a complement found numerically from these constraints. Twists are in link axes at
the links' origins, body after body.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.transforms import wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.joints.motion_terms import RelativePose
from linkwright.loops.closure import frame_covectors
from linkwright.loops.cut_joints import Loop, effort_covectors, equations_of_cut_joint, loop_of, loop_pose
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.topology import as_drawn
from linkwright.mechanism.tree import Tree, coordinate_slices, tree_without_resistance
from linkwright.recursion.inverse_recursion import wrenches_for_motion
from linkwright.recursion.poses import link_poses
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True, eq=False)
class Uncoupled:
    """Bodies before they are joined; of a row on all twists only the parts at a joint's two links are kept.

    A: constraints A t = 0 of all joints, (rows, 2, 6). V: speeds V t of the tree's joints and of the cut joints that
    resist, (n, 2, 6). w: wrenches the bodies need, (6 bodies). resisted: what springs, friction and rotors take along
    those speeds, (n,).
    """

    A: Mat
    V: Mat
    w: Vec
    resisted: Vec


def uncoupled_equations(
    mech: Mechanism, tree: Tree, q: Vec, v: Vec, a: Vec, resisted: Vec, w_ext: list[Vec] | None = None
) -> Uncoupled:
    """Constraints, velocities and wrenches of a mechanism that resists with given forces (Rao 25a, theory 7.32)."""
    poses, slices = link_poses(tree, q), coordinate_slices(mech.joints)
    resisting = {cut.name for cut in tree.cut_joints}
    rows, V, outside = [], np.zeros((tree.nv, 2, 6), dtype=q.dtype), []
    for number, joint in enumerate((*mech.joints, *mech.loops)):
        loop = loop_of(mech, tree, as_drawn(joint))
        pose = loop.kind.closed_pose(loop_pose(loop, poses))
        rows += [_loop_twist_row(loop, pose, eq.covector(pose)) for eq in equations_of_cut_joint(loop)]
        if number < len(mech.joints):
            own = slices[joint.name][1]
            for d, covector in zip(range(own.start, own.stop), effort_covectors(loop, pose), strict=False):
                V[d] = _loop_twist_row(loop, pose, covector)
        elif joint.name in resisting:
            outside += [_loop_twist_row(loop, pose, covector) for covector in effort_covectors(loop, pose)]
    bare = tree_without_resistance(tree)
    w = np.concatenate(wrenches_for_motion(bare, motion_of_tree(bare, q, v, a), w_ext))
    return Uncoupled(np.array(rows), np.concatenate([V, np.array(outside).reshape(-1, 2, 6)]), w, resisted)


def _loop_twist_row(loop: Loop, pose: RelativePose, covector: tuple[Vec, Vec]) -> Mat:
    """A covector on a joint's relative velocity as covectors on the twists of its two links, (2, 6)."""
    pair = zip((loop.near, loop.far), frame_covectors(pose, *covector), strict=True)
    return np.array([wrench_from(w, end.at) if end.link >= 0 else np.zeros(6) for end, w in pair])


def row_links(mech: Mechanism, tree: Tree) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The two links (-1: base) that each row of A and each row of V speaks of."""
    constraints, speeds = [], []
    for number, joint in enumerate((*mech.joints, *mech.loops)):
        loop = loop_of(mech, tree, as_drawn(joint))
        pair = (loop.near.link, loop.far.link)
        constraints += [pair] * len(equations_of_cut_joint(loop))
        if number < len(mech.joints) or joint.name in {cut.name for cut in tree.cut_joints}:
            speeds += [pair] * joint.kind.nv
    return constraints, speeds
