"""Answers with full pivoting, for states in which the planned order is not to be trusted.

All closure equations take part. A fixed independent set of them can degenerate in places where the machine is regular
(Bricard's mechanism at its right angles does), so with redundant ones the solution of least norm is taken.
"""

from __future__ import annotations

import numpy as np

from linkwright.assembly.machine import Machine

Array = np.ndarray


def dense_accelerations(machine: Machine, q: Array, b: Array) -> Array:
    """Accelerations (nv,) for the right-hand side b of the bordered equations with all closure rows."""
    nv = machine.setup.tree.nv
    K = machine.open.function("kkt_matrix")(q)
    mass = np.sqrt(np.maximum(np.diag(K)[:nv], 0.0))
    size = np.concatenate([np.where(mass > 0, mass, mass.max(initial=0.0) or 1.0), np.ones(len(K) - nv)])
    rows = np.abs(K[nv:, :nv] / size[:nv]).max(axis=1, initial=0.0)
    size[nv:] = np.where(rows > 1e-9 * rows.max(initial=0.0), rows, rows.max(initial=0.0) or 1.0)
    return (_solution(K / np.outer(size, size), b / size, nv + machine.rank.rank) / size)[:nv]


def dense_efforts(machine: Machine, q: Array, force: Array) -> Array:
    """Efforts (na,) of as many actuators as freedoms that give the tree forces, together with the loops."""
    X = machine.open.function("effort_system")(q)
    return _solution(X, force, machine.setup.tree.nv)[: len(machine.setup.drives)]


def _solution(A: Array, b: Array, rank: int) -> Array:
    """The solution of a regular system, or the least-norm one of a system of known rank."""
    if A.shape == (rank, rank):
        return np.linalg.solve(A, b)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return Vt[:rank].T @ ((U.T[:rank] @ b) / s[:rank])
