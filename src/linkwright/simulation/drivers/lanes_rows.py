"""Rows of many runs: by an interpolant, projected and written for all lanes together. In the compiler's subset."""

from __future__ import annotations

from linkwright.compiler.native import Arrays, Ints, LaneArrays, LaneCodes, choose, some, spread
from linkwright.simulation.drivers.lanes_places import (
    ACCEPTED,
    DOUBTFUL,
    DUE,
    EVALUATIONS,
    GAP_SHOWN,
    GIVEN,
    GRID,
    LANES,
    MONITOR,
    MONITOR_GIVEN,
    N_DENSE,
    N_MARKS,
    N_ROWS,
    N_STATS,
    NA,
    NEEDS,
    NEXT_ROW,
    NQ,
    NV,
    ORIGIN,
    PROJECTIONS,
    PROJECTS,
    REAL,
    ROOM,
    ROW_ROOM,
    ROW_STATE,
    ROWS,
    ROWS_WRITTEN,
    RUN,
    SETTINGS,
    SLOPES,
    STAGE,
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
    THETA,
    TOTAL,
    WAITING,
    WAITS_FOR,
    WEIGHTS,
    WIDTH,
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
)


def lane_more_slopes(whole: Ints, marks: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """The slopes that only the interpolant over the last steps needs."""
    k = where[SLOPES]
    for s in range(whole[STAGES] + 1, whole[TOTAL]):
        lane_stage(s, whole, marks, where, tables, where[STAGE])
        lane_slopes(whole, codes, where, where[STAGE], k[s * whole[N] :])


def interpolant_weights(whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays) -> int:
    """Weights of the slopes in the interpolated states at THETA (theory 8.3, multiplied out); how many there are."""
    real = where[REAL]
    d = tables[TABLE_D]
    w = where[WEIGHTS]
    used = marks[N_MARKS * whole[LANES] :]
    theta = real[THETA]
    rest = 1.0 - theta
    total = whole[TOTAL]
    many = 0
    for j in range(total):
        x = spread(0.0)
        power = theta * rest
        if j == 0:
            x = x + power * rest
        if j == whole[STAGES]:
            x = x - power * theta
        power = power * theta
        for r in range(whole[N_DENSE]):
            if r - 2 * int(0.5 * float(r)) == 0:
                power = power * rest
            else:
                power = power * theta
            x = x + d[r * total + j] * power
        if some(x != 0.0):
            w[many] = x * real[STEP_SIZE]
            used[many] = j * whole[N]
            many += 1
    return many


def lane_between(whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays) -> None:
    """The interpolated states at THETA of the last steps, or their ends, as rows that wait, in the lanes marked DUE."""
    real = where[REAL]
    y = where[STATE]
    new = where[STATE_NEW]
    start = where[STAGE]
    found = where[ROOM]
    waiting = where[ROW_STATE]
    due = real[DUE]
    inside = real[THETA]
    if some(due * (1.0 - inside) > 0.0):
        many = interpolant_weights(whole, marks, where, tables)
        share = inside - inside * (1.0 - inside) * (1.0 - 2.0 * inside)
        for i in range(whole[N]):
            start[i] = y[i] + share * (new[i] - y[i])
        summed(many, whole, marks, where, start, found)
    for i in range(whole[N]):
        waiting[i] = choose(due > 0.0, choose(inside < 1.0, found[i], new[i]), waiting[i])


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
    """Have the rows of accepted steps wait to be written, and write those that wait where a lane needs the room."""
    real = where[REAL]
    grid = tables[GRID]
    lanes = whole[LANES]
    while rows_due_in(whole, marks, where, tables):
        if some(real[DUE] * real[WAITING] > 0.0):
            rows_written(whole, marks, stats, codes, where, tables)
        lane_between(whole, marks, where, tables)
        for lane in range(lanes):
            if real[DUE, lane] > 0.0:
                row = marks[NEXT_ROW * lanes + lane]
                row_waits(row, lane, grid[row], whole, marks, where)
                marks[NEXT_ROW * lanes + lane] = row + 1


def rows_due_in(whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays) -> bool:
    """Mark in DUE the lanes with another row in their last step, and in THETA where in it; whether there are any."""
    real = where[REAL]
    grid = tables[GRID]
    lanes = whole[LANES]
    for lane in range(lanes):
        row = marks[NEXT_ROW * lanes + lane]
        real[DUE, lane] = 0.0
        real[THETA, lane] = 1.0
        if real[ACCEPTED, lane] > 0.0 and row < whole[N_ROWS] and grid[row] <= real[STEP_TO, lane]:
            real[DUE, lane] = 1.0
            if grid[row] < real[STEP_TO, lane]:
                real[THETA, lane] = (grid[row] - real[T, lane]) / real[STEP_SIZE, lane]
    return some(real[DUE] > 0.0)


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
    real[T_STAGE] = settings[ORIGIN] + real[T_ROW]
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
