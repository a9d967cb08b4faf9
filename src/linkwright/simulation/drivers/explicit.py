"""Explicit Runge-Kutta steps, fixed or adaptive (theory 8.1-8.4). In the compiler's subset of Python."""

from __future__ import annotations

from math import exp, log, sqrt

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.common import copied, slope
from linkwright.simulation.drivers.dense import row_inside
from linkwright.simulation.drivers.passages import eventful
from linkwright.simulation.drivers.places import (
    ATOL,
    BUDGET,
    CHECKED,
    DENSE,
    ERROR,
    EXAMINE,
    EXPONENT,
    FAILED,
    GOING,
    H_MAX,
    LAST_IN_ERROR,
    N_CHECKED,
    N_DENSE,
    REAL,
    REFUSED_STEP,
    ROOM,
    RTOL,
    SLOPES,
    STAGES,
    STATE,
    STATE_NEW,
    STEP_FROM,
    STEP_RESULT,
    STEP_SIZE,
    STEP_TO,
    T_END,
    TABLE_A,
    TABLE_C,
    TABLE_D,
    TABLE_E,
    TOTAL,
    H,
    N,
    T,
)
from linkwright.simulation.drivers.running import begun, finished, settled, step_chosen, step_judged


def stage_state(s: int, h: float, whole: Ints, where: Arrays, out: Floats) -> None:
    """The state of a stage: y + h sum of a[s, j] k[j]."""
    n = whole[N]
    a = where[TABLE_A]
    k = where[SLOPES]
    copied(n, where[STATE], out)
    for j in range(s):
        x = h * a[s * whole[TOTAL] + j]
        if x != 0.0:
            for i in range(n):
                out[i] += x * k[j * n + i]


def stages_done(whole: Ints, codes: Codes, where: Arrays) -> int:
    """The stages of a step and its result; 0 when a slope cannot be computed."""
    real = where[REAL]
    c = where[TABLE_C]
    k = where[SLOPES]
    y_new = where[STATE_NEW]
    h = real[STEP_SIZE]
    last = whole[STAGES]
    for s in range(1, last + 1):
        stage_state(s, h, whole, where, y_new)
        t = real[STEP_FROM] + c[s] * h
        needed = s < last or whole[LAST_IN_ERROR] != 0
        if needed and slope(t, whole, codes, where, y_new, k[s * whole[N] :]) == 0:
            return 0
    return 1


def estimate(whole: Ints, where: Arrays) -> float:
    """The estimated error of a step in units of the tolerance (theory 8.2)."""
    real = where[REAL]
    e = where[TABLE_E]
    k = where[SLOPES]
    y = where[STATE]
    y_new = where[STATE_NEW]
    checked = whole[whole[CHECKED] :]
    n = whole[N]
    total = whole[TOTAL]
    fine = 0.0
    coarse = 0.0
    for m in range(whole[N_CHECKED]):
        i = checked[m]
        x = 0.0
        z = 0.0
        for j in range(whole[STAGES] + 1):
            x += e[j] * k[j * n + i]
            z += e[total + j] * k[j * n + i]
        unit = real[ATOL] + real[RTOL] * max(abs(y[i]), abs(y_new[i]))
        fine += (x / unit) * (x / unit)
        coarse += (z / unit) * (z / unit)
    if fine == 0.0:
        return 0.0
    return real[STEP_SIZE] * fine / sqrt((fine + 0.01 * coarse) * float(whole[N_CHECKED]))


def size(x: Floats, whole: Ints, where: Arrays) -> float:
    """Root mean square of x in units of the tolerance at the state."""
    real = where[REAL]
    y = where[STATE]
    checked = whole[whole[CHECKED] :]
    total = 0.0
    for m in range(whole[N_CHECKED]):
        i = checked[m]
        z = x[i] / (real[ATOL] + real[RTOL] * abs(y[i]))
        total += z * z
    return sqrt(total / float(max(1, whole[N_CHECKED])))


