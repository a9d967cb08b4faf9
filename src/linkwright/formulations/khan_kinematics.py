"""Khan's recursive kinematics of parallel manipulators: driven rates to the platform and to every joint (any scalar).

Symbols and equation numbers are those of Khan, Krovi, Saha, Angeles 2005. A chain may have any joints and any of its
freedoms may be driven; in the paper it is the first of three revolute joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross, twist
from linkwright.formulations.road_bodies import WorldBody, world_bodies
from linkwright.loops.annihilators import Annihilation, annihilation
from linkwright.loops.chains import LegChains, reduction
from linkwright.loops.closure import Closure
from linkwright.loops.screws import Bodies, Screws, moved, screws, world_places
from linkwright.recursion.factor import udu, udu_solve
from linkwright.recursion.places import Place


@dataclass(frozen=True, eq=False)
class Leg:
    """A chain at q: its joints, per freedom the twist b = B_Pi p_i at P and the driving actuator, its annihilators."""

    screws: list[Screws]
    b: list[Vec]
    driver: list[int | None]
    removed: Annihilation

    @property
    def driven(self) -> list[tuple[int, int]]:
        """Driven freedoms as (place in the chain, actuator)."""
        return [(i, k) for i, k in enumerate(self.driver) if k is not None]

    def active(self, rate: Vec) -> Vec:
        """Sum of b rate over the driven freedoms: what they add to the platform's twist."""
        return sum((self.b[i] * rate[k] for i, k in self.driven), np.zeros(len(self.b[0])))


@dataclass(frozen=True, eq=False)
class Manipulator:
    """The machine at q: places, bodies, legs, and the factors of K = sum of the legs' Phi (31).

    Pi picks the components of a twist (three in the plane); G = K^-1 Phi B P takes driven rates to t_P (32).
    """

    closure: Closure
    chains: LegChains
    places: list[Place]
    bodies: list[WorldBody]
    Pi: Mat
    legs: list[Leg]
    K: Mat
    factors: tuple[Mat, Vec]
    G: Mat

    @property
    def P(self) -> Vec:
        """The platform's mass centre, where its twist is taken."""
        return self.bodies[self.chains.platform].C


def manipulator(closure: Closure, chains: LegChains, speeds: tuple[int, ...], q: Vec) -> Manipulator:
    """Legs, annihilators and K at q; `speeds` are the driven places in v (Khan 24-32, theory 7.1-7.6)."""
    places = world_places(closure, q)
    bodies, Pi = world_bodies(closure.tree, places), reduction(closure)
    P = bodies[chains.platform].C
    legs = [_leg(screws(closure, chain, q, places), Pi, P, speeds) for chain in chains.chains]
    K = sum((leg.removed.Phi for leg in legs), np.zeros((len(Pi), len(Pi))))
    factors = udu(K)
    columns = [udu_solve(*factors, leg.removed.Phi @ leg.b[i]) for leg, i in _by_actuator(legs, len(speeds))]
    return Manipulator(closure, chains, places, bodies, Pi, legs, K, factors, np.array(columns).T)


def _leg(joints: list[Screws], Pi: Mat, P: Vec, speeds: tuple[int, ...]) -> Leg:
    b = [Pi @ p for joint in joints for p in joint.at(P)]
    places = [speed for joint in joints for speed in joint.speeds]
    driver = [speeds.index(s) if s is not None and s in speeds else None for s in places]
    return Leg(joints, b, driver, annihilation(b, [k is None for k in driver]))


def _by_actuator(legs: list[Leg], n: int) -> list[tuple[Leg, int]]:
    """The leg and the place in it of every driven freedom, in the order of the actuators."""
    found = {k: (leg, i) for leg in legs for i, k in leg.driven}
    return [found[k] for k in range(n)]


def leg_rates(leg: Leg, t_P: Vec, rate: Vec) -> list[Vec]:
    """All rates of a chain, driven and passive (33-34): the latter are a_i^T (t_P - B_P1 p_1 rate) (theory 7.8)."""
    rest = t_P - leg.active(rate)
    a = leg.removed.a
    return [rate[k] if k is not None else _dot(a[i], rest) for i, k in enumerate(leg.driver)]


def _dot(a: Vec | None, x: Vec) -> Vec:
    assert a is not None
    return a @ x


