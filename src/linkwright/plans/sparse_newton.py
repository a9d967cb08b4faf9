"""Least-norm steps of sparse closure equations, in a fixed order of elimination, on many configurations at once.

J J^T of many loops is nearly all zeros. Its pattern is known before its numbers, so that the order of elimination
(smallest degree first) and every index are found once; then each step of the elimination is done for all
configurations together. With damping the matrix is positive definite, and any order is stable.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.numerics.tolerances import DAMPED_PROJECTION, TINY
from linkwright.plans.damped_newton import fading_damping
from linkwright.plans.rank import Block, blocks_of_pattern


@dataclass(frozen=True, eq=False)
class PivotStep:
    """Indices of one pivot's step in the list of entries: its own, those of the rows it touches, those it changes."""

    pivot: int
    diagonal: int
    touched: np.ndarray
    column: np.ndarray
    changed: np.ndarray
    left: np.ndarray
    right: np.ndarray


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Structure of a matrix J (m, n) with entries at `rows`, `columns` (n_entries,), sorted by row."""

    rows: np.ndarray
    columns: np.ndarray
    shape: tuple[int, int]

    @classmethod
    def of(cls, pattern: np.ndarray) -> SparseRows:
        """The structure of a pattern (m, n)."""
        rows, columns = np.nonzero(pattern)
        return cls(rows, columns, (int(pattern.shape[0]), int(pattern.shape[1])))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """Rows and columns that have to do with each other."""
        pattern = np.zeros(self.shape, dtype=bool)
        pattern[self.rows, self.columns] = True
        return blocks_of_pattern(pattern)

    @cached_property
    def block_of_row(self) -> np.ndarray:
        """Number of the block of each row, (m,); rows without entries count as one more block."""
        out = np.full(self.shape[0], len(self.blocks))
        for i, block in enumerate(self.blocks):
            out[block.rows] = i
        return out

    @cached_property
    def block_of_column(self) -> np.ndarray:
        """The same for columns, (n,)."""
        out = np.full(self.shape[1], len(self.blocks))
        for i, block in enumerate(self.blocks):
            out[block.columns] = i
        return out

    def in_blocks(self, x: np.ndarray, of: np.ndarray, how: np.ufunc) -> np.ndarray:
        """Sums or maxima (samples, n_blocks + 1) of x (samples, k) over the blocks `of` its columns."""
        out = np.zeros((len(x), len(self.blocks) + 1))
        if not x.shape[1]:
            return out
        order = np.argsort(of, kind="stable")
        present, starts = np.unique(of[order], return_index=True)
        out[:, present] = how.reduceat(x[:, order], starts, axis=1)
        return out

    def times(self, J: np.ndarray, x: np.ndarray) -> np.ndarray:
        """J x, (samples, m)."""
        return _sums_by_index(J * x[:, self.columns], self.rows, self.shape[0])

    def transposed_times(self, J: np.ndarray, y: np.ndarray) -> np.ndarray:
        """J^T y, (samples, n)."""
        return _sums_by_index(J * y[:, self.rows], self.columns, self.shape[1])

    @cached_property
    def _squares(self) -> tuple[dict[tuple[int, int], int], np.ndarray, np.ndarray, np.ndarray]:
        """Entries of J J^T (lower half) by row and column, and the products (left, right, entry) that make them."""
        by_column: dict[int, list[int]] = {}
        for k, column in enumerate(self.columns.tolist()):
            by_column.setdefault(column, []).append(k)
        entries = {(i, i): i for i in range(self.shape[0])}
        products: list[tuple[int, int, int]] = []
        for some in by_column.values():
            for a in some:
                for b in some:
                    i, j = int(self.rows[a]), int(self.rows[b])
                    if j <= i:
                        products.append((a, b, entries.setdefault((i, j), len(entries))))
        left, right, entry = np.array(products, dtype=int).reshape(-1, 3).T
        return entries, left, right, entry

    @cached_property
    def _plan(self) -> tuple[list[PivotStep], int]:
        """Steps of the elimination of J J^T, row of smallest degree first, and the number of entries with fill-in."""
        entries = dict(self._squares[0])
        near: dict[int, set[int]] = {i: set() for i in range(self.shape[0])}
        for i, j in entries:
            if i != j:
                near[i].add(j)
                near[j].add(i)

        def entry(i: int, j: int) -> int:
            return entries.setdefault((max(i, j), min(i, j)), len(entries))

        steps = []
        while near:
            pivot = min(near, key=lambda i: (len(near[i]), i))
            touched = sorted(near.pop(pivot))
            pairs = [(a, b) for a in range(len(touched)) for b in range(a + 1)]
            changed = [entry(touched[a], touched[b]) for a, b in pairs]
            column = [entry(i, pivot) for i in touched]
            for i in touched:
                near[i] |= set(touched)
                near[i] -= {i, pivot}
            lists = (touched, column, changed, [a for a, _ in pairs], [b for _, b in pairs])
            steps.append(PivotStep(pivot, entry(pivot, pivot), *(np.array(x, dtype=int) for x in lists)))
        return steps, len(entries)

    def solve(self, J: np.ndarray, damping: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Solutions y (samples, m) of (J J^T + damping) y = b, entries J (samples, n_entries), damping per row."""
        _, left, right, entry = self._squares
        steps, n = self._plan
        K = np.zeros((n, len(J)))
        K[: len(self._squares[0])] = _sums_by_index(J[:, left] * J[:, right], entry, len(self._squares[0])).T
        K[: self.shape[0]] += damping.T
        x, multipliers = np.array(b.T), []
        for s in steps:
            L = K[s.column] / K[s.diagonal]
            K[s.changed] -= L[s.left] * K[s.column][s.right]
            x[s.touched] -= L * x[s.pivot]
            multipliers.append(L)
        for s, L in zip(reversed(steps), reversed(multipliers), strict=True):
            x[s.pivot] = x[s.pivot] / K[s.diagonal] - np.sum(L * x[s.touched], axis=0)
        return x.T

    def step(self, J: np.ndarray, g: np.ndarray) -> np.ndarray:
        """Least-norm steps (samples, n), block by block damped as its gap demands and no longer than half a unit."""
        size = self.in_blocks(g * g, self.block_of_row, np.add)
        damping = fading_damping(size)
        dv = -self.transposed_times(J, self.solve(J, damping[:, self.block_of_row], g))
        longest = self.in_blocks(np.abs(dv), self.block_of_column, np.maximum)
        return dv * np.minimum(1.0, 0.5 / np.maximum(longest, TINY))[:, self.block_of_column]

    def tangent(self, J: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """The part of displacements (samples, n) that keeps J dv = 0."""
        damping = np.full((len(J), self.shape[0]), DAMPED_PROJECTION)
        for _ in range(2):
            dv = dv - self.transposed_times(J, self.solve(J, damping, self.times(J, dv)))
        return dv


def _sums_by_index(x: np.ndarray, where: np.ndarray, n: int) -> np.ndarray:
    """Sums (samples, n) of the columns of x (samples, k) with the same index `where`."""
    out = np.zeros((len(x), n))
    if len(where):
        order = np.argsort(where, kind="stable")
        present, starts = np.unique(where[order], return_index=True)
        out[:, present] = np.add.reduceat(x[:, order], starts, axis=1)
    return out
