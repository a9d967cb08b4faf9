"""Intermediate quantities of the papers, of your own mechanism: annihilators, K, J, T_h, T_d, G*, multipliers.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes (three
components [omega, v] for a planar kinematics), at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.formulations.formulation import PaperFormulation
from linkwright.formulations.hanzaki import Hanzaki
from linkwright.formulations.khan import Khan
from linkwright.formulations.rao import Rao
from linkwright.kernels import part_names
from linkwright.kernels.loop.papers import serial_legs
from linkwright.model import Model
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.methods.papers import paper_quantities, require_paper

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


@dataclass(frozen=True, eq=False)
class HanzakiQuantities:
    """Hanzaki's quantities; subsystems side by side as blocks.

    e: Euler parameters of the open system's spherical joints, (n, 4), with rates e_dot, e_ddot of the last three.
    G_star (n, 3, 3). N_l, N_d, M: DeNOC and mass matrices about the joint origins. inertia: N^T M N. multipliers:
    force of the platform on the leg at every cut, leg axes, (cuts, 3), [N]; multipliers_world: the same in world axes.
    tau (na,).
    """

    e: Array
    e_dot: Array
    e_ddot: Array
    G_star: Array
    N_l: Array
    N_d: Array
    M: Array
    inertia: Array
    multipliers: Array
    multipliers_world: Array
    tau: Array


def khan(model: Model, q: Array, v: Any = None, a: Any = None, platform: str | None = None) -> KhanQuantities:
    """Khan's quantities at a closed state; velocities and accelerations are zero when left out.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> found = khan(model, model.assemble().q)
    >>> found.platform, found.freedoms, found.K.shape
    ('coupler', ('theta', 'alpha_rel', 'phi', 'B'), (3, 3))
    """
    formulation = Khan(platform)
    kinematics, parts = _quantities(model, formulation, q, v, a)
    chains = serial_legs(kinematics.setup, platform)
    known = {j.name: j for j in (*model.mechanism.joints, *model.mechanism.loops)}
    legs = tuple(tuple(step.joint for step in chain) for chain in chains.chains)
    freedoms = tuple(name for leg in legs for joint in leg for name in part_names((known[joint],), speeds=True))
    return KhanQuantities(model.bodies[chains.platform], legs, freedoms, **parts)


def rao(model: Model, q: Array, v: Any = None, a: Any = None, spin: bool = True) -> RaoQuantities:
    """Rao's quantities at a closed state of a hexaslide; without `spin` its rods do not turn about themselves.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("hexam"))
    >>> rao(model, model.assemble().q).T_h.shape
    (78, 36)
    """
    return RaoQuantities(**_quantities(model, Rao(spin), q, v, a)[1])


def hanzaki(model: Model, q: Array, v: Any = None, a: Any = None) -> HanzakiQuantities:
    """Hanzaki's quantities at a closed state of a mechanism whose loops close at spherical joints.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("3-rps"))
    >>> abs(hanzaki(model, model.assemble().q).e.round(12)).tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    return HanzakiQuantities(**_quantities(model, Hanzaki(), q, v, a)[1])


def _quantities(
    model: Model, formulation: PaperFormulation, q: Array, v: Any, a: Any
) -> tuple[Kinematics, dict[str, Any]]:
    kinematics = model.kinematics
    require_paper(kinematics, formulation)
    still = np.zeros((*np.shape(q)[:-1], model.nv))
    return kinematics, paper_quantities(
        kinematics, formulation, q, still if v is None else v, still if a is None else a
    )
