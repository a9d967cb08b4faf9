"""The step loop: begin, choose a step, attempt it, judge it, settle and finish it (theory 8). In the compiler's subset.

One text for a single run and for many runs in lanes, each with its own time and step. Stages and interpolants come from
`runge_kutta`; Rosenbrock steps are a part that only a single run has, the queue only lanes.
"""

from __future__ import annotations

from math import exp, log, sqrt

from linkwright.compiler.native import Row, Rows, choose_by_lane, fill_lanes, is_any_lane_true, lane_view
from linkwright.simulation.drivers.driver_records import (
    BLOWN,
    DONE,
    EXAMINE,
    EXHAUSTED,
    FAILED,
    FULL_LIST,
    GOING,
    HUNGRY,
    STOPPED,
    UNDERFLOW,
    Driver,
    Step,
)
from linkwright.simulation.drivers.event_detection import (
    copy_numbers,
    evaluate_event_functions,
    find_event_lanes,
    interpolate_lane,
    keep_regular_state,
    note_lane_events,
    note_step_events,
    stop_lanes,
    time_crossing,
)
from linkwright.simulation.drivers.mechanics import close_lanes, copy_lanes, renew_derivatives, state_derivative
from linkwright.simulation.drivers.neighborhood import (
    SLIGHTLY_SHORTER,
    allowed_rounding,
    begin_neighborhood,
    enter_neighborhood,
    expects_crossing,
    has_waiting_crossing,
    is_attempt_too_near,
    is_near_singularity,
    keep_accelerations,
    leave_neighborhood,
    partition_velocities,
    plan_step_size,
    shortening_factor,
)
from linkwright.simulation.drivers.output_rows import find_rows_inside, queue_row, queue_step_rows, write_waiting_rows
from linkwright.simulation.drivers.queue import end_lane_run, free_lanes, give_next_runs
from linkwright.simulation.drivers.runge_kutta import add_interpolant_stages, explicit_step, rosenbrock_step


def advance_lanes(d: Driver) -> int:
    """Advance every lane step by step until all runs are over, something is to be decided, or the slice is over."""
    status = begin_or_stop(d)
    while status == GOING and d.budget > 0:
        d.budget -= 1
        choose_steps(d)
        attempt_steps(d)
        judge_lanes(d)
        settle_steps(d)
        finish_steps(d)
        status = begin_or_stop(d)
    return status


def begin_or_stop(d: Driver) -> int:
    """Begin what is to begin; return GOING, or why the loop ends."""
    s = d.step
    if d.lanes > 1:
        free_lanes(d)
        give_next_runs(d)
        if d.queue.busy < d.lanes and d.queue.more != 0:
            return HUNGRY
        if d.queue.busy == 0:
            return DONE
    if d.lanes > 1 or s.status == GOING:
        begin_runs(d)
    if d.lanes == 1:
        return single_status(d)
    if d.events.n_found + d.lanes * d.events.n > d.events.most_found:
        return FULL_LIST
    return GOING


def single_status(d: Driver) -> int:
    """The status of a single run, which goes on when it is called again."""
    s = d.step
    status = s.status
    s.status = GOING
    if status == GOING and s.t >= d.settings.t_end:
        return DONE
    if status == GOING and d.events.n_found + d.events.n > d.events.most_found:
        return FULL_LIST
    return status


def begin_runs(d: Driver) -> None:
    """For runs that begin: the derivative at the start, rows due at once, and the size of the first step."""
    s = d.step
    k = d.k
    if not is_any_lane_true(s.fresh > 0.0):
        return
    found = find_derivative_at_start(d)
    for j in range(d.lanes):
        one = lane_view(s, j)
        if one.fresh > 0.0 and (found == 0 or k[d.shape.nq, j] != k[d.shape.nq, j]):
            end_lane_run(FAILED, one)
    if d.events.n > 0 and is_any_lane_true(s.fresh > 0.0):
        evaluate_event_functions(s.t, d, d.y, d.events.old)
        if d.lanes == 1:
            keep_regular_state(d)
    find_rows_at_start(d)
    choose_first_sizes(d)
    s.fresh = fill_lanes(0.0)


def find_derivative_at_start(d: Driver) -> int:
    """The derivative at the state; in tangent coordinates where the equations are about to lose rank."""
    t = d.tangent
    if d.lanes > 1 or t.able == 0:
        return renew_derivatives(d.step.t, d.step.fresh, d, d.y, d.k)
    if t.on == 0:
        t.wanted = 0
        t.tries = 1
        found = renew_derivatives(d.step.t, d.step.fresh, d, d.y, d.k)
        t.tries = 0
        if found != 0:
            return 1
        if t.wanted == 0:
            return 0
        begin_neighborhood(d.step.t, d)
    return enter_neighborhood(d)


