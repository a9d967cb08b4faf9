"""Rao's formulation of hexaslides: T = T_h T_d on the platform's twist (any scalar).

Symbols and equation numbers are those of Koteswara Rao, Saha, Rao 2006.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, skew
from linkwright.checks import require_flag
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.leg_by_leg import cofactor_inverse
from linkwright.joints import JointKind
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import JointFrame
from linkwright.mechanism.tree import Link
from linkwright.numerics.tolerances import ROUNDED_RESULT
from linkwright.papers.leg_chains import Chain, CutStep, LegChains, Step, TreeStep
from linkwright.papers.world_bodies import (
    WorldBody,
    applied_wrenches,
    floating_acceleration,
    frame_origin,
    poses_with_base,
    require_no_rotors,
    screws_of_chain,
    solve_regular,
    spherical_moments,
    world_bodies,
)
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.forward_recursion import factor_udu, udu_solve
from linkwright.recursion.relative_motion import FramePose
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True)
class Rao(Formulation):
    """Hexaslides by T = T_h T_d with the platform's twist (Koteswara Rao et al. 2006).

    Attributes:
        spin: the universal joints decide how rods turn about themselves; False neglects that turning (Rao 19-20, 23).
    """

    spin: bool = True

    def __post_init__(self) -> None:
        require_flag("spin", self.spin)


@dataclass(frozen=True, eq=False)
class SliderLeg:
    """One leg: slider and rod (links), rail u, universal joint's axes u1, u2, rod L e, arms r = O_P B and l_c = U C_2.

    `speeds` are the poses in v of the slider and of the two angles; A is the point U at d = 0.
    """

    slider: int
    rod: int
    speeds: tuple[int, int, int]
    A: Vec
    U: Vec
    u: Vec
    u1: Vec
    u2: Vec
    e: Vec
    L: float
    r: Vec
    l_c: Vec


@dataclass(frozen=True, eq=False)
class Hexaslide:
    """The mechanism at q."""

    closure: Closure
    platform: int
    poses: list[FramePose]
    bodies: list[WorldBody]
    slides: list[SliderLeg]

    @property
    def P(self) -> Vec:
        """The platform's mass center O_P."""
        return self.bodies[self.platform].C


def require_hexaslide(closure: Closure, chains: LegChains, speeds: tuple[int, ...]) -> None:
    """Refuse mechanisms that are not hexaslides, with the reason."""
    driven = []
    for chain in chains.chains:
        slide, hooke, _ = _leg_steps(closure, chain)
        _require_hooke(closure, chain, closure.tree.links[hooke.link])
        driven.append(closure.tree.links[slide.link].dofs.start)
    require_no_rotors(closure, "Rao")
    if len(chains.chains) != 6:
        raise ArgumentError(f"Rao's platform has six legs, this one has {len(chains.chains)}")
    if sorted(driven) != sorted(speeds):
        raise ArgumentError(
            "Rao's mechanism is driven at its six sliders, and this one elsewhere; name them in actuated"
        )


def _leg_steps(closure: Closure, chain: Chain) -> tuple[TreeStep, TreeStep, CutStep]:
    """The slider, the universal joint and the spherical joint of a leg; other legs are refused."""
    found = [kind_of_step(closure, step) for step in chain]
    names = ", ".join(type(kind).__name__.lower() for kind in found)
    if len(found) != 3 or not _is_rao_leg(*found):
        raise ArgumentError(
            f"Rao's legs are a slider, a universal and a spherical joint; the leg at '{chain[0].joint}' has {names}"
        )
    match chain:
        case (TreeStep() as slide, TreeStep(sign=1.0) as hooke, CutStep() as spherical):
            return slide, hooke, spherical
    raise ArgumentError(
        f"the leg at '{chain[0].joint}' must be drawn from its rail to the platform, cut at the spherical joint"
    )


