"""The frame of every driver: begin, choose a step, judge it, finish it. In the compiler's subset of Python."""

from __future__ import annotations

from math import exp, log

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.common import closed, copied, row_written, slope
from linkwright.simulation.drivers.dense import between, due_written, room_for_events, row_due, rows_due, watched
from linkwright.simulation.drivers.passages import eventful, events_noted, lingering_noted, regular_kept
from linkwright.simulation.drivers.places import (
    ADAPTIVE,
    BEFORE,
    BLOWN,
    BUDGET,
    DONE,
    ERROR,
    EXAMINE,
    EXAMINES,
    EXPONENT,
    FAILED,
    FIXED,
    FRESH,
    FULL_LIST,
    GAP_KEPT,
    GOING,
    H_MAX,
    N_EVENTS,
    NEXT_ROW,
    ORIGIN,
    PROJECTS,
    REAL,
    REFUSED,
    REFUSED_STEP,
    REGULAR,
    REJECTED,
    ROOM,
    ROWS,
    SLOPES,
    STATE,
    STATE_NEW,
    STEP_FROM,
    STEP_NUMBER,
    STEP_RESULT,
    STEP_SIZE,
    STEP_TO,
    STEPS,
    STOPPED,
    T_END,
    T_START,
    UNDERFLOW,
    WATCHED,
    WIDTH,
    H,
    N,
    T,
)


def begun(whole: Ints, codes: Codes, where: Arrays) -> int:
    """At the beginning of a stretch: the slope and the event functions there, and rows due at once."""
    real = where[REAL]
    if whole[FRESH] == 0:
        if slope(real[T], whole, codes, where, where[STATE], where[SLOPES]) == 0:
            return FAILED
        if whole[N_EVENTS] > 0:
            watched(real[T], whole, codes, where, where[STATE], where[WATCHED])
            regular_kept(whole, where)
        while row_due(real[T], whole, where):
            copied(whole[N], where[STATE], where[ROOM])
            due_written(real[T], whole, codes, where, where[ROOM])
        whole[FRESH] = 1
    return GOING


def step_chosen(whole: Ints, where: Arrays) -> int:
    """Size and end of the next step, or why there is none."""
    real = where[REAL]
    if real[T] >= real[T_END]:
        return DONE
    if not room_for_events(whole):
        return FULL_LIST
    whole[BUDGET] -= 1
    real[STEP_FROM] = real[T]
    real[STEP_TO] = real[T_END]
    real[STEP_SIZE] = real[T_END] - real[T]
    if whole[ADAPTIVE] != 0:
        h = min(real[H], real[H_MAX])
        if 1.001 * h < real[STEP_SIZE]:
            real[STEP_SIZE] = h
            real[STEP_TO] = real[T] + h
    else:
        after = real[T_START] + real[FIXED] * float(whole[STEP_NUMBER] + 1)
        if after + 1e-3 * real[FIXED] < real[T_END]:
            real[STEP_TO] = after
            real[STEP_SIZE] = after - real[T]
    if real[STEP_TO] <= real[T]:
        return UNDERFLOW
    return GOING


def growth(error: float, exponent: float) -> float:
    """By how much to change the step after an error estimate."""
    if error < 1e-12:
        return 6.0
    margin = 0.9
    if exponent < 0.15:
        margin = 0.75
    return min(6.0, max(0.2, margin * exp(-log(error) * exponent)))


def step_judged(whole: Ints, where: Arrays) -> int:
    """Accept the attempt or refuse it, and choose the next size."""
    real = where[REAL]
    error = real[ERROR]
    if whole[ADAPTIVE] == 0:
        if error == 1e300 or not finite(whole[N], where[STATE_NEW]):
            return BLOWN
        return GOING
    h = real[STEP_SIZE]
    if not error <= 1.0:
        whole[REJECTED] += 1
        whole[REFUSED] = 1
        real[H] = 0.2 * h
        if error < 1e100:
            real[H] = h * min(0.9, growth(error, real[EXPONENT]))
        if real[H] <= 1e-15 * max(abs(real[T]), real[T_END] - real[T_START]):
            return UNDERFLOW
        return REFUSED_STEP
    grow = growth(error, real[EXPONENT])
    if whole[REFUSED] != 0:
        grow = min(1.0, grow)
    whole[REFUSED] = 0
    if real[STEP_TO] < real[T_END] or h * grow > real[H]:
        real[H] = h * grow
    return GOING


def finite(n: int, x: Floats) -> bool:
    total = 0.0
    for i in range(n):
        total += x[i] - x[i]
    return total == 0.0


def settled(whole: Ints, codes: Codes, where: Arrays) -> int:
    """Project the new state and look at the event functions there; how often it was moved."""
    real = where[REAL]
    g = where[WATCHED]
    whole[STEPS] += 1
    whole[STEP_NUMBER] += 1
    copied(whole[N], where[STATE_NEW], where[STEP_RESULT])
    moved = 0
    if whole[PROJECTS] != 0:
        moved = closed(real[GAP_KEPT], 3, whole, codes, where, where[STATE_NEW], where[ROOM])
    if whole[N_EVENTS] > 0:
        watched(real[STEP_TO], whole, codes, where, where[STATE_NEW], g[whole[N_EVENTS] :])
    return moved


def finished(whole: Ints, codes: Codes, where: Arrays) -> int:
    """Note events, write the rows of the step and take over its end; or stop at an event inside it."""
    real = where[REAL]
    g = where[WATCHED]
    end = real[STEP_TO] + 1.0
    if eventful(whole, where):
        end = events_noted(whole, codes, where)
    if whole[EXAMINES] == 0 and end > real[STEP_TO]:
        lingering_noted(whole, where)
    if whole[EXAMINES] != 0:
        copied(whole[N], where[REGULAR], where[BEFORE])
    rows_due(min(end, real[STEP_TO]), whole, codes, where)
    if end <= real[STEP_TO]:
        return stopped_at(end, whole, codes, where)
    real[T] = real[STEP_TO]
    copied(whole[N], where[STATE_NEW], where[STATE])
    copied(whole[N_EVENTS], g[whole[N_EVENTS] :], g)
    regular_kept(whole, where)
    if whole[EXAMINES] != 0:
        whole[EXAMINES] = 0
        return EXAMINE
    return GOING


def stopped_at(t: float, whole: Ints, codes: Codes, where: Arrays) -> int:
    """End the stretch at a time inside the last step, with a row for it."""
    real = where[REAL]
    rows = where[ROWS]
    room = where[ROOM]
    between(t, whole, where, room)
    if whole[NEXT_ROW] == 0 or rows[(whole[NEXT_ROW] - 1) * whole[WIDTH]] < real[ORIGIN] + t:
        row_written(t, whole, codes, where, room)
    copied(whole[N], room, where[STATE])
    real[T] = t
    whole[FRESH] = 0
    return STOPPED
