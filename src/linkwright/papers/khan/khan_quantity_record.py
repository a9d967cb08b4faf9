"""Quantities of Khan's paper, of your own mechanism: annihilators, K, J.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes (three
components [omega, v] for planar kinematics),
at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions import part_names
from linkwright.model import Model
from linkwright.papers.drawn_mechanism import serial_legs
from linkwright.papers.khan.khan_equations import Khan
from linkwright.papers.paper_method import evaluate_quantities

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
