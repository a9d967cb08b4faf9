"""Rows of many runs: by an interpolant, projected and written for all lanes together. In the compiler's subset."""

from __future__ import annotations

from linkwright.compiler.native import Arrays, Ints, LaneArrays, LaneCodes
from linkwright.simulation.drivers.lanes_places import (
    ACCEPTED,
    DENSE,
    DOUBTFUL,
    EVALUATIONS,
    GAP_SHOWN,
    GIVEN,
    GRID,
    LANES,
    MONITOR,
    MONITOR_GIVEN,
    N_DENSE,
    N_ROWS,
    N_STATS,
    NA,
    NEEDS,
    NEXT_ROW,
    NQ,
    NV,
    PROJECTIONS,
    PROJECTS,
    REAL,
    ROW_ROOM,
    ROW_STATE,
    ROWS,
    ROWS_WRITTEN,
    RUN,
    SETTINGS,
    SLOPES,
    STAGES,
    STATE,
    STATE_NEW,
    STATUS,
    STEP_SIZE,
    STEP_TO,
    T_ROW,
    T_STAGE,
    TABLE_D,
    TAU,
    TOTAL,
    WAITING,
    WAITS_FOR,
    WIDTH,
    ZEROS,
    N,
    T,
)
from linkwright.simulation.drivers.lanes_steps import (
    counted,
    lane_gaps,
    lane_projection,
    lane_slopes,
    lane_stage,
    summed,
    weighed,
)


def lane_interpolant(whole: Ints, marks: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """Coefficients of the interpolant over the last steps (theory 8.3), which end at the projected states."""
    real = where[REAL]
    k = where[SLOPES]
    y = where[STATE]
    y_new = where[STATE_NEW]
    dense = where[DENSE]
    n = whole[N]
    last = whole[STAGES]
    for s in range(last + 1, whole[TOTAL]):
        lane_stage(s, whole, marks, where, tables, dense)
        lane_slopes(whole, codes, where, dense, k[s * n :])
    for i in range(n):
        change = y_new[i] - y[i]
        begin = real[STEP_SIZE] * k[i]
        dense[i] = change
        dense[n + i] = begin - change
        dense[2 * n + i] = 2.0 * change - (begin + real[STEP_SIZE] * k[last * n + i])
    for r in range(whole[N_DENSE]):
        many = weighed(r, n, whole[TOTAL], whole, marks, where, tables, TABLE_D)
        summed(many, whole, marks, where, where[ZEROS], dense[(3 + r) * n :])


def lane_between(t: float, lane: int, whole: Ints, where: LaneArrays) -> None:
    """The interpolated state of one lane at time t of its last step, as the row that waits."""
    real = where[REAL]
    y = where[STATE]
    dense = where[DENSE]
    out = where[ROW_STATE]
    n = whole[N]
    theta = (t - real[T, lane]) / real[STEP_SIZE, lane]
    last = 2 + whole[N_DENSE]
    for i in range(n):
        x = 0.0
        for r in range(last + 1):
            p = last - r
            if p - 2 * int(0.5 * float(p)) == 0:
                x = (x + dense[p * n + i, lane]) * theta
            else:
                x = (x + dense[p * n + i, lane]) * (1.0 - theta)
        out[i, lane] = y[i, lane] + x


def row_inside_steps(whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays) -> bool:
    """Whether a row falls inside an accepted step, and not only on its end."""
    real = where[REAL]
    grid = tables[GRID]
    found = False
    for lane in range(whole[LANES]):
        row = marks[NEXT_ROW * whole[LANES] + lane]
        if real[ACCEPTED, lane] > 0.0 and row < whole[N_ROWS] and grid[row] < real[STEP_TO, lane]:
            found = True
    return found


def rows_of_steps(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """Have the rows of accepted steps written, each when its lane needs the room or many wait."""
    real = where[REAL]
    grid = tables[GRID]
    new = where[STATE_NEW]
    waiting = where[ROW_STATE]
    lanes = whole[LANES]
    for lane in range(lanes):
        row = marks[NEXT_ROW * lanes + lane]
        while real[ACCEPTED, lane] > 0.0 and row < whole[N_ROWS] and grid[row] <= real[STEP_TO, lane]:
            if real[WAITING, lane] > 0.0:
                rows_written(whole, marks, stats, codes, where, tables)
            if grid[row] < real[STEP_TO, lane]:
                lane_between(grid[row], lane, whole, where)
            else:
                for i in range(whole[N]):
                    waiting[i, lane] = new[i, lane]
            row_waits(row, lane, grid[row], whole, marks, where)
            row += 1
        marks[NEXT_ROW * lanes + lane] = row


def row_waits(row: int, lane: int, t: float, whole: Ints, marks: Ints, where: LaneArrays) -> None:
    real = where[REAL]
    real[WAITING, lane] = 1.0
    real[T_ROW, lane] = t
    marks[WAITS_FOR * whole[LANES] + lane] = row


def rows_written(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """Close the loops of all states that wait, and write them as rows."""
    real = where[REAL]
    settings = tables[SETTINGS]
    y = where[ROW_STATE]
    rates = where[ROW_ROOM]
    more = rates[whole[N] :]
    given = where[GIVEN]
    nq = whole[NQ]
    tries = 0
    while whole[PROJECTS] != 0 and tries < 4 and lane_gaps(settings[GAP_SHOWN], WAITING, whole, codes, where, y):
        lane_projection(whole, marks, stats, codes, where, y)
        counted(PROJECTIONS, whole, marks, stats, NEEDS, where)
        tries += 1
    real[T_STAGE] = real[T_ROW]
    lane_slopes(whole, codes, where, y, rates)
    counted(EVALUATIONS, whole, marks, stats, WAITING, where)
    codes[MONITOR](y, y[nq:], given[whole[MONITOR_GIVEN] :], more)
    for lane in range(whole[LANES]):
        if real[WAITING, lane] > 0.0:
            row_written_for(lane, whole, marks, stats, where, tables)
            real[WAITING, lane] = 0.0


def row_written_for(lane: int, whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """One row: t, q, v, a, tau, monitored numbers, extras."""
    real = where[REAL]
    y = where[ROW_STATE]
    rates = where[ROW_ROOM]
    tau = where[TAU]
    rows = tables[ROWS]
    nq = whole[NQ]
    nv = whole[NV]
    na = whole[NA]
    run = marks[RUN * whole[LANES] + lane]
    number = marks[WAITS_FOR * whole[LANES] + lane]
    row = rows[(run * whole[N_ROWS] + number) * whole[WIDTH] :]
    row[0] = real[T_ROW, lane]
    for i in range(nq + nv):
        row[1 + i] = y[i, lane]
    for i in range(nv):
        row[1 + nq + nv + i] = rates[nq + i, lane]
    for i in range(na):
        row[1 + nq + 2 * nv + i] = tau[i, lane]
    rest = row[1 + nq + 2 * nv + na :]
    for i in range(4):
        rest[i] = rates[whole[N] + i, lane]
    for i in range(2):
        rest[4 + i] = y[nq + nv + i, lane]
    stats[run * N_STATS + ROWS_WRITTEN] = number + 1
    if rates[nq, lane] != rates[nq, lane]:
        stats[run * N_STATS + STATUS] = DOUBTFUL
