"""Symmetric matrices, one per lane: congruence with a factor, tridiagonal form, eigenvalues. Lower triangles are read.

In the compiler's subset of Python, as `algebra`.
"""

from __future__ import annotations

from linkwright.compiler.native import Ints, Row, Rows, choose_by_lane, fill_lanes, square_roots
from linkwright.kinematics.measures.lane_algebra import dot_product


def backward_substitution(n: int, m: int, C: Rows, B: Rows) -> None:
    """B (n, m) becomes C^-T B, with a full C from `cholesky_factor`."""
    for back in range(n):
        i = n - 1 - back
        for j in range(m):
            total = B[i * m + j] + 0.0
            for k in range(i + 1, n):
                total = total - C[k * n + i] * B[k * m + j]
            B[i * m + j] = total * C[i * n + i]


def congruent_transform(n: int, first: Ints, last: Ints, C: Rows, A: Rows, Y: Rows) -> None:
    """The lower triangle of C^-1 A C^-T in Y, with C from `cholesky_factor`; rows of A begin where those of C do.

    They do so by six: three rows and three columns are solved together. last[i] is the last column in which a row
    begins at row i or above: right of it C^-1 A is zero there.
    """
    i = 0
    while i < n:
        for k in range(i, i + 3):
            mirror_row(n, k, first, last[k] + 1, A, Y[k * n :])
        solve_three_rows(n, i, first[i], last[i] + 1, C, Y)
        i += 3
    i = 0
    while i < n:
        solve_three_columns(n, i, first, C, Y[i * n :])
        i += 3


def mirror_row(n: int, i: int, first: Ints, end: int, A: Rows, own: Rows) -> None:
    """Row i of a symmetric matrix from its lower triangle, zero where rows of that do not reach."""
    for j in range(first[i]):
        own[j] = fill_lanes(0.0)
    for j in range(first[i], i):
        own[j] = A[i * n + j]
    for j in range(i, n):
        own[j] = fill_lanes(0.0)
        if j < end and first[j] <= i:
            own[j] = A[j * n + i]


def solve_three_rows(n: int, i: int, start: int, end: int, C: Rows, Y: Rows) -> None:
    """Three rows of Y from i on become those of C^-1 Y, up to a column; rows of C begin in column `start`."""
    x = C[i * n :]
    y = C[(i + 1) * n :]
    z = C[(i + 2) * n :]
    y0 = y[i] + 0.0
    z0 = z[i] + 0.0
    z1 = z[i + 1] + 0.0
    j = 0
    while j < end:
        u = Y[i * n + j :]
        v = Y[(i + 1) * n + j :]
        w = Y[(i + 2) * n + j :]
        a0 = u[0] + 0.0
        a1 = u[1] + 0.0
        a2 = u[2] + 0.0
        b0 = v[0] + 0.0
        b1 = v[1] + 0.0
        b2 = v[2] + 0.0
        c0 = w[0] + 0.0
        c1 = w[1] + 0.0
        c2 = w[2] + 0.0
        for k in range(start, i):
            row = Y[k * n + j :]
            a0 = a0 - x[k] * row[0]
            a1 = a1 - x[k] * row[1]
            a2 = a2 - x[k] * row[2]
            b0 = b0 - y[k] * row[0]
            b1 = b1 - y[k] * row[1]
            b2 = b2 - y[k] * row[2]
            c0 = c0 - z[k] * row[0]
            c1 = c1 - z[k] * row[1]
            c2 = c2 - z[k] * row[2]
        a0 = a0 * x[i]
        a1 = a1 * x[i]
        a2 = a2 * x[i]
        b0 = (b0 - y0 * a0) * y[i + 1]
        b1 = (b1 - y0 * a1) * y[i + 1]
        b2 = (b2 - y0 * a2) * y[i + 1]
        c0 = (c0 - (z0 * a0 + z1 * b0)) * z[i + 2]
        c1 = (c1 - (z0 * a1 + z1 * b1)) * z[i + 2]
        c2 = (c2 - (z0 * a2 + z1 * b2)) * z[i + 2]
        u[0] = a0
        u[1] = a1
        u[2] = a2
        v[0] = b0
        v[1] = b1
        v[2] = b2
        w[0] = c0
        w[1] = c1
        w[2] = c2
        j += 3


