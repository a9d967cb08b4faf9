"""Events inside steps, and which are singular positions (theory 8.6-8.8). In the compiler's subset.

Of many runs in lanes, one that comes near a singular position is left to be examined in a run of its own.
"""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Row, Rows, choose_by_lane, has_function, is_any_lane_true, lane_view
from linkwright.numerics.tolerances import ROUNDED_ENTRY, TINY
from linkwright.simulation.drivers.driver_records import (
    ENDS,
    EXAMINE,
    GOING,
    JUMPED,
    LINGERS,
    LOOKED_AT,
    MOST_EXAMINED,
    NEVER,
    NOTED,
    PARTS,
    PASSED,
    REGULAR_PASSAGE,
    SINGULAR,
    STOPPED,
    UNDEFINED,
    Driver,
)
from linkwright.simulation.drivers.mechanics import evaluate_gaps
from linkwright.simulation.drivers.output_rows import interpolate_states, row_from_beside, write_waiting_rows
from linkwright.simulation.drivers.queue import end_lane_run
from linkwright.simulation.drivers.regularity import are_actuators_regular, keeps_rank


def evaluate_event_functions(t: Row, d: Driver, y: Rows, out: Rows) -> None:
    """The event functions at states."""
    m = d.mechanics
    v = y[d.shape.nq :]
    clock = d.clock
    clock[0] = d.settings.origin + t
    if d.lanes > 1:
        given = m.given
        m.watch(clock, y, v, given[m.watch_given :], out)
    elif has_function(m.expand):
        m.expand(y, v, m.work)
        m.watch(clock, y, m.work, out)
    else:
        m.watch(clock, y, v, out)


def evaluate_events_inside(t: float, k: int, d: Driver) -> None:
    """The event functions at a time inside the last step of a lane."""
    interpolate_lane(t, k, d, d.work)
    evaluate_event_functions(d.step.at, d, d.work, d.events.inside)


def interpolate_lane(t: float, k: int, d: Driver, out: Rows) -> None:
    """The interpolated state at a time inside the last step of a lane."""
    one = lane_view(d.step, k)
    one.at = t
    one.theta = (t - one.t) / one.size
    interpolate_states(d, out)


def find_event_lanes(d: Driver) -> bool:
    """Evaluate the event functions at the ends of accepted steps and find the lanes with events; True if there are."""
    e = d.events
    evaluate_event_functions(d.step.to, d, d.y_new, e.new)
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        many = 0
        for i in range(e.n):
            many += abs(crossing_direction(i, k, d))
        if one.accepted > 0.0 and many > 0:
            one.dense = 1.0
    return is_any_lane_true(d.step.dense > 0.0)


def note_lane_events(d: Driver) -> None:
    """Note the events of the last steps of all lanes; end runs at theirs, and leave those that are to be examined."""
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        end = one.to + 1.0
        if one.accepted > 0.0 and one.dense > 0.0:
            end = note_events_of_lane(k, d)
        if one.accepted > 0.0 and is_near_degenerate(k, d):
            end_lane_run(EXAMINE, one)
        if one.status == GOING and end <= one.to:
            one.until = end
            one.status = STOPPED


def stop_lanes(d: Driver) -> None:
    """Have the states at events that ended runs wait as rows; these runs stand at their time."""
    s = d.step
    state = d.output.state
    found = d.work
    for k in range(d.lanes):
        one = lane_view(s, k)
        one.due = 0.0
        if one.status == STOPPED:
            one.due = 1.0
            one.theta = (one.until - one.t) / one.size
    if not is_any_lane_true(s.due > 0.0):
        return
    if is_any_lane_true(s.due * s.waiting > 0.0):
        write_waiting_rows(d)
    interpolate_states(d, found)
    for i in range(d.shape.stride):
        state[i] = choose_by_lane(s.due > 0.0, found[i], state[i])
    for k in range(d.lanes):
        one = lane_view(s, k)
        if one.due > 0.0:
            one.waiting = 1.0
            one.last = 1.0
            one.t_row = one.until
            one.t_shown = d.settings.origin + one.until
            one.to = one.until


