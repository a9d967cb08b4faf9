"""Choice of elimination orders from samples of a matrix, symmetric or square: cheap, and stable in the worst sample."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import Pivot, Plan, SquarePlan, plan_of_order, touched_rows
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import STABLE_PIVOT, TINY


@dataclass(frozen=True)
class SymmetricOrderChoice:
    """A plan with what it costs (multiplications in the elimination) and its worst pivot growth over the samples."""

    plan: Plan
    cost: int
    growth: float


def scale_symmetrically(K: np.ndarray) -> np.ndarray:
    """Samples (s, n, n) with rows and columns scaled alike so that entries of different units compare."""
    size = np.median(np.abs(K), axis=0)
    d = np.ones(len(size))
    for _ in range(5):
        biggest = np.max(size * np.outer(d, d), axis=1)
        d = d / np.sqrt(np.where(biggest > 0, biggest, 1.0))
    return K * np.outer(d, d)


def choose_pivot_order(K: np.ndarray, pattern: np.ndarray, threshold: float, pairs: bool) -> SymmetricOrderChoice:
    """Greedy order: each step takes the cheapest pivot that is at least `threshold` of its column in every sample."""
    work = _Elimination(np.array(K), np.array(pattern, dtype=bool), pairs)
    pivots: list[Pivot] = []
    growth = 1.0
    while work.near:
        pivot, quality = work.best(threshold)
        growth = min(growth, quality)
        pivots.append(pivot)
        work.eliminate(pivot)
    plan = touched_rows(work.pattern, tuple(pivots))
    return SymmetricOrderChoice(plan, _elimination_cost(plan), growth)


class _Elimination:
    """Samples (s, n, n) in the course of an elimination; what a pivot does not touch is not looked at again.

    `near` are the rows that are left, each with the others it is coupled to; `candidates` are pivots with their cost
    and quality.
    """

    def __init__(self, K: np.ndarray, pattern: np.ndarray, pairs: bool) -> None:
        self.K, self.pattern, self.pairs = K, pattern, pairs
        self.near = {i: set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(pattern)}
        self.candidates: dict[Pivot, tuple[int, float]] = {}
        self._look(list(self.near))

    def best(self, threshold: float) -> tuple[Pivot, float]:
        """The cheapest stable pivot, else the most stable one; the first of equals, single rows first."""
        order = sorted(self.candidates.items(), key=lambda item: (len(item[0]), item[0]))
        stable = [item for item in order if item[1][1] >= threshold]
        if stable:
            pivot, (_, quality) = min(stable, key=lambda item: (item[1][0], -item[1][1]))
        else:
            pivot, (_, quality) = max(order, key=lambda item: item[1][1])
        return pivot, quality

    def eliminate(self, pivot: Pivot) -> None:
        """Take a pivot out of the matrix and look again at what it touched."""
        rows = sorted(set().union(*(self.near.pop(k) for k in pivot)) - set(pivot))
        for i in rows:
            self.near[i] = (self.near[i] | set(rows)) - {i, *pivot}
        gone = {*rows, *pivot}
        self.candidates = {p: x for p, x in self.candidates.items() if gone.isdisjoint(p)}
        if rows:
            self._update(rows, pivot)
            self._look(rows)

    def _update(self, rows: list[int], pivot: Pivot) -> None:
        K, samples = self.K, range(len(self.K))
        below = K[np.ix_(samples, rows, pivot)]
        if len(pivot) == 1:
            inverse = 1.0 / np.where(K[:, pivot, pivot] == 0, TINY, K[:, pivot, pivot])[:, :, None]
        else:
            inverse = decompose_scaled(K[np.ix_(samples, pivot, pivot)]).inverse()
        K[np.ix_(samples, rows, rows)] -= below @ inverse @ below.transpose(0, 2, 1)
        self.pattern[np.ix_(rows, rows)] = True

    def _look(self, rows: list[int]) -> None:
        """Cost and quality of the pivots among some rows, and of pairs with one of them."""
        for k in rows:
            touched = len(self.near[k])
            self.candidates[k,] = touched * (touched + 3), self._single(k)
        if self.pairs:
            for i, j in {(min(k, m), max(k, m)) for k in rows for m in self.near[k]}:
                touched = len((self.near[i] | self.near[j]) - {i, j})
                self.candidates[i, j] = touched * (touched + 3), self._double(i, j)

    def _single(self, k: int) -> float:
        """The smallest ratio, over the samples, of a pivot to the largest entry of its column."""
        column = np.abs(self.K[:, [k, *sorted(self.near[k])], k])
        return float(np.min(column[:, 0] / np.maximum(column.max(axis=1), TINY)))

    def _double(self, i: int, j: int) -> float:
        """The same for a pair: the inverse block times the columns must stay below 1 / threshold."""
        K = self.K
        a, b, c = K[:, i, i], K[:, i, j], K[:, j, j]
        det = a * c - b * b
        x, y = (np.abs(K[:, sorted(self.near[k] - {i, j}), k]).max(axis=1, initial=0.0) for k in (i, j))
        grown = np.maximum(np.abs(c) * x + np.abs(b) * y, np.abs(b) * x + np.abs(a) * y)
        return float(np.min(np.abs(det) / np.maximum(np.maximum(grown, np.abs(det)), TINY)))


def _elimination_cost(plan: Plan) -> int:
    return sum(
        len(p) * len(t) * (len(t) + 3) // 2 + 2 * len(p) * len(t)
        for p, t in zip(plan.pivots, plan.touched, strict=True)
    )


@dataclass(frozen=True)
class SquareChoice:
    """A plan, what it costs, and its worst pivot quality over the samples."""

    plan: SquarePlan
    cost: int
    growth: float


def choose_square(X: np.ndarray, pattern: np.ndarray) -> SquareChoice:
    """Greedy order: the cheapest entry that is at least STABLE_PIVOT of its column in every sample.

    Where no entry is, that which is so in most samples: one that vanishes on a whole branch would be rounding there.
    """
    work = _SquareElimination(np.array(X), np.array(pattern, dtype=bool))
    pivots: list[tuple[int, int]] = []
    growth = 1.0
    for _ in range(len(pattern)):
        (r, c), quality = work.best()
        growth = min(growth, quality)
        pivots.append((r, c))
        work.eliminate(r, c)
    plan = plan_of_order(work.pattern, tuple(pivots))
    cost = sum(len(a) * (1 + len(b)) for a, b in zip(plan.rows, plan.columns, strict=True))
    return SquareChoice(plan, cost, growth)


class _SquareElimination:
    """Samples (s, n, n) in the course of an elimination; columns that a pivot does not touch are not looked at again.

    `left` masks rows and columns that are left; `quality` and `often` of each entry are its smallest share of its
    column and the part of the samples in which it is not small.
    """

    def __init__(self, X: np.ndarray, pattern: np.ndarray) -> None:
        self.X, self.pattern = X, pattern
        self.rows, self.columns = np.ones(len(pattern), dtype=bool), np.ones(len(pattern), dtype=bool)
        self.quality, self.often = np.zeros(pattern.shape), np.zeros(pattern.shape)
        self._look(list(range(len(pattern))))

    def best(self) -> tuple[tuple[int, int], float]:
        """The cheapest entry that is never small, else the one that is not small most often; the first of equals."""
        part = self.pattern & self.rows[:, None] & self.columns
        count = np.maximum(part.sum(axis=1) - 1, 0)[:, None] * np.maximum(part.sum(axis=0) - 1, 0)
        allowed = part & (self.quality >= STABLE_PIVOT)
        if allowed.any():
            best = int(np.argmin(np.where(allowed, count - 0.5 * self.quality, np.inf)))
        elif part.any():
            best = int(np.argmax(np.where(part, self.often + 1e-3 * self.quality, -1.0)))
        else:
            best = int(np.argmax(self.rows[:, None] & self.columns))
        r, c = divmod(best, len(part))
        return (r, c), float(self.quality[r, c])

    def eliminate(self, r: int, c: int) -> None:
        """Take an entry's row and column out of the matrix and look again at the columns that it touched."""
        self.rows[r] = self.columns[c] = False
        down = np.flatnonzero(self.pattern[:, c] & self.rows)
        right = np.flatnonzero(self.pattern[r] & self.columns)
        if len(down) and len(right):
            pivot = self.X[:, r, c]
            L = self.X[:, down, c] / np.where(pivot == 0, TINY, pivot)[:, None]
            self.X[:, down[:, None], right] -= L[:, :, None] * self.X[:, r, right][:, None, :]
            self.pattern[down[:, None], right] = True
        self._look(right.tolist())

    def _look(self, columns: list[int]) -> None:
        """Measures of the entries of some columns."""
        for j in columns:
            rows = np.flatnonzero(self.pattern[:, j] & self.rows)
            size = np.abs(self.X[:, rows, j])
            ratio = size / np.maximum(size.max(axis=1, initial=0.0, keepdims=True), TINY)
            self.quality[rows, j] = np.min(ratio, axis=0, initial=np.inf)
            self.often[rows, j] = np.mean(ratio >= STABLE_PIVOT, axis=0)
