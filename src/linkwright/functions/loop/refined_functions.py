"""Results in states that the first elimination flags: the same factors, corrected once and judged by what they miss.

They cost two to four times as much as the first results and are used only where those are ill-conditioned. Three
things are looked at: that no pivot is lost in rounding, that one correction was enough, and that the equations
themselves do not magnify rounding. What fails is flagged by NaN and left to a dense solve, which can say why.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import is_constant, maximum
from linkwright.formulations import hybrid_equations
from linkwright.formulations.elimination import (
    Refined,
    factor_in_order,
    factor_lu,
    lu_solve,
    refine_solution,
    solve_factored,
)
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.functions.definition import compiled
from linkwright.functions.loop.closure_functions import kkt_right_side
from linkwright.functions.pivot_checks import flag_result, in_pairs, largest_weighted, least_relative_pivot
from linkwright.functions.stages import InverseDynamicsPlan, KKTPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.numerics.tolerances import EXACT_MARGIN, REFINED_CHANGE, REFINED_CORRECTION, REFINED_PIVOT, SMALL_RESULT
from linkwright.recursion import inertia, inverse_recursion

_EPS = float(np.finfo(float).eps)


@compiled("q", "v", "tau", stage=KKTPlan, pivot_checked=True, of_loops=True)
def second_forward_dynamics(stage: KKTPlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations (nv,); the first is NaN where these are ill-conditioned too."""
    setup = stage.setup
    units = stage.units
    K, b = bordered_inertia_matrix(setup.simplified, setup.closure, q), kkt_right_side(setup, q, v, tau, w_ext)
    f, nv = factor_in_order(K, stage.plan), setup.simplified.nv
    pull = sum(g * g for g in setup.mech.gravity) ** 0.5 / units.length
    rows, masses = np.array(setup.closure.select(np.array(units.rows))), np.array(units.masses)
    rate = largest_weighted(v, 1.0 / np.array(units.speeds))
    terms = np.abs(b) + np.concatenate([np.zeros(nv), (pull + rate * rate) * rows])
    J_sizes = rows[:, None] / np.array(units.speeds)
    zero = np.zeros((len(rows), len(rows)))
    known = _rounding_sizes(K, np.block([[np.outer(masses, masses), J_sizes.T], [J_sizes, zero]]))
    found = refine_solution(lambda y: solve_factored(f, y), K, b, known, terms)
    margins = _refinement_margins(found, 1.0 / np.array(units.speeds), SMALL_RESULT * pull)
    return flag_result(found.x[:nv], least_relative_pivot(f.sizes, stage.typical) - REFINED_PIVOT, *margins)


@compiled("q", "v", "a", stage=InverseDynamicsPlan, pivot_checked=True, of_loops=True)
def second_efforts(stage: InverseDynamicsPlan, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Efforts (na,) of as many actuators as freedoms; the first is NaN where these are ill-conditioned too."""
    setup = stage.setup
    units = stage.units
    X, na = hybrid_equations.effort_multiplier_matrix(setup.closure, setup.drives, q), len(setup.drives)
    f = factor_lu(X, stage.plan)
    force = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, link_frame_wrenches(setup, w_ext))
    M = inertia.tree_mass_matrix(setup.simplified, q)
    terms = np.abs(M) @ np.abs(a) + np.abs(force - M @ a)
    rows = np.array(setup.closure.select(np.array(units.rows)))
    typical = np.hstack([np.zeros((len(X), na)), (rows[:, None] / np.array(units.speeds)).T])
    found = refine_solution(lambda y: lu_solve(f, y), X, force, _rounding_sizes(X, typical), terms)
    floor = SMALL_RESULT * in_pairs(maximum, [terms[drive.speed] for drive in setup.drives if drive.speed is not None])
    return flag_result(
        found.x[:na],
        least_relative_pivot(f.sizes, stage.pivots) - REFINED_PIVOT,
        *_refinement_margins(found, np.ones(na), floor),
    )


def _rounding_sizes(A: Mat, typical: Mat) -> Mat:
    """Sizes of A's entries to which rounding is relative: entries may be small by cancellation."""
    pairs = zip(A.flat, np.broadcast_to(typical, A.shape).flat, strict=True)
    return np.array([abs(x) if is_constant(x) else abs(x) + t for x, t in pairs]).reshape(A.shape)


def _refinement_margins(found: Refined, weights: Vec, floor: Any) -> tuple[Any, ...]:
    """Positive where the correction and the effect of rounding are small; the first numbers of x count, weighted."""
    n = len(weights)
    size = maximum(largest_weighted(found.x[:n], weights), floor)
    shaken = in_pairs(maximum, [largest_weighted(y[:n], weights) for y in found.shaken])
    correction = largest_weighted(found.correction[:n], weights)
    return REFINED_CORRECTION * size - correction + EXACT_MARGIN, REFINED_CHANGE / _EPS * size - shaken + EXACT_MARGIN
