"""The functions that virtual springs add; stiffness and damping are inputs, so changing them compiles nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations import multipliers, virtual_springs
from linkwright.functions.definition import compiled
from linkwright.functions.setup import Setup
from linkwright.functions.stages import SpringPlan
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.loops.closure import actuation_matrix
from linkwright.recursion import energy, forward_recursion
from linkwright.recursion.twist_recursion import motion_of_tree


@compiled("q", "v", "stiffness", "damping", stage=SpringPlan)
def spring_row_forces(stage: SpringPlan, q: Vec, v: Vec, stiffness: Vec, damping: Vec) -> Vec:
    """Forces along the sprung rows, (n_sprung,)."""
    setup = stage.setup
    state = motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv))
    return virtual_springs.spring_rows(stage.sprung, q, state, v, stiffness, damping)


def _spring_loads(
    stage: SpringPlan, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec, w_ext: Mat | None
) -> tuple[Vec, list[Vec]]:
    """Tree forces and wrenches on the links: actuators, springs and what acts from outside."""
    setup = stage.setup
    outer, force = virtual_springs.spring_forces(stage.sprung, q, spring_row_forces(stage, q, v, stiffness, damping))
    given = link_frame_wrenches(setup, w_ext)
    if given is not None:
        outer = [w + x for w, x in zip(outer, given, strict=True)]
    if setup.drives:
        force = force + actuation_matrix(setup.closure, setup.drives, q) @ tau
    return force, outer


@compiled("q", "v", "tau", "stiffness", "damping", stage=SpringPlan)
def spring_forward_dynamics_composite(
    stage: SpringPlan, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec, w_ext: Mat | None = None
) -> Vec:
    """The same from the factored inertia matrix, which falls into one block for each subtree."""
    setup = stage.setup
    if stage.plan is not None:
        return spring_forward_dynamics(stage, q, v, tau, stiffness, damping, w_ext)
    force, outer = _spring_loads(stage, q, v, tau, stiffness, damping, w_ext)
    return forward_recursion.composite_forward_dynamics(setup.simplified, q, v, force, outer)


@compiled(
    "q", "v", "tau", "stiffness", "damping", stage=SpringPlan, cheaper=spring_forward_dynamics_composite, public=True
)
def spring_forward_dynamics(
    stage: SpringPlan, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec, w_ext: Mat | None = None
) -> Vec:
    """Accelerations on springs; loops that are left keep their multipliers."""
    setup = stage.setup
    force, outer = _spring_loads(stage, q, v, tau, stiffness, damping, w_ext)
    if stage.plan is None:
        return forward_recursion.tree_forward_dynamics(setup.simplified, q, v, force, outer)
    return multipliers.forward_dynamics_by_multipliers(
        setup.simplified, setup.closure, stage.plan, q, v, force, outer
    ).a


@compiled("q", "v", "stiffness", stage=SpringPlan, public=True)
def spring_energy(stage: SpringPlan, q: Vec, v: Vec, stiffness: Vec) -> Vec:
    """Kinetic and potential energy, that of the virtual springs included, (2,), [J]."""
    setup = stage.setup
    stored = virtual_springs.row_spring_energy(stage.sprung, q, stiffness)
    return np.array([energy.kinetic_energy(setup.tree, q, v), energy.potential_energy(setup.tree, q) + stored])


@compiled("q")
def open_effort_system(setup: Setup, q: Vec) -> Mat:
    """[B J^T] with the gradients of loops that may be open: efforts and row forces to tree forces, all rows."""
    every = replace(setup.closure, kept=None)
    return np.block([actuation_matrix(every, setup.drives, q), virtual_springs.open_jacobian(every, q).T])
