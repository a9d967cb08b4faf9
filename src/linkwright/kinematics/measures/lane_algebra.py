"""Cholesky factors, reflections and singular values of small matrices, one matrix per lane.

In the compiler's subset of Python. Nothing depends on what other lanes hold: steps that a lane does not need leave its
numbers as they are, bit for bit.
"""

from __future__ import annotations

from linkwright.compiler.native import Ints, Row, Rows, choose_by_lane, fill_lanes, is_any_lane_true, square_roots
from linkwright.numerics.tolerances import ORTHOGONAL_COLUMNS, ROUNDED_SUM, ZERO_COLUMN, ZERO_SQUARE

# Sweeps over pairs of columns, at most.
SWEEPS = 24

# Steps to an eigenvalue at most, and after how many longer ones begin.
STEPS = 120
PLAIN = 2

# Share of the eigenvalues seen nearby that longer steps take for one, at first; its factors after a step that stayed
# outside and after one that did not; and a number whose addition rounds to whole numbers.
BOLD = 0.5
BOLDER = 1.3
SHYER = 0.6
WHOLE = 6755399441055744.0


def dot_product(n: int, x: Rows, y: Rows) -> Row:
    """Sum of products, in four sums so that none waits for the last addition."""
    a = fill_lanes(0.0)
    b = fill_lanes(0.0)
    c = fill_lanes(0.0)
    d = fill_lanes(0.0)
    j = 0
    while j + 3 < n:
        a = a + x[j] * y[j]
        b = b + x[j + 1] * y[j + 1]
        c = c + x[j + 2] * y[j + 2]
        d = d + x[j + 3] * y[j + 3]
        j += 4
    while j < n:
        a = a + x[j] * y[j]
        j += 1
    return (a + b) + (c + d)


def cholesky_factor(n: int, first: Ints, A: Rows) -> None:
    """The lower factor of a symmetric positive matrix (n, n), in its place; the diagonal holds inverses.

    Row i of the matrix and of its factor begins at column first[i]; what stands left of it is not read.
    """
    i = 0
    while i < n:
        if i + 2 < n and first[i + 1] == first[i] and first[i + 2] == first[i]:
            factor_three_rows(n, i, first, A)
            i += 3
        else:
            for j in range(first[i], i + 1):
                start = max(first[i], first[j])
                total = A[i * n + j] - dot_product(j - start, A[i * n + start :], A[j * n + start :])
                if i == j:
                    A[i * n + i] = 1.0 / square_roots(total)
                else:
                    A[i * n + j] = total * A[j * n + j]
            i += 1


def factor_three_rows(n: int, i: int, first: Ints, A: Rows) -> None:
    """Three rows of `cholesky_factor` that begin in the same column: they read the rows above together."""
    x = A[i * n :]
    y = A[(i + 1) * n :]
    z = A[(i + 2) * n :]
    for j in range(first[i], i + 3):
        row = A[j * n :]
        a = x[j] + 0.0
        b = y[j] + 0.0
        c = z[j] + 0.0
        for k in range(max(first[i], first[j]), min(i, j)):
            a = a - x[k] * row[k]
            b = b - y[k] * row[k]
            c = c - z[k] * row[k]
        if j < i:
            x[j] = a * row[j]
            y[j] = b * row[j]
            z[j] = c * row[j]
        if j == i:
            x[i] = 1.0 / square_roots(a)
            y[i] = b * x[i]
            z[i] = c * x[i]
        if j == i + 1:
            y[j] = 1.0 / square_roots(b - y[i] * y[i])
            z[j] = (c - z[i] * y[i]) * y[j]
        if j == i + 2:
            z[j] = 1.0 / square_roots(c - (z[i] * z[i] + z[i + 1] * z[i + 1]))