def first_step(whole: Ints, codes: Codes, where: Arrays) -> float:
    """A size for the first step, from the slope and how fast it changes (theory 8.4)."""
    real = where[REAL]
    y = where[STATE]
    k = where[SLOPES]
    trial = where[ROOM]
    there = trial[whole[N] :]
    longest = min(real[H_MAX], real[T_END] - real[T])
    d0 = size(y, whole, where)
    d1 = size(k, whole, where)
    h = 1e-6
    if d0 >= 1e-5 and d1 >= 1e-5:
        h = 0.01 * d0 / d1
    h = min(h, longest)
    for i in range(whole[N]):
        trial[i] = y[i] + h * k[i]
    if slope(real[T] + h, whole, codes, where, trial, there) == 0:
        return min(1e-3 * h, longest)
    for i in range(whole[N]):
        there[i] = (there[i] - k[i]) / h
    curve = max(d1, size(there, whole, where))
    other = max(1e-6, 1e-3 * h)
    if curve > 1e-15:
        other = exp(log(0.01 / curve) * real[EXPONENT])
    return min(100.0 * h, other, longest)


def prepared(whole: Ints, codes: Codes, where: Arrays) -> None:
    """Coefficients of the interpolant over the last step (theory 8.3)."""
    real = where[REAL]
    c = where[TABLE_C]
    d = where[TABLE_D]
    k = where[SLOPES]
    y = where[STATE]
    y_new = where[STEP_RESULT]
    dense = where[DENSE]
    n = whole[N]
    last = whole[STAGES]
    h = real[STEP_SIZE]
    for s in range(last + 1, whole[TOTAL]):
        stage_state(s, h, whole, where, where[ROOM])
        slope(real[STEP_FROM] + c[s] * h, whole, codes, where, where[ROOM], k[s * n :])
    for i in range(n):
        change = y_new[i] - y[i]
        dense[i] = change
        dense[n + i] = h * k[i] - change
        dense[2 * n + i] = 2.0 * change - h * (k[i] + k[last * n + i])
    for r in range(whole[N_DENSE]):
        row = dense[(3 + r) * n :]
        for i in range(n):
            row[i] = 0.0
        for j in range(whole[TOTAL]):
            x = h * d[r * whole[TOTAL] + j]
            if x != 0.0:
                for i in range(n):
                    row[i] += x * k[j * n + i]


def explicit(whole: Ints, codes: Codes, where: Arrays) -> int:
    """Advance the state until the stretch's end, an event that ends the run, a failure, or the slice's end."""
    real = where[REAL]
    status = begun(whole, codes, where)
    if status == GOING and real[H] <= 0.0:
        real[H] = first_step(whole, codes, where)
        slope(real[T], whole, codes, where, where[STATE], where[SLOPES])
    while status == GOING and whole[BUDGET] > 0:
        status = step_chosen(whole, where)
        if status == GOING:
            attempted(whole, codes, where)
            status = step_judged(whole, where)
            if status == GOING:
                status = stepped(whole, codes, where)
            elif status == REFUSED_STEP:
                status = GOING
    return status


def attempted(whole: Ints, codes: Codes, where: Arrays) -> None:
    """One step of the chosen size and its error; a step whose slopes cannot be computed has a huge one."""
    real = where[REAL]
    k = where[SLOPES]
    last = k[whole[STAGES] * whole[N] :]
    real[ERROR] = 1e300
    if stages_done(whole, codes, where) != 0:
        real[ERROR] = estimate(whole, where)
        missing = whole[LAST_IN_ERROR] == 0 and real[ERROR] <= 1.0
        if missing and slope(real[STEP_TO], whole, codes, where, where[STATE_NEW], last) == 0:
            real[ERROR] = 1e300


def stepped(whole: Ints, codes: Codes, where: Arrays) -> int:
    """What follows an accepted step: projection, rows, events, and the slope to start the next one from."""
    real = where[REAL]
    k = where[SLOPES]
    moved = settled(whole, codes, where)
    if eventful(whole, where) or row_inside(whole, where):
        prepared(whole, codes, where)
    status = finished(whole, codes, where)
    if status != GOING and status != EXAMINE:
        return status
    if moved == 0:
        copied(whole[N], k[whole[STAGES] * whole[N] :], k)
    elif slope(real[T], whole, codes, where, where[STATE], k) == 0:
        return FAILED
    return status
