"""Pull a point or the pose of a body with all loops closed. In the compiler's subset of Python.

At closed coordinates V spans the velocities that keep the loops closed, N is orthogonal to it. A damped least squares
step along V brings what is pulled nearer, and Newton's method closes the loops along N again. A step across which a
singular value of the equations changes its sign is refused: behind it lies another branch.
"""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Floats
from linkwright.compiler.native.small_matrices import (
    add_scaled_row,
    factor_small_lu,
    find_eigenvalues,
    is_positive_definite,
    orthogonalize_rows,
    reflect_basis,
    scale_row,
    solve_small_lu,
    triangularize_rows,
)
from linkwright.kinematics.dragging.drag_records import BOUNDARY, EDGE, ERRORS, GOING, LOST, NO_BOUND, REACHED, Drag
from linkwright.numerics.tolerances import INDEPENDENT_ROW, SOLVED, TINY

ROUNDED = 2e-15  # a gap that is rounding
AT_BOUND = 1e-9  # a coordinate this near to its bound is at it, in units of its velocity
ENOUGH = 1e-10  # shares of the mechanism's length: what is missed by less is reached
NEARLY = 1e-6  # and what is missed by less at the end can be reached
STILL = 1e-6  # cosine between the error and what steps change, below which nothing comes nearer
LONGEST = 0.4  # of a step, [rad] or shares of the mechanism's length
SHORTEST = 1e-9  # steps below are rounding
FRESH = 0.1  # radius of steps for other errors, or within other bounds
KICK = 1e-3  # a step that distinguishes a boundary from a position that is as far as can be
NEARER = 1e-8  # share by which squares of errors fall where something comes nearer
NO_CHANGE = 1e-20  # share of the largest square of a row of A below which it is rounding
LEAST_DAMPING, LESS_DAMPED, MORE_DAMPED, MOST_DAMPINGS = 1e-11, 1e-3, 64.0, 16
HALVINGS = 6  # of the factor between a damping that is too little and one that is enough
LONGEST_MOVE = 0.5  # of one move of Newton's method
MOST_MOVES = 14
WORTH = 1e-12  # share of the squares of errors by which a step is to make them fall
SETTLED = 1e-14  # share of the squares of errors below which a change is rounding
MOST_SETTLING = 3  # steps that change the squares of errors by rounding
LEARNED = 1e-8  # cosine between a step and what curvature it shows, below which nothing is learned from it
WIDE_STEP = 0.05  # from here on the turn of V is looked at
MOST_TURNED = 1.0  # tangent of the angle by which V may turn in a step
EMPHASIS, MOST_EMPHASIZED = 100.0, 60  # of errors that do not count, and the steps with it at most
CROSSING = 1e-3  # a step this short that leaves V as it is passes a position where branches cross exactly
STRAIGHT = 0.05


def pull_body(w: Drag) -> int:
    """Bring what is pulled as near to its goal as it comes from the closed coordinates `step.q`."""
    s = w.step
    s.held = s.n_alone
    s.damping = LEAST_DAMPING
    s.radius = LONGEST
    s.steps = 0
    s.settling = 0
    s.emphasis = EMPHASIS
    forget_curvature(w)
    if find_basis(w, s.q) == 0:
        return LOST
    measure_errors(w, s.q)
    find_goal_matrix(w)
    at_edge = 0
    while s.steps < s.most_steps:
        if s.emphasis > 0.0 and (is_still(w) or s.radius < SHORTEST or s.steps > MOST_EMPHASIZED):
            s.emphasis = 0.0
            s.radius = max(s.radius, FRESH)
            s.settling = 0
            forget_curvature(w)
            measure_errors(w, s.q)
            find_goal_matrix(w)
        if s.emphasis == 0.0 and s.missed < ENOUGH:
            return REACHED
        s.steps += 1
        if is_still(w) or s.radius < SHORTEST:
            if s.held > s.n_alone:
                held = s.held
                if release_bounds(w) == 0:
                    return LOST
                if s.held < held:
                    s.radius = max(s.radius, FRESH)
                    continue
            if at_edge != 0:
                return EDGE
            if escape(w) == 0:
                return ending(BOUNDARY, w)
            s.radius = LONGEST
            s.settling = 0
            continue
        if hold_at_bounds(w) == 0:
            return LOST
        predicted = find_allowed_step(w)
        if not predicted > WORTH * s.size:
            s.radius = 0.0
            continue
        before = s.size
        end = try_step(w)
        choose_model(before, w)
        if end == 1:
            gain = (before - s.size) / predicted
            if gain > 0.75 and step_length(w) > 0.5 * s.radius:
                s.radius = min(2.0 * s.radius, LONGEST)
            elif gain < 0.25:
                s.radius = 0.5 * s.radius
            at_edge = 0
        else:
            length = step_length(w)
            if end == 0:
                learn_from_failure(before, w)
            at_edge = int(end == 2)
            s.radius = 0.3 * length
            if end == 2:
                s.radius = 0.5 * length
            if length < SHORTEST:
                s.radius = 0.0
    return ending(GOING, w)


