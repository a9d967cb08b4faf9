"""The motions that engines are compared on: a four-bar, a 3-RRR and a Gough-Stewart platform, two seconds each.

They are the problems that were set up for the peers before: 3-RRR let go at the centroid of its base with all elbows on
one side, Gough-Stewart with Hooke joints that turn about x, then y, pushed by 9 sin(pi t) N in every leg.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Universal
from linkwright.mechanism import Limits, Mechanism

Array = np.ndarray
T_END, ROWS = 2.0, 201


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion of two seconds with 201 rows.

    Attributes:
        q: coordinates at the start, closed, at rest.
        effort: for `simulate`.
        efforts: the same as a function of time, (na,).
        body: whose position is compared between engines; None when the first coordinate is.
        unit: of the error.
        target: required error.
        step: of the peer's method of order four, which gives about that error.
        promised: how many times faster we want to be.
    """

    title: str
    model: lw.Model
    q: Array
    effort: Any
    efforts: Callable[[float], Array]
    body: str | None
    unit: str
    target: float
    step: float
    promised: float

    def run(self, method: Any = None, formulation: Any = None, effort: Any = "own", **more: Any) -> lw.Result:
        """Our result."""
        effort = self.effort if isinstance(effort, str) else effort
        more = {"output": ROWS, "check": False, **more}
        return lw.simulate(
            self.model, self.q, t_end=T_END, effort=effort, method=method, formulation=formulation, **more
        )

    def observed(self, run: lw.Result) -> Array:
        """What is compared, (rows, 1 or 3)."""
        return run.q[:, :1] if self.body is None else self.model.frame_pose(run.q, self.body)[0]


def four_bar() -> Motion:
    """The crank is driven by 6 N m."""
    model = lw.build(lw.catalog.load("four-bar"))
    tau = np.array([6.0])
    return Motion(
        "four-bar", model, model.assemble().q, tau, lambda t: tau, None, "rad", target=6e-8, step=1e-3, promised=150.0
    )


def three_rrr() -> Motion:
    """Let go at rest, without efforts."""
    model = lw.build(lw.catalog.load("3-rrr"))
    tau = np.zeros(3)
    return Motion(
        "3-RRR",
        model,
        _elbows_alike(model),
        None,
        lambda t: tau,
        "platform",
        "m",
        target=1e-7,
        step=2e-4,
        promised=200.0,
    )


def _elbows_alike(model: lw.Model) -> Array:
    """The platform at the centroid, not turned, every leg's first link ahead of the line to its vertex."""
    base = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
    corners = np.array([[-0.2, -0.2 / np.sqrt(3)], [0.2, -0.2 / np.sqrt(3)], [0.0, 0.4 / np.sqrt(3)]])
    first, second = np.zeros(3), np.zeros(3)
    for i, to in enumerate(base.mean(axis=0) + corners - base):
        reach = np.hypot(*to)
        bend = np.arccos((0.4**2 + reach**2 - 0.6**2) / (2 * 0.4 * reach))
        first[i] = np.arctan2(to[1], to[0]) + bend
        elbow = 0.4 * np.array([np.cos(first[i]), np.sin(first[i])])
        second[i] = np.arctan2(*(to - elbow)[::-1]) - first[i]
    q = np.array([*first, *second, -first[2] - second[2]])
    assert np.abs(model.closure_residual(q)).max() < 1e-14
    return q


def gough_stewart() -> Motion:
    """Every leg pushes with 9 sin(pi t) N."""
    model = lw.build(_peers_stewart(lw.catalog.load("gough-stewart")))
    effort = lw.control.Sines(amplitude=np.full(6, 9.0), rate=np.pi)
    return Motion(
        "Gough-Stewart",
        model,
        model.assemble().q,
        effort,
        lambda t: np.full(6, 9.0 * np.sin(np.pi * t)),
        "platform",
        "m",
        target=1e-6,
        step=2e-4,
        promised=400.0,
    )


def _peers_stewart(mech: Mechanism) -> Mechanism:
    """The catalog's platform with g = 9.81 m/s^2, without limits, its Hooke joints turning about x, then y."""
    hooke = Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    joints = [replace(j, kind=hooke if isinstance(j.kind, Universal) else j.kind, limits=Limits()) for j in mech.joints]
    home = dict(mech.home)
    pose = RigidTransform.from_quaternion(home["pose"][:3], home["pose"][3:])
    for joint, loop in zip((j for j in joints if j.kind == hooke), mech.loops):
        x, y, z = pose.r + pose.R @ loop.child_at.r - joint.at.r
        reach = float(np.hypot(np.hypot(x, y), z))
        home[joint.name] = (float(np.arctan2(-y, z)), float(np.arcsin(x / reach)))
        home[f"rho{loop.name[-1]}"] = (reach,)
    return replace(mech, gravity=(0.0, 0.0, -9.81), joints=tuple(joints), home=tuple(home.items()))