def solve_three_columns(n: int, i: int, first: Ints, C: Rows, Y: Rows) -> None:
    """Three rows of Y become those of Y C^-T, up to column i + 2."""
    x = Y[0:]
    y = Y[n:]
    z = Y[2 * n :]
    j = 0
    while j <= i:
        p = C[j * n :]
        q = C[(j + 1) * n :]
        r = C[(j + 2) * n :]
        a0 = x[j] + 0.0
        a1 = x[j + 1] + 0.0
        a2 = x[j + 2] + 0.0
        b0 = y[j] + 0.0
        b1 = y[j + 1] + 0.0
        b2 = y[j + 2] + 0.0
        c0 = z[j] + 0.0
        c1 = z[j + 1] + 0.0
        c2 = z[j + 2] + 0.0
        for k in range(first[j], j):
            a0 = a0 - x[k] * p[k]
            a1 = a1 - x[k] * q[k]
            a2 = a2 - x[k] * r[k]
            b0 = b0 - y[k] * p[k]
            b1 = b1 - y[k] * q[k]
            b2 = b2 - y[k] * r[k]
            c0 = c0 - z[k] * p[k]
            c1 = c1 - z[k] * q[k]
            c2 = c2 - z[k] * r[k]
        q0 = q[j] + 0.0
        r0 = r[j] + 0.0
        r1 = r[j + 1] + 0.0
        p0 = p[j] + 0.0
        q1 = q[j + 1] + 0.0
        r2 = r[j + 2] + 0.0
        a0 = a0 * p0
        b0 = b0 * p0
        c0 = c0 * p0
        a1 = (a1 - a0 * q0) * q1
        b1 = (b1 - b0 * q0) * q1
        c1 = (c1 - c0 * q0) * q1
        x[j] = a0
        y[j] = b0
        z[j] = c0
        x[j + 1] = a1
        y[j + 1] = b1
        z[j + 1] = c1
        x[j + 2] = (a2 - (a0 * r0 + a1 * r1)) * r2
        y[j + 2] = (b2 - (b0 * r0 + b1 * r1)) * r2
        z[j + 2] = (c2 - (c0 * r0 + c1 * r1)) * r2
        j += 3


def make_tridiagonal(n: int, A: Rows, u: Rows, r: Rows, d: Rows, e: Rows) -> None:
    """A (n, n) by reflections from both sides: diagonal d (n,) and what stands below it, e (n - 1,).

    A reflection 1 - beta v v^T takes v p^T + p v^T from what is left of A, where p is made of A v. That is done by the
    same pass that multiplies by the vector of the next reflection. u and r hold both vectors and both products, (2 n,).
    """
    for i in range(n):
        u[i] = fill_lanes(0.0)
        r[i] = fill_lanes(0.0)
    old = 0
    for k in range(n - 1):
        new = n - old
        m = n - k - 1
        rest = A[k * n + k :]
        v = u[old:]
        p = r[old:]
        d[k] = rest[0] - 2.0 * v[0] * p[0]
        beta = reflect_below(n, m, rest, v, p, u[new:], e[k:])
        update_product(n, m, rest[n + 1 :], v[1:], p[1:], u[new:], r[new:])
        v = u[new:]
        p = r[new:]
        half = 0.5 * beta * beta * dot_product(m, p, v)
        for i in range(m):
            p[i] = beta * p[i] - half * v[i]
        old = new
    d[n - 1] = A[n * n - 1] - 2.0 * u[old] * r[old]


def reflect_below(n: int, m: int, A: Rows, v: Rows, p: Rows, u: Rows, e: Rows) -> Row:
    """The reflection 1 - beta u u^T of what stands below A[0], m rows n apart, of A - v p^T - p v^T: u (m,) and, as the
    result, beta. It becomes e[0] on its first axis."""
    v0 = v[0] + 0.0
    p0 = p[0] + 0.0
    total = fill_lanes(0.0)
    for i in range(m):
        x = A[(i + 1) * n] - (v[i + 1] * p0 + p[i + 1] * v0)
        u[i] = x
        total = total + x * x
    first = u[0] + 0.0
    size = square_roots(total)
    size = choose_by_lane(first > 0.0, 0.0 - size, size)
    u[0] = first - size
    e[0] = size
    square = total - first * first + u[0] * u[0]
    return choose_by_lane(square > 0.0, 2.0 / choose_by_lane(square > 0.0, square, 1.0), 0.0)


