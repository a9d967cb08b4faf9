"""A small linear system inside a law (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np


def least_squares(A: Any, b: Any) -> Any:
    """x with the smallest |A x - b|, for A (m, n) of full rank n, by elimination of A^T A without pivoting.

    Elimination of a positive definite matrix is stable in any order, which a recorded one needs; the price is the
    square of A's condition number.

    >>> least_squares(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([2.0, 3.0])).round(12).tolist()
    [1.0, 2.0]
    """
    M, x = A.T @ A, A.T @ b
    n = len(x)
    M, x = [[M[i, j] for j in range(n)] for i in range(n)], [x[i] for i in range(n)]
    for k in range(n):
        inverse = 1.0 / M[k][k]
        for i in range(k + 1, n):
            factor = M[i][k] * inverse
            x[i] = x[i] - factor * x[k]
            for j in range(k, n):
                M[i][j] = M[i][j] - factor * M[k][j]
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(M[k][j] * x[j] for j in range(k + 1, n))) / M[k][k]
    return np.array(x)
