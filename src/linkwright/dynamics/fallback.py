"""Compiled functions of closed loops, each with its results by full pivoting where elimination is ill-conditioned.

A fixed independent set of closure equations can degenerate where the mechanism is regular (that of Bricard's mechanism
does). There all equations take part and the solution of least norm is taken; elsewhere the kept ones serve.

First the planned order, with the cheaper cut; then, where that flags its result, the second compiled one; then a dense
solve, which refuses singular positions and says how many digits are left where rounding takes many.
"""

from __future__ import annotations

import math

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.dynamics.alternative_trees import effort_solver, forward_solver
from linkwright.dynamics.dynamics import Dynamics
from linkwright.errors import AccuracyWarning, SingularityError, warn_caller
from linkwright.functions.fallback_chain import Code, FallbackChain
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions
from linkwright.functions.memo import memo
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.singularity import dense_singularity
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.numerics.dense import decompose_scaled, distance_to_singularity, singular_values
from linkwright.numerics.tolerances import (
    BAD_CASE,
    MASSLESS,
    PROMISED,
    SINGULAR,
    SMALL_RESULT,
    TINY,
    UNBALANCED,
    WORSE_ROWS,
)

# --- results with full pivoting, and estimates of their error --------------------------------------------------------

Array = np.ndarray
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Judged:
    """A result (n,) and the relative error that rounding of its equations explains."""

    x: Array
    error: float

    @property
    def worst_error(self) -> float:
        """The relative error in a bad case."""
        return BAD_CASE * self.error

    def warn_of_lost_digits(self, name: str, doubt: str, way_out: str) -> None:
        """Warn where rounding leaves fewer digits than results promise; `doubt` says what is requested where."""
        if self.worst_error > PROMISED:
            warn_caller(
                f"the {doubt} fewer than {round(-math.log10(PROMISED))} digits of them are reliable; {way_out}",
                AccuracyWarning,
                subject=name,
                value=max(0, math.floor(-math.log10(min(self.worst_error, 1.0)))),
            )


def bordered_accelerations(dynamics: Dynamics, q: Array, v: Array, tau: Array, *w_ext: Array) -> Array:
    """Accelerations (nv,) by the bordered equations."""
    return judged_accelerations(dynamics, q, v, tau, *w_ext).x


def dense_efforts(dynamics: Dynamics, q: Array, force: Array) -> Array:
    """Efforts (na,) of as many actuators as freedoms that give the tree forces, together with the loops."""
    X = trusted_rows(dynamics.kinematics, dynamics.actuated, q).function(closure_functions.effort_system)(q)
    return _solve_at_rank(X, force, dynamics.setup.tree.nv)[: len(dynamics.setup.drives)]


def effort_map(kinematics: Kinematics, planned: Kernels, q: Array, undriven: tuple[int, ...] = ()) -> Array:
    """S (na, nv) with efforts = S force for tree forces that the loops and the actuators carry.

    Forces along the `undriven` velocities do not count: nothing carries them.
    """
    nv, na = kinematics.setup.tree.nv, len(kinematics.setup.drives)
    rest = [i for i in range(nv) if i not in undriven]
    X = trusted_rows(kinematics, planned, q).function(closure_functions.effort_system)(q)[rest]
    S = np.zeros((na, nv))
    S[:, rest] = _inverse_at_rank(X, len(rest))[:na]
    return S


def judged_accelerations(
    dynamics: Dynamics, q: Array, v: Array, tau: Array, *w_ext: Array, pull_rate: float = 0.0
) -> Judged:
    """Accelerations (nv,) by the bordered equations, with Baumgarte's terms at a rate [1/s] other than zero."""
    kinematics = dynamics.kinematics
    nv, kernels, scale = kinematics.setup.tree.nv, trusted_rows(kinematics, dynamics.kernels, q), kinematics.scales
    K = kernels.function(closure_functions.kkt_matrix)(q)
    b = kernels.function(closure_functions.kkt_right_side, wrench=bool(w_ext))(q, v, tau, *w_ext)
    if pull_rate:
        b[nv:] -= 2.0 * pull_rate * (K[nv:, :nv] @ v) + pull_rate**2 * kernels.function(
            closure_functions.closure_residual
        )(q)
    rows, masses = kernels.setup.closure.select(scale.rows), np.array(dynamics.units.masses)
    pull = float(np.linalg.norm(kinematics.setup.mech.gravity)) / scale.length
    J_sizes = rows[:, None] / scale.speeds
    typical = np.block([[np.outer(masses, masses), J_sizes.T], [J_sizes, np.zeros((len(rows), len(rows)))]])
    rate = float(np.max(np.abs(v) / scale.speeds, initial=0.0))
    terms = np.abs(b) + np.concatenate([np.zeros(nv), (pull + rate * rate) * rows])
    sizes = np.abs(K) + typical * kernels.pattern(closure_functions.kkt_matrix)
    return _solve_with_error(K, b, nv + kinematics.rank.rank, sizes, terms, 1.0 / scale.speeds, SMALL_RESULT * pull)


