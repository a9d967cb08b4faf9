"""A solution improved once by its own residual, and how far rounding alone could move it; any scalar."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass


@dataclass(frozen=True, eq=False)
class Refined:
    """A solution x (n,) of A x = b.

    Attributes:
        x: the solution after one correction.
        correction: what was added to it; its square, relative to x, is about what is still wrong.
        shaken: solutions for right-hand sides as large as the terms that rounding touches; times 2^-52 they bound how
            far x moves when every number is off in its last digit.
    """

    x: Vec
    correction: Vec
    shaken: list[Vec]


def refine_solution(solve: Callable[[Vec], Vec], A: Mat, b: Vec, known: Mat, terms: Vec) -> Refined:
    """The solution by an approximate `solve`, corrected once (theory 6.19-6.20).

    Args:
        solve: b to x, by factors that small pivots may have spoilt.
        A: the matrix, (n, n).
        b: the right-hand side, (n,).
        known: sizes of A's entries to which rounding is relative, (n, n).
        terms: the same for b, (n,).

    >>> A, b = np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 4.0])
    >>> refine_solution(lambda y: 0.9 * np.linalg.solve(A, y), A, b, abs(A), abs(b)).x.round(6).tolist()
    [0.99, 0.99]
    """
    first = solve(b)
    correction = solve(b - A @ first)
    x = first + correction
    size = known @ np.abs(x) + terms
    return Refined(x, correction, [solve(size * s) for s in sign_patterns(len(b))])


def sign_patterns(n: int) -> list[Vec]:
    """Patterns of n signs, so that any two entries have equal signs in one pattern and opposite ones in another.

    >>> [s.tolist() for s in sign_patterns(3)]
    [[1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, -1.0]]
    """
    index = np.arange(n)
    return [np.ones(n), *(1.0 - 2.0 * (index >> bit & 1) for bit in range(max(1, n - 1).bit_length()))]
