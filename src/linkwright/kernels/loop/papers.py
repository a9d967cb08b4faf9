"""The papers' own formulations as functions of arrays that can be traced.

`frame` names Khan's platform, or "no spin" for Rao's simplified rods. Every result about forces ends with a number that
is small where it is ill-conditioned: a pivot of K, an own part of a column of J_t, or e0 of a spherical joint, squared.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.pose import wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import minimum
from linkwright.formulations import hanzaki, khan, rao
from linkwright.formulations.hanzaki import Hanzaki, OpenSystem, SphericalJoint
from linkwright.formulations.khan import Khan, Manipulator
from linkwright.formulations.noc import uncoupled
from linkwright.formulations.orthogonal import own_parts
from linkwright.formulations.rao import Hexaslide, Rao
from linkwright.formulations.world_bodies import require_no_rotors
from linkwright.kernels.definition import Definition
from linkwright.kernels.loop.resistance import resisted_speeds
from linkwright.kernels.setup import Setup
from linkwright.loops.chains import LegChains, leg_chains
from linkwright.loops.closure import Closure, closure_of
from linkwright.loops.hanging import Hanging, hanging
from linkwright.mechanism import joints as kinds

NO_SPIN = "no spin"


def drawn_closure(setup: Setup) -> Closure:
    """The loops on the tree as drawn, whose bodies are the user's own."""
    return closure_of(setup.mech, setup.tree)


def serial_legs(setup: Setup, platform: str | None) -> LegChains:
    """The legs of a mechanism, its named platform preferred."""
    bodies = {frame.name: frame.body for frame in setup.mech.frames}
    preferred = None if setup.mech.platform is None else bodies.get(setup.mech.platform, setup.mech.platform)
    return leg_chains(drawn_closure(setup), platform, preferred)


def open_subsystems(setup: Setup) -> Hanging:
    """The mechanism cut at spherical joints, reference turns from the file's home."""
    given = dict(setup.mech.home)
    parts = [given.get(joint.name, kinds.neutral(joint.kind)) for joint in setup.mech.joints]
    closure = drawn_closure(setup)
    require_no_rotors(closure, "Hanzaki")
    return hanging(closure, np.array([x for part in parts for x in part], dtype=float))


def driven(setup: Setup) -> tuple[int, ...]:
    """Places in v of the driven speeds."""
    return tuple(drive.speed for drive in setup.drives if drive.speed is not None)


def _outer(setup: Setup, w_ext: Mat | None) -> list[Vec] | None:
    """Wrenches on the bodies in the drawn tree's link frames."""
    if w_ext is None:
        return None
    return [wrench_from(w, link.body) for w, link in zip(w_ext, setup.tree.links, strict=True)]


def _least(values: Any) -> Any:
    return reduce(minimum, list(values))


def _khan(setup: Setup, q: Vec, frame: str | None) -> Manipulator:
    return khan.manipulator(drawn_closure(setup), serial_legs(setup, frame), driven(setup), q)


