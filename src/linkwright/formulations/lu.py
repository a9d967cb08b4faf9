"""Elimination of a square, unsymmetric matrix with an order fixed beforehand; any scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat
from linkwright.dataclass import dataclass


@dataclass(frozen=True)
class SquarePlan:
    """Order of elimination: pivot (row, column) pairs, and for each the rows and columns it still touches."""

    pivots: tuple[tuple[int, int], ...]
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class SquareFactor:
    """Multipliers, upper rows and inverse pivots in the planned order."""

    plan: SquarePlan
    lower: list[list[Any]]
    upper: list[list[Any]]
    inverses: list[Any]
    sizes: list[Any]


def plan_of_order(pattern: Mat, pivots: tuple[tuple[int, int], ...]) -> SquarePlan:
    """The plan of an order, fill-in included."""
    pattern = np.array(pattern, dtype=bool)
    rows_left, columns_left = set(range(len(pattern))), set(range(len(pattern)))
    rows, columns = [], []
    for r, c in pivots:
        rows_left -= {r}
        columns_left -= {c}
        rows.append(tuple(i for i in sorted(rows_left) if pattern[i, c]))
        columns.append(tuple(j for j in sorted(columns_left) if pattern[r, j]))
        pattern[np.ix_(rows[-1], columns[-1])] = True
    return SquarePlan(pivots, tuple(rows), tuple(columns))


def irreducible_blocks(pattern: Mat, plan: SquarePlan) -> tuple[tuple[int, ...], ...]:
    """Pivots, numbered in the planned order, that belong together: the matrix is block triangular in these sets.

    The determinant is the product of the blocks' own, and the pivots of a block are those of the block alone, whatever
    the order in which blocks are met.
    """
    rows, columns = [r for r, _ in plan.pivots], [c for _, c in plan.pivots]
    reached = np.array(pattern, dtype=bool)[np.ix_(rows, columns)] | np.eye(len(rows), dtype=bool)
    for _ in range(len(rows).bit_length()):
        reached = reached @ reached
    together = reached & reached.T
    return tuple(dict.fromkeys(tuple(np.flatnonzero(row).tolist()) for row in together))


def factor_lu(X: Mat, plan: SquarePlan, bounded: Callable[[int, Any], Any] | None = None) -> SquareFactor:
    """Eliminate X in the planned order; `bounded` gives what is used as a pivot instead of its value."""
    X = np.array(X)
    lower, upper, inverses, sizes = [], [], [], []
    for k, ((r, c), rows, columns) in enumerate(zip(plan.pivots, plan.rows, plan.columns, strict=True)):
        X[r, c] = X[r, c] if bounded is None else bounded(k, X[r, c])
        inverse = 1.0 / X[r, c]
        L = [X[i, c] * inverse for i in rows]
        U = [X[r, j] for j in columns]
        for i, multiplier in zip(rows, L, strict=True):
            for j, above in zip(columns, U, strict=True):
                X[i, j] = X[i, j] - multiplier * above
        lower.append(L)
        upper.append(U)
        inverses.append(inverse)
        sizes.append(X[r, c])
    return SquareFactor(plan, lower, upper, inverses, sizes)


def lu_solve(f: SquareFactor, b: Mat) -> Mat:
    """Solve X y = b for one vector or for the columns of a matrix."""
    b = np.array(b)
    for (r, _), rows, L in zip(f.plan.pivots, f.plan.rows, f.lower, strict=True):
        for i, multiplier in zip(rows, L, strict=True):
            b[i] = b[i] - multiplier * b[r]
    y = np.array(b)
    steps = zip(f.plan.pivots, f.plan.columns, f.upper, f.inverses, strict=True)
    for (r, c), columns, U, inverse in reversed(list(steps)):
        total = b[r]
        for j, above in zip(columns, U, strict=True):
            total = total - above * y[j]
        y[c] = total * inverse
    return y