def _is_rao_leg(slide: JointKind, hooke: JointKind, ball: JointKind) -> bool:
    return slide.elements == (("slide", 0),) and hooke.turns_about_two_axes and ball.turns_about_point


def _require_hooke(closure: Closure, chain: Chain, hooke: Link) -> None:
    end = rod_end(closure, chain)
    axes = [np.array(axis) / np.linalg.norm(axis) for axis in hooke.kind.axes]
    if abs(axes[0] @ axes[1]) > ROUNDED_RESULT or abs(end.at.r[2]) > ROUNDED_RESULT * float(np.linalg.norm(end.at.r)):
        raise ArgumentError(
            f"universal joint '{hooke.joint}': Rao's second axis is normal to the first and to the rod, this is not"
        )
    if np.any(closure.tree.rotors[hooke.dofs]):
        raise ArgumentError(f"universal joint '{hooke.joint}' carries a rotor, which Rao's rods do not have")


def kind_of_step(closure: Closure, step: Step) -> JointKind:
    """The kind of a tree joint or of a cut joint."""
    return closure.tree.links[step.link].kind if isinstance(step, TreeStep) else closure.loops[step.loop].kind


def rod_end(closure: Closure, chain: Chain) -> JointFrame:
    """The spherical joint's frame on the rod."""
    _, hooke, spherical = _leg_steps(closure, chain)
    loop = closure.loops[spherical.loop]
    return loop.near if loop.near.link == hooke.outer else loop.far


def hexaslide_at(closure: Closure, chains: LegChains, speeds: tuple[int, ...], q: Vec) -> Hexaslide:
    """Vectors of every leg at q, in the order of the driven speeds (Rao 1-2, 12a, 15)."""
    poses = poses_with_base(closure, q)
    bodies = world_bodies(closure.tree, poses)
    slides = [_slider_leg(closure, chain, q, poses, bodies, chains.platform) for chain in chains.chains]
    slides.sort(key=lambda leg: speeds.index(leg.speeds[0]))
    return Hexaslide(closure, chains.platform, poses, bodies, slides)


def _slider_leg(
    closure: Closure, chain: Chain, q: Vec, poses: list[FramePose], bodies: list[WorldBody], platform: int
) -> SliderLeg:
    *_, spherical = _leg_steps(closure, chain)
    slider, rod = chain[0].outer, chain[1].outer
    rail, hooke = screws_of_chain(closure, chain[:2], q, poses)
    end = rod_end(closure, chain)
    L = float(np.linalg.norm(end.at.r))
    d, u, U = q[closure.tree.links[slider].coords][0], rail.freedoms[0].l, hooke.O
    loop = closure.loops[spherical.loop]
    other = loop.far if loop.near is end else loop.near
    first, second = (1, 0) if closure.tree.links[rod].reversed else (0, 1)  # of the slider, of the rod
    turning = closure.tree.dofs[rod].start
    return SliderLeg(
        slider=slider,
        rod=rod,
        speeds=(closure.tree.dofs[slider].start, turning + first, turning + second),
        A=U - d * u,
        U=U,
        u=u,
        u1=hooke.freedoms[first].e,
        u2=hooke.freedoms[second].e,
        e=poses[rod].R @ (end.at.r / L),
        L=L,
        r=frame_origin(other, poses) - bodies[platform].C,
        l_c=bodies[rod].C - U,
    )


def slider_roots(m: Hexaslide) -> Mat:
    """Both slider positions that hold each rod for this pose, minus root first, (2, legs) (Rao 3-4, theory 7.16)."""
    roots = []
    for leg in m.slides:
        s = m.P + leg.r - leg.A
        along = s @ leg.u
        reach = np.sqrt(along * along - (s @ s - leg.L * leg.L))
        roots.append([along - reach, along + reach])
    return np.array(roots).T