def forward_substitution(n: int, m: int, first: Ints, C: Rows, B: Rows) -> None:
    """B (n, m) becomes C^-1 B, with C from `cholesky_factor`."""
    for i in range(n):
        own = B[i * m :]
        factor = C[i * n :]
        inverse = C[i * n + i] + 0.0
        start = first[i]
        j = 0
        while j + 3 < m:
            a = own[j] + 0.0
            b = own[j + 1] + 0.0
            c = own[j + 2] + 0.0
            d = own[j + 3] + 0.0
            for k in range(start, i):
                row = B[k * m + j :]
                a = a - factor[k] * row[0]
                b = b - factor[k] * row[1]
                c = c - factor[k] * row[2]
                d = d - factor[k] * row[3]
            own[j] = a * inverse
            own[j + 1] = b * inverse
            own[j + 2] = c * inverse
            own[j + 3] = d * inverse
            j += 4
        while j < m:
            a = own[j] + 0.0
            for k in range(start, i):
                a = a - factor[k] * B[k * m + j]
            own[j] = a * inverse
            j += 1


def householder_vector(n: int, x: Rows, v: Rows) -> Row:
    """The vector v of the reflection 1 - beta v v^T that takes x (n,) to its first axis; x[0] becomes what it is there,
    and the result is beta."""
    total = dot_product(n, x, x)
    size = square_roots(total)
    first = choose_by_lane(x[0] > 0.0, 0.0 - size, size)
    v[0] = x[0] - first
    for j in range(1, n):
        v[j] = x[j] + 0.0
    square = total - x[0] * x[0] + v[0] * v[0]
    x[0] = first
    return choose_by_lane(square > 0.0, 2.0 / choose_by_lane(square > 0.0, square, 1.0), 0.0)


def reflect_matrix_rows(n: int, stride: int, m: int, beta: Row, v: Rows, A: Rows) -> None:
    """Rows A (m, n), so far apart, become A (1 - beta v v^T); four at a time, which read v together."""
    i = 0
    while i + 3 < m:
        x = A[i * stride :]
        y = A[(i + 1) * stride :]
        z = A[(i + 2) * stride :]
        u = A[(i + 3) * stride :]
        a = fill_lanes(0.0)
        b = fill_lanes(0.0)
        c = fill_lanes(0.0)
        d = fill_lanes(0.0)
        for j in range(n):
            a = a + v[j] * x[j]
            b = b + v[j] * y[j]
            c = c + v[j] * z[j]
            d = d + v[j] * u[j]
        a = beta * a
        b = beta * b
        c = beta * c
        d = beta * d
        for j in range(n):
            x[j] = x[j] - a * v[j]
            y[j] = y[j] - b * v[j]
            z[j] = z[j] - c * v[j]
            u[j] = u[j] - d * v[j]
        i += 4
    while i < m:
        x = A[i * stride :]
        a = beta * dot_product(n, v, x)
        for j in range(n):
            x[j] = x[j] - a * v[j]
        i += 1


def largest_row_first(lanes: int, k: int, n: int, m: int, A: Rows, w: Rows) -> None:
    """Exchange row k of A (n, m) with that of the rows below whose part from column k on is largest, in every lane."""
    best = fill_lanes(-1.0)
    where = fill_lanes(0.0)
    for i in range(k, n):
        total = dot_product(m - k, A[i * m + k :], A[i * m + k :])
        where = choose_by_lane(total > best, float(i), where)
        best = choose_by_lane(total > best, total, best)
    w[0] = where
    for lane in range(lanes):
        i = int(w[0, lane])
        for j in range(m):
            kept = A[k * m + j, lane]
            A[k * m + j, lane] = A[i * m + j, lane]
            A[i * m + j, lane] = kept


def make_lower_triangular(lanes: int, n: int, m: int, rank: int, A: Rows, V: Rows, beta: Rows, w: Rows) -> None:
    """A (n, m) of a rank becomes lower triangular by reflections from the right: V (rank, m), row k from column k on.

    Rows are pivoted where some are redundant.
    """
    for k in range(rank):
        if rank < n:
            largest_row_first(lanes, k, n, m, A, w)
        v = V[k * m + k :]
        beta[k] = householder_vector(m - k, A[k * m + k :], v)
        reflect_matrix_rows(m - k, m, n - k - 1, beta[k], v, A[(k + 1) * m + k :])


