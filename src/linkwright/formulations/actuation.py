"""Efforts that a motion of a closed-loop mechanism needs (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations.elimination import Plan, factor, solve
from linkwright.formulations.multipliers import kkt_matrix
from linkwright.loops.closure import Closure, closure_jacobian
from linkwright.loops.efforts import DrivenVelocity, effort_matrix
from linkwright.mechanism.tree import Tree


def effort_system(closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec) -> Mat:
    """[B J_c^T]: efforts and multipliers to tree forces, (nv, na + n_rows) (theory 6.10)."""
    return np.block([effort_matrix(closure, drives, q), closure_jacobian(closure, q).T])


def multipliers_of(tree: Tree, closure: Closure, plan: Plan, q: Vec, force: Vec) -> Vec:
    """Multipliers lam with J_c^T lam = force, for a force the loops can carry; a remainder is left to the motion."""
    f = factor(kkt_matrix(tree, closure, q), plan)
    zero = np.zeros(closure.n_rows)
    return solve(f, np.concatenate([force, zero]))[tree.nv :]