def platform_jacobians(m: Hexaslide) -> tuple[Vec, Mat]:
    """J_a's diagonal and J_t with J_a d_dot = J_t t_P, in unit vectors (Rao 9-10, theory 7.17)."""
    J_a = np.array([leg.e @ leg.u for leg in m.slides])
    return J_a, np.array([join_twist(cross_product(leg.r, leg.e), leg.e) for leg in m.slides])


def rod_maps(leg: SliderLeg, spin: bool) -> tuple[Mat, Mat]:
    """D_bar_A and D_bar_P with omega_2 = D_bar_A t_1 + D_bar_P t_P, each (3, 6) (Rao 26c-26e, theory 7.18-7.20).

    With `spin` the universal joint decides how the rod turns about itself (14-18); without, it does not turn (19-20).
    """
    one, zero = np.eye(3), np.zeros((3, 3))
    L, Lambda_r = 1.0 / leg.L, skew(leg.r)
    if not spin:
        Lambda_l = L * skew(leg.e)
        return np.block([zero, -Lambda_l]), Lambda_l @ np.block([-Lambda_r, one])
    inverse = rod_inverse(leg)[:, :3]
    return inverse @ np.block([zero, L * one]), inverse @ np.block([L * Lambda_r, -L * one])


def rod_inverse(leg: SliderLeg) -> Mat:
    """The generalized inverse of A_tilde = [e x; (u1 x (u1 x e))^T], (3, 4) (Rao 16-18)."""
    n = cross_product(leg.u1, cross_product(leg.u1, leg.e))
    A_tilde = np.concatenate([skew(leg.e), n[None, :]])
    inverse, _ = cofactor_inverse(A_tilde.T @ A_tilde)
    return inverse @ A_tilde.T


@dataclass(frozen=True, eq=False)
class HexaslideMotion:
    """Twists and rates: platform, sliders' d_dot and d_ddot, rods' omega and alpha."""

    t_P: Vec
    t_P_dot: Vec
    d_dot: Vec
    d_ddot: Vec
    omega: list[Vec]
    alpha: list[Vec]


def platform_motion(m: Hexaslide, q: Vec, v: Vec, a: Vec) -> tuple[Vec, Vec]:
    """Twist and twist rate of the platform at its mass center, from the tree's speeds and accelerations."""
    state = motion_of_tree(m.closure.tree, q, v, a, gravity=False)
    t, t_dot, pose = state.t[m.platform], state.t_dot[m.platform], m.poses[m.platform]
    omega, alpha, arm = pose.R @ t[:3], pose.R @ t_dot[:3], m.P - pose.r
    acc = pose.R @ t_dot[3:] + cross_product(alpha, arm) + cross_product(omega, cross_product(omega, arm))
    return join_twist(omega, pose.R @ t[3:] + cross_product(omega, arm)), join_twist(alpha, acc)


def hexaslide_motion(m: Hexaslide, t_P: Vec, t_P_dot: Vec, spin: bool) -> HexaslideMotion:
    """S-1 and S-2: sliders and rods from the platform's motion (Rao 7-8, 18-23, theory 7.17-7.21)."""
    J_a, J_t = platform_jacobians(m)
    d_dot = (J_t @ t_P) / J_a
    omega, alpha, d_ddot = [], [], []
    for leg, rate in zip(m.slides, d_dot, strict=True):
        D_A, D_P = rod_maps(leg, spin)
        omega.append(D_A[:, 3:] @ (leg.u * rate) + D_P @ t_P)
        second, turning = _rod_acceleration(leg, t_P, t_P_dot, rate, omega[-1], spin)
        d_ddot.append(second)
        alpha.append(turning)
    return HexaslideMotion(t_P, t_P_dot, d_dot, np.array(d_ddot), omega, alpha)


