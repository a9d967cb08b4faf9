"""Symmetric elimination K = L D L^T with an order fixed beforehand; any scalar.

The order, a list of pivots of one or two rows each, and the pattern of entries that can be non-zero are decided
elsewhere by looking at values; here they are only followed, so the same lines run on floats, on recording scalars, and,
with samples along a last axis, on many matrices at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass

Pivot = tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """Order of elimination: `pivots` of one or two rows, and for each the rows it still touches."""

    pivots: tuple[Pivot, ...]
    touched: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class Factor:
    """L D L^T: per pivot the multipliers of the touched rows and the inverse of the pivot block."""

    plan: Plan
    multipliers: list[list[list[Any]]]
    inverses: list[Mat]
    sizes: list[Any]


def touched_rows(pattern: Mat, pivots: tuple[Pivot, ...]) -> Plan:
    """The plan of an order: which rows each pivot touches, fill-in included."""
    pattern = np.array(pattern, dtype=bool)
    left = set(range(len(pattern)))
    touched = []
    for pivot in pivots:
        left -= set(pivot)
        rows = sorted(i for i in left if any(pattern[i, k] for k in pivot))
        pattern[np.ix_(rows, rows)] = True
        touched.append(tuple(rows))
    return Plan(pivots, tuple(touched))


def factor_in_order(K: Mat, plan: Plan) -> Factor:
    """Eliminate K in the planned order (theory 6.4-6.6)."""
    K = np.array(K)
    multipliers, inverses, sizes = [], [], []
    for pivot, rows in zip(plan.pivots, plan.touched, strict=True):
        inverse, size = _inverse_of_pivot(K, pivot)
        n = len(pivot)
        L = [[sum(K[i, pivot[a]] * inverse[a, b] for a in range(n)) for b in range(n)] for i in rows]
        for position, i in enumerate(rows):
            for j in rows[: position + 1]:
                K[i, j] = K[j, i] = K[i, j] - sum(L[position][b] * K[j, pivot[b]] for b in range(n))
        multipliers.append(L)
        inverses.append(inverse)
        sizes.append(size)
    return Factor(plan, multipliers, inverses, sizes)


def _inverse_of_pivot(K: Mat, pivot: Pivot) -> tuple[Mat, Any]:
    """Inverse of a pivot block and the number that measures it: the pivot, or the determinant of the pair."""
    if len(pivot) == 1:
        (k,) = pivot
        return np.array([[1.0 / K[k, k]]]), K[k, k]
    i, j = pivot
    det = K[i, i] * K[j, j] - K[i, j] * K[i, j]
    scale = 1.0 / det
    return np.array([[K[j, j] * scale, -K[i, j] * scale], [-K[i, j] * scale, K[i, i] * scale]]), det


def solve_factored(f: Factor, b: Vec) -> Vec:
    """Solve L D L^T x = b by three sweeps."""
    x = np.array(b)
    steps = list(zip(f.plan.pivots, f.plan.touched, f.multipliers, strict=True))
    for pivot, rows, L in steps:
        for i, multiplier in zip(rows, L, strict=True):
            x[i] = x[i] - sum(m * x[k] for m, k in zip(multiplier, pivot, strict=True))
    for pivot, inverse in zip(f.plan.pivots, f.inverses, strict=True):
        old = x[list(pivot)]  # a copy: with a sample axis, x[k] would be a view
        for a, k in enumerate(pivot):
            x[k] = sum(inverse[a, b] * old[b] for b in range(len(pivot)))
    for pivot, rows, L in reversed(steps):
        for a, k in enumerate(pivot):
            x[k] = x[k] - sum(multiplier[a] * x[i] for i, multiplier in zip(rows, L, strict=True))
    return x
