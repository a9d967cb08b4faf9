"""Stages, errors and projection of runs side by side (theory 8.1, 8.2, 8.5). In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native import Arrays, Ints, LaneArrays, LaneCodes, Lanes, choose, some, spread
from linkwright.simulation.drivers.lanes_places import (
    ACCEPTED,
    ATOL,
    COARSE,
    DOUBTFUL,
    EFFORT,
    ERROR,
    EVALUATIONS,
    GAP_KEPT,
    GAPS,
    GAPS_GIVEN,
    GIVEN,
    HAS_EFFORT,
    HEALTH,
    LANES,
    LAST_IN_ERROR,
    MOVED,
    N_CHECKED,
    N_MARKS,
    N_STATS,
    NEEDS,
    NQ,
    NV,
    ORIGIN,
    PROJECT,
    PROJECT_GIVEN,
    PROJECTIONS,
    REAL,
    ROOM,
    RTOL,
    RUN,
    SETTINGS,
    SLOPE,
    SLOPES,
    STAGES,
    STATE,
    STATE_NEW,
    STATUS,
    STEP_SIZE,
    T_STAGE,
    TABLE_A,
    TABLE_C,
    TABLE_E,
    TAU,
    TOTAL,
    WEIGHTS,
    ZEROS,
    N,
    T,
)


def chosen_rows(n: int, which: int, where: LaneArrays, x: Lanes, out: Lanes) -> None:
    """Copy states in the lanes that a row of REAL names."""
    real = where[REAL]
    taken = real[which]
    for i in range(n):
        out[i] = choose(taken > 0.0, x[i], out[i])


def counted(which: int, whole: Ints, marks: Ints, stats: Ints, flag: int, where: LaneArrays) -> None:
    """Add one to a count of every run whose lane a row of REAL names."""
    real = where[REAL]
    for lane in range(whole[LANES]):
        if real[flag, lane] > 0.0 and marks[RUN * whole[LANES] + lane] >= 0:
            stats[marks[RUN * whole[LANES] + lane] * N_STATS + which] += 1


def lane_slopes(whole: Ints, codes: LaneCodes, where: LaneArrays, y: Lanes, dy: Lanes) -> None:
    """Rates of states at the times T_STAGE; the first acceleration is NaN where it is not to be trusted."""
    nq = whole[NQ]
    if whole[HAS_EFFORT] != 0:
        real = where[REAL]
        codes[EFFORT](real[T_STAGE:], y, y[nq:], where[TAU])
    codes[SLOPE](y, y[nq:], where[TAU], where[GIVEN], dy[nq:], dy, dy[nq + whole[NV] :])


def weighed(s: int, n: int, width: int, whole: Ints, marks: Ints, where: LaneArrays, a: Arrays, table: int) -> int:
    """Note the slopes with a weight in row s of a table, and the weights times the step; how many there are."""
    weights = a[table]
    w = where[WEIGHTS]
    real = where[REAL]
    used = marks[N_MARKS * whole[LANES] :]
    many = 0
    for j in range(width):
        x = weights[s * whole[TOTAL] + j]
        if x != 0.0:
            w[many] = x * real[STEP_SIZE]
            used[many] = j * n
            many += 1
    return many


def summed(many: int, whole: Ints, marks: Ints, where: LaneArrays, start: Lanes, out: Lanes) -> None:
    """out = start + the weighed slopes, four numbers at a time."""
    k = where[SLOPES]
    w = where[WEIGHTS]
    used = marks[N_MARKS * whole[LANES] :]
    i = 0
    while i < whole[N]:
        a = start[i]
        b = start[i + 1]
        c = start[i + 2]
        d = start[i + 3]
        for m in range(many):
            x = w[m]
            at = used[m] + i
            a = a + x * k[at]
            b = b + x * k[at + 1]
            c = c + x * k[at + 2]
            d = d + x * k[at + 3]
        out[i] = a
        out[i + 1] = b
        out[i + 2] = c
        out[i + 3] = d
        i += 4


def lane_stage(s: int, whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays, out: Lanes) -> None:
    """The states of a stage, and their times."""
    real = where[REAL]
    c = tables[TABLE_C]
    settings = tables[SETTINGS]
    many = weighed(s, whole[N], s, whole, marks, where, tables, TABLE_A)
    summed(many, whole, marks, where, where[STATE], out)
    real[T_STAGE] = settings[ORIGIN] + real[T] + c[s] * real[STEP_SIZE]


def lane_stages(whole: Ints, marks: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """The stages of a step and its result, which stands behind the last of them."""
    k = where[SLOPES]
    for s in range(1, whole[STAGES] + 1):
        lane_stage(s, whole, marks, where, tables, where[STATE_NEW])
        if s < whole[STAGES] or whole[LAST_IN_ERROR] != 0:
            lane_slopes(whole, codes, where, where[STATE_NEW], k[s * whole[N] :])


def lane_errors(whole: Ints, marks: Ints, where: LaneArrays, tables: Arrays) -> None:
    """The two sums of squares in the estimate of the error, in units of the tolerance (theory 8.2)."""
    settings = tables[SETTINGS]
    real = where[REAL]
    y = where[STATE]
    y_new = where[STATE_NEW]
    first = where[ROOM]
    n = whole[N]
    second = first[n:]
    many = weighed(0, n, whole[STAGES] + 1, whole, marks, where, tables, TABLE_E)
    summed(many, whole, marks, where, where[ZEROS], first)
    many = weighed(1, n, whole[STAGES] + 1, whole, marks, where, tables, TABLE_E)
    summed(many, whole, marks, where, where[ZEROS], second)
    fine = spread(0.0)
    coarse = spread(0.0)
    for i in range(whole[N_CHECKED]):
        size = abs(y[i])
        size_new = abs(y_new[i])
        unit = 1.0 / (settings[ATOL] + settings[RTOL] * choose(size_new > size, size_new, size))
        x = first[i] * unit
        z = second[i] * unit
        fine = fine + x * x
        coarse = coarse + z * z
    real[ERROR] = fine
    real[COARSE] = coarse


def lane_health(whole: Ints, where: LaneArrays) -> None:
    """Zero in the lanes whose new state is made of finite numbers, else NaN."""
    real = where[REAL]
    new = where[STATE_NEW]
    total = spread(0.0)
    for i in range(whole[N_CHECKED]):
        total = total + (new[i] - new[i])
    real[HEALTH] = total


def lane_gaps(limit: float, flag: int, whole: Ints, codes: LaneCodes, where: LaneArrays, y: Lanes) -> bool:
    """Mark in NEEDS the lanes, of those that a row of REAL names, whose loops are open by more than the limit."""
    real = where[REAL]
    given = where[GIVEN]
    room = where[ROOM]
    codes[GAPS](y, y[whole[NQ] :], given[whole[GAPS_GIVEN] :], room)
    worst = choose(room[1] > room[0], room[1], room[0])
    needs = choose(worst > limit, real[flag], spread(0.0))
    real[NEEDS] = needs
    return some(real[NEEDS] > 0.0)


def lane_projection(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, y: Lanes) -> None:
    """One projection in the lanes marked in NEEDS; runs without a trusted answer are taken out of them and marked."""
    real = where[REAL]
    given = where[GIVEN]
    room = where[ROOM]
    nq = whole[NQ]
    nv = whole[NV]
    codes[PROJECT](y, y[nq:], given[whole[PROJECT_GIVEN] :], room, room[nv:])
    for lane in range(whole[LANES]):
        if real[NEEDS, lane] > 0.0 and room[0, lane] != room[0, lane]:
            real[NEEDS, lane] = 0.0
            stats[marks[RUN * whole[LANES] + lane] * N_STATS + STATUS] = DOUBTFUL
    chosen_rows(nv, NEEDS, where, room, y[nq:])
    chosen_rows(nq, NEEDS, where, room[nv:], y)


def lanes_closed(whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, tables: Arrays) -> None:
    """Project the new states of accepted steps whose loops are open too far, once: a gap is about squared by it."""
    real = where[REAL]
    settings = tables[SETTINGS]
    real[MOVED] = spread(0.0)
    if lane_gaps(settings[GAP_KEPT], ACCEPTED, whole, codes, where, where[STATE_NEW]):
        lane_projection(whole, marks, stats, codes, where, where[STATE_NEW])
        real[MOVED] = real[NEEDS]
        counted(PROJECTIONS, whole, marks, stats, NEEDS, where)


def lanes_renewed(
    flag: int, whole: Ints, marks: Ints, stats: Ints, codes: LaneCodes, where: LaneArrays, y: Lanes, k: Lanes
) -> None:
    """Slopes at states into k, in the lanes that a row of REAL names."""
    lane_slopes(whole, codes, where, y, where[ROOM])
    chosen_rows(whole[N], flag, where, where[ROOM], k)
    counted(EVALUATIONS, whole, marks, stats, flag, where)