def _rod_acceleration(leg: SliderLeg, t_P: Vec, t_P_dot: Vec, rate: Any, omega: Vec, spin: bool) -> tuple[Any, Vec]:
    """Slider acceleration (21c) and the rod's angular acceleration (21-22 with the universal joint, 23 without)."""
    w_P, swing = t_P[:3], cross_product(omega, leg.e)
    ball = t_P_dot[3:] + cross_product(t_P_dot[:3], leg.r) + cross_product(w_P, cross_product(w_P, leg.r))
    second = ((ball - leg.L * cross_product(omega, swing)) @ leg.e) / (leg.e @ leg.u)
    relative = (1.0 / leg.L) * (ball - second * leg.u)
    if not spin:
        return second, cross_product(swing, swing_speed(leg, t_P, rate)) + cross_product(leg.e, relative)
    row = cross_product(leg.u1, cross_product(leg.u1, -swing)) @ omega
    Delta = np.array([*(cross_product(omega, swing) - relative), row])
    return second, rod_inverse(leg) @ Delta


def swing_speed(leg: SliderLeg, t_P: Vec, rate: Any) -> Vec:
    """Velocity of the spherical joint relative to the slider, over the rod's length: the bracket of (20)."""
    return (1.0 / leg.L) * (t_P[3:] + cross_product(t_P[:3], leg.r) - rate * leg.u)


@dataclass(frozen=True, eq=False)
class LegMaps:
    """P_bar_A and P_bar_P with t_2 = P_bar_A p d_dot + P_bar_P t_P, each (6, 6) (Rao 27)."""

    P_bar_A: Mat
    P_bar_P: Mat


def leg_maps(leg: SliderLeg, spin: bool) -> LegMaps:
    """Maps of a leg, with C_bar = [1; -l_c x] (26b as corrected, theory 7.20)."""
    D_A, D_P = rod_maps(leg, spin)
    C_bar = np.concatenate([np.eye(3), -skew(leg.l_c)])
    return LegMaps(np.eye(6) + C_bar @ D_A, C_bar @ D_P)


@dataclass(frozen=True, eq=False)
class PlatformComplement:
    """The DeNOC matrices: T_h (6 (2 n + 1), 6 n), T_d (6 n, n), and the two-stage T_bar_h, T_bar_d, T_n (28-31, 38-39).

    Rows follow slider 1, rod 1, slider 2, ..., platform.
    """

    T_h: Mat
    T_d: Mat
    T_bar_h: Mat
    T_bar_d: Mat
    T_n: Mat


def slider_complement(m: Hexaslide, spin: bool) -> PlatformComplement:
    """T = T_h T_d = T_bar_h T_bar_d T_n, all bodies' twists from the sliders' rates (theory 7.22-7.23)."""
    n = len(m.slides)
    J_a, J_t = platform_jacobians(m)
    inverse = solve_regular(J_t, np.eye(n))
    dtype = inverse.dtype
    P_P, P_A = np.zeros((12 * n + 6, 6), dtype=dtype), np.zeros((12 * n + 6, 6 * n), dtype=dtype)
    T_d, P_l = np.zeros((6 * n, n), dtype=dtype), np.zeros((n, 6 * n), dtype=dtype)
    P_P[12 * n :] = np.eye(6)
    for i, leg in enumerate(m.slides):
        own, rod, maps = slice(6 * i, 6 * i + 6), slice(12 * i + 6, 12 * i + 12), leg_maps(leg, spin)
        P_A[12 * i : 12 * i + 6, own], P_A[rod, own], P_P[rod] = np.eye(6), maps.P_bar_A, maps.P_bar_P
        T_d[own, i], P_l[i, own] = join_twist(np.zeros(3), leg.u), join_twist(np.zeros(3), leg.e)
    T_bar_d = np.zeros((6 * n + 6, n + 6), dtype=dtype)
    T_bar_d[: 6 * n, :n], T_bar_d[6 * n :, n:] = T_d, np.eye(6)
    T_n = np.concatenate([np.eye(n), inverse * J_a])
    return PlatformComplement(P_P @ inverse @ P_l + P_A, T_d, np.concatenate([P_A, P_P], axis=1), T_bar_d, T_n)


