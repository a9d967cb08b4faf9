"""Determinants that pass zero where the loops' equations keep their rank: nothing to be examined (theory 8).

In the compiler's subset.
"""

from __future__ import annotations

from linkwright.compiler.native import Floats, Ints, Rows, has_function
from linkwright.compiler.native.small_matrices import is_positive_definite
from linkwright.simulation.drivers.driver_records import Driver


def keeps_rank(share: float, d: Driver, y: Rows) -> bool:
    """Return True if the smallest singular value of the loops' equations surely is above a share of the largest.

    J J^T - s^2 1 has a Cholesky factor only if all singular values are above s. Of equations that repeat others the
    first ones are taken, which are independent: further rows make no singular value smaller.
    """
    e = d.events
    n = e.n_equations
    if n == 0 or not has_function(d.mechanics.equations) or d.mechanics.equations(y, e.equations) == 0:
        return False
    square_equations(n, e.n_columns, e.order, e.equations, e.units, e.column, e.gram)
    largest = largest_row_sum(n, e.gram, e.column)
    for i in range(e.rank):
        e.gram[i * n + i] -= share * share * largest
    return is_positive_definite(n, e.rank, e.gram, e.column)


def square_equations(n: int, m: int, order: Ints, J: Floats, units: Floats, column: Floats, A: Floats) -> None:
    """The lower triangle of J J^T in A (n, n), of J (n, m) with every entry in its unit and its rows in an order."""
    for i in range(n * n):
        A[i] = 0.0
    for k in range(m):
        for i in range(n):
            at = order[i] * m + k
            column[i] = J[at] * units[at]
        for i in range(n):
            x = column[i]
            if x != 0.0:
                row = A[i * n :]
                for j in range(i + 1):
                    row[j] += x * column[j]


def largest_row_sum(n: int, A: Floats, sums: Floats) -> float:
    """The largest sum of magnitudes of a row of a symmetric matrix, given by its lower triangle: no eigenvalue is
    larger."""
    for i in range(n):
        row = A[i * n :]
        sums[i] = abs(row[i])
        for j in range(i):
            sums[i] += abs(row[j])
            sums[j] += abs(row[j])
    most = 0.0
    for i in range(n):
        most = max(most, sums[i])
    return most


def are_actuators_regular(d: Driver, y: Rows) -> bool:
    """Return True if the actuators hold the platform at a state: no determinant of theirs is zero."""
    e = d.events
    sizes = d.mechanics.work
    d.mechanics.size(y, sizes)
    lost = 0
    for i in range(e.n_usual):
        lost += int(not abs(sizes[i]) > e.hold_share * e.usual[i])
    return e.of_actuators == 0 or lost == 0
