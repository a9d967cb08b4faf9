"""Answers with full pivoting, for states in which the planned orders are not to be trusted, and how far to trust them.

A fixed independent set of closure equations can degenerate where the machine is regular (that of Bricard's mechanism
does). There all equations take part and the solution of least norm is taken; elsewhere the kept ones serve.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linkwright.kernels.kernels import Kernels
from linkwright.kernels.second_recipes import STILL
from linkwright.kernels.setup import Units
from linkwright.solve.machine import Machine

Array = np.ndarray
_WORSE = 1e-2

# Inertias below this share of the largest are those of motions without mass.
_LIGHT = 1e-13
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
    kernels = trusted_rows(machine, machine.actuated, q)
    return _judged_efforts(machine, kernels, machine.setup.tree.nv, q, a, force)


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


def judged_hybrid(machine: Machine, count: int, q: Array, v: Array, a: Array, *w_ext: Array) -> JudgedHybrid:
    """Efforts for the accelerations a with `count` undriven freedoms left free, by dense algebra on all equations."""
    nv, units = machine.setup.tree.nv, machine.scales.speeds
    J = machine.open.function("closure_jacobian")(q) / machine.scales.rows[:, None]
    B = machine.open.function("effort_matrix")(q)
    rows = np.concatenate([J, B.T / np.abs(B * units[:, None]).max(axis=0)[:, None]]) * units
    _, s, Vt = np.linalg.svd(rows) if len(rows) else (None, np.zeros(0), np.eye(nv))
    rank = nv - count
    independent = float(s[rank - 1] / s[0]) if rank else 1.0
    N = units[:, None] * Vt[rank:].T
    force = machine.open.function("generalized_forces", wrench=bool(w_ext))(q, v, a, *w_ext)
    M = machine.open.function("generalized_inertia")(q)
    inertias, E = np.linalg.eigh(N.T @ M @ N)
    heavy = inertias > _LIGHT * np.max(np.abs(np.diag(M)) * units**2, initial=0.0)
    N_h, N_l = N @ E[:, heavy], N @ E[:, ~heavy]
    a = a - N_h @ ((N_h.T @ force) / inertias[heavy])
    force = machine.open.function("generalized_forces", wrench=bool(w_ext))(q, v, a, *w_ext)
    terms = np.abs(N_l).T @ (np.abs(force) + np.abs(M) @ np.abs(a))
    unbalanced = float(np.max(np.abs(N_l.T @ force) / np.maximum(terms, 1e-300), initial=0.0))
    return JudgedHybrid(_judged_efforts(machine, machine.open, rank, q, a, force), a, independent, unbalanced)


def _judged_efforts(machine: Machine, kernels: Kernels, rank: int, q: Array, a: Array, force: Array) -> Judged:
    scale = machine.scales
    X, na = kernels.function("effort_system")(q), len(machine.setup.drives)
    M = machine.open.function("generalized_inertia")(q)
    typical = (kernels.setup.closure.select(scale.rows)[:, None] / scale.speeds).T
    sizes = np.abs(X) + np.hstack([np.zeros((len(X), na)), typical]) * _pattern(kernels, "effort_system")
    terms = np.abs(M) @ np.abs(a) + np.abs(force - M @ a)
    floor = STILL * max((terms[drive.speed] for drive in machine.setup.drives if drive.speed is not None), default=0.0)
    return _judged(X, force, rank, sizes, terms, np.ones(na), float(floor))


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
