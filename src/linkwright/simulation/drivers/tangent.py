"""Steps in tangent coordinates, near positions where the loops' equations lose rank (theory 8.9, 8.16).

At the beginning of a step the velocities are divided: V spans those that keep the loops closed, N what is orthogonal.
Every stage is closed along N, and its velocities follow from their components along V. In the compiler's subset.
"""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Rows
from linkwright.compiler.native.small_matrices import (
    add_scaled_row,
    divide_by_upper,
    factor_small_lu,
    invert_diagonal,
    is_positive_definite,
    reflect_basis,
    scale_row,
    smallest_pivot,
    solve_lower,
    solve_small_lu,
    triangularize_rows,
)
from linkwright.numerics.tolerances import SOLVED
from linkwright.simulation.drivers.driver_records import Driver

# Gap in the mechanism's own units that is rounding and not worth a step; SOLVED counts as it, CLOSED may be left.
ROUNDED = 2e-15

BESIDE_BEGINNING = 1e-3  # [rad] or shares of the mechanism's length: Simpson's rule is exact to rounding

# Of the distance to a singular position: after a move of Newton's method below the first share the directions of motion
# are the same, after one below the second the loops are closed to rounding.
SAME_DIRECTIONS, LAST_MOVE = 1e-12, 1e-6

LONGEST_MOVE = 0.3  # of one step of Newton's method, [rad] or shares of the mechanism's length
SHIFT = 1e-4  # by which a state is moved to see how fast pivots change, in the same units
MOST_TURNED = 1.0  # tangent of the angle by which the motion's directions may turn in a step


def tangent_basis(d: Driver, y: Rows) -> int:
    """Divide the velocities at a state: V and N as columns of Q, N first; 0 when it has no equations of full rank.

    Both are orthogonal in the mechanism's own units; Q holds them as velocities, `along` is what finds components of V.
    """
    t = d.tangent
    n = t.nv
    freedoms = n - t.rank
    J = t.triangle
    if d.mechanics.equations(y, J) == 0:
        return 0
    for i in range(t.n_rows * n):
        t.J_beginning[i] = J[i]
        J[i] = J[i] * t.units[i]
    if triangularize_rows(t.rank, t.n_rows, n, 0.0, J, t.order, t.reflections) < t.rank:
        return 0
    reflect_basis(t.rank, n, t.reflections, t.Q, t.x)
    for k in range(n):
        row = t.Q[k * n :]
        for c in range(freedoms):
            t.along[k * freedoms + c] = row[t.rank + c] / t.speeds[k]
        for j in range(n):
            row[j] = t.speeds[k] * row[j]
    return 1


def time_to_crossing(d: Driver, y: Rows) -> float:
    """The time after which the smallest pivot at a state, whose basis is that of the step, would be zero; else huge.

    The last pivot a little later is 1 / (A^-1)_rr, with A = J N there.
    """
    t = d.tangent
    n = t.nv
    r = t.rank
    v = y[d.shape.nq :]
    here = t.triangle[(r - 1) * n + r - 1]
    total = 0.0
    for k in range(n):
        total += (v[k] / t.speeds[k]) * (v[k] / t.speeds[k])
    if not total > 0.0:
        return 1e300
    after = SHIFT / sqrt(total)
    for k in range(n):
        t.x[k] = after * v[k]
    if d.mechanics.displace(y, t.x, t.q) == 0 or divide_equations(d, t.q) == 0:
        return 1e300
    if factor_small_lu(r, n, t.JQ, t.pivots) == 0:
        return after
    for i in range(r):
        t.normal[i] = 0.0
    t.normal[r - 1] = 1.0
    solve_small_lu(r, n, t.JQ, t.pivots, t.normal)
    fall = 1.0 - 1.0 / (t.normal[r - 1] * here)
    if not fall > 0.0:
        return 1e300
    return after / fall


def divide_equations(d: Driver, y: Rows) -> int:
    """The chosen equations at a state times the basis, J N and J V side by side, (rank, nv); 0 when there are none."""
    t = d.tangent
    n = t.nv
    J = t.J
    if d.mechanics.equations(y, J) == 0:
        return 0
    for i in range(t.rank):
        first = t.order[i] * n
        row = t.JQ[i * n :]
        share = t.row_shares[t.order[i]]
        scale_row(n, J[first] * share, t.Q, row)
        for k in range(1, n):
            x = J[first + k] * share
            if x != 0.0:
                add_scaled_row(0, n, x, t.Q[k * n :], row)
    return 1


def largest_gap(d: Driver, y: Rows) -> float:
    """The gaps at a state in their units; returns the largest, or a huge number when they cannot be computed."""
    t = d.tangent
    gap = t.gap
    most = 0.0
    if d.mechanics.residual(y, gap) == 0:
        return 2e300
    for i in range(t.n_rows):
        gap[i] = gap[i] * t.row_shares[i]
        if not abs(gap[i]) <= most:
            most = abs(gap[i])
    return most


