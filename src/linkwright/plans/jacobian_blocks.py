"""Structure of sparse closure Jacobians: blocks that share no velocity, and their singular values."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.numerics.dense import singular_values


@dataclass(frozen=True, eq=False)
class Block:
    """Rows and columns of a matrix that are connected by its entries, and to no other row or column."""

    rows: np.ndarray
    columns: np.ndarray

    def of(self, J: np.ndarray) -> np.ndarray:
        """The block of matrices J (..., m, n)."""
        return J[..., self.rows[:, None], self.columns]


def blocks(pattern: np.ndarray) -> tuple[Block, ...]:
    """The blocks of a pattern (m, n); empty rows and columns belong to none."""
    group: dict[int, int] = {}

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = group[group[i]]
            i = group[i]
        return i

    for row, column in zip(*np.nonzero(pattern), strict=True):
        first, second = (root(group.setdefault(i, i)) for i in (int(row), -1 - int(column)))
        group[max(first, second)] = min(first, second)
    members: dict[int, tuple[list[int], list[int]]] = {}
    for i in sorted(group):
        members.setdefault(root(i), ([], []))[i < 0].append(i if i >= 0 else -1 - i)
    found = [Block(np.array(rows), np.array(sorted(columns))) for rows, columns in members.values()]
    return tuple(sorted(found, key=lambda block: int(block.rows[0])))


def pattern_of(J: np.ndarray) -> np.ndarray:
    """Mask of the entries of matrices (samples, m, n) that are not zero in every sample."""
    return np.any(J != 0.0, axis=0)


def block_values(J: np.ndarray, found: tuple[Block, ...]) -> list[np.ndarray]:
    """Singular values (samples, k) of every block of matrices (samples, m, n), blocks of equal shape together."""
    shapes: dict[tuple[int, int], list[int]] = {}
    for i, block in enumerate(found):
        shapes.setdefault((len(block.rows), len(block.columns)), []).append(i)
    out: list[np.ndarray] = [np.zeros((len(J), 0))] * len(found)
    for alike in shapes.values():
        rows, columns = (np.array([getattr(found[i], name) for i in alike]) for name in ("rows", "columns"))
        values = singular_values(J[:, rows[:, :, None], columns[:, None, :]])
        for position, i in enumerate(alike):
            out[i] = values[:, position]
    return out


def extreme_values(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest singular value of each of some matrices (samples, m, n) with m <= n, block by block."""
    found = blocks(pattern_of(J))
    short = sum(min(len(b.rows), len(b.columns)) for b in found) < J.shape[1]
    values = np.concatenate(block_values(J, found) + [np.zeros((len(J), int(short or not found)))], axis=1)
    return values.min(axis=1), values.max(axis=1)
