"""Measures of singularity of states side by side (theory 6.26-6.31). In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native import (
    Floats,
    Row,
    Rows,
    choose_by_lane,
    fill_lanes,
    has_function,
    is_any_lane_true,
    square_roots,
)
from linkwright.kinematics.measures.lane_algebra import (
    cholesky_factor,
    column_lengths,
    extreme_eigenvalues,
    forward_substitution,
    largest_first,
    make_bidiagonal,
    make_lower_triangular,
    null_space_of_triangular,
    orthogonalize_columns,
    square_bidiagonal,
)
from linkwright.kinematics.measures.measure_records import INFINITE, MEASURES, UNKNOWN, Work, distances_from_gains
from linkwright.kinematics.measures.squared_equations import measure_by_squares
from linkwright.numerics.tolerances import SEEN, TINY


def measure_state_range(w: Work, first: int, last: int) -> None:
    """Measures of the states from `first` to before `last`: type 1, type 2, constraint, condition, manipulability and
    length; the last block of lanes repeats the last state."""
    at = first
    while at < last:
        load_state_lanes(w, at, last)
        scale_twists(w)
        w.sure[0] = fill_lanes(0.0)
        if w.shape.squares > 0:
            wrench_squares(w)
            measure_by_squares(w)
        if is_any_lane_true(w.sure[0] < 1.0):
            measure_by_reflections(w)
        discard_nonfinite_lanes(w)
        store_measures(w, at, last)
        at += w.lanes


def measure_by_reflections(w: Work) -> None:
    """The measures of lanes that are not sure yet, from orthonormal motions: right at every state."""
    kept = w.kept
    result = w.result
    for i in range(MEASURES):
        kept[i] = result[i]
    result[2] = fill_lanes(1.0)
    if w.shape.rows > 0:
        loop_twist_equations(w)
        wrench_squares(w)
        closing_motions(w)
    actuator_output_gains(w)
    for i in range(MEASURES):
        result[i] = choose_by_lane(w.sure[0] > 0.0, kept[i], result[i])


def load_state_lanes(w: Work, at: int, last: int) -> None:
    """Numbers of the next states, one per lane."""
    z = w.shape
    before = fill_lanes(0.0)
    if has_function(w.twists):
        side_by_side(w.lanes, z.coordinates, at, last, w.given, w.q)
        before = sum_rows(z.coordinates, w.q)
        if z.parameters > 0:
            w.twists(w.q, w.p, w.x)
        else:
            w.twists(w.q, w.x)
    else:
        side_by_side(w.lanes, z.width, at, last, w.given, w.x)
    w.total[0] = before + sum_rows(z.width, w.x)


def sum_rows(n: int, x: Rows) -> Row:
    """The sum of n rows, in four sums so that none waits for the last addition."""
    a = fill_lanes(0.0)
    b = fill_lanes(0.0)
    c = fill_lanes(0.0)
    d = fill_lanes(0.0)
    i = 0
    while i + 3 < n:
        a = a + x[i]
        b = b + x[i + 1]
        c = c + x[i + 2]
        d = d + x[i + 3]
        i += 4
    while i < n:
        a = a + x[i]
        i += 1
    return (a + b) + (c + d)


def side_by_side(lanes: int, n: int, at: int, last: int, given: Floats, x: Rows) -> None:
    """Rows of n numbers from `at` on, one per lane."""
    for lane in range(lanes):
        row = given[min(at + lane, last - 1) * n :]
        for i in range(n):
            x[i, lane] = row[i]


def discard_nonfinite_lanes(w: Work) -> None:
    """No measures in the lanes whose numbers are not finite."""
    result = w.result
    for i in range(MEASURES):
        result[i] = choose_by_lane(abs(w.total[0]) < INFINITE, result[i], UNKNOWN)


def store_measures(w: Work, at: int, last: int) -> None:
    found = w.found
    result = w.result
    for lane in range(min(w.lanes, last - at)):
        row = found[(at + lane) * MEASURES :]
        for i in range(MEASURES):
            row[i] = result[i, lane]


def scale_twists(w: Work) -> None:
    """Unit twists and arms with lengths in units of the characteristic one."""
    z = w.shape
    x = w.x
    s = w.s
    arms = w.arms
    turns = w.pattern.turns
    L = x[z.width - 1] + 0.0
    if z.length > 0.0:
        L = fill_lanes(z.length)
    w.result[5] = L
    unit = 1.0 / L
    for j in range(z.rates):
        for c in range(3):
            s[6 * j + c] = x[6 * j + c]
            s[6 * j + 3 + c] = x[6 * j + 3 + c]
            if turns[j] > 0:
                s[6 * j + 3 + c] = x[6 * j + 3 + c] * unit
    for i in range(3 * z.joints):
        arms[i] = x[6 * z.rates + i] * unit


def loop_twist_equations(w: Work) -> None:
    """G of all rates: six rows per loop, one per coupling."""
    z = w.shape
    G = w.G
    s = w.s
    f = z.rates
    loops = w.pattern.loops
    joint = w.pattern.joint
    turns = w.pattern.turns
    for i in range(z.loops):
        for j in range(f):
            sign = loops[i * z.joints + joint[j]]
            for c in range(6):
                G[(6 * i + c) * f + j] = float(sign) * s[6 * j + c]
    ratios = w.x[6 * f + 3 * z.joints :]
    L = w.result[5] + 0.0
    for i in range(z.couplings):
        row = G[(6 * z.loops + i) * f :]
        total = fill_lanes(0.0)
        for j in range(f):
            row[j] = ratios[i * f + j]
            if turns[j] == 0:
                row[j] = ratios[i * f + j] * L
            total = total + row[j] * row[j]
        total = choose_by_lane(total > 0.0, square_roots(total), TINY)
        for j in range(f):
            row[j] = row[j] / total


def wrench_squares(w: Work) -> None:
    """F = sum of W_k^T W_k over joints k, (rows, rows), where W_k maps loop wrenches to the wrench in joint k.

    It is taken at the joint's own point c_k: with the sign s_ak of joint k in loop a, block (a, b) is the sum of
    s_ak s_bk [[1, -C_k], [C_k, 1 - C_k C_k]], C_k v = c_k x v. Couplings have ones on the diagonal.
    """
    z = w.shape
    n = z.rows
    F = w.flow
    first = w.pattern.first
    for i in range(n):
        for j in range(first[i], i + 1):
            F[i * n + j] = fill_lanes(0.0)
    for i in range(6 * z.loops, n):
        F[i * n + i] = fill_lanes(1.0)
    for a in range(z.loops):
        for b in range(a + 1):
            if 6 * b >= first[6 * a]:
                block = F[6 * a * n + 6 * b :]
                count = sum_arms(w, a, b, block)
                fill_square_block(n, count, block)


def sum_arms(w: Work, a: int, b: int, block: Rows) -> int:
    """Sums of s_ak s_bk c_k and s_ak s_bk c_k c_k^T over joints k, in the entries where `fill_square_block` reads
    them; the sum of s_ak s_bk is the result."""
    n = w.shape.rows
    joints = w.shape.joints
    arms = w.arms
    loops = w.pattern.loops
    x = fill_lanes(0.0)
    y = fill_lanes(0.0)
    z = fill_lanes(0.0)
    xx = fill_lanes(0.0)
    yy = fill_lanes(0.0)
    zz = fill_lanes(0.0)
    xy = fill_lanes(0.0)
    xz = fill_lanes(0.0)
    yz = fill_lanes(0.0)
    count = 0
    for k in range(joints):
        sign = loops[a * joints + k] * loops[b * joints + k]
        if sign != 0:
            count += sign
            p = arms[3 * k] + 0.0
            q = arms[3 * k + 1] + 0.0
            r = arms[3 * k + 2] + 0.0
            g = float(sign)
            x = x + g * p
            y = y + g * q
            z = z + g * r
            xx = xx + g * (p * p)
            yy = yy + g * (q * q)
            zz = zz + g * (r * r)
            xy = xy + g * (p * q)
            xz = xz + g * (p * r)
            yz = yz + g * (q * r)
    block[n + 5] = x
    block[2 * n + 3] = y
    block[4] = z
    block[3 * n + 3] = xx
    block[4 * n + 4] = yy
    block[5 * n + 5] = zz
    block[3 * n + 4] = xy
    block[3 * n + 5] = xz
    block[4 * n + 5] = yz
    return count


def fill_square_block(n: int, count: int, block: Rows) -> None:
    """A block (6, 6) of `wrench_squares`, rows n apart, from the sums that `sum_arms` left in it."""
    many = float(count)
    x = block[n + 5] + 0.0
    y = block[2 * n + 3] + 0.0
    z = block[4] + 0.0
    xx = block[3 * n + 3] + 0.0
    yy = block[4 * n + 4] + 0.0
    zz = block[5 * n + 5] + 0.0
    for c in range(3):
        block[c * n + c] = fill_lanes(many)
    block[3 * n + 3] = many + (yy + zz)
    block[4 * n + 4] = many + (xx + zz)
    block[5 * n + 5] = many + (xx + yy)
    for c in range(3, 6):
        for d in range(c + 1, 6):
            product = 0.0 - block[c * n + d]
            block[c * n + d] = product
            block[d * n + c] = product
    block[5] = 0.0 - y
    block[n + 3] = 0.0 - z
    block[2 * n + 4] = 0.0 - x
    block[4 * n] = z
    block[5 * n] = 0.0 - y
    block[3 * n + 1] = 0.0 - z
    block[5 * n + 1] = x
    block[3 * n + 2] = y
    block[4 * n + 2] = 0.0 - x


def closing_motions(w: Work) -> None:
    """Motions T that keep all loops closed, and the smallest over the largest singular value of the equations."""
    z = w.shape
    cholesky_factor(z.rows, w.pattern.first, w.flow)
    forward_substitution(z.rows, z.rates, w.pattern.first, w.flow, w.G)
    make_lower_triangular(w.lanes, z.rows, z.rates, z.rank, w.G, w.V, w.beta, w.w)
    null_space_of_triangular(z.rates, z.rank, w.V, w.beta, w.T)
    A = w.A
    G = w.G
    if z.rank > 0:
        for i in range(z.rows):
            for j in range(z.rank):
                A[i * z.rank + j] = fill_lanes(0.0)
                if j <= i:
                    A[i * z.rank + j] = G[i * z.rates + j]
        make_bidiagonal(z.rows, z.rank, A, w.w, w.beta, w.d, w.e)
        square_bidiagonal(z.rank, w.d, w.e)
        extreme_eigenvalues(z.rank, w.d, w.e, w.steps)
        w.result[2] = square_roots(w.steps[0] / w.steps[1])


def output_twist_component(w: Work, j: int, c: int) -> Row:
    """Component c of the output's twist by rate j."""
    return float(w.pattern.path[w.pattern.joint[j]]) * w.s[6 * j + c]