def judged_efforts(dynamics: Dynamics, q: Array, a: Array, force: Array) -> Judged:
    """The same efforts for a motion with the accelerations a (nv,)."""
    kernels = trusted_rows(dynamics.kinematics, dynamics.actuated, q)
    return _judged_efforts(dynamics.kinematics, kernels, dynamics.setup.tree.nv, q, a, force)


@dataclass(frozen=True, eq=False)
class JudgedHybrid:
    """Efforts, accelerations (nv,) completed by those of the undriven freedoms, and what cannot be had.

    independent: smallest over largest singular value of closure and actuators together. unbalanced: the force along
    motions without mass relative to the terms it is the sum of.
    """

    efforts: Judged
    a: Array
    independent: float
    unbalanced: float


def judged_hybrid(kinematics: Kinematics, count: int, q: Array, v: Array, a: Array, *w_ext: Array) -> JudgedHybrid:
    """Efforts for the accelerations a with `count` undriven freedoms left free, by dense algebra on all equations."""
    nv, units = kinematics.setup.tree.nv, kinematics.scales.speeds
    J = kinematics.compute_at(closure_functions.closure_jacobian, q) / kinematics.scales.rows[:, None]
    B = kinematics.compute_at(closure_functions.effort_matrix, q)
    rows = np.concatenate([J, B.T / np.abs(B * units[:, None]).max(axis=0)[:, None]]) * units
    found, rank = decompose_scaled(rows, complete=True), nv - count
    independent = float(found.distance(rank))
    N = units[:, None] * found.null_space(rank)
    force = kinematics.compute_at(tree_functions.generalized_forces, q, v, a, *w_ext)
    M = kinematics.compute_at(tree_functions.mass_matrix, q)
    inertias, E = np.linalg.eigh(N.T @ M @ N)
    heavy = inertias > MASSLESS * np.max(np.abs(np.diag(M)) * units**2, initial=0.0)
    N_h, N_l = N @ E[:, heavy], N @ E[:, ~heavy]
    a = a - N_h @ ((N_h.T @ force) / inertias[heavy])
    force = kinematics.compute_at(tree_functions.generalized_forces, q, v, a, *w_ext)
    terms = np.abs(N_l).T @ (np.abs(force) + np.abs(M) @ np.abs(a))
    unbalanced = float(np.max(np.abs(N_l.T @ force) / np.maximum(terms, TINY), initial=0.0))
    return JudgedHybrid(_judged_efforts(kinematics, kinematics.all_rows, rank, q, a, force), a, independent, unbalanced)


def _judged_efforts(kinematics: Kinematics, kernels: Kernels, rank: int, q: Array, a: Array, force: Array) -> Judged:
    scale = kinematics.scales
    X, na = kernels.function(closure_functions.effort_system)(q), len(kinematics.setup.drives)
    M = kinematics.compute_at(tree_functions.mass_matrix, q)
    typical = (kernels.setup.closure.select(scale.rows)[:, None] / scale.speeds).T
    sizes = np.abs(X) + np.hstack([np.zeros((len(X), na)), typical]) * kernels.pattern(closure_functions.effort_system)
    terms = np.abs(M) @ np.abs(a) + np.abs(force - M @ a)
    floor = SMALL_RESULT * max(
        (terms[drive.speed] for drive in kinematics.setup.drives if drive.speed is not None), default=0.0
    )
    return _solve_with_error(X, force, rank, sizes, terms, np.ones(na), float(floor))


def trusted_rows(kinematics: Kinematics, planned: Kernels, q: Array) -> Kernels:
    """The planned kernels, or those with all rows where the kept ones are much nearer to losing rank than all are."""
    if not kinematics.rank.redundant:
        return planned
    every, kept = (_least_independent(kinematics, kernels, q) for kernels in (kinematics.all_rows, planned))
    return planned if kept > WORSE_ROWS * every else kinematics.all_rows


