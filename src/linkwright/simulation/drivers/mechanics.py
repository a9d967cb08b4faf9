"""The derivative of the state, and states brought onto closed loops (theory 8.1, 8.5). In the compiler's subset."""

from __future__ import annotations

from linkwright.compiler.native import Row, Rows, choose_by_lane, fill_lanes, has_function, is_any_lane_true, lane_view
from linkwright.numerics.tolerances import SOLVED
from linkwright.simulation.drivers.driver_records import EXTRAS, FAILED, Driver
from linkwright.simulation.drivers.tangent import accelerate_in_tangents, place_in_tangents


def copy_lanes(n: int, which: Row, x: Rows, out: Rows) -> None:
    """Copy states in some lanes."""
    for i in range(n):
        out[i] = choose_by_lane(which > 0.0, x[i], out[i])


def state_derivative(t: Row, d: Driver, y: Rows, dy: Rows) -> int:
    """Derivative dy of the states y at times t; 0 when it cannot be computed.

    With several lanes the result is always 1, and the first acceleration is NaN where it is ill-conditioned.
    """
    m = d.mechanics
    nq = d.shape.nq
    v = y[nq:]
    clock = d.clock
    clock[0] = d.settings.origin + t
    if d.lanes > 1:
        tau = m.tau
        own = nq + d.shape.ns + EXTRAS
        if has_function(m.effort):
            m.effort(clock, y, v, tau)
        if has_function(m.controller):
            m.controller(clock, y, v, y[own:], tau, dy[own:])
        if has_function(m.wrench):
            m.wrench(clock, y, v, tau[d.shape.na :])
        given = m.given
        m.dynamics(y, v, m.tau, given[m.dynamics_given :], dy[nq:])
        return m.rates(y, v, m.tau, given[m.rates_given :], dy, dy[nq + d.shape.ns :])
    if m.solves != 0 and close_by_newton(d, y) == 0:
        return 0
    if d.tangent.on != 0 and place_in_tangents(d, y) == 0:
        return 0
    if has_function(m.effort) and evaluate_efforts(d, y) == 0:
        return 0
    if has_function(m.controller) and evaluate_controller(d, y, dy) == 0:
        return 0
    if has_function(m.wrench) and evaluate_wrenches(d, y) == 0:
        return 0
    if d.tangent.on != 0:
        if accelerate_in_tangents(d, y, dy[nq:]) == 0:
            return 0
    elif evaluate_accelerations(d, y, dy[nq:]) == 0:
        return 0
    return evaluate_rates(d, y, dy)


def renew_derivatives(t: Row, which: Row, d: Driver, y: Rows, dy: Rows) -> int:
    """Derivatives of states in some lanes; the others keep theirs."""
    found = state_derivative(t, d, y, d.work)
    copy_lanes(d.shape.stride, which, d.work, dy)
    d.counts.evaluations += which
    return found


def close_by_newton(d: Driver, y: Rows) -> int:
    """Newton steps on the dependent coordinates of y until the loops are closed; 0 when they do not close."""
    m = d.mechanics
    work = m.work
    for _ in range(12):
        if m.newton(y, work, work[1:]) == 0:
            return 0
        if work[0] < SOLVED:
            return 1
        for i in range(d.shape.nq):
            y[i] = work[1 + i]
    return int(work[0] < 1e-10)


def evaluate_efforts(d: Driver, y: Rows) -> int:
    """Efforts at a state, by the slower way where the compiled law gives numbers that are not finite."""
    m = d.mechanics
    nq = d.shape.nq
    good = 0
    if has_function(m.expand):
        m.expand(y, y[nq:], m.work)
        good = m.effort(d.clock, y, m.work, m.tau)
    else:
        good = m.effort(d.clock, y, y[nq:], m.tau)
    if good != 0 and is_row_finite(d.shape.na, m.tau):
        return 1
    if not has_function(m.effort_again):
        return 0
    d.counts.fallbacks += 1.0
    if has_function(m.expand):
        return m.effort_again(d.clock, y, m.work, m.tau)
    return m.effort_again(d.clock, y, y[nq:], m.tau)


def evaluate_controller(d: Driver, y: Rows, dy: Rows) -> int:
    """Efforts of a law with states, and the rates of these; 0 when they cannot be computed."""
    m = d.mechanics
    nq = d.shape.nq
    own = nq + d.shape.ns + EXTRAS
    good = 0
    if has_function(m.expand):
        m.expand(y, y[nq:], m.work)
        good = m.controller(d.clock, y, m.work, y[own:], m.tau, dy[own:])
    else:
        good = m.controller(d.clock, y, y[nq:], y[own:], m.tau, dy[own:])
    if is_row_finite(d.shape.na, m.tau):
        return good
    return 0


