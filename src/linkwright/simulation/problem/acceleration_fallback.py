"""Accelerations and projections where the compiled elimination is ill-conditioned.

First a second compiled order. Where that gives up too, a dense solve; where the loops' equations are about to lose
rank there is none, and steps are taken in tangent coordinates (theory 8.9).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.dynamics.fallback import stabilized_kernel
from linkwright.dynamics.tree_dynamics import tree_kernel
from linkwright.functions.loop import closure_functions, multiplier_functions
from linkwright.functions.memo import memo
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled, distance_to_singularity, median_of_numbers, singular_values
from linkwright.numerics.tolerances import NO_EFFECT
from linkwright.recursion.twist_recursion import normalize_quaternions
from linkwright.simulation.problem.applied_loads import NOTHING, AppliedLoads, function_of_loads
from linkwright.simulation.problem.callbacks import Callback, LazyKernel

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ScaledClosure:
    """Gaps and Jacobian of the loops, lengths in shares of the mechanism's own; displacements are in these units."""

    kinematics: Kinematics

    @property
    def rank(self) -> int:
        """Equations that are independent nearly everywhere."""
        return self.kinematics.rank.rank

    def jacobian(self, q: Array) -> Array:
        """J (..., n_rows, nv)."""
        scale = self.kinematics.scales
        J: Array = self.kinematics.all_rows.function(closure_functions.closure_jacobian)(q)
        return J / scale.rows[:, None] * scale.speeds

    def gap(self, q: Array) -> Array:
        """Gaps (n_rows,)."""
        found: Array = (
            self.kinematics.all_rows.function(closure_functions.closure_residual)(q) / self.kinematics.scales.rows
        )
        return found

    def displace(self, q: Array, d: Array) -> Array:
        """Coordinates moved by a displacement (nv,)."""
        found: Array = self.kinematics.all_rows.function(closure_functions.advanced)(
            q, d * self.kinematics.scales.speeds
        )
        return found

    def loosest(self, J: Array) -> float:
        """Smallest singular value of J, of those that count, relative to the largest."""
        return float(distance_to_singularity(singular_values(J), self.rank))

    @property
    def usual_loosest(self) -> float:
        """The median of that over the mechanism's own samples."""
        return _usual_loosest(self.kinematics)


@memo(valid_at="all")
def _usual_loosest(kinematics: Kinematics) -> float:
    s = singular_values(ScaledClosure(kinematics).jacobian(kinematics.branch_samples))
    return median_of_numbers(distance_to_singularity(s, kinematics.rank.rank))


# Singular values of the loops' equations below this share of the usual smallest: steps are in tangent coordinates.
NEIGHBORHOOD = 0.05


def fallback_accelerations(model: Model, acting: AppliedLoads = NOTHING) -> Callback:
    """Accelerations where both compiled orders give up, unless the equations are about to lose rank."""

    def accelerations(here: Model, *state: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):
            return accelerations_by_svd(here, *state)

    return _acceleration_callback(model, acting, accelerations)


def tree_fallback(model: Model, acting: AppliedLoads = NOTHING) -> Callback:
    """Accelerations of a tree by least constraint, where its pivots are too small."""
    wrench = bool(acting.sites)
    return _acceleration_callback(
        model, acting, lambda here, *state: tree_kernel(here.kinematics, wrench=wrench)(*state)
    )


def stabilized_fallback(model: Model, rate: float, acting: AppliedLoads = NOTHING) -> Callback:
    """Accelerations with Baumgarte's terms, by the dense solve, where the compiled order is ill-conditioned."""

    def accelerations(here: Model, q: Array, v: Array, tau: Array, *outer: Array) -> Array:
        kernel = stabilized_kernel(here.dynamics, wrench=bool(acting.sites))
        found: Array = kernel(q, v, tau, np.array([rate]), *outer)
        return found

    return _acceleration_callback(model, acting, accelerations)


def _acceleration_callback(model: Model, acting: AppliedLoads, accelerations: Callable[..., Array]) -> Callback:
    """A function of a model, q, v, tau and wrenches on all bodies as drivers call it: wrenches are behind efforts."""
    tree = model.setup.simplified

    def called(q: Array, v: Array, given: Array) -> tuple[Array]:
        q = normalize_quaternions(tree, q)
        tau, w = np.split(given, [model.na])
        outer = acting.outer(model.setup_here, q, w) if acting.sites else ()
        return (accelerations(model, q, v, tau, *outer),)

    return Callback(called, [model.nq, model.nv, model.na + acting.n_wrenches], [model.nv])


def alternative_order_accelerations(kernels: Kernels, acting: AppliedLoads = NOTHING) -> LazyKernel:
    """Accelerations in a second compiled order."""
    return LazyKernel(lambda: function_of_loads(kernels, multiplier_functions.second_forward_dynamics, acting))


def accelerations_by_svd(model: Model, q: Array, v: Array, tau: Array, *outer: Array) -> Array:
    """Accelerations (nv,) by singular values; NaN where the loops' equations are about to lose rank (theory 8.9)."""
    kernels, closure = model.kernels, ScaledClosure(model.kinematics)
    if not closure.loosest(closure.jacobian(q)) > NEIGHBORHOOD * closure.usual_loosest:
        return np.full(model.nv, np.nan)
    right = kernels.function(closure_functions.kkt_right_side, wrench=bool(outer))(q, v, tau, *outer)
    L = np.linalg.cholesky(kernels.function(tree_functions.mass_matrix)(q))
    free = np.linalg.solve(L, right[: model.nv])
    G = np.linalg.solve(L, kernels.function(closure_functions.closure_jacobian)(q).T).T
    U, s, Vt = (x[..., : closure.rank] for x in _transposed_svd(G))
    return np.linalg.solve(L.T, free + Vt @ ((U.T @ (right[model.nv :] - G @ free)) / s))


def _transposed_svd(G: Array) -> tuple[Array, Array, Array]:
    x = decompose_scaled(G)
    return x.U, x.s, x.Vt.T


def dense_projection_callback(model: Model) -> Callback:
    """Projection where the compiled one is ill-conditioned."""
    sizes = [model.nq, model.nv]
    return Callback(lambda q, v: dense_projection(model, q, v), sizes, sizes[::-1])


def dense_projection(model: Model, q: Array, v: Array) -> tuple[Array, Array]:
    """Velocities and coordinates brought nearer to closed loops along the least change, with full pivoting."""
    kinematics = model.kinematics
    closure, speeds = ScaledClosure(kinematics), kinematics.scales.speeds
    q = normalize_quaternions(kinematics.setup.simplified, q)
    J = closure.jacobian(q)
    equations = decompose_scaled(J)
    dq = -equations.solution(closure.gap(q), share=NO_EFFECT)
    dv = -speeds * equations.solution(J @ (v / speeds), share=NO_EFFECT)
    return v + dv, closure.displace(q, dq)
