"""Khan's formulation as functions of arrays that can be traced; `frame` names the platform.

Results about forces end with a number that is small where they are ill-conditioned: the smallest pivot of K, squared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.papers.drawn_mechanism import (
    closure_as_drawn,
    diagonal_blocks,
    driven_velocities,
    link_wrenches,
    serial_legs,
    smallest,
)
from linkwright.papers.khan import equations as khan
from linkwright.papers.khan.equations import Khan, Manipulator
from linkwright.papers.method import Paper, paper_definition, register_paper


def _khan(setup: Setup, q: Vec, frame: str | None) -> Manipulator:
    return khan.manipulator(closure_as_drawn(setup), serial_legs(setup, frame), driven_velocities(setup), q)


def khan_forward(
    setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m = _khan(setup, q, frame)
    _, _, state = khan.forward_dynamics(m, q, v[list(driven_velocities(setup))], tau, link_wrenches(setup, w_ext))
    return khan.tree_accelerations(m, state), smallest(m.factors[1])


def khan_inverse(
    setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, at = _khan(setup, q, frame), list(driven_velocities(setup))
    return khan.inverse_dynamics(m, q, v[at], a[at], link_wrenches(setup, w_ext))[0], smallest(m.factors[1])


def khan_quantities(setup: Setup, q: Vec, v: Vec, a: Vec, frame: str | None = None) -> dict[str, Any]:
    """Quantities that the paper names, leg after leg; freedoms of all chains in the paper's order."""
    m, at = _khan(setup, q, frame), list(driven_velocities(setup))
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
        "I_bar": diagonal_blocks(inertias),
        "inertia": khan.manipulator_inertia(m),
        "tau": tau,
    }


def require_khan(kinematics: Kinematics, formulation: Khan) -> None:
    """Refuse a mechanism without serial legs and a platform, with the reason."""
    serial_legs(kinematics.setup, formulation.platform)


register_paper(
    Khan,
    Paper(
        paper_definition("khan_forward", ("q", "v", "tau"), khan_forward, Khan),
        paper_definition("khan_inverse", ("q", "v", "a"), khan_inverse, Khan),
        paper_definition("khan_quantities", ("q", "v", "a"), khan_quantities, Khan),
        require_khan,
        lambda formulation: formulation.platform,
        1e-10,
        "K is singular: with its actuators held, the platform still moves",
    ),
)