def ending(end: int, w: Drag) -> int:
    """How a pull ends: at the goal where all that is left of the error is rounding."""
    if w.step.missed < NEARLY:
        return REACHED
    return end


def step_length(w: Drag) -> float:
    """Length of the step z."""
    s = w.step
    total = 0.0
    for c in range(w.shape.nv - s.rank):
        total += s.z[c] * s.z[c]
    return sqrt(total)


# --- equations, and the division of velocities ------------------------------------------------------------------------


def scaled_equations(w: Drag, q: Floats, J: Floats) -> int:
    """All closure equations in their units, then those of held velocities; 0 when there are none."""
    z = w.shape
    n = z.nv
    if z.n_rows > 0:
        if w.equations(q, J) == 0:
            return 0
        for i in range(z.n_rows * n):
            J[i] = J[i] * w.units[i]
    if w.step.held > 0 and z.n_margins > 0 and limit_rows_at(w, q, w.margin_rows_there) == 0:
        return 0
    for i in range(w.step.held):
        row = J[(z.n_rows + i) * n :]
        k = w.step.bounds[i]
        for j in range(n):
            row[j] = 0.0
            if k >= n:
                row[j] = w.margin_rows_there[(k - n) * n + j]
        if k < n:
            row[k] = 1.0
    return 1


def limit_rows_at(w: Drag, q: Floats, rows: Floats) -> int:
    """Rates of the margins of limits, in their units; 0 when they cannot be computed."""
    z = w.shape
    n = z.nv
    if w.margin_rates(q, rows) == 0:
        return 0
    for i in range(z.n_margins):
        for j in range(n):
            rows[i * n + j] = rows[i * n + j] * w.speeds[j] / w.margin_units[i]
    return 1


def scaled_gap(w: Drag, q: Floats) -> float:
    """Gaps of all equations in their units; the largest, or a huge number when they cannot be computed."""
    z = w.shape
    s = w.step
    gap = w.gap
    most = 0.0
    if z.n_rows > 0:
        if w.residual(q, gap) == 0:
            return 2e300
        for i in range(z.n_rows):
            gap[i] = gap[i] * w.shares[i]
            if not abs(gap[i]) <= most:
                most = abs(gap[i])
    if s.held > s.n_alone and z.n_margins > 0 and w.margins(q, w.margins_there) == 0:
        return 2e300
    for i in range(s.held):
        x = 0.0
        k = s.bounds[i]
        if k >= z.nv:
            x = (w.margins_there[k - z.nv] - s.values[i]) / w.margin_units[k - z.nv]
        elif i >= s.n_alone:
            x = (q[w.coordinate[k]] - s.values[i]) / w.speeds[k]
        gap[z.n_rows + i] = x
        if not abs(x) <= most:
            most = abs(x)
    return most


def find_basis(w: Drag, q: Floats) -> int:
    """N and V at closed coordinates as columns of Q, and J N as a triangle; 0 when rows are missing.

    Held coordinates whose equations follow from others are held no longer.
    """
    z = w.shape
    s = w.step
    n = z.nv
    if z.n_margins > 0 and (w.margins(q, w.margins_here) == 0 or limit_rows_at(w, q, w.margin_rows_here) == 0):
        return 0
    if scaled_equations(w, q, w.triangle) == 0:
        return 0
    s.rank = z.rank + s.held
    found = 0
    if s.rank <= n:
        found = triangularize_rows(s.rank, z.n_rows + s.held, n, 0.0, w.triangle, w.order, w.reflections)
        if found < s.rank and s.held == s.n_alone:
            return 0
    if s.held > s.n_alone:
        worse = found < s.rank
        if not worse:
            worse = triangle_share(w) < INDEPENDENT_ROW
        if worse:
            s.held -= 1
            return find_basis_again(w, q)
    if s.rank > 0:
        s.pivot = triangle_share(w)
    reflect_basis(s.rank, n, w.reflections, w.Q, w.work)
    return 1


def find_basis_again(w: Drag, q: Floats) -> int:
    """The same without the coordinate that was held last, and without all others when that does not do."""
    z = w.shape
    s = w.step
    n = z.nv
    for again in range(2):
        if again > 0:
            s.held = s.n_alone
        if scaled_equations(w, q, w.triangle) == 0:
            return 0
        s.rank = z.rank + s.held
        found = triangularize_rows(s.rank, z.n_rows + s.held, n, 0.0, w.triangle, w.order, w.reflections)
        if found == s.rank and (s.held == s.n_alone or triangle_share(w) >= INDEPENDENT_ROW):
            reflect_basis(s.rank, n, w.reflections, w.Q, w.work)
            return 1
    return 0