def evaluate_wrenches(d: Driver, y: Rows) -> int:
    """Wrenches at a state; 0 when they cannot be computed."""
    m = d.mechanics
    nq = d.shape.nq
    tau = m.tau
    if has_function(m.expand):
        m.expand(y, y[nq:], m.work)
        return m.wrench(d.clock, y, m.work, tau[d.shape.na :])
    return m.wrench(d.clock, y, y[nq:], tau[d.shape.na :])


def is_row_finite(n: int, x: Rows) -> bool:
    total = 0.0
    for i in range(n):
        total += x[i] - x[i]
    return total == 0.0


def evaluate_accelerations(d: Driver, y: Rows, a: Rows) -> int:
    """Accelerations of the state's velocities, by the slower way where the fast one gives up."""
    m = d.mechanics
    s = y[d.shape.nq :]
    good = m.dynamics(y, s, m.tau, a)
    if good == 0 and has_function(m.second):
        good = m.second(y, s, m.tau, a)
    if good == 0 and has_function(m.fallback) and d.tangent.tries == 0:
        d.counts.fallbacks += 1.0
        good = m.fallback(y, s, m.tau, a)
    if good == 0:
        d.tangent.wanted = 1
    return good


def evaluate_rates(d: Driver, y: Rows, dy: Rows) -> int:
    """Rates of the coordinates, and powers."""
    m = d.mechanics
    s = y[d.shape.nq :]
    return m.rates(y, s, m.tau, dy, dy[d.shape.nq + d.shape.ns :])


def evaluate_gaps(d: Driver, y: Rows, out: Rows) -> None:
    """The largest gap and gap rate of states."""
    m = d.mechanics
    v = y[d.shape.nq :]
    if d.lanes > 1:
        given = m.given
        m.gaps(y, v, given[m.gaps_given :], out)
    elif has_function(m.expand):
        m.expand(y, v, m.work)
        m.gaps(y, m.work, out)
    else:
        m.gaps(y, v, out)


def find_open_lanes(limit: float, which: Row, d: Driver, y: Rows) -> bool:
    """Find the lanes, of some, whose loops are open by more than the limit; returns True if there are any."""
    work = d.work
    evaluate_gaps(d, y, work)
    rate_needs = choose_by_lane(work[1] <= limit, fill_lanes(0.0), which)
    d.step.needs = choose_by_lane(work[0] <= limit, rate_needs, which)
    return is_any_lane_true(d.step.needs > 0.0)


def project_onto_closure(d: Driver, y: Rows) -> int:
    """Velocities and coordinates nearer to closed loops, one behind the other in d.work; 0 when there are none.

    Steps in tangent coordinates close the loops themselves, and need no slower way.
    """
    m = d.mechanics
    nq = d.shape.nq
    out = d.work
    rest = out[d.shape.ns :]
    if d.lanes > 1:
        given = m.given
        m.project(y, y[nq:], given[m.project_given :], out, rest)
        for k in range(d.lanes):
            one = lane_view(d.step, k)
            if one.needs > 0.0 and out[0, k] != out[0, k]:
                one.needs = 0.0
                one.status = FAILED
        return 1
    if m.project(y, y[nq:], out, rest) != 0:
        return 1
    if d.tangent.on != 0 or not has_function(m.project_again):
        return 0
    return m.project_again(y, y[nq:], out, rest)


def take_projections(d: Driver, y: Rows) -> None:
    """Replace states by their projections where the loops were open."""
    out = d.work
    copy_lanes(d.shape.nq, d.step.needs, out[d.shape.ns :], y)
    copy_lanes(d.shape.ns, d.step.needs, out, y[d.shape.nq :])
    d.counts.projections += d.step.needs


def close_lanes(limit: float, most: int, which: Row, d: Driver, y: Rows) -> int:
    """Project states in some lanes until their gaps are below the limit, at most so many times; how often."""
    s = d.step
    s.moved = fill_lanes(0.0)
    for times in range(most):
        if not find_open_lanes(limit, which, d, y):
            return times
        if project_onto_closure(d, y) == 0:
            return times
        take_projections(d, y)
        s.moved = choose_by_lane(s.needs > 0.0, s.needs, s.moved)
    return most