def loop_closure_complement(m: Manipulator) -> Mat:
    """J = P_bar L B P with theta_dot = J theta_A_dot, (freedoms of all chains, actuators), chain by chain (35-36)."""
    n = m.G.shape[1]
    columns = []
    for k in range(n):
        rate = np.eye(n)[k]
        columns.append([x for leg in m.legs for x in leg_rates(leg, m.G[:, k], rate)])
    return np.array(columns).T


def body_twists(m: Manipulator, t_P: Vec, rates: list[list[Vec]]) -> Bodies:
    """Hybrid twists of all links at their mass centres, base to platform: t_i = B t_(i-1) + p_i rate_i (20)."""
    C = [*(body.C for body in m.bodies), np.zeros(3)]
    t = [np.zeros(6) for _ in C]
    t[m.chains.platform] = m.Pi.T @ t_P
    for leg, rate in zip(m.legs, rates, strict=True):
        left = list(rate)
        for joint in leg.screws:
            i, k = joint.step.outer, joint.step.inner
            own, left = left[: len(joint.freedoms)], left[len(joint.freedoms) :]
            if i != m.chains.platform:
                t[i] = sum((p * x for p, x in zip(joint.at(C[i]), own, strict=True)), moved(t[k], C[i] - C[k]))
    return Bodies(C, t)


def convective_twist_rate(m: Manipulator, leg: Leg, bodies: Bodies, rates: list[Vec]) -> Vec:
    """Sum over a chain of (d/dt B_Pi p_i) rate_i: what rates alone add to the platform's twist rate (theory 7.9)."""
    P_dot = bodies.t[m.chains.platform][3:]
    b_dot = [x for joint in leg.screws for x in joint.rate_at(m.P, P_dot, bodies)]
    return m.Pi @ sum((x * rate for x, rate in zip(b_dot, rates, strict=True)), np.zeros(6))


@dataclass(frozen=True, eq=False)
class Motion:
    """Rates and accelerations of all chains, the platform's twist and twist rate, and the bodies' at mass centres."""

    t_P: Vec
    t_P_dot: Vec
    rates: list[list[Vec]]
    accelerations: list[list[Vec]]
    bodies: Bodies
    t_dot: list[Vec]


def motion(m: Manipulator, rate: Vec, acceleration: Vec) -> Motion:
    """Everything that moves, from the driven rates and accelerations (31-46, theory 7.6-7.10)."""
    t_P = m.G @ rate
    rates = [leg_rates(leg, t_P, rate) for leg in m.legs]
    bodies = body_twists(m, t_P, rates)
    c = [convective_twist_rate(m, leg, bodies, own) for leg, own in zip(m.legs, rates, strict=True)]
    pushed = [leg.removed.Phi @ c_j for leg, c_j in zip(m.legs, c, strict=True)]
    t_P_dot = m.G @ acceleration + udu_solve(*m.factors, sum(pushed, np.zeros(len(m.Pi))))
    second = [leg_rates(leg, t_P_dot - c_j, acceleration) for leg, c_j in zip(m.legs, c, strict=True)]
    t_dot = _twist_rates(m, bodies, t_P_dot, rates, second)
    return Motion(t_P, t_P_dot, rates, second, bodies, t_dot)


def _twist_rates(
    m: Manipulator, bodies: Bodies, t_P_dot: Vec, rates: list[list[Vec]], second: list[list[Vec]]
) -> list[Vec]:
    """t_dot_i = B_dot t_(i-1) + B t_dot_(i-1) + p_i acceleration + p_dot_i rate, base to platform (41)."""
    C, t = bodies.C, bodies.t
    t_dot = [np.zeros(6) for _ in C]
    t_dot[m.chains.platform] = m.Pi.T @ t_P_dot
    for leg, rate, acceleration in zip(m.legs, rates, second, strict=True):
        place = 0
        for joint in leg.screws:
            i, k, own = joint.step.outer, joint.step.inner, slice(place, place + len(joint.freedoms))
            place = own.stop
            if i == m.chains.platform:
                continue
            t_dot[i] = moved(t_dot[k], C[i] - C[k]) + twist(np.zeros(3), cross(t[k][:3], t[i][3:] - t[k][3:]))
            p, p_dot = joint.at(C[i]), joint.rate_at(C[i], t[i][3:], bodies)
            for p_j, p_dot_j, x, x_dot in zip(p, p_dot, rate[own], acceleration[own], strict=True):
                t_dot[i] = t_dot[i] + p_j * x_dot + p_dot_j * x
    return t_dot
