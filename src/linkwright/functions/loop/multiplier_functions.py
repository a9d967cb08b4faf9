"""Accelerations by multipliers, efforts, hybrid dynamics, wrenches in the joints; refined where flagged.

They cost two to four times as much as the first results and are used only where those are ill-conditioned. Three
things are looked at: that no pivot is lost in rounding, that one correction was enough, and that the equations
themselves do not magnify rounding. What fails is flagged by NaN and left to a dense solve, which can say why.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform, wrench_at, wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import is_constant, maximum
from linkwright.errors import ArgumentError
from linkwright.formulations import hybrid_equations, leg_by_leg, multipliers
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
from linkwright.functions.fallback_chain import (
    flag_result,
    in_pairs,
    largest_weighted,
    least_relative_pivot,
    small_pivot_share,
)
from linkwright.functions.loop.closure_functions import driven_force, kkt_right_side
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HybridDynamicsPlan, InverseDynamicsPlan, KKTPlan, ReducedEffortPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.loops.closure import closure_of, loop_wrenches, loop_wrenches_on_links
from linkwright.loops.legs import legs_and_platform
from linkwright.numerics.tolerances import (
    ACCEPTED,
    ACCEPTED_EFFORTS,
    ACCEPTED_LEG,
    BALANCED,
    EXACT_MARGIN,
    REFINED_CHANGE,
    REFINED_CORRECTION,
    REFINED_PIVOT,
    SMALL_RESULT,
    STRICTER,
    STRICTEST,
)
from linkwright.recursion import inertia, inverse_recursion
from linkwright.recursion.force_elements import transmitted_at_cuts
from linkwright.recursion.twist_recursion import motion_of_tree

# --- accelerations by multipliers, efforts of as many actuators as freedoms, and wrenches in the joints ---------------


@compiled("q", "v", "tau", stage=KKTPlan, of_loops=True)
def loop_forward_dynamics(stage: KKTPlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Vec, Any]:
    """Accelerations, multipliers of the kept rows, and the share of their pivots: accepted above `ACCEPTED`."""
    setup = stage.setup
    force = driven_force(setup, q, tau)
    outer = link_frame_wrenches(setup, w_ext)
    out = multipliers.forward_dynamics_by_multipliers(setup.simplified, setup.closure, stage.plan, q, v, force, outer)
    return out.a, out.lam, small_pivot_share(out.factor.sizes, stage.typical)


def stabilized_forward_dynamics(
    stage: KKTPlan, q: Vec, v: Vec, tau: Vec, pull: Vec, w_ext: Mat | None = None
) -> tuple[Vec, Any]:
    """Accelerations with Baumgarte's terms at the rate `pull` (1,), and the share of the watched pivots."""
    setup = stage.setup
    force, outer = driven_force(setup, q, tau), link_frame_wrenches(setup, w_ext)
    plan = stage.plan
    out = multipliers.forward_dynamics_by_multipliers(
        setup.simplified, setup.closure, plan, q, v, force, outer, pull[0]
    )
    return out.a, small_pivot_share(out.factor.sizes, stage.typical)


@compiled("q", "v", "tau", "pull", stage=KKTPlan, pivot_checked=True, of_loops=True)
def checked_stabilized_dynamics(stage: KKTPlan, q: Vec, v: Vec, tau: Vec, pull: Vec, w_ext: Mat | None = None) -> Vec:
    """The same accelerations alone; the first is NaN when a pivot was too small."""
    setup = stage.setup
    a, trust = stabilized_forward_dynamics(stage, q, v, tau, pull, w_ext)
    return flag_result(a, trust - _accepted_multiplier_share(setup, ACCEPTED))


@compiled("q", "v", "tau", of_loops=True)
def legs_forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Vec]:
    """Accelerations and leg determinants of a mechanism of legs and platform, leg by leg."""
    legs = legs_and_platform(setup.closure)
    if legs is None:
        raise ArgumentError(f"'{setup.mech.name}' is not a platform on legs that are cut at the platform")
    outer = link_frame_wrenches(setup, w_ext)
    a, dets = leg_by_leg.forward_dynamics_by_legs(
        setup.simplified, setup.closure, legs, q, v, driven_force(setup, q, tau), outer
    )
    return a, np.array(dets)


@compiled("q", "v", "tau", stage=KKTPlan, pivot_checked=True, of_loops=True)
def checked_forward_dynamics(stage: KKTPlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations alone; the first is NaN when a pivot was too small."""
    setup = stage.setup
    if stage.leg_sizes:
        a, dets = legs_forward_dynamics(setup, q, v, tau, w_ext)
        return flag_result(a, least_relative_pivot(list(dets), stage.leg_sizes) - ACCEPTED_LEG)
    a, _, trust = loop_forward_dynamics(stage, q, v, tau, w_ext)
    return flag_result(a, trust - _accepted_multiplier_share(setup, ACCEPTED))


def _accepted_multiplier_share(setup: Setup, accepted: float) -> float:
    """The share from which on a result is accepted."""
    return accepted if setup.closure.kept is None else min(STRICTER * accepted, STRICTEST)


@compiled("q", "v", "a", stage=InverseDynamicsPlan, pivot_checked=True, of_loops=True)
def checked_efforts(stage: InverseDynamicsPlan, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Efforts of as many actuators as freedoms; the first is NaN when a pivot was too small."""
    setup = stage.setup
    f = factor_lu(hybrid_equations.effort_multiplier_matrix(setup.closure, setup.drives, q), stage.plan)
    force = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, link_frame_wrenches(setup, w_ext))
    tau = lu_solve(f, force)[: len(setup.drives)]
    return flag_result(
        tau, small_pivot_share(f.sizes, stage.pivots) - _accepted_multiplier_share(setup, ACCEPTED_EFFORTS)
    )