def null_space_of_triangular(m: int, rank: int, V: Rows, beta: Rows, T: Rows) -> None:
    """Orthonormal vectors T (m - rank, m) that `make_lower_triangular` takes to zero."""
    for c in range(m - rank):
        for j in range(m):
            T[c * m + j] = fill_lanes(0.0)
        T[c * m + rank + c] = fill_lanes(1.0)
    for back in range(rank):
        k = rank - 1 - back
        reflect_matrix_rows(m - k, m, m - rank, beta[k], V[k * m + k :], T[k:])


def reflect_columns(n: int, stride: int, m: int, beta: Row, v: Rows, A: Rows) -> None:
    """Columns A (n, m), with rows so far apart, become (1 - beta v v^T) A."""
    j = 0
    while j + 3 < m:
        a = fill_lanes(0.0)
        b = fill_lanes(0.0)
        c = fill_lanes(0.0)
        d = fill_lanes(0.0)
        for i in range(n):
            row = A[i * stride + j :]
            a = a + v[i] * row[0]
            b = b + v[i] * row[1]
            c = c + v[i] * row[2]
            d = d + v[i] * row[3]
        a = beta * a
        b = beta * b
        c = beta * c
        d = beta * d
        for i in range(n):
            row = A[i * stride + j :]
            row[0] = row[0] - a * v[i]
            row[1] = row[1] - b * v[i]
            row[2] = row[2] - c * v[i]
            row[3] = row[3] - d * v[i]
        j += 4
    while j < m:
        a = fill_lanes(0.0)
        for i in range(n):
            a = a + v[i] * A[i * stride + j]
        a = beta * a
        for i in range(n):
            A[i * stride + j] = A[i * stride + j] - a * v[i]
        j += 1


def make_bidiagonal(n: int, m: int, A: Rows, w: Rows, v: Rows, d: Rows, e: Rows) -> None:
    """A (n, m), n >= m, by reflections from both sides: diagonal d (m,) and what stands right of it, e (m - 1,)."""
    for k in range(m):
        for i in range(k, n):
            w[i - k] = A[i * m + k]
        beta = householder_vector(n - k, w, v)
        d[k] = w[0]
        reflect_columns(n - k, m, m - k - 1, beta, v, A[k * m + k + 1 :])
        if k + 1 < m:
            beta = householder_vector(m - k - 1, A[k * m + k + 1 :], v)
            e[k] = A[k * m + k + 1]
            reflect_matrix_rows(m - k - 1, m, n - k - 1, beta, v, A[(k + 1) * m + k + 1 :])


def square_bidiagonal(m: int, d: Rows, e: Rows) -> None:
    """Squares of a bidiagonal matrix, divided by their sum, in its place."""
    total = fill_lanes(0.0)
    for k in range(m):
        d[k] = d[k] * d[k]
        total = total + d[k]
    for k in range(m - 1):
        e[k] = e[k] * e[k]
        total = total + e[k]
    total = choose_by_lane(total > 0.0, total, 1.0)
    for k in range(m):
        d[k] = choose_by_lane(d[k] > ZERO_SQUARE * total, d[k] / total, ZERO_SQUARE)
    for k in range(m - 1):
        e[k] = e[k] / total


def extreme_eigenvalues(m: int, d: Rows, e: Rows, w: Rows) -> None:
    """The smallest eigenvalue of B^T B in w[0] and the largest in w[1], from the squares of B, by Laguerre's steps.

    Steps come from outside, those of both eigenvalues side by side: neither waits for the other's divisions. Where
    several eigenvalues lie together steps are short, so after some the longer ones of a root of nearly that
    multiplicity are tried; a lane that passes an eigenvalue by one goes back and is less bold. As P^2 / S falls to the
    multiplicity of the extreme eigenvalue, whole numbers give it exactly. A lane ends where the next step, shorter than
    this one at least as this is than the last, would be rounding. w has 18 rows.
    """
    w[0] = fill_lanes(0.0)
    w[1] = largest_row(m, d, e)
    for i in range(2):
        w[2 + i] = w[i]
        w[4 + i] = fill_lanes(1.0)
        w[6 + i] = fill_lanes(0.0)
        w[8 + i] = fill_lanes(BOLD)
        w[10 + i] = fill_lanes(1.0)
    count = 0
    while count < STEPS and is_any_lane_true(w[10] + w[11] > 0.0):
        count += 1
        pivot_sums(m, w[0], w[1], d, e, w[12:])
        laguerre_step(m, 1.0, count > PLAIN, w)
        laguerre_step(m, -1.0, count > PLAIN, w[1:])


