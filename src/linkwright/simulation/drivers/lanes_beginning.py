"""Runs begin: a lane is filled, its first slope, row and step are found. In the compiler's subset of Python."""

from __future__ import annotations

from math import exp, log, sqrt

from linkwright.compiler.native import Arrays, Ints, LaneArrays, LaneCodes, Lanes, choose, some, spread
from linkwright.simulation.drivers.lanes_places import (
    ADAPTIVE,
    ATOL,
    COARSE,
    DOUBTS,
    ERROR,
    EVALUATIONS,
    EXPONENT,
    FIXED,
    FRESH,
    GIVEN,
    GIVENS,
    GRID,
    H_MAX,
    LANES,
    LAST_RUN,
    N_BUSY,
    N_CHECKED,
    N_GIVEN,
    N_ROWS,
    NA,
    NEXT_ROW,
    NEXT_RUN,
    NQ,
    NV,
    ORIGIN,
    REAL,
    ROOM,
    ROW_STATE,
    RTOL,
    RUN,
    SETTINGS,
    SLOPES,
    STARTS,
    STATE,
    STATE_NEW,
    STEP_SIZE,
    T_END,
    T_STAGE,
    T_START,
    TAU,
    TAUS,
    WAITING,
    H,
    N,
    T,
)
from linkwright.simulation.drivers.lanes_rows import row_waits
from linkwright.simulation.drivers.lanes_steps import counted, lane_slopes, lanes_renewed


def lanes_filled(whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Give the next runs of the queue to the lanes that are free."""
    for lane in range(whole[LANES]):
        if marks[RUN * whole[LANES] + lane] < 0 and whole[NEXT_RUN] < whole[LAST_RUN]:
            lane_filled(whole[NEXT_RUN], lane, whole, marks, where, tables)
            whole[NEXT_RUN] += 1
            whole[N_BUSY] += 1


def lane_filled(run: int, lane: int, whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Begin a run in a lane."""
    real = where[REAL]
    settings = tables[SETTINGS]
    starts = tables[STARTS]
    taus = tables[TAUS]
    givens = tables[GIVENS]
    y = where[STATE]
    new = where[STATE_NEW]
    tau = where[TAU]
    given = where[GIVEN]
    size = whole[NQ] + whole[NV]
    for i in range(whole[N]):
        y[i, lane] = 0.0
        if i < size:
            y[i, lane] = starts[run * size + i]
        new[i, lane] = y[i, lane]
    for i in range(whole[NA]):
        tau[i, lane] = taus[run * whole[NA] + i]
    for i in range(whole[N_GIVEN]):
        given[i, lane] = givens[run * whole[N_GIVEN] + i]
    for mark in range(NEXT_ROW, DOUBTS + 1):
        marks[mark * whole[LANES] + lane] = 0
    marks[RUN * whole[LANES] + lane] = run
    real[T, lane] = settings[T_START]
    real[H, lane] = settings[FIXED]
    real[STEP_SIZE, lane] = 0.0
    real[WAITING, lane] = 0.0
    real[FRESH, lane] = 1.0


def lanes_begun(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """For runs that begin: the slope at the start, a first row, and the size of the first step."""
    real = where[REAL]
    settings = tables[SETTINGS]
    grid = tables[GRID]
    y = where[STATE]
    row = where[ROW_STATE]
    if not some(real[FRESH] > 0.0):
        return
    real[T_STAGE] = settings[ORIGIN] + real[T]
    lanes_renewed(FRESH, whole, marks, stats, codes, where, y, where[SLOPES])
    for lane in range(whole[LANES]):
        if real[FRESH, lane] > 0.0 and whole[N_ROWS] > 0 and grid[0] <= real[T, lane]:
            for i in range(whole[N]):
                row[i, lane] = y[i, lane]
            row_waits(0, lane, grid[0], whole, marks, where)
            marks[NEXT_ROW * whole[LANES] + lane] = 1
    if whole[ADAPTIVE] != 0:
        first_sizes(whole, marks, stats, codes, where, tables)
    real[FRESH] = spread(0.0)


def lane_sizes(which: int, whole: Ints, where: LaneArrays, tables: Arrays, x: Lanes) -> None:
    """Sums of the squares of x in units of the tolerance at the state, into a row of REAL."""
    real = where[REAL]
    settings = tables[SETTINGS]
    y = where[STATE]
    total = spread(0.0)
    for i in range(whole[N_CHECKED]):
        z = x[i] / (settings[ATOL] + settings[RTOL] * abs(y[i]))
        total = total + z * z
    real[which] = total


def first_sizes(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """Sizes of first steps, from the slope and how fast it changes (theory 8.4)."""
    real = where[REAL]
    settings = tables[SETTINGS]
    k = where[SLOPES]
    y = where[STATE]
    trial = where[STATE_NEW]
    there = where[ROOM]
    many = float(max(1, whole[N_CHECKED]))
    lane_sizes(ERROR, whole, where, tables, y)
    lane_sizes(COARSE, whole, where, tables, k)
    for lane in range(whole[LANES]):
        if real[FRESH, lane] > 0.0:
            d0 = sqrt(real[ERROR, lane] / many)
            d1 = sqrt(real[COARSE, lane] / many)
            h = 1e-6
            if d0 >= 1e-5 and d1 >= 1e-5:
                h = 0.01 * d0 / d1
            real[STEP_SIZE, lane] = min(h, settings[H_MAX], settings[T_END] - real[T, lane])
    for i in range(whole[N]):
        trial[i] = choose(real[FRESH] > 0.0, y[i] + real[STEP_SIZE] * k[i], y[i])
    real[T_STAGE] = settings[ORIGIN] + real[T] + real[STEP_SIZE]
    lane_slopes(whole, codes, where, trial, there)
    counted(EVALUATIONS, whole, marks, stats, FRESH, where)
    over = choose(real[FRESH] > 0.0, real[STEP_SIZE], spread(1.0))
    for i in range(whole[N]):
        there[i] = (there[i] - k[i]) / over
    lane_sizes(ERROR, whole, where, tables, there)
    for lane in range(whole[LANES]):
        if real[FRESH, lane] > 0.0:
            real[H, lane] = first_size(lane, whole, where, tables)


def first_size(lane: int, whole: Ints, where: LaneArrays, tables: Arrays) -> float:
    """The size of one lane's first step, from the sums that stand in REAL."""
    real = where[REAL]
    settings = tables[SETTINGS]
    many = float(max(1, whole[N_CHECKED]))
    h = real[STEP_SIZE, lane]
    longest = min(settings[H_MAX], settings[T_END] - real[T, lane])
    if real[ERROR, lane] != real[ERROR, lane]:
        return min(1e-3 * h, longest)
    curve = max(sqrt(real[COARSE, lane] / many), sqrt(real[ERROR, lane] / many))
    other = max(1e-6, 1e-3 * h)
    if curve > 1e-15:
        other = exp(log(0.01 / curve) * settings[EXPONENT])
    return min(100.0 * h, other, longest)
