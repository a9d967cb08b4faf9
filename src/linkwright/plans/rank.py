"""Closure equations that are independent along the mechanism's own branch, and blocks of sparse closure Jacobians."""

from __future__ import annotations

from typing import Literal

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.numerics.dense import singular_values
from linkwright.numerics.tolerances import REPEATED_EQUATION, TINY, ZERO_ROW


@dataclass(frozen=True)
class Rank:
    """Rows kept and rows that repeat them, and the number of independent rows."""

    kept: tuple[int, ...]
    redundant: tuple[int, ...]

    @property
    def rank(self) -> int:
        return len(self.kept)


@dataclass(frozen=True)
class RedundantEquation:
    """A closure equation that follows from the others.

    Attributes:
        code: "redundant-equation" of a loop, "redundant-coupling" of a coupling.
        loop: name of the loop's cut joint, or of the coupling.
        equation: what the equation demands.
        message: loop, equation and consequence.
    """

    code: Literal["redundant-equation", "redundant-coupling"]
    loop: str
    equation: str
    message: str

    def __str__(self) -> str:
        return self.message


def independent_rows(J: np.ndarray) -> Rank:
    """Independent rows of scaled Jacobians J (samples, m, n).

    The rank is the largest over the samples, so that passing a singular configuration loses no equation. Rows are taken
    one by one: always the one that stands out most from those taken, in the sample where it stands out least. Loops
    that share no velocity are looked at apart.
    """
    found = blocks_of_pattern(pattern_of(J))
    values = block_values(J, found)
    least = max(REPEATED_EQUATION * max((x.max(initial=0.0) for x in values), default=0.0), ZERO_ROW)
    kept = sorted(row for block, x in zip(found, values, strict=True) for row in _rows_of(J, block, x > least))
    return Rank(tuple(kept), tuple(i for i in range(J.shape[1]) if i not in set(kept)))


def _rows_of(J: np.ndarray, block: Block, counts: np.ndarray) -> list[int]:
    """Independent rows of a block; `counts` says which of its singular values do, (samples, k)."""
    ranks = counts.sum(axis=1)
    rank = int(ranks.max(initial=0))
    if rank == len(block.rows):
        return [int(i) for i in block.rows]
    return [int(block.rows[i]) for i in standing_out(block.of(J[ranks == rank]), rank)]


def independent_columns(J: np.ndarray) -> list[int]:
    """Columns of J (samples, m, n), as many as rows, that are most independent in their worst sample."""
    found = blocks_of_pattern(pattern_of(J))
    if any(len(block.rows) > len(block.columns) for block in found):
        return standing_out(J.transpose(0, 2, 1), J.shape[1])
    chosen = (standing_out(block.of(J).transpose(0, 2, 1), len(block.rows)) for block in found)
    return [int(block.columns[i]) for block, some in zip(found, chosen, strict=True) for i in some]


def standing_out(J: np.ndarray, count: int) -> list[int]:
    """`count` rows of J (samples, m, n) that are most independent in their worst sample (a low percentile of them)."""
    rest = np.array(J)
    size, chosen = _stands_out(rest), list[int]()
    for _ in range(count):
        size[chosen] = -1.0
        best = int(np.argmax(np.round(size, 9)))
        chosen.append(best)
        unit = rest[:, best] / np.maximum(np.linalg.norm(rest[:, best], axis=1, keepdims=True), TINY)
        along = rest @ unit[:, :, None]
        changed = np.flatnonzero(along.any(axis=(0, 2)))
        rest[:, changed] -= along[:, changed] * unit[:, None, :]
        size[changed] = _stands_out(rest[:, changed])
    return chosen


def _stands_out(rest: np.ndarray) -> np.ndarray:
    return np.quantile(np.linalg.norm(rest, axis=2), 0.02, axis=0)


@dataclass(frozen=True, eq=False)
class Block:
    """Rows and columns of a matrix that are connected by its entries, and to no other row or column."""

    rows: np.ndarray
    columns: np.ndarray

    def of(self, J: np.ndarray) -> np.ndarray:
        """The block of matrices J (..., m, n)."""
        return J[..., self.rows[:, None], self.columns]


def blocks_of_pattern(pattern: np.ndarray) -> tuple[Block, ...]:
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
    found = blocks_of_pattern(pattern_of(J))
    short = sum(min(len(b.rows), len(b.columns)) for b in found) < J.shape[1]
    values = np.concatenate(block_values(J, found) + [np.zeros((len(J), int(short or not found)))], axis=1)
    return values.min(axis=1), values.max(axis=1)
