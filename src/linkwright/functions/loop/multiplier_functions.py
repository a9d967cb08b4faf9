"""Accelerations by multipliers, efforts of as many actuators as freedoms, and wrenches in the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform, wrench_at, wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.errors import ArgumentError
from linkwright.formulations import hybrid_equations, leg_by_leg, multipliers
from linkwright.formulations.elimination import factor_lu, lu_solve
from linkwright.functions.definition import compiled
from linkwright.functions.loop.closure_functions import driven_force
from linkwright.functions.pivot_checks import flag_result, least_relative_pivot, small_pivot_share
from linkwright.functions.setup import Setup
from linkwright.functions.stages import InverseDynamicsPlan, KKTPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.loops.closure import (
    closure_of,
    loop_wrenches,
)
from linkwright.loops.closure import loop_wrenches_on_links as wrenches_of_loops
from linkwright.loops.legs import legs_and_platform
from linkwright.numerics.tolerances import ACCEPTED, ACCEPTED_EFFORTS, ACCEPTED_LEG, STRICTER, STRICTEST
from linkwright.recursion import inverse_recursion
from linkwright.recursion.force_elements import transmitted_at_cuts
from linkwright.recursion.twist_recursion import motion_of_tree


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
    outer = wrenches_of_loops(closure, ends)
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