def triangle_share(w: Drag) -> float:
    """The smallest number on the triangle's diagonal over the largest."""
    n = w.shape.nv
    least = 1e300
    most = TINY
    for i in range(w.step.rank):
        size = abs(w.triangle[i * n + i])
        least = min(least, size)
        most = max(most, size)
    return least / most


# --- goals ------------------------------------------------------------------------------------------------------------


def measure_errors(w: Drag, q: Floats) -> int:
    """Weighted errors of the goal at coordinates, the sum of their squares, and what is missed; 0 when they fail."""
    g = w.goal
    s = w.step
    e = s.error
    if g.velocity >= 0:
        for i in range(ERRORS):
            e[i] = 0.0
        e[0] = (g.value - q[w.coordinate[g.velocity]]) / w.speeds[g.velocity]
        s.size = e[0] * e[0]
        s.missed = abs(e[0])
        return 1
    if w.poses(q, w.origins, w.turns) == 0:
        return 0
    r = w.origins[3 * g.body :]
    u = w.turns[4 * g.body :]
    a = rotated(0, u, g.point) + r[0]
    b = rotated(1, u, g.point) + r[1]
    c = rotated(2, u, g.point) + r[2]
    w.at[0] = a
    w.at[1] = b
    w.at[2] = c
    for i in range(3):
        row = g.axes[3 * i :]
        e[i] = row[0] * (g.xyz[0] - a) + row[1] * (g.xyz[1] - b) + row[2] * (g.xyz[2] - c)
    t = g.wxyz
    scalar = t[0] * u[0] + t[1] * u[1] + t[2] * u[2] + t[3] * u[3]
    sign = 2.0
    if scalar < 0.0:
        sign = -2.0
    e[3] = sign * (t[1] * u[0] - t[0] * u[1] - t[2] * u[3] + t[3] * u[2])
    e[4] = sign * (t[2] * u[0] - t[0] * u[2] - t[3] * u[1] + t[1] * u[3])
    e[5] = sign * (t[3] * u[0] - t[0] * u[3] - t[1] * u[2] + t[2] * u[1])
    w.at[3] = abs(scalar)
    w.at[4] = 0.5 * e[3]
    w.at[5] = 0.5 * e[4]
    w.at[6] = 0.5 * e[5]
    s.size = 0.0
    missed = 0.0
    for i in range(ERRORS):
        e[i] = e[i] * weight_of(i, w)
        s.size += e[i] * e[i]
        if g.counts[i] != 0:
            missed += e[i] * e[i]
    s.missed = sqrt(missed)
    return 1


def weight_of(i: int, w: Drag) -> float:
    """Weight of an error; what does not count is followed first, and left alone at the end."""
    if w.goal.counts[i] != 0:
        return w.goal.weights[i]
    return w.step.emphasis * w.goal.weights[i]


def rotated(i: int, u: Floats, x: Floats) -> float:
    """Component i of a vector turned by a unit quaternion."""
    a = x[0]
    b = x[1]
    c = x[2]
    p = 2.0 * (u[2] * c - u[3] * b)
    q = 2.0 * (u[3] * a - u[1] * c)
    r = 2.0 * (u[1] * b - u[2] * a)
    if i == 0:
        return a + u[0] * p + (u[2] * r - u[3] * q)
    if i == 1:
        return b + u[0] * q + (u[3] * p - u[1] * r)
    return c + u[0] * r + (u[1] * q - u[2] * p)


def find_goal_matrix(w: Drag) -> int:
    """How the errors fall along V, at the coordinates where they were measured last."""
    g = w.goal
    s = w.step
    n = w.shape.nv
    f = n - s.rank
    x = w.at[0]
    y = w.at[1]
    z = w.at[2]
    turn = w.at[3]
    a = w.at[4]
    b = w.at[5]
    c = w.at[6]
    for i in range(ERRORS * f):
        w.A[i] = 0.0
    if g.velocity >= 0:
        for j in range(f):
            w.A[j] = w.Q[g.velocity * n + s.rank + j]
        find_gradient(w)
        return 1
    if w.screws(s.q, w.twists) == 0:
        return 0
    for k in range(n):
        if w.moves[g.body * n + k] != 0:
            t = w.twists[6 * k :]
            p = t[3] + (t[1] * z - t[2] * y)
            q = t[4] + (t[2] * x - t[0] * z)
            r = t[5] + (t[0] * y - t[1] * x)
            v = w.Q[k * n + s.rank :]
            for i in range(3):
                row = g.axes[3 * i :]
                add_scaled_row(
                    0, f, w.speeds[k] * weight_of(i, w) * (row[0] * p + row[1] * q + row[2] * r), v, w.A[i * f :]
                )
            p = turn * t[0] + (b * t[2] - c * t[1])
            q = turn * t[1] + (c * t[0] - a * t[2])
            r = turn * t[2] + (a * t[1] - b * t[0])
            add_scaled_row(0, f, w.speeds[k] * weight_of(3, w) * p, v, w.A[3 * f :])
            add_scaled_row(0, f, w.speeds[k] * weight_of(4, w) * q, v, w.A[4 * f :])
            add_scaled_row(0, f, w.speeds[k] * weight_of(5, w) * r, v, w.A[5 * f :])
    find_gradient(w)
    return 1


