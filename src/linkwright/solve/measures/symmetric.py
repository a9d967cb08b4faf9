"""Symmetric matrices, one per lane: congruence with a factor, tridiagonal form, eigenvalues. Lower triangles are read.

In the compiler's subset of Python, as `algebra`.
"""

from __future__ import annotations

from linkwright.compiler.native import Ints, Rows, spread
from linkwright.solve.measures.algebra import dot, reflection


def backward(n: int, m: int, C: Rows, B: Rows) -> None:
    """B (n, m) becomes C^-T B, with a full C from `cholesky`."""
    for back in range(n):
        i = n - 1 - back
        for j in range(m):
            total = B[i * m + j] + 0.0
            for k in range(i + 1, n):
                total = total - C[k * n + i] * B[k * m + j]
            B[i * m + j] = total * C[i * n + i]


def congruent(n: int, first: Ints, last: Ints, C: Rows, A: Rows, Y: Rows) -> None:
    """The lower triangle of C^-1 A C^-T in Y, with C from `cholesky`; rows of A begin where those of C do.

    last[i] is the last column in which a row begins at row i or above: right of it C^-1 A is zero there.
    """
    for i in range(n):
        left_solved(n, i, first, last[i] + 1, C, A, Y)
    i = 0
    while i + 3 < n:
        right_solved(n, i + 4, first, C, Y[i * n :])
        i += 4
    while i < n:
        own = Y[i * n :]
        for j in range(i + 1):
            start = first[j]
            own[j] = (own[j] - dot(j - start, own[start:], C[j * n + start :])) * C[j * n + j]
        i += 1


def left_solved(n: int, i: int, first: Ints, end: int, C: Rows, A: Rows, Y: Rows) -> None:
    """Row i of C^-1 A, up to a column."""
    own = Y[i * n :]
    factor = C[i * n :]
    start = first[i]
    for j in range(n):
        own[j] = spread(0.0)
    for j in range(start, i):
        own[j] = A[i * n + j]
    for j in range(i, end):
        if first[j] <= i:
            own[j] = A[j * n + i]
    inverse = factor[i] + 0.0
    j = 0
    while j < end:  # the last step may write into the next row, which begins anew
        rest = own[j:]
        a = rest[0] + 0.0
        b = rest[1] + 0.0
        c = rest[2] + 0.0
        d = rest[3] + 0.0
        for k in range(start, i):
            row = Y[k * n + j :]
            a = a - factor[k] * row[0]
            b = b - factor[k] * row[1]
            c = c - factor[k] * row[2]
            d = d - factor[k] * row[3]
        rest[0] = a * inverse
        rest[1] = b * inverse
        rest[2] = c * inverse
        rest[3] = d * inverse
        j += 4


def right_solved(n: int, m: int, first: Ints, C: Rows, Y: Rows) -> None:
    """The first m columns of four rows of Y C^-T, in their place."""
    x = Y[0:]
    y = Y[n:]
    z = Y[2 * n :]
    u = Y[3 * n :]
    for j in range(m):
        factor = C[j * n :]
        a = x[j] + 0.0
        b = y[j] + 0.0
        c = z[j] + 0.0
        d = u[j] + 0.0
        for k in range(first[j], j):
            a = a - x[k] * factor[k]
            b = b - y[k] * factor[k]
            c = c - z[k] * factor[k]
            d = d - u[k] * factor[k]
        x[j] = a * factor[j]
        y[j] = b * factor[j]
        z[j] = c * factor[j]
        u[j] = d * factor[j]


def tridiagonal(n: int, A: Rows, v: Rows, p: Rows, u: Rows, r: Rows, d: Rows, e: Rows) -> None:
    """A (n, n) by reflections from both sides: diagonal d (n,) and what stands below it, e (n - 1,).

    A reflection 1 - beta u u^T takes v p^T + p v^T from what is left of A, where p is made of A u. That is done by the
    same pass that multiplies by the next u.
    """
    for i in range(n):
        v[i] = spread(0.0)
        p[i] = spread(0.0)
    for k in range(n - 1):
        m = n - k - 1
        rest = A[k * n + k :]
        d[k] = rest[0] - 2.0 * v[0] * p[0]
        for i in range(m):
            r[i] = rest[(i + 1) * n] - (v[i + 1] * p[0] + p[i + 1] * v[0])
        beta = reflection(m, r, u)
        e[k] = r[0]
        lessened(n, m, rest[n + 1 :], v[1:], p[1:], u, r)
        half = 0.5 * beta * beta * dot(m, r, u)
        for i in range(m):
            v[i] = u[i]
            p[i] = beta * r[i] - half * u[i]
    d[n - 1] = A[n * n - 1] - 2.0 * v[0] * p[0]


def lessened(n: int, m: int, A: Rows, v: Rows, p: Rows, u: Rows, r: Rows) -> None:
    """A (m, m) with rows n apart becomes A - v p^T - p v^T, and r = A u; four rows at a time."""
    i = 0
    while i + 3 < m:
        four_lessened(n, i, A, v, p, u, r)
        i += 4
    while i < m:
        x = A[i * n :]
        a = spread(0.0)
        for j in range(i):
            x[j] = x[j] - (v[i] * p[j] + p[i] * v[j])
            a = a + x[j] * u[j]
            r[j] = r[j] + x[j] * u[i]
        x[i] = x[i] - 2.0 * v[i] * p[i]
        r[i] = a + x[i] * u[i]
        i += 1


def four_lessened(n: int, i: int, A: Rows, v: Rows, p: Rows, u: Rows, r: Rows) -> None:
    """The rows from i on of `lessened`: they read v, p, u and r together."""
    w = A[i * n :]
    x = A[(i + 1) * n :]
    y = A[(i + 2) * n :]
    z = A[(i + 3) * n :]
    a = spread(0.0)
    b = spread(0.0)
    c = spread(0.0)
    d = spread(0.0)
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
    for k in range(4):
        row = A[(i + k) * n + i :]
        for j in range(k + 1):
            row[j] = row[j] - (v[i + k] * p[i + j] + p[i + k] * v[i + j])
    r[i] = a + ((w[i] * u[i] + x[i] * u[i + 1]) + (y[i] * u[i + 2] + z[i] * u[i + 3]))
    r[i + 1] = b + ((x[i] * u[i] + x[i + 1] * u[i + 1]) + (y[i + 1] * u[i + 2] + z[i + 1] * u[i + 3]))
    r[i + 2] = c + ((y[i] * u[i] + y[i + 1] * u[i + 1]) + (y[i + 2] * u[i + 2] + z[i + 2] * u[i + 3]))
    r[i + 3] = d + ((z[i] * u[i] + z[i + 1] * u[i + 1]) + (z[i + 2] * u[i + 2] + z[i + 3] * u[i + 3]))


def factored(n: int, d: Rows, e: Rows) -> None:
    """A positive tridiagonal matrix becomes the squares of its bidiagonal factor, divided by their sum, in its place.

    The same as `algebra.squared` makes of the factor.
    """
    total = spread(0.0)
    for k in range(n):
        total = total + d[k]
    for k in range(n):
        d[k] = d[k] / total
    for k in range(n - 1):
        below = e[k] / total
        e[k] = below * below / d[k]
        d[k + 1] = d[k + 1] - e[k]
