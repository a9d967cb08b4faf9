"""Closed loops by Lagrange multipliers: one symmetric elimination of [M J_c^T; J_c 0] (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.checks import require_instance, require_positive
from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import Factor, Plan, factor_in_order, solve_factored
from linkwright.formulations.formulation import Formulation
from linkwright.loops.closure import Closure, closure_bias, gaps_of_closure, jacobian_of_closure
from linkwright.mechanism.tree import Tree
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import forces_along_joints
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True)
class Baumgarte:
    """Pulls an open loop shut while it moves: gap acceleration = -2 rate gap_dot - rate^2 gap, rate [1/s]."""

    rate: float

    def __post_init__(self) -> None:
        require_positive("rate", self.rate, "a number above zero [1/s]")


@dataclass(frozen=True)
class Multipliers(Formulation):
    """Lagrange multipliers by one planned elimination of [M J^T; J 0]; survives redundant equations. The default."""

    baumgarte: Baumgarte | None = None

    def __post_init__(self) -> None:
        require_instance("baumgarte", self.baumgarte, (Baumgarte, type(None)), "Baumgarte(rate), or None")


@dataclass(frozen=True, eq=False)
class Response:
    """Accelerations a (nv,), multipliers lam (n_rows,) and the factored matrix they came from."""

    a: Vec
    lam: Vec
    factor: Factor


def bordered_inertia_matrix(tree: Tree, closure: Closure, q: Vec) -> Mat:
    """The matrix [M J_c^T; J_c 0], (nv + n_rows) square (theory 6.3)."""
    J_c = jacobian_of_closure(closure, q)
    return bordered_matrix(tree_mass_matrix(tree, q), J_c)


def bordered_matrix(W: Mat, J: Mat) -> Mat:
    """The symmetric matrix [W J^T; J 0]."""
    zero = np.zeros((len(J), len(J)))
    return np.block([[W, J.T], [J, zero]])


def forward_dynamics_by_multipliers(
    tree: Tree,
    closure: Closure,
    plan: Plan,
    q: Vec,
    v: Vec,
    force: Vec,
    w_ext: list[Vec] | None = None,
    pull: Any = None,
) -> Response:
    """Accelerations under tree forces `force` and the multipliers that keep the loops closed (theory 6.1-6.7).

    M a + h = force + J_c^T lam and J_c a + c = 0; with a Baumgarte rate `pull` [1/s] the right side of the latter is
    -2 pull J_c v - pull^2 gap, which draws open loops shut.
    """
    still = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    h = forces_along_joints(tree, still, w_ext) + passive_forces(tree, q, v)
    c = closure_bias(closure, q, v, still)
    if pull is not None:
        c = c + 2.0 * pull * (jacobian_of_closure(closure, q) @ v) + pull * pull * gaps_of_closure(closure, q)
    f = factor_in_order(bordered_inertia_matrix(tree, closure, q), plan)
    x = solve_factored(f, np.concatenate([force - h, -c]))
    return Response(x[: tree.nv], -x[tree.nv :], f)
