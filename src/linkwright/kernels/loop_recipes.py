"""The questions that loops add, as functions of arrays that can be traced."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.pose import Pose
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import maximum
from linkwright.errors import ArgumentError
from linkwright.formulations import actuation, legs, minimal, multipliers
from linkwright.formulations.lu import lu, lu_solve
from linkwright.kernels.guards import (
    ACCEPTED,
    ACCEPTED_EFFORTS,
    ACCEPTED_LEG,
    ACCEPTED_MINIMAL,
    STRICTER,
    STRICTEST,
    in_pairs,
    least,
    marked,
    share,
)
from linkwright.kernels.recipes import Recipe, Stage, link_wrenches
from linkwright.kernels.resistance import needed_forces, resistance_of
from linkwright.kernels.setup import Setup
from linkwright.loops.closure import (
    closure_bias,
    closure_jacobian,
    closure_of,
    closure_residual,
    exact_closure_jacobian,
    meetings,
)
from linkwright.loops.efforts import effort_matrix, loop_wrenches
from linkwright.loops.efforts import link_wrenches as wrenches_of_loops
from linkwright.loops.equations import senses
from linkwright.loops.freedoms import joint_value
from linkwright.loops.legs import legs_and_platform
from linkwright.mechanism.tree import unresisted
from linkwright.recursion import inertia, inverse, reactions
from linkwright.recursion.coordinates import advanced, coordinate_rates
from linkwright.recursion.cut_joints import transmitted_at_cuts
from linkwright.recursion.factor import udu
from linkwright.recursion.motion import motion


def closing(setup: Setup, q: Vec) -> tuple[Vec, Mat]:
    return closure_residual(setup.closure, q), closure_jacobian(setup.closure, q)


def bias(setup: Setup, q: Vec, v: Vec) -> Vec:
    return closure_bias(setup.closure, q, motion(setup.lean, q, v, np.zeros(setup.lean.nv)))


def forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Vec, Any]:
    """Accelerations, multipliers of the kept rows, and the share of their pivots: trusted above `ACCEPTED`."""
    assert setup.plans.kkt is not None
    force = driven_force(setup, q, tau)
    outer = link_wrenches(setup, w_ext)
    out = multipliers.forward_dynamics(setup.lean, setup.closure, setup.plans.kkt, q, v, force, outer)
    return out.a, out.lam, share(out.factor.sizes, setup.plans.typical)


def stabilised_forward_dynamics(
    setup: Setup, q: Vec, v: Vec, tau: Vec, pull: Vec, w_ext: Mat | None = None
) -> tuple[Vec, Any]:
    """Accelerations with Baumgarte's terms at the rate `pull` (1,), and the share of the watched pivots."""
    assert setup.plans.kkt is not None
    force, outer = driven_force(setup, q, tau), link_wrenches(setup, w_ext)
    plan = setup.plans.kkt
    out = multipliers.forward_dynamics(setup.lean, setup.closure, plan, q, v, force, outer, pull[0])
    return out.a, share(out.factor.sizes, setup.plans.typical)


def guarded_stabilised_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, pull: Vec, w_ext: Mat | None = None) -> Vec:
    """The same accelerations alone; the first is NaN when a pivot was too small for them to be trusted."""
    a, trust = stabilised_forward_dynamics(setup, q, v, tau, pull, w_ext)
    return marked(a, trust - _limit(setup, ACCEPTED))


def legs_forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> tuple[Vec, Vec]:
    """Accelerations and leg determinants of a machine of legs and platform, leg by leg."""
    machine = legs_and_platform(setup.closure)
    if machine is None:
        raise ArgumentError(f"'{setup.mech.name}' is not a platform on legs that are cut at the platform")
    outer = link_wrenches(setup, w_ext)
    a, dets = legs.forward_dynamics(setup.lean, setup.closure, machine, q, v, driven_force(setup, q, tau), outer)
    return a, np.array(dets)


