"""Measures from squares of the closure equations, where these keep enough digits (theory 6.31a-6.31c).

In the compiler's subset of Python.
"""

from __future__ import annotations

from linkwright.compiler.native import Ints, Row, Rows, choose_by_lane, fill_lanes, square_roots
from linkwright.kinematics.measures.lane_algebra import (
    cholesky_factor,
    extreme_eigenvalues,
    forward_substitution,
    make_bidiagonal,
    square_bidiagonal,
)
from linkwright.kinematics.measures.measure_records import INFINITE, Work, distances_from_gains
from linkwright.kinematics.measures.symmetric_matrices import (
    backward_substitution,
    congruent_transform,
    factor_tridiagonal,
    make_tridiagonal,
)
from linkwright.numerics.tolerances import DISTINCT_SQUARES, SEEN_SQUARES


def equation_gram_matrix(w: Work) -> None:
    """G G^T in K, as far as the flow reaches, and G by the rates of output and actuators in E."""
    z = w.shape
    n = z.rows
    m = z.outputs + z.actuators
    K = w.K
    E = w.E
    first = w.pattern.first
    for i in range(n):
        for j in range(first[i], i + 1):
            K[i * n + j] = fill_lanes(0.0)
    for i in range(n * m):
        E[i] = fill_lanes(0.0)
    for k in range(z.groups):
        group_squares(w, k)
    s = w.s
    loops = w.pattern.loops
    for i in range(z.actuators):
        j = w.pattern.driven[i]
        for a in range(z.loops):
            sign = loops[a * z.joints + w.pattern.joint[j]]
            if sign != 0:
                for c in range(6):
                    E[(6 * a + c) * m + z.outputs + i] = float(sign) * s[6 * j + c]


def group_squares(w: Work, g: int) -> None:
    """Add the squares of a group's twists to every pair of loops, and to loops and output, that it belongs to."""
    z = w.shape
    n = z.rows
    m = z.outputs + z.actuators
    s = w.s
    S = w.S
    order = w.pattern.order
    starts = w.pattern.groups
    loops = w.pattern.loops
    picked = w.pattern.picked
    own_products(order[starts[g] :], starts[g + 1] - starts[g], 0, s, S)
    own_products(order[starts[g] :], starts[g + 1] - starts[g], 3, s, S[21:])
    mixed_products(order[starts[g] :], starts[g + 1] - starts[g], s, S)
    k = w.pattern.joint[order[starts[g]]]
    for a in range(z.loops):
        own = loops[a * z.joints + k]
        if own != 0:
            for b in range(a + 1):
                if loops[b * z.joints + k] != 0:
                    add_block(n, float(own * loops[b * z.joints + k]), S, w.K[6 * a * n + 6 * b :])
            if w.pattern.path[k] != 0:
                sign = float(own * w.pattern.path[k])
                block = w.E[6 * a * m :]
                for c in range(6):
                    for i in range(z.outputs):
                        block[c * m + i] = block[c * m + i] + sign * S[6 * c + picked[i]]


def own_products(order: Ints, n: int, start: int, s: Rows, S: Rows) -> None:
    """Sums of the squares of n twists in a block of S (6, 6) on its diagonal: of components `start` to `start` + 2."""
    a = fill_lanes(0.0)
    b = fill_lanes(0.0)
    c = fill_lanes(0.0)
    d = fill_lanes(0.0)
    e = fill_lanes(0.0)
    f = fill_lanes(0.0)
    for i in range(n):
        x = s[6 * order[i] + start :]
        a = a + x[0] * x[0]
        b = b + x[1] * x[0]
        c = c + x[1] * x[1]
        d = d + x[2] * x[0]
        e = e + x[2] * x[1]
        f = f + x[2] * x[2]
    S[0] = a
    S[1] = b
    S[2] = d
    S[6] = b
    S[7] = c
    S[8] = e
    S[12] = d
    S[13] = e
    S[14] = f


def mixed_products(order: Ints, n: int, s: Rows, S: Rows) -> None:
    """Sums of the products of n twists beside the diagonal of S (6, 6): of angular with linear components."""
    for c in range(3):
        x = fill_lanes(0.0)
        y = fill_lanes(0.0)
        z = fill_lanes(0.0)
        for i in range(n):
            one = s[6 * order[i] :]
            x = x + one[3 + c] * one[0]
            y = y + one[3 + c] * one[1]
            z = z + one[3 + c] * one[2]
        S[18 + 6 * c] = x
        S[19 + 6 * c] = y
        S[20 + 6 * c] = z
        S[3 + c] = x
        S[9 + c] = y
        S[15 + c] = z


