"""Khan's formulation as functions that can be traced (`frame` names the platform), and the paper's quantities.

Results about forces end with a number that is small where they are ill-conditioned: the smallest pivot of K, squared.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes (three
components [omega, v] for planar kinematics),
at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.functions import part_names
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.papers.khan import khan_equations as khan
from linkwright.papers.khan.khan_equations import Khan, Manipulator
from linkwright.papers.paper_method import (
    Paper,
    closure_as_drawn,
    diagonal_blocks,
    drawn_link_wrenches,
    driven_velocities,
    evaluate_quantities,
    paper_definition,
    register_paper,
    serial_legs,
    smallest_value,
)

# --- khan's formulation as functions of arrays that can be traced; `frame` names the platform -------------------------


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


# --- quantities of Khan's paper, of your own mechanism: annihilators, K, J --------------------------------------------

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class KhanQuantities:
    """Khan's chain of quantities; legs in the order of `legs`, freedoms of all chains in that of `freedoms`.

    Phi: annihilator of each leg's passive freedoms, (legs, d, d). p_tilde (freedoms, d), delta (freedoms,). K (d, d).
    G: K^-1 Phi B P, driven rates to platform twist, (d, na). J: P_bar L B P, driven rates to all, (freedoms, na).
    t_P, t_P_dot: platform twist and rate, (d,). theta_dot, theta_ddot: (freedoms,). tau_tilde: open chains' forces,
    each chain carrying its share of the platform, (freedoms,). p_bar (legs, d). I_bar: inertias of the chains as
    diagonal blocks. inertia: J^T I_bar J, (na, na). tau: actuators' efforts, (na,).
    """

    platform: str
    legs: tuple[tuple[str, ...], ...]
    freedoms: tuple[str, ...]
    Phi: Array
    p_tilde: Array
    delta: Array
    K: Array
    G: Array
    J: Array
    t_P: Array
    t_P_dot: Array
    theta_dot: Array
    theta_ddot: Array
    tau_tilde: Array
    p_bar: Array
    I_bar: Array
    inertia: Array
    tau: Array


def khan_quantities(
    model: Model, q: Array, v: Any = None, a: Any = None, platform: str | None = None
) -> KhanQuantities:
    """Khan's quantities at a closed state; velocities and accelerations are zero when left out.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> found = khan_quantities(model, model.assemble().q)
    >>> found.platform, found.freedoms, found.K.shape
    ('coupler', ('theta', 'alpha_rel', 'phi', 'B'), (3, 3))
    """
    formulation = Khan(platform)
    kinematics, parts = evaluate_quantities(model, formulation, q, v, a)
    chains = serial_legs(kinematics.setup, platform)
    known = {j.name: j for j in (*model.mechanism.joints, *model.mechanism.loops)}
    legs = tuple(tuple(step.joint for step in chain) for chain in chains.chains)
    freedoms = tuple(name for leg in legs for joint in leg for name in part_names((known[joint],), speeds=True))
    return KhanQuantities(model.bodies[chains.platform], legs, freedoms, **parts)
