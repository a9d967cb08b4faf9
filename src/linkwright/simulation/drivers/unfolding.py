"""Singular positions near a step: does a configuration that loses rank close the loops, and by how much not?

Near such a configuration the lost equations read x y = eps. With eps = 0 two branches cross, and the motion goes
straight on; with any other eps they pass each other, and the motion turns. The mismatch of lengths decides (8.16). In
the compiler's subset.
"""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Floats
from linkwright.compiler.native.small_matrices import (
    apply_reflection,
    find_eigenvalues,
    reflect_basis,
    triangularize_rows,
)
from linkwright.numerics.tolerances import CLOSED, SAME_CONFIGURATION
from linkwright.simulation.drivers.driver_records import Driver
from linkwright.simulation.drivers.tangent import largest_gap

ROUNDS = 8  # of the search for a singular configuration
SHIFT = 1e-5  # by which a configuration is moved to see how equations change
FOUND = 1e-9  # corrections below it end the search
SEEN = 1e-6  # changes of lost equations below this share of the largest are rounding
NEAR = 0.3  # of a step: singular configurations farther from it are others


def judge_sides(d: Driver) -> int:
    """What a step met, in `verdict`, and where; 0 when it is not found out.

    `surely_keeps_sides` has been asked before, and has left J(q_new) N in its factors.
    """
    t = d.tangent
    h = d.search
    k = d.k
    last = k[d.method.end * d.shape.stride :]
    crossings = count_changed_sides(d)
    for i in range(5):
        t.verdict[i] = 0.0
    if crossings <= 0:
        return int(crossings == 0)
    x = middle_fraction(crossings, d)
    size = 0.0
    for i in range(d.shape.nq):
        way = d.y_new[i] - d.y[i]
        bend = (1.0 - x) * (d.step.size * k[i] - way) - x * (d.step.size * last[i] - way)
        h.q[i] = d.y[i] + x * way + x * (1.0 - x) * bend
        h.q_from[i] = h.q[i]
        size += way * way
    t.verdict[0] = float(crossings)
    t.verdict[1] = x
    t.verdict[2] = 1.0
    found = find_nearest_singular(d)
    away = 0.0
    for i in range(d.shape.nq):
        t.q_singular[i] = h.q[i]
        away += (h.q[i] - h.q_from[i]) * (h.q[i] - h.q_from[i])
    if found != 0:
        t.verdict[2] = min(1.0, h.mismatch)
        t.verdict[3] = float(h.lost)
        exact = h.mismatch < CLOSED and h.moved < SAME_CONFIGURATION and away < NEAR * NEAR * size
        t.verdict[4] = float(int(exact))
    return 1


def count_changed_sides(d: Driver) -> int:
    """How many singular values change their sign in a step, -1 when it is not found out; `real` holds eigenvalues.

    With N the directions that the equations decide at q, these are the negative eigenvalues of (J(q) N)^-1 J(q_new) N.
    """
    t = d.tangent
    h = d.search
    n = t.nv
    r = t.rank
    L = t.triangle
    for i in range(r):
        side = t.normal[i]
        if L[i * n + i] < 0.0:
            side = -side
        for j in range(r):
            h.matrix[i * r + j] = side * t.JQ[i * n + j] * t.normal[j]
    if find_eigenvalues(r, h.matrix, h.real, h.imaginary) == 0:
        return -1
    many = 0
    for i in range(r):
        if h.real[i] < 0.0 and abs(h.imaginary[i]) < 0.5 * abs(h.real[i]):
            h.real[many] = h.real[i]
            many += 1
    return many


def middle_fraction(many: int, d: Driver) -> float:
    """The median of the fractions of the step, 1 / (1 - x) of an eigenvalue x, at which the signs change."""
    x = d.search.real
    for i in range(1, many):
        value = x[i]
        j = i
        while j > 0 and x[j - 1] > value:
            x[j] = x[j - 1]
            j -= 1
        x[j] = value
    half = int(0.5 * float(many))
    return 0.5 / (1.0 - x[half]) + 0.5 / (1.0 - x[many - 1 - half])


