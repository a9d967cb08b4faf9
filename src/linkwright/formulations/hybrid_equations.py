"""Efforts that a motion needs, and hybrid dynamics: accelerations of freedoms that nobody drives (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import Plan, SquarePlan, factor_in_order, factor_lu, lu_solve, solve_factored
from linkwright.formulations.minimal_equations import transposed_solve
from linkwright.formulations.multipliers import bordered_inertia_matrix
from linkwright.loops.closure import Closure, DrivenVelocity, actuation_matrix, jacobian_of_closure
from linkwright.mechanism.tree import Tree
from linkwright.recursion.forward_recursion import can_sweep, factor_udu, swept_hybrid_dynamics, udu_solve
from linkwright.recursion.inertia import inertia_diagonal, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics

# --- efforts that a motion of a closed-loop mechanism needs (any scalar) ----------------------------------------------


def effort_multiplier_matrix(closure: Closure, drives: tuple[DrivenVelocity, ...], q: Vec) -> Mat:
    """[B J_c^T]: efforts and multipliers to tree forces, (nv, na + n_rows) (theory 6.10)."""
    return np.block([actuation_matrix(closure, drives, q), jacobian_of_closure(closure, q).T])


def multipliers_of(tree: Tree, closure: Closure, plan: Plan, q: Vec, force: Vec) -> Vec:
    """Multipliers lam with J_c^T lam = force, for a force the loops can carry; a remainder is left to the motion."""
    f = factor_in_order(bordered_inertia_matrix(tree, closure, q), plan)
    zero = np.zeros(closure.n_rows)
    return solve_factored(f, np.concatenate([force, zero]))[tree.nv :]


# --- hybrid dynamics --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Undriven:
    """Freedoms without effort: the velocities they are written in, and which of their motions move mass.

    Attributes:
        speeds: places in v of as many velocities as undriven freedoms; with the actuators held they determine all.
        heavy: which of these (places in `speeds`) move mass; the others leave every force as it is.
        sizes: typical pivots of the heavy motions' inertia.
    """

    speeds: tuple[int, ...]
    heavy: tuple[int, ...]
    sizes: tuple[float, ...] = ()

    @property
    def light(self) -> tuple[int, ...]:
        """The motions that move no mass."""
        return tuple(i for i in range(len(self.speeds)) if i not in self.heavy)


@dataclass(frozen=True, eq=False)
class Hybrid:
    """Efforts and accelerations of a motion whose undriven freedoms carry no effort.

    Attributes:
        tau: efforts of the actuators, (na,).
        a: accelerations with those of the undriven freedoms as the dynamics has them, (nv,).
        pivots: of the effort system, in the order they are met.
        inertia_pivots, inertias: pivots and diagonal of the heavy undriven motions' inertia.
        unbalanced, terms: force along each light motion, which nothing can balance, and the size of what it sums.
    """

    tau: Vec
    a: Vec
    pivots: list[Any]
    inertia_pivots: list[Any]
    inertias: list[Any]
    unbalanced: list[Any]
    terms: list[Any]


def reduced_system(closure: Closure, drives: tuple[DrivenVelocity, ...], undriven: Undriven, q: Vec) -> Mat:
    """[B J_c^T] without the rows of the undriven velocities, square (theory 6.32)."""
    rest = _other_velocities(closure.tree, undriven)
    return effort_multiplier_matrix(closure, drives, q)[rest]


def hybrid_dynamics(
    tree: Tree,
    closure: Closure,
    drives: tuple[DrivenVelocity, ...],
    plan: SquarePlan,
    undriven: Undriven,
    q: Vec,
    v: Vec,
    a: Vec,
    w_ext: list[Vec] | None = None,
) -> Hybrid:
    """Efforts for the accelerations a (nv,) of the driven freedoms; those of the others follow (theory 6.32-6.35).

    N holds the motions that actuators and loops leave free: B^T N = 0 and J_c N = 0, so that N^T (M a + h) = 0.
    """
    if is_swept(closure, undriven):
        return _swept_motion(tree, drives, undriven, q, v, a, w_ext)
    free, rest, heavy = list(undriven.speeds), _other_velocities(tree, undriven), list(undriven.heavy)
    X = effort_multiplier_matrix(closure, drives, q)
    f = factor_lu(X[rest], plan)
    N = np.zeros((tree.nv, len(free)), dtype=X.dtype)
    N[free] = np.eye(len(free))
    N[rest] = transposed_solve(f, -X[free].T)
    force = tree_inverse_dynamics(tree, q, v, a, w_ext)
    N_h, N_l = N[:, heavy], N[:, list(undriven.light)]
    D: Any = ()
    H: Any = np.zeros((0, 0))
    if heavy:
        MN = tree_mass_matrix(tree, q) @ N_h
        H = N_h.T @ MN
        U, D = factor_udu(H)
        u = udu_solve(U, D, -(N_h.T @ force))
        a, force = a + N_h @ u, force + MN @ u
    tau = lu_solve(f, force[rest])[: len(drives)]
    return Hybrid(tau, a, f.sizes, list(D), list(np.diag(H)), list(N_l.T @ force), list(abs(N_l).T @ abs(force)))


def is_swept(closure: Closure, undriven: Undriven) -> bool:
    """True if a tree's sweeps give hybrid dynamics: no loops, and every undriven speed moves mass."""
    return not (closure.n_all or undriven.light) and can_sweep(closure.tree)


def _swept_motion(
    tree: Tree,
    drives: tuple[DrivenVelocity, ...],
    undriven: Undriven,
    q: Vec,
    v: Vec,
    a: Vec,
    w_ext: list[Vec] | None,
) -> Hybrid:
    """The same of a tree, whose actuators drive one speed each (theory 5.11)."""
    found = swept_hybrid_dynamics(tree, frozenset(undriven.speeds), q, v, a, np.zeros(tree.nv), w_ext)
    tau = found.tau[[drive.speed for drive in drives if drive.speed is not None]]
    inertias = inertia_diagonal(tree, q)[list(undriven.speeds)]
    return Hybrid(tau, found.a, [1.0] * len(drives), list(found.m_hat), list(inertias), [], [])


def _other_velocities(tree: Tree, undriven: Undriven) -> list[int]:
    return [i for i in range(tree.nv) if i not in undriven.speeds]
