"""Rows of the output: by an interpolant between steps, projected, written. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native import Rows, choose_by_lane, has_function, is_any_lane_true, lane_view
from linkwright.simulation.drivers.driver_records import EXTRAS, FAILED, MONITORED, Driver, Step
from linkwright.simulation.drivers.mechanics import close_lanes, state_derivative
from linkwright.simulation.drivers.runge_kutta import explicit_weights, rosenbrock_weights, sum_weighted_derivatives
from linkwright.simulation.drivers.tangent import components_along, directions_along, place_in_tangents


def interpolate_states(d: Driver, out: Rows) -> None:
    """The states at theta of the last steps."""
    y = d.y
    y_new = d.y_new
    start = d.stage
    theta = d.step.theta
    share = theta
    many = 0
    if d.lanes == 1 and d.method.stiff != 0:
        many = rosenbrock_weights(d)
    else:
        many = explicit_weights(d)
        share = theta - theta * (1.0 - theta) * (1.0 - 2.0 * theta)
    for i in range(d.shape.stride):
        start[i] = y[i] + share * (y_new[i] - y[i])
    if d.lanes == 1 and d.tangent.on != 0:
        components_along(d, start[d.shape.nq :])
        directions_along(d, start[d.shape.nq :])
    sum_weighted_derivatives(many, d, start, out)
    if d.lanes == 1 and d.tangent.on != 0:
        place_in_tangents(d, out)


def find_rows_inside(d: Driver) -> None:
    """Find the lanes with a row inside an accepted step, and not only on its end: they need the interpolant."""
    grid = d.output.grid
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        if one.accepted > 0.0 and one.next_due < d.output.n_rows and grid[one.next_due] < one.to:
            one.dense = 1.0


def find_due_rows(d: Driver) -> bool:
    """Find the lanes with another row in their last step, and where in it; returns True if there are any."""
    grid = d.output.grid
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        one.due = 0.0
        one.theta = 1.0
        if one.accepted > 0.0 and one.next_due < d.output.n_rows and grid[one.next_due] <= one.until:
            one.due = 1.0
            if grid[one.next_due] < one.to:
                one.theta = (grid[one.next_due] - one.t) / one.size
    return is_any_lane_true(d.step.due > 0.0)


def queue_step_rows(d: Driver) -> None:
    """Have the rows of accepted steps wait, and write those that wait where a lane needs the space."""
    s = d.step
    while find_due_rows(d):
        if is_any_lane_true(s.due * s.waiting > 0.0):
            write_waiting_rows(d)
        row_states(d)
        for k in range(d.lanes):
            one = lane_view(s, k)
            if one.due > 0.0:
                queue_row(one, d)
        if d.lanes == 1:
            write_waiting_rows(d)


def row_states(d: Driver) -> None:
    """The states of rows that are due: interpolated, or the ends of steps."""
    s = d.step
    state = d.output.state
    found = d.work
    y_new = d.y_new
    if is_any_lane_true(s.due * (1.0 - s.theta) > 0.0):
        interpolate_states(d, found)
    for i in range(d.shape.stride):
        state[i] = choose_by_lane(s.due > 0.0, choose_by_lane(s.theta < 1.0, found[i], y_new[i]), state[i])


def queue_row(one: Step, d: Driver) -> None:
    """The next row of the grid, whose state stands in the output, waits to be written."""
    one.waiting = 1.0
    one.t_row = d.output.grid[one.next_due]
    one.t_shown = d.output.shown[one.next_due]
    one.next_due += 1


def write_waiting_rows(d: Driver) -> None:
    """Close the loops of all states that wait, and write them as rows."""
    s = d.step
    o = d.output
    m = d.mechanics
    y = o.state
    rates = o.rates
    if m.projects != 0 and (d.lanes > 1 or d.tangent.on == 0):
        close_lanes(d.settings.gap_shown, 4, s.waiting, d, y)
    state_derivative(s.t_row, d, y, rates)
    if d.lanes == 1 and d.tangent.on != 0:
        for i in range(d.shape.nv):
            rates[d.shape.nq + i] = d.tangent.a[i]
        if d.tangent.across != 0 and d.tangent.pivot < d.tangent.row_share:
            row_from_beside(d)
    d.counts.evaluations += s.waiting
    monitor_states(d, y, rates[d.shape.stride :])
    for k in range(d.lanes):
        one = lane_view(s, k)
        if one.waiting > 0.0:
            write_row(k, one, d)
            one.waiting = 0.0


def row_from_beside(d: Driver) -> None:
    """Velocities and accelerations of a row near a crossing from those beside it in the step: there they are rounding.

    Weights of four states at even distances, with errors of fourth order.
    """
    s = d.step
    t = d.tangent
    nq = d.shape.nq
    v = d.output.state[nq:]
    a = d.output.rates[nq:]
    there = d.work[d.shape.stride :]
    theta = s.theta
    apart = min(0.4 * min(theta, 1.0 - theta), 0.08)
    for i in range(t.nv):
        t.row[i] = 0.0
        t.row[t.nv + i] = 0.0
    for side in range(4):
        weight = 2.0 / 3.0
        after = apart
        if side >= 2:
            weight = -1.0 / 6.0
            after = 2.0 * apart
        if side == 1 or side == 3:
            after = -after
        s.theta = theta + after
        interpolate_states(d, there)
        if state_derivative(s.t + s.theta * s.size, d, there, d.work) == 0:
            s.theta = theta
            return
        for i in range(t.nv):
            t.row[i] += weight * there[nq + i]
            t.row[t.nv + i] += weight * t.a[i]
    s.theta = theta
    for i in range(t.nv):
        v[i] = t.row[i]
        a[i] = t.row[t.nv + i]


def monitor_states(d: Driver, y: Rows, out: Rows) -> None:
    """Gaps and energies of states; of a single run also all velocities and accelerations."""
    m = d.mechanics
    v = y[d.shape.nq :]
    whole = d.output.whole
    if d.lanes > 1:
        given = m.given
        m.monitor(y, v, given[m.monitor_given :], out)
    elif has_function(m.expand):
        m.whole_row(y, v, m.tau, whole)
        m.monitor(y, whole, out)
    else:
        m.monitor(y, v, out)


def write_row(k: int, one: Step, d: Driver) -> None:
    """One row: t, q, v, a, tau, monitored numbers, extras, states of a controller."""
    o = d.output
    y = o.state
    rates = o.rates
    whole = o.whole
    tau = d.mechanics.tau
    nq = d.shape.nq
    nv = d.shape.nv
    na = d.shape.na
    rows = o.rows
    slot = one.written
    if one.last > 0.0:
        slot = o.per_run - 1
    row = rows[(one.run * o.per_run + slot) * o.width :]
    row[0] = one.t_shown
    for i in range(nq):
        row[1 + i] = y[i, k]
    v = row[1 + nq :]
    a = v[nv:]
    for i in range(nv):
        if d.lanes == 1 and has_function(d.mechanics.expand):
            v[i] = whole[i, k]
            a[i] = whole[nv + i, k]
        else:
            v[i] = y[nq + i, k]
            a[i] = rates[nq + i, k]
    for i in range(na):
        a[nv + i] = tau[i, k]
    rest = a[nv + na :]
    for i in range(MONITORED):
        rest[i] = rates[d.shape.stride + i, k]
    for i in range(EXTRAS):
        rest[MONITORED + i] = y[nq + d.shape.ns + i, k]
    for i in range(o.n_states):
        rest[MONITORED + EXTRAS + i] = y[nq + d.shape.ns + EXTRAS + i, k]
    if one.last <= 0.0:
        one.written += 1
    if d.lanes > 1 and rates[nq, k] != rates[nq, k]:
        one.status = FAILED