def find_nearest_singular(d: Driver) -> int:
    """Move `q` to the nearest configuration at which equations are lost and the others closed; 0 when it fails.

    With U and W the left and right directions of the lost equations, U^T J W = 0 there: Gauss-Newton steps. Directions
    of equations that repeat others count with them: at the singular configuration itself they cannot be distinguished.
    """
    h = d.search
    h.lost = 0
    h.away = 0.0
    for _ in range(ROUNDS):
        if count_lost_equations(d) == 0 or split_equations(d) == 0 or step_towards_singular(d) == 0:
            return 0
        if h.moved < FOUND:
            break
    if split_equations(d) == 0:
        return 0
    return find_mismatch(d)


def count_lost_equations(d: Driver) -> int:
    """Count the lost equations at the first configuration: pivots far below their usual size; 0 if too many."""
    t = d.tangent
    h = d.search
    n = t.nv
    if h.lost > 0:
        return 1
    if d.mechanics.equations(h.q, h.A) == 0:
        return 0
    for i in range(t.n_rows * n):
        h.A[i] = h.A[i] * t.units[i]
    sound = triangularize_rows(t.rank, t.n_rows, n, t.enter_share, h.A, h.order, h.reflections)
    h.lost = max(1, t.rank - sound)
    return int(h.lost <= h.most_lost)


def split_equations(d: Driver) -> int:
    """Divide the equations at the configuration: `rank - lost` sound rows as L N^T, the others as A W^T with the left
    directions U (of which the sound part is kept) that the sound rows do not see; 0 when it fails."""
    t = d.tangent
    h = d.search
    n = t.nv
    sound = t.rank - h.lost
    if d.mechanics.equations(h.q, h.A) == 0 or not largest_gap(d, h.q) < 1e300:
        return 0
    for i in range(t.n_rows * n):
        h.A[i] = h.A[i] * t.units[i]
    if triangularize_rows(sound, t.n_rows, n, 0.0, h.A, h.order, h.reflections) < sound:
        return 0
    reflect_basis(sound, n, h.reflections, h.Q, h.x)
    for i in range(sound, t.n_rows):
        row = h.U[(i - sound) * t.rank :]
        for b in range(sound):
            j = sound - 1 - b
            total = -h.A[i * n + j]
            for k in range(j + 1, sound):
                total -= row[k] * h.A[k * n + j]
            row[j] = total / h.A[j * n + j]
    return 1


def step_towards_singular(d: Driver) -> int:
    """One step towards the singular configuration; 0 when it fails."""
    t = d.tangent
    h = d.search
    n = t.nv
    sound = t.rank - h.lost
    wide = n - sound
    for j in range(sound):
        total = -t.gap[h.order[j]]
        for k in range(j):
            total -= h.A[j * n + k] * h.along[k]
        h.along[j] = total / h.A[j * n + j]
    if find_equation_changes(d) == 0:
        return 0
    solve_least_displacement(d)
    total = 0.0
    largest = 0.0
    for k in range(n):
        x = 0.0
        for j in range(n):
            x += h.Q[k * n + j] * h.along[j]
        total += x * x
        largest = max(largest, abs(x))
        h.x[k] = x * t.speeds[k]
    h.moved = sqrt(total)
    h.away += largest
    if d.mechanics.displace(h.q, h.x, h.q_at) == 0:
        return 0
    for i in range(d.shape.nq):
        h.q[i] = h.q_at[i]
    return int(wide > 0 and h.moved < 1e3)


def find_equation_changes(d: Driver) -> int:
    """Derivatives of U^T J W along the directions W, a row for each, and what is to become zero; 0 when it fails."""
    t = d.tangent
    h = d.search
    n = t.nv
    sound = t.rank - h.lost
    wide = n - sound
    tall = t.n_rows - sound
    for c in range(wide):
        if (
            evaluate_equations_beside(SHIFT, c, d, h.after) == 0
            or evaluate_equations_beside(-SHIFT, c, d, h.before) == 0
        ):
            return 0
        for i in range(t.n_rows * n):
            h.after[i] = (h.after[i] - h.before[i]) * (t.units[i] / (2.0 * SHIFT))
        for i in range(tall):
            project_on_left(i, d)
            out = h.changes[c * tall * wide + i * wide :]
            for e in range(wide):
                out[e] = 0.0
            for k in range(n):
                x = h.x[k]
                if x != 0.0:
                    w = h.Q[k * n + sound :]
                    for e in range(wide):
                        out[e] += x * w[e]
    for i in range(tall):
        for e in range(wide):
            h.right[i * wide + e] = -h.A[(sound + i) * n + sound + e]
    return 1


