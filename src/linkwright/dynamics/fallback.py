"""Compiled functions of closed loops, each with what to do where its elimination is ill-conditioned.

First the planned order, with the cheaper cut; then, where that flags its result, the second compiled one; then a dense
solve, which refuses singular positions and says how many digits are left where rounding takes many.
"""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.alternative_trees import effort_solver, forward_solver
from linkwright.dynamics.dense_solutions import Judged, judged_accelerations, judged_efforts, judged_hybrid
from linkwright.dynamics.dynamics import Dynamics
from linkwright.errors import SingularityError
from linkwright.functions.fallback_chain import Code, FallbackChain
from linkwright.functions.loop import (
    closure_functions,
    hybrid_functions,
    minimal_functions,
    multiplier_functions,
    refined_functions,
)
from linkwright.functions.memo import memo
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.singularity import dense_singularity
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.numerics.dense import distance_to_singularity, singular_values
from linkwright.numerics.tolerances import SINGULAR, UNBALANCED

Array = np.ndarray


@memo(valid_at="all")
def forward_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Accelerations from q, v, tau and, with `wrench`, w_ext."""
    first = forward_solver(dynamics)
    return _acceleration_chain(dynamics).code(first.kernels, first.definition, wrench)


@memo(valid_at="all")
def effort_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Efforts of as many actuators as freedoms from q, v, a and, with `wrench`, w_ext."""
    first, second = effort_solver(dynamics), (dynamics.actuated, refined_functions.second_efforts)
    return FallbackChain(dynamics, repaired_efforts, second).code(first.kernels, first.definition, wrench)


@memo(valid_at="all")
def hybrid_kernel(dynamics: Dynamics, wrench: bool) -> Code:
    """Efforts of actuators that leave some freedoms free, then all accelerations, (na + nv,), from q, v, a, w_ext."""
    return FallbackChain(dynamics, _fallback_hybrid_dynamics).code(
        dynamics.hybrid, hybrid_functions.checked_hybrid, wrench
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
        dynamics, _fallback_accelerations, (dynamics.kernels, refined_functions.second_forward_dynamics)
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
        force = dynamics.kinematics.all_rows.function(tree_functions.generalized_forces, wrench=bool(w_ext))(
            q, v, a, *w_ext
        )
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
    J, scales = kinematics.all_rows.function(closure_functions.closure_jacobian)(q), kinematics.scales
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
