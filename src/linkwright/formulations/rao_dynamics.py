"""Rao's dynamics of hexaslides: T = T_h T_d, explicit inertia elements, and the steps S-1 to S-8 (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross, skew, twist
from linkwright.formulations.orthogonal import solved
from linkwright.formulations.rao_kinematics import (
    Hexaslide,
    Motion,
    Slide,
    machine_motion,
    platform_jacobians,
    rod_maps,
)
from linkwright.formulations.road_bodies import applied_wrenches, ball_moments
from linkwright.loops.screws import floating_acceleration
from linkwright.mechanism import joints as kinds
from linkwright.recursion.factor import udu, udu_solve
from linkwright.recursion.passive import passive_forces


@dataclass(frozen=True, eq=False)
class LegMaps:
    """P_bar_A and P_bar_P with t_2 = P_bar_A p d_dot + P_bar_P t_P, each (6, 6) (Rao 27)."""

    P_bar_A: Mat
    P_bar_P: Mat


def leg_maps(leg: Slide, spin: bool) -> LegMaps:
    """Maps of a leg, with C_bar = [1; -l_c x] (26b as corrected, theory 7.20)."""
    D_A, D_P = rod_maps(leg, spin)
    C_bar = np.concatenate([np.eye(3), -skew(leg.l_c)])
    return LegMaps(np.eye(6) + C_bar @ D_A, C_bar @ D_P)


@dataclass(frozen=True, eq=False)
class Complement:
    """The DeNOC matrices: T_h (6 (2 n + 1), 6 n), T_d (6 n, n), and the two-stage T_bar_h, T_bar_d, T_n (28-31, 38-39).

    Rows follow slider 1, rod 1, slider 2, ..., platform.
    """

    T_h: Mat
    T_d: Mat
    T_bar_h: Mat
    T_bar_d: Mat
    T_n: Mat


def complement(m: Hexaslide, spin: bool) -> Complement:
    """T = T_h T_d = T_bar_h T_bar_d T_n, all bodies' twists from the sliders' rates (theory 7.22-7.23)."""
    n = len(m.slides)
    J_a, J_t = platform_jacobians(m)
    inverse = solved(J_t, np.eye(n))
    dtype = inverse.dtype
    P_P, P_A = np.zeros((12 * n + 6, 6), dtype=dtype), np.zeros((12 * n + 6, 6 * n), dtype=dtype)
    T_d, P_l = np.zeros((6 * n, n), dtype=dtype), np.zeros((n, 6 * n), dtype=dtype)
    P_P[12 * n :] = np.eye(6)
    for i, leg in enumerate(m.slides):
        own, rod, maps = slice(6 * i, 6 * i + 6), slice(12 * i + 6, 12 * i + 12), leg_maps(leg, spin)
        P_A[12 * i : 12 * i + 6, own], P_A[rod, own], P_P[rod] = np.eye(6), maps.P_bar_A, maps.P_bar_P
        T_d[own, i], P_l[i, own] = twist(np.zeros(3), leg.u), twist(np.zeros(3), leg.e)
    T_bar_d = np.zeros((6 * n + 6, n + 6), dtype=dtype)
    T_bar_d[: 6 * n, :n], T_bar_d[6 * n :, n:] = T_d, np.eye(6)
    T_n = np.concatenate([np.eye(n), inverse * J_a])
    return Complement(P_P @ inverse @ P_l + P_A, T_d, np.concatenate([P_A, P_P], axis=1), T_bar_d, T_n)


def inertia_elements(m: Hexaslide, spin: bool) -> Mat:
    """i_ij = p_i^T M_tilde_ij p_j, the generalized inertia of the sliders, (n, n) (Rao 35-36, theory 7.24)."""
    n = len(m.slides)
    J_a, J_t = platform_jacobians(m)
    x = (solved(J_t, np.eye(n)) * J_a).T
    inertia = np.zeros((n, n), dtype=x.dtype)
    for i, leg in enumerate(m.slides):
        own = m.bodies[leg.slider].m + m.closure.tree.passive.rotor[leg.speeds[0]]
        inertia[i, i] = inertia[i, i] + own
    for k, leg in enumerate(m.slides):
        maps = leg_maps(leg, spin)
        h = [maps.P_bar_P @ x[i] for i in range(n)]
        h[k] = h[k] + maps.P_bar_A @ twist(np.zeros(3), leg.u)
        _add(inertia, h, [m.bodies[leg.rod].momentum(column) for column in h])
    _add(inertia, list(x), [m.bodies[m.platform].momentum(column) for column in x])
    return inertia


def _add(inertia: Mat, h: list[Vec], momenta: list[Vec]) -> None:
    """Add h_i^T M h_j, each pair once."""
    for i in range(len(h)):
        for j in range(i + 1):
            value = h[i] @ momenta[j]
            inertia[i, j] = inertia[i, j] + value
            if i != j:
                inertia[j, i] = inertia[j, i] + value


@dataclass(frozen=True, eq=False)
class Steps:
    """The forces of S-4 to S-8: tau = tau_1 + tau_2, and the wrenches w_1, w_2 per leg and w_P they came from."""

    tau: Vec
    tau_1: Vec
    tau_2: Vec
    w_1: list[Vec]
    w_2: list[Vec]
    w_P: Vec


def inverse_dynamics(m: Hexaslide, q: Vec, state: Motion, spin: bool, w_ext: list[Vec] | None = None) -> Steps:
    """S-3 to S-8: slider forces from the machine's motion (Rao 37-42, theory 7.25)."""
    w_1, w_2, w_P = body_wrenches(m, q, state, w_ext)
    J_a, J_t = platform_jacobians(m)
    tau_1, total = [], w_P
    for leg, slider, rod in zip(m.slides, w_1, w_2, strict=True):
        maps = leg_maps(leg, spin)
        tau_1.append(twist(np.zeros(3), leg.u) @ (slider + maps.P_bar_A.T @ rod))
        total = total + maps.P_bar_P.T @ rod
    tau_2 = J_a * solved(J_t.T, total)
    return Steps(np.array(tau_1) + tau_2, np.array(tau_1), tau_2, w_1, w_2, w_P)