def note_step_events(happened: bool, d: Driver) -> bool:
    """Note the events of the last step; return True if one of them ends the run, at step.until."""
    e = d.events
    s = d.step
    end = s.to + 1.0
    if happened:
        end = note_events_of_lane(0, d)
    if e.examines == 0 and end > s.to and d.tangent.on == 0:
        note_lingering(d)
    if e.examines != 0:
        copy_numbers(d.shape.stride, e.regular, e.before)
    if end > s.to:
        return False
    s.until = end
    return True


def time_crossing(d: Driver) -> None:
    """Find the time at which the last step passed the singular configuration noted last: there its chord does."""
    s = d.step
    t = d.tangent
    row = t.passed[PASSED * (t.n_passed - 1) :]
    low = s.t
    high = s.to
    f_low = distance_along_chord(d, d.y)
    f_high = distance_along_chord(d, d.y_new)
    t.crossed = 0
    for _ in range(60 * int(f_low < 0.0 and f_high > 0.0)):
        at = low - f_low * (high - low) / (f_high - f_low)
        if not (at > low and at < high) or not high - low > 1e-12 * s.size:
            break
        row[0] = at
        interpolate_lane(at, 0, d, d.work)
        f = distance_along_chord(d, d.work)
        if f == 0.0:
            break
        if f < 0.0:
            low = at
            f_low = f
            f_high = 0.5 * f_high
        else:
            high = at
            f_high = f
            f_low = 0.5 * f_low
    velocities_at_crossing(row[0], d)


def velocities_at_crossing(at: float, d: Driver) -> None:
    """The velocities at the crossing, as a row would have them."""
    t = d.tangent
    v = t.passed_v[t.nv * (t.n_passed - 1) :]
    interpolate_lane(at, 0, d, d.output.state)
    row_from_beside(d)
    for i in range(t.nv):
        v[i] = d.output.state[d.shape.nq + i]


def distance_along_chord(d: Driver, y: Rows) -> float:
    """How far a state is beyond the singular configuration, along the chord of the last step."""
    q = d.y
    q_new = d.y_new
    total = 0.0
    for i in range(d.shape.nq):
        total += (y[i] - d.tangent.q_singular[i]) * (q_new[i] - q[i])
    return total


def copy_numbers(n: int, x: Rows, out: Rows) -> None:
    for i in range(n):
        out[i] = x[i]


def note_events_of_lane(k: int, d: Driver) -> float:
    """Note the events of a lane's last step up to the first that ends its run; its time, or a time beyond the step."""
    e = d.events
    one = lane_view(d.step, k)
    kinds = e.kinds
    old = e.old
    new = e.new
    end = one.to + 1.0
    first = e.n_found
    e.examines = 0
    e.n_examined = 0
    e.n_passed = 0
    for i in range(e.n):
        way = crossing_direction(i, k, d)
        if way != 0 and kinds[2 * i + 1] == SINGULAR:
            if d.lanes == 1:
                note_passages(i, d)
            else:
                e.examines += int(has_passage_inside(i, k, d))
        elif way == UNDEFINED and d.lanes > 1:
            e.examines += 1
        elif way == UNDEFINED:
            t = first_undefined_time(i, k, d)
            record_lane_event(t, i, way, k, d)
            end = min(end, t)
        elif way != 0:
            t = find_crossing_time(i, k, one.t, one.to, old[i, k], new[i, k], d)
            record_lane_event(t, i, way, k, d)
            if kinds[2 * i + 1] == ENDS and t < end:
                end = t
            if kinds[2 * i + 1] == LOOKED_AT:
                e.examines = 1
    if d.lanes > 1 and e.examines > 0:
        end_lane_run(EXAMINE, one)
    drop_events_after(end, first, d)
    return end


