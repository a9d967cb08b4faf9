"""The derivative of the state, and states brought onto closed loops (theory 8.1, 8.5). In the compiler's subset."""

from __future__ import annotations

from linkwright.compiler.native import Row, Rows, choose, lane, present, some, spread
from linkwright.numerics.tolerances import SOLVED
from linkwright.simulation.drivers.records import Driver
from linkwright.simulation.drivers.status import EXTRAS, FAILED
from linkwright.simulation.drivers.tangent import tangent_accelerated, tangent_placed


def copied(n: int, which: Row, x: Rows, out: Rows) -> None:
    """Copy states in some lanes."""
    for i in range(n):
        out[i] = choose(which > 0.0, x[i], out[i])


def derivative(t: Row, d: Driver, y: Rows, dy: Rows) -> int:
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
        if present(m.effort):
            m.effort(clock, y, v, tau)
        if present(m.controller):
            m.controller(clock, y, v, y[own:], tau, dy[own:])
        if present(m.wrench):
            m.wrench(clock, y, v, tau[d.shape.na :])
        return m.derivative(y, v, m.tau, m.given, dy[nq:], dy, dy[nq + d.shape.ns :])
    if m.solves != 0 and displaced(d, y) == 0:
        return 0
    if d.tangent.on != 0 and tangent_placed(d, y) == 0:
        return 0
    if present(m.effort) and driven(d, y) == 0:
        return 0
    if present(m.controller) and controlled(d, y, dy) == 0:
        return 0
    if present(m.wrench) and loaded(d, y) == 0:
        return 0
    if d.tangent.on != 0:
        if tangent_accelerated(d, y, dy[nq:]) == 0:
            return 0
    elif accelerated(d, y, dy[nq:]) == 0:
        return 0
    return rated(d, y, dy)


def renewed(t: Row, which: Row, d: Driver, y: Rows, dy: Rows) -> int:
    """Derivatives of states in some lanes; the others keep theirs."""
    found = derivative(t, d, y, d.work)
    copied(d.shape.stride, which, d.work, dy)
    d.counts.evaluations += which
    return found


def displaced(d: Driver, y: Rows) -> int:
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


def driven(d: Driver, y: Rows) -> int:
    """Efforts at a state, by the slower way where the compiled law gives numbers that are not finite."""
    m = d.mechanics
    nq = d.shape.nq
    good = 0
    if present(m.expand):
        m.expand(y, y[nq:], m.work)
        good = m.effort(d.clock, y, m.work, m.tau)
    else:
        good = m.effort(d.clock, y, y[nq:], m.tau)
    if good != 0 and finite(d.shape.na, m.tau):
        return 1
    if not present(m.effort_again):
        return 0
    d.counts.fallbacks += 1.0
    if present(m.expand):
        return m.effort_again(d.clock, y, m.work, m.tau)
    return m.effort_again(d.clock, y, y[nq:], m.tau)


def controlled(d: Driver, y: Rows, dy: Rows) -> int:
    """Efforts of a law with states, and the rates of these; 0 when they cannot be computed."""
    m = d.mechanics
    nq = d.shape.nq
    own = nq + d.shape.ns + EXTRAS
    good = 0
    if present(m.expand):
        m.expand(y, y[nq:], m.work)
        good = m.controller(d.clock, y, m.work, y[own:], m.tau, dy[own:])
    else:
        good = m.controller(d.clock, y, y[nq:], y[own:], m.tau, dy[own:])
    if finite(d.shape.na, m.tau):
        return good
    return 0


def loaded(d: Driver, y: Rows) -> int:
    """Wrenches at a state; 0 when they cannot be computed."""
    m = d.mechanics
    nq = d.shape.nq
    tau = m.tau
    if present(m.expand):
        m.expand(y, y[nq:], m.work)
        return m.wrench(d.clock, y, m.work, tau[d.shape.na :])
    return m.wrench(d.clock, y, y[nq:], tau[d.shape.na :])


def finite(n: int, x: Rows) -> bool:
    total = 0.0
    for i in range(n):
        total += x[i] - x[i]
    return total == 0.0


def accelerated(d: Driver, y: Rows, a: Rows) -> int:
    """Accelerations of the state's velocities, by the slower way where the fast one gives up."""
    m = d.mechanics
    s = y[d.shape.nq :]
    good = m.dynamics(y, s, m.tau, a)
    if good == 0 and present(m.second):
        good = m.second(y, s, m.tau, a)
    if good == 0 and present(m.fallback) and d.tangent.tries == 0:
        d.counts.fallbacks += 1.0
        good = m.fallback(y, s, m.tau, a)
    if good == 0:
        d.tangent.wanted = 1
    return good


def rated(d: Driver, y: Rows, dy: Rows) -> int:
    """Rates of the coordinates, and powers."""
    m = d.mechanics
    s = y[d.shape.nq :]
    return m.rates(y, s, m.tau, dy, dy[d.shape.nq + d.shape.ns :])


def gaps(d: Driver, y: Rows, out: Rows) -> None:
    """The largest gap and gap rate of states."""
    m = d.mechanics
    v = y[d.shape.nq :]
    if d.lanes > 1:
        given = m.given
        m.gaps(y, v, given[m.gaps_given :], out)
    elif present(m.expand):
        m.expand(y, v, m.work)
        m.gaps(y, m.work, out)
    else:
        m.gaps(y, v, out)


def opened(limit: float, which: Row, d: Driver, y: Rows) -> bool:
    """Find the lanes, of some, whose loops are open by more than the limit; returns True if there are any."""
    work = d.work
    gaps(d, y, work)
    rate_needs = choose(work[1] <= limit, spread(0.0), which)
    d.step.needs = choose(work[0] <= limit, rate_needs, which)
    return some(d.step.needs > 0.0)


def projected(d: Driver, y: Rows) -> int:
    """Velocities and coordinates nearer to closed loops, one behind the other in d.work; 0 when there are none."""
    m = d.mechanics
    nq = d.shape.nq
    out = d.work
    rest = out[d.shape.ns :]
    if d.lanes > 1:
        given = m.given
        m.project(y, y[nq:], given[m.project_given :], out, rest)
        for k in range(d.lanes):
            one = lane(d.step, k)
            if one.needs > 0.0 and out[0, k] != out[0, k]:
                one.needs = 0.0
                one.status = FAILED
        return 1
    if m.project(y, y[nq:], out, rest) != 0:
        return 1
    if not present(m.project_again):
        return 0
    return m.project_again(y, y[nq:], out, rest)


def taken_over(d: Driver, y: Rows) -> None:
    """Replace states by their projections where the loops were open."""
    out = d.work
    copied(d.shape.nq, d.step.needs, out[d.shape.ns :], y)
    copied(d.shape.ns, d.step.needs, out, y[d.shape.nq :])
    d.counts.projections += d.step.needs


def closed(limit: float, most: int, which: Row, d: Driver, y: Rows) -> int:
    """Project states in some lanes until their gaps are below the limit, at most so many times; how often."""
    s = d.step
    s.moved = spread(0.0)
    for times in range(most):
        if not opened(limit, which, d, y):
            return times
        if projected(d, y) == 0:
            return times
        taken_over(d, y)
        s.moved = choose(s.needs > 0.0, s.needs, s.moved)
    return most
