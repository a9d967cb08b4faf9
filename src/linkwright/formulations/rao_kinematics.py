"""Rao's hexaslides: sliders on rails, rods on universal joints, a platform on ball joints (any scalar).

Symbols and equation numbers are those of Koteswara Rao, Saha, Rao 2006. Twists are at the mass centres, world axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross, skew, twist
from linkwright.errors import ArgumentError
from linkwright.formulations.legs import inverse3
from linkwright.formulations.road_bodies import WorldBody, require_no_rotors, world_bodies
from linkwright.loops.chains import Chain, LegChains
from linkwright.loops.closure import Closure
from linkwright.loops.ends import End
from linkwright.loops.screws import end_point, screws, world_places
from linkwright.mechanism import joints as kinds
from linkwright.recursion.motion import motion
from linkwright.recursion.places import Place


@dataclass(frozen=True, eq=False)
class Slide:
    """One leg: slider and rod (links), rail u, universal joint's axes u1, u2, rod L e, arms r = O_P B and l_c = U C_2.

    `speeds` are the places in v of the slider and of the two angles; A is the point U at d = 0.
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
    """The machine at q."""

    closure: Closure
    platform: int
    places: list[Place]
    bodies: list[WorldBody]
    slides: list[Slide]

    @property
    def P(self) -> Vec:
        """The platform's mass centre O_P."""
        return self.bodies[self.platform].C


def require_hexaslide(closure: Closure, chains: LegChains, speeds: tuple[int, ...]) -> None:
    """Refuse machines that are no hexaslides, with the reason."""
    driven = []
    for chain in chains.chains:
        _require_leg(closure, chain)
        driven.append(closure.tree.links[_link(chain[0].link)].dofs.start)
    require_no_rotors(closure, "Rao")
    if len(chains.chains) != 6:
        raise ArgumentError(f"Rao's platform has six legs, this one has {len(chains.chains)}")
    if sorted(driven) != sorted(speeds):
        raise ArgumentError("Rao's machine is driven at its six sliders, and this one elsewhere; name them in actuated")


def _require_leg(closure: Closure, chain: Chain) -> None:
    found = [kind_of(closure, step.link, step.loop) for step in chain]
    wanted = (kinds.Prismatic, kinds.Universal, kinds.Spherical)
    names = ", ".join(type(kind).__name__.lower() for kind in found)
    if len(found) != 3 or not all(isinstance(k, w) for k, w in zip(found, wanted, strict=True)):
        raise ArgumentError(
            f"Rao's legs are a slider, a universal joint and a ball joint; the leg at '{chain[0].joint}' has {names}"
        )
    if chain[0].link is None or chain[1].link is None or chain[1].sign < 0 or chain[2].loop is None:
        raise ArgumentError(
            f"the leg at '{chain[0].joint}' must be drawn from its rail to the platform, cut at the ball"
        )
    hooke, end = closure.tree.links[chain[1].link], rod_end(closure, chain)
    axes = [np.array(axis) / np.linalg.norm(axis) for axis in kinds.axes(hooke.kind)]
    if abs(axes[0] @ axes[1]) > 1e-12 or abs(end.at.r[2]) > 1e-12 * float(np.linalg.norm(end.at.r)):
        raise ArgumentError(
            f"universal joint '{hooke.joint}': Rao's second axis is normal to the first and to the rod, this is not"
        )
    if np.any(closure.tree.passive.rotor[hooke.dofs]):
        raise ArgumentError(f"universal joint '{hooke.joint}' carries a rotor, which Rao's rods do not have")


def kind_of(closure: Closure, link: int | None, loop: int | None) -> kinds.JointType:
    """The kind of a tree joint or of a cut joint."""
    return closure.tree.links[link].kind if link is not None else closure.loops[_link(loop)].kind


def _link(number: int | None) -> int:
    assert number is not None
    return number


def rod_end(closure: Closure, chain: Chain) -> End:
    """The ball joint's frame on the rod."""
    loop = closure.loops[_link(chain[2].loop)]
    return loop.near if loop.near.link == chain[1].outer else loop.far


def hexaslide(closure: Closure, chains: LegChains, speeds: tuple[int, ...], q: Vec) -> Hexaslide:
    """Vectors of every leg at q, in the order of the driven speeds (Rao 1-2, 12a, 15)."""
    places = world_places(closure, q)
    bodies = world_bodies(closure.tree, places)
    slides = [_slide(closure, chain, q, places, bodies, chains.platform) for chain in chains.chains]
    slides.sort(key=lambda leg: speeds.index(leg.speeds[0]))
    return Hexaslide(closure, chains.platform, places, bodies, slides)


