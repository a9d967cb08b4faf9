"""Joint limits as end stops: a spring and a damper that push back into the range and never pull (any scalar)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.algebra.vectors import Vec
from linkwright.compiler import maximum, select
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.setup import Setup, drivable_names
from linkwright.functions.stepping.limit_functions import drawn_mechanism, joint_values, limits_of
from linkwright.loops.closure import DrivenVelocity, actuation_matrix
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import part_names


@dataclass(frozen=True)
class EndStops:
    """Joint limits as end stops: force = max(0, stiffness x + damping x_dot) at a depth x > 0 beyond the limit.

    A stop pushes back into the range and never pulls. Limits of joints whose coordinates are angles and lengths, cut
    or not, have stops; cones and quaternions have none.

    Attributes:
        stiffness: [N m/rad or N/m], for all joints or by joint.
        damping: [N m s/rad or N s/m], for all joints or by joint; joints that are not named have none.
    """

    stiffness: float | Mapping[str, float]
    damping: float | Mapping[str, float] = 0.0

    def __post_init__(self) -> None:
        for title, given in (("stiffness", self.stiffness), ("damping", self.damping)):
            for name, value in given.items() if isinstance(given, Mapping) else [("", given)]:
                at = f"['{name}']" if name else ""
                if checks.require_number(f"{title}{at}", value, "a number of at least zero") < 0.0:
                    checks.refuse_argument(f"{title}{at}", value, "a number of at least zero")


@dataclass(frozen=True)
class Stop:
    """One limit with its spring and damper: `index` counts the limits of the mechanism (`limits_of`), `part` the
    coordinates of its joint."""

    index: int
    part: int
    drive: DrivenVelocity
    stiffness: float
    damping: float


def stops_of(mech: Mechanism, stops: EndStops) -> tuple[Stop, ...]:
    """The limits that have a spring or a damper."""
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    for given in (stops.stiffness, stops.damping):
        for name in given if isinstance(given, Mapping) else ():
            if name not in joints:
                raise ArgumentError(f"EndStops names the unknown joint '{name}'{suggest_name(name, joints)}")
    known = drivable_names(mech)
    out = []
    for index, limit in enumerate(limits_of(mech)):
        joint = joints[limit.joint]
        stiffness, damping = (_value_for_joint(joint, given) for given in (stops.stiffness, stops.damping))
        if limit.part is not None and joint.kind.q_parts == joint.kind.v_parts and (stiffness or damping):
            name = part_names((joint,), speeds=True)[limit.part]
            out.append(Stop(index, limit.part, known[name], stiffness, damping))
    return tuple(out)


def _value_for_joint(joint: Joint, given: float | Mapping[str, float]) -> float:
    return float(given.get(joint.name, 0.0) if isinstance(given, Mapping) else given)


def add_stop_efforts(setup: Setup, stops: tuple[Stop, ...], q: Vec, v: Vec, tau: Vec) -> tuple[Setup, Vec, Any]:
    """The setup with the stops as further drives, the efforts of all, and the power that the stops take away, [W]."""
    efforts = dict(zip(setup.drives, tau, strict=True))
    values, lost = joint_values(setup, q), 0.0 * v[0]
    limits = limits_of(setup.mech, drawn_mechanism(setup))
    rates = actuation_matrix(setup.closure, tuple(stop.drive for stop in stops), q).T @ v
    for stop, rate in zip(stops, rates, strict=True):
        limit = limits[stop.index]
        depth = maximum(-limit.sign * (values[limit.joint][stop.part] - limit.bound), 0.0)
        depth_rate = -limit.sign * rate
        stored = stop.stiffness * depth
        push = select(depth, maximum(stored + stop.damping * depth_rate, 0.0), 0.0 * depth)
        efforts[stop.drive] = efforts.get(stop.drive, 0.0) + limit.sign * push
        lost = lost + (push - stored) * depth_rate
    return replace(setup, drives=tuple(efforts)), np.array([*efforts.values()], dtype=q.dtype), lost