@compiled("q", "v", "a", "tau", stage=KKTPlan, of_loops=True)
def kept_multipliers(stage: KKTPlan, q: Vec, v: Vec, a: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Multipliers of the kept rows for a motion and its efforts."""
    setup = stage.setup
    needed = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, link_frame_wrenches(setup, w_ext))
    return hybrid_equations.multipliers_of(
        setup.simplified, setup.closure, stage.plan, q, needed - driven_force(setup, q, tau)
    )


@compiled("q", "v", "a", "tau", "lam", of_loops=True)
def loop_joint_wrenches(
    setup: Setup, q: Vec, v: Vec, a: Vec, tau: Vec, lam: Vec, w_ext: Mat | None = None
) -> tuple[Mat, Mat]:
    """Wrench of the drawn parent on the drawn child at every tree and cut joint, child axes; lam for all rows."""
    tree, links = setup.tree, setup.tree.links
    closure = closure_of(setup.mech, tree, setup.closure.flipped, setup.closure.released)
    ends = loop_wrenches(closure, setup.drives, q, lam, tau)
    outer = loop_wrenches_on_links(closure, ends)
    if w_ext is not None:
        outer = [w + wrench_from(x, link.body) for w, x, link in zip(outer, w_ext, links, strict=True)]
    tree_part = np.array(inverse_recursion.tree_joint_reactions(tree, q, v, a, outer))
    resisted = transmitted_at_cuts(tree, motion_of_tree(tree, q, v, a)) if tree.cut_joints else {}
    return tree_part, _cut_wrenches(setup, closure, ends, resisted)


def _cut_wrenches(setup: Setup, closure: Any, ends: list[tuple[Vec, Vec]], resisted: dict[str, Vec]) -> Mat:
    """Per cut joint the wrench of multipliers and efforts, `ends`, and of what resists the joint."""
    rows = []
    for loop, (near, far) in zip(closure.loops, ends, strict=True):
        child, end = (near, loop.near) if loop.flipped else (far, loop.far)
        body = RigidTransform() if end.link < 0 else setup.tree.links[end.link].body
        in_body = body.inverse @ end.at
        w = wrench_at(child, RigidTransform(rows=in_body.inverse.rows))
        rows.append(w + resisted[loop.name] if loop.name in resisted else w)
    return np.array(rows)


# --- efforts where some freedoms are driven by nobody: an idle spin, a floating base ----------------------------------


@compiled("q", "v", "a", stage=HybridDynamicsPlan, pivot_checked=True)
def checked_hybrid_efforts(stage: HybridDynamicsPlan, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Efforts (na,); the first is NaN when a pivot was too small, or a massless motion cannot be balanced."""
    found = complete_hybrid_motion(stage, q, v, a, w_ext)
    return flag_result(found.tau, *hybrid_margins(stage, found))


@compiled("q", "v", "a", stage=HybridDynamicsPlan, pivot_checked=True)
def checked_hybrid(stage: HybridDynamicsPlan, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """The same efforts and then all accelerations, those of the undriven freedoms completed, (na + nv,)."""
    found = complete_hybrid_motion(stage, q, v, a, w_ext)
    return flag_result(np.concatenate([found.tau, found.a]), *hybrid_margins(stage, found))


@compiled("q", stage=ReducedEffortPlan)
def reduced_effort_system(stage: ReducedEffortPlan, q: Vec) -> Mat:
    """[B J_c^T] on the velocities that are not undriven ones, square."""
    return hybrid_equations.reduced_system(stage.setup.closure, stage.setup.drives, stage.undriven, q)


@compiled("q", stage=HybridDynamicsPlan)
def undriven_pivots(stage: HybridDynamicsPlan, q: Vec) -> Mat:
    """Pivots and diagonal of the inertia of the undriven motions that move mass, (2, n)."""
    nv = stage.setup.simplified.nv
    found = complete_hybrid_motion(stage, q, np.zeros(nv), np.zeros(nv), None)
    return np.array([found.inertia_pivots, found.inertias])


def complete_hybrid_motion(
    stage: HybridDynamicsPlan, q: Vec, v: Vec, a: Vec, w_ext: Mat | None
) -> hybrid_equations.Hybrid:
    """Efforts and accelerations, those of the undriven freedoms completed."""
    setup, outer = stage.setup, link_frame_wrenches(stage.setup, w_ext)
    plan, undriven = stage.plan, stage.undriven
    return hybrid_equations.hybrid_dynamics(
        setup.simplified, setup.closure, setup.drives, plan, undriven, q, v, a, outer
    )


def hybrid_margins(stage: HybridDynamicsPlan, found: hybrid_equations.Hybrid) -> list[Any]:
    """Positive where pivots are large enough, and where light motions are balanced."""
    limit = ACCEPTED_EFFORTS if stage.setup.closure.kept is None else min(STRICTER * ACCEPTED_EFFORTS, STRICTEST)
    sizes = [
        small_pivot_share(found.pivots, stage.pivots) - limit,
        small_pivot_share(found.inertia_pivots, stage.undriven.sizes) - limit,
    ]
    return sizes + [
        BALANCED * size - abs(x) + EXACT_MARGIN for x, size in zip(found.unbalanced, found.terms, strict=True)
    ]


# --- results in states that the first elimination flags ---------------------------------------------------------------

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
