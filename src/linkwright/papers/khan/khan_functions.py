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
    drawn_link_wrenches,
    driven_velocities,
    serial_legs,
    smallest_value,
)
from linkwright.papers.khan import khan_equations as khan
from linkwright.papers.khan.khan_equations import Khan, Manipulator
from linkwright.papers.paper_method import Paper, paper_definition, register_paper


def _manipulator_of_setup(setup: Setup, q: Vec, frame: str | None) -> Manipulator:
    return khan.manipulator_at(closure_as_drawn(setup), serial_legs(setup, frame), driven_velocities(setup), q)


def khan_forward(
    setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m = _manipulator_of_setup(setup, q, frame)
    _, _, state = khan.khan_forward_dynamics(
        m, q, v[list(driven_velocities(setup))], tau, drawn_link_wrenches(setup, w_ext)
    )
    return khan.khan_tree_accelerations(m, state), smallest_value(m.factors[1])


def khan_inverse(
    setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, at = _manipulator_of_setup(setup, q, frame), list(driven_velocities(setup))
    return khan.khan_inverse_dynamics(m, q, v[at], a[at], drawn_link_wrenches(setup, w_ext))[0], smallest_value(
        m.factors[1]
    )


def khan_quantity_values(setup: Setup, q: Vec, v: Vec, a: Vec, frame: str | None = None) -> dict[str, Any]:
    """Quantities that the paper names, leg after leg; freedoms of all chains in the paper's order."""
    m, at = _manipulator_of_setup(setup, q, frame), list(driven_velocities(setup))
    tau, chains, state = khan.khan_inverse_dynamics(m, q, v[at], a[at])
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
        paper_definition("khan_quantities", ("q", "v", "a"), khan_quantity_values, Khan),
        require_khan,
        lambda formulation: formulation.platform,
        1e-10,
        "K is singular: with its actuators held, the platform still moves",
    ),
)