def find_rows_at_start(d: Driver) -> None:
    """Rows due at the beginning of runs."""
    o = d.output
    y = d.y
    state = o.state
    for j in range(d.lanes):
        one = lane_view(d.step, j)
        while one.fresh > 0.0 and one.next_due < o.n_rows and o.grid[one.next_due] <= one.t:
            for i in range(d.shape.stride):
                state[i, j] = y[i, j]
            queue_row(one, d)
            if d.lanes == 1:
                write_waiting_rows(d)


def choose_first_sizes(d: Driver) -> None:
    """Sizes of first steps, from the derivative and how fast it changes (theory 8.4)."""
    s = d.step
    k = d.k
    y = d.y
    trial = d.y_new
    there = d.work
    s.error = scaled_squares(d, y)
    s.coarse = scaled_squares(d, k)
    for j in range(d.lanes):
        one = lane_view(s, j)
        one.size = 0.0
        if one.fresh > 0.0 and one.h <= 0.0:
            one.size = trial_size(one, d)
    if not is_any_lane_true(s.size > 0.0):
        return
    for i in range(d.shape.stride):
        trial[i] = y[i] + s.size * k[i]
    found = state_derivative(s.t + s.size, d, trial, there)
    d.counts.evaluations += choose_by_lane(s.size > 0.0, fill_lanes(1.0), fill_lanes(0.0))
    h = choose_by_lane(s.size > 0.0, s.size, fill_lanes(1.0))
    for i in range(d.shape.stride):
        there[i] = (there[i] - k[i]) / h
    s.error = scaled_squares(d, there)
    for j in range(d.lanes):
        one = lane_view(s, j)
        if one.size > 0.0:
            one.h = first_size(found, one, d)


def scaled_squares(d: Driver, x: Rows) -> Row:
    """Sums of the squares of x in units of the tolerance at the state."""
    y = d.y
    checked = d.shape.checked
    total = fill_lanes(0.0)
    for c in range(d.shape.n_checked):
        i = checked[c]
        z = x[i] / (d.method.atol + d.method.rtol * abs(y[i]))
        total = total + z * z
    return total


def longest_step(one: Step, d: Driver) -> float:
    return min(d.method.h_max, d.settings.t_end - one.t)


def trial_size(one: Step, d: Driver) -> float:
    """Size of a trial step that shows how fast the derivative changes."""
    many = float(max(1, d.shape.n_checked))
    d0 = sqrt(one.error / many)
    d1 = sqrt(one.coarse / many)
    h = 1e-6
    if d0 >= 1e-5 and d1 >= 1e-5:
        h = 0.01 * d0 / d1
    return min(h, longest_step(one, d))


def first_size(found: int, one: Step, d: Driver) -> float:
    """The size of a first step, where the derivative was found at the end of the trial."""
    many = float(max(1, d.shape.n_checked))
    h = one.size
    if found == 0 or one.error != one.error:
        return min(1e-3 * h, longest_step(one, d))
    curve = max(sqrt(one.coarse / many), sqrt(one.error / many))
    other = max(1e-6, 1e-3 * h)
    if curve > 1e-15:
        other = exp(log(0.01 / curve) * d.method.exponent)
    return min(100.0 * h, other, longest_step(one, d))


def choose_steps(d: Driver) -> None:
    """Size and end of every lane's next step; lanes without a run stand still."""
    for j in range(d.lanes):
        one = lane_view(d.step, j)
        counts = lane_view(d.counts, j)
        one.accepted = 0.0
        one.size = 0.0
        if one.status == GOING and counts.steps + counts.rejected >= d.settings.max_steps:
            end_lane_run(EXHAUSTED, one)
        if one.status == GOING:
            choose_step(one, d)


def choose_step(one: Step, d: Driver) -> None:
    m = d.method
    t_end = d.settings.t_end
    one.to = t_end
    one.size = t_end - one.t
    if m.adaptive != 0:
        h = min(one.h, m.h_max)
        d.tangent.cut = 0
        if d.lanes == 1 and d.tangent.on != 0:
            h = plan_step_size(h, d)
            d.tangent.cut = int(h < one.h)
        if 1.001 * h < one.size:
            one.size = h
            one.to = one.t + h
    else:
        after = d.settings.t_start + m.h * (one.number + 1.0)
        if after + 1e-3 * m.h < t_end:
            one.to = after
            one.size = after - one.t
    if one.to <= one.t:
        end_lane_run(UNDERFLOW, one)


