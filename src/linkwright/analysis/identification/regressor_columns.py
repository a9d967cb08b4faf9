"""Independent columns of a regressor, and the combinations in which the others take part."""

from __future__ import annotations

import numpy as np

from linkwright.analysis.scaled_svd import RANK
from linkwright.dataclass import dataclass
from linkwright.numerics.dense import count_above, decompose_scaled, singular_values

Array = np.ndarray
_ABSENT = 1e-11  # of the longest column: shorter ones are rounding


@dataclass(frozen=True, eq=False)
class ColumnSpace:
    """Columns of a matrix W (m, n), by a rank-revealing QR of W with columns of length 1 (theory 10.7).

    Attributes:
        kept: indices of independent columns, in the order of preference.
        dependent: indices of the columns that are combinations of those. absent: indices of columns of zeros.
        combination: C (k, d) with W[:, dependent] = W[:, kept] C.
        scale: lengths of the columns, root mean square over the rows, (n,).
        least, next: smallest singular value that counts and the largest that does not, both relative to the largest.
    """

    kept: tuple[int, ...]
    dependent: tuple[int, ...]
    absent: tuple[int, ...]
    combination: Array
    scale: Array
    least: float
    next: float

    @property
    def map(self) -> Array:
        """P (k, n) with base parameters = P theta."""
        P = np.zeros((len(self.kept), len(self.scale)))
        P[np.arange(len(self.kept)), list(self.kept)] = 1.0
        P[:, list(self.dependent)] = self.combination
        return P


def column_space(R: Array, rows: int, order: Array) -> ColumnSpace:
    """Independent columns of a matrix of `rows` rows with the triangular factor R (n, n), the first in `order`."""
    from scipy.linalg import qr  # a while to import

    scale = np.linalg.norm(R, axis=0) / np.sqrt(max(rows, 1))
    present = scale > _ABSENT * scale.max(initial=0.0)
    absent = tuple(np.flatnonzero(~present).tolist())
    columns = np.array([i for i in order if present[i]], dtype=int)
    unit = R[:, columns] / np.linalg.norm(R[:, columns], axis=0)
    _, T, pivots = qr(unit, mode="economic", pivoting=True)
    values = singular_values(T)
    rank = int(count_above(values, RANK))
    kept, rest = _first_kept(T[:rank][:, np.argsort(pivots)], rank)
    C = decompose_scaled(unit[:, kept]).inverse() @ unit[:, rest]
    C = np.where(np.abs(C) > 1e-7, C, 0.0)
    C = C * scale[columns[rest]] / scale[columns[kept], None]
    top = values.max(initial=1.0)
    return ColumnSpace(
        tuple(columns[kept].tolist()),
        tuple(columns[rest].tolist()),
        absent,
        C,
        scale,
        float(values[rank - 1] / top) if rank else 0.0,
        float(values[rank] / top) if rank < len(values) else 0.0,
    )


def _first_kept(T: Array, rank: int) -> tuple[list[int], list[int]]:
    """Columns of T (rank, n) in their order that are independent of those before, and the others."""
    basis = np.zeros((len(T), 0))
    kept: list[int] = []
    rest: list[int] = []
    for j, column in enumerate(T.T):
        left = column - basis @ (basis.T @ column)
        left = left - basis @ (basis.T @ left)
        size = np.linalg.norm(left)
        if len(kept) < rank and size > 1e3 * RANK:
            basis, kept = np.column_stack([basis, left / size]), [*kept, j]
        else:
            rest.append(j)
    return kept, rest