def find_gradient(w: Drag) -> None:
    """The direction along V in which the squares of the errors fall most."""
    s = w.step
    f = w.shape.nv - s.rank
    for j in range(f):
        total = 0.0
        for i in range(ERRORS):
            total += w.A[i * f + j] * s.error[i]
        w.gradient[j] = total


def is_still(w: Drag) -> bool:
    """Return True if the steepest step changes the errors in no direction in which they point."""
    s = w.step
    f = w.shape.nv - s.rank
    along = 0.0
    for j in range(f):
        along += w.gradient[j] * w.gradient[j]
    change = 0.0
    for i in range(ERRORS):
        total = 0.0
        for j in range(f):
            total += w.A[i * f + j] * w.gradient[j]
        change += total * total
    return not along > STILL * sqrt(change * s.size) or s.size < ENOUGH * ENOUGH


# --- steps ------------------------------------------------------------------------------------------------------------


def find_damped_step(w: Drag) -> float:
    """The step z along V that lessens the errors most for its length, and by how much their squares fall with it.

    Along motions that change no error it is zero, and not what rounding would make of them. The errors' curvature
    counts where it has predicted steps better than its absence.
    """
    s = w.step
    f = w.shape.nv - s.rank
    for k in range(ERRORS):
        w.share[k] = s.error[k]
        for j in range(f):
            w.B[k * f + j] = w.A[k * f + j]
    most = orthogonalize_rows(ERRORS, f, w.B, w.share, w.square)
    n = keep_rows_that_count(most, w)
    s.damping = max(LESS_DAMPED * s.damping, LEAST_DAMPING)
    if s.curved != 0:
        find_curvature_matrix(n, w)
    elif w.goal.velocity >= 0:
        s.damping = 0.0  # along a single row it would do nothing but miss
    length = damp_to_radius(n, most, w)
    short = 1.0
    if length > s.radius:
        short = s.radius / length
    for j in range(f):
        s.z[j] = 0.0
    for k in range(n):
        for j in range(f):
            s.z[j] += short * w.y[k] * w.B[k * f + j]
    shorten_to_bounds(w)
    s.plain_fall = predicted_fall(w)
    s.curved_fall = s.plain_fall - curvature_along_step(w)
    if s.curved != 0:
        return s.curved_fall
    return s.plain_fall


def damp_to_radius(n: int, most: float, w: Drag) -> float:
    """The least damping with which the step is no longer than the radius, within a factor; the length with it."""
    s = w.step
    length = damped_length(n, most, w)
    if length <= s.radius:
        return length
    for _ in range(MOST_DAMPINGS):
        s.damping = MORE_DAMPED * s.damping
        length = damped_length(n, most, w)
        if length <= s.radius:
            break
    enough = s.damping
    factor = sqrt(MORE_DAMPED)
    for _ in range(HALVINGS):
        if length > s.radius:
            s.damping = s.damping * factor
        elif length < 0.8 * s.radius:
            enough = s.damping
            s.damping = s.damping / factor
        else:
            return length
        factor = sqrt(factor)
        length = damped_length(n, most, w)
    if length > s.radius:
        s.damping = enough
        length = damped_length(n, most, w)
    return length


def keep_rows_that_count(most: float, w: Drag) -> int:
    """Unit rows of B that change errors, and how the squares of these fall along them; the number of such rows."""
    f = w.shape.nv - w.step.rank
    n = 0
    for k in range(ERRORS):
        if w.square[k] > NO_CHANGE * most:
            size = sqrt(w.square[k])
            for j in range(f):
                w.B[n * f + j] = w.B[k * f + j] / size
            w.square[n] = w.square[k]
            w.share[n] = w.share[k] * size
            n += 1
    return n


def damped_length(n: int, most: float, w: Drag) -> float:
    """The damped step `y` along the rows of B, and its length; a huge one where the errors would not fall."""
    s = w.step
    if s.curved == 0:
        for k in range(n):
            w.y[k] = w.share[k] / (w.square[k] + s.damping * most)
    else:
        for again in range(2):
            for i in range(n * n):
                w.M[i] = w.K[i]
            for k in range(n):
                w.M[k * n + k] += w.square[k] + s.damping * most
            if again == 0 and not is_positive_definite(n, n, w.M, w.work):
                return 1e300
        for k in range(n):
            w.y[k] = w.share[k]
        if factor_small_lu(n, n, w.M, w.columns) == 0:
            return 1e300
        solve_small_lu(n, n, w.M, w.columns, w.y)
    total = 0.0
    for k in range(n):
        total += w.y[k] * w.y[k]
    return sqrt(total)


