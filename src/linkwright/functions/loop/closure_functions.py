"""Closure equations of the loops and what they need of the tree."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations import actuation, multipliers
from linkwright.functions.definition import Definition
from linkwright.functions.setup import Setup
from linkwright.functions.tree.tree_functions import link_wrenches
from linkwright.loops.closure import (
    closure_bias,
    closure_jacobian,
    closure_residual,
    exact_closure_jacobian,
    relative_poses,
)
from linkwright.loops.efforts import effort_matrix
from linkwright.loops.equations import senses
from linkwright.loops.freedoms import joint_value
from linkwright.recursion import inverse
from linkwright.recursion.coordinates import advanced, coordinate_rates
from linkwright.recursion.motion import motion


def closing(setup: Setup, q: Vec) -> tuple[Vec, Mat]:
    return closure_residual(setup.closure, q), closure_jacobian(setup.closure, q)


def bias(setup: Setup, q: Vec, v: Vec) -> Vec:
    return closure_bias(setup.closure, q, v, motion(setup.simplified, q, v, np.zeros(setup.simplified.nv)))


def kkt_right_side(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Right-hand side of the bordered equations, (nv + n_rows,)."""
    still = motion(setup.simplified, q, v, np.zeros(setup.simplified.nv))
    h = inverse.bias_forces(setup.simplified, q, v, link_wrenches(setup, w_ext))
    return np.concatenate([driven_force(setup, q, tau) - h, -closure_bias(setup.closure, q, v, still)])


def driven_force(setup: Setup, q: Vec, tau: Vec) -> Vec:
    return effort_matrix(setup.closure, setup.drives, q) @ tau if setup.drives else np.zeros(setup.simplified.nv)


def values_of_cuts(setup: Setup, q: Vec) -> dict[str, Vec]:
    """Coordinates of every cut joint."""
    pairs = zip(setup.closure.loops, relative_poses(setup.closure, q), strict=True)
    return {loop.name: joint_value(loop, pose) for loop, pose in pairs}


def all_senses(setup: Setup, q: Vec) -> Vec:
    """Cosines that are positive when every cut joint is assembled the right way round."""
    pairs = zip(setup.closure.loops, relative_poses(setup.closure, q), strict=True)
    return np.concatenate([senses(loop, pose.Q) for loop, pose in pairs] + [np.ones(1)])


CLOSING = Definition("closing", ("q",), closing, sparse=True, of_loops=True)
CLOSURE_RESIDUAL = Definition("closure_residual", ("q",), lambda s, q: closure_residual(s.closure, q), of_loops=True)
CLOSURE_JACOBIAN = Definition(
    "closure_jacobian", ("q",), lambda s, q: closure_jacobian(s.closure, q), sparse=True, of_loops=True
)
EXACT_CLOSURE_JACOBIAN = Definition(
    "exact_closure_jacobian", ("q",), lambda s, q: exact_closure_jacobian(s.closure, q), sparse=True, of_loops=True
)
CLOSURE_BIAS = Definition("closure_bias", ("q", "v"), bias, of_loops=True)
ADVANCED = Definition(
    "advanced", ("q", "dv"), lambda s, q, dv: advanced(s.simplified, q, dv), of_loops=True, any_norm=True
)
COORDINATE_RATES = Definition(
    "coordinate_rates", ("q", "v"), lambda s, q, v: coordinate_rates(s.simplified, q, v), of_loops=True, any_norm=True
)
KKT_MATRIX = Definition(
    "kkt_matrix", ("q",), lambda s, q: multipliers.kkt_matrix(s.simplified, s.closure, q), sparse=True, of_loops=True
)
KKT_RIGHT_SIDE = Definition("kkt_right_side", ("q", "v", "tau"), kkt_right_side, of_loops=True)
EFFORT_MATRIX = Definition(
    "effort_matrix", ("q",), lambda s, q: effort_matrix(s.closure, s.drives, q), sparse=True, of_loops=True
)
EFFORT_SYSTEM = Definition(
    "effort_system", ("q",), lambda s, q: actuation.effort_system(s.closure, s.drives, q), sparse=True, of_loops=True
)
CUT_VALUES = Definition("cut_values", ("q",), values_of_cuts, of_loops=True)
SENSES = Definition("senses", ("q",), all_senses, of_loops=True)
