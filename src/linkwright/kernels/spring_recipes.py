"""The questions that virtual springs add; stiffness and damping are inputs, so changing them compiles nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import inlined, jacobian, trace
from linkwright.formulations import multipliers, springs
from linkwright.kernels.derivative_recipes import tangent_map
from linkwright.kernels.recipes import Recipe, Stage, link_wrenches
from linkwright.kernels.setup import Setup
from linkwright.loops.closure import Closure, closure_residual
from linkwright.loops.efforts import effort_matrix
from linkwright.recursion import energy, forward
from linkwright.recursion.motion import motion


def sprung(setup: Setup) -> Closure:
    """The closure with the rows that springs carry."""
    return replace(setup.closure, kept=setup.sprung)


def row_forces(setup: Setup, q: Vec, v: Vec, stiffness: Vec, damping: Vec) -> Vec:
    """Forces along the sprung rows, (n_sprung,)."""
    state = motion(setup.lean, q, v, np.zeros(setup.lean.nv))
    return springs.spring_rows(sprung(setup), q, state, v, stiffness, damping)


def _pulled(
    setup: Setup, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec, w_ext: Mat | None
) -> tuple[Vec, list[Vec]]:
    """Tree forces and wrenches on the links: actuators, springs and what acts from outside."""
    outer, force = springs.spring_forces(sprung(setup), q, row_forces(setup, q, v, stiffness, damping))
    given = link_wrenches(setup, w_ext)
    if given is not None:
        outer = [w + x for w, x in zip(outer, given, strict=True)]
    if setup.drives:
        force = force + effort_matrix(setup.closure, setup.drives, q) @ tau
    return force, outer


def forward_dynamics(
    setup: Setup, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec, w_ext: Mat | None = None
) -> Vec:
    """Accelerations on springs; loops that are left keep their multipliers."""
    force, outer = _pulled(setup, q, v, tau, stiffness, damping, w_ext)
    if setup.plans.kkt is None:
        return forward.forward_dynamics(setup.lean, q, v, force, outer)
    return multipliers.forward_dynamics(setup.lean, setup.closure, setup.plans.kkt, q, v, force, outer).a


def composite_forward_dynamics(
    setup: Setup, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec, w_ext: Mat | None = None
) -> Vec:
    """The same from the factored inertia matrix, which falls into one block for each subtree."""
    if setup.plans.kkt is not None:
        return forward_dynamics(setup, q, v, tau, stiffness, damping, w_ext)
    force, outer = _pulled(setup, q, v, tau, stiffness, damping, w_ext)
    return forward.forward_dynamics_composite(setup.lean, q, v, force, outer)


def energies(setup: Setup, q: Vec, v: Vec, stiffness: Vec) -> Vec:
    """Kinetic and potential energy, that of the virtual springs included, (2,), [J]."""
    stored = springs.spring_energy(sprung(setup), q, stiffness)
    return np.array([energy.kinetic_energy(setup.tree, q, v), energy.potential_energy(setup.tree, q) + stored])


def open_effort_system(setup: Setup, q: Vec) -> Mat:
    """[B J^T] with the gradients of loops that may be open: efforts and row forces to tree forces, all rows."""
    every = replace(setup.closure, kept=None)
    return np.block([effort_matrix(every, setup.drives, q), springs.open_jacobian(every, q).T])


def slopes(setup: Setup, q: Vec, v: Vec, tau: Vec, stiffness: Vec, damping: Vec) -> tuple[Mat, Mat]:
    """Derivatives of the accelerations by q (along the tangent) and by v, each (nv, nv)."""
    sizes = setup.sizes()
    names = ("q", "v", "tau", "stiffness", "damping")
    program = trace(lambda **x: composite_forward_dynamics(setup, **x), {name: sizes[name] for name in names})
    d = inlined(jacobian(program, ["q", "v"]), q, v, tau, stiffness, damping)
    return d["d_out_d_q"] @ tangent_map(setup, q), d["d_out_d_v"]


_STATE = ("q", "v", "tau", "stiffness", "damping")

SPRING_RECIPES: dict[str, Recipe] = {
    "spring_forward_dynamics": Recipe(_STATE, forward_dynamics, Stage.SPRINGS),
    "spring_forward_dynamics_composite": Recipe(_STATE, composite_forward_dynamics, Stage.SPRINGS),
    "spring_slopes": Recipe(_STATE, slopes, Stage.SPRINGS),
    "spring_row_forces": Recipe(("q", "v", "stiffness", "damping"), row_forces, Stage.SPRINGS),
    "spring_gaps": Recipe(("q",), lambda s, q: closure_residual(sprung(s), q), Stage.SPRINGS),
    "spring_jacobian": Recipe(("q",), lambda s, q: springs.open_jacobian(sprung(s), q), Stage.SPRINGS),
    "spring_energy": Recipe(("q", "v", "stiffness"), energies, Stage.SPRINGS),
    "open_effort_system": Recipe(("q",), open_effort_system),
}
