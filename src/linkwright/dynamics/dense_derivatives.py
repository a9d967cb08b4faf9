"""Derivatives of closed-loop dynamics by dense algebra on all closure equations, one state at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dynamics.complement import dense_complement
from linkwright.dynamics.dense_solutions import dense_accelerations
from linkwright.dynamics.dynamics import Dynamics
from linkwright.errors import SingularityError
from linkwright.functions.loop import closure_functions, loop_derivative_functions
from linkwright.functions.loop.loop_derivative_functions import (
    Partials,
    carried_along,
    projected_forces,
    responses,
    state_matrix,
)
from linkwright.functions.tree import tree_functions
from linkwright.numerics.dense import distance_to_singularity, singular_values
from linkwright.numerics.tolerances import NO_EFFORT

Array = np.ndarray


def dense_forward_derivatives(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> Array:
    """Derivatives of all accelerations by independent displacements, speeds and efforts, (nv, 2 n_ind + na)."""
    found = dense_complement(dynamics.kinematics, q)
    M, B = (
        dynamics.kinematics.all_rows.function(x)(q)
        for x in (tree_functions.mass_matrix, closure_functions.effort_matrix)
    )
    a = dense_accelerations(dynamics, q, v, tau)
    lam = found.multipliers(dynamics.kinematics.all_rows.function(tree_functions.generalized_forces)(q, v, a) - B @ tau)
    response = found.R @ np.linalg.inv(found.R.T @ M @ found.R)
    return responses(found, response, M, B, _partials(dynamics, q, v, a, lam, tau))


def dense_inverse_derivatives(dynamics: Dynamics, q: Array, v: Array, a: Array) -> Array:
    """Derivatives of exact efforts by independent displacements, speeds and accelerations, (na, 3 n_ind)."""
    found = dense_complement(dynamics.kinematics, q)
    M, B = (
        dynamics.kinematics.all_rows.function(x)(q)
        for x in (tree_functions.mass_matrix, closure_functions.effort_matrix)
    )
    force = dynamics.kinematics.all_rows.function(tree_functions.generalized_forces)(q, v, a)
    G = found.R.T @ B
    _require_driven(dynamics, q, G)
    tau = np.linalg.solve(G, found.R.T @ force)
    lam = found.multipliers(force - B @ tau)
    return np.linalg.solve(G, projected_forces(found, M, _partials(dynamics, q, v, a, lam, tau)))


def dense_linear_model(dynamics: Dynamics, q: Array, v: Array, tau: Array) -> Array:
    """[A B] of the linear model about a state, (2 n_ind, 2 n_ind + na)."""
    chosen = list(dynamics.kinematics.partition.independent)
    turning = carried_along(dynamics.setup.simplified, v) @ dense_complement(dynamics.kinematics, q).R
    return state_matrix(turning[chosen], dense_forward_derivatives(dynamics, q, v, tau)[chosen])


def _partials(dynamics: Dynamics, *state: Any) -> Partials:
    return Partials(**dynamics.kinematics.all_rows.function(loop_derivative_functions.tree_partials)(*state))


def _require_driven(dynamics: Dynamics, q: Array, G: Array) -> None:
    if distance_to_singularity(singular_values(G)) < NO_EFFORT:
        raise SingularityError(
            f"mechanism '{dynamics.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so their efforts have no derivatives; move it off this position, or actuate others",
            q=q,
            kind="type2",
        )
