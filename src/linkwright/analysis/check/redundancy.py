"""Reasons why closure equations repeat each other: planar, spherical or otherwise special loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from linkwright.findings import Finding
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import Motions
from linkwright.loops.cut_joints import Loop
from linkwright.mechanism.names import counted_noun
from linkwright.mechanism.records import Joint
from linkwright.numerics.dense import count_above, decompose_scaled, least_norm, singular_values
from linkwright.numerics.tolerances import NO_EFFECT, SAME_MOTION


def redundancy_findings(kinematics: Kinematics, motions: Motions) -> Iterator[Finding]:
    """A remark for every loop with repeated equations: how many, of which kind, and what it means."""
    if not kinematics.setup.closure.n_all:
        return
    spare = Counter(kinematics.loop_of_row(row) for row in kinematics.rank.redundant)
    total = Counter(kinematics.loop_of_row(row) for row in range(kinematics.setup.closure.n_all))
    loops = {loop.name: loop for loop in kinematics.setup.closure.loops}
    for name, count in spare.items():
        if name not in loops:
            yield _repeated_coupling(name)
            continue
        twin = _parallel_joint(kinematics, name) if count == total[name] else None
        if twin is not None:
            yield _repeated_joint(name, twin, count)
            continue
        what = {
            "planar": f"loop '{name}' moves in a plane but is drawn in space",
            "spherical": f"loop '{name}' moves about one point",
            "special": f"loop '{name}' is over-constrained and moves only because of its special dimensions",
            "locked": f"loop '{name}' is over-constrained",
        }[_loop_motion_kind(kinematics, motions, loops[name])]
        repeat = "repeats" if count == 1 else "repeat"
        yield Finding(
            "redundant-equations",
            f"{what}: {count} of its {total[name]} equations {repeat} others, so joint forces are not unique",
            f"motion and efforts are right as it is; for unique joint forces give joints of this loop "
            f"{counted_noun(count, 'more freedom')} (a spherical joint for a revolute one frees 2, a cylindrical one "
            "1)",
            "remark",
            name,
            count,
        )


def _parallel_joint(kinematics: Kinematics, name: str) -> Joint | None:
    """Another joint between the same two bodies as a cut joint, if there is one."""
    mech = kinematics.setup.mech
    own = next(joint for joint in mech.loops if joint.name == name)
    ends = {own.parent, own.child}
    others = (joint for joint in (*mech.joints, *mech.loops) if joint.name != name)
    return next((joint for joint in others if {joint.parent, joint.child} == ends), None)


def _repeated_joint(name: str, twin: Joint, count: int) -> Finding:
    return Finding(
        "redundant-equations",
        f"joint '{name}' repeats joint '{twin.name}': both connect '{twin.parent}' and '{twin.child}' and leave them "
        "the same motion",
        f"leave one of them out, or keep both (two hinges of a lid); only the forces of '{name}' and '{twin.name}' "
        "are not unique",
        "remark",
        name,
        count,
    )


def _repeated_coupling(name: str) -> Finding:
    return Finding(
        "redundant-equations",
        f"coupling '{name}' repeats the other couplings and loops",
        "leave it out, or keep it; only the force it carries is not unique",
        "remark",
        name,
        1,
    )


def _loop_motion_kind(kinematics: Kinematics, motions: Motions, loop: Loop) -> str:
    """Kind of motion of a loop's bodies, in a plane or about a point, seen from the body that carries both sides."""
    near, far = (_link_ancestors(kinematics, end.link) for end in (loop.near, loop.far))
    shared = [i for i in near if i in far]
    bodies = [i for i in (*near, *far) if i not in shared]
    t = motions.twists[0]
    own = t[bodies] - t[shared[0]] if shared else t[bodies]
    flat = own.transpose(0, 2, 1).reshape(own.shape[0] * own.shape[2], 6)
    if not flat.size or np.abs(flat).max() < SAME_MOTION:
        return "locked"
    return "planar" if _is_planar_motion(flat) else "spherical" if _is_spherical_motion(flat) else "special"


def _link_ancestors(kinematics: Kinematics, link: int) -> tuple[int, ...]:
    return kinematics.setup.tree.ancestors(link) if link >= 0 else ()


def _is_planar_motion(t: np.ndarray) -> bool:
    """Return True if all twists (n, 6) turn about one direction and slide across it."""
    turns = decompose_scaled(t[:, :3])
    if turns.s[0] < SAME_MOTION:
        return bool(count_above(singular_values(t[:, 3:]), SAME_MOTION) < 3)
    return bool(turns.rank(SAME_MOTION) < 2 and np.abs(t[:, 3:] @ turns.Vt[0]).max() < SAME_MOTION * np.abs(t).max())


def _is_spherical_motion(t: np.ndarray) -> bool:
    """Return True if all twists (n, 6) at the world's origin leave one point at rest."""
    A = np.concatenate([_cross_matrix(w) for w in t[:, :3]])
    b = -t[:, 3:].ravel()
    c = least_norm(A, b, NO_EFFECT)
    return bool(np.abs(A @ c - b).max() < SAME_MOTION * np.abs(t).max())


def _cross_matrix(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
