"""Khan's formulation: annihilators of passive freedoms, divided platform, one central sum (any scalar).

Symbols and equation numbers are those of Khan, Krovi, Saha, Angeles 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, skew
from linkwright.checks import require_instance
from linkwright.dataclass import dataclass
from linkwright.formulations.formulation import Formulation
from linkwright.loops.closure import Closure
from linkwright.papers.leg_chains import LegChains, TreeStep, twist_reduction
from linkwright.papers.world_bodies import (
    Bodies,
    Screws,
    WorldBody,
    applied_wrenches,
    at_cut,
    floating_acceleration,
    moved_back,
    poses_with_base,
    screws_of_chain,
    shift_twist,
    world_bodies,
)
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.forward_recursion import factor_udu, udu_solve
from linkwright.recursion.relative_motion import FramePose

# --- twist annihilators (Khan 24-34, 65-70) ---------------------------------------------------------------------------


def numeric_annihilator(p: Vec) -> tuple[Mat, Any]:
    """Phi = 1 - p p^T / delta and delta = p^T p, for a twist of three or six components (Khan 70, theory 7.4).

    >>> Phi, delta = numeric_annihilator(np.array([1.0, 0.0, 1.0]))
    >>> Phi.tolist(), float(delta)
    ([[0.5, 0.0, -0.5], [0.0, 1.0, 0.0], [-0.5, 0.0, 0.5]], 2.0)
    """
    delta = p @ p
    return np.eye(len(p)) - np.outer(p, p) * (1.0 / delta), delta


def geometric_annihilator(kind: kinds.JointKind, axes: list[Vec], r: Vec) -> Mat:
    """Phi of a whole joint, from its axes alone, so that no lengths are added to angles, (6, 6) (Khan 69, theory 7.3).

    Args:
        kind: revolute, prismatic, screw, cylindrical, universal, spherical or fixed.
        axes: unit directions of the joint, world axes.
        r: from the reference point to a point of the joint, [m], world axes.
    """
    one, zero = np.eye(3), np.zeros((3, 3))
    turns, slides = ([x for x in kind.unit_twists() if x.turns is way] for way in (True, False))
    if not turns:
        return np.block([[one, zero], [zero, _projection_along_axes(axes[: len(slides)])]])
    across = _projection_along_axes(axes[: len(slides)])
    lower = -skew(r) if not slides else -(across @ skew(r))
    lower = lower - turns[0].pitch * one if turns[0].pitch else lower
    return np.block([[_projection_along_axes(axes[: len(turns)]) if len(turns) < 3 else zero, zero], [lower, across]])


def _projection_along_axes(axes: list[Vec]) -> Mat:
    """The projection along at most two directions, the second at right angles to the first."""
    if len(axes) == 2:
        n = cross_product(axes[0], axes[1])
        return np.outer(n, n)
    return np.eye(3) - np.outer(axes[0], axes[0]) if axes else np.eye(3)


@dataclass(frozen=True, eq=False)
class Annihilation:
    """Remainder of a chain without its passive freedoms.

    Phi: annihilator of all of them, Phi_1 of (30). p_tilde, delta: per freedom, None where it is driven. a: the rows of
    P_bar (35): the rate of a passive freedom is a^T (t_P - sum of driven b rate).
    """

    Phi: Mat
    p_tilde: list[Vec | None]
    delta: list[Any]
    a: list[Vec | None]


def find_annihilation(b: list[Vec], passive: list[bool]) -> Annihilation:
    """Phi_i, p_tilde_i, delta_i from the platform to the base, then the rows a_i (Khan 26-34, theory 7.5-7.8).

    Args:
        b: per freedom of the chain, base first, its twist at the platform's point P, B_Pi p_i.
        passive: which of them are not driven.
    """
    n = len(b)
    p_tilde: list[Vec | None] = [None] * n
    delta: list[Any] = [None] * n
    Phi = np.eye(len(b[0]))
    for i in reversed(range(n)):
        if passive[i]:
            p = Phi @ b[i]
            p_tilde[i], delta[i] = p, p @ p
            Phi = Phi - np.outer(p, p) * (1.0 / delta[i])
    return Annihilation(Phi, p_tilde, delta, [_annihilator_row(b, p_tilde, delta, i) for i in range(n)])


def _annihilator_row(b: list[Vec], p_tilde: list[Vec | None], delta: list[Any], i: int) -> Vec | None:
    """a_i = Psi_1 ... Psi_(i-1) p_tilde_i / delta_i with Psi_k = 1 - p_tilde_k b_k^T / delta_k over passive k < i."""
    p = p_tilde[i]
    if p is None:
        return None
    a = p * (1.0 / delta[i])
    for k in reversed(range(i)):
        p = p_tilde[k]
        if p is not None:
            a = a - p * ((b[k] @ a) * (1.0 / delta[k]))
    return a


# --- khan's formulation -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Khan(Formulation):
    """Serial legs and a platform by twist annihilators, divided platform and one central sum (Khan et al. 2005).

    Attributes:
        platform: the body that all legs hold; None takes the file's platform, else the body with most joints.
    """

    platform: str | None = None

    def __post_init__(self) -> None:
        require_instance("platform", self.platform, (str, type(None)), "the name of a body, or None")


@dataclass(frozen=True, eq=False)
class SerialLeg:
    """A chain at q: its joints, per freedom the twist b = B_Pi p_i at P and the driving actuator, its annihilators."""

    screws: list[Screws]
    b: list[Vec]
    driver: list[int | None]
    removed: Annihilation

    @property
    def driven_freedoms(self) -> list[tuple[int, int]]:
        """Driven freedoms as (index in the chain, actuator)."""
        return [(i, k) for i, k in enumerate(self.driver) if k is not None]

    def active(self, rate: Vec) -> Vec:
        """Sum of b rate over the driven freedoms: what they add to the platform's twist."""
        return sum((self.b[i] * rate[k] for i, k in self.driven_freedoms), np.zeros(len(self.b[0])))


