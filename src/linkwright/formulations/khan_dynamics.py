"""Khan's modular dynamics: chains that carry shares of the platform, joined by one central sum (any scalar).

Inverse dynamics takes three steps (47-56): each chain by itself, one sum, each chain by itself. Forward dynamics adds
per-chain blocks and solves by reverse Gaussian elimination (57-64).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross
from linkwright.formulations.khan_kinematics import Leg, Manipulator, Motion, motion
from linkwright.formulations.road_bodies import WorldBody, applied_wrenches, at_cut
from linkwright.loops.screws import floating_acceleration, moved, moved_back
from linkwright.mechanism import joints as kinds
from linkwright.recursion.factor import udu, udu_solve
from linkwright.recursion.passive import passive_forces


@dataclass(frozen=True, eq=False)
class ChainForces:
    """Step 1 of a chain: forces tau_tilde along its freedoms (50) and p_bar, the passive ones seen at P (56)."""

    tau_tilde: list[Vec]
    p_bar: Vec


def inverse_dynamics(
    m: Manipulator, q: Vec, rate: Vec, acceleration: Vec, w_ext: list[Vec] | None = None
) -> tuple[Vec, list[ChainForces], Motion]:
    """Driving efforts in three steps, with each chain's own forces (Khan 47-56, theory 7.11-7.13)."""
    state = motion(m, rate, acceleration)
    chains = [_chain_forces(m, j, q, state, w_ext) for j in range(len(m.legs))]
    total = sum((chain.p_bar for chain in chains), np.zeros(len(m.Pi)))
    y = udu_solve(*m.factors, total)
    tau = np.zeros(len(rate), dtype=np.result_type(total, rate))
    for leg, chain in zip(m.legs, chains, strict=True):
        back = leg.removed.Phi @ y - chain.p_bar
        for i, k in leg.driven:
            tau[k] = chain.tau_tilde[i] + leg.b[i] @ back
    return tau, chains, state


def _chain_forces(m: Manipulator, j: int, q: Vec, state: Motion, w_ext: list[Vec] | None) -> ChainForces:
    """gamma_i = M_i t_dot_i + W_i M_i t_i - w^G_i + B^T gamma_(i+1), tau_tilde_i = p_i^T gamma_i (4.2.2, with -w^G)."""
    leg, C = m.legs[j], state.bodies.C
    v, a = joined(m, state.rates), joined(m, state.accelerations)
    applied = applied_wrenches(m.closure, m.bodies, m.places, q, v, w_ext)
    resisted = passive_forces(m.closure.tree, q, v) + m.closure.tree.passive.rotor * a
    share, own = 1.0 / len(m.legs), m.chains.platform
    gamma = share * (m.bodies[own].wrench(state.bodies.t[own], state.t_dot[own]) - applied[own])
    forces: list[Vec] = []
    stop = len(leg.b)
    for joint in reversed(leg.screws):
        i, k = joint.step.outer, joint.step.inner
        part = slice(stop - len(joint.freedoms), stop)
        stop = part.start
        tau = [p @ gamma for p in joint.at(C[i])]
        if joint.step.loop is None:
            taken = [resisted[d] for d in joint.speeds]
        else:
            taken = at_cut(m.closure, joint.step.loop, m.places, state.rates[j][part], state.accelerations[j][part])
        forces = [x + y for x, y in zip(tau, taken, strict=True)] + forces
        if k >= 0:
            needed = m.bodies[k].wrench(state.bodies.t[k], state.t_dot[k]) - applied[k]
            gamma = needed + moved_back(gamma, C[i] - C[k])
    return ChainForces(forces, _passive_sum(leg, forces))


def _passive_sum(leg: Leg, forces: list[Vec]) -> Vec:
    """p_bar = sum over passive freedoms of tau_tilde_i a_i."""
    terms = [a * x for a, x in zip(leg.removed.a, forces, strict=True) if a is not None]
    return sum(terms, np.zeros(len(leg.b[0])))


def joined(m: Manipulator, values: list[list[Vec]]) -> Vec:
    """Values per freedom of every chain put at the tree's speeds, (nv,); cut joints and a free pose are left out."""
    flat = [x for leg in values for x in leg]
    speeds = [d for leg in m.legs for joint in leg.screws for d in joint.speeds]
    found = {d: x for d, x in zip(speeds, flat, strict=True) if d is not None}
    zero = 0.0 * next(iter(found.values()))
    return np.array([found.get(d, zero) for d in range(m.closure.tree.nv)])