def largest_row(m: int, d: Rows, e: Rows) -> Row:
    """The largest sum of magnitudes of a row of B^T B, from the squares of B, or 1, their sum, where that is less: no
    eigenvalue is larger."""
    most = fill_lanes(0.0)
    before = fill_lanes(0.0)
    own = d[0] + 0.0
    for k in range(m - 1):
        beside = square_roots(d[k] * e[k])
        total = before + own + beside
        most = choose_by_lane(total > most, total, most)
        own = d[k + 1] + e[k]
        before = beside
    total = before + own
    most = choose_by_lane(total > most, total, most)
    most = most * (1.0 + ROUNDED_SUM)
    return choose_by_lane(most < 1.0, most, 1.0)


def pivot_sums(m: int, x: Row, y: Row, d: Rows, e: Rows, sums: Rows) -> None:
    """Sums P and S of Laguerre's step, and 1 where no pivot passed zero, of B^T B - x and, next to each, B^T B - y.

    The pivots come by stationary differences of quotients, which keep small eigenvalues to relative rounding.
    """
    s = 0.0 - x
    s1 = fill_lanes(-1.0)
    s2 = fill_lanes(0.0)
    P = fill_lanes(0.0)
    S = fill_lanes(0.0)
    inside = fill_lanes(1.0)
    t = 0.0 - y
    t1 = fill_lanes(-1.0)
    t2 = fill_lanes(0.0)
    Q = fill_lanes(0.0)
    T = fill_lanes(0.0)
    within = fill_lanes(1.0)
    for k in range(m):
        D = s + d[k]
        F = t + d[k]
        inside = choose_by_lane(D > 0.0, inside, 0.0)
        within = choose_by_lane(F < 0.0, within, 0.0)
        inverse = 1.0 / D
        other = 1.0 / F
        r = s1 * inverse
        q = t1 * other
        P = P + r
        Q = Q + q
        S = S + (r * r - s2 * inverse)
        T = T + (q * q - t2 * other)
        if k + 1 < m:
            ratio = e[k] * inverse
            turn = ratio * (d[k] * inverse)
            s1 = turn * s1
            s2 = turn * s2 - (r + r) * s1
            s1 = s1 - 1.0
            s = s * ratio - x
            ratio = e[k] * other
            turn = ratio * (d[k] * other)
            t1 = turn * t1
            t2 = turn * t2 - (q + q) * t1
            t1 = t1 - 1.0
            t = t * ratio - y
    sums[0] = abs(P)
    sums[1] = abs(Q)
    sums[2] = S
    sums[3] = T
    sums[4] = inside
    sums[5] = within


