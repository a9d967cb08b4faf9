"""The equations of motion on independent velocities, and a Newton step of the dependent coordinates."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import maximum
from linkwright.formulations import minimal
from linkwright.formulations.lu import lu_solve
from linkwright.functions.definition import Definition
from linkwright.functions.loop.closure_functions import driven_force
from linkwright.functions.loop.refined_functions import SECOND_FORWARD_DYNAMICS
from linkwright.functions.loop.resistance import needed_forces, resistance_of
from linkwright.functions.pivot_checks import (
    ACCEPTED_MINIMAL,
    flagged,
    in_pairs,
    share,
)
from linkwright.functions.setup import Setup
from linkwright.functions.stages import MinimalEquations, VelocityPartitionPlan
from linkwright.functions.tree.tree_functions import link_wrenches
from linkwright.loops.closure import (
    closure_residual,
)
from linkwright.mechanism.tree import unresisted
from linkwright.recursion import inertia
from linkwright.recursion.coordinates import advanced
from linkwright.recursion.factor import udu


def minimal_forward_dynamics(stage: VelocityPartitionPlan, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    setup = stage.setup
    force, outer, taken = driven_force(setup, q, tau), link_wrenches(setup, w_ext), resistance_of(setup, q, v)
    bare = unresisted(setup.simplified)
    return minimal.forward_dynamics(bare, setup.closure, stage.partition, q, v, force, taken, outer)


def virtual_power_forces(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Tree forces that a motion needs, (nv,), springs, friction and rotors as the second method finds them."""
    return needed_forces(setup, q, v, a, link_wrenches(setup, w_ext))


def checked_minimal_dynamics(stage: MinimalEquations, q: Vec, v: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """The same; the first is NaN where pivots are too small, or so large that small numbers were lost in them."""
    pivots, typical = list(minimal_pivots(stage.division, q)), stage.pivots
    grown = in_pairs(maximum, [1.0, *(abs(p) * (1.0 / t) for p, t in zip(pivots, typical, strict=True) if t)])
    margin = share(pivots, typical) - ACCEPTED_MINIMAL * grown
    return flagged(minimal_forward_dynamics(stage.division, q, v, tau, w_ext), margin)


def minimal_pivots(stage: VelocityPartitionPlan, q: Vec) -> Vec:
    """Pivots of the dependent columns of J_c and of the minimal inertia, in the order they are met, (nv,)."""
    setup = stage.setup
    found = minimal.complement(setup.closure, stage.partition, q)
    _, D = udu(found.R.T @ inertia.mass_matrix(setup.simplified, q) @ found.R)
    return np.array([*found.factor.sizes, *D])


def newton_step(stage: VelocityPartitionPlan, q: Vec) -> dict[str, Any]:
    """One Newton step of the dependent coordinates, the gap it started from, and the determinant of their Jacobian."""
    setup = stage.setup
    part = stage.partition
    gap = closure_residual(setup.closure, q)
    _, f = minimal.dependent_factor(setup.closure, part, q)
    dv = np.zeros(setup.simplified.nv, dtype=q.dtype)
    dv[list(part.dependent)] = -lu_solve(f, gap)
    return {"q": advanced(setup.simplified, q, dv), "gap": gap, "determinant": reduce(operator.mul, f.sizes, 1.0)}


MINIMAL_FORWARD_DYNAMICS = Definition(
    "minimal_forward_dynamics", ("q", "v", "tau"), minimal_forward_dynamics, stage=VelocityPartitionPlan, of_loops=True
)
VIRTUAL_POWER_FORCES = Definition("virtual_power_forces", ("q", "v", "a"), virtual_power_forces, of_loops=True)
MINIMAL_PIVOTS = Definition("minimal_pivots", ("q",), minimal_pivots, stage=VelocityPartitionPlan, of_loops=True)
CHECKED_MINIMAL_DYNAMICS = Definition(
    "checked_minimal_dynamics",
    ("q", "v", "tau"),
    checked_minimal_dynamics,
    stage=MinimalEquations,
    pivot_checked=True,
    second=SECOND_FORWARD_DYNAMICS,
    of_loops=True,
)
NEWTON_STEP = Definition("newton_step", ("q",), newton_step, stage=VelocityPartitionPlan, of_loops=True)
INDEPENDENT_MAP = Definition(
    "independent_map",
    ("q",),
    lambda s, q: minimal.independent_map(s.setup.closure, s.partition, q),
    stage=VelocityPartitionPlan,
    of_loops=True,
)
MINIMAL_INERTIA = Definition(
    "minimal_inertia",
    ("q",),
    lambda s, q: minimal.minimal_inertia(s.setup.simplified, s.setup.closure, s.partition, q),
    stage=VelocityPartitionPlan,
    of_loops=True,
)
CONSISTENT_MOTION = Definition(
    "consistent_motion",
    ("q", "v_ind", "a_ind"),
    lambda s, q, v_ind, a_ind: minimal.consistent_motion(
        s.setup.simplified, s.setup.closure, s.partition, q, v_ind, a_ind
    ),
    stage=VelocityPartitionPlan,
    of_loops=True,
)