@dataclass(frozen=True, eq=False)
class Manipulator:
    """The mechanism at q: poses, bodies, legs, and the factors of K = sum of the legs' Phi (31).

    Pi picks the components of a twist (three in the plane); G = K^-1 Phi B P takes driven rates to t_P (32).
    """

    closure: Closure
    chains: LegChains
    poses: list[FramePose]
    bodies: list[WorldBody]
    Pi: Mat
    legs: list[SerialLeg]
    K: Mat
    factors: tuple[Mat, Vec]
    G: Mat

    @property
    def P(self) -> Vec:
        """The platform's mass center, where its twist is taken."""
        return self.bodies[self.chains.platform].C


def manipulator_at(closure: Closure, chains: LegChains, speeds: tuple[int, ...], q: Vec) -> Manipulator:
    """Legs, annihilators and K at q; `speeds` are the driven indices in v (Khan 24-32, theory 7.1-7.6)."""
    poses = poses_with_base(closure, q)
    bodies, Pi = world_bodies(closure.tree, poses), twist_reduction(closure)
    P = bodies[chains.platform].C
    legs = [_serial_leg(screws_of_chain(closure, chain, q, poses), Pi, P, speeds) for chain in chains.chains]
    K = sum((leg.removed.Phi for leg in legs), np.zeros((len(Pi), len(Pi))))
    factors = factor_udu(K)
    columns = [udu_solve(*factors, leg.removed.Phi @ leg.b[i]) for leg, i in _freedoms_by_actuator(legs, len(speeds))]
    return Manipulator(closure, chains, poses, bodies, Pi, legs, K, factors, np.array(columns).T)


def _serial_leg(joints: list[Screws], Pi: Mat, P: Vec, speeds: tuple[int, ...]) -> SerialLeg:
    b = [Pi @ p for joint in joints for p in joint.at(P)]
    owned = [speed for joint in joints for speed in joint.speeds]
    driver = [speeds.index(s) if s is not None and s in speeds else None for s in owned]
    return SerialLeg(joints, b, driver, find_annihilation(b, [k is None for k in driver]))


def _freedoms_by_actuator(legs: list[SerialLeg], n: int) -> list[tuple[SerialLeg, int]]:
    """The leg and the index in it of every driven freedom, in the order of the actuators."""
    found = {k: (leg, i) for leg in legs for i, k in leg.driven_freedoms}
    return [found[k] for k in range(n)]


def leg_rates(leg: SerialLeg, t_P: Vec, rate: Vec) -> list[Vec]:
    """All rates of a chain, driven and passive (33-34): the latter are a_i^T (t_P - B_P1 p_1 rate) (theory 7.8)."""
    rest = t_P - leg.active(rate)
    return [rate[k] if a is None else a @ rest for a, k in zip(leg.removed.a, leg.driver, strict=True)]