def chain_inertia(m: Manipulator, leg: Leg) -> Mat:
    """I = N_d^T N_l^T M N_l N_d of a chain that carries its share of the platform (52), by composite bodies."""
    C = [*(body.C for body in m.bodies), np.zeros(3)]
    rotor = m.closure.tree.passive.rotor
    p = [joint.at(C[joint.step.outer]) for joint in leg.screws]
    first = np.cumsum([0, *(len(x) for x in p)])
    inertia = np.zeros((first[-1], first[-1]), dtype=np.result_type(*leg.b))
    for n in range(len(leg.screws)):
        for c, column in enumerate(p[n]):
            w = [body.momentum(moved(column, arm)) for body, arm in _carried(m, leg, n)]
            total = sum((moved_back(x, arm) for x, (_, arm) in zip(w, _carried(m, leg, n), strict=True)), np.zeros(6))
            _fill(inertia, leg, C, p, first, n, first[n] + c, total)
    outside = {cut.name: cut.passive.rotor for cut in m.closure.tree.cut_joints}
    for joint, i in zip(leg.screws, first, strict=False):
        added = [rotor[d] for d in joint.speeds] if joint.step.loop is None else outside.get(joint.step.joint, ())
        for k, own in enumerate(added, i):
            inertia[k, k] = inertia[k, k] + own
    return inertia


def _carried(m: Manipulator, leg: Leg, n: int) -> list[tuple[WorldBody, Vec]]:
    """The bodies beyond joint n with their way from the mass centre of the first; the platform counts by its share."""
    here = m.bodies[leg.screws[n].step.outer].C
    out = []
    for joint in leg.screws[n:]:
        body = m.bodies[joint.step.outer]
        mine = joint.step.outer == m.chains.platform
        out.append((body.share(1.0 / len(m.legs)) if mine else body, body.C - here))
    return out


def _fill(
    inertia: Mat, leg: Leg, C: list[Vec], p: list[list[Vec]], first: np.ndarray, n: int, row: int, w: Vec
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


def leg_block(m: Manipulator, leg: Leg) -> Mat:
    """What a chain adds to the manipulator's inertia, B_bar^T [T^T I T] B_bar, (actuators, actuators) (58-61).

    The rows of T B_bar are a_i^T D for passive freedoms, with D = S b less the leg's own b, and unit rows for driven
    ones; the paper writes the product out in blocks (59, theory 7.14).
    """
    inertia, n = chain_inertia(m, leg), m.G.shape[1]
    D = np.array(m.G)
    E = np.zeros((len(leg.b), n))
    for i, k in leg.driven:
        D[:, k] = D[:, k] - leg.b[i]
        E[i, k] = 1.0
    rows = [a @ D if a is not None else E[i] for i, a in enumerate(leg.removed.a)]
    T = np.array(rows)
    return T.T @ inertia @ T


def manipulator_inertia(m: Manipulator) -> Mat:
    """J^T I_bar J, the manipulator's generalized inertia, summed over the chains (57-58)."""
    return sum((leg_block(m, leg) for leg in m.legs), np.zeros((m.G.shape[1], m.G.shape[1])))


def forward_dynamics(
    m: Manipulator, q: Vec, rate: Vec, tau: Vec, w_ext: list[Vec] | None = None
) -> tuple[Vec, Vec, Motion]:
    """Driven accelerations by reverse Gaussian elimination (57-64), the pivots alpha, and the motion that follows."""
    still, _, _ = inverse_dynamics(m, q, rate, np.zeros(len(rate)), w_ext)
    U, alpha = udu(manipulator_inertia(m))
    acceleration = udu_solve(U, alpha, tau - still)
    return acceleration, alpha, motion(m, rate, acceleration)


def tree_accelerations(m: Manipulator, state: Motion) -> Vec:
    """Accelerations of the tree's speeds (nv,), the free pose of the platform included."""
    a = joined(m, state.accelerations)
    i = m.chains.platform
    link, place = m.closure.tree.links[i], m.places[i]
    if isinstance(link.kind, kinds.Floating):
        omega, alpha = state.bodies.t[i][:3], state.t_dot[i][:3]
        vel = state.bodies.velocity(i, place.r)
        arm = place.r - m.P
        acc = state.t_dot[i][3:] + cross(alpha, arm) + cross(omega, cross(omega, arm))
        a = np.array(a, dtype=np.result_type(a, alpha))
        a[link.dofs] = floating_acceleration(link, place, omega, vel, alpha, acc)
    return a
