"""Eigenvalues of small matrices without symmetry, by Hessenberg's form and double shifts. In the compiler's subset."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Floats

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
        first = unreduced_from(n, last, size, A)
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


def unreduced_from(n: int, last: int, size: float, A: Floats) -> int:
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