def attempt_steps(d: Driver) -> None:
    """A step of the chosen size and its error; health is zero where its numbers are finite."""
    s = d.step
    y_new = d.y_new
    checked = d.shape.checked
    found = 0
    if not is_any_lane_true(s.size > 0.0):
        return
    if d.lanes == 1 and d.tangent.on != 0 and partition_velocities(d) == 0:
        s.health = fill_lanes(1.0)
        return
    d.tangent.nearest = 1.0
    d.tangent.wanted = 0
    d.tangent.tries = d.tangent.able
    if d.lanes == 1 and d.method.stiff != 0:
        found = rosenbrock_step(d)
        if found == 0:
            d.tangent.wanted = 1
    else:
        found = explicit_step(d)
    d.tangent.tries = 0
    made = fill_lanes(float(d.method.stages - 1 + d.method.last_in_error))
    d.counts.evaluations += choose_by_lane(s.size > 0.0, made, fill_lanes(0.0))
    health = fill_lanes(0.0)
    for c in range(d.shape.n_checked):
        i = checked[c]
        health = health + (y_new[i] - y_new[i])
    s.health = health
    if found == 0:
        s.health = fill_lanes(1.0)


def judge_lanes(d: Driver) -> None:
    """Accept or refuse every lane's step (theory 8.2)."""
    s = d.step
    attempted = choose_by_lane(s.size > 0.0, fill_lanes(1.0), fill_lanes(0.0))
    for j in range(d.lanes):
        one = lane_view(s, j)
        if one.size > 0.0:
            judge_step(one, d)
    d.counts.rejected += attempted - s.accepted


def judge_step(one: Step, d: Driver) -> None:
    """Accept or refuse one lane's step, and choose the size of its next."""
    m = d.method
    if one.health != 0.0 or (m.adaptive != 0 and one.error != one.error):
        retry_doubtful_step(one, d)
        return
    if d.lanes == 1 and d.tangent.on != 0 and d.method.last_in_error != 0 and is_attempt_too_near(d):
        refuse_step(SLIGHTLY_SHORTER * one.size, one, d)
        return
    one.accepted = 1.0
    if m.adaptive == 0:
        return
    if d.lanes == 1 and d.tangent.on != 0:
        one.error = one.error / allowed_rounding(d)
    grow = step_growth(one.error, m.exponent)
    if one.error > 1.0:
        if d.lanes == 1 and d.tangent.on != 0 and expects_crossing(d):
            d.tangent.refused_across = 1
        refuse_step(one.size * min(0.9, grow), one, d)
        return
    if one.refused > 0.0:
        grow = min(1.0, grow)
    one.refused = 0.0
    if (one.to < d.settings.t_end and d.tangent.cut == 0) or one.size * grow > one.h:
        one.h = one.size * grow


def step_growth(error: float, exponent: float) -> float:
    """By how much to change the step after an error estimate; of order eight by square roots, which are quicker."""
    if error < 1e-12:
        return 6.0
    if exponent == 0.125:
        return min(6.0, max(0.2, 0.75 / sqrt(sqrt(sqrt(error)))))
    margin = 0.9
    if exponent < 0.15:
        margin = 0.75
    return min(6.0, max(0.2, margin * exp(-log(error) * exponent)))


def retry_doubtful_step(one: Step, d: Driver) -> None:
    """A step met numbers that are not finite: a smaller one is tried, so many times in a run.

    Where the equations are about to lose rank, one in tangent coordinates is tried.
    """
    if d.lanes == 1 and d.tangent.able * d.tangent.wanted != 0 and d.tangent.on == 0:
        one.accepted = 0.0
        begin_neighborhood(one.to, d)
        return
    one.doubts += 1.0
    if d.method.adaptive == 0:
        end_lane_run(BLOWN, one)
    elif one.doubts > float(d.settings.most_doubts):
        end_lane_run(FAILED, one)
    else:
        refuse_step(0.2 * one.size, one, d)


def refuse_step(h: float, one: Step, d: Driver) -> None:
    """Try again with a smaller step, unless it has become too small."""
    one.accepted = 0.0
    one.refused = 1.0
    one.h = h
    if h <= 1e-15 * max(abs(one.t), d.settings.t_end - d.settings.t_start):
        end_lane_run(UNDERFLOW, one)