# --- curvature of the errors, learned from steps ----------------------------------------------------------------------


def forget_curvature(w: Drag) -> None:
    """Begin without knowledge of the curvature."""
    n = w.shape.nv
    for i in range(n * n):
        w.curvature[i] = 0.0
    w.step.curved = 0


def choose_model(before: float, w: Drag) -> None:
    """Let the curvature count where it predicted the last step better than its absence."""
    s = w.step
    fall = before - s.tried
    s.curved = int(abs(fall - s.curved_fall) < abs(fall - s.plain_fall))


def remember_step(w: Drag) -> None:
    """Keep the step and the gradient as motions of all velocities, before V becomes another."""
    n = w.shape.nv
    f = n - w.step.rank
    for k in range(n):
        w.course[k] = motion_along(k, w)
        row = w.Q[k * n + w.step.rank :]
        total = 0.0
        for c in range(f):
            total += row[c] * w.gradient[c]
        w.pulled[k] = total


def learn_curvature(w: Drag) -> None:
    """Correct the curvature by a matrix of rank one so that it explains how the gradient changed along the step."""
    n = w.shape.nv
    f = n - w.step.rank
    t = w.transported
    for c in range(f):
        total = 0.0
        for k in range(n):
            total += w.Q[k * n + w.step.rank + c] * w.course[k]
        t[c] = total
    spread_along_motions(t, w.course, w)
    multiply_curvature(w.course, w.x, w)
    for i in range(ERRORS):
        total = 0.0
        for c in range(f):
            total += w.A[i * f + c] * t[c]
        w.share[i] = total
    product = 0.0
    squares = 0.0
    steps = 0.0
    for c in range(f):
        total = -w.gradient[c]
        for k in range(n):
            total += w.Q[k * n + w.step.rank + c] * (w.pulled[k] - w.x[k])
        for i in range(ERRORS):
            total -= w.A[i * f + c] * w.share[i]
        w.work[c] = total
        product += total * t[c]
        squares += total * total
        steps += t[c] * t[c]
    if abs(product) > LEARNED * sqrt(squares * steps):
        spread_along_motions(w.work, w.x, w)
        for i in range(n):
            add_scaled_row(0, n, w.x[i] / product, w.x, w.curvature[i * n :])


def learn_from_failure(before: float, w: Drag) -> None:
    """Correct the curvature along a step that was refused, so that it explains the squares of the errors there."""
    s = w.step
    n = w.shape.nv
    length = step_length(w)
    fall = before - s.tried
    if not (s.tried < NO_BOUND and length > SHORTEST):
        return
    for k in range(n):
        w.x[k] = motion_along(k, w)
    for i in range(n):
        add_scaled_row(
            0, n, (s.curved_fall - fall) * w.x[i] / (length * length * length * length), w.x, w.curvature[i * n :]
        )
    s.curved = 1


def spread_along_motions(z: Floats, out: Floats, w: Drag) -> None:
    """All velocities of a step along V."""
    n = w.shape.nv
    f = n - w.step.rank
    for k in range(n):
        row = w.Q[k * n + w.step.rank :]
        total = 0.0
        for c in range(f):
            total += row[c] * z[c]
        out[k] = total


def multiply_curvature(v: Floats, out: Floats, w: Drag) -> None:
    """The curvature times velocities."""
    n = w.shape.nv
    for i in range(n):
        row = w.curvature[i * n :]
        total = 0.0
        for j in range(n):
            total += row[j] * v[j]
        out[i] = total


def find_curvature_matrix(n: int, w: Drag) -> None:
    """The curvature along the rows of B."""
    f = w.shape.nv - w.step.rank
    for k in range(n):
        spread_along_motions(w.B[k * f :], w.work, w)
        multiply_curvature(w.work, w.x, w)
        for i in range(n):
            spread_along_motions(w.B[i * f :], w.work, w)
            total = 0.0
            for j in range(w.shape.nv):
                total += w.work[j] * w.x[j]
            w.K[k * n + i] = total


def curvature_along_step(w: Drag) -> float:
    """By how much the squares of the errors fall less with z for their curvature."""
    n = w.shape.nv
    for k in range(n):
        w.work[k] = motion_along(k, w)
    multiply_curvature(w.work, w.x, w)
    total = 0.0
    for k in range(n):
        total += w.work[k] * w.x[k]
    return total


def predicted_fall(w: Drag) -> float:
    """How much the squares of the errors fall with z, to first order of the errors."""
    s = w.step
    f = w.shape.nv - s.rank
    fall = 0.0
    for k in range(ERRORS):
        total = 0.0
        for j in range(f):
            total += w.A[k * f + j] * s.z[j]
        fall += total * (2.0 * s.error[k] - total)
    return fall


