"""Distances to the limits of a mechanism's joints, as functions that can be traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.kernels.definition import Definition
from linkwright.kernels.setup import Setup, drivable, part_names
from linkwright.kernels.tree.functions import body_poses
from linkwright.loops.closure import relative_poses
from linkwright.loops.efforts import Drive, effort_matrix
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
    def description(self) -> str:
        if self.part is None:
            return f"joint '{self.joint}' leans out of its cone of {self.bound:.6g} rad"
        end = "lower" if self.sign > 0 else "upper"
        return f"joint '{self.joint}' reaches its {end} limit {self.bound:.6g}"


@dataclass(frozen=True)
class Bound:
    """A bound on the magnitude of a velocity or an effort along one freedom of a joint, given by it or an actuator."""

    quantity: Literal["speed", "effort"]
    owner: Literal["joint", "actuator"]
    name: str
    part: str
    drive: Drive
    bound: float

    @property
    def title(self) -> str:
        """The joint or actuator, and the part of a joint with several."""
        return f"{self.owner} '{self.name}'" + (f" ({self.part})" if self.part else "")

    @property
    def description(self) -> str:
        return f"{self.title} reaches its {self.quantity} limit {self.bound:.6g}"


def bounds_of(mech: Mechanism, quantity: Literal["speed", "effort"]) -> list[Bound]:
    """Every finite bound of tree and cut joints and of actuators; equal ones of a joint and its actuator count once."""
    found: list[Bound] = []
    known = drivable(mech)
    for joint in (*mech.joints, *mech.loops):
        names = part_names((joint,), speeds=True) if getattr(joint.limits, quantity) else ()
        parts = joint.kind.v_parts if len(joint.kind.v_parts) > 1 else ("",)
        for name, part, x in zip(names, parts, getattr(joint.limits, quantity), strict=False):
            if np.isfinite(x) and name in known:
                found.append(Bound(quantity, "joint", joint.name, part, known[name], x))
    given = {(bound.drive, bound.bound) for bound in found}
    for actuator in mech.actuators:
        x = getattr(actuator, quantity)
        if x is not None and np.isfinite(x) and (known[actuator.name], x) not in given:
            found.append(Bound(quantity, "actuator", actuator.name, "", known[actuator.name], x))
    return found


def bounded_rates(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Velocities along the freedoms that `bounds_of(mech, "speed")` names, [rad/s, m/s]."""
    drives = tuple(bound.drive for bound in bounds_of(setup.mech, "speed"))
    return effort_matrix(setup.closure, drives, q).T @ v


def speed_margins(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Per speed limit the square of the bound less that of the velocity, over the bound: positive inside."""
    rates = bounded_rates(setup, q, v)
    bounds = [bound.bound for bound in bounds_of(setup.mech, "speed")]
    return np.array([b - rate * rate / b for b, rate in zip(bounds, rates, strict=True)])


def limits_of(mech: Mechanism) -> list[Limit]:
    """Every limit of tree and cut joints, in the order of `limit_distances`."""
    return [limit for joint in (*mech.joints, *mech.loops) for limit in _limits(joint)]


def _limits(joint: Joint) -> list[Limit]:
    out = []
    for sign, bounds in ((1.0, joint.limits.lower), (-1.0, joint.limits.upper)):
        out += [Limit(joint.name, part, sign, x) for part, x in enumerate(bounds) if np.isfinite(x)]
    if joint.limits.cone is not None and isinstance(joint.kind, kinds.Spherical | kinds.Universal):
        out.append(Limit(joint.name, None, 1.0, joint.limits.cone))
    return out


def limit_distances(setup: Setup, q: Vec) -> Vec:
    """Distance to every limit, positive inside, [m, rad, or cosine]."""
    joints = {joint.name: joint for joint in (*setup.mech.joints, *setup.mech.loops)}
    values, axes = _values(setup, q), _axes(setup, q)
    out = []
    for limit in limits_of(setup.mech):
        if limit.part is None:
            out.append(_tilt(joints[limit.joint], axes) - np.cos(limit.bound))
        elif limit.part < len(values[limit.joint]):
            out.append(limit.sign * (values[limit.joint][limit.part] - limit.bound))
        else:
            out.append(1.0 + 0.0 * q[0])
    return np.array(out)


def _values(setup: Setup, q: Vec) -> dict[str, Vec]:
    slices = coordinate_slices(setup.mech.joints)
    own = {joint.name: q[slices[joint.name][0]] for joint in setup.mech.joints}
    pairs = zip(setup.closure.loops, relative_poses(setup.closure, q), strict=True) if setup.mech.loops else ()
    return own | {loop.name: joint_value(loop, pose) for loop, pose in pairs}


def _axes(setup: Setup, q: Vec) -> dict[str, Mat]:
    poses = body_poses(setup, q)
    bodies = {name: poses[i, 3:].reshape(3, 3) for i, name in enumerate(setup.mech.names)}
    return bodies | {setup.mech.base: np.eye(3)}


def _tilt(joint: Joint, axes: dict[str, Mat]) -> Any:
    """Cosine of the angle between the z axes of a joint's two sides."""
    near, far = axes[joint.parent] @ joint.at.R[:, 2], axes[joint.child] @ joint.child_at.R[:, 2]
    return near @ far


LIMIT_DISTANCES = Definition("limit_distances", ("q",), limit_distances, any_norm=True)
BOUNDED_RATES = Definition("bounded_rates", ("q", "v"), bounded_rates, any_norm=True)
SPEED_MARGINS = Definition("speed_margins", ("q", "v"), speed_margins, any_norm=True)
