"""Closure equations that are independent along the mechanism's own branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

_TOLERANCE = 1e-8
_ROUNDING = 1e-12  # scaled rows that move less than this are zero: both sides of the loop are on one rigid piece


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
    one by one: always the one that stands out most from those taken, in the sample where it stands out least.
    """
    m = J.shape[1]
    if m == 0:
        return Rank((), ())
    values = np.linalg.svd(J, compute_uv=False)
    ranks = np.sum(values > max(_TOLERANCE * values.max(initial=0.0), _ROUNDING), axis=1)
    rank = int(np.max(ranks, initial=0))
    regular = J[ranks == rank]
    kept = tuple(sorted(standing_out(regular, rank)))
    return Rank(kept, tuple(i for i in range(m) if i not in kept))


def standing_out(J: np.ndarray, count: int) -> list[int]:
    """`count` rows of J (samples, m, n) that are most independent in their worst sample (a low percentile of them)."""
    rest = np.array(J)
    chosen: list[int] = []
    for _ in range(count):
        size = np.quantile(np.linalg.norm(rest, axis=2), 0.02, axis=0)
        size[chosen] = -1.0
        best = int(np.argmax(np.round(size, 9)))
        chosen.append(best)
        unit = rest[:, best] / np.maximum(np.linalg.norm(rest[:, best], axis=1, keepdims=True), 1e-300)
        rest = rest - (rest @ unit[:, :, None]) * unit[:, None, :]
    return chosen
