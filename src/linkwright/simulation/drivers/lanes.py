"""Many runs at once, one in every lane, each with its own time and step. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native import Arrays, Ints, LaneArrays, LaneCodes, choose, some, spread
from linkwright.simulation.drivers.lanes_beginning import lanes_begun, lanes_filled
from linkwright.simulation.drivers.lanes_judging import lane_done, sizes_chosen, steps_judged
from linkwright.simulation.drivers.lanes_places import (
    ACCEPTED,
    ADAPTIVE,
    BUDGET,
    DONE,
    EVALUATIONS,
    GOING,
    HUNGRY,
    LANES,
    LAST_IN_ERROR,
    MORE,
    MOVED,
    N_BUSY,
    N_FINISHED,
    N_STATS,
    ORIGIN,
    PROJECTS,
    REAL,
    ROUNDS,
    RUN,
    SETTINGS,
    SLOPES,
    STAGES,
    STATE,
    STATE_NEW,
    STATUS,
    STEP_NUMBER,
    STEP_TO,
    STEPS,
    T_END,
    T_STAGE,
    WAITING,
    N,
    T,
)
from linkwright.simulation.drivers.lanes_rows import lane_more_slopes, row_inside_steps, rows_of_steps, rows_written
from linkwright.simulation.drivers.lanes_steps import (
    chosen_rows,
    counted,
    lane_errors,
    lane_health,
    lane_slopes,
    lane_stages,
    lanes_closed,
    lanes_renewed,
)


def lanes_advanced(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> int:
    """Advance all lanes until the queue of runs is empty, or wants filling, or the slice is over."""
    while whole[BUDGET] > 0:
        lanes_ended(whole, marks, stats, codes, where, tables)
        lanes_filled(whole, marks, stats, where, tables)
        if whole[N_BUSY] < whole[LANES] and whole[MORE] != 0:
            return HUNGRY
        if whole[N_BUSY] == 0:
            return DONE
        lanes_begun(whole, marks, stats, codes, where, tables)
        sizes_chosen(whole, marks, stats, where, tables)
        lane_stages(whole, marks, codes, where, tables)
        if whole[ADAPTIVE] != 0:
            lane_errors(whole, marks, where, tables)
        lane_health(whole, where)
        steps_judged(whole, marks, stats, where, tables)
        lanes_stepped(whole, marks, stats, codes, where, tables)
        whole[BUDGET] -= 1
        whole[ROUNDS] += 1
    return GOING


def lanes_ended(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """Free the lanes whose runs are over."""
    real = where[REAL]
    settings = tables[SETTINGS]
    lanes = whole[LANES]
    for lane in range(lanes):
        run = marks[RUN * lanes + lane]
        if run >= 0:
            if stats[run * N_STATS + STATUS] == GOING and real[T, lane] >= settings[T_END]:
                lane_done(DONE, lane, whole, marks, stats, where, tables)
            if stats[run * N_STATS + STATUS] != GOING:
                if real[WAITING, lane] > 0.0:
                    rows_written(whole, marks, stats, codes, where, tables)
                marks[RUN * lanes + lane] = -1
                whole[N_BUSY] -= 1
                whole[N_FINISHED] += 1


def lanes_stepped(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """What follows accepted steps: projection, slopes at the new states, rows."""
    real = where[REAL]
    settings = tables[SETTINGS]
    k = where[SLOPES]
    y_new = where[STATE_NEW]
    n = whole[N]
    last = k[whole[STAGES] * n :]
    if not some(real[ACCEPTED] > 0.0):
        return
    real[MOVED] = spread(0.0)
    if whole[PROJECTS] != 0:
        lanes_closed(whole, marks, stats, codes, where, tables)
    real[T_STAGE] = settings[ORIGIN] + real[STEP_TO]
    if whole[LAST_IN_ERROR] == 0:
        lane_slopes(whole, codes, where, y_new, last)
        counted(EVALUATIONS, whole, marks, stats, ACCEPTED, where)
    elif some(real[MOVED] > 0.0):
        lanes_renewed(MOVED, whole, marks, stats, codes, where, y_new, last)
    if row_inside_steps(whole, marks, where, tables):
        lane_more_slopes(whole, marks, codes, where, tables)
    rows_of_steps(whole, marks, stats, codes, where, tables)
    chosen_rows(n, ACCEPTED, where, y_new, where[STATE])
    chosen_rows(n, ACCEPTED, where, last, k)
    real[T] = choose(real[ACCEPTED] > 0.0, real[STEP_TO], real[T])
    counted(STEPS, whole, marks, stats, ACCEPTED, where)
    for lane in range(whole[LANES]):
        if real[ACCEPTED, lane] > 0.0:
            marks[STEP_NUMBER * whole[LANES] + lane] += 1