def close_along_normal(d: Driver, y: Rows) -> int:
    """Close the loops of a state along N by Newton's method, to rounding, and factor J N there; 0 when it fails."""
    t = d.tangent
    last = 1e300
    if t.turning != 0:
        for i in range(t.nv):
            t.x[i] = 0.0
        move_by_displacement(d, y)
    since = is_beside_beginning(d, y)
    for times in range(12):
        size = 0.0
        if since:
            if integrate_gap_halfway(d, y) == 0 or factor_at_state(d, y) == 0:
                return 0
            complete_gap(d, y)
        else:
            size = largest_gap(d, y)
            if not size < 1e300 or factor_at_state(d, y) == 0:
                return 0
            if size < ROUNDED or (times > 1 and size < SOLVED and size > 0.5 * last):
                return 1
            if times > 3 and size > 0.5 * last and size > SOLVED:
                return 0
        last = size
        move = find_normal_move(d)
        if not move < LONGEST_MOVE:
            return 0
        move_by_displacement(d, y)
        if move < SAME_DIRECTIONS * t.pivot:
            return 1
        if move < LAST_MOVE * t.pivot:
            return factor_at_state(d, y)
    return 0


def factor_at_state(d: Driver, y: Rows) -> int:
    """Factors of J N at a state, and the smallest pivot; 0 when they are not found."""
    t = d.tangent
    if divide_equations(d, y) == 0 or factor_small_lu(t.rank, t.nv, t.JQ, t.pivots) == 0:
        return 0
    t.pivot = smallest_pivot(t.rank, t.nv, t.JQ)
    invert_diagonal(t.rank, t.nv, t.JQ, t.inverse_diagonal)
    t.nearest = min(t.nearest, t.pivot)
    return 1


def is_beside_beginning(d: Driver, y: Rows) -> bool:
    """Return True if a state is so near to the beginning of the step that gaps are integrated from there."""
    t = d.tangent
    if t.turning != 0 or t.based == 0:
        return False
    most = 0.0
    for k in range(t.nv):
        x = abs((y[k] - d.y[k]) * t.inverse_speeds[k])
        if not x <= most:
            most = x
    return most < BESIDE_BEGINNING


def integrate_gap_halfway(d: Driver, y: Rows) -> int:
    """What the equations at the beginning and halfway add to the gaps of a state; 0 when they cannot be computed.

    Gaps that are computed at the state are rounded as the lengths are. Those that it adds to the beginning's are the
    integral of J dq (Simpson's rule), rounded as the distance is.
    """
    t = d.tangent
    n = t.nv
    for k in range(n):
        t.q[k] = 0.5 * (d.y[k] + y[k])
    if d.mechanics.equations(t.q, t.J) == 0:
        return 0
    for i in range(t.rank):
        first = t.order[i] * n
        total = 0.0
        for k in range(n):
            total += (t.J_beginning[first + k] + 4.0 * t.J[first + k]) * (y[k] - d.y[k])
        t.gap[t.order[i]] = total
    return 1


def complete_gap(d: Driver, y: Rows) -> None:
    """Complete the gaps with what the equations at the state add, which `divide_equations` has left in J."""
    t = d.tangent
    n = t.nv
    for i in range(t.rank):
        first = t.order[i] * n
        total = t.gap[t.order[i]]
        for k in range(n):
            total += t.J[first + k] * (y[k] - d.y[k])
        t.gap[t.order[i]] = total * (t.row_shares[t.order[i]] / 6.0)


def find_normal_move(d: Driver) -> float:
    """The displacement x along N that closes the gaps to first order, and its size."""
    t = d.tangent
    for i in range(t.rank):
        t.normal[i] = t.gap[t.order[i]]
    solve_lower(t.rank, t.nv, t.JQ, t.pivots, t.normal)
    divide_by_upper(t.rank, t.nv, t.JQ, t.inverse_diagonal, t.normal)
    total = 0.0
    for i in range(t.rank):
        total += t.normal[i] * t.normal[i]
    for k in range(t.nv):
        row = t.Q[k * t.nv :]
        move = 0.0
        for j in range(t.rank):
            move -= row[j] * t.normal[j]
        t.x[k] = move
    return sqrt(total)


def move_by_displacement(d: Driver, y: Rows) -> int:
    """Move the coordinates of a state by the displacement x; 0 when the result is not finite."""
    t = d.tangent
    if d.mechanics.displace(y, t.x, t.q) == 0:
        return 0
    for i in range(d.shape.nq):
        y[i] = t.q[i]
    return 1


def place_in_tangents(d: Driver, y: Rows) -> int:
    """Close a state along N, and find its velocities P zeta from their components zeta along V; 0 when it fails."""
    t = d.tangent
    n = t.nv
    freedoms = n - t.rank
    v = y[d.shape.nq :]
    if close_along_normal(d, y) == 0:
        return 0
    for c in range(freedoms):
        for i in range(t.rank):
            t.normal[i] = t.JQ[i * n + t.rank + c]
        divide_by_upper(t.rank, n, t.JQ, t.inverse_diagonal, t.normal)
        for i in range(t.rank):
            t.X[i * freedoms + c] = t.normal[i]
    for k in range(n):
        row = t.Q[k * n :]
        for c in range(freedoms):
            total = row[t.rank + c]
            for j in range(t.rank):
                total -= row[j] * t.X[j * freedoms + c]
            t.P[k * freedoms + c] = total
    components_along(d, v)
    for k in range(n):
        total = 0.0
        for c in range(freedoms):
            total += t.P[k * freedoms + c] * t.zeta[c]
        v[k] = total
    return 1