def first_undefined_time(i: int, k: int, d: Driver) -> float:
    """The time in a lane's last step from which on an event function is not finite."""
    one = lane_view(d.step, k)
    low = one.t
    high = one.to
    old = d.events.old
    inside = d.events.inside
    if old[i, k] - old[i, k] != 0.0:
        return low
    for _ in range(100):
        t = 0.5 * (low + high)
        if not (t > low and t < high):
            return high
        evaluate_events_inside(t, k, d)
        if inside[i, k] - inside[i, k] == 0.0:
            low = t
        else:
            high = t
    return high


def find_crossing_time(which: int, k: int, low: float, high: float, before: float, after: float, d: Driver) -> float:
    """The time at which an event function is zero between two others: false position, halved when one end stays."""
    f_low = before
    f_high = after
    inside = d.events.inside
    side = 0
    for _ in range(100):
        if high - low <= ROUNDED_ENTRY * abs(high) or f_high == 0.0:
            return high
        t = (low * f_high - high * f_low) / (f_high - f_low)
        if not (t > low and t < high):
            t = 0.5 * (low + high)
        if not (t > low and t < high):
            return high
        evaluate_events_inside(t, k, d)
        f = inside[which, k]
        if f != 0.0 and (f < 0.0) == (before < 0.0):
            low = t
            f_low = f
            if side == 1:
                f_high = 0.5 * f_high
            side = 1
        else:
            high = t
            f_high = f
            if side == 2:
                f_low = 0.5 * f_low
            side = 2
    return high


def crossing_direction(i: int, k: int, d: Driver) -> int:
    """1 or -1 when an event function rose or fell through zero in a wanted direction in a lane's last step, else 0.

    UNDEFINED when a caller's function is not finite. Steps in tangent coordinates find singular positions themselves;
    there determinants show no more than whether the actuators hold.
    """
    kinds = d.events.kinds
    if d.lanes == 1 and d.tangent.on != 0 and d.events.of_actuators == 0 and kinds[2 * i + 1] == SINGULAR:
        return 0
    before = d.events.old
    after = d.events.new
    old = before[i, k]
    new = after[i, k]
    if old < 0.0 and new >= 0.0 and (kinds[2 * i] == 0 or kinds[2 * i] == 1):
        return 1
    if old > 0.0 and new <= 0.0 and (kinds[2 * i] == 0 or kinds[2 * i] == -1):
        return -1
    if kinds[2 * i] != NEVER and kinds[2 * i + 1] <= ENDS and not (old - old == 0.0 and new - new == 0.0):
        return UNDEFINED
    if kinds[2 * i + 1] == SINGULAR and has_determinant_dip(i, k, d):
        return 1
    return 0


def has_determinant_dip(i: int, k: int, d: Driver) -> bool:
    """Return True if the determinant is small inside a step though its event function shows nothing at the ends.

    The determinant is event function i + 1, the rate of its magnitude the next; a cubic through both ends is examined.
    """
    old = d.events.old
    new = d.events.new
    one = lane_view(d.step, k)
    r0 = one.size * old[i + 2, k]
    r1 = one.size * new[i + 2, k]
    if has_sign_change(i, k, d):
        return True
    d0 = abs(old[i + 1, k])
    d1 = abs(new[i + 1, k])
    linear = 2.0 * (3.0 * (d1 - d0) - 2.0 * r0 - r1)
    square = 3.0 * (2.0 * (d0 - d1) + r0 + r1)
    roots = linear * linear - 4.0 * square * r0
    if roots <= 0.0 or abs(square) < TINY:
        return False
    x = 0.5 * (sqrt(roots) - linear) / square
    least = d0 + x * (r0 + x * (0.5 * linear + x * square / 3.0))
    return x > 0.0 and x < 1.0 and least < 0.25 * max(d0, d1)


