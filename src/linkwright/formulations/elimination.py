"""Elimination with an order fixed beforehand, symmetric or not, and one refinement of its solution; any scalar.

The order, a list of pivots of one or two rows each, and the pattern of entries that can be non-zero are decided
elsewhere by looking at values; here they are only followed, so the same lines run on floats, on recording scalars, and,
with samples along a last axis, on many matrices at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass

# --- symmetric elimination K = L D L^T with an order fixed beforehand; any scalar -------------------------------------

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


# --- elimination of a square, unsymmetric matrix with an order fixed beforehand; any scalar ---------------------------


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


# --- A solution improved once by its own residual, and how far rounding alone could move it; any scalar ---------------


@dataclass(frozen=True, eq=False)
class Refined:
    """A solution x (n,) of A x = b.

    Attributes:
        x: the solution after one correction.
        correction: what was added to it; its square, relative to x, is about what is still wrong.
        shaken: solutions for right-hand sides as large as the terms that rounding touches; times 2^-52 they bound how
            far x moves when every number is off in its last digit.
    """

    x: Vec
    correction: Vec
    shaken: list[Vec]


def refine_solution(solve: Callable[[Vec], Vec], A: Mat, b: Vec, known: Mat, terms: Vec) -> Refined:
    """The solution by an approximate `solve`, corrected once (theory 6.19-6.20).

    Args:
        solve: b to x, by factors that small pivots may have spoilt.
        A: the matrix, (n, n).
        b: the right-hand side, (n,).
        known: sizes of A's entries to which rounding is relative, (n, n).
        terms: the same for b, (n,).

    >>> A, b = np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 4.0])
    >>> refine_solution(lambda y: 0.9 * np.linalg.solve(A, y), A, b, abs(A), abs(b)).x.round(6).tolist()
    [0.99, 0.99]
    """
    first = solve(b)
    correction = solve(b - A @ first)
    x = first + correction
    size = known @ np.abs(x) + terms
    return Refined(x, correction, [solve(size * s) for s in sign_patterns(len(b))])


def sign_patterns(n: int) -> list[Vec]:
    """Patterns of n signs, so that any two entries have equal signs in one pattern and opposite ones in another.

    >>> [s.tolist() for s in sign_patterns(3)]
    [[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]
    """
    index = np.arange(n)
    return [np.ones(n), *(1.0 - 2.0 * (index >> bit & 1) for bit in range(max(1, n - 1).bit_length()))]