def tree_gains(w: Work) -> None:
    """Singular values of the frame's Jacobian, sorted."""
    z = w.shape
    H = w.H
    for i in range(z.outputs):
        for j in range(z.rates):
            H[i * z.rates + j] = output_twist_component(w, j, w.pattern.picked[i])
    orthogonalize_columns(z.rates, z.outputs, H)
    column_lengths(z.rates, z.outputs, H, w.cosines)
    largest_first(w.lanes, z.rates, z.outputs, H, w.cosines)


def output_actuator_columns(w: Work) -> None:
    """Columns [output; actuators] of every motion."""
    z = w.shape
    f = z.rates
    n = z.outputs + z.actuators
    T = w.T
    H = w.H
    picked = w.pattern.picked
    driven = w.pattern.driven
    planar = w.pattern.planar
    extra = w.x[6 * f + 3 * z.joints + z.couplings * f :]
    unit = 1.0 / w.result[5]
    for c in range(z.motions):
        h = H[c * n :]
        for i in range(z.outputs):
            h[i] = T[c * f + picked[i]]
            if z.carried > 0:
                total = fill_lanes(0.0)
                for j in range(f):
                    if w.pattern.path[w.pattern.joint[j]] != 0:
                        total = total + output_twist_component(w, j, picked[i]) * T[c * f + j]
                h[i] = total
        for i in range(z.actuators):
            h[z.outputs + i] = T[c * f + driven[i]]
        for i in range(z.planar):
            row = z.outputs + planar[2 * i]
            h[row] = h[row] + extra[i] * unit * T[c * f + planar[2 * i + 1]]