def has_sign_change(i: int, k: int, d: Driver) -> bool:
    """Return True if a determinant has changed its sign over a lane's last step."""
    old = d.events.old
    new = d.events.new
    return (old[i + 1, k] < 0.0) != (new[i + 1, k] < 0.0)


def is_near_degenerate(k: int, d: Driver) -> bool:
    """Return True if a determinant of a lane is not far from zero at the end of its last step."""
    e = d.events
    new = e.new
    kinds = e.kinds
    block = 0
    small = 0
    for i in range(e.n):
        if kinds[2 * i + 1] == SINGULAR:
            small += int(not abs(new[i + 1, k]) > e.far_share * e.usual[block])
            block += 1
    return small > 0


def has_passage_inside(i: int, k: int, d: Driver) -> bool:
    """Return True if a determinant is near zero at an instant of a lane's last step, or changed its sign in it."""
    one = lane_view(d.step, k)
    old = d.events.old
    new = d.events.new
    inside = d.events.inside
    before = old[i, k]
    after = new[i, k]
    low = one.t
    if has_sign_change(i, k, d):
        return True
    if before < 0.0 and after >= 0.0:
        return is_lane_near_zero(find_crossing_time(i, k, low, one.to, before, after, d), i, k, d)
    for part in range(PARTS):
        high = one.t + one.size * float(part + 1) / float(PARTS)
        evaluate_events_inside(high, k, d)
        after = inside[i, k]
        if (
            before < 0.0
            and after >= 0.0
            and is_lane_near_zero(find_crossing_time(i, k, low, high, before, after, d), i, k, d)
        ):
            return True
        low = high
        before = after
    return False


def is_lane_near_zero(t: float, i: int, k: int, d: Driver) -> bool:
    """Return True if a determinant of a lane is near zero at an instant, as `is_determinant_near_zero` has it."""
    e = d.events
    state = d.work
    inside = e.inside
    open_by = state[d.shape.stride :]
    evaluate_events_inside(t, k, d)
    evaluate_gaps(d, state, open_by)
    return not abs(inside[i + 1, k]) > near_share(open_by[0, k], d) * e.usual[determinant_of_event(i, d)]


def near_share(gap: float, d: Driver) -> float:
    """Share of a determinant's usual size below which it is near zero, at a state that is open by a gap."""
    return max(d.events.far_share, 3.0 * sqrt(gap / d.events.unit))


def note_passages(i: int, d: Driver) -> None:
    """Note the instants of the last step at which a determinant is near zero; near one the step is examined in parts.

    A determinant that has changed its sign without such an instant was not carried there by the motion.
    """
    e = d.events
    s = d.step
    before = e.old[i]
    after = e.new[i]
    known = e.n_passed
    looks = True
    if before < 0.0 and after >= 0.0:
        t = find_crossing_time(i, 0, s.t, s.to, before, after, d)
        looks = is_determinant_near_zero(t, i, d)
    low = s.t
    for part in range(PARTS * int(looks)):
        high = s.t + s.size * float(part + 1) / float(PARTS)
        evaluate_events_inside(high, 0, d)
        after = e.inside[i]
        if before < 0.0 and after >= 0.0:
            t = find_crossing_time(i, 0, low, high, before, after, d)
            if is_determinant_near_zero(t, i, d) and e.n_passed < MOST_EXAMINED:
                e.n_passed += 1
                note_passage(t, i, d)
        low = high
        before = after
    if e.n_passed == known and d.tangent.on == 0 and has_sign_change(i, 0, d) and is_far_from_zero(i, d):
        record_lane_event(s.to, i, JUMPED, 0, d)
        e.examines = 1


def note_passage(t: float, i: int, d: Driver) -> None:
    """Note an instant that `is_determinant_near_zero` has found: to be examined, unless the equations surely keep
    their rank there.

    Equations of an open state are as far from those of a closed one as the determinant is, and are judged alike.
    """
    e = d.events
    examined = e.examined
    y = examined[e.n_examined * d.shape.stride :]
    if not keeps_rank_at(d, y):
        if d.tangent.crossed != 0:
            return
        e.n_examined += 1
        record_lane_event(t, i, e.n_examined, 0, d)
        e.examines = 1
    elif not are_actuators_regular(d, y):
        record_lane_event(t, i, REGULAR_PASSAGE, 0, d)


