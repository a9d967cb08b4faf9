"""Stages, error estimates and interpolants of steps: explicit Runge-Kutta (theory 8.1-8.3), and Rosenbrock (8.10-8.11).

Rosenbrock steps are for stiff motion of a single run. In the compiler's subset of Python.
"""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Floats, Rows, choose_by_lane, fill_lanes, is_any_lane_true, lane_view
from linkwright.compiler.native.small_matrices import factor_small_lu, solve_small_lu
from linkwright.simulation.drivers.driver_records import Driver
from linkwright.simulation.drivers.mechanics import state_derivative


def collect_weights(row: int, width: int, d: Driver, table: Floats) -> int:
    """Note the derivatives with a weight in a row of a table, and the weights times the step; how many there are."""
    weights = d.weights
    used = d.used
    h = d.step.size
    many = 0
    for j in range(width):
        x = table[row * d.method.total + j]
        if x != 0.0:
            weights[many] = x * h
            used[many] = j * d.shape.stride
            many += 1
    return many


def sum_weighted_derivatives(many: int, d: Driver, start: Rows, out: Rows) -> None:
    """out = start + the weighed derivatives, four numbers at a time."""
    k = d.k
    weights = d.weights
    used = d.used
    i = 0
    while i < d.shape.stride:
        x0 = start[i]
        x1 = start[i + 1]
        x2 = start[i + 2]
        x3 = start[i + 3]
        for m in range(many):
            w = weights[m]
            at = used[m] + i
            x0 = x0 + w * k[at]
            x1 = x1 + w * k[at + 1]
            x2 = x2 + w * k[at + 2]
            x3 = x3 + w * k[at + 3]
        out[i] = x0
        out[i + 1] = x1
        out[i + 2] = x2
        out[i + 3] = x3
        i += 4


def compute_stage(j: int, d: Driver, out: Rows) -> None:
    """The states of stage j: y + h sum of a[j, i] k[i]."""
    many = collect_weights(j, j, d, d.method.a)
    sum_weighted_derivatives(many, d, d.y, out)


def explicit_step(d: Driver) -> int:
    """The stages of a step, its result and its error; 0 when a derivative cannot be computed."""
    m = d.method
    s = d.step
    k = d.k
    for j in range(1, m.stages + 1):
        compute_stage(j, d, d.y_new)
        needed = j < m.stages or m.last_in_error != 0
        if needed and state_derivative(s.t + m.c[j] * s.size, d, d.y_new, k[j * d.shape.stride :]) == 0:
            return 0
    if m.adaptive != 0:
        explicit_error(d)
    return 1


def explicit_error(d: Driver) -> None:
    """The estimated error of a step in units of the tolerance (theory 8.2)."""
    s = d.step
    m = d.method
    y = d.y
    y_new = d.y_new
    checked = d.shape.checked
    first = d.work
    second = first[d.shape.stride :]
    many = collect_weights(0, m.stages + 1, d, m.e)
    sum_weighted_derivatives(many, d, d.zeros, first)
    many = collect_weights(1, m.stages + 1, d, m.e)
    sum_weighted_derivatives(many, d, d.zeros, second)
    fine = fill_lanes(0.0)
    coarse = fill_lanes(0.0)
    for c in range(d.shape.n_checked):
        i = checked[c]
        old = abs(y[i])
        new = abs(y_new[i])
        unit = 1.0 / (m.atol + m.rtol * choose_by_lane(new > old, new, old))
        x = first[i] * unit
        z = second[i] * unit
        fine = fine + x * x
        coarse = coarse + z * z
    s.error = fine
    s.coarse = coarse
    for j in range(d.lanes):
        one = lane_view(s, j)
        if one.error > 0.0:
            one.error = one.error / sqrt((one.error + 0.01 * one.coarse) * float(d.shape.n_checked))


def add_interpolant_stages(d: Driver) -> None:
    """The stages that only the interpolant over the last step needs."""
    s = d.step
    m = d.method
    k = d.k
    for j in range(m.stages + 1, m.total):
        compute_stage(j, d, d.stage)
        state_derivative(s.t + m.c[j] * s.size, d, d.stage, k[j * d.shape.stride :])
        d.counts.evaluations += s.dense


def explicit_weights(d: Driver) -> int:
    """Weights of the derivatives in the interpolated states at theta (theory 8.3, multiplied out); how many."""
    m = d.method
    dense = m.d
    weights = d.weights
    used = d.used
    powers = d.powers
    theta = d.step.theta
    rest = 1.0 - theta
    power = theta * rest * theta
    factor = rest
    other = theta
    for r in range(m.n_dense):
        power = power * factor
        powers[r] = power
        last = factor
        factor = other
        other = last
    many = 0
    for j in range(m.total):
        x = fill_lanes(0.0)
        if j == 0:
            x = x + theta * rest * rest
        if j == m.stages:
            x = x - theta * rest * theta
        for r in range(m.n_dense):
            x = x + dense[r * m.total + j] * powers[r]
        if is_any_lane_true(x != 0.0):
            weights[many] = x * d.step.size
            used[many] = j * d.shape.stride
            many += 1
    return many