def loop_closure_complement(m: Manipulator) -> Mat:
    """J = P_bar L B P with theta_dot = J theta_A_dot, (freedoms of all chains, actuators), chain by chain (35-36)."""
    n = m.G.shape[1]
    columns = []
    for k in range(n):
        rate = np.eye(n)[k]
        columns.append([x for leg in m.legs for x in leg_rates(leg, m.G[:, k], rate)])
    return np.array(columns).T


def body_twists(m: Manipulator, t_P: Vec, rates: list[list[Vec]]) -> Bodies:
    """Hybrid twists of all links at their mass centers, base to platform: t_i = B t_(i-1) + p_i rate_i (20)."""
    C = [*(body.C for body in m.bodies), np.zeros(3)]
    t = [np.zeros(6) for _ in C]
    t[m.chains.platform] = m.Pi.T @ t_P
    for leg, rate in zip(m.legs, rates, strict=True):
        left = list(rate)
        for joint in leg.screws:
            i, k = joint.step.outer, joint.step.inner
            own, left = left[: len(joint.freedoms)], left[len(joint.freedoms) :]
            if i != m.chains.platform:
                t[i] = sum((p * x for p, x in zip(joint.at(C[i]), own, strict=True)), shift_twist(t[k], C[i] - C[k]))
    return Bodies(C, t)


def convective_twist_rate(m: Manipulator, leg: SerialLeg, bodies: Bodies, rates: list[Vec]) -> Vec:
    """Sum over a chain of (d/dt B_Pi p_i) rate_i: what rates alone add to the platform's twist rate (theory 7.9)."""
    P_dot = bodies.t[m.chains.platform][3:]
    b_dot = [x for joint in leg.screws for x in joint.rate_at(m.P, P_dot, bodies)]
    return m.Pi @ sum((x * rate for x, rate in zip(b_dot, rates, strict=True)), np.zeros(6))


@dataclass(frozen=True, eq=False)
class ManipulatorMotion:
    """Rates and accelerations of all chains, the platform's twist and twist rate, and the bodies' at mass centers."""

    t_P: Vec
    t_P_dot: Vec
    rates: list[list[Vec]]
    accelerations: list[list[Vec]]
    bodies: Bodies
    t_dot: list[Vec]


def manipulator_motion(m: Manipulator, rate: Vec, acceleration: Vec) -> ManipulatorMotion:
    """Everything that moves, from the driven rates and accelerations (31-46, theory 7.6-7.10)."""
    t_P = m.G @ rate
    rates = [leg_rates(leg, t_P, rate) for leg in m.legs]
    bodies = body_twists(m, t_P, rates)
    c = [convective_twist_rate(m, leg, bodies, own) for leg, own in zip(m.legs, rates, strict=True)]
    pushed = [leg.removed.Phi @ c_j for leg, c_j in zip(m.legs, c, strict=True)]
    t_P_dot = m.G @ acceleration + udu_solve(*m.factors, sum(pushed, np.zeros(len(m.Pi))))
    second = [leg_rates(leg, t_P_dot - c_j, acceleration) for leg, c_j in zip(m.legs, c, strict=True)]
    t_dot = _twist_rates(m, bodies, t_P_dot, rates, second)
    return ManipulatorMotion(t_P, t_P_dot, rates, second, bodies, t_dot)


def _twist_rates(
    m: Manipulator, bodies: Bodies, t_P_dot: Vec, rates: list[list[Vec]], second: list[list[Vec]]
) -> list[Vec]:
    """t_dot_i = B_dot t_(i-1) + B t_dot_(i-1) + p_i acceleration + p_dot_i rate, base to platform (41)."""
    C, t = bodies.C, bodies.t
    t_dot = [np.zeros(6) for _ in C]
    t_dot[m.chains.platform] = m.Pi.T @ t_P_dot
    for leg, rate, acceleration in zip(m.legs, rates, second, strict=True):
        start = 0
        for joint in leg.screws:
            i, k, own = joint.step.outer, joint.step.inner, slice(start, start + len(joint.freedoms))
            start = own.stop
            if i == m.chains.platform:
                continue
            t_dot[i] = shift_twist(t_dot[k], C[i] - C[k]) + join_twist(
                np.zeros(3), cross_product(t[k][:3], t[i][3:] - t[k][3:])
            )
            p, p_dot = joint.at(C[i]), joint.rate_at(C[i], t[i][3:], bodies)
            for p_j, p_dot_j, x, x_dot in zip(p, p_dot, rate[own], acceleration[own], strict=True):
                t_dot[i] = t_dot[i] + p_j * x_dot + p_dot_j * x
    return t_dot