def laguerre_step(m: int, sign: float, longer_too: bool, w: Rows) -> None:
    """One of Laguerre's steps of `extreme_eigenvalues`; every other row of w: eigenvalue, plain step, length of the
    last step, 1
    where it was longer, boldness, 1 where steps go on, P, S, and 1 where the eigenvalue is outside all others."""
    n = float(m)
    x = w[0] + 0.0
    going = w[10] + 0.0
    P = w[12] + 0.0
    S = w[14] + 0.0
    inside = w[16] + 0.0
    under = n * S - P * P
    under = choose_by_lane(under > 0.0, under, 0.0)
    step = n / (P + square_roots((n - 1.0) * under))
    many = (w[8] * (P * P / S) - 0.48 + WHOLE) - WHOLE
    many = choose_by_lane(many > 1.0, many, 1.0)
    longer = n / (P + square_roots((n / many - 1.0) * under))
    back = choose_by_lane(inside > 0.0, 0.0, w[6])
    bold = choose_by_lane(w[6] > 0.0, choose_by_lane(inside > 0.0, BOLDER, SHYER), 1.0) * w[8]
    w[8] = choose_by_lane(bold < 1.0, bold, 1.0)
    going = choose_by_lane(inside + back > 0.0, going, 0.0)
    plain = choose_by_lane(inside > 0.0, x + sign * step, w[2])
    w[2] = plain
    jumped = fill_lanes(0.0)
    if longer_too:
        jumped = choose_by_lane(longer > 1.02 * step, inside, 0.0)
    w[6] = jumped
    moved = choose_by_lane(jumped > 0.0, x + sign * longer, plain)
    moved = choose_by_lane(going > 0.0, moved, x)
    length = abs(moved - x)
    before = w[4] + 0.0
    w[10] = choose_by_lane(
        length * choose_by_lane(length < before, length, before) > ROUNDED_SUM * abs(moved) * before, going, 0.0
    )
    w[4] = length
    w[0] = moved


def orthogonalize_columns(n: int, m: int, H: Rows) -> None:
    """Columns H (m, n) turned into each other until they are orthogonal (one-sided Jacobi)."""
    total = fill_lanes(0.0)
    for i in range(n * m):
        total = total + H[i] * H[i]
    floor = ZERO_COLUMN * total
    turned = fill_lanes(1.0)
    count = 0
    while count < SWEEPS and is_any_lane_true(turned > 0.0):
        count += 1
        turned = fill_lanes(0.0)
        for p in range(m - 1):
            for q in range(p + 1, m):
                turned = choose_by_lane(turn_pair(n, floor, H[p * n :], H[q * n :]) > 0.0, 1.0, turned)


def turn_pair(n: int, floor: Row, x: Rows, y: Rows) -> Row:
    """Two columns made orthogonal; 1 in the lanes in which they were not."""
    a = fill_lanes(0.0)
    b = fill_lanes(0.0)
    g = fill_lanes(0.0)
    for i in range(n):
        a = a + x[i] * x[i]
        b = b + y[i] * y[i]
        g = g + x[i] * y[i]
    turned = choose_by_lane(abs(g) > ORTHOGONAL_COLUMNS * square_roots(a * b), 1.0, 0.0)
    turned = choose_by_lane(abs(g) > floor, turned, 0.0)
    if is_any_lane_true(turned > 0.0):
        zeta = (b - a) / choose_by_lane(turned > 0.0, 2.0 * g, 1.0)
        tangent = 1.0 / (abs(zeta) + square_roots(1.0 + zeta * zeta))
        tangent = choose_by_lane(zeta > 0.0, tangent, 0.0 - tangent)
        tangent = choose_by_lane(turned > 0.0, tangent, 0.0)
        c = 1.0 / square_roots(1.0 + tangent * tangent)
        s = c * tangent
        for i in range(n):
            first = x[i] + 0.0
            x[i] = c * first - s * y[i]
            y[i] = s * first + c * y[i]
    return turned


def column_lengths(n: int, m: int, H: Rows, size: Rows) -> None:
    """Lengths of columns H (m, n)."""
    for p in range(m):
        total = fill_lanes(0.0)
        for i in range(n):
            total = total + H[p * n + i] * H[p * n + i]
        size[p] = square_roots(total)


def largest_first(lanes: int, n: int, m: int, H: Rows, size: Rows) -> None:
    """Columns H (m, n) and their lengths sorted, largest first, in every lane."""
    for lane in range(lanes):
        for p in range(m):
            best = p
            for q in range(p + 1, m):
                if size[q, lane] > size[best, lane]:
                    best = q
            if best > p:
                kept = size[p, lane]
                size[p, lane] = size[best, lane]
                size[best, lane] = kept
                for i in range(n):
                    kept = H[p * n + i, lane]
                    H[p * n + i, lane] = H[best * n + i, lane]
                    H[best * n + i, lane] = kept
