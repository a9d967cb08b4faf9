"""Chooses an elimination order for a square matrix from samples of it."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.formulations.lu import SquarePlan, touched
from linkwright.numerics.tolerances import STABLE_PIVOT, TINY


@dataclass(frozen=True)
class SquareChoice:
    """A plan, what it costs, and its worst pivot quality over the samples."""

    plan: SquarePlan
    cost: int
    growth: float


def choose_square(X: np.ndarray, pattern: np.ndarray, threshold: float = STABLE_PIVOT) -> SquareChoice:
    """Greedy order: the cheapest entry that is at least `threshold` of its column in every sample.

    Where no entry is, that which is so in most samples: one that vanishes on a whole branch would be rounding there.
    """
    work = _Elimination(np.array(X), np.array(pattern, dtype=bool), threshold)
    pivots: list[tuple[int, int]] = []
    growth = 1.0
    for _ in range(len(pattern)):
        (r, c), quality = work.best()
        growth = min(growth, quality)
        pivots.append((r, c))
        work.eliminate(r, c)
    plan = touched(work.pattern, tuple(pivots))
    cost = sum(len(a) * (1 + len(b)) for a, b in zip(plan.rows, plan.columns, strict=True))
    return SquareChoice(plan, cost, growth)


class _Elimination:
    """Samples (s, n, n) in the course of an elimination; columns that a pivot does not touch are not looked at again.

    `left` masks rows and columns that are left; `quality` and `often` of each entry are its smallest share of its
    column and the part of the samples in which it is not small.
    """

    def __init__(self, X: np.ndarray, pattern: np.ndarray, threshold: float) -> None:
        self.X, self.pattern, self.threshold = X, pattern, threshold
        self.rows, self.columns = np.ones(len(pattern), dtype=bool), np.ones(len(pattern), dtype=bool)
        self.quality, self.often = np.zeros(pattern.shape), np.zeros(pattern.shape)
        self._look(list(range(len(pattern))))

    def best(self) -> tuple[tuple[int, int], float]:
        """The cheapest entry that is never small, else the one that is not small most often; the first of equals."""
        part = self.pattern & self.rows[:, None] & self.columns
        count = np.maximum(part.sum(axis=1) - 1, 0)[:, None] * np.maximum(part.sum(axis=0) - 1, 0)
        allowed = part & (self.quality >= self.threshold)
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
            self.often[rows, j] = np.mean(ratio >= self.threshold, axis=0)
