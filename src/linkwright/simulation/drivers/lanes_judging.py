"""Sizes of steps and their acceptance, lane by lane (theory 8.2). In the compiler's subset of Python."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Arrays, Ints, LaneArrays
from linkwright.simulation.drivers.lanes_places import (
    ACCEPTED,
    ADAPTIVE,
    COARSE,
    DOUBTFUL,
    DOUBTS,
    ENDS,
    ERROR,
    EVALUATIONS,
    EXPONENT,
    FIXED,
    FRESH,
    H_MAX,
    HEALTH,
    LANES,
    LAST_IN_ERROR,
    N_CHECKED,
    N_STATS,
    NQ,
    REAL,
    REFUSED,
    REJECTED,
    RUN,
    SETTINGS,
    SLOPES,
    STAGES,
    STATUS,
    STEP_NUMBER,
    STEP_SIZE,
    STEP_TO,
    T_END,
    T_START,
    H,
    T,
)
from linkwright.simulation.drivers.running import growth

MOST_DOUBTS = 8


def lane_done(status: int, lane: int, whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Note how a run ended; its lane is free when a row that waits has been written."""
    real = where[REAL]
    ends = tables[ENDS]
    run = marks[RUN * whole[LANES] + lane]
    stats[run * N_STATS + STATUS] = status
    ends[run] = real[T, lane]
    real[STEP_SIZE, lane] = 0.0
    real[STEP_TO, lane] = real[T, lane]
    real[ACCEPTED, lane] = 0.0
    real[FRESH, lane] = 0.0


def sizes_chosen(whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Size and end of every lane's next step; lanes without a run stand still."""
    real = where[REAL]
    settings = tables[SETTINGS]
    lanes = whole[LANES]
    for lane in range(lanes):
        real[ACCEPTED, lane] = 0.0
        real[STEP_SIZE, lane] = 0.0
        if marks[RUN * lanes + lane] >= 0:
            t = real[T, lane]
            real[STEP_TO, lane] = settings[T_END]
            real[STEP_SIZE, lane] = settings[T_END] - t
            if whole[ADAPTIVE] != 0:
                h = min(real[H, lane], settings[H_MAX])
                if 1.001 * h < real[STEP_SIZE, lane]:
                    real[STEP_SIZE, lane] = h
                    real[STEP_TO, lane] = t + h
            else:
                after = settings[T_START] + settings[FIXED] * float(marks[STEP_NUMBER * lanes + lane] + 1)
                if after + 1e-3 * settings[FIXED] < settings[T_END]:
                    real[STEP_TO, lane] = after
                    real[STEP_SIZE, lane] = after - t


def steps_judged(whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Accept or refuse every lane's step."""
    lanes = whole[LANES]
    evaluated = whole[STAGES] - 1 + whole[LAST_IN_ERROR]
    for lane in range(lanes):
        run = marks[RUN * lanes + lane]
        if run >= 0:
            stats[run * N_STATS + EVALUATIONS] += evaluated
            step_judged_in(lane, whole, marks, stats, where, tables)


def step_judged_in(lane: int, whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Accept or refuse one lane's step, and choose the size of its next."""
    real = where[REAL]
    settings = tables[SETTINGS]
    lanes = whole[LANES]
    h = real[STEP_SIZE, lane]
    fine = real[ERROR, lane]
    if real[HEALTH, lane] != 0.0 or (whole[ADAPTIVE] != 0 and fine != fine):
        doubted(lane, whole, marks, stats, where, tables)
        return
    if whole[ADAPTIVE] == 0:
        real[ACCEPTED, lane] = 1.0
        return
    error = 0.0
    if fine > 0.0:
        error = fine / sqrt((fine + 0.01 * real[COARSE, lane]) * float(whole[N_CHECKED]))
    grow = lane_growth(error, settings[EXPONENT])
    if error > 1.0:
        marks[REFUSED * lanes + lane] = 1
        refused(h * min(0.9, grow), lane, whole, marks, stats, where, tables)
        return
    if marks[REFUSED * lanes + lane] != 0:
        grow = min(1.0, grow)
    marks[REFUSED * lanes + lane] = 0
    real[ACCEPTED, lane] = 1.0
    if real[STEP_TO, lane] < settings[T_END] or h * grow > real[H, lane]:
        real[H, lane] = h * grow
    if not real[STEP_TO, lane] > real[T, lane]:
        lane_done(DOUBTFUL, lane, whole, marks, stats, where, tables)


def lane_growth(error: float, exponent: float) -> float:
    """As `growth`, with square roots where they do, which is quicker."""
    if exponent == 0.125 and error >= 1e-12:
        return min(6.0, max(0.2, 0.75 / sqrt(sqrt(sqrt(error)))))
    return growth(error, exponent)


def refused(h: float, lane: int, whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """Try again with a smaller step, or leave the run to the careful driver where it has become too small."""
    real = where[REAL]
    settings = tables[SETTINGS]
    stats[marks[RUN * whole[LANES] + lane] * N_STATS + REJECTED] += 1
    real[H, lane] = h
    if h <= 1e-15 * max(abs(real[T, lane]), settings[T_END] - settings[T_START]):
        lane_done(DOUBTFUL, lane, whole, marks, stats, where, tables)


def doubted(lane: int, whole: Ints, marks: Ints, stats: Ints, where: LaneArrays, tables: Arrays) -> None:
    """A step met numbers that are not to be trusted: a smaller one is tried, a few times in a run."""
    real = where[REAL]
    k = where[SLOPES]
    lanes = whole[LANES]
    marks[DOUBTS * lanes + lane] += 1
    here = k[whole[NQ], lane]
    if whole[ADAPTIVE] == 0 or here != here or marks[DOUBTS * lanes + lane] > MOST_DOUBTS:
        lane_done(DOUBTFUL, lane, whole, marks, stats, where, tables)
        return
    marks[REFUSED * lanes + lane] = 1
    refused(0.2 * real[STEP_SIZE, lane], lane, whole, marks, stats, where, tables)