def motion_along(k: int, w: Drag) -> float:
    """Velocity k of the step z, in its unit."""
    n = w.shape.nv
    row = w.Q[k * n + w.step.rank :]
    total = 0.0
    for c in range(n - w.step.rank):
        total += row[c] * w.step.z[c]
    return total


def try_step(w: Drag) -> int:
    """Take the step z if what is pulled comes nearer: 1 when it does, 2 when another branch begins, else 0."""
    s = w.step
    before = s.size
    s.tried = NO_BOUND
    if close_after_step(w) == 0:
        return 0
    if keep_bounds(w) == 0:
        return 0
    for i in range(ERRORS):
        s.error_before[i] = s.error[i]
    missed = s.missed
    end = 0
    if measure_errors(w, s.trial) != 0:
        s.tried = s.size
        if s.size < before * (1.0 - SETTLED):
            end = 1
        elif s.size < before * (1.0 + SETTLED) and s.settling < MOST_SETTLING:
            s.settling += 1
            end = 1
        if end == 1 and keeps_branch(w) == 0:
            end = 2
    if end != 1:
        s.size = before
        s.missed = missed
        for i in range(ERRORS):
            s.error[i] = s.error_before[i]
        return end
    remember_step(w)
    for i in range(w.shape.nq):
        s.q[i] = s.trial[i]
    if find_basis(w, s.q) == 0:
        return 0
    find_goal_matrix(w)
    learn_curvature(w)
    return 1


def close_after_step(w: Drag) -> int:
    """The trial state: the step z, closed along N; 0 when it does not close."""
    s = w.step
    n = w.shape.nv
    for k in range(n):
        w.x[k] = w.speeds[k] * motion_along(k, w)
    if w.displace(s.q, w.x, s.trial) == 0:
        return 0
    if s.rank == 0:
        return 1
    last = 1e300
    whole = 0
    for times in range(MOST_MOVES):
        size = scaled_gap(w, s.trial)
        if not size < 1e300:
            return 0
        if size < ROUNDED or (times > 0 and size < SOLVED and size > 0.3 * last):
            return 1
        if size > 0.3 * last:
            if whole != 0 and size > 0.7 * last:
                return int(size < SOLVED)
            whole = 1
        last = size
        if whole == 0:
            solve_triangle(w)
        elif solve_anew(w) == 0:
            return 0
        if move_along_normal(w) == 0:
            return 0
    return int(scaled_gap(w, s.trial) < SOLVED)


def solve_triangle(w: Drag) -> None:
    """The components along N that close the gaps with the equations at the beginning of the step."""
    n = w.shape.nv
    x = w.normal
    for i in range(w.step.rank):
        row = w.triangle[i * n :]
        total = w.gap[w.order[i]]
        for j in range(i):
            total -= row[j] * x[j]
        x[i] = total / row[i]


def solve_anew(w: Drag) -> int:
    """The same with the equations at the trial state; 0 when they have no solution."""
    s = w.step
    n = w.shape.nv
    if scaled_equations(w, s.trial, w.J) == 0:
        return 0
    divide_rows(w)
    if factor_small_lu(s.rank, n, w.JQ, w.pivots) == 0:
        return 0
    for i in range(s.rank):
        w.normal[i] = w.gap[w.order[i]]
    solve_small_lu(s.rank, n, w.JQ, w.pivots, w.normal)
    return 1


def divide_rows(w: Drag) -> None:
    """The chosen rows of J times the basis: J N and J V side by side, (rank, nv)."""
    n = w.shape.nv
    for i in range(w.step.rank):
        other = w.J[w.order[i] * n :]
        row = w.JQ[i * n :]
        scale_row(n, other[0], w.Q, row)
        for k in range(1, n):
            x = other[k]
            if x != 0.0:
                add_scaled_row(0, n, x, w.Q[k * n :], row)


def move_along_normal(w: Drag) -> int:
    """Move the trial state along N; 0 when the move is too long or its end not finite."""
    s = w.step
    n = w.shape.nv
    total = 0.0
    for i in range(s.rank):
        total += w.normal[i] * w.normal[i]
    if not total < LONGEST_MOVE * LONGEST_MOVE:
        return 0
    for k in range(n):
        row = w.Q[k * n :]
        move = 0.0
        for j in range(s.rank):
            move -= row[j] * w.normal[j]
        w.x[k] = w.speeds[k] * move
    if w.displace(s.trial, w.x, s.moved) == 0:
        return 0
    for i in range(w.shape.nq):
        s.trial[i] = s.moved[i]
    return 1


