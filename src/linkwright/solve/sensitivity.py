"""Derivatives of closed-loop dynamics by dense algebra on all closure equations, one state at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import SingularityError
from linkwright.formulations.minimal import Partition
from linkwright.kernels.loop_derivatives import Partials, carried_along, projected_forces, responses, state_matrix
from linkwright.solve.complement import dense_complement
from linkwright.solve.dense import dense_accelerations
from linkwright.solve.machine import Machine

Array = np.ndarray


def dense_forward_derivatives(machine: Machine, part: Partition, q: Array, v: Array, tau: Array) -> Array:
    """Derivatives of all accelerations by independent displacements, speeds and efforts, (nv, 2 n_ind + na)."""
    found = dense_complement(machine, part, q)
    M, B = (machine.open.function(name)(q) for name in ("generalized_inertia", "effort_matrix"))
    a = dense_accelerations(machine, q, v, tau)
    lam = found.multipliers(machine.open.function("generalized_forces")(q, v, a) - B @ tau)
    response = found.R @ np.linalg.inv(found.R.T @ M @ found.R)
    return responses(found, response, M, B, _partials(machine, q, v, a, lam, tau))


def dense_inverse_derivatives(machine: Machine, part: Partition, q: Array, v: Array, a: Array) -> Array:
    """Derivatives of exact efforts by independent displacements, speeds and accelerations, (na, 3 n_ind)."""
    found = dense_complement(machine, part, q)
    M, B = (machine.open.function(name)(q) for name in ("generalized_inertia", "effort_matrix"))
    force = machine.open.function("generalized_forces")(q, v, a)
    G = found.R.T @ B
    _require_driven(machine, q, G)
    tau = np.linalg.solve(G, found.R.T @ force)
    lam = found.multipliers(force - B @ tau)
    return np.linalg.solve(G, projected_forces(found, M, _partials(machine, q, v, a, lam, tau)))


def dense_linear_model(machine: Machine, part: Partition, q: Array, v: Array, tau: Array) -> Array:
    """[A B] of the linear model about a state, (2 n_ind, 2 n_ind + na)."""
    chosen = list(part.independent)
    turning = carried_along(machine.setup.lean, v) @ dense_complement(machine, part, q).R
    return state_matrix(turning[chosen], dense_forward_derivatives(machine, part, q, v, tau)[chosen])


def _partials(machine: Machine, *state: Any) -> Partials:
    return Partials(**machine.open.function("tree_partials")(*state))


def _require_driven(machine: Machine, q: Array, G: Array) -> None:
    values = np.linalg.svd(G, compute_uv=False)
    if values[-1] < 1e-12 * values[0]:
        raise SingularityError(
            f"mechanism '{machine.setup.mech.name}' stands at a singularity (type2): its actuators cannot hold it "
            "there, so their efforts have no derivatives; move it off this position, or actuate others",
            q=q,
            kind="type2",
        )
