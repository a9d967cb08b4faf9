"""Distances to the limits of a mechanism's joints, as functions that can be traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.kernels.recipes import Recipe, body_poses
from linkwright.kernels.setup import Setup
from linkwright.loops.closure import meetings
from linkwright.loops.freedoms import joint_value
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices


@dataclass(frozen=True)
class Limit:
    """One end of a joint's range: `sign` (value - bound) is positive inside; part None means the joint's cone."""

    joint: str
    part: int | None
    sign: float
    bound: float

    @property
    def words(self) -> str:
        if self.part is None:
            return f"joint '{self.joint}' leans out of its cone of {self.bound:.6g} rad"
        end = "lower" if self.sign > 0 else "upper"
        return f"joint '{self.joint}' reaches its {end} limit {self.bound:.6g}"


def limits_of(mech: Mechanism) -> list[Limit]:
    """Every limit of tree and cut joints, in the order of `limit_distances`."""
    return [limit for joint in (*mech.joints, *mech.loops) for limit in _limits(joint)]


def _limits(joint: Joint) -> list[Limit]:
    out = []
    for sign, bounds in ((1.0, joint.limits.lower), (-1.0, joint.limits.upper)):
        numbers = enumerate(bounds) if not isinstance(joint.kind, kinds.Spherical | kinds.Floating) else ()
        out += [Limit(joint.name, part, sign, x) for part, x in numbers if np.isfinite(x)]
    if joint.limits.cone is not None and isinstance(joint.kind, kinds.Spherical | kinds.Universal):
        out.append(Limit(joint.name, None, 1.0, joint.limits.cone))
    return out


def limit_distances(setup: Setup, q: Vec) -> Vec:
    """How far every limit is, positive inside, [m, rad, or cosine]."""
    joints = {joint.name: joint for joint in (*setup.mech.joints, *setup.mech.loops)}
    values, axes = _values(setup, q), _axes(setup, q)
    out = []
    for limit in limits_of(setup.mech):
        if limit.part is None:
            out.append(_lean(joints[limit.joint], axes) - np.cos(limit.bound))
        elif limit.part < len(values[limit.joint]):
            out.append(limit.sign * (values[limit.joint][limit.part] - limit.bound))
        else:
            out.append(1.0 + 0.0 * q[0])
    return np.array(out)


def _values(setup: Setup, q: Vec) -> dict[str, Vec]:
    slices = coordinate_slices(setup.mech.joints)
    own = {joint.name: q[slices[joint.name][0]] for joint in setup.mech.joints}
    meets = zip(setup.closure.loops, meetings(setup.closure, q), strict=True) if setup.mech.loops else ()
    return own | {loop.name: joint_value(loop, meet) for loop, meet in meets}


def _axes(setup: Setup, q: Vec) -> dict[str, Mat]:
    poses = body_poses(setup, q)
    bodies = {name: poses[i, 3:].reshape(3, 3) for i, name in enumerate(setup.mech.names)}
    return bodies | {setup.mech.base: np.eye(3)}


def _lean(joint: Joint, axes: dict[str, Mat]) -> Any:
    """Cosine of the angle between the z axes of a joint's two sides."""
    near, far = axes[joint.parent] @ joint.at.R[:, 2], axes[joint.child] @ joint.child_at.R[:, 2]
    return near @ far


LIMIT_RECIPES: dict[str, Recipe] = {"limit_distances": Recipe(("q",), limit_distances)}