def _least_independent(kinematics: Kinematics, kernels: Kernels, q: Array) -> float:
    """The smallest singular value that counts, of the scaled Jacobian of the rows some kernels keep."""
    rows = kernels.setup.closure.select(kinematics.scales.rows)
    J = kernels.function(closure_functions.closure_jacobian)(q)
    return float(singular_values(J, rows, kinematics.scales.speeds)[: kinematics.rank.rank].min(initial=np.inf))


def _solve_with_error(
    A: Array, b: Array, rank: int, sizes: Array, terms: Array, weights: Array, floor: float
) -> Judged:
    """The solution of A x = b, its first numbers, and what independent roundings of all terms do to them on average."""
    n = len(weights)
    try:
        inverse, x = _inverse_at_rank(A, rank), _solve_at_rank(A, b, rank)
    except np.linalg.LinAlgError:
        return Judged(np.full(n, np.nan), np.inf)
    if not np.isfinite(x).all():
        return Judged(np.full(n, np.nan), np.inf)
    moved = np.sqrt((inverse[:n] ** 2) @ ((sizes @ np.abs(x) + terms) ** 2))
    size = max(float(np.max(np.abs(x[:n]) * weights, initial=0.0)), floor)
    return Judged(x[:n], float(_EPS * np.max(moved * weights, initial=0.0) / max(size, TINY)))


def _solve_at_rank(A: Array, b: Array, rank: int) -> Array:
    """The solution of a regular system, or the least-norm one of a system of known rank."""
    return np.linalg.solve(A, b) if A.shape == (rank, rank) else _inverse_at_rank(A, rank) @ b


def _inverse_at_rank(A: Array, rank: int) -> Array:
    """The inverse of a regular matrix, or the pseudo-inverse of one of known rank."""
    if A.shape == (rank, rank):
        return np.linalg.inv(A)
    found = decompose_scaled(A)
    if not found.distance(rank) > 0.0:  # NaN too
        raise np.linalg.LinAlgError(f"a matrix of rank {rank} is singular or not finite")
    return found.inverse(rank)


# --- compiled functions of closed loops, each with what to do where its elimination is ill-conditioned ----------------


@memo(valid_at="all")
def forward_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Accelerations from q, v, tau and, with `wrench`, w_ext."""
    first = forward_solver(dynamics)
    return _acceleration_chain(dynamics).code(first.kernels, first.definition, wrench)


@memo(valid_at="all")
def effort_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Efforts of as many actuators as freedoms from q, v, a and, with `wrench`, w_ext."""
    first, second = effort_solver(dynamics), (dynamics.actuated, multiplier_functions.second_efforts)
    return FallbackChain(dynamics, repaired_efforts, second).code(first.kernels, first.definition, wrench)


@memo(valid_at="all")
def hybrid_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Efforts of actuators that leave some freedoms free, then all accelerations, (na + nv,), from q, v, a, w_ext."""
    return FallbackChain(dynamics, _fallback_hybrid_dynamics).code(
        dynamics.hybrid, multiplier_functions.checked_hybrid, wrench
    )


@memo(valid_at="all")
def stabilized_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Accelerations with Baumgarte's terms from q, v, tau, pull and, with `wrench`, w_ext."""
    definition = multiplier_functions.checked_stabilized_dynamics
    return FallbackChain(dynamics, _fallback_stabilized_accelerations).code(dynamics.kernels, definition, wrench)


@memo(valid_at="all")
def minimal_kernel(dynamics: Dynamics, speeds: tuple[int, ...] | None, wrench: bool) -> Code:
    """Accelerations by some independent velocities (None: its own); where those do not serve, as by multipliers."""
    kernels = dynamics.minimal if speeds is None else dynamics.minimal_on(speeds)
    return _acceleration_chain(dynamics).code(kernels, minimal_functions.checked_minimal_dynamics, wrench)


def _acceleration_chain(dynamics: Dynamics) -> FallbackChain:
    """Accelerations by the second compiled order, then by the dense solve."""
    return FallbackChain(
        dynamics, _fallback_accelerations, (dynamics.kernels, multiplier_functions.second_forward_dynamics)
    )


def _fallback_accelerations(dynamics: Dynamics, q: Array, v: Array, tau: Array, *w_ext: Array, alone: bool) -> Array:
    if _has_lost_rank(dynamics, q, alone):
        return np.array(np.nan)
    return _result_with_warning(dynamics, judged_accelerations(dynamics, q, v, tau, *w_ext), q, alone)


