"""Hanzaki's formulation as functions that can be traced, and the quantities of his paper.

Results about forces end with a number that is small where they are ill-conditioned: e0 of a spherical joint, squared.

Arrays have the leading batch axes of the state, then the shape given; twists are [angular; linear] in world axes,
at the platform's mass center P.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.papers.hanzaki import hanzaki_equations as hanzaki
from linkwright.papers.hanzaki.hanzaki_equations import (
    Hanzaki,
    OpenSubsystems,
    OpenSystem,
    SphericalJoint,
    find_open_subsystems,
)
from linkwright.papers.paper_method import (
    Paper,
    closure_as_drawn,
    diagonal_blocks,
    drawn_link_wrenches,
    driven_velocities,
    evaluate_quantities,
    paper_definition,
    register_paper,
    smallest_value,
)
from linkwright.papers.world_bodies import require_no_rotors

# --- hanzaki's formulation as functions of arrays that can be traced --------------------------------------------------


def open_subsystems(setup: Setup) -> OpenSubsystems:
    """The mechanism cut at spherical joints, reference turns from the file's home."""
    given = dict(setup.mech.home)
    parts = [given.get(joint.name, joint.kind.neutral) for joint in setup.mech.joints]
    closure = closure_as_drawn(setup)
    require_no_rotors(closure, "Hanzaki")
    return find_open_subsystems(closure, np.array([x for part in parts for x in part], dtype=float))


def _open_system_at(setup: Setup, q: Vec) -> OpenSystem:
    return hanzaki.open_system(closure_as_drawn(setup), open_subsystems(setup), q)


def _half_turn(m: OpenSystem) -> Any:
    return smallest_value(
        [joint.wxyz[0] * joint.wxyz[0] for joint in m.joints if isinstance(joint, SphericalJoint)] or [np.ones(())[()]]
    )


def hanzaki_forward(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Any]:
    m = _open_system_at(setup, q)
    out = hanzaki.hanzaki_forward_dynamics(m, driven_velocities(setup), q, v, tau, drawn_link_wrenches(setup, w_ext))
    return out.values, _half_turn(m)


def hanzaki_inverse(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> tuple[Vec, Any]:
    m = _open_system_at(setup, q)
    out = hanzaki.hanzaki_inverse_dynamics(m, driven_velocities(setup), q, v, a, drawn_link_wrenches(setup, w_ext))
    return out.values, _half_turn(m)


def hanzaki_quantity_values(setup: Setup, q: Vec, v: Vec, a: Vec) -> dict[str, Any]:
    """Quantities that the paper names: Euler parameters, G*, subsystems, multipliers at the cuts."""
    m = _open_system_at(setup, q)
    out = hanzaki.hanzaki_inverse_dynamics(m, driven_velocities(setup), q, v, a)
    state, parts = hanzaki.open_motion(m, v, hanzaki.OfTree(a)), hanzaki.denoc_subsystems(m)
    balls = [(joint, n) for n, joint in enumerate(m.joints) if isinstance(joint, SphericalJoint)]
    world = [cut.axes @ lam for cut, lam in zip(out.cuts, out.multipliers, strict=True)]
    return {
        "e": np.array([ball.wxyz for ball, _ in balls]).reshape(-1, 4),
        "e_dot": np.array([state.speeds[n] for _, n in balls]).reshape(-1, 3),
        "e_ddot": np.array([state.accelerations[n] for _, n in balls]).reshape(-1, 3),
        "G_star": np.array([ball.G_star for ball, _ in balls]).reshape(-1, 3, 3),
        "N_l": diagonal_blocks([part.N_l for part in parts]),
        "N_d": diagonal_blocks([part.N_d for part in parts]),
        "M": diagonal_blocks([part.M for part in parts]),
        "inertia": diagonal_blocks([part.inertia for part in parts]),
        "multipliers": np.array(out.multipliers),
        "multipliers_world": np.array(world),
        "tau": out.values,
    }


def require_hanzaki(kinematics: Kinematics, _: Hanzaki) -> None:
    """Refuse a mechanism whose loops do not close at spherical joints, with the reason."""
    open_subsystems(kinematics.setup)
    if kinematics.rank.redundant:
        raise ArgumentError("some closure equations repeat others, so the multipliers are not unique")


register_paper(
    Hanzaki,
    Paper(
        paper_definition("hanzaki_forward", ("q", "v", "tau"), hanzaki_forward, Hanzaki),
        paper_definition("hanzaki_inverse", ("q", "v", "a"), hanzaki_inverse, Hanzaki),
        paper_definition("hanzaki_quantities", ("q", "v", "a"), hanzaki_quantity_values, Hanzaki),
        require_hanzaki,
        lambda formulation: None,
        1e-8,
        "a spherical joint has made half a turn from home, where e0 = 0 and G* is singular",
    ),
)


# --- quantities of Hanzaki's paper, of your own mechanism: Euler parameters, G*, multipliers --------------------------

Array = np.ndarray


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


def hanzaki_quantities(model: Model, q: Array, v: Any = None, a: Any = None) -> HanzakiQuantities:
    """Hanzaki's quantities at a closed state of a mechanism whose loops close at spherical joints.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("3-rps"))
    >>> abs(hanzaki_quantities(model, model.assemble().q).e.round(12)).tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    return HanzakiQuantities(**evaluate_quantities(model, Hanzaki(), q, v, a)[1])
