"""Square systems solved by orthogonal columns, which needs no pivots and so no look at values (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat


def solve_regular(A: Mat, Y: Mat) -> Mat:
    """X with A X = Y, (n, m), for a regular square A and one vector or several columns.

    Modified Gram-Schmidt on the columns of [A Y] without square roots; what is taken off A's columns is taken off Y's
    too, which keeps the result as good as A's condition allows.

    >>> solve_regular(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([4.0, 3.0])).tolist()
    [3.0, 2.0]
    """
    n = len(A)
    columns = [A[:, j] for j in range(n)]
    rest = np.array(Y)
    R: list[list[Any]] = [[0.0] * n for _ in range(n)]
    Z = []
    for j in range(n):
        along = columns[j] * (1.0 / (columns[j] @ columns[j]))
        Z.append(along @ rest)
        rest = rest - (np.outer(columns[j], Z[j]) if rest.ndim == 2 else columns[j] * Z[j])
        for k in range(j + 1, n):
            R[j][k] = along @ columns[k]
            columns[k] = columns[k] - columns[j] * R[j][k]
    X = list(Z)
    for j in reversed(range(n)):
        for k in range(j + 1, n):
            X[j] = X[j] - R[j][k] * X[k]
    return np.array(X)


def own_parts(A: Mat) -> list[Any]:
    """Per column of A the part, squared, that the columns before it do not have; 0 where A is singular.

    >>> [float(x) for x in own_parts(np.eye(2))]
    [1.0, 1.0]
    """
    columns = [A[:, j] for j in range(len(A))]
    parts = []
    for j, own in enumerate(columns):
        size = own @ own
        parts.append(size * (1.0 / (A[:, j] @ A[:, j])))
        along = own * (1.0 / size)
        columns[j + 1 :] = [x - own * (along @ x) for x in columns[j + 1 :]]
    return parts