def is_far_from_zero(i: int, d: Driver) -> bool:
    """Return True if a determinant is far from zero at both ends of the last step."""
    e = d.events
    least = min(abs(e.old[i + 1]), abs(e.new[i + 1]))
    return least > e.far_share * e.usual[determinant_of_event(i, d)]


def determinant_of_event(i: int, d: Driver) -> int:
    """Number of the determinant that an event function belongs to."""
    kinds = d.events.kinds
    block = 0
    for other in range(i):
        block += int(kinds[2 * other + 1] == SINGULAR)
    return block


def is_determinant_near_zero(t: float, i: int, d: Driver) -> bool:
    """Return True if a determinant is near zero at an instant, whose state is added to those to be examined.

    A pivot that is zero to the last bit leaves no number: that is near too. An interpolated state may be open; from a
    closed singular one it is then as far as the root of the gap.
    """
    e = d.events
    sizes = d.mechanics.work
    work = d.work
    examined = e.examined
    block = determinant_of_event(i, d)
    y = examined[min(e.n_examined, MOST_EXAMINED - 1) * d.shape.stride :]
    interpolate_lane(t, 0, d, y)
    evaluate_gaps(d, y, work)
    share = near_share(work[0], d)
    d.mechanics.size(y, sizes)
    return not abs(sizes[block]) > share * e.usual[block]


def note_lingering(d: Driver) -> None:
    """Note the end of a step that began and ended near a singular position without passing it: it may stay there.

    Not where the equations surely keep their rank: only a motion on which they stay singular is of interest.
    """
    e = d.events
    kinds = e.kinds
    block = 0
    which = -1
    for i in range(e.n):
        if kinds[2 * i + 1] == SINGULAR:
            if max(abs(e.old[i + 1]), abs(e.new[i + 1])) < e.far_share * e.usual[block]:
                which = i
            block += 1
    if which >= 0 and e.t_regular >= 0.0 and not keeps_rank_at(d, d.y_new):
        record_lane_event(d.step.to, which, LINGERS, 0, d)
        e.examines = 1


def keeps_rank_at(d: Driver, y: Rows) -> bool:
    """Return True if the loops' equations surely keep their rank at a state that may be open."""
    work = d.work
    evaluate_gaps(d, y, work)
    return keeps_rank(near_share(work[0], d), d, y)


def keep_regular_state(d: Driver) -> None:
    """Keep the state if all determinants that are watched are far from zero there."""
    e = d.events
    kinds = e.kinds
    block = 0
    small = 0
    for i in range(e.n):
        if kinds[2 * i + 1] == SINGULAR:
            small += int(not abs(e.old[i + 1]) > e.regular_share * e.usual[block])
            block += 1
    if block > 0 and small == 0:
        copy_numbers(d.shape.stride, d.y, e.regular)
        e.t_regular = d.step.t


def record_lane_event(t: float, i: int, way: int, k: int, d: Driver) -> None:
    """Put an event of a lane's run on the list."""
    found = d.events.found
    one = lane_view(d.step, k)
    at = NOTED * d.events.n_found
    found[at] = t
    found[at + 1] = float(i)
    found[at + 2] = float(way)
    found[at + 3] = float(one.run)
    found[at + 4] = one.size
    d.events.n_found += 1


def drop_events_after(end: float, first: int, d: Driver) -> None:
    """Take events after a time off the list again."""
    found = d.events.found
    left = first
    for k in range(first, d.events.n_found):
        if found[NOTED * k] <= end:
            for i in range(NOTED):
                found[NOTED * left + i] = found[NOTED * k + i]
            left += 1
    d.events.n_found = left
