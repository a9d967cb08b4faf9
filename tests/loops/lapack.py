"""Right results to many small systems at once: LAPACK's, refined, and what rounding does to LAPACK's own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

EPS = float(np.finfo(float).eps)
PROBES = 4


@dataclass(frozen=True, eq=False)
class Dense:
    """Right results x (n, k), weights to compare their parts, the least size (n,) to which errors are relative, and
    relative errors explained and of LAPACK alone."""

    x: np.ndarray
    weight: np.ndarray
    floor: np.ndarray
    explained: np.ndarray
    plain: np.ndarray

    def error(self, answer: np.ndarray) -> np.ndarray:
        """Relative errors of results, (n,)."""
        return largest(answer - self.x, self.weight) / np.maximum(largest(self.x, self.weight), self.floor)


def largest(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The largest part of each row, (n,)."""
    return np.abs(x * weight).max(axis=1).astype(float)


def dense(
    A: np.ndarray,
    b: np.ndarray,
    typical: np.ndarray,
    terms: np.ndarray,
    weight: np.ndarray,
    rank: int,
    floor: np.ndarray | float = 0.0,
) -> Dense:
    """Solutions by LAPACK, refined, and the relative error of their first parts that rounding explains.

    That is what LAPACK makes of the same equations when every entry is off by up to 2^-52 of itself or of its typical
    size, and every right-hand side by as much of the terms it sums: the largest of some random trials.
    """
    rounded, n, rng = A.astype(float), len(weight), np.random.default_rng(0)
    rows, columns = scaling(rounded, typical)
    inverse = inverses(rounded, rows, columns, rank)
    x = times(inverse, b.astype(float)).astype(np.longdouble)
    for _ in range(3):
        x = x + times(inverse, (b - np.einsum("nij,nj->ni", A, x)).astype(float))
    right = Dense(x[:, :n], weight, np.broadcast_to(floor, len(x)), np.zeros(len(x)), np.zeros(len(x)))
    known, sums = np.maximum(np.abs(rounded), typical), np.asarray(terms, dtype=float)
    errors = []
    for size in (0.0, *[EPS] * PROBES):
        off = rounded + size * known * rng.uniform(-1.0, 1.0, known.shape)
        side = b.astype(float) + size * sums * rng.uniform(-1.0, 1.0, sums.shape)
        errors.append(right.error(_solved(off, side, rows, columns, rank)[:, :n]))
    return replace(right, explained=np.max(errors, axis=0), plain=errors[0])


def times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (A @ x[:, :, None])[:, :, 0]


def inverses(A: np.ndarray, rows: np.ndarray, columns: np.ndarray, rank: int) -> np.ndarray:
    """Inverses, of given rank: least-norm ones, in scaled units, where equations are redundant."""
    if A.shape[1] == A.shape[2] == rank:
        try:
            return np.linalg.inv(A)
        except np.linalg.LinAlgError:
            pass
    U, s, Vt = np.linalg.svd(A * rows[:, None] * columns, full_matrices=False)
    shrunk = Vt[:, :rank].transpose(0, 2, 1) / np.maximum(s[:, None, :rank], 1e-300)
    return columns[:, None] * (shrunk @ U[:, :, :rank].transpose(0, 2, 1)) * rows


def scaling(A: np.ndarray, typical: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and columns that bring the largest entry of each near one."""
    size = np.maximum(np.median(np.abs(A), axis=0), typical)
    rows, columns = np.ones(size.shape[0]), np.ones(size.shape[1])
    for _ in range(6):
        scaled = rows[:, None] * size * columns
        rows = rows / np.sqrt(_or_one(scaled.max(axis=1)))
        columns = columns / np.sqrt(_or_one(scaled.max(axis=0)))
    return rows, columns


def _or_one(size: np.ndarray) -> np.ndarray:
    return np.where(size > 0.0, size, 1.0)


def _solved(A: np.ndarray, b: np.ndarray, rows: np.ndarray, columns: np.ndarray, rank: int) -> np.ndarray:
    if A.shape[1] == A.shape[2] == rank:
        try:
            return np.linalg.solve(A, b[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            pass
    return times(inverses(A, rows, columns, rank), b)
