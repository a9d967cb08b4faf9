"""Hanzaki's formulation as functions of arrays that can be traced.

Results about forces end with a number that is small where they are ill-conditioned: e0 of a spherical joint, squared.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.errors import ArgumentError
from linkwright.functions.setup import Setup
from linkwright.kinematics.kinematics import Kinematics
from linkwright.papers.drawn_mechanism import (
    closure_as_drawn,
    diagonal_blocks,
    drawn_link_wrenches,
    driven_velocities,
    smallest_value,
)
from linkwright.papers.hanzaki import hanzaki_equations as hanzaki
from linkwright.papers.hanzaki.hanzaki_equations import Hanzaki, OpenSystem, SphericalJoint
from linkwright.papers.hanzaki.open_subsystems import Hanging, find_open_subsystems
from linkwright.papers.paper_method import Paper, paper_definition, register_paper
from linkwright.papers.world_bodies import require_no_rotors


def open_subsystems(setup: Setup) -> Hanging:
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
