"""Chooses an elimination order for a square matrix from samples of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.formulations.lu import SquarePlan, touched


@dataclass(frozen=True)
class SquareChoice:
    """A plan, what it costs, and its worst pivot quality over the samples."""

    plan: SquarePlan
    cost: int
    growth: float


def choose_square(X: np.ndarray, pattern: np.ndarray, threshold: float = 1e-3) -> SquareChoice:
    """Greedy order: the cheapest entry that is at least `threshold` of its column in every sample.

    Where no entry is, that which is so in most samples: one that vanishes on a whole branch would be rounding there.
    """
    X, pattern = np.array(X), np.array(pattern, dtype=bool)
    n = len(pattern)
    rows, columns = list(range(n)), list(range(n))
    pivots: list[tuple[int, int]] = []
    growth = 1.0
    while rows:
        (r, c), quality = _best(X, pattern, rows, columns, threshold)
        growth = min(growth, quality)
        pivots.append((r, c))
        rows.remove(r)
        columns.remove(c)
        _eliminate(X, pattern, rows, columns, r, c)
    plan = touched(pattern, tuple(pivots))
    cost = sum(len(a) * (1 + len(b)) for a, b in zip(plan.rows, plan.columns, strict=True))
    return SquareChoice(plan, cost, growth)


def _best(
    X: np.ndarray, pattern: np.ndarray, rows: list[int], columns: list[int], threshold: float
) -> tuple[tuple[int, int], float]:
    part, size = pattern[np.ix_(rows, columns)], np.abs(X[np.ix_(range(len(X)), rows, columns)])
    cost = np.maximum(part.sum(axis=1)[:, None] - 1, 0) * np.maximum(part.sum(axis=0)[None, :] - 1, 0)
    biggest = np.maximum(size.max(axis=1, keepdims=True), 1e-300)
    ratio = size / biggest
    quality = np.min(ratio, axis=0)
    allowed = part & (quality >= threshold)
    if allowed.any():
        score = np.where(allowed, cost - 0.5 * quality, np.inf)
        i, j = np.unravel_index(int(np.argmin(score)), score.shape)
    else:
        often = np.mean(ratio >= threshold, axis=0) + 1e-3 * quality
        i, j = np.unravel_index(int(np.argmax(np.where(part, often, -1.0))), quality.shape)
    return (rows[i], columns[j]), float(quality[i, j])


def _eliminate(X: np.ndarray, pattern: np.ndarray, rows: list[int], columns: list[int], r: int, c: int) -> None:
    down = [i for i in rows if pattern[i, c]]
    right = [j for j in columns if pattern[r, j]]
    if not down or not right:
        return
    pivot = X[:, r, c]
    L = X[:, down, c] / np.where(pivot == 0, 1e-300, pivot)[:, None]
    X[np.ix_(range(len(X)), down, right)] -= L[:, :, None] * X[:, r, right][:, None, :]
    pattern[np.ix_(down, right)] = True
