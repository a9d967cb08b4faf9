"""Between two steps: rows on the grid and events, both by an interpolant. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.common import copied, row_written
from linkwright.simulation.drivers.places import (
    DENSE,
    EXAMINED,
    EXAMINES,
    EXPAND,
    EXPANDS,
    FOUND,
    FULL,
    GRID,
    KINDS,
    MOST_FOUND,
    N_DENSE,
    N_EVENTS,
    N_FOUND,
    N_ROWS,
    NEXT_DUE,
    NQ,
    REAL,
    ROOM,
    STATE,
    STATE_NEW,
    STEP_FROM,
    STEP_SIZE,
    STEP_TO,
    T_STAGE,
    WATCH,
    WATCHED,
    N,
)


def between(t: float, whole: Ints, where: Arrays, out: Floats) -> None:
    """The interpolated state at time t of the last step (theory 8.3)."""
    real = where[REAL]
    y = where[STATE]
    dense = where[DENSE]
    n = whole[N]
    theta = (t - real[STEP_FROM]) / real[STEP_SIZE]
    odd = True
    for i in range(n):
        out[i] = 0.0
    last = 2 + whole[N_DENSE]
    if last - 2 * int(0.5 * last) == 0:
        odd = False
    for r in range(last + 1):
        x = theta
        if odd:
            x = 1.0 - theta
        odd = not odd
        for i in range(n):
            out[i] = (out[i] + dense[(last - r) * n + i]) * x
    for i in range(n):
        out[i] += y[i]


def watched(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats, out: Floats) -> None:
    """The event functions at a state."""
    real = where[REAL]
    nq = whole[NQ]
    real[T_STAGE] = t
    if whole[EXPANDS] != 0:
        codes[EXPAND](y, y[nq:], where[FULL])
        codes[WATCH](real[T_STAGE:], y, where[FULL], out)
    else:
        codes[WATCH](real[T_STAGE:], y, y[nq:], out)


def crossing(which: int, before: float, after: float, whole: Ints, codes: Codes, where: Arrays) -> float:
    """The time in the last step at which an event function is zero: false position, halved when one end stays."""
    real = where[REAL]
    low = real[STEP_FROM]
    high = real[STEP_TO]
    f_low = before
    f_high = after
    room = where[ROOM]
    values = room[whole[N] :]
    side = 0
    for _ in range(100):
        if high - low <= 4e-16 * abs(high) or f_high == 0.0:
            return high
        t = (low * f_high - high * f_low) / (f_high - f_low)
        if not (t > low and t < high):
            t = 0.5 * (low + high)
        if not (t > low and t < high):
            return high
        between(t, whole, where, room)
        watched(t, whole, codes, where, room, values)
        f = values[which]
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


def crossed(e: int, whole: Ints, where: Arrays) -> int:
    """1 or -1 when an event function rose or fell through zero in a wanted direction in the last step, else 0."""
    g = where[WATCHED]
    kinds = whole[whole[KINDS] :]
    old = g[e]
    new = g[whole[N_EVENTS] + e]
    if old < 0.0 and new >= 0.0 and kinds[2 * e] >= 0:
        return 1
    if old > 0.0 and new <= 0.0 and kinds[2 * e] <= 0:
        return -1
    return 0


def eventful(whole: Ints, where: Arrays) -> bool:
    """Whether any event happened in the last step."""
    many = 0
    for e in range(whole[N_EVENTS]):
        many += abs(crossed(e, whole, where))
    return many > 0


def events_noted(whole: Ints, codes: Codes, where: Arrays) -> float:
    """Note the events of the last step up to the first that ends the run; its time, or a time beyond the step."""
    real = where[REAL]
    g = where[WATCHED]
    found = where[FOUND]
    kinds = whole[whole[KINDS] :]
    end = real[STEP_TO] + 1.0
    first = whole[N_FOUND]
    for e in range(whole[N_EVENTS]):
        way = crossed(e, whole, where)
        if way != 0:
            t = crossing(e, g[e], g[whole[N_EVENTS] + e], whole, codes, where)
            at = 3 * whole[N_FOUND]
            found[at] = t
            found[at + 1] = float(e)
            found[at + 2] = float(way)
            whole[N_FOUND] += 1
            if kinds[2 * e + 1] == 1 and t < end:
                end = t
            if kinds[2 * e + 1] == 2:
                whole[EXAMINES] = 1
                between(t, whole, where, where[EXAMINED])
    kept = first
    for k in range(first, whole[N_FOUND]):
        if found[3 * k] <= end:
            copied(3, found[3 * k :], found[3 * kept :])
            kept += 1
    whole[N_FOUND] = kept
    return end


def room_for_events(whole: Ints) -> bool:
    return whole[N_FOUND] + whole[N_EVENTS] <= whole[MOST_FOUND]


def row_due(t: float, whole: Ints, where: Arrays) -> bool:
    """Whether a row is to be written at or before time t."""
    grid = where[GRID]
    return whole[NEXT_DUE] < whole[N_ROWS] and grid[whole[NEXT_DUE]] <= t


def row_inside(whole: Ints, where: Arrays) -> bool:
    """Whether a row falls inside the last step, and not only on its end."""
    grid = where[GRID]
    real = where[REAL]
    return row_due(real[STEP_TO], whole, where) and grid[whole[NEXT_DUE]] < real[STEP_TO]


def rows_due(end: float, whole: Ints, codes: Codes, where: Arrays) -> None:
    """Write the rows due up to the time `end` of the last step."""
    real = where[REAL]
    grid = where[GRID]
    room = where[ROOM]
    while row_due(end, whole, where):
        t = grid[whole[NEXT_DUE]]
        if t == real[STEP_TO]:
            copied(whole[N], where[STATE_NEW], room)
        else:
            between(t, whole, where, room)
        row_written(t, whole, codes, where, room)
        whole[NEXT_DUE] += 1
