"""Explicit Runge-Kutta steps: stages, error estimate, interpolant (theory 8.1-8.3). In the compiler's subset."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Floats, Rows, choose_by_lane, fill_lanes, is_any_lane_true, lane_view
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


def more_stages(d: Driver) -> None:
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