def part_singular_values(w: Work, start: int, n: int, size: Rows) -> None:
    """Singular values, sorted, of n rows of the orthonormal columns that H holds."""
    z = w.shape
    U = w.U
    height = z.outputs + z.actuators
    for c in range(z.both_rank):
        length = w.size[c] + 0.0
        inverse = choose_by_lane(length > 0.0, 1.0 / choose_by_lane(length > 0.0, length, 1.0), 0.0)
        for i in range(n):
            U[c * n + i] = w.H[c * height + start + i] * inverse
    orthogonalize_columns(n, z.both_rank, U)
    column_lengths(n, z.both_rank, U, size)
    largest_first(w.lanes, n, z.both_rank, U, size)


def actuator_output_gains(w: Work) -> None:
    """Gains from actuators to output, and the measures that follow from them."""
    z = w.shape
    cosines = w.cosines
    sines = w.sines
    seen = fill_lanes(1.0)
    many = 0
    skipped = 0
    last = 0
    if z.tree > 0:
        tree_gains(w)
        many = z.output_rank
    else:
        n = z.outputs + z.actuators
        output_actuator_columns(w)
        orthogonalize_columns(n, z.motions, w.H)
        column_lengths(n, z.motions, w.H, w.size)
        largest_first(w.lanes, n, z.motions, w.H, w.size)
        part_singular_values(w, 0, z.outputs, cosines)
        part_singular_values(w, z.outputs, z.actuators, sines)
        if z.both_rank > 0:
            seen = w.size[z.both_rank - 1] / SEEN
            seen = choose_by_lane(seen < 1.0, seen, 1.0)
        many = z.output_rank + z.drive_rank - z.both_rank
        skipped = z.both_rank - z.drive_rank
        last = z.drive_rank - 1
    least = fill_lanes(1.0)
    most = fill_lanes(1.0)
    product = fill_lanes(1.0)
    for i in range(many):
        gain = cosines[skipped + i] + 0.0
        if z.tree == 0:
            sine = sines[last - i] + 0.0
            gain = choose_by_lane(sine > 0.0, gain / choose_by_lane(sine > 0.0, sine, 1.0), INFINITE)
        product = product * gain
        least = gain
        if i == 0:
            most = gain
    distances_from_gains(w, least, most, product, seen)