def settle_steps(d: Driver) -> None:
    """Close the loops at the ends of accepted steps and find the derivative there; where there is none, refuse."""
    s = d.step
    m = d.method
    k = d.k
    nq = d.shape.nq
    last = k[m.end * d.shape.stride :]
    if not is_any_lane_true(s.accepted > 0.0):
        return
    s.moved = fill_lanes(0.0)
    if d.mechanics.projects != 0 and (d.lanes > 1 or d.tangent.on == 0):
        close_lanes(d.settings.gap_kept, d.settings.most_projections, s.accepted, d, d.y_new)
    found = 1
    d.tangent.wanted = 0
    d.tangent.tries = d.tangent.able
    if m.last_in_error == 0:
        found = state_derivative(s.to, d, d.y_new, last)
        d.counts.evaluations += s.accepted
    elif is_any_lane_true(s.moved > 0.0):
        found = renew_derivatives(s.to, s.moved, d, d.y_new, last)
    d.tangent.tries = 0
    before = s.accepted
    for j in range(d.lanes):
        one = lane_view(s, j)
        if one.accepted > 0.0 and (found == 0 or last[nq, j] != last[nq, j]):
            retry_doubtful_step(one, d)
    if d.lanes == 1 and d.tangent.on != 0 and s.accepted > 0.0:
        settle_in_neighborhood(d)
    d.counts.rejected += before - s.accepted


def settle_in_neighborhood(d: Driver) -> None:
    """Refuse a step in tangent coordinates that turned too far, or jumped over a position it should turn beside."""
    keep_accelerations(d)
    shorter = shortening_factor(d)
    if shorter < 1.0:
        refuse_step(shorter * d.step.size, d.step, d)


def finish_steps(d: Driver) -> None:
    """Events and rows of accepted steps, whose ends are where the next ones begin."""
    s = d.step
    k = d.k
    stride = d.shape.stride
    if not is_any_lane_true(s.accepted > 0.0):
        return
    s.until = s.to
    s.dense = fill_lanes(0.0)
    happened = d.events.n > 0 and find_event_lanes(d)
    find_rows_inside(d)
    if d.lanes == 1 and d.tangent.crossed != 0:
        s.dense = 1.0
    if is_any_lane_true(s.dense > 0.0):
        add_interpolant_stages(d)
    if d.lanes == 1:
        first = d.events.n_found
        ends = d.events.n > 0 and note_step_events(happened, d)
        if d.tangent.able != 0 and d.tangent.on == 0 and d.events.examines != 0:
            retry_in_neighborhood(first, d)
            return
        if d.tangent.crossed != 0:
            time_crossing(d)
        if ends:
            queue_step_rows(d)
            stop_run(d)
            return
    elif d.events.n > 0:
        note_lane_events(d)
    queue_step_rows(d)
    if d.lanes > 1 and d.events.n > 0:
        stop_lanes(d)
    copy_lanes(stride, s.accepted, d.y_new, d.y)
    copy_lanes(stride, s.accepted, k[d.method.end * stride :], k)
    s.t = choose_by_lane(s.accepted > 0.0, s.to, s.t)
    s.number += s.accepted
    d.counts.steps += s.accepted
    if d.lanes == 1:
        d.counts.tangent_steps += float(d.tangent.on)
    if d.events.n > 0:
        carry_events_on(d)
    if d.lanes == 1 and d.tangent.able != 0:
        see_neighborhood(d)


def retry_in_neighborhood(first: int, d: Driver) -> None:
    """Forget an ordinary step, and its events, that has met a singular position; take it in tangent coordinates."""
    s = d.step
    d.events.n_found = first
    d.events.examines = 0
    d.counts.rejected += 1.0
    s.accepted = 0.0
    s.h = s.size
    begin_neighborhood(s.to, d)


def see_neighborhood(d: Driver) -> None:
    """See whether the next step is to be taken in tangent coordinates; the caller looks at crossings passed."""
    if d.tangent.on != 0:
        leave_neighborhood(d)
    elif is_near_singularity(d):
        begin_neighborhood(d.step.t, d)
    if d.step.status == GOING and has_waiting_crossing(d):
        d.step.status = EXAMINE


def carry_events_on(d: Driver) -> None:
    """The event functions at the end of a step are those at the beginning of the next."""
    e = d.events
    copy_lanes(e.n, d.step.accepted, e.new, e.old)
    if d.lanes == 1:
        keep_regular_state(d)
        if e.examines != 0:
            e.examines = 0
            d.step.status = EXAMINE


def stop_run(d: Driver) -> None:
    """End a single run at a time inside the last step, with a row for it."""
    s = d.step
    o = d.output
    rows = o.rows
    end = s.until
    d.counts.steps += 1.0
    s.number += 1.0
    interpolate_lane(end, 0, d, d.work)
    copy_numbers(d.shape.stride, d.work, d.y)
    if s.written == 0 or rows[(s.written - 1) * o.width] < d.settings.origin + end:
        copy_numbers(d.shape.stride, d.y, o.state)
        s.waiting = 1.0
        s.t_row = end
        s.t_shown = d.settings.origin + end
        write_waiting_rows(d)
        copy_numbers(d.shape.stride, o.state, d.y)
    s.t = end
    s.fresh = 1.0
    s.status = STOPPED
