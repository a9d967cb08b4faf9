"""Mechanisms for the viewer's tests."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Inertia, Joint, Mechanism
from linkwright.results.charts import time_panel
from linkwright.viewer import ShownMotion


@lru_cache
def model(name: str) -> lw.Model:
    return lw.build(lw.catalog.load(name))


def home(name: str) -> np.ndarray:
    """The home coordinates of a catalog mechanism as its file gives them, (nq,); closed, without compiling anything."""
    mech = lw.catalog.load(name)
    given = dict(mech.home)
    return np.array([x for j in mech.joints for x in given.get(j.name, j.kind.neutral)])


def bare(mech: Mechanism) -> Mechanism:
    """The mechanism without any shapes."""
    return replace(mech, bodies=tuple(replace(body, shapes=()) for body in mech.bodies), base_shapes=())


def chain(n: int, name: str = "chain") -> Mechanism:
    """An open chain of n links of 0.1 m."""
    rod = Inertia.diagonal(0.1, (0.05, 0.0, 0.0), (0.0, 1e-4, 1e-4))
    bodies = tuple(Body(f"link{i}", rod) for i in range(n))
    joints = tuple(
        Joint(
            f"j{i}",
            f"link{i - 1}" if i else "ground",
            f"link{i}",
            Revolute(),
            RigidTransform((0.1 if i else 0.0, 0.0, 0.0)),
        )
        for i in range(n)
    )
    return Mechanism(name, bodies, joints)


def wobble(name: str, rows: int = 201, seconds: float = 2.0) -> ShownMotion:
    """A motion as large as that of a real run: every number of it differs from the next."""
    built = model(name)
    rng = np.random.default_rng(rows)
    t = np.linspace(0.0, seconds, rows)
    q = home(name) + 1e-3 * rng.normal(size=(rows, built.nq))
    tau = rng.normal(size=(rows, built.na))
    joints = (*built.mechanism.joints, *built.mechanism.loops)
    reactions = {joint.name: rng.normal(size=(rows, 6)) for joint in joints}
    curves = (
        time_panel("Efforts", "N", built.actuated, t, tau),
        time_panel("Positions", "m", built.q_names, t, q),
        time_panel("Velocities", "m/s", built.v_names, t, rng.normal(size=(rows, built.nv))),
        time_panel("Closure", "m", ("gap",), t, rng.normal(size=(rows, 1))),
    )
    return ShownMotion(t, q, tau, reactions, curves)
