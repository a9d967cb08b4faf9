"""Chooses an elimination order for a symmetric matrix from samples of it: cheap, and stable in the worst sample."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from linkwright.formulations.elimination import Pivot, Plan, touched_rows


@dataclass(frozen=True)
class Choice:
    """A plan with what it costs (multiplications in the elimination) and its worst pivot growth over the samples."""

    plan: Plan
    cost: int
    growth: float


def scaled(K: np.ndarray) -> np.ndarray:
    """Samples (s, n, n) with rows and columns scaled alike so that entries of different units compare."""
    size = np.median(np.abs(K), axis=0)
    d = np.ones(len(size))
    for _ in range(5):
        biggest = np.max(size * np.outer(d, d), axis=1)
        d = d / np.sqrt(np.where(biggest > 0, biggest, 1.0))
    return K * np.outer(d, d)


def choose(K: np.ndarray, pattern: np.ndarray, threshold: float, pairs: bool) -> Choice:
    """Greedy order: each step takes the cheapest pivot that is at least `threshold` of its column in every sample."""
    K, pattern = np.array(K), np.array(pattern, dtype=bool)
    left = list(range(len(pattern)))
    pivots: list[Pivot] = []
    growth = 1.0
    while left:
        pivot, quality = _best(K, pattern, left, threshold, pairs)
        growth = min(growth, quality)
        pivots.append(pivot)
        left = [i for i in left if i not in pivot]
        _eliminate(K, pattern, left, pivot)
    plan = touched_rows(pattern, tuple(pivots))
    return Choice(plan, _cost(plan), growth)


def _best(K: np.ndarray, pattern: np.ndarray, left: list[int], threshold: float, pairs: bool) -> tuple[Pivot, float]:
    quality = _singles(K, left)
    touched = pattern[np.ix_(left, left)].sum(axis=0) - pattern[left, left]
    cost = touched * (touched + 3)
    candidates: list[tuple[int, float, Pivot]] = [
        (int(c), float(x), (k,)) for c, x, k in zip(cost, quality, left, strict=True)
    ]
    if pairs:
        candidates += _pairs(K, pattern, left)
    stable = [c for c in candidates if c[1] >= threshold]
    best = min(stable, key=lambda c: (c[0], -c[1])) if stable else max(candidates, key=lambda c: c[1])
    return best[2], best[1]


def _singles(K: np.ndarray, left: list[int]) -> np.ndarray:
    """Per remaining row the smallest ratio, over the samples, of its pivot to the largest entry of its column."""
    size = np.abs(K[np.ix_(range(len(K)), left, left)])
    diagonal = np.diagonal(size, axis1=1, axis2=2)
    return np.min(diagonal / np.maximum(size.max(axis=1), 1e-300), axis=0)


def _pairs(K: np.ndarray, pattern: np.ndarray, left: list[int]) -> list[tuple[int, float, Pivot]]:
    """Pivot pairs that are coupled, with cost and quality."""
    out: list[tuple[int, float, Pivot]] = []
    for i, j in combinations(left, 2):
        if pattern[i, j]:
            others = [m for m in left if m not in (i, j)]
            touched = int(pattern[np.ix_(others, [i, j])].any(axis=1).sum()) if others else 0
            out.append((touched * (touched + 3), _double(K, i, j, others), (i, j)))
    return out


def _double(K: np.ndarray, i: int, j: int, others: list[int]) -> float:
    """The same for a pair: the inverse block times the columns must stay below 1 / threshold."""
    a, b, c = K[:, i, i], K[:, i, j], K[:, j, j]
    det = a * c - b * b
    x = np.abs(K[:, others, i]).max(axis=1) if others else np.zeros(len(K))
    y = np.abs(K[:, others, j]).max(axis=1) if others else np.zeros(len(K))
    grown = np.maximum(np.abs(c) * x + np.abs(b) * y, np.abs(b) * x + np.abs(a) * y)
    return float(np.min(np.abs(det) / np.maximum(np.maximum(grown, np.abs(det)), 1e-300)))


def _eliminate(K: np.ndarray, pattern: np.ndarray, left: list[int], pivot: Pivot) -> None:
    rows = [i for i in left if pattern[i, list(pivot)].any()]
    if not rows:
        return
    below = K[np.ix_(range(len(K)), rows, pivot)]
    if len(pivot) == 1:
        inverse = 1.0 / np.where(K[:, pivot, pivot] == 0, 1e-300, K[:, pivot, pivot])[:, :, None]
    else:
        inverse = np.linalg.pinv(K[np.ix_(range(len(K)), pivot, pivot)])
    update = below @ inverse @ below.transpose(0, 2, 1)
    K[np.ix_(range(len(K)), rows, rows)] -= update
    pattern[np.ix_(rows, rows)] = True


def _cost(plan: Plan) -> int:
    return sum(
        len(p) * len(t) * (len(t) + 3) // 2 + 2 * len(p) * len(t)
        for p, t in zip(plan.pivots, plan.touched, strict=True)
    )