def update_product(n: int, m: int, A: Rows, v: Rows, p: Rows, u: Rows, r: Rows) -> None:
    """A (m, m) with rows n apart becomes A - v p^T - p v^T, and r = A u; m mod 4 rows alone, then four at a time."""
    i = m
    while i > 3:
        i -= 4
    for k in range(i):
        x = A[k * n :]
        a = fill_lanes(0.0)
        for j in range(k):
            x[j] = x[j] - (v[k] * p[j] + p[k] * v[j])
            a = a + x[j] * u[j]
            r[j] = r[j] + x[j] * u[k]
        x[k] = x[k] - 2.0 * v[k] * p[k]
        r[k] = a + x[k] * u[k]
    while i < m:
        update_corner(n, A[i * n + i :], v[i:], p[i:], u[i:], r[i:])
        update_strip(n, i, A[i * n :], v, p, u, r)
        i += 4


def update_corner(n: int, A: Rows, v: Rows, p: Rows, u: Rows, r: Rows) -> None:
    """The corner A (4, 4) of four rows becomes A - v p^T - p v^T, and r = A u of this corner."""
    x = A[n:]
    y = A[2 * n :]
    z = A[3 * n :]
    f = A[0] - 2.0 * v[0] * p[0]
    g = x[1] - 2.0 * v[1] * p[1]
    h = y[2] - 2.0 * v[2] * p[2]
    l = z[3] - 2.0 * v[3] * p[3]
    A[0] = f
    x[1] = g
    y[2] = h
    z[3] = l
    a = f * u[0]
    b = g * u[1]
    c = h * u[2]
    d = l * u[3]
    f = x[0] - (v[1] * p[0] + p[1] * v[0])
    g = y[0] - (v[2] * p[0] + p[2] * v[0])
    h = z[0] - (v[3] * p[0] + p[3] * v[0])
    x[0] = f
    y[0] = g
    z[0] = h
    a = a + (f * u[1] + g * u[2] + h * u[3])
    b = b + f * u[0]
    c = c + g * u[0]
    d = d + h * u[0]
    f = y[1] - (v[2] * p[1] + p[2] * v[1])
    g = z[1] - (v[3] * p[1] + p[3] * v[1])
    h = z[2] - (v[3] * p[2] + p[3] * v[2])
    y[1] = f
    z[1] = g
    z[2] = h
    r[0] = a
    r[1] = b + (f * u[2] + g * u[3])
    r[2] = c + (f * u[1] + h * u[3])
    r[3] = d + (g * u[1] + h * u[2])


def update_strip(n: int, i: int, A: Rows, v: Rows, p: Rows, u: Rows, r: Rows) -> None:
    """The strip A (4, i) left of the corner at i becomes A - v p^T - p v^T; A u and A^T u of it are added to r."""
    w = A[0:]
    x = A[n:]
    y = A[2 * n :]
    z = A[3 * n :]
    v0 = v[i] + 0.0
    v1 = v[i + 1] + 0.0
    v2 = v[i + 2] + 0.0
    v3 = v[i + 3] + 0.0
    p0 = p[i] + 0.0
    p1 = p[i + 1] + 0.0
    p2 = p[i + 2] + 0.0
    p3 = p[i + 3] + 0.0
    u0 = u[i] + 0.0
    u1 = u[i + 1] + 0.0
    u2 = u[i + 2] + 0.0
    u3 = u[i + 3] + 0.0
    a = r[i] + 0.0
    b = r[i + 1] + 0.0
    c = r[i + 2] + 0.0
    d = r[i + 3] + 0.0
    for j in range(i):
        f = w[j] - (v0 * p[j] + p0 * v[j])
        g = x[j] - (v1 * p[j] + p1 * v[j])
        h = y[j] - (v2 * p[j] + p2 * v[j])
        l = z[j] - (v3 * p[j] + p3 * v[j])
        a = a + f * u[j]
        b = b + g * u[j]
        c = c + h * u[j]
        d = d + l * u[j]
        r[j] = r[j] + ((f * u0 + g * u1) + (h * u2 + l * u3))
        w[j] = f
        x[j] = g
        y[j] = h
        z[j] = l
    r[i] = a
    r[i + 1] = b
    r[i + 2] = c
    r[i + 3] = d


def factor_tridiagonal(n: int, d: Rows, e: Rows) -> None:
    """A positive tridiagonal matrix becomes the squares of its bidiagonal factor, divided by their sum, in its place.

    The same as `algebra.squared` makes of the factor.
    """
    total = fill_lanes(0.0)
    for k in range(n):
        total = total + d[k]
    for k in range(n):
        d[k] = d[k] / total
    for k in range(n - 1):
        below = e[k] / total
        e[k] = below * below / d[k]
        d[k + 1] = d[k + 1] - e[k]