def body_wrenches(m: Hexaslide, q: Vec, state: Motion, w_ext: list[Vec] | None) -> tuple[list[Vec], list[Vec], Vec]:
    """S-3 and S-4: M t_dot + W M t - w^g - w^d - w^e of sliders, rods and platform (37)."""
    v, a = slide_speeds(m, state.d_dot, state.omega), slide_speeds(m, state.d_ddot, state.alpha)
    applied = applied_wrenches(m.closure, m.bodies, m.places, q, v, w_ext)
    resisted = passive_forces(m.closure.tree, q, v) + m.closure.tree.passive.rotor * a
    zero = np.zeros(3)
    w_1, w_2 = [], []
    for i, leg in enumerate(m.slides):
        d, one, two = leg.speeds
        slider = twist(zero, state.d_ddot[i] * leg.u)
        swing = cross(state.alpha[i], leg.l_c) + cross(state.omega[i], cross(state.omega[i], leg.l_c))
        rate, rod = twist(state.omega[i], zero), twist(state.alpha[i], slider[3:] + swing)
        w_1.append(m.bodies[leg.slider].wrench(twist(zero, zero), slider) - applied[leg.slider])
        w_1[-1] = w_1[-1] + twist(zero, resisted[d] * leg.u)
        w_2.append(m.bodies[leg.rod].wrench(rate, rod) - applied[leg.rod])
        w_2[-1] = w_2[-1] + twist(resisted[one] * leg.u1 + resisted[two] * leg.u2, zero)
    w_P = m.bodies[m.platform].wrench(state.t_P, state.t_P_dot) - applied[m.platform]
    if m.closure.tree.cut_joints:
        omega = [zero] * (len(m.bodies) + 1)
        omega[m.platform] = state.t_P[:3]
        for leg, turning in zip(m.slides, state.omega, strict=True):
            omega[leg.rod] = turning
        needed = ball_moments(m.closure, m.places, omega)
        w_2 = [w + twist(needed[leg.rod], zero) for w, leg in zip(w_2, m.slides, strict=True)]
        w_P = w_P + twist(needed[m.platform], zero)
    return w_1, w_2, w_P


def slide_speeds(m: Hexaslide, d: Vec, omega: list[Vec]) -> Vec:
    """Sliders' rates and rods' angular velocities as the tree's speeds, (nv,); the pose is left out.

    Taken for accelerations too: the universal joint's angle accelerations are the same projections of alpha.
    """
    found: dict[int, Any] = {}
    for leg, rate, turning in zip(m.slides, d, omega, strict=True):
        found |= dict(zip(leg.speeds, (rate, leg.u1 @ turning, leg.u2 @ turning), strict=True))
    return np.array([found.get(place, 0.0 * d[0]) for place in range(m.closure.tree.nv)])


def forward_dynamics(
    m: Hexaslide, q: Vec, d_dot: Vec, tau: Vec, spin: bool, w_ext: list[Vec] | None = None
) -> tuple[Vec, Motion]:
    """Slider accelerations from I d_ddot + C d_dot = tau (33), and the whole machine's motion."""
    J_a, J_t = platform_jacobians(m)
    t_P = solved(J_t, J_a * d_dot)
    c = _held(m, t_P, J_a, J_t)
    still = machine_motion(m, t_P, c, spin)
    rest = inverse_dynamics(m, q, still, spin, w_ext).tau
    d_ddot = udu_solve(*udu(inertia_elements(m, spin)), tau - rest)
    return d_ddot, machine_motion(m, t_P, c + solved(J_t, J_a * d_ddot), True)


def _held(m: Hexaslide, t_P: Vec, J_a: Vec, J_t: Mat) -> Vec:
    """The platform's twist rate while the sliders do not accelerate."""
    moving = machine_motion(m, t_P, np.zeros(6), True)
    return -solved(J_t, J_a * moving.d_ddot)


def tree_accelerations(m: Hexaslide, state: Motion) -> Vec:
    """Accelerations of the tree's speeds (nv,), the platform's free pose included."""
    a = slide_speeds(m, state.d_ddot, state.alpha)
    link, place = m.closure.tree.links[m.platform], m.places[m.platform]
    if isinstance(link.kind, kinds.Floating):
        omega, alpha, arm = state.t_P[:3], state.t_P_dot[:3], place.r - m.P
        vel = state.t_P[3:] + cross(omega, arm)
        acc = state.t_P_dot[3:] + cross(alpha, arm) + cross(omega, cross(omega, arm))
        a[link.dofs] = floating_acceleration(link, place, omega, vel, alpha, acc)
    return a
