"""Rows of states advanced by fixed steps under given efforts, as many side by side as there are lanes.

In the compiler's subset of Python. Stages, projections and their limits are those of the step loop of many runs
(`stepping`), so that a row gets the bits of that run. Rows that fail go one by one: where the first order of
elimination gives up in the second, near singular positions in tangent coordinates.
"""

from __future__ import annotations

from linkwright.compiler.native import Floats, Ints, Record, choose_by_lane, fill_lanes, lane_view
from linkwright.simulation.drivers.driver_records import DONE, EXAMINE, EXTRAS, GOING, Driver
from linkwright.simulation.drivers.mechanics import close_lanes, is_row_finite, state_derivative
from linkwright.simulation.drivers.neighborhood import begin_neighborhood
from linkwright.simulation.drivers.regularity import keeps_rank
from linkwright.simulation.drivers.stepping import advance_lanes, attempt_steps

NEVER_LEFT = 1e300  # time up to which a row goes in tangent coordinates: to its end
ATTEMPTS, SLICES = 256, 8  # of steps of a row: attempts between two crossings, and how often


class Batch(Record):
    """Rows of a batch, one behind the other."""

    n: int
    substeps: int
    n_acting: int
    n_given: int
    q: Floats
    v: Floats
    extras: Floats  # work of the actuators, energy lost
    number: Floats  # steps since the row began
    acting: Floats  # efforts, then wrenches
    given: Floats  # parameters as the compiled functions take them
    failed: Floats  # 1.0 where the last steps could not be made and the row stands still, -1.0 where the row went alone
    n_alone: int
    alone: Ints  # rows that go alone
    n_own: int
    own: Floats  # their parameters as the functions of a single run take them


def advance_rows(first: int, last: int, d: Driver, b: Batch) -> int:
    """Advance some rows by the steps of one call; how many failed."""
    at = first
    failures = 0
    while at < last:
        load_batch_rows(at, last, d, b)
        for _ in range(b.substeps):
            step_lanes(d)
        failures += store_batch_rows(at, last, d, b)
        at += d.lanes
    return failures


def load_batch_rows(at: int, last: int, d: Driver, b: Batch) -> None:
    """Put rows into lanes; lanes beyond the last row repeat it."""
    y = d.y
    tau = d.mechanics.tau
    given = d.mechanics.given
    nq = d.shape.nq
    nv = d.shape.nv
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        row = min(at + k, last - 1)
        for i in range(nq):
            y[i, k] = b.q[row * nq + i]
        for i in range(nv):
            y[nq + i, k] = b.v[row * nv + i]
        for i in range(EXTRAS):
            y[nq + nv + i, k] = b.extras[row * EXTRAS + i]
        for i in range(b.n_acting):
            tau[i, k] = b.acting[row * b.n_acting + i]
        for i in range(b.n_given):
            given[i, k] = b.given[row * b.n_given + i]
        one.number = b.number[row]
        one.t = d.method.h * one.number
        one.refused = 0.0
        one.status = GOING


def step_lanes(d: Driver) -> None:
    """One step of every lane, with the loops closed at its end; lanes in which there is none are refused."""
    s = d.step
    y = d.y
    y_new = d.y_new
    s.to = d.method.h * (s.number + 1.0)
    s.size = s.to - s.t
    most = d.settings.most_projections
    found = state_derivative(s.t, d, d.y, d.k)
    attempt_steps(d)
    s.accepted = choose_by_lane(s.health == 0.0, fill_lanes(1.0), fill_lanes(0.0))
    s.refused = choose_by_lane(s.health == 0.0, s.refused, fill_lanes(1.0))
    if d.mechanics.projects != 0:
        times = close_lanes(d.settings.gap_kept, most, s.accepted, d, d.y_new)
        if d.lanes == 1 and s.needs > 0.0 and times < most:
            found = 0
    if found == 0:
        s.refused = fill_lanes(1.0)
    for i in range(d.shape.stride):
        y[i] = y_new[i]
    s.t = s.to
    s.number += 1.0