@dataclass(frozen=True, eq=False)
class ChainForces:
    """Step 1 of a chain: forces tau_tilde along its freedoms (50) and p_bar, the passive ones seen at P (56)."""

    tau_tilde: list[Vec]
    p_bar: Vec


def khan_inverse_dynamics(
    m: Manipulator, q: Vec, rate: Vec, acceleration: Vec, w_ext: list[Vec] | None = None
) -> tuple[Vec, list[ChainForces], ManipulatorMotion]:
    """Driving efforts in three steps, with each chain's own forces (Khan 47-56, theory 7.11-7.13)."""
    state = manipulator_motion(m, rate, acceleration)
    chains = [_chain_forces(m, j, q, state, w_ext) for j in range(len(m.legs))]
    total = sum((chain.p_bar for chain in chains), np.zeros(len(m.Pi)))
    y = udu_solve(*m.factors, total)
    tau = np.zeros(len(rate), dtype=np.result_type(total, rate))
    for leg, chain in zip(m.legs, chains, strict=True):
        back = leg.removed.Phi @ y - chain.p_bar
        for i, k in leg.driven_freedoms:
            tau[k] = chain.tau_tilde[i] + leg.b[i] @ back
    return tau, chains, state


def _chain_forces(m: Manipulator, j: int, q: Vec, state: ManipulatorMotion, w_ext: list[Vec] | None) -> ChainForces:
    """gamma_i = M_i t_dot_i + W_i M_i t_i - w^G_i + B^T gamma_(i+1), tau_tilde_i = p_i^T gamma_i (4.2.2, with -w^G)."""
    leg, C = m.legs[j], state.bodies.C
    v, a = join_chain_values(m, state.rates), join_chain_values(m, state.accelerations)
    applied = applied_wrenches(m.closure, m.bodies, m.poses, q, v, w_ext)
    resisted = passive_forces(m.closure.tree, q, v) + m.closure.tree.rotors * a
    share, own = 1.0 / len(m.legs), m.chains.platform
    gamma = share * (m.bodies[own].wrench(state.bodies.t[own], state.t_dot[own]) - applied[own])
    forces: list[Vec] = []
    stop = len(leg.b)
    for joint in reversed(leg.screws):
        i, k = joint.step.outer, joint.step.inner
        part = slice(stop - len(joint.freedoms), stop)
        stop = part.start
        tau = [p @ gamma for p in joint.at(C[i])]
        if isinstance(joint.step, TreeStep):
            taken = [resisted[d] for d in joint.speeds]
        else:
            taken = at_cut(m.closure, joint.step.loop, m.poses, state.rates[j][part], state.accelerations[j][part])
        forces = [x + y for x, y in zip(tau, taken, strict=True)] + forces
        if k >= 0:
            needed = m.bodies[k].wrench(state.bodies.t[k], state.t_dot[k]) - applied[k]
            gamma = needed + moved_back(gamma, C[i] - C[k])
    return ChainForces(forces, _passive_sum(leg, forces))


def _passive_sum(leg: SerialLeg, forces: list[Vec]) -> Vec:
    """p_bar = sum over passive freedoms of tau_tilde_i a_i."""
    terms = [a * x for a, x in zip(leg.removed.a, forces, strict=True) if a is not None]
    return sum(terms, np.zeros(len(leg.b[0])))


def join_chain_values(m: Manipulator, values: list[list[Vec]]) -> Vec:
    """Values per freedom of every chain put at the tree's speeds, (nv,); cut joints and a free pose are left out."""
    flat = [x for leg in values for x in leg]
    speeds = [d for leg in m.legs for joint in leg.screws for d in joint.speeds]
    found = {d: x for d, x in zip(speeds, flat, strict=True) if d is not None}
    zero = 0.0 * next(iter(found.values()))
    return np.array([found.get(d, zero) for d in range(m.closure.tree.nv)])


