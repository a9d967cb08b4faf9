"""Answers with full pivoting, for states in which the planned order is not to be trusted.

A fixed independent set of closure equations can degenerate where the machine is regular (that of Bricard's mechanism
does). There all equations take part and the solution of least norm is taken; elsewhere the kept ones serve.
"""

from __future__ import annotations

import numpy as np

from linkwright.assembly.machine import Machine
from linkwright.kernels.kernels import Kernels

Array = np.ndarray
_WORSE = 1e-2


def dense_accelerations(machine: Machine, q: Array, v: Array, tau: Array, *w_ext: Array) -> Array:
    """Accelerations (nv,) by the bordered equations."""
    nv, kernels = machine.setup.tree.nv, trusted_rows(machine, machine.kernels, q)
    K = kernels.function("kkt_matrix")(q)
    b = kernels.function("kkt_right_side", wrench=bool(w_ext))(q, v, tau, *w_ext)
    return _solution(K, b, nv + machine.rank.rank)[:nv]


def dense_efforts(machine: Machine, q: Array, force: Array) -> Array:
    """Efforts (na,) of as many actuators as freedoms that give the tree forces, together with the loops."""
    X = trusted_rows(machine, machine.actuated, q).function("effort_system")(q)
    return _solution(X, force, machine.setup.tree.nv)[: len(machine.setup.drives)]


def trusted_rows(machine: Machine, planned: Kernels, q: Array) -> Kernels:
    """The planned kernels, or those with all rows where the kept ones are much nearer to losing rank than all are."""
    if not machine.rank.redundant:
        return planned
    every, kept = (_least_independent(machine, kernels, q) for kernels in (machine.open, planned))
    return planned if kept > _WORSE * every else machine.open


def _least_independent(machine: Machine, kernels: Kernels, q: Array) -> float:
    """The smallest singular value that counts, of the scaled Jacobian of the rows some kernels keep."""
    rows = kernels.setup.closure.select(machine.scales.rows)
    J = kernels.function("closure_jacobian")(q) / rows[:, None] * machine.scales.speeds
    return float(np.linalg.svd(J, compute_uv=False)[: machine.rank.rank].min(initial=np.inf))


def _solution(A: Array, b: Array, rank: int) -> Array:
    """The solution of a regular system, or the least-norm one of a system of known rank."""
    if A.shape == (rank, rank):
        return np.linalg.solve(A, b)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return Vt[:rank].T @ ((U.T[:rank] @ b) / s[:rank])