def _slide(
    closure: Closure, chain: Chain, q: Vec, places: list[Place], bodies: list[WorldBody], platform: int
) -> Slide:
    slider, rod = chain[0].outer, chain[1].outer
    rail, hooke = screws(closure, chain[:2], q, places)
    end = rod_end(closure, chain)
    L = float(np.linalg.norm(end.at.r))
    d, u, U = q[closure.tree.links[slider].coords][0], rail.freedoms[0].l, hooke.O
    loop = closure.loops[_link(chain[2].loop)]
    other = loop.far if loop.near is end else loop.near
    first, second = (1, 0) if closure.tree.links[rod].reversed else (0, 1)  # of the slider, of the rod
    return Slide(
        slider=slider,
        rod=rod,
        speeds=(_link(rail.speeds[0]), _link(hooke.speeds[first]), _link(hooke.speeds[second])),
        A=U - d * u,
        U=U,
        u=u,
        u1=hooke.freedoms[first].e,
        u2=hooke.freedoms[second].e,
        e=places[rod].R @ (end.at.r / L),
        L=L,
        r=end_point(other, places) - bodies[platform].C,
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
    return J_a, np.array([twist(cross(leg.r, leg.e), leg.e) for leg in m.slides])


def rod_maps(leg: Slide, spin: bool) -> tuple[Mat, Mat]:
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


def rod_inverse(leg: Slide) -> Mat:
    """The generalized inverse of A_tilde = [e x; (u1 x (u1 x e))^T], (3, 4) (Rao 16-18)."""
    n = cross(leg.u1, cross(leg.u1, leg.e))
    A_tilde = np.concatenate([skew(leg.e), n[None, :]])
    inverse, _ = inverse3(A_tilde.T @ A_tilde)
    return inverse @ A_tilde.T


@dataclass(frozen=True, eq=False)
class Motion:
    """Twists and rates: platform, sliders' d_dot and d_ddot, rods' omega and alpha."""

    t_P: Vec
    t_P_dot: Vec
    d_dot: Vec
    d_ddot: Vec
    omega: list[Vec]
    alpha: list[Vec]


def platform_motion(m: Hexaslide, q: Vec, v: Vec, a: Vec) -> tuple[Vec, Vec]:
    """Twist and twist rate of the platform at its mass centre, from the tree's speeds and accelerations."""
    state = motion(m.closure.tree, q, v, a, gravity=False)
    t, t_dot, place = state.t[m.platform], state.t_dot[m.platform], m.places[m.platform]
    omega, alpha, arm = place.R @ t[:3], place.R @ t_dot[:3], m.P - place.r
    acc = place.R @ t_dot[3:] + cross(alpha, arm) + cross(omega, cross(omega, arm))
    return twist(omega, place.R @ t[3:] + cross(omega, arm)), twist(alpha, acc)


def machine_motion(m: Hexaslide, t_P: Vec, t_P_dot: Vec, spin: bool) -> Motion:
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
    return Motion(t_P, t_P_dot, d_dot, np.array(d_ddot), omega, alpha)


def _rod_acceleration(leg: Slide, t_P: Vec, t_P_dot: Vec, rate: Any, omega: Vec, spin: bool) -> tuple[Any, Vec]:
    """Slider acceleration (21c) and the rod's angular acceleration (21-22 with the universal joint, 23 without)."""
    w_P, swing = t_P[:3], cross(omega, leg.e)
    ball = t_P_dot[3:] + cross(t_P_dot[:3], leg.r) + cross(w_P, cross(w_P, leg.r))
    second = ((ball - leg.L * cross(omega, swing)) @ leg.e) / (leg.e @ leg.u)
    relative = (1.0 / leg.L) * (ball - second * leg.u)
    if not spin:
        return second, cross(swing, swing_speed(leg, t_P, rate)) + cross(leg.e, relative)
    row = cross(leg.u1, cross(leg.u1, -swing)) @ omega
    Delta = np.array([*(cross(omega, swing) - relative), row])
    return second, rod_inverse(leg) @ Delta


def swing_speed(leg: Slide, t_P: Vec, rate: Any) -> Vec:
    """Velocity of the ball joint relative to the slider, over the rod's length: the bracket of (20)."""
    return (1.0 / leg.L) * (t_P[3:] + cross(t_P[:3], leg.r) - rate * leg.u)