def slider_inertia_elements(m: Hexaslide, spin: bool) -> Mat:
    """i_ij = p_i^T M_tilde_ij p_j, the generalized inertia of the sliders, (n, n) (Rao 35-36, theory 7.24)."""
    n = len(m.slides)
    J_a, J_t = platform_jacobians(m)
    x = (solve_regular(J_t, np.eye(n)) * J_a).T
    inertia = np.zeros((n, n), dtype=x.dtype)
    for i, leg in enumerate(m.slides):
        own = m.bodies[leg.slider].m + m.closure.tree.rotors[leg.speeds[0]]
        inertia[i, i] = inertia[i, i] + own
    for k, leg in enumerate(m.slides):
        maps = leg_maps(leg, spin)
        h = [maps.P_bar_P @ x[i] for i in range(n)]
        h[k] = h[k] + maps.P_bar_A @ join_twist(np.zeros(3), leg.u)
        _add_inertia_pairs(inertia, h, [m.bodies[leg.rod].momentum(column) for column in h])
    _add_inertia_pairs(inertia, list(x), [m.bodies[m.platform].momentum(column) for column in x])
    return inertia


def _add_inertia_pairs(inertia: Mat, h: list[Vec], momenta: list[Vec]) -> None:
    """Add h_i^T M h_j, each pair once."""
    for i in range(len(h)):
        for j in range(i + 1):
            value = h[i] @ momenta[j]
            inertia[i, j] = inertia[i, j] + value
            if i != j:
                inertia[j, i] = inertia[j, i] + value


@dataclass(frozen=True, eq=False)
class Forces:
    """The forces of S-4 to S-8: tau = tau_1 + tau_2, and the wrenches w_1, w_2 per leg and w_P they came from."""

    tau: Vec
    tau_1: Vec
    tau_2: Vec
    w_1: list[Vec]
    w_2: list[Vec]
    w_P: Vec


def rao_inverse_dynamics(
    m: Hexaslide, q: Vec, state: HexaslideMotion, spin: bool, w_ext: list[Vec] | None = None
) -> Forces:
    """S-3 to S-8: slider forces from the mechanism's motion (Rao 37-42, theory 7.25)."""
    w_1, w_2, w_P = hexaslide_body_wrenches(m, q, state, w_ext)
    J_a, J_t = platform_jacobians(m)
    tau_1, total = [], w_P
    for leg, slider, rod in zip(m.slides, w_1, w_2, strict=True):
        maps = leg_maps(leg, spin)
        tau_1.append(join_twist(np.zeros(3), leg.u) @ (slider + maps.P_bar_A.T @ rod))
        total = total + maps.P_bar_P.T @ rod
    tau_2 = J_a * solve_regular(J_t.T, total)
    return Forces(np.array(tau_1) + tau_2, np.array(tau_1), tau_2, w_1, w_2, w_P)