def _fallback_stabilized_accelerations(
    dynamics: Dynamics, q: Array, v: Array, tau: Array, pull: Array, *w_ext: Array, alone: bool
) -> Array:
    if _has_lost_rank(dynamics, q, alone):
        return np.array(np.nan)
    found = judged_accelerations(dynamics, q, v, tau, *w_ext, pull_rate=float(pull[0]))
    return _result_with_warning(dynamics, found, q, alone)


def _has_lost_rank(dynamics: Dynamics, q: Array, alone: bool) -> bool:
    """True if the closure has lost rank; for a single state that is an error."""
    share = _closure_independence(dynamics, q, list(range(dynamics.setup.tree.nv)))
    if share >= SINGULAR:
        return False
    if alone:
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a constraint singularity (smallest singular value "
            f"{share:.1e} of the largest): its accelerations are not determined; move it off this position",
            q=q,
            kind="constraint",
        )
    return True


def repaired_efforts(dynamics: Dynamics, q: Array, v: Array, a: Array, *w_ext: Array, alone: bool) -> Array:
    """Efforts by dense algebra; of a singular state NaN, and an error when it is alone."""
    driven = [drive.speed for drive in dynamics.setup.drives]
    if _closure_independence(dynamics, q, [i for i in range(dynamics.setup.tree.nv) if i not in driven]) >= SINGULAR:
        force = dynamics.kinematics.compute_at(tree_functions.generalized_forces, q, v, a, *w_ext)
        return _result_with_warning(dynamics, judged_efforts(dynamics, q, a, force), q, alone, "efforts")
    if alone:
        kind = dense_singularity(dynamics.kinematics, q).kind or "type2"
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a singularity ({kind}): its actuators cannot hold "
            "it there, so this motion has no efforts; move it off this position, or actuate others",
            q=q,
            kind=kind,
        )
    return np.array(np.nan)


def _fallback_hybrid_dynamics(dynamics: Dynamics, q: Array, v: Array, a: Array, *w_ext: Array, alone: bool) -> Array:
    free = find_undriven_freedoms(dynamics.kinematics)
    found = judged_hybrid(dynamics.kinematics, free.count, q, v, a, *w_ext)
    if found.independent >= SINGULAR and found.unbalanced <= UNBALANCED:
        tau = _result_with_warning(dynamics, found.efforts, q, alone, "efforts")
        return np.concatenate([tau, found.a]) if tau.ndim else tau
    if alone:
        stands = "has a motion without mass that a force acts on" if found.independent >= SINGULAR else "is singular"
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' {stands}: joints {free.description} are not driven and their "
            "accelerations are not determined there, so this motion has no efforts; give the bodies they carry a mass "
            "or an inertia, or move it off this position",
            q=q,
            kind="type2" if found.independent < SINGULAR else "",
        )
    return np.array(np.nan)


def _closure_independence(dynamics: Dynamics, q: Array, speeds: list[int]) -> float:
    """Smallest over largest singular value of the closure Jacobian's columns for some speeds, redundant rows apart."""
    kinematics = dynamics.kinematics
    J, scales = kinematics.compute_at(closure_functions.closure_jacobian, q), kinematics.scales
    values = singular_values(J[:, speeds], scales.rows, scales.speeds[speeds])[: kinematics.rank.rank]
    return float(distance_to_singularity(values)) if np.any(values > 0.0) else 1.0


def _result_with_warning(
    dynamics: Dynamics, found: Judged, q: Array, alone: bool, what: str = "accelerations"
) -> Array:
    """The result; with a warning where rounding leaves too few of them."""
    if not np.all(np.isfinite(found.x)):
        return _nan_or_error(dynamics, q, alone, what)
    name = dynamics.setup.mech.name
    doubt = f"{what} of mechanism '{name}' are requested so near a singularity that"
    found.warn_of_lost_digits(name, doubt, "model.singularity(q) gives the distance")
    return found.x


def _nan_or_error(dynamics: Dynamics, q: Array, alone: bool, what: str) -> Array:
    """NaN, or for a single state the error that gives the reason."""
    if alone:
        near = dense_singularity(dynamics.kinematics, q)
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a singularity (closure {near.constraint:.0e}, type 2 "
            f"{near.type2:.0e}), or one of its motions moves no mass there, so its {what} are not determined; "
            "move it off this position",
            q=q,
            kind=near.kind,
        )
    return np.array(np.nan)