def khan_forward(
    setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m = _khan(setup, q, frame)
    _, _, state = khan.forward_dynamics(m, q, v[list(driven(setup))], tau, _outer(setup, w_ext))
    return khan.tree_accelerations(m, state), _least(m.factors[1])


def khan_inverse(
    setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, at = _khan(setup, q, frame), list(driven(setup))
    return khan.inverse_dynamics(m, q, v[at], a[at], _outer(setup, w_ext))[0], _least(m.factors[1])


def khan_quantities(setup: Setup, q: Vec, v: Vec, a: Vec, frame: str | None = None) -> dict[str, Any]:
    """Quantities that the paper names, leg after leg; freedoms of all chains in the paper's order."""
    m, at = _khan(setup, q, frame), list(driven(setup))
    tau, chains, state = khan.inverse_dynamics(m, q, v[at], a[at])
    pairs = [x for leg in m.legs for x in zip(leg.b, leg.removed.p_tilde, strict=True)]
    p_tilde = [b if p is None else p for b, p in pairs]
    inertias = [khan.chain_inertia(m, leg) for leg in m.legs]
    return {
        "Phi": np.array([leg.removed.Phi for leg in m.legs]),
        "p_tilde": np.array(p_tilde),
        "delta": np.array([p @ p for p in p_tilde]),
        "K": m.K,
        "G": m.G,
        "J": khan.loop_closure_complement(m),
        "t_P": state.t_P,
        "t_P_dot": state.t_P_dot,
        "theta_dot": np.array([x for leg in state.rates for x in leg]),
        "theta_ddot": np.array([x for leg in state.accelerations for x in leg]),
        "tau_tilde": np.array([x for chain in chains for x in chain.tau_tilde]),
        "p_bar": np.array([chain.p_bar for chain in chains]),
        "I_bar": _diagonal_blocks(inertias),
        "inertia": khan.manipulator_inertia(m),
        "tau": tau,
    }


def _diagonal_blocks(blocks: list[Mat]) -> Mat:
    n = sum(block.shape[0] for block in blocks)
    k = sum(block.shape[1] for block in blocks)
    out = np.zeros((n, k), dtype=np.result_type(*blocks))
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out


def _rao(setup: Setup, q: Vec) -> Hexaslide:
    return rao.hexaslide(drawn_closure(setup), serial_legs(setup, None), driven(setup), q)


def _trust(m: Hexaslide) -> Any:
    return _least(own_parts(rao.platform_jacobians(m)[1].T))


def rao_forward(
    setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, outer = _rao(setup, q), _outer(setup, w_ext)
    _, state = rao.forward_dynamics(m, q, v[list(driven(setup))], tau, frame != NO_SPIN, outer)
    return rao.tree_accelerations(m, state), _trust(m)


def rao_inverse(
    setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, spin = _rao(setup, q), frame != NO_SPIN
    state = rao.hexaslide_motion(m, *rao.platform_motion(m, q, v, a), spin)
    return rao.inverse_dynamics(m, q, state, spin, _outer(setup, w_ext)).tau, _trust(m)


def rao_quantities(setup: Setup, q: Vec, v: Vec, a: Vec, frame: str | None = None) -> dict[str, Any]:
    """Quantities that the paper names, leg after leg."""
    m, spin = _rao(setup, q), frame != NO_SPIN
    state = rao.hexaslide_motion(m, *rao.platform_motion(m, q, v, a), spin)
    steps, T = rao.inverse_dynamics(m, q, state, spin), rao.complement(m, spin)
    J_a, J_t = rao.platform_jacobians(m)
    matrices = {"T_h": T.T_h, "T_d": T.T_d, "T_bar_h": T.T_bar_h, "T_bar_d": T.T_bar_d, "T_n": T.T_n}
    motion = {"t_P": state.t_P, "t_P_dot": state.t_P_dot, "d_dot": state.d_dot, "d_ddot": state.d_ddot}
    turning = {"omega_2": np.array(state.omega), "alpha_2": np.array(state.alpha)}
    forces = {"tau_1": steps.tau_1, "tau_2": steps.tau_2, "tau": steps.tau}
    wrenches = {"w_1": np.array(steps.w_1), "w_2": np.array(steps.w_2), "w_P": steps.w_P}
    rest = {"d": rao.slider_roots(m), "J_a": J_a, "J_t": J_t}
    return rest | motion | turning | matrices | {"inertia": rao.inertia_elements(m, spin)} | wrenches | forces


def _hanzaki(setup: Setup, q: Vec) -> OpenSystem:
    return hanzaki.open_system(drawn_closure(setup), open_subsystems(setup), q)


def _half_turn(m: OpenSystem) -> Any:
    return _least(
        [joint.wxyz[0] * joint.wxyz[0] for joint in m.joints if isinstance(joint, SphericalJoint)] or [np.ones(())[()]]
    )


def hanzaki_forward(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Any]:
    m = _hanzaki(setup, q)
    out = hanzaki.forward_dynamics(m, driven(setup), q, v, tau, _outer(setup, w_ext))
    return out.values, _half_turn(m)


def hanzaki_inverse(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> tuple[Vec, Any]:
    m = _hanzaki(setup, q)
    out = hanzaki.inverse_dynamics(m, driven(setup), q, v, a, _outer(setup, w_ext))
    return out.values, _half_turn(m)


def hanzaki_quantities(setup: Setup, q: Vec, v: Vec, a: Vec) -> dict[str, Any]:
    """Quantities that the paper names: Euler parameters, G*, subsystems, multipliers at the cuts."""
    m = _hanzaki(setup, q)
    out = hanzaki.inverse_dynamics(m, driven(setup), q, v, a)
    state, parts = hanzaki.open_motion(m, v, hanzaki.OfTree(a)), hanzaki.subsystems(m)
    balls = [(joint, n) for n, joint in enumerate(m.joints) if isinstance(joint, SphericalJoint)]
    world = [cut.axes @ lam for cut, lam in zip(out.cuts, out.multipliers, strict=True)]
    return {
        "e": np.array([ball.wxyz for ball, _ in balls]).reshape(-1, 4),
        "e_dot": np.array([state.speeds[n] for _, n in balls]).reshape(-1, 3),
        "e_ddot": np.array([state.accelerations[n] for _, n in balls]).reshape(-1, 3),
        "G_star": np.array([ball.G_star for ball, _ in balls]).reshape(-1, 3, 3),
        "N_l": _diagonal_blocks([part.N_l for part in parts]),
        "N_d": _diagonal_blocks([part.N_d for part in parts]),
        "M": _diagonal_blocks([part.M for part in parts]),
        "inertia": _diagonal_blocks([part.inertia for part in parts]),
        "multipliers": np.array(out.multipliers),
        "multipliers_world": np.array(world),
        "tau": out.values,
    }


def noc_parts(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> dict[str, Any]:
    parts = uncoupled(setup.mech, setup.tree, q, v, a, resisted_speeds(setup, q, v, a), _outer(setup, w_ext))
    return {"A": parts.A, "V": parts.V, "w": parts.w, "resisted": parts.resisted}


KHAN_FORWARD = Definition("khan_forward", ("q", "v", "tau"), khan_forward, paper=Khan)
KHAN_INVERSE = Definition("khan_inverse", ("q", "v", "a"), khan_inverse, paper=Khan)
KHAN_QUANTITIES = Definition("khan_quantities", ("q", "v", "a"), khan_quantities, paper=Khan)
RAO_FORWARD = Definition("rao_forward", ("q", "v", "tau"), rao_forward, paper=Rao)
RAO_INVERSE = Definition("rao_inverse", ("q", "v", "a"), rao_inverse, paper=Rao)
RAO_QUANTITIES = Definition("rao_quantities", ("q", "v", "a"), rao_quantities, paper=Rao)
HANZAKI_FORWARD = Definition("hanzaki_forward", ("q", "v", "tau"), hanzaki_forward, paper=Hanzaki)
HANZAKI_INVERSE = Definition("hanzaki_inverse", ("q", "v", "a"), hanzaki_inverse, paper=Hanzaki)
HANZAKI_QUANTITIES = Definition("hanzaki_quantities", ("q", "v", "a"), hanzaki_quantities, paper=Hanzaki)
NOC_PARTS = Definition("noc_parts", ("q", "v", "a"), noc_parts)
