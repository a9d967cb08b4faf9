"""Small dense matrices: factors, solutions, eigenvalues. In the compiler's subset of Python."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native.native_records import Rows
from linkwright.compiler.native.parsing import Floats, Ints

JACOBI_SWEEPS = 12
ORTHOGONAL = 1e-15  # cosine of an angle between rows that need not be turned
ROUNDED_ROW = 1e-26  # share of the largest square below which a row is rounding


def add_scaled_row(first: int, n: int, x: float, other: Floats, row: Floats) -> None:
    """Add x times another row to a row, from a number on, four numbers at a time: in registers, without a loop of
    vectors, whose beginning would take longer than short rows do."""
    j = first
    while j + 4 <= n:
        x0 = row[j] + x * other[j]
        x1 = row[j + 1] + x * other[j + 1]
        x2 = row[j + 2] + x * other[j + 2]
        x3 = row[j + 3] + x * other[j + 3]
        row[j] = x0
        row[j + 1] = x1
        row[j + 2] = x2
        row[j + 3] = x3
        j += 4
    while j < n:
        row[j] += x * other[j]
        j += 1


def scale_row(n: int, x: float, other: Floats, row: Floats) -> None:
    """Set a row to x times another row, in the same way: numbers are read again as wide as they were written."""
    j = 0
    while j + 4 <= n:
        x0 = 0.0 + x * other[j]
        x1 = 0.0 + x * other[j + 1]
        x2 = 0.0 + x * other[j + 2]
        x3 = 0.0 + x * other[j + 3]
        row[j] = x0
        row[j + 1] = x1
        row[j + 2] = x2
        row[j + 3] = x3
        j += 4
    while j < n:
        row[j] = 0.0 + x * other[j]
        j += 1


def factor_small_lu(n: int, columns: int, A: Floats, pivots: Ints) -> int:
    """LU factors of the first n columns of A (n, columns), with row exchanges, in its memory; 0 when it is singular.

    Further columns are eliminated with them: L^-1 times each, which `solve_upper` completes.
    """
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i * columns + k]) > abs(A[best * columns + k]):
                best = i
        pivots[k] = best
        if not abs(A[best * columns + k]) > 0.0:
            return 0
        upper = A[k * columns :]
        if best != k:
            other = A[best * columns :]
            for j in range(columns):
                x = upper[j]
                upper[j] = other[j]
                other[j] = x
        for i in range(k + 1, n):
            row = A[i * columns :]
            x = row[k]
            if x != 0.0:
                x = x / upper[k]
                add_scaled_row(k + 1, columns, -x, upper, row)
                row[k] = x
    return 1


def smallest_pivot(n: int, stride: int, A: Floats) -> float:
    """The smallest number on the diagonal of triangular factors, relative to the largest."""
    least = abs(A[0])
    most = least
    for i in range(1, n):
        size = abs(A[i * stride + i])
        least = min(least, size)
        most = max(most, size)
    return least / most


def solve_small_lu(n: int, columns: int, A: Floats, pivots: Ints, x: Rows) -> None:
    """Replace a right-hand side by the solution, with the factors of `factor_small_lu`."""
    solve_lower(n, columns, A, pivots, x)
    solve_upper(n, columns, A, x)


def solve_lower(n: int, columns: int, A: Floats, pivots: Ints, x: Rows) -> None:
    """Replace a right-hand side by L^-1 times it, its rows exchanged as those of A were."""
    for k in range(n):
        other = pivots[k]
        if other != k:
            z = x[k]
            x[k] = x[other]
            x[other] = z
    for i in range(n):
        row = A[i * columns :]
        total = x[i]
        for j in range(i):
            total -= row[j] * x[j]
        x[i] = total


def solve_upper(n: int, columns: int, A: Floats, x: Rows) -> None:
    """Replace a right-hand side by the solution with the upper triangle of A (n, columns)."""
    for r in range(n):
        i = n - 1 - r
        row = A[i * columns :]
        total = x[i]
        for j in range(i + 1, n):
            total -= row[j] * x[j]
        x[i] = total / row[i]


def invert_diagonal(n: int, stride: int, A: Floats, out: Floats) -> None:
    """One over every number on the diagonal of triangular factors."""
    for i in range(n):
        out[i] = 1.0 / A[i * stride + i]


def divide_by_upper(n: int, columns: int, A: Floats, diagonal: Floats, x: Rows) -> None:
    """The same as `solve_upper` with one over the diagonal, for many right-hand sides."""
    for r in range(n):
        i = n - 1 - r
        row = A[i * columns :]
        total = x[i]
        for j in range(i + 1, n):
            total -= row[j] * x[j]
        x[i] = total * diagonal[i]


def triangularize_rows(rank: int, m: int, n: int, least: float, A: Floats, order: Ints, H: Floats) -> int:
    """Reflections H (rank, n) that make the first rows of A (m, n) lower triangular, the largest remainder first.

    `order` takes the rows' numbers as they now stand. The result is how many there are: fewer than `rank` when no row
    has a remainder above a share `least` of the first.
    """
    first = 0.0
    for i in range(m):
        order[i] = i
    for k in range(rank):
        best = k
        most = -1.0
        for i in range(k, m):
            size = sum_of_squares(k, n, A[i * n :])
            if size > most:
                most = size
                best = i
        if k == 0:
            first = least * least * most
        if not most > first:
            return k
        if best != k:
            other = order[k]
            order[k] = order[best]
            order[best] = other
            for j in range(n):
                x = A[k * n + j]
                A[k * n + j] = A[best * n + j]
                A[best * n + j] = x
        make_reflection(k, n, sqrt(most), A[k * n :], H[k * n :])
        for i in range(k + 1, m):
            apply_reflection(k, n, H[k * n :], A[i * n :])
    return rank


def sum_of_squares(first: int, n: int, x: Floats) -> float:
    """The sum of squares of the numbers from the first on."""
    total = 0.0
    for j in range(first, n):
        total += x[j] * x[j]
    return total


def make_reflection(k: int, n: int, size: float, x: Floats, h: Floats) -> None:
    """The reflection 1 - h h^T that leaves of x[k:], of a given size, its first number only."""
    first = size
    if x[k] > 0.0:
        first = -size
    scale = 1.0 / sqrt(size * (size + abs(x[k])))
    for j in range(n):
        h[j] = 0.0
        if j >= k:
            h[j] = x[j] * scale
    h[k] = (x[k] - first) * scale
    x[k] = first
    for j in range(k + 1, n):
        x[j] = 0.0


def apply_reflection(k: int, n: int, h: Floats, x: Floats) -> None:
    """x - h (h^T x), of the numbers from k on."""
    total = 0.0
    for j in range(k, n):
        total += h[j] * x[j]
    if total != 0.0:
        add_scaled_row(k, n, -total, h, x)


def reflect_basis(rank: int, n: int, H: Floats, Q: Floats, w: Floats) -> None:
    """The product Q (n, n) of the reflections: its first columns span the rows, the others what is orthogonal."""
    for i in range(n * n):
        Q[i] = 0.0
    for i in range(n):
        Q[i * n + i] = 1.0
    for r in range(rank):
        k = rank - 1 - r
        h = H[k * n :]
        for j in range(k, n):
            w[j] = 0.0
        for i in range(k, n):
            add_scaled_row(k, n, h[i], Q[i * n :], w)
        for i in range(k, n):
            add_scaled_row(k, n, -h[i], w, Q[i * n :])


def orthogonalize_rows(m: int, n: int, A: Floats, x: Floats, squares: Floats) -> float:
    """Turn the rows of A (m, n), and numbers x (m,) with them, until the rows are orthogonal; the largest square.

    One-sided rotations of Jacobi; `squares` are those of the rows' lengths. Rows that are rounding of others stay.
    """
    most = 0.0
    for i in range(m):
        squares[i] = sum_of_squares(0, n, A[i * n :])
        most = max(most, squares[i])
    for _ in range(JACOBI_SWEEPS):
        turned = 0
        for i in range(m):
            for j in range(i + 1, m):
                if squares[i] > ROUNDED_ROW * most and squares[j] > ROUNDED_ROW * most:
                    a = A[i * n :]
                    b = A[j * n :]
                    product = 0.0
                    for k in range(n):
                        product += a[k] * b[k]
                    if abs(product) > ORTHOGONAL * sqrt(squares[i] * squares[j]):
                        turned = 1
                        tangent = rotation_tangent(squares[i], squares[j], product)
                        c = 1.0 / sqrt(1.0 + tangent * tangent)
                        s = c * tangent
                        for k in range(n):
                            y = a[k]
                            a[k] = c * y - s * b[k]
                            b[k] = s * y + c * b[k]
                        y = x[i]
                        x[i] = c * y - s * x[j]
                        x[j] = s * y + c * x[j]
                        squares[i] = sum_of_squares(0, n, a)
                        squares[j] = sum_of_squares(0, n, b)
        if turned == 0:
            break
    return most


def rotation_tangent(first: float, second: float, product: float) -> float:
    """Tangent of the angle by which two rows are turned to be orthogonal, from their squares and their product."""
    half = (second - first) / (2.0 * product)
    if half < 0.0:
        return -1.0 / (sqrt(1.0 + half * half) - half)
    return 1.0 / (sqrt(1.0 + half * half) + half)


def is_positive_definite(stride: int, n: int, A: Floats, column: Floats) -> bool:
    """Return True if a symmetric matrix (n, n) with rows so far apart, given by its lower triangle, has a Cholesky
    factor; it is overwritten."""
    for k in range(n):
        pivot = A[k * stride + k]
        if not pivot > 0.0:
            return False
        for i in range(k + 1, n):
            column[i] = A[i * stride + k]
        for i in range(k + 1, n):
            x = column[i] / pivot
            if x != 0.0:
                row = A[i * stride :]
                for j in range(k + 1, i + 1):
                    row[j] -= x * column[j]
    return True


MOST_SWEEPS = 40  # for one eigenvalue, or one pair


def find_eigenvalues(n: int, A: Floats, real: Floats, imaginary: Floats) -> int:
    """Eigenvalues of A (n, n), which is overwritten; 0 when they are not found."""
    reduce_to_hessenberg(n, A)
    size = 0.0
    for i in range(n * n):
        size += abs(A[i])
    last = n - 1
    sweeps = 0
    while last >= 0:
        first = first_unreduced_row(n, last, size, A)
        if first == last:
            real[last] = A[last * n + last]
            imaginary[last] = 0.0
            last -= 1
            sweeps = 0
        elif first == last - 1:
            solve_pair(n, first, A, real, imaginary)
            last -= 2
            sweeps = 0
        else:
            sweeps += 1
            if sweeps > MOST_SWEEPS:
                return 0
            double_shift_step(n, first, last, sweeps, A)
    return 1


def reduce_to_hessenberg(n: int, A: Floats) -> None:
    """Make all numbers below the first subdiagonal zero by eliminations, the largest pivot first."""
    for k in range(1, n - 1):
        best = k
        for i in range(k + 1, n):
            if abs(A[i * n + k - 1]) > abs(A[best * n + k - 1]):
                best = i
        pivot = A[best * n + k - 1]
        if pivot != 0.0:
            if best != k:
                for j in range(n):
                    x = A[k * n + j]
                    A[k * n + j] = A[best * n + j]
                    A[best * n + j] = x
                for i in range(n):
                    x = A[i * n + k]
                    A[i * n + k] = A[i * n + best]
                    A[i * n + best] = x
            for i in range(k + 1, n):
                x = A[i * n + k - 1] / pivot
                if x != 0.0:
                    for j in range(n):
                        A[i * n + j] -= x * A[k * n + j]
                    for j in range(n):
                        A[j * n + k] += x * A[j * n + i]
                A[i * n + k - 1] = 0.0


def first_unreduced_row(n: int, last: int, size: float, A: Floats) -> int:
    """The first row of the block that ends with the last one: the number left of its diagonal is rounding."""
    first = last
    while first > 0:
        around = abs(A[(first - 1) * n + first - 1]) + abs(A[first * n + first])
        if around == 0.0:
            around = size
        if abs(A[first * n + first - 1]) + around == around:
            A[first * n + first - 1] = 0.0
            return first
        first -= 1
    return first


def solve_pair(n: int, k: int, A: Floats, real: Floats, imaginary: Floats) -> None:
    """The two eigenvalues of the block of two rows that begins with row k."""
    x = A[(k + 1) * n + k + 1]
    product = A[(k + 1) * n + k] * A[k * n + k + 1]
    half = 0.5 * (A[k * n + k] - x)
    square = half * half + product
    root = sqrt(abs(square))
    real[k] = x + half
    real[k + 1] = x + half
    imaginary[k] = root
    imaginary[k + 1] = -root
    if square >= 0.0:
        far = half + root
        if half < 0.0:
            far = half - root
        real[k] = x + far
        real[k + 1] = x + far
        if far != 0.0:
            real[k + 1] = x - product / far
        imaginary[k] = 0.0
        imaginary[k + 1] = 0.0


def double_shift_step(n: int, first: int, last: int, times: int, A: Floats) -> None:
    """One step with both shifts of the last two rows: a reflection of three rows and columns moves down the block."""
    a = A[first * n + first]
    one = A[last * n + last] - a
    other = A[(last - 1) * n + last - 1] - a
    product = A[last * n + last - 1] * A[(last - 1) * n + last]
    if times == 10 or times == 20 or times == 30:
        size = abs(A[last * n + last - 1]) + abs(A[(last - 1) * n + last - 2])
        one = one + 0.75 * size
        other = one
        product = -0.4375 * size * size
    x = (one * other - product) / A[(first + 1) * n + first] + A[first * n + first + 1]
    y = A[(first + 1) * n + first + 1] - a - one - other
    z = A[(first + 2) * n + first + 1]
    for k in range(first, last):
        if k > first:
            x = A[k * n + k - 1]
            y = A[(k + 1) * n + k - 1]
            z = 0.0
            if k + 2 <= last:
                z = A[(k + 2) * n + k - 1]
        largest = max(abs(x), abs(y), abs(z))
        if largest > 0.0:
            x = x / largest
            y = y / largest
            z = z / largest
            length = sqrt(x * x + y * y + z * z)
            if x < 0.0:
                length = -length
            reflect_three(n, k, first, last, (x + length) / length, y / (x + length), z / (x + length), A)
            if k > first:
                A[(k + 1) * n + k - 1] = 0.0
                if k + 2 <= last:
                    A[(k + 2) * n + k - 1] = 0.0


def reflect_three(n: int, k: int, first: int, last: int, beta: float, y: float, z: float, A: Floats) -> None:
    """Apply the reflection 1 - beta (1, y, z)^T (1, y, z) to rows and columns k, k + 1, k + 2 of a block."""
    three = k + 2 <= last
    for j in range(max(first, k - 1), last + 1):
        x = A[k * n + j] + y * A[(k + 1) * n + j]
        if three:
            x += z * A[(k + 2) * n + j]
        x = beta * x
        A[k * n + j] -= x
        A[(k + 1) * n + j] -= x * y
        if three:
            A[(k + 2) * n + j] -= x * z
    for i in range(first, min(last, k + 3) + 1):
        x = A[i * n + k] + y * A[i * n + k + 1]
        if three:
            x += z * A[i * n + k + 2]
        x = beta * x
        A[i * n + k] -= x
        A[i * n + k + 1] -= x * y
        if three:
            A[i * n + k + 2] -= x * z
