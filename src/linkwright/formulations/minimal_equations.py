"""Closed loops in independent velocities: loop-closure orthogonal complement R with J_c R = 0 (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.checks import require_flag, require_texts
from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import SquareFactor, SquarePlan, factor_lu, lu_solve
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.virtual_power import Resistance
from linkwright.loops.closure import Closure, closure_bias, jacobian_of_closure
from linkwright.mechanism.tree import Tree
from linkwright.recursion.forward_recursion import factor_udu, udu_solve
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import forces_along_joints
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True)
class Minimal(Formulation):
    """The loop-closure orthogonal complement on independent velocities.

    Attributes:
        independent: their names; None takes the mechanism's own independent set.
        displacement: in time, integrate the independent coordinates only and solve for the others at every
            evaluation of the right-hand side (displacement analysis), instead of integrating all coordinates.
    """

    independent: tuple[str, ...] | None = None
    displacement: bool = False

    def __post_init__(self) -> None:
        require_flag("displacement", self.displacement)
        if self.independent is not None:
            object.__setattr__(self, "independent", require_texts("independent", self.independent))


@dataclass(frozen=True)
class Partition:
    """Independent velocities, and the order in which the dependent columns of J_c are eliminated."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    plan: SquarePlan


@dataclass(frozen=True, eq=False)
class Complement:
    """The closure Jacobian J_c, the factors of its dependent columns, and R with J_c R = 0."""

    part: Partition
    J_c: Mat
    factor: SquareFactor
    R: Mat

    def closing(self, rates: Mat) -> Mat:
        """Changes of all speeds (nv, k), zero in the independent ones, that undo gap rates (n_rows, k)."""
        out = np.zeros((self.J_c.shape[1], *rates.shape[1:]), dtype=np.result_type(rates, self.R))
        out[list(self.part.dependent)] = -lu_solve(self.factor, rates)
        return out

    def closing_transposed(self, weights: Vec) -> Vec:
        """The transpose of `closing`: weights on gap rates (n_rows,) from weights on all speeds (nv,)."""
        return -transposed_solve(self.factor, weights[list(self.part.dependent)])

    def multipliers(self, force: Vec) -> Vec:
        """lam with J_c^T lam = force in the dependent speeds, (n_rows,)."""
        return transposed_solve(self.factor, force[list(self.part.dependent)])


def loop_complement(closure: Closure, part: Partition, q: Vec) -> Complement:
    """The loop-closure orthogonal complement and what it was made from (theory 6.8)."""
    J_c, f = dependent_factor(closure, part, q)
    return Complement(part, J_c, f, _map_of_partition(closure.tree, part, J_c, f))


def transposed_solve(f: SquareFactor, b: Vec) -> Vec:
    """Solve X^T y = b with the factors of X: its columns are the rows of X^T."""
    x = np.array(b, dtype=np.result_type(b, *[np.asarray(i) for i in f.inverses]) if f.inverses else b.dtype)
    y = np.array(x)
    for (r, c), columns, U, inverse in zip(f.plan.pivots, f.plan.columns, f.upper, f.inverses, strict=True):
        y[r] = x[c] * inverse
        for j, above in zip(columns, U, strict=True):
            x[j] = x[j] - above * y[r]
    for (r, _), rows, L in reversed(list(zip(f.plan.pivots, f.plan.rows, f.lower, strict=True))):
        for i, multiplier in zip(rows, L, strict=True):
            y[r] = y[r] - multiplier * y[i]
    return y


def dependent_factor(closure: Closure, part: Partition, q: Vec) -> tuple[Mat, SquareFactor]:
    """J_c and the factors of its dependent columns."""
    J_c = jacobian_of_closure(closure, q)
    return J_c, factor_lu(J_c[:, list(part.dependent)], part.plan)


def minimal_velocity_map(closure: Closure, part: Partition, q: Vec) -> Mat:
    """R with v = R v_ind, (nv, n_ind) (theory 6.8)."""
    J_c, f = dependent_factor(closure, part, q)
    return _map_of_partition(closure.tree, part, J_c, f)


def _map_of_partition(tree: Tree, part: Partition, J_c: Mat, f: SquareFactor) -> Mat:
    n = len(part.independent)
    R = np.zeros((tree.nv, n), dtype=J_c.dtype)
    R[list(part.independent)] = np.eye(n)
    R[list(part.dependent)] = -lu_solve(f, J_c[:, list(part.independent)])
    return R


def dependent_acceleration(tree: Tree, part: Partition, f: SquareFactor, c: Vec) -> Vec:
    """The part g of a = R a_ind + g that velocities cause, (nv,)."""
    g = np.zeros(tree.nv, dtype=c.dtype)
    g[list(part.dependent)] = -lu_solve(f, c)
    return g


def minimal_inertia_matrix(tree: Tree, closure: Closure, part: Partition, q: Vec) -> Mat:
    """R^T M R, (n_ind, n_ind)."""
    R = minimal_velocity_map(closure, part, q)
    return R.T @ tree_mass_matrix(tree, q) @ R


def forward_dynamics_minimal(
    tree: Tree,
    closure: Closure,
    part: Partition,
    q: Vec,
    v: Vec,
    force: Vec,
    resisted: Resistance,
    w_ext: list[Vec] | None = None,
) -> Vec:
    """Accelerations under tree forces by the minimal equations R^T M R a_ind = R^T (force - h - M g) (theory 6.9).

    `tree` is without springs, friction and rotors; `resisted` is what they take.
    """
    still = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    J_c, f = dependent_factor(closure, part, q)
    R = _map_of_partition(tree, part, J_c, f)
    g = dependent_acceleration(tree, part, f, closure_bias(closure, q, v, still))
    M = tree_mass_matrix(tree, q) + resisted.M
    h = forces_along_joints(tree, still, w_ext) + resisted.h
    U, D = factor_udu(R.T @ M @ R)
    return R @ udu_solve(U, D, R.T @ (force - h - M @ g)) + g
