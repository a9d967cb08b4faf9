"""Functions of the independent velocities, pivot-checked: results that the planned order spoils are flagged by NaN.

The order in which the dependent columns of J_c are eliminated is fixed, so in some positions a pivot is small although
the mechanism is regular. Whether that did harm is seen by putting the result back into the equations: in J_c v = 0 no
row may be off by more than rounding would explain (its backward error). Where it is, or where a speed becomes so large
that the mechanism may be singular, the state is solved again with full pivoting.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import is_constant, is_zero, maximum, minimum
from linkwright.formulations import minimal_equations
from linkwright.formulations.elimination import factor_in_order, solve_factored
from linkwright.formulations.minimal_equations import Complement
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.functions.definition import compiled
from linkwright.functions.pivot_checks import flag_result, in_pairs
from linkwright.functions.setup import Setup
from linkwright.functions.stages import KKTPlan, VelocityPartitionPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.loops.closure import actuation_matrix, closure_bias, jacobian_of_closure
from linkwright.numerics.tolerances import CLOSED_ROW, EXACT_MARGIN, FASTEST_DEPENDENT, ROUNDED_SUM
from linkwright.recursion import inverse_recursion
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.twist_recursion import motion_of_tree


def planned_complement(stage: VelocityPartitionPlan, q: Vec) -> Complement:
    """The complement on the independent velocities that were planned."""
    return minimal_equations.loop_complement(stage.setup.closure, stage.partition, q)


def independence_margin(setup: Setup, q: Vec, found: Complement, with_map: bool = True) -> Any:
    """Least margin, positive where every row of J_c v = 0 holds to rounding and no velocity is too fast.

    v is the motion in which every independent velocity is near 1: v_ind = 1 + 0.3 cos(0, 1, 2, ...). The margin of a
    row is the rounding that it may have minus |row @ v|.

    Redundant rows take part too: where the kept ones degenerate, those show it. Without `with_map`, v is solved for by
    itself, which takes less than all columns of R where nobody else needs them.
    """
    share, independent = 1.0 + 0.3 * np.cos(np.arange(found.R.shape[1])), list(found.part.independent)
    if with_map:
        v = found.R @ share
    else:
        v = found.closing(found.J_c[:, independent] @ share)
        v[independent] = share
    size = np.array([abs(x) for x in v])
    largest = reduce(maximum, size)
    margins = [FASTEST_DEPENDENT - largest]
    kept = setup.closure.kept
    for i, row in enumerate(jacobian_of_closure(replace(setup.closure, kept=None), q)):
        if _is_rounding(row):
            continue
        scale = np.array([abs(x) for x in row])
        allowed = scale @ size + 0.01 * largest * np.sum(scale)
        off = ROUNDED_SUM if kept is None or i in kept else CLOSED_ROW
        margins.append(off * allowed - abs(row @ v))
    return reduce(minimum, margins) + EXACT_MARGIN


def _is_rounding(row: Vec) -> bool:
    """True if a row is constant and nothing but rounding, as rows of loops of sliders or inside one rigid piece are."""
    return all(is_constant(x) and abs(float(x)) < ROUNDED_SUM for x in row)


@compiled("q", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True)
def checked_independent_map(stage: VelocityPartitionPlan, q: Vec) -> Mat:
    """R with v = R v_ind, (nv, n_ind)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    return flag_result(found.R, independence_margin(setup, q, found))


@compiled("q", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True)
def checked_minimal_inertia(stage: VelocityPartitionPlan, q: Vec) -> Mat:
    """R^T M R, (n_ind, n_ind)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    return flag_result(
        found.R.T @ tree_mass_matrix(setup.simplified, q) @ found.R, independence_margin(setup, q, found)
    )


@compiled("q", "v_ind", "a_ind", stage=VelocityPartitionPlan, pivot_checked=True, of_loops=True)
def checked_motion(stage: VelocityPartitionPlan, q: Vec, v_ind: Vec, a_ind: Vec) -> Mat:
    """All speeds and all accelerations that go with the independent ones, (2, nv)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    v = found.R @ v_ind
    c = closure_bias(setup.closure, q, v, motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv)))
    return flag_result(np.array([v, found.R @ a_ind + found.closing(c)]), independence_margin(setup, q, found))


@compiled("q", "v", "a", "tau", stage=KKTPlan, pivot_checked=True, of_loops=True)
def checked_multipliers(stage: KKTPlan, q: Vec, v: Vec, a: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Multipliers of the kept rows for a motion and its efforts, (n_rows,): J_c^T lam makes up for what efforts leave.

    A remainder that no multiplier carries, of a motion these efforts do not make, is left to the motion.
    """
    setup = stage.setup
    needed = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, link_frame_wrenches(setup, w_ext))
    force = needed - actuation_matrix(setup.closure, setup.drives, q) @ tau if setup.drives else needed
    K, nv = bordered_inertia_matrix(setup.simplified, setup.closure, q), setup.simplified.nv
    x = solve_factored(factor_in_order(K, stage.plan), np.concatenate([force, np.zeros(setup.closure.n_rows)]))
    carried = [sum(abs(K[i, j]) * abs(x[j]) for j in range(nv, len(x))) + abs(force[i]) for i in range(nv)]
    floor = 0.01 * reduce(maximum, carried)
    off = [abs(K[i] @ x - force[i]) for i in range(nv)]
    margins = [ROUNDED_SUM * (size + floor) - miss for size, miss in zip(carried, off, strict=True)]
    free = [0.0 if is_zero(K[i, i]) else abs(force[i] / K[i, i]) for i in range(nv)]  # a massless velocity has none
    margins += _left_to_motion(setup, q, x[:nv], np.array(free))
    return flag_result(x[nv:], in_pairs(minimum, margins) + EXACT_MARGIN)


def _left_to_motion(setup: Setup, q: Vec, rest: Vec, size: Vec) -> list[Any]:
    """Margins by which the remainder's accelerations keep redundant rows too; where kept rows degenerate, it does not.

    `size` is what the forces would accelerate without the loops.
    """
    kept, J = setup.closure.kept, jacobian_of_closure(replace(setup.closure, kept=None), q)
    rows = [] if kept is None else [J[i] for i in range(len(J)) if i not in kept]
    return [CLOSED_ROW * (np.array([abs(x) for x in row]) @ size) - abs(row @ rest) for row in rows]
