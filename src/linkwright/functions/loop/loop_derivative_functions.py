"""First derivatives of closed-loop dynamics on the independent set, exact: closure is kept during the displacement.

A displacement of the independent velocities moves all coordinates along R; the speeds and accelerations of the other
joints change with it, so that the loops stay closed on all three levels. The equations of motion, the closure rates and
the closure accelerations are differentiated once on the tree, where they are sparse, and put together by the factors
that R came from (theory 6.15-6.18).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, twist_bracket
from linkwright.compiler import inline_program, jacobian
from linkwright.dataclass import dataclass
from linkwright.formulations.minimal_equations import Complement
from linkwright.functions.definition import compiled
from linkwright.functions.design_inputs import traced_on
from linkwright.functions.fallback_chain import flag_result
from linkwright.functions.loop.minimal_functions import independence_margin, planned_complement
from linkwright.functions.setup import Setup
from linkwright.functions.stages import VelocityPartitionPlan
from linkwright.functions.tree.tree_derivative_functions import symmetric_inverse, tangent_map
from linkwright.loops.closure import (
    actuation_matrix,
    closure_bias,
    jacobian_of_closure,
    loop_wrenches,
    loop_wrenches_on_links,
)
from linkwright.mechanism.tree import Tree
from linkwright.recursion import inertia, inverse_recursion
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True, eq=False)
class Partials:
    """Derivatives on the tree along tangent displacements: of the balance of forces, closure rates and accelerations.

    Attributes:
        balance_q, balance_v: of M a + h - J_c^T lam - B tau at fixed a, lam, tau, (nv, nv).
        rate_q: of J_c v at fixed v, (n_rows, nv).
        second_q, second_v: of J_c a + c at fixed a, (n_rows, nv).
    """

    balance_q: Mat
    balance_v: Mat
    rate_q: Mat
    second_q: Mat
    second_v: Mat


@dataclass(frozen=True, eq=False)
class Change:
    """Changes per unit of independent displacement (q) and speed (v): of all accelerations at fixed independent ones,
    (nv, n_ind), and of the tree forces that go with them, (nv, n_ind)."""

    a_q: Mat
    a_v: Mat
    force_q: Mat
    force_v: Mat


def partials_at_state(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec) -> Partials:
    """Tree derivatives at a state; lam belongs to the kept rows."""
    sizes = setup.sizes() | {"lam": (setup.closure.n_rows,)}
    wrt = {name: sizes[name] for name in ("q", "v", "a", "lam", "tau")}
    program, outer = traced_on(setup, _motion_equations, wrt)
    d = inline_program(jacobian(program, ["q", "v"]), q, v, a, lam, tau, *outer)
    N = tangent_map(setup, q)
    along = {name: d[f"d_{name}_d_q"] @ N for name in ("balance", "rate", "second")}
    return Partials(along["balance"], d["d_balance_d_v"], along["rate"], along["second"], d["d_second_d_v"])


def _motion_equations(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec) -> dict[str, Vec]:
    """Balance of forces, closure rates and closure accelerations; all vanish on a motion (theory 6.1-6.2)."""
    closure, tree = setup.closure, setup.simplified
    every = lam
    if closure.kept is not None:
        every = np.zeros(closure.n_all, dtype=lam.dtype)
        every[list(closure.kept)] = lam
    outer = loop_wrenches_on_links(closure, loop_wrenches(closure, setup.drives, q, every, tau))
    force = inverse_recursion.tree_inverse_dynamics(tree, q, v, a, outer)
    for coupling, row in zip(closure.couplings, every[closure.n_all - len(closure.couplings) :], strict=True):
        for speed, ratio in zip(coupling.speeds, coupling.row(q), strict=True):
            force[speed] = force[speed] - ratio * row
    rate = jacobian_of_closure(closure, q) @ v
    return {"balance": force, "rate": rate, "second": closure_bias(closure, q, v, motion_of_tree(tree, q, v, a), a)}


class Completion(Protocol):
    """Motion as a function of the independent velocities, as in `formulations.minimal.Complement`."""

    @property
    def R(self) -> Mat: ...

    def closing(self, rates: Mat) -> Mat: ...

    def multipliers(self, force: Vec) -> Vec: ...


def derivatives_along_motions(found: Completion, d: Partials, M: Mat) -> Change:
    """Derivatives along the motions the loops allow (theory 6.16-6.17)."""
    R = found.R
    v_q = found.closing(d.rate_q @ R)
    a_q = found.closing(d.second_q @ R + d.second_v @ v_q)
    a_v = found.closing(d.second_v @ R)
    force_q = d.balance_q @ R + d.balance_v @ v_q + M @ a_q
    return Change(a_q, a_v, force_q, d.balance_v @ R + M @ a_v)


@compiled("q", "v", "a", stage=VelocityPartitionPlan, pivot_checked=True)
def checked_inverse_derivatives(stage: VelocityPartitionPlan, q: Vec, v: Vec, a: Vec) -> Mat:
    """Derivatives of the efforts by independent displacements, speeds and accelerations side by side, (na, 3 n_ind).

    For actuators that are the independent velocities: their efforts are R^T force.
    """
    setup = stage.setup
    found, M = planned_complement(stage, q), inertia.tree_mass_matrix(setup.simplified, q)
    force = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a)
    tau = found.R.T @ force
    lam = found.multipliers(force - actuation_matrix(setup.closure, setup.drives, q) @ tau)
    return flag_result(
        projected_forces(found, M, partials_at_state(setup, q, v, a, lam, tau)), independence_margin(setup, q, found)
    )


def projected_forces(found: Completion, M: Mat, d: Partials) -> Mat:
    """R^T d force by independent displacements, speeds and accelerations side by side, (n_ind, 3 n_ind)."""
    change = derivatives_along_motions(found, d, M)
    return found.R.T @ np.hstack([change.force_q, change.force_v, M @ found.R])


@compiled("q", "v", "tau", stage=VelocityPartitionPlan, pivot_checked=True)
def checked_forward_derivatives(stage: VelocityPartitionPlan, q: Vec, v: Vec, tau: Vec) -> Mat:
    """Derivatives of all accelerations by independent displacements, speeds and by efforts, (nv, 2 n_ind + na)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    return flag_result(_forward_dynamics_derivatives(setup, found, q, v, tau), independence_margin(setup, q, found))


