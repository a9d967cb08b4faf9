"""What all drivers do: slopes, projection, rows. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.places import (
    CAN_FALL_BACK,
    DYNAMICS,
    EFFORT,
    EVALUATIONS,
    EXPAND,
    EXPANDS,
    FALLBACK,
    FALLBACKS,
    FULL,
    GAP_SHOWN,
    GAPS,
    GIVEN,
    HAS_EFFORT,
    HAS_PARAMETERS,
    MONITOR,
    N_MONITORED,
    NA,
    NEWTON,
    NEXT_ROW,
    NQ,
    NS,
    NV,
    PROJECT,
    PROJECT_AGAIN,
    PROJECTIONS,
    PROJECTS,
    RATES,
    REAL,
    ROOM,
    ROWS,
    SOLVES,
    T_STAGE,
    TAU,
    WHOLE_ROW,
    WIDTH,
    N,
)


def copied(n: int, x: Floats, out: Floats) -> None:
    for i in range(n):
        out[i] = x[i]


def slope(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats, dy: Floats) -> int:
    """Rates of the state y at time t into dy; 0 when they cannot be computed."""
    nq = whole[NQ]
    whole[EVALUATIONS] += 1
    if whole[SOLVES] != 0 and solved(whole, codes, where, y) == 0:
        return 0
    if whole[HAS_EFFORT] != 0 and effort_found(t, whole, codes, where, y) == 0:
        return 0
    if accelerated(whole, codes, where, y, dy[nq:]) == 0:
        return 0
    return codes[RATES](y, y[nq:], where[TAU], dy, dy[nq + whole[NS] :])


def effort_found(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats) -> int:
    """Efforts at a state."""
    real = where[REAL]
    nq = whole[NQ]
    real[T_STAGE] = t
    if whole[EXPANDS] != 0:
        codes[EXPAND](y, y[nq:], where[FULL])
        return codes[EFFORT](real[T_STAGE:], y, where[FULL], where[TAU])
    return codes[EFFORT](real[T_STAGE:], y, y[nq:], where[TAU])


def accelerated(whole: Ints, codes: Codes, where: Arrays, y: Floats, a: Floats) -> int:
    """Accelerations of the state's speeds, by the slower way where the fast one gives up."""
    nq = whole[NQ]
    good = 0
    if whole[HAS_PARAMETERS] != 0:
        good = codes[DYNAMICS](y, y[nq:], where[TAU], where[GIVEN], a)
    else:
        good = codes[DYNAMICS](y, y[nq:], where[TAU], a)
    if good == 0 and whole[CAN_FALL_BACK] != 0:
        whole[FALLBACKS] += 1
        good = codes[FALLBACK](y, y[nq:], where[TAU], a)
    return good


def solved(whole: Ints, codes: Codes, where: Arrays, y: Floats) -> int:
    """Newton steps on the dependent coordinates of y until the loops are closed; 0 when they do not close."""
    room = where[FULL]
    for _ in range(12):
        if codes[NEWTON](y, room, room[1:]) == 0:
            return 0
        if room[0] < 1e-13:
            return 1
        copied(whole[NQ], room[1:], y)
    return int(room[0] < 1e-10)


def closed(limit: float, most: int, whole: Ints, codes: Codes, where: Arrays, y: Floats, room: Floats) -> int:
    """Project the state until its gaps are below the limit, at most so many times; how often it was moved."""
    nq = whole[NQ]
    ns = whole[NS]
    for moved in range(most):
        if whole[EXPANDS] != 0:
            codes[EXPAND](y, y[nq:], where[FULL])
            codes[GAPS](y, where[FULL], room)
        else:
            codes[GAPS](y, y[nq:], room)
        if room[0] <= limit and room[1] <= limit:
            return moved
        if codes[PROJECT](y, y[nq:], room, room[ns:]) == 0 and codes[PROJECT_AGAIN](y, y[nq:], room, room[ns:]) == 0:
            return moved
        copied(nq, room[ns:], y)
        copied(ns, room, y[nq:])
        whole[PROJECTIONS] += 1
    return most


def row_written(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats) -> int:
    """Project a state and write it as a row: t, q, v, a, tau, monitored numbers, extras."""
    real = where[REAL]
    n = whole[N]
    nq = whole[NQ]
    nv = whole[NV]
    room = where[ROOM]
    rates = room[n:]
    if whole[PROJECTS] != 0:
        closed(real[GAP_SHOWN], 4, whole, codes, where, y, rates)
    good = slope(t, whole, codes, where, y, rates)
    rows = where[ROWS]
    row = rows[whole[NEXT_ROW] * whole[WIDTH] :]
    speeds = row[1 + nq :]
    row[0] = t
    copied(nq, y, row[1:])
    if whole[EXPANDS] != 0:
        codes[WHOLE_ROW](y, y[nq:], where[TAU], speeds)
    else:
        copied(nv, y[nq:], speeds)
        copied(nv, rates[nq:], speeds[nv:])
    copied(whole[NA], where[TAU], speeds[2 * nv :])
    rest = speeds[2 * nv + whole[NA] :]
    codes[MONITOR](y, speeds, rest)
    copied(n - nq - whole[NS], y[nq + whole[NS] :], rest[whole[N_MONITORED] :])
    whole[NEXT_ROW] += 1
    return good
