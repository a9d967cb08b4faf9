"""Closure equations of the loops and what they need of the tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations import hybrid_equations, multipliers
from linkwright.functions.definition import compiled
from linkwright.functions.setup import Setup
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.loops.closure import (
    actuation_matrix,
    closure_bias,
    exact_jacobian_of_closure,
    gaps_of_closure,
    jacobian_of_closure,
    relative_poses,
)
from linkwright.loops.cut_joints import assembly_sense_cosines
from linkwright.recursion import inertia, inverse_recursion
from linkwright.recursion.twist_recursion import advance_coordinates, motion_of_tree, tree_coordinate_rates


@compiled("q", sparse=True, of_loops=True)
def closing(setup: Setup, q: Vec) -> tuple[Vec, Mat]:
    return gaps_of_closure(setup.closure, q), jacobian_of_closure(setup.closure, q)


@compiled("q", "v", of_loops=True, name="closure_bias", public=True)
def bias(setup: Setup, q: Vec, v: Vec) -> Vec:
    return closure_bias(setup.closure, q, v, motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv)))


@compiled("q", "v", "tau", of_loops=True, public=True)
def kkt_right_side(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Right-hand side of the bordered equations, (nv + n_rows,)."""
    still = motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv))
    h = inverse_recursion.tree_bias_forces(setup.simplified, q, v, link_frame_wrenches(setup, w_ext))
    return np.concatenate([driven_force(setup, q, tau) - h, -closure_bias(setup.closure, q, v, still)])


@compiled("q", "v", "tau", of_loops=True)
def kkt_terms(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Mat, Vec]:
    """Mass matrix, and right-hand side of the bordered equations."""
    return inertia.tree_mass_matrix(setup.simplified, q), kkt_right_side(setup, q, v, tau, w_ext)


def driven_force(setup: Setup, q: Vec, tau: Vec) -> Vec:
    return actuation_matrix(setup.closure, setup.drives, q) @ tau if setup.drives else np.zeros(setup.simplified.nv)


@compiled("q", of_loops=True, name="senses")
def all_senses(setup: Setup, q: Vec) -> Vec:
    """Cosines that are positive when every cut joint is assembled the right way round."""
    pairs = zip(setup.closure.loops, relative_poses(setup.closure, q), strict=True)
    return np.concatenate([assembly_sense_cosines(loop, pose.Q) for loop, pose in pairs] + [np.ones(1)])


@compiled("q", of_loops=True, public=True)
def closure_residual(s: Any, q: Vec) -> Any:
    return gaps_of_closure(s.closure, q)


@compiled("q", sparse=True, of_loops=True, public=True)
def closure_jacobian(s: Any, q: Vec) -> Any:
    return jacobian_of_closure(s.closure, q)


@compiled("q", sparse=True, of_loops=True)
def exact_closure_jacobian(s: Any, q: Vec) -> Any:
    return exact_jacobian_of_closure(s.closure, q)


@compiled("q", "dv", of_loops=True, any_norm=True)
def advanced(s: Any, q: Vec, dv: Vec) -> Any:
    return advance_coordinates(s.simplified, q, dv)


@compiled("q", "v", of_loops=True, any_norm=True, public=True)
def coordinate_rates(s: Any, q: Vec, v: Vec) -> Any:
    return tree_coordinate_rates(s.simplified, q, v)


@compiled("q", sparse=True, of_loops=True, public=True)
def kkt_matrix(s: Any, q: Vec) -> Any:
    return multipliers.bordered_inertia_matrix(s.simplified, s.closure, q)


@compiled("q", sparse=True, of_loops=True, public=True)
def effort_matrix(s: Any, q: Vec) -> Any:
    return actuation_matrix(s.closure, s.drives, q)


@compiled("q", sparse=True, of_loops=True)
def effort_system(s: Any, q: Vec) -> Any:
    return hybrid_equations.effort_multiplier_matrix(s.closure, s.drives, q)
