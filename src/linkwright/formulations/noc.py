"""The natural orthogonal complement's ingredients: every joint's constraints on the twists of all bodies (any scalar).

Rao compares the explicit DeNOC with a complement found numerically from these constraints. Twists are in link axes at
the links' origins, body after body.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.loops.closure import end_covectors
from linkwright.loops.ends import End, Loop, loop_of
from linkwright.loops.equations import equations
from linkwright.loops.freedoms import effort_covectors
from linkwright.loops.meeting import Meeting, closed, meeting
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.tree import Tree, coordinate_slices
from linkwright.recursion.inverse import body_wrenches
from linkwright.recursion.motion import motion
from linkwright.recursion.passive import passive_forces
from linkwright.recursion.poses import link_poses
from linkwright.recursion.reactions import wrench_from


@dataclass(frozen=True, eq=False)
class Uncoupled:
    """Bodies before they are joined.

    A: constraints A t = 0 of all joints, (rows, 6 n). V: speeds v = V t of the tree's joints, (nv, 6 n). w: wrenches
    the bodies need, (6 n). resisted: what springs, friction and rotors take along v, (nv,).
    """

    A: Mat
    V: Mat
    w: Vec
    resisted: Vec


def uncoupled(mech: Mechanism, tree: Tree, q: Vec, v: Vec, a: Vec, w_ext: list[Vec] | None = None) -> Uncoupled:
    """Constraints, speeds and wrenches of a machine in motion (Rao 25a, theory 7.32)."""
    places, slices = link_poses(tree, q), coordinate_slices(mech.joints)
    rows, V = [], np.zeros((tree.nv, 6 * len(tree.links)), dtype=q.dtype)
    for number, joint in enumerate((*mech.joints, *mech.loops)):
        loop = loop_of(mech, tree, joint)
        meet = closed(loop, meeting(loop, places))
        rows += [_row(tree, loop, meet, eq.covector(meet), q) for eq in equations(loop)]
        if number < len(mech.joints):
            own = slices[joint.name][1]
            for d, covector in zip(range(own.start, own.stop), effort_covectors(loop, meet), strict=False):
                V[d] = _row(tree, loop, meet, covector, q)
    state = motion(tree, q, v, a)
    resisted = passive_forces(tree, q, v) + tree.passive.rotor * a
    return Uncoupled(np.array(rows), V, np.concatenate(body_wrenches(tree, state, w_ext)), resisted)


def _row(tree: Tree, loop: Loop, meet: Meeting, covector: tuple[Vec, Vec], q: Vec) -> Vec:
    """A covector on a joint's relative velocity as a row on all bodies' twists."""
    row = np.zeros(6 * len(tree.links), dtype=q.dtype)
    for end, w in zip((loop.near, loop.far), end_covectors(meet, *covector), strict=True):
        _put(row, end, w)
    return row


def _put(row: Vec, end: End, w: Vec) -> None:
    if end.link >= 0:
        own = slice(6 * end.link, 6 * end.link + 6)
        row[own] = row[own] + wrench_from(w, end.at)
