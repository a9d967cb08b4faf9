"""Quantities of Rao's paper, of your own mechanism: J_a, J_t, T_h, T_d.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes,
at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.model import Model
from linkwright.papers.paper_method import evaluate_quantities
from linkwright.papers.rao.rao_equations import Rao

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
