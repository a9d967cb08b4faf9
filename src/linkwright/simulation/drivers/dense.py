"""Between two steps: rows on the grid and events, both by an interpolant. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.common import copied, row_written
from linkwright.simulation.drivers.places import (
    DENSE,
    EXPAND,
    EXPANDS,
    FULL,
    GRID,
    MOST_FOUND,
    N_DENSE,
    N_EVENTS,
    N_FOUND,
    N_ROWS,
    NEXT_DUE,
    NEXT_ROW,
    NQ,
    ORIGIN,
    REAL,
    ROOM,
    ROWS,
    SHOWN,
    STATE,
    STATE_NEW,
    STEP_FROM,
    STEP_SIZE,
    STEP_TO,
    T_STAGE,
    WATCH,
    WIDTH,
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
    real[T_STAGE] = real[ORIGIN] + t
    if whole[EXPANDS] != 0:
        codes[EXPAND](y, y[nq:], where[FULL])
        codes[WATCH](real[T_STAGE:], y, where[FULL], out)
    else:
        codes[WATCH](real[T_STAGE:], y, y[nq:], out)


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


def due_written(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats) -> None:
    """Write a state as the next row of the grid, with the time the caller asked for."""
    rows = where[ROWS]
    shown = where[SHOWN]
    row_written(t, whole, codes, where, y)
    rows[(whole[NEXT_ROW] - 1) * whole[WIDTH]] = shown[whole[NEXT_DUE]]
    whole[NEXT_DUE] += 1


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
        due_written(t, whole, codes, where, room)
