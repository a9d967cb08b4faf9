"""The equations of motion on independent velocities, and a Newton step of the dependent coordinates."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inlined, maximum, tangent
from linkwright.formulations import minimal_equations
from linkwright.formulations.elimination import lu_solve
from linkwright.formulations.virtual_power import (
    Resistance,
    cut_forces,
    cut_speed_rows,
    passive_tree_forces,
    resistance_of_joints,
)
from linkwright.functions.definition import compiled
from linkwright.functions.loop.closure_functions import driven_force
from linkwright.functions.nested_programs import traced_on
from linkwright.functions.pivot_checks import flag_result, in_pairs, small_pivot_share
from linkwright.functions.setup import Setup
from linkwright.functions.stages import MinimalEquations, VelocityPartitionPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.loops.closure import (
    Closure,
    closure_of,
    gaps_of_closure,
)
from linkwright.mechanism.tree import tree_without_resistance
from linkwright.numerics.tolerances import ACCEPTED
from linkwright.recursion import inertia, inverse_recursion
from linkwright.recursion.forward_recursion import factor_udu
from linkwright.recursion.twist_recursion import advance_coordinates, motion_of_tree, tree_coordinate_rates


def resistance_of(setup: Setup, q: Vec, v: Vec) -> Resistance:
    """Forces of springs, friction and rotors at all joints at q, v."""
    closure = _parent_sided(setup)
    S = cut_speed_rows(closure, q)
    return resistance_of_joints(setup.simplified, closure, q, v, S, _cut_velocity_drift(setup, closure, q, v))


def resisted_speeds(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Forces of springs, friction and rotors along the velocities of the tree and of cut joints that have some."""
    closure, tree = _parent_sided(setup), setup.simplified
    S = cut_speed_rows(closure, q)
    outside, _ = cut_forces(tree, closure, q, S @ v, S @ a + _cut_velocity_drift(setup, closure, q, v))
    return np.concatenate([passive_tree_forces(tree, q, v) + tree.rotors * a, outside])


def forces_for_motion(setup: Setup, q: Vec, v: Vec, a: Vec, outer: list[Vec] | None = None) -> Vec:
    """Tree forces that a motion needs, as `recursion.inverse.inverse_dynamics`, resistance by virtual power, (nv,)."""
    bare, taken = tree_without_resistance(setup.simplified), resistance_of(setup, q, v)
    return inverse_recursion.forces_along_joints(bare, motion_of_tree(bare, q, v, a), outer) + taken.h + taken.M @ a


def _parent_sided(setup: Setup) -> Closure:
    """The loops written on their parents' sides."""
    return closure_of(setup.mech, setup.simplified)


def _cut_velocity_drift(setup: Setup, closure: Closure, q: Vec, v: Vec) -> Vec:
    """S_dot v: what the cut joints' speeds gain at zero acceleration, (n,)."""
    if not setup.simplified.cut_rotors:
        return np.zeros(sum(cut.kind.nv for cut in setup.simplified.cut_joints))
    program, outer = traced_on(closure, cut_speed_rows, {"q": setup.simplified.nq})
    rate = inlined(tangent(program, ["q"]), q, *outer, tree_coordinate_rates(setup.simplified, q, v))
    return rate @ v


@compiled("q", "v", "tau", stage=VelocityPartitionPlan, of_loops=True)
def minimal_forward_dynamics(stage: VelocityPartitionPlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    setup = stage.setup
    force, outer, taken = driven_force(setup, q, tau), link_frame_wrenches(setup, w_ext), resistance_of(setup, q, v)
    bare = tree_without_resistance(setup.simplified)
    return minimal_equations.forward_dynamics_minimal(bare, setup.closure, stage.partition, q, v, force, taken, outer)


@compiled("q", "v", "a", of_loops=True)
def virtual_power_forces(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Tree forces that a motion needs, (nv,), springs, friction and rotors as the second method finds them."""
    return forces_for_motion(setup, q, v, a, link_frame_wrenches(setup, w_ext))


@compiled("q", "v", "tau", stage=MinimalEquations, pivot_checked=True, of_loops=True)
def checked_minimal_dynamics(stage: MinimalEquations, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """The same; the first is NaN where pivots are too small, or so large that small numbers were lost in them."""
    pivots, typical = list(minimal_pivots(stage.division, q)), stage.pivots
    grown = in_pairs(maximum, [1.0, *(abs(p) * (1.0 / t) for p, t in zip(pivots, typical, strict=True) if t)])
    margin = small_pivot_share(pivots, typical) - ACCEPTED * grown
    return flag_result(minimal_forward_dynamics(stage.division, q, v, tau, w_ext), margin)


@compiled("q", stage=VelocityPartitionPlan, of_loops=True)
def minimal_pivots(stage: VelocityPartitionPlan, q: Vec) -> Vec:
    """Pivots of the dependent columns of J_c and of the minimal inertia, in the order they are met, (nv,)."""
    setup = stage.setup
    found = minimal_equations.loop_complement(setup.closure, stage.partition, q)
    _, D = factor_udu(found.R.T @ inertia.tree_mass_matrix(setup.simplified, q) @ found.R)
    return np.array([*found.factor.sizes, *D])


@compiled("q", stage=VelocityPartitionPlan, of_loops=True)
def newton_step(stage: VelocityPartitionPlan, q: Vec) -> dict[str, Any]:
    """One Newton step of the dependent coordinates, the gap it started from, and the determinant of their Jacobian."""
    setup = stage.setup
    part = stage.partition
    gap = gaps_of_closure(setup.closure, q)
    _, f = minimal_equations.dependent_factor(setup.closure, part, q)
    dv = np.zeros(setup.simplified.nv, dtype=q.dtype)
    dv[list(part.dependent)] = -lu_solve(f, gap)
    return {
        "q": advance_coordinates(setup.simplified, q, dv),
        "gap": gap,
        "determinant": reduce(operator.mul, f.sizes, 1.0),
    }


@compiled("q", stage=VelocityPartitionPlan, of_loops=True, public=True)
def independent_map(s: Any, q: Vec) -> Any:
    return minimal_equations.minimal_velocity_map(s.setup.closure, s.partition, q)


@compiled("q", stage=VelocityPartitionPlan, of_loops=True, public=True)
def minimal_inertia(s: Any, q: Vec) -> Any:
    return minimal_equations.minimal_inertia_matrix(s.setup.simplified, s.setup.closure, s.partition, q)


@compiled("q", "v_ind", "a_ind", stage=VelocityPartitionPlan, of_loops=True)
def consistent_motion(s: Any, q: Vec, v_ind: Vec, a_ind: Vec) -> Any:
    return minimal_equations.motion_from_independent(s.setup.simplified, s.setup.closure, s.partition, q, v_ind, a_ind)