def kkt_right_side(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Right-hand side of the bordered equations, (nv + n_rows,)."""
    still = motion(setup.lean, q, v, np.zeros(setup.lean.nv))
    h = inverse.bias_forces(setup.lean, q, v, link_wrenches(setup, w_ext))
    return np.concatenate([driven_force(setup, q, tau) - h, -closure_bias(setup.closure, q, still)])


def driven_force(setup: Setup, q: Vec, tau: Vec) -> Vec:
    return effort_matrix(setup.closure, setup.drives, q) @ tau if setup.drives else np.zeros(setup.lean.nv)


def guarded_forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Accelerations alone; the first is NaN when a pivot was too small for the answer to be trusted."""
    if setup.plans.leg_sizes:
        a, dets = legs_forward_dynamics(setup, q, v, tau, w_ext)
        return marked(a, least(list(dets), setup.plans.leg_sizes) - ACCEPTED_LEG)
    a, _, trust = forward_dynamics(setup, q, v, tau, w_ext)
    return marked(a, trust - _limit(setup, ACCEPTED))


def _limit(setup: Setup, accepted: float) -> float:
    """The share from which on an answer is accepted."""
    return accepted if setup.closure.kept is None else min(STRICTER * accepted, STRICTEST)


def minimal_forward_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    force, outer, taken = driven_force(setup, q, tau), link_wrenches(setup, w_ext), resistance_of(setup, q, v)
    bare = unresisted(setup.lean)
    return minimal.forward_dynamics(bare, setup.closure, _partition(setup), q, v, force, taken, outer)


def virtual_power_forces(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Tree forces that a motion needs, (nv,), springs, friction and rotors as the second method finds them."""
    return needed_forces(setup, q, v, a, link_wrenches(setup, w_ext))


def guarded_minimal_dynamics(setup: Setup, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """The same; the first is NaN where pivots are too small, or so large that small numbers were lost in them."""
    pivots, typical = list(minimal_pivots(setup, q)), setup.plans.partition_sizes
    grown = in_pairs(maximum, [1.0, *(abs(p) * (1.0 / t) for p, t in zip(pivots, typical, strict=True) if t)])
    margin = share(pivots, typical) - ACCEPTED_MINIMAL * grown
    return marked(minimal_forward_dynamics(setup, q, v, tau, w_ext), margin)


def minimal_pivots(setup: Setup, q: Vec) -> Vec:
    """Pivots of the dependent columns of J_c and of the minimal inertia, in the order they are met, (nv,)."""
    found = minimal.complement(setup.closure, _partition(setup), q)
    _, D = udu(found.R.T @ inertia.generalized_inertia(setup.lean, q) @ found.R)
    return np.array([*found.factor.sizes, *D])


def guarded_efforts(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Efforts of as many actuators as freedoms; the first is NaN when a pivot was too small to be trusted."""
    assert setup.plans.efforts is not None
    f = lu(actuation.effort_system(setup.closure, setup.drives, q), setup.plans.efforts)
    force = inverse.inverse_dynamics(setup.lean, q, v, a, link_wrenches(setup, w_ext))
    tau = lu_solve(f, force)[: len(setup.drives)]
    return marked(tau, share(f.sizes, setup.plans.effort_sizes) - _limit(setup, ACCEPTED_EFFORTS))


def kept_multipliers(setup: Setup, q: Vec, v: Vec, a: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """Multipliers of the kept rows for a motion and its efforts."""
    assert setup.plans.kkt is not None
    needed = inverse.inverse_dynamics(setup.lean, q, v, a, link_wrenches(setup, w_ext))
    return actuation.multipliers_of(setup.lean, setup.closure, setup.plans.kkt, q, needed - driven_force(setup, q, tau))


def joint_wrenches(
    setup: Setup, q: Vec, v: Vec, a: Vec, tau: Vec, lam: Vec, w_ext: Mat | None = None
) -> tuple[Mat, Mat]:
    """Wrench of the drawn parent on the drawn child at every tree and cut joint, child axes; lam for all rows."""
    tree, links = setup.tree, setup.tree.links
    closure = closure_of(setup.mech, tree, tuple(loop.flipped for loop in setup.closure.loops))
    ends = loop_wrenches(closure, setup.drives, q, lam, tau)
    outer = wrenches_of_loops(closure, ends)
    if w_ext is not None:
        outer = [w + reactions.wrench_from(x, link.body) for w, x, link in zip(outer, w_ext, links, strict=True)]
    tree_part = np.array(reactions.joint_reactions(tree, q, v, a, outer))
    resisted = transmitted_at_cuts(tree, motion(tree, q, v, a)) if tree.cut_joints else {}
    return tree_part, _cut_wrenches(setup, closure, ends, resisted)


def _cut_wrenches(setup: Setup, closure: Any, ends: list[tuple[Vec, Vec]], resisted: dict[str, Vec]) -> Mat:
    """Per cut joint the wrench of multipliers and efforts, `ends`, and of what resists the joint."""
    rows = []
    for loop, (near, far) in zip(closure.loops, ends, strict=True):
        child, end = (near, loop.near) if loop.flipped else (far, loop.far)
        body = Pose() if end.link < 0 else setup.tree.links[end.link].body
        in_body = body.inverse @ end.at
        w = reactions.wrench_at(child, Pose(rows=in_body.inverse.rows))
        rows.append(w + resisted[loop.name] if loop.name in resisted else w)
    return np.array(rows)


def newton_step(setup: Setup, q: Vec) -> dict[str, Any]:
    """One Newton step of the dependent coordinates, the gap it started from, and the determinant of their Jacobian."""
    part = _partition(setup)
    gap = closure_residual(setup.closure, q)
    _, f = minimal.dependent_factor(setup.closure, part, q)
    dv = np.zeros(setup.lean.nv, dtype=q.dtype)
    dv[list(part.dependent)] = -lu_solve(f, gap)
    return {"q": advanced(setup.lean, q, dv), "gap": gap, "determinant": reduce(operator.mul, f.sizes, 1.0)}


def values_of_cuts(setup: Setup, q: Vec) -> dict[str, Vec]:
    """Coordinates of every cut joint."""
    pairs = zip(setup.closure.loops, meetings(setup.closure, q), strict=True)
    return {loop.name: joint_value(loop, meet) for loop, meet in pairs}


def all_senses(setup: Setup, q: Vec) -> Vec:
    """Cosines that are positive when every cut joint is assembled the right way round."""
    pairs = zip(setup.closure.loops, meetings(setup.closure, q), strict=True)
    return np.concatenate([senses(loop, meet.Q) for loop, meet in pairs] + [np.ones(1)])


def _partition(setup: Setup) -> minimal.Partition:
    assert setup.plans.partition is not None
    return setup.plans.partition


LOOP_RECIPES: dict[str, Recipe] = {
    "closing": Recipe(("q",), closing),
    "closure_residual": Recipe(("q",), lambda s, q: closure_residual(s.closure, q)),
    "closure_jacobian": Recipe(("q",), lambda s, q: closure_jacobian(s.closure, q)),
    "exact_closure_jacobian": Recipe(("q",), lambda s, q: exact_closure_jacobian(s.closure, q)),
    "closure_bias": Recipe(("q", "v"), bias),
    "advanced": Recipe(("q", "dv"), lambda s, q, dv: advanced(s.lean, q, dv)),
    "coordinate_rates": Recipe(("q", "v"), lambda s, q, v: coordinate_rates(s.lean, q, v)),
    "kkt_matrix": Recipe(("q",), lambda s, q: multipliers.kkt_matrix(s.lean, s.closure, q)),
    "kkt_right_side": Recipe(("q", "v", "tau"), kkt_right_side),
    "effort_matrix": Recipe(("q",), lambda s, q: effort_matrix(s.closure, s.drives, q)),
    "effort_system": Recipe(("q",), lambda s, q: actuation.effort_system(s.closure, s.drives, q)),
    "guarded_stabilised_dynamics": Recipe(("q", "v", "tau", "pull"), guarded_stabilised_dynamics, Stage.PLANNED),
    "legs_forward_dynamics": Recipe(("q", "v", "tau"), legs_forward_dynamics, Stage.PLANNED),
    "loop_forward_dynamics": Recipe(("q", "v", "tau"), forward_dynamics, Stage.PLANNED),
    "guarded_forward_dynamics": Recipe(("q", "v", "tau"), guarded_forward_dynamics, Stage.PLANNED),
    "minimal_forward_dynamics": Recipe(("q", "v", "tau"), minimal_forward_dynamics, Stage.INDEPENDENT),
    "virtual_power_forces": Recipe(("q", "v", "a"), virtual_power_forces),
    "minimal_pivots": Recipe(("q",), minimal_pivots, Stage.INDEPENDENT),
    "guarded_minimal_dynamics": Recipe(("q", "v", "tau"), guarded_minimal_dynamics, Stage.INDEPENDENT),
    "guarded_efforts": Recipe(("q", "v", "a"), guarded_efforts, Stage.EFFORTS),
    "kept_multipliers": Recipe(("q", "v", "a", "tau"), kept_multipliers, Stage.PLANNED),
    "loop_joint_wrenches": Recipe(("q", "v", "a", "tau", "lam"), joint_wrenches),
    "newton_step": Recipe(("q",), newton_step, Stage.INDEPENDENT),
    "cut_values": Recipe(("q",), values_of_cuts),
    "independent_map": Recipe(
        ("q",), lambda s, q: minimal.independent_map(s.closure, _partition(s), q), Stage.INDEPENDENT
    ),
    "minimal_inertia": Recipe(
        ("q",), lambda s, q: minimal.minimal_inertia(s.lean, s.closure, _partition(s), q), Stage.INDEPENDENT
    ),
    "consistent_motion": Recipe(
        ("q", "v_ind", "a_ind"),
        lambda s, q, v_ind, a_ind: minimal.consistent_motion(s.lean, s.closure, _partition(s), q, v_ind, a_ind),
        Stage.INDEPENDENT,
    ),
    "senses": Recipe(("q",), all_senses),
    "tree_inertia": Recipe(("q",), lambda s, q: inertia.generalized_inertia(s.lean, q)),
}