def evaluate_equations_beside(shift: float, c: int, d: Driver, out: Floats) -> int:
    """The equations beside the configuration along direction c of W."""
    t = d.tangent
    h = d.search
    n = t.nv
    sound = t.rank - h.lost
    for k in range(n):
        h.x[k] = shift * h.Q[k * n + sound + c] * t.speeds[k]
    if d.mechanics.displace(h.q, h.x, h.q_at) == 0:
        return 0
    return d.mechanics.equations(h.q_at, out)


def project_on_left(i: int, d: Driver) -> None:
    """Row i of U^T times the change of the equations, in `x`."""
    t = d.tangent
    h = d.search
    n = t.nv
    sound = t.rank - h.lost
    own = h.after[h.order[sound + i] * n :]
    left = h.U[i * t.rank :]
    for k in range(n):
        h.x[k] = own[k]
    for j in range(sound):
        u = left[j]
        if u != 0.0:
            row = h.after[h.order[j] * n :]
            for k in range(n):
                h.x[k] += u * row[k]


def solve_least_displacement(d: Driver) -> None:
    """The least displacement along W that makes U^T J W zero to first order, behind the sound part in `along`."""
    t = d.tangent
    h = d.search
    sound = t.rank - h.lost
    wide = t.nv - sound
    many = (t.n_rows - sound) * wide
    x = h.along[sound:]
    kept = triangularize_rows(min(wide, many), wide, many, SEEN, h.changes, h.columns, h.mirrors)
    for p in range(kept):
        apply_reflection(p, many, h.mirrors[p * many :], h.right)
    for p in range(kept):
        for c in range(wide):
            h.square[p * wide + h.columns[c]] = 0.0
            if c >= p:
                h.square[p * wide + h.columns[c]] = h.changes[c * many + p]
    done = triangularize_rows(kept, kept, wide, 0.0, h.square, h.columns, h.mirrors)
    for c in range(wide):
        x[c] = 0.0
    for p in range(done):
        total = h.right[h.columns[p]]
        for c in range(p):
            total -= h.square[p * wide + c] * x[c]
        x[p] = total / h.square[p * wide + p]
    for b in range(done):
        p = done - 1 - b
        apply_reflection(p, wide, h.mirrors[p * wide :], x)


def find_mismatch(d: Driver) -> int:
    """The mismatch of lengths: the gap along the left directions that the sound equations do not see.

    These are the rows (U, 1); with G their products, the square of the mismatch is b^T G^-1 b.
    """
    t = d.tangent
    h = d.search
    sound = t.rank - h.lost
    tall = t.n_rows - sound
    for i in range(tall):
        row = h.U[i * t.rank :]
        total = t.gap[h.order[sound + i]]
        for j in range(sound):
            total += row[j] * t.gap[h.order[j]]
        h.right[i] = total
        for e in range(i + 1):
            other = h.U[e * t.rank :]
            product = 0.0
            if e == i:
                product = 1.0
            for j in range(sound):
                product += row[j] * other[j]
            h.gram[i * tall + e] = product
    total = 0.0
    for p in range(tall):
        pivot = h.gram[p * tall + p]
        total += h.right[p] * h.right[p] / pivot
        for i in range(p + 1, tall):
            x = h.gram[i * tall + p] / pivot
            h.right[i] -= x * h.right[p]
            for e in range(p + 1, i + 1):
                h.gram[i * tall + e] -= x * h.gram[e * tall + p]
    h.mismatch = sqrt(total)
    return int(total < 1e300)
