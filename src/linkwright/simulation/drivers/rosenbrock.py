"""Rosenbrock steps for stiff motion (theory 8.10-8.11). In the compiler's subset of Python."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.common import copied, slope
from linkwright.simulation.drivers.dense import row_inside
from linkwright.simulation.drivers.explicit import first_step
from linkwright.simulation.drivers.passages import eventful
from linkwright.simulation.drivers.places import (
    ATOL,
    BUDGET,
    CHECKED,
    DENSE,
    DERIVATIVE_Q,
    DERIVATIVE_S,
    DERIVATIVE_T,
    ERROR,
    EXAMINE,
    FACTORINGS,
    FAILED,
    GAMMA,
    GIVEN,
    GOING,
    JACOBIAN,
    MATRIX,
    N_CHECKED,
    NQ,
    NS,
    ON_SPRINGS,
    ORIGIN,
    PARAMETERS,
    PIVOTS,
    PLAIN,
    REAL,
    REFUSED_STEP,
    RTOL,
    SLOPES,
    SPLIT,
    STAGES,
    STATE,
    STATE_NEW,
    STEP_FROM,
    STEP_RESULT,
    STEP_SIZE,
    T_STAGE,
    TABLE_A,
    TABLE_C,
    TABLE_D,
    TABLE_E,
    TABLE_G,
    TAU,
    H,
    N,
    T,
)
from linkwright.simulation.drivers.running import begun, finished, settled, step_chosen, step_judged


def derived(whole: Ints, codes: Codes, where: Arrays) -> int:
    """Derivatives of the slope at the state by time, coordinates and speeds; 0 when they cannot be computed."""
    real = where[REAL]
    y = where[STATE]
    s = y[whole[NQ] :]
    given = where[GIVEN]
    by_t = where[DERIVATIVE_T]
    by_q = where[DERIVATIVE_Q]
    by_s = where[DERIVATIVE_S]
    real[T_STAGE] = real[ORIGIN] + real[T]
    if whole[PARAMETERS] == PLAIN:
        return codes[JACOBIAN](real[T_STAGE:], y, s, where[TAU], by_t, by_q, by_s)
    if whole[PARAMETERS] == ON_SPRINGS:
        return codes[JACOBIAN](real[T_STAGE:], y, s, where[TAU], given, given[whole[SPLIT] :], by_t, by_q, by_s)
    return codes[JACOBIAN](real[T_STAGE:], y, s, where[TAU], given, by_t, by_q, by_s)


def factored(shift: float, whole: Ints, where: Arrays) -> int:
    """LU factors, with row exchanges, of shift 1 - derivative of the slope by the state; 0 when it is singular."""
    n = whole[N]
    nq = whole[NQ]
    ns = whole[NS]
    m = where[MATRIX]
    by_q = where[DERIVATIVE_Q]
    by_s = where[DERIVATIVE_S]
    pivots = where[PIVOTS]
    whole[FACTORINGS] += 1
    for i in range(n):
        for j in range(nq):
            m[i * n + j] = -by_q[i * nq + j]
        for j in range(ns):
            m[i * n + nq + j] = -by_s[i * ns + j]
        for j in range(nq + ns, n):
            m[i * n + j] = 0.0
        m[i * n + i] += shift
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(m[i * n + k]) > abs(m[best * n + k]):
                best = i
        pivots[k] = float(best)
        if not abs(m[best * n + k]) > 0.0:
            return 0
        if best != k:
            for j in range(n):
                x = m[k * n + j]
                m[k * n + j] = m[best * n + j]
                m[best * n + j] = x
        for i in range(k + 1, n):
            x = m[i * n + k]
            if x != 0.0:
                x = x / m[k * n + k]
                m[i * n + k] = x
                for j in range(k + 1, n):
                    m[i * n + j] -= x * m[k * n + j]
    return 1


def solved_for(whole: Ints, where: Arrays, x: Floats) -> None:
    """Replace a right-hand side by the solution."""
    n = whole[N]
    m = where[MATRIX]
    pivots = where[PIVOTS]
    for k in range(n):
        other = int(pivots[k])
        if other != k:
            z = x[k]
            x[k] = x[other]
            x[other] = z
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= m[i * n + j] * x[j]
        x[i] = total
    for r in range(n):
        i = n - 1 - r
        total = x[i]
        for j in range(i + 1, n):
            total -= m[i * n + j] * x[j]
        x[i] = total / m[i * n + i]


def stage_done(s: int, whole: Ints, codes: Codes, where: Arrays) -> int:
    """One stage into its row; row 0 holds the slope at the state (theory 8.10)."""
    real = where[REAL]
    n = whole[N]
    k = where[SLOPES]
    a = where[TABLE_A]
    c = where[TABLE_C]
    g = where[TABLE_E]
    d = where[TABLE_G]
    by_t = where[DERIVATIVE_T]
    y_new = where[STATE_NEW]
    h = real[STEP_SIZE]
    out = k[(s + 1) * n :]
    copied(n, where[STATE], y_new)
    for j in range(s):
        x = a[s * whole[STAGES] + j]
        for i in range(n):
            y_new[i] += x * k[(j + 1) * n + i]
    if s == 0:
        copied(n, k, out)
    elif slope(real[STEP_FROM] + c[s] * h, whole, codes, where, y_new, out) == 0:
        return 0
    for i in range(n):
        out[i] += h * d[s] * by_t[i]
    for j in range(s):
        x = g[s * whole[STAGES] + j] / h
        for i in range(n):
            out[i] += x * k[(j + 1) * n + i]
    solved_for(whole, where, out)
    return 1


def stages_finished(whole: Ints, codes: Codes, where: Arrays) -> int:
    """All stages of a step, and its result."""
    real = where[REAL]
    n = whole[N]
    k = where[SLOPES]
    y_new = where[STATE_NEW]
    last = whole[STAGES]
    if factored(1.0 / (real[GAMMA] * real[STEP_SIZE]), whole, where) == 0:
        return 0
    for s in range(last):
        if stage_done(s, whole, codes, where) == 0:
            return 0
    for i in range(n):
        y_new[i] += k[last * n + i]
    return 1


def misfit(whole: Ints, where: Arrays) -> float:
    """The last stage, which is the estimated error, in units of the tolerance."""
    real = where[REAL]
    k = where[SLOPES]
    y = where[STATE]
    y_new = where[STATE_NEW]
    checked = whole[whole[CHECKED] :]
    total = 0.0
    for m in range(whole[N_CHECKED]):
        i = checked[m]
        x = k[whole[STAGES] * whole[N] + i]
        x = x / (real[ATOL] + real[RTOL] * max(abs(y[i]), abs(y_new[i])))
        total += x * x
    return sqrt(total / float(max(1, whole[N_CHECKED])))


def readied(whole: Ints, where: Arrays) -> None:
    """Coefficients of the interpolant over the last step (theory 8.11)."""
    k = where[SLOPES]
    hs = where[TABLE_D]
    dense = where[DENSE]
    y = where[STATE]
    y_new = where[STEP_RESULT]
    n = whole[N]
    for i in range(n):
        dense[i] = y_new[i] - y[i]
        for r in range(3):
            total = 0.0
            for j in range(whole[STAGES]):
                total += hs[r * whole[STAGES] + j] * k[(j + 1) * n + i]
            dense[(r + 1) * n + i] = total
        dense[2 * n + i] += dense[3 * n + i]
        dense[3 * n + i] = -dense[3 * n + i]


def rosenbrock(whole: Ints, codes: Codes, where: Arrays) -> int:
    """Advance the state until the stretch's end, an event that ends the run, a failure, or the slice's end."""
    real = where[REAL]
    status = begun(whole, codes, where)
    if status == GOING and real[H] <= 0.0:
        real[H] = first_step(whole, codes, where)
        slope(real[T], whole, codes, where, where[STATE], where[SLOPES])
    while status == GOING and whole[BUDGET] > 0:
        status = step_chosen(whole, where)
        if status == GOING:
            real[ERROR] = 1e300
            if derived(whole, codes, where) != 0 and stages_finished(whole, codes, where) != 0:
                real[ERROR] = misfit(whole, where)
            status = step_judged(whole, where)
            if status == GOING:
                status = rosenbrock_stepped(whole, codes, where)
            elif status == REFUSED_STEP:
                status = GOING
    return status


def rosenbrock_stepped(whole: Ints, codes: Codes, where: Arrays) -> int:
    """What follows an accepted step: projection, rows, events, and the slope to start the next one from."""
    real = where[REAL]
    settled(whole, codes, where)
    if eventful(whole, where) or row_inside(whole, where):
        readied(whole, where)
    status = finished(whole, codes, where)
    if status != GOING and status != EXAMINE:
        return status
    if slope(real[T], whole, codes, where, where[STATE], where[SLOPES]) == 0:
        return FAILED
    return status