def rosenbrock_step(d: Driver) -> int:
    """The stages of a step, its result and its error; 0 when they cannot be computed."""
    m = d.method
    k = d.k
    y_new = d.y_new
    if differentiate_rates(d) == 0 or factor_shifted_jacobian(1.0 / (m.gamma * d.step.size), d) == 0:
        return 0
    for j in range(m.stages):
        if rosenbrock_stage(j, d) == 0:
            return 0
    for i in range(d.shape.n):
        y_new[i] += k[m.stages * d.shape.stride + i]
    d.step.error = rosenbrock_error(d)
    return 1


def differentiate_rates(d: Driver) -> int:
    """Derivatives of the right-hand side at the state by time, coordinates and velocities.

    What laws gave at a stage that failed is forgotten: the derivatives contain the laws, and would refuse it.
    """
    m = d.mechanics
    by = d.linear
    y = d.y
    tau = m.tau
    for i in range(d.shape.n_acting):
        if tau[i] - tau[i] != 0.0:
            tau[i] = 0.0
    s = y[d.shape.nq :]
    clock = d.clock
    clock[0] = d.settings.origin + d.step.t
    return m.jacobian(clock, y, s, m.tau, by.by_t, by.by_q, by.by_s)


def factor_shifted_jacobian(shift: float, d: Driver) -> int:
    """LU factors, with row exchanges, of shift 1 - Jacobian of the right-hand side; 0 when it is singular."""
    n = d.shape.n
    nq = d.shape.nq
    ns = d.shape.ns
    m = d.linear.matrix
    by_q = d.linear.by_q
    by_s = d.linear.by_s
    d.linear.factorings += 1
    for i in range(n):
        for j in range(nq):
            m[i * n + j] = -by_q[i * nq + j]
        for j in range(ns):
            m[i * n + nq + j] = -by_s[i * ns + j]
        for j in range(nq + ns, n):
            m[i * n + j] = 0.0
        m[i * n + i] += shift
    return factor_small_lu(n, n, m, d.linear.pivots)


def solve_shifted(d: Driver, x: Rows) -> None:
    """Replace a right-hand side by the solution."""
    solve_small_lu(d.shape.n, d.shape.n, d.linear.matrix, d.linear.pivots, x)


def rosenbrock_stage(j: int, d: Driver) -> int:
    """Stage j into row j + 1 of k, whose row 0 holds the derivative at the state; 0 when it cannot be computed."""
    m = d.method
    n = d.shape.n
    stride = d.shape.stride
    k = d.k
    y = d.y
    y_new = d.y_new
    by_t = d.linear.by_t
    h = d.step.size
    out = k[(j + 1) * stride :]
    for i in range(n):
        y_new[i] = y[i]
    for r in range(j):
        x = m.a[j * m.stages + r]
        for i in range(n):
            y_new[i] += x * k[(r + 1) * stride + i]
    if j == 0:
        for i in range(n):
            out[i] = k[i]
    elif state_derivative(d.step.t + m.c[j] * h, d, y_new, out) == 0:
        return 0
    for i in range(n):
        out[i] += h * m.g[j] * by_t[i]
    for r in range(j):
        x = m.e[j * m.stages + r] / h
        for i in range(n):
            out[i] += x * k[(r + 1) * stride + i]
    solve_shifted(d, out)
    return 1


def rosenbrock_error(d: Driver) -> float:
    """The last stage, which is the estimated error, in units of the tolerance."""
    m = d.method
    y = d.y
    y_new = d.y_new
    k = d.k
    last = k[m.stages * d.shape.stride :]
    checked = d.shape.checked
    total = 0.0
    for c in range(d.shape.n_checked):
        i = checked[c]
        x = last[i] / (m.atol + m.rtol * max(abs(y[i]), abs(y_new[i])))
        total += x * x
    return sqrt(total / float(max(1, d.shape.n_checked)))


def rosenbrock_weights(d: Driver) -> int:
    """Weights of the stages in the interpolated state at theta (theory 8.11, multiplied out); how many there are."""
    m = d.method
    dense = m.d
    weights = d.weights
    used = d.used
    theta = d.step.theta
    for j in range(m.stages):
        inner = dense[m.stages + j] + theta * dense[2 * m.stages + j]
        weights[j] = theta * (1.0 - theta) * (dense[j] + theta * inner)
        used[j] = (j + 1) * d.shape.stride
    return m.stages