def keeps_branch(w: Drag) -> int:
    """Return 1 if no singular value of the equations changed its sign from the state to the trial state.

    One that did shows as a negative eigenvalue of (J N)^-1 J' N. A short step that passes one, with V as it was, leads
    across a position where branches cross, and stays on its own.
    """
    s = w.step
    n = w.shape.nv
    r = s.rank
    if r == 0:
        return 1
    if scaled_equations(w, s.trial, w.J) == 0:
        return 0
    divide_rows(w)
    length = step_length(w)
    if surely_same_sides(w) and length < WIDE_STEP:
        return 1
    crossing = 0
    if not surely_same_sides(w):
        for i in range(r):
            for j in range(r):
                w.sides[i * r + j] = w.JQ[i * n + j]
        for i in range(r):
            row = w.sides[i * r :]
            for j in range(i):
                add_scaled_row(0, r, -w.triangle[i * n + j], w.sides[j * r :], row)
            for j in range(r):
                row[j] = row[j] / w.triangle[i * n + i]
        if find_eigenvalues(r, w.sides, w.real, w.imaginary) == 0:
            return 0
        for i in range(r):
            if w.real[i] < 0.0 and abs(w.imaginary[i]) < STILL * abs(w.real[i]):
                crossing = 1
    turned = turn_of_motion(w)
    if crossing != 0:
        return int(length < CROSSING and turned < STRAIGHT)
    return int(turned < MOST_TURNED)


def turn_of_motion(w: Drag) -> float:
    """Tangent of the angle between V at the state and the motions at the trial state, whose rows are divided."""
    s = w.step
    n = w.shape.nv
    if factor_small_lu(s.rank, n, w.JQ, w.pivots) == 0:
        return 1e300
    total = 0.0
    for c in range(n - s.rank):
        for b in range(s.rank):
            i = s.rank - 1 - b
            row = w.JQ[i * n :]
            x = row[s.rank + c]
            for j in range(i + 1, s.rank):
                x -= row[j] * w.normal[j]
            w.normal[i] = x / row[i]
            total += w.normal[i] * w.normal[i]
    return sqrt(total)


def surely_same_sides(w: Drag) -> bool:
    """Return True if surely no singular value has changed its sign; the rows at the trial state are divided."""
    n = w.shape.nv
    r = w.step.rank
    L = w.triangle
    A = w.sides
    for i in range(r):
        for j in range(r):
            A[i * r + j] = w.JQ[i * n + j]
    for i in range(r):
        row = A[i * r :]
        for j in range(i):
            x = L[i * n + j] / L[j * n + j]
            if x != 0.0:
                add_scaled_row(0, r, -x, A[j * r :], row)
    for i in range(r):
        w.real[i] = 1.0 / sqrt(abs(L[i * n + i]))
    for i in range(r):
        for j in range(i + 1):
            x = A[i * r + j]
            if L[i * n + i] < 0.0:
                x = -x
            y = A[j * r + i]
            if L[j * n + j] < 0.0:
                y = -y
            A[i * r + j] = (x + y) * w.real[i] * w.real[j]
    return is_positive_definite(r, r, A, w.imaginary)


# --- bounds: ranges of coordinates, numbered as velocities, then the margins of all other limits ----------------------


def way_to_bound(k: int, ahead: float, w: Drag) -> float:
    """How far a bounded quantity may go ahead or back from the state, in its unit; huge where nothing bounds it."""
    n = w.shape.nv
    if k >= n:
        if ahead > 0.0:
            return NO_BOUND
        return w.margins_here[k - n] / w.margin_units[k - n]
    i = w.coordinate[k]
    if i < 0:
        return NO_BOUND
    if ahead > 0.0:
        if w.upper[k] >= NO_BOUND:
            return NO_BOUND
        return (w.upper[k] - w.step.q[i]) / w.speeds[k]
    if w.lower[k] <= -NO_BOUND:
        return NO_BOUND
    return (w.step.q[i] - w.lower[k]) / w.speeds[k]


def bound_motion(k: int, w: Drag) -> float:
    """How far the step z takes a bounded quantity, to first order."""
    n = w.shape.nv
    if k < n:
        return motion_along(k, w)
    row = w.margin_rows_here[(k - n) * n :]
    total = 0.0
    for j in range(n):
        if row[j] != 0.0:
            total += row[j] * motion_along(j, w)
    return total


def is_bounded(k: int, w: Drag) -> bool:
    """Return True if a number is that of a bound which is not held."""
    if k < w.shape.nv and (w.coordinate[k] < 0 or (w.upper[k] >= NO_BOUND and w.lower[k] <= -NO_BOUND)):
        return False
    found = True
    for i in range(w.step.held):
        if w.step.bounds[i] == k:
            found = False
    return found


