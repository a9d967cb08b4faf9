"""Closed loops by Lagrange multipliers: one symmetric elimination of [M J_c^T; J_c 0] (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.checks import instance, positive
from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import Factor, Plan, factor, solve
from linkwright.formulations.formulation import Formulation
from linkwright.loops.closure import Closure, closure_bias, closure_jacobian, closure_residual
from linkwright.mechanism.tree import Tree
from linkwright.recursion.channels import passive_forces
from linkwright.recursion.inertia import mass_matrix
from linkwright.recursion.inverse import joint_forces
from linkwright.recursion.motion import motion


@dataclass(frozen=True)
class Baumgarte:
    """Pulls an open loop shut while it moves: gap acceleration = -2 rate gap_dot - rate^2 gap, rate [1/s]."""

    rate: float

    def __post_init__(self) -> None:
        positive("rate", self.rate, "a number above zero [1/s]")


@dataclass(frozen=True)
class Multipliers(Formulation):
    """Lagrange multipliers by one planned elimination of [M J^T; J 0]; survives redundant equations. The default."""

    baumgarte: Baumgarte | None = None

    def __post_init__(self) -> None:
        instance("baumgarte", self.baumgarte, (Baumgarte, type(None)), "Baumgarte(rate), or None")


@dataclass(frozen=True, eq=False)
class Response:
    """Accelerations a (nv,), multipliers lam (n_rows,) and the factored matrix they came from."""

    a: Vec
    lam: Vec
    factor: Factor


def kkt_matrix(tree: Tree, closure: Closure, q: Vec) -> Mat:
    """The matrix [M J_c^T; J_c 0], (nv + n_rows) square (theory 6.3)."""
    J_c = closure_jacobian(closure, q)
    return bordered(mass_matrix(tree, q), J_c)


def bordered(W: Mat, J: Mat) -> Mat:
    """The symmetric matrix [W J^T; J 0]."""
    zero = np.zeros((len(J), len(J)))
    return np.block([[W, J.T], [J, zero]])


def forward_dynamics(
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
    still = motion(tree, q, v, np.zeros(tree.nv))
    h = joint_forces(tree, still, w_ext) + passive_forces(tree, q, v)
    c = closure_bias(closure, q, v, still)
    if pull is not None:
        c = c + 2.0 * pull * (closure_jacobian(closure, q) @ v) + pull * pull * closure_residual(closure, q)
    f = factor(kkt_matrix(tree, closure, q), plan)
    x = solve(f, np.concatenate([force - h, -c]))
    return Response(x[: tree.nv], -x[tree.nv :], f)