def components_along(d: Driver, v: Rows) -> None:
    """zeta = V^T v of velocities, or of accelerations."""
    t = d.tangent
    freedoms = t.nv - t.rank
    for c in range(freedoms):
        total = 0.0
        for k in range(t.nv):
            total += t.along[k * freedoms + c] * v[k]
        t.zeta[c] = total


def directions_along(d: Driver, out: Rows) -> None:
    """V zeta as velocities."""
    t = d.tangent
    n = t.nv
    for k in range(n):
        total = 0.0
        for c in range(n - t.rank):
            total += t.Q[k * n + t.rank + c] * t.zeta[c]
        out[k] = total


def accelerate_in_tangents(d: Driver, y: Rows, dv: Rows) -> int:
    """Accelerations at a state that `place_in_tangents` has closed: all of them in `a`, their part along V in dv."""
    t = d.tangent
    n = t.nv
    freedoms = n - t.rank
    m = d.mechanics
    M = t.mass
    if m.terms(y, y[d.shape.nq :], m.tau, M, t.right) == 0:
        return 0
    for i in range(t.rank):
        t.normal[i] = t.right[n + t.order[i]] * t.row_shares[t.order[i]]
    solve_lower(t.rank, n, t.JQ, t.pivots, t.normal)
    divide_by_upper(t.rank, n, t.JQ, t.inverse_diagonal, t.normal)
    for k in range(n):
        row = t.Q[k * n :]
        total = 0.0
        for j in range(t.rank):
            total += row[j] * t.normal[j]
        t.x[k] = total
    for c in range(freedoms):
        t.zeta[c] = 0.0
        for e in range(freedoms):
            t.small[c * freedoms + e] = 0.0
    for k in range(n):
        add_inertia(k, d)
    if factor_small_lu(freedoms, freedoms, t.small, t.small_pivots) == 0:
        return 0
    solve_small_lu(freedoms, freedoms, t.small, t.small_pivots, t.zeta)
    health = 0.0
    for k in range(n):
        total = 0.0
        for c in range(freedoms):
            total += t.P[k * freedoms + c] * t.zeta[c]
        t.a[k] = t.x[k] + total
        health += t.a[k] - t.a[k]
    directions_along(d, dv)
    return int(health == 0.0)


def add_inertia(k: int, d: Driver) -> None:
    """Add the part of row k of M to P^T M P and P^T (f - M a_p), a_p standing in x."""
    t = d.tangent
    n = t.nv
    freedoms = n - t.rank
    row = t.mass[k * n :]
    force = t.right[k]
    for c in range(freedoms):
        t.normal[c] = 0.0
    for j in range(n):
        x = row[j]
        if x != 0.0:
            force -= x * t.x[j]
            for c in range(freedoms):
                t.normal[c] += x * t.P[j * freedoms + c]
    for c in range(freedoms):
        x = t.P[k * freedoms + c]
        t.zeta[c] += x * force
        for e in range(freedoms):
            t.small[c * freedoms + e] += x * t.normal[e]


def has_turned_too_far(d: Driver) -> bool:
    """Return True if the motion's directions have turned too far from V at the state closed last."""
    t = d.tangent
    total = 0.0
    for i in range(t.rank * (t.nv - t.rank)):
        total += t.X[i] * t.X[i]
    return not total <= MOST_TURNED * MOST_TURNED


def surely_keeps_sides(d: Driver, y: Rows) -> bool:
    """Return True if surely no singular value has changed its sign between the step's beginning and a state.

    With J N = L D at the beginning (L unit lower triangular) and A at the state, (J N)^-1 A has no negative eigenvalue
    if the symmetric part of |D|^-1/2 L^-1 A |D|^-1/2, up to signs of D, is positive definite.
    """
    t = d.tangent
    n = t.nv
    r = t.rank
    L = t.triangle
    A = t.JQ
    if divide_equations(d, y) == 0:
        return False
    for i in range(r):
        row = A[i * n :]
        for j in range(i):
            x = L[i * n + j] / L[j * n + j]
            if x != 0.0:
                add_scaled_row(0, r, -x, A[j * n :], row)
    for i in range(r):
        t.normal[i] = 1.0 / sqrt(abs(L[i * n + i]))
    for i in range(r):
        for j in range(i + 1):
            x = A[i * n + j]
            if L[i * n + i] < 0.0:
                x = -x
            z = A[j * n + i]
            if L[j * n + j] < 0.0:
                z = -z
            t.J[i * n + j] = (x + z) * t.normal[i] * t.normal[j]
    return is_positive_definite(n, r, t.J, t.x)