def add_block(n: int, sign: float, S: Rows, A: Rows) -> None:
    """Add S (6, 6) with a sign to a block of a matrix with rows n apart."""
    for c in range(6):
        for d in range(6):
            A[c * n + d] = A[c * n + d] + sign * S[6 * c + d]


def measure_by_squares(w: Work) -> None:
    """The measures from G G^T, and where they keep enough digits (theory 6.31a-6.31c)."""
    z = w.shape
    n = z.rows
    equation_gram_matrix(w)
    cholesky_factor(n, w.pattern.first, w.flow)
    congruent_transform(n, w.pattern.first, w.pattern.last, w.flow, w.K, w.Y)
    make_tridiagonal(n, w.Y, w.u, w.r, w.d, w.e)
    factor_tridiagonal(n, w.d, w.e)
    extreme_eigenvalues(n, w.d, w.e, w.steps)
    ratio = w.steps[0] / w.steps[1]
    w.result[2] = square_roots(ratio)
    w.sure[0] = choose_by_lane(ratio > DISTINCT_SQUARES, jacobian_measures(w), 0.0)
    w.sure[0] = choose_by_lane(abs(w.total[0]) < INFINITE, w.sure[0], 1.0)


def jacobian_measures(w: Work) -> Row:
    """Measures of the gains from the Jacobian of the output by the actuators; 1 in the lanes in which they are sure."""
    z = w.shape
    n = z.rows
    nx = z.outputs
    na = z.actuators
    m = nx + na
    E = w.E
    R = w.S
    H = w.H
    s = w.s
    cholesky_factor(n, w.pattern.first, w.K)
    forward_substitution(n, m, w.pattern.first, w.K, E)
    for i in range(na):
        column_products(n, m, nx + i, E, w.r)
        for j in range(na):
            R[i * na + j] = 0.0 - w.r[nx + j]
        R[i * na + i] = R[i * na + i] + 1.0
        k = w.pattern.driven[i]
        path = float(w.pattern.path[w.pattern.joint[k]])
        for j in range(nx):
            H[i * nx + j] = path * s[6 * k + w.pattern.picked[j]] - w.r[j]
    U = w.U
    for i in range(na * na):
        U[i] = R[i]
    for i in range(na):
        U[i * na + i] = U[i * na + i] - SEEN_SQUARES
    cholesky_factor(na, w.pattern.full, U)
    sure = U[na * na - 1] + 0.0
    cholesky_factor(na, w.pattern.full, R)
    forward_substitution(na, nx, w.pattern.full, R, H)
    backward_substitution(na, nx, R, H)
    J = w.J
    size = fill_lanes(0.0)
    for i in range(na):
        for j in range(nx):
            J[j * na + i] = H[i * nx + j]
            size = size + H[i * nx + j] * H[i * nx + j]
    make_bidiagonal(nx, na, J, w.w, w.beta, w.d, w.e)
    product = fill_lanes(1.0)
    for i in range(na):
        product = product * abs(w.d[i])
    square_bidiagonal(na, w.d, w.e)
    extreme_eigenvalues(na, w.d, w.e, w.steps)
    least = w.steps[0] + 0.0
    most = w.steps[1] + 0.0
    distances_from_gains(w, square_roots(least * size), square_roots(most * size), product, fill_lanes(1.0))
    return choose_by_lane(sure > 0.0, choose_by_lane(least > DISTINCT_SQUARES * most, 1.0, 0.0), 0.0)


def column_products(n: int, m: int, i: int, E: Rows, r: Rows) -> None:
    """Products of column i of E (n, m) with all columns; four at a time, which read it together."""
    j = 0
    while j < m:
        a = fill_lanes(0.0)
        b = fill_lanes(0.0)
        c = fill_lanes(0.0)
        d = fill_lanes(0.0)
        for k in range(n):
            row = E[k * m + j :]
            one = E[k * m + i] + 0.0
            a = a + one * row[0]
            b = b + one * row[1]
            c = c + one * row[2]
            d = d + one * row[3]
        r[j] = a
        r[j + 1] = b
        r[j + 2] = c
        r[j + 3] = d
        j += 4
