"""Rao's formulation as functions that can be traced; and the paper's quantities (`frame`: "no spin" for simple legs).

Results about forces end with a number that is small where they are ill-conditioned: an own part of a column of J_t,
squared.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes,
at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.papers.paper_method import (
    Paper,
    closure_as_drawn,
    drawn_link_wrenches,
    driven_velocities,
    evaluate_quantities,
    paper_definition,
    register_paper,
    serial_legs,
    smallest_value,
)
from linkwright.papers.rao import rao_equations as rao
from linkwright.papers.rao.rao_equations import Hexaslide, Rao, require_hexaslide
from linkwright.papers.world_bodies import own_parts

# --- rao's formulation as functions of arrays that can be traced ------------------------------------------------------

NO_SPIN = "no spin"


def _hexaslide_of_setup(setup: Setup, q: Vec) -> Hexaslide:
    return rao.hexaslide_at(closure_as_drawn(setup), serial_legs(setup, None), driven_velocities(setup), q)


def _smallest_jacobian_part(m: Hexaslide) -> Any:
    return smallest_value(own_parts(rao.platform_jacobians(m)[1].T))


def rao_forward(
    setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, outer = _hexaslide_of_setup(setup, q), drawn_link_wrenches(setup, w_ext)
    _, state = rao.rao_forward_dynamics(m, q, v[list(driven_velocities(setup))], tau, frame != NO_SPIN, outer)
    return rao.rao_tree_accelerations(m, state), _smallest_jacobian_part(m)


def rao_inverse(
    setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None, frame: str | None = None
) -> tuple[Vec, Any]:
    m, spin = _hexaslide_of_setup(setup, q), frame != NO_SPIN
    state = rao.hexaslide_motion(m, *rao.platform_motion(m, q, v, a), spin)
    return rao.rao_inverse_dynamics(m, q, state, spin, drawn_link_wrenches(setup, w_ext)).tau, _smallest_jacobian_part(
        m
    )


def rao_quantity_values(setup: Setup, q: Vec, v: Vec, a: Vec, frame: str | None = None) -> dict[str, Any]:
    """Quantities that the paper names, leg after leg."""
    m, spin = _hexaslide_of_setup(setup, q), frame != NO_SPIN
    state = rao.hexaslide_motion(m, *rao.platform_motion(m, q, v, a), spin)
    steps, T = rao.rao_inverse_dynamics(m, q, state, spin), rao.slider_complement(m, spin)
    J_a, J_t = rao.platform_jacobians(m)
    matrices = {"T_h": T.T_h, "T_d": T.T_d, "T_bar_h": T.T_bar_h, "T_bar_d": T.T_bar_d, "T_n": T.T_n}
    motion = {"t_P": state.t_P, "t_P_dot": state.t_P_dot, "d_dot": state.d_dot, "d_ddot": state.d_ddot}
    turning = {"omega_2": np.array(state.omega), "alpha_2": np.array(state.alpha)}
    forces = {"tau_1": steps.tau_1, "tau_2": steps.tau_2, "tau": steps.tau}
    wrenches = {"w_1": np.array(steps.w_1), "w_2": np.array(steps.w_2), "w_P": steps.w_P}
    rest = {"d": rao.slider_roots(m), "J_a": J_a, "J_t": J_t}
    return rest | motion | turning | matrices | {"inertia": rao.slider_inertia_elements(m, spin)} | wrenches | forces


def require_rao(kinematics: Kinematics, _: Rao) -> None:
    """Refuse a mechanism that is not a hexaslide, with the reason."""
    setup = kinematics.setup
    require_hexaslide(closure_as_drawn(setup), serial_legs(setup, None), driven_velocities(setup))


register_paper(
    Rao,
    Paper(
        paper_definition("rao_forward", ("q", "v", "tau"), rao_forward, Rao),
        paper_definition("rao_inverse", ("q", "v", "a"), rao_inverse, Rao),
        paper_definition("rao_quantities", ("q", "v", "a"), rao_quantity_values, Rao),
        require_rao,
        lambda formulation: None if formulation.spin else NO_SPIN,
        1e-16,
        "J_t is singular: with its sliders held, the platform still moves",
    ),
)


# --- quantities of Rao's paper, of your own mechanism: J_a, J_t, T_h, T_d ---------------------------------------------

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class RaoQuantities:
    """Rao's quantities, legs in the order of the actuators.

    d: both working modes of every slider, (2, 6). J_a: diagonal, (6,). J_t (6, 6). t_P, t_P_dot (6,). d_dot, d_ddot
    (6,). omega_2, alpha_2: rods' angular velocity and acceleration, (6, 3). T_h (78, 36), T_d (36, 6); two-stage
    T_bar_h (78, 42), T_bar_d (42, 12), T_n (12, 6). inertia (6, 6). w_1, w_2 (6, 6), w_P (6,): wrenches the bodies
    need. tau = tau_1 + tau_2, (6,).
    """

    d: Array
    J_a: Array
    J_t: Array
    t_P: Array
    t_P_dot: Array
    d_dot: Array
    d_ddot: Array
    omega_2: Array
    alpha_2: Array
    T_h: Array
    T_d: Array
    T_bar_h: Array
    T_bar_d: Array
    T_n: Array
    inertia: Array
    w_1: Array
    w_2: Array
    w_P: Array
    tau_1: Array
    tau_2: Array
    tau: Array


def rao_quantities(model: Model, q: Array, v: Any = None, a: Any = None, spin: bool = True) -> RaoQuantities:
    """Rao's quantities at a closed state of a hexaslide; without `spin` its rods do not turn about themselves.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("hexam"))
    >>> rao_quantities(model, model.assemble().q).T_h.shape
    (78, 36)
    """
    return RaoQuantities(**evaluate_quantities(model, Rao(spin), q, v, a)[1])