def hexaslide_body_wrenches(
    m: Hexaslide, q: Vec, state: HexaslideMotion, w_ext: list[Vec] | None
) -> tuple[list[Vec], list[Vec], Vec]:
    """S-3 and S-4: M t_dot + W M t - w^g - w^d - w^e of sliders, rods and platform (37)."""
    v, a = slide_speeds(m, state.d_dot, state.omega), slide_speeds(m, state.d_ddot, state.alpha)
    applied = applied_wrenches(m.closure, m.bodies, m.poses, q, v, w_ext)
    resisted = passive_forces(m.closure.tree, q, v) + m.closure.tree.rotors * a
    zero = np.zeros(3)
    w_1, w_2 = [], []
    for i, leg in enumerate(m.slides):
        d, one, two = leg.speeds
        slider = join_twist(zero, state.d_ddot[i] * leg.u)
        swing = cross_product(state.alpha[i], leg.l_c) + cross_product(
            state.omega[i], cross_product(state.omega[i], leg.l_c)
        )
        rate, rod = join_twist(state.omega[i], zero), join_twist(state.alpha[i], slider[3:] + swing)
        w_1.append(m.bodies[leg.slider].wrench(join_twist(zero, zero), slider) - applied[leg.slider])
        w_1[-1] = w_1[-1] + join_twist(zero, resisted[d] * leg.u)
        w_2.append(m.bodies[leg.rod].wrench(rate, rod) - applied[leg.rod])
        w_2[-1] = w_2[-1] + join_twist(resisted[one] * leg.u1 + resisted[two] * leg.u2, zero)
    w_P = m.bodies[m.platform].wrench(state.t_P, state.t_P_dot) - applied[m.platform]
    if m.closure.tree.cut_joints:
        omega = [zero] * (len(m.bodies) + 1)
        omega[m.platform] = state.t_P[:3]
        for leg, turning in zip(m.slides, state.omega, strict=True):
            omega[leg.rod] = turning
        needed = spherical_moments(m.closure, m.poses, omega)
        w_2 = [w + join_twist(needed[leg.rod], zero) for w, leg in zip(w_2, m.slides, strict=True)]
        w_P = w_P + join_twist(needed[m.platform], zero)
    return w_1, w_2, w_P


def slide_speeds(m: Hexaslide, d: Vec, omega: list[Vec]) -> Vec:
    """Sliders' rates and rods' angular velocities as the tree's speeds, (nv,); the pose is left out.

    Taken for accelerations too: the universal joint's angle accelerations are the same projections of alpha.
    """
    found: dict[int, Any] = {}
    for leg, rate, turning in zip(m.slides, d, omega, strict=True):
        found |= dict(zip(leg.speeds, (rate, leg.u1 @ turning, leg.u2 @ turning), strict=True))
    return np.array([found.get(i, 0.0 * d[0]) for i in range(m.closure.tree.nv)])


def rao_forward_dynamics(
    m: Hexaslide, q: Vec, d_dot: Vec, tau: Vec, spin: bool, w_ext: list[Vec] | None = None
) -> tuple[Vec, HexaslideMotion]:
    """Slider accelerations from I d_ddot + C d_dot = tau (33), and the whole mechanism's motion."""
    J_a, J_t = platform_jacobians(m)
    t_P = solve_regular(J_t, J_a * d_dot)
    c = _twist_rate_of_held_sliders(m, t_P, J_a, J_t)
    still = hexaslide_motion(m, t_P, c, spin)
    rest = rao_inverse_dynamics(m, q, still, spin, w_ext).tau
    d_ddot = udu_solve(*factor_udu(slider_inertia_elements(m, spin)), tau - rest)
    return d_ddot, hexaslide_motion(m, t_P, c + solve_regular(J_t, J_a * d_ddot), True)


def _twist_rate_of_held_sliders(m: Hexaslide, t_P: Vec, J_a: Vec, J_t: Mat) -> Vec:
    """The platform's twist rate while the sliders do not accelerate."""
    moving = hexaslide_motion(m, t_P, np.zeros(6), True)
    return -solve_regular(J_t, J_a * moving.d_ddot)


def rao_tree_accelerations(m: Hexaslide, state: HexaslideMotion) -> Vec:
    """Accelerations of the tree's speeds (nv,), the platform's free pose included."""
    a = slide_speeds(m, state.d_ddot, state.alpha)
    link, pose = m.closure.tree.links[m.platform], m.poses[m.platform]
    if link.kind.floats:
        omega, alpha, arm = state.t_P[:3], state.t_P_dot[:3], pose.r - m.P
        vel = state.t_P[3:] + cross_product(omega, arm)
        acc = state.t_P_dot[3:] + cross_product(alpha, arm) + cross_product(omega, cross_product(omega, arm))
        a[link.dofs] = floating_acceleration(link, pose, omega, vel, alpha, acc)
    return a
