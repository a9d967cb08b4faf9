"""Efforts that a motion of a closed-loop mechanism needs (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations.elimination import Plan, factor_in_order, solve_factored
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.loops.actuator_forces import DrivenVelocity, actuation_matrix
from linkwright.loops.closure import Closure, jacobian_of_closure
from linkwright.mechanism.tree import Tree


def effort_multiplier_matrix(closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec) -> Mat:
    """[B J_c^T]: efforts and multipliers to tree forces, (nv, na + n_rows) (theory 6.10)."""
    return np.block([actuation_matrix(closure, drives, q), jacobian_of_closure(closure, q).T])


def multipliers_of(tree: Tree, closure: Closure, plan: Plan, q: Vec, force: Vec) -> Vec:
    """Multipliers lam with J_c^T lam = force, for a force the loops can carry; a remainder is left to the motion."""
    f = factor_in_order(bordered_inertia_matrix(tree, closure, q), plan)
    zero = np.zeros(closure.n_rows)
    return solve_factored(f, np.concatenate([force, zero]))[tree.nv :]