def store_batch_rows(at: int, last: int, d: Driver, b: Batch) -> int:
    """Take rows out of the lanes, those that failed as they were; how many these are."""
    y = d.y
    nq = d.shape.nq
    nv = d.shape.nv
    failures = 0
    for k in range(min(d.lanes, last - at)):
        one = lane_view(d.step, k)
        row = at + k
        b.failed[row] = 0.0
        if one.refused > 0.0 or one.status != GOING:
            b.failed[row] = 1.0
            failures += 1
        else:
            for i in range(nq):
                b.q[row * nq + i] = y[i, k]
            for i in range(nv):
                b.v[row * nv + i] = y[nq + i, k]
            for i in range(EXTRAS):
                b.extras[row * EXTRAS + i] = y[nq + nv + i, k]
            b.number[row] = one.number
    return failures


def advance_lone_rows(part: int, parts: int, d: Driver, tangents: Driver, b: Batch) -> int:
    """Advance one of so many parts of the rows that failed; how many failed again.

    Each in a record of a single run: by ordinary steps, and near a singular position in tangent coordinates.
    """
    failures = 0
    at = part
    while at < b.n_alone:
        row = b.alone[at]
        load_lone_row(at, row, d, b)
        if is_row_finite(d.shape.n, d.y) and is_row_finite(d.shape.n_acting, d.mechanics.tau):
            if advance_regular_row(b.substeps, d) != 0:
                store_lone_row(row, d, b)
            else:
                load_lone_row(at, row, tangents, b)
                if advance_singular_row(tangents) != 0:
                    store_lone_row(row, tangents, b)
                else:
                    failures += 1
        else:
            failures += 1
        at += parts
    return failures


def load_lone_row(at: int, row: int, d: Driver, b: Batch) -> None:
    """Put a row into the record of a single run."""
    y = d.y
    tau = d.mechanics.tau
    given = d.mechanics.given
    nq = d.shape.nq
    nv = d.shape.nv
    one = lane_view(d.step, 0)
    one.run = row
    one.number = b.number[row]
    one.t = d.method.h * one.number
    one.refused = 0.0
    one.status = GOING
    for i in range(nq):
        y[i] = b.q[row * nq + i]
    for i in range(nv):
        y[nq + i] = b.v[row * nv + i]
    for i in range(EXTRAS):
        y[nq + nv + i] = b.extras[row * EXTRAS + i]
    for i in range(b.n_acting):
        tau[i] = b.acting[row * b.n_acting + i]
    for i in range(b.n_own):
        given[i] = b.own[at * b.n_own + i]


def advance_regular_row(substeps: int, d: Driver) -> int:
    """Advance the row by ordinary steps, in the second order of elimination where the first gives up.

    The result is 0 when it fails, or when the row comes near a singular position or passes one.
    """
    s = d.step
    e = d.events
    sizes = d.mechanics.work
    if not keeps_rank(d.tangent.enter_share, d, d.y):
        return 0
    d.mechanics.size(d.y, e.before)
    for _ in range(substeps):
        step_lanes(d)
        if s.refused > 0.0 or s.status != GOING or not keeps_rank(d.tangent.enter_share, d, d.y):
            return 0
        d.mechanics.size(d.y, sizes)
        for i in range(e.n_usual):
            if not sizes[i] * e.before[i] > 0.0:
                return 0
    return 1


def advance_singular_row(d: Driver) -> int:
    """Advance the row by the steps of one call in tangent coordinates; 0 when it fails."""
    s = d.step
    s.t = 0.0
    s.h = d.settings.t_end
    s.doubts = 0.0
    begin_neighborhood(NEVER_LEFT, d)
    status = EXAMINE
    for _ in range(SLICES):
        if status == EXAMINE:
            s.status = GOING
            d.budget = ATTEMPTS
            status = advance_lanes(d)
            d.events.n_found = 0
            d.tangent.n_passed = 0
    return int(status == DONE and is_row_finite(d.shape.n, d.y))


def store_lone_row(row: int, d: Driver, b: Batch) -> None:
    """Take a row out of the record of a single run."""
    y = d.y
    nq = d.shape.nq
    nv = d.shape.nv
    for i in range(nq):
        b.q[row * nq + i] = y[i]
    for i in range(nv):
        b.v[row * nv + i] = y[nq + i]
    for i in range(EXTRAS):
        b.extras[row * EXTRAS + i] = y[nq + nv + i]
    b.number[row] += float(b.substeps)
    b.failed[row] = -1.0
