"""Efforts where some freedoms are driven by nobody: an idle spin, a floating base."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations import hybrid_equations
from linkwright.functions.definition import compiled
from linkwright.functions.pivot_checks import flag_result, small_pivot_share
from linkwright.functions.stages import HybridDynamicsPlan, ReducedEffortPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.numerics.tolerances import ACCEPTED_EFFORTS, BALANCED, EXACT_MARGIN, STRICTER, STRICTEST


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