@compiled("q", "v", "tau", stage=VelocityPartitionPlan, pivot_checked=True, public="linearize")
def checked_linear_model(stage: VelocityPartitionPlan, q: Vec, v: Vec, tau: Vec) -> Mat:
    """[A B] of d/dt x = A x + B d tau for independent displacements and speeds, (2 n_ind, 2 n_ind + na)."""
    setup = stage.setup
    found = planned_complement(stage, q)
    chosen = list(found.part.independent)
    turning = carried_along(setup.simplified, v) @ found.R
    return flag_result(
        state_matrix(turning[chosen], _forward_dynamics_derivatives(setup, found, q, v, tau)[chosen]),
        independence_margin(setup, q, found),
    )


def state_matrix(turning: Mat, derivatives: Mat) -> Mat:
    """[A B] from the turning of displacements (n, n) and the accelerations' derivatives (n, 2 n + na)."""
    n = len(turning)
    upper = np.hstack([turning, np.eye(n), np.zeros((n, derivatives.shape[1] - 2 * n))])
    return np.vstack([upper, derivatives])


def _forward_dynamics_derivatives(setup: Setup, found: Complement, q: Vec, v: Vec, tau: Vec) -> Mat:
    """Derivatives of the accelerations that the minimal equations give."""
    M, B = inertia.tree_mass_matrix(setup.simplified, q), actuation_matrix(setup.closure, setup.drives, q)
    response = found.R @ symmetric_inverse(found.R.T @ M @ found.R, list(range(found.R.shape[1])))
    g = found.closing(
        closure_bias(setup.closure, q, v, motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv)))
    )
    h = inverse_recursion.tree_bias_forces(setup.simplified, q, v)
    a = response @ (found.R.T @ (B @ tau - h - M @ g)) + g
    lam = found.multipliers(M @ a + h - B @ tau)
    return acceleration_derivatives(found, response, M, B, partials_at_state(setup, q, v, a, lam, tau))


def acceleration_derivatives(found: Completion, response: Mat, M: Mat, B: Mat, d: Partials) -> Mat:
    """Derivatives of the accelerations, (nv, 2 n_ind + na), with response = R (R^T M R)^-1 (theory 6.18)."""
    change, R = derivatives_along_motions(found, d, M), found.R
    free = [change.a_q - response @ (R.T @ change.force_q), change.a_v - response @ (R.T @ change.force_v)]
    return np.hstack([*free, response @ (R.T @ B)])


def carried_along(tree: Tree, v: Vec) -> Mat:
    """Turning of displacements with the body axes: minus the bracket of floating and spherical joints, (nv, nv)."""
    out = np.zeros((tree.nv, tree.nv), dtype=v.dtype)
    for link in tree.links:
        if link.kind.has_quaternion:
            size = link.dofs.stop - link.dofs.start
            speeds = np.concatenate([v[link.dofs], np.zeros(6 - size)])
            out[link.dofs, link.dofs] = -twist_bracket(speeds)[:size, :size]
    return out


@compiled("q", "v", "a", "lam", "tau")
def tree_partials(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec) -> dict[str, Mat]:
    """The partial derivatives by name, for a solution outside; lam belongs to all rows."""
    d = partials_at_state(setup, q, v, a, lam, tau)
    return {name: getattr(d, name) for name in Partials.__dataclass_fields__}