def hold_bound(k: int, w: Drag) -> int:
    """Hold a bound: 1 when it is held, 0 when it follows from those that are, -1 when there are no equations."""
    s = w.step
    n = w.shape.nv
    s.bounds[s.held] = k
    if k < n:
        s.values[s.held] = s.q[w.coordinate[k]]
    else:
        s.values[s.held] = w.margins_here[k - n]
    s.held += 1
    held = s.held
    if find_basis(w, s.q) == 0:
        return -1
    measure_errors(w, s.q)
    find_goal_matrix(w)
    return int(s.held == held)


def hold_at_bounds(w: Drag) -> int:
    """Hold what is at its bound and what steepest descent would take across; 0 when there are no equations."""
    s = w.step
    n = w.shape.nv
    for _ in range(n):
        found = -1
        find_free_step(w)
        for k in range(n + w.shape.n_margins):
            if found < 0 and is_bounded(k, w):
                x = bound_motion(k, w)
                if abs(x) > TINY and abs(x) > STILL * step_length(w) and way_to_bound(k, x, w) < AT_BOUND:
                    found = k
        if found < 0 or s.rank >= n:
            return 1
        end = hold_bound(found, w)
        if end < 1:
            return end + 1
    return 1


def find_allowed_step(w: Drag) -> float:
    """The damped step, with those bounds held that leave nothing of it; by how much the squares of errors fall."""
    s = w.step
    predicted = find_damped_step(w)
    for _ in range(w.shape.nv):
        if s.blocked < 0 or step_length(w) > AT_BOUND or s.rank >= w.shape.nv:
            break
        if hold_bound(s.blocked, w) != 1:
            return 0.0
        predicted = find_damped_step(w)
    return predicted


def find_free_step(w: Drag) -> None:
    """The step z without regard to bounds: that of steepest descent."""
    for c in range(w.shape.nv - w.step.rank):
        w.step.z[c] = w.gradient[c]


def release_bounds(w: Drag) -> int:
    """Let go of the bounds from which a step leads inside; `held` is as before where there are none."""
    s = w.step
    s.held = s.n_alone
    if find_basis(w, s.q) == 0:
        return 0
    measure_errors(w, s.q)
    find_goal_matrix(w)
    return hold_at_bounds(w)


def shorten_to_bounds(w: Drag) -> None:
    """Shorten the step z so that, to first order, nothing passes its bound; `blocked` is the bound that it meets."""
    s = w.step
    share = 1.0
    s.blocked = -1
    for k in range(w.shape.nv + w.shape.n_margins):
        if is_bounded(k, w):
            x = bound_motion(k, w)
            if abs(x) > TINY:
                left = max(way_to_bound(k, x, w), 0.0)
                if abs(x) * share > left:
                    share = left / abs(x)
                    s.blocked = k
    if share < 1.0:
        for c in range(w.shape.nv - s.rank):
            s.z[c] = s.z[c] * share


def keep_bounds(w: Drag) -> int:
    """Shorten the step until the closed trial state passes no bound; 0 when that fails."""
    s = w.step
    n = w.shape.nv
    for _ in range(8):
        share = 1.0
        if w.shape.n_margins > 0 and w.margins(s.trial, w.margins_there) == 0:
            return 0
        for k in range(n + w.shape.n_margins):
            if is_bounded(k, w):
                moved = 0.0
                if k < n:
                    moved = (s.trial[w.coordinate[k]] - s.q[w.coordinate[k]]) / w.speeds[k]
                else:
                    moved = (w.margins_there[k - n] - w.margins_here[k - n]) / w.margin_units[k - n]
                if abs(moved) > AT_BOUND:
                    left = max(way_to_bound(k, moved, w), 0.0)
                    if abs(moved) > left + AT_BOUND:
                        share = min(share, left / abs(moved))
        if share >= 1.0:
            return 1
        for c in range(n - s.rank):
            s.z[c] = s.z[c] * share
        if close_after_step(w) == 0:
            return 0
    return 0


# --- positions that are as far as can be ------------------------------------------------------------------------------


def escape(w: Drag) -> int:
    """Take a short step in any direction of V that brings what is pulled nearer; 0 when there is none."""
    s = w.step
    f = w.shape.nv - s.rank
    for i in range(f):
        for sense in range(2):
            for c in range(f):
                s.z[c] = 0.0
            s.z[i] = KICK * (1.0 - 2.0 * float(sense))
            shorten_to_bounds(w)
            is_closed = step_length(w) > 0.5 * KICK and close_after_step(w) == 1
            if is_closed and is_nearer(s.size * (1.0 - NEARER), w) and try_step(w) == 1:
                return 1
    return 0


def is_nearer(least: float, w: Drag) -> bool:
    """Return True if the squares of the errors at the trial state are below a number; those of the state stay."""
    s = w.step
    size = s.size
    missed = s.missed
    for i in range(ERRORS):
        s.error_before[i] = s.error[i]
    found = measure_errors(w, s.trial) == 1 and s.size < least
    s.size = size
    s.missed = missed
    for i in range(ERRORS):
        s.error[i] = s.error_before[i]
    return found