def chain_inertia(m: Manipulator, leg: SerialLeg) -> Mat:
    """I = N_d^T N_l^T M N_l N_d of a chain that carries its share of the platform (52), by composite bodies."""
    C = [*(body.C for body in m.bodies), np.zeros(3)]
    rotor = m.closure.tree.rotors
    p = [joint.at(C[joint.step.outer]) for joint in leg.screws]
    first = np.cumsum([0, *(len(x) for x in p)])
    inertia = np.zeros((first[-1], first[-1]), dtype=np.result_type(*leg.b))
    for n in range(len(leg.screws)):
        for c, column in enumerate(p[n]):
            w = [body.momentum(shift_twist(column, arm)) for body, arm in _bodies_beyond_joint(m, leg, n)]
            total = sum(
                (moved_back(x, arm) for x, (_, arm) in zip(w, _bodies_beyond_joint(m, leg, n), strict=True)),
                np.zeros(6),
            )
            _fill_inertia_row(inertia, leg, C, p, first, n, first[n] + c, total)
    outside = {cut.name: cut.rotors for cut in m.closure.tree.cut_joints}
    for joint, i in zip(leg.screws, first, strict=False):
        added = (
            [rotor[d] for d in joint.speeds] if isinstance(joint.step, TreeStep) else outside.get(joint.step.joint, ())
        )
        for k, own in enumerate(added, i):
            inertia[k, k] = inertia[k, k] + own
    return inertia


def _bodies_beyond_joint(m: Manipulator, leg: SerialLeg, n: int) -> list[tuple[WorldBody, Vec]]:
    """The bodies beyond joint n with their way from the mass center of the first; the platform counts by its share."""
    here = m.bodies[leg.screws[n].step.outer].C
    out = []
    for joint in leg.screws[n:]:
        body = m.bodies[joint.step.outer]
        mine = joint.step.outer == m.chains.platform
        out.append((body.share(1.0 / len(m.legs)) if mine else body, body.C - here))
    return out


def _fill_inertia_row(
    inertia: Mat, leg: SerialLeg, C: list[Vec], p: list[list[Vec]], first: np.ndarray, n: int, row: int, w: Vec
) -> None:
    """Row of the inertia and its mirror image: the wrench w walks from joint n to the base."""
    for j in reversed(range(n + 1)):
        for c, column in enumerate(p[j]):
            at = first[j] + c
            if at <= row:
                inertia[row, at] = inertia[at, row] = column @ w
        step = leg.screws[j].step
        if step.inner >= 0:
            w = moved_back(w, C[step.outer] - C[step.inner])


def leg_block(m: Manipulator, leg: SerialLeg) -> Mat:
    """Contribution of a chain to the manipulator's inertia, B_bar^T [T^T I T] B_bar, (actuators, actuators) (58-61).

    The rows of T B_bar are a_i^T D for passive freedoms, with D = S b less the leg's own b, and unit rows for driven
    ones; the paper writes the product out in blocks (59, theory 7.14).
    """
    inertia, n = chain_inertia(m, leg), m.G.shape[1]
    D = np.array(m.G)
    E = np.zeros((len(leg.b), n))
    for i, k in leg.driven_freedoms:
        D[:, k] = D[:, k] - leg.b[i]
        E[i, k] = 1.0
    rows = [a @ D if a is not None else E[i] for i, a in enumerate(leg.removed.a)]
    T = np.array(rows)
    return T.T @ inertia @ T


def manipulator_inertia(m: Manipulator) -> Mat:
    """J^T I_bar J, the manipulator's generalized inertia, summed over the chains (57-58)."""
    return sum((leg_block(m, leg) for leg in m.legs), np.zeros((m.G.shape[1], m.G.shape[1])))


def khan_forward_dynamics(
    m: Manipulator, q: Vec, rate: Vec, tau: Vec, w_ext: list[Vec] | None = None
) -> tuple[Vec, Vec, ManipulatorMotion]:
    """Driven accelerations by reverse Gaussian elimination (57-64), the pivots alpha, and the motion that follows."""
    still, _, _ = khan_inverse_dynamics(m, q, rate, np.zeros(len(rate)), w_ext)
    U, alpha = factor_udu(manipulator_inertia(m))
    acceleration = udu_solve(U, alpha, tau - still)
    return acceleration, alpha, manipulator_motion(m, rate, acceleration)


def khan_tree_accelerations(m: Manipulator, state: ManipulatorMotion) -> Vec:
    """Accelerations of the tree's speeds (nv,), the free pose of the platform included."""
    a = join_chain_values(m, state.accelerations)
    i = m.chains.platform
    link, pose = m.closure.tree.links[i], m.poses[i]
    if link.kind.floats:
        omega, alpha = state.bodies.t[i][:3], state.t_dot[i][:3]
        vel = state.bodies.velocity(i, pose.r)
        arm = pose.r - m.P
        acc = state.t_dot[i][3:] + cross_product(alpha, arm) + cross_product(omega, cross_product(omega, arm))
        a = np.array(a, dtype=np.result_type(a, alpha))
        a[link.dofs] = floating_acceleration(link, pose, omega, vel, alpha, acc)
    return a
