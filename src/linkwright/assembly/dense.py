"""Answers with full pivoting, for states in which the planned orders are not to be trusted, and how far to trust them.

A fixed independent set of closure equations can degenerate where the machine is regular (that of Bricard's mechanism
does). There all equations take part and the solution of least norm is taken; elsewhere the kept ones serve.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linkwright.assembly.machine import Machine
from linkwright.kernels.kernels import Kernels
from linkwright.kernels.second_recipes import STILL
from linkwright.kernels.setup import Units

Array = np.ndarray
_WORSE = 1e-2
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class Judged:
    """An answer (n,) and the relative error that rounding of its equations explains."""

    x: Array
    error: float


def dense_accelerations(machine: Machine, q: Array, v: Array, tau: Array, *w_ext: Array) -> Array:
    """Accelerations (nv,) by the bordered equations."""
    return judged_accelerations(machine, q, v, tau, *w_ext).x


def dense_efforts(machine: Machine, q: Array, force: Array) -> Array:
    """Efforts (na,) of as many actuators as freedoms that give the tree forces, together with the loops."""
    X = trusted_rows(machine, machine.actuated, q).function("effort_system")(q)
    return _solution(X, force, machine.setup.tree.nv)[: len(machine.setup.drives)]


def judged_accelerations(
    machine: Machine, q: Array, v: Array, tau: Array, *w_ext: Array, pull_rate: float = 0.0
) -> Judged:
    """Accelerations (nv,) by the bordered equations, with Baumgarte's terms at a rate [1/s] other than zero."""
    nv, kernels, scale = machine.setup.tree.nv, trusted_rows(machine, machine.kernels, q), machine.scales
    K = kernels.function("kkt_matrix")(q)
    b = kernels.function("kkt_right_side", wrench=bool(w_ext))(q, v, tau, *w_ext)
    if pull_rate:
        b[nv:] -= 2.0 * pull_rate * (K[nv:, :nv] @ v) + pull_rate**2 * kernels.function("closure_residual")(q)
    rows, masses = kernels.setup.closure.select(scale.rows), np.array(_units(machine).masses)
    pull = float(np.linalg.norm(machine.setup.mech.gravity)) / scale.length
    J_sizes = rows[:, None] / scale.speeds
    typical = np.block([[np.outer(masses, masses), J_sizes.T], [J_sizes, np.zeros((len(rows), len(rows)))]])
    rate = float(np.max(np.abs(v) / scale.speeds, initial=0.0))
    terms = np.abs(b) + np.concatenate([np.zeros(nv), (pull + rate * rate) * rows])
    sizes = np.abs(K) + typical * _pattern(kernels, "kkt_matrix")
    return _judged(K, b, nv + machine.rank.rank, sizes, terms, 1.0 / scale.speeds, STILL * pull)


def judged_efforts(machine: Machine, q: Array, a: Array, force: Array) -> Judged:
    """The same efforts for a motion with the accelerations a (nv,)."""
    kernels, scale = trusted_rows(machine, machine.actuated, q), machine.scales
    X, na = kernels.function("effort_system")(q), len(machine.setup.drives)
    M = machine.open.function("generalized_inertia")(q)
    typical = (kernels.setup.closure.select(scale.rows)[:, None] / scale.speeds).T
    sizes = np.abs(X) + np.hstack([np.zeros((len(X), na)), typical]) * _pattern(kernels, "effort_system")
    terms = np.abs(M) @ np.abs(a) + np.abs(force - M @ a)
    floor = STILL * max((terms[drive.speed] for drive in machine.setup.drives if drive.speed is not None), default=0.0)
    return _judged(X, force, machine.setup.tree.nv, sizes, terms, np.ones(na), float(floor))


def _units(machine: Machine) -> Units:
    return machine.dynamics.units


@lru_cache(maxsize=256)
def _pattern(kernels: Kernels, name: str) -> Array:
    """Which entries of a matrix are not zero by structure."""
    return kernels.pattern(name)


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


def _judged(A: Array, b: Array, rank: int, sizes: Array, terms: Array, weights: Array, floor: float) -> Judged:
    """The solution of A x = b, its first numbers, and what independent roundings of all terms do to them on average."""
    n = len(weights)
    try:
        inverse, x = _inverse(A, rank), _solution(A, b, rank)
    except np.linalg.LinAlgError:
        return Judged(np.full(n, np.nan), np.inf)
    moved = np.sqrt((inverse[:n] ** 2) @ ((sizes @ np.abs(x) + terms) ** 2))
    size = max(float(np.max(np.abs(x[:n]) * weights, initial=0.0)), floor)
    return Judged(x[:n], float(_EPS * np.max(moved * weights, initial=0.0) / max(size, 1e-300)))


def _solution(A: Array, b: Array, rank: int) -> Array:
    """The solution of a regular system, or the least-norm one of a system of known rank."""
    return np.linalg.solve(A, b) if A.shape == (rank, rank) else _inverse(A, rank) @ b


def _inverse(A: Array, rank: int) -> Array:
    """The inverse of a regular matrix, or the pseudo-inverse of one of known rank."""
    if A.shape == (rank, rank):
        return np.linalg.inv(A)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    return (Vt[:rank].T / s[:rank]) @ U.T[:rank]
