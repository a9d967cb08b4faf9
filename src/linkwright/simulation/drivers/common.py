"""What all drivers do: slopes, projection, rows. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints
from linkwright.simulation.drivers.places import (
    CAN_FALL_BACK,
    DYNAMICS,
    EFFORT,
    EFFORT_AGAIN,
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
    HAS_EFFORT_AGAIN,
    HAS_SECOND,
    MONITOR,
    N_MONITORED,
    NA,
    NEWTON,
    NEXT_ROW,
    NQ,
    NS,
    NV,
    ON_SPRINGS,
    ORIGIN,
    PARAMETERS,
    PROJECT,
    PROJECT_AGAIN,
    PROJECT_ROW,
    PROJECTIONS,
    PROJECTS,
    PULLED,
    RATES,
    REAL,
    ROOM,
    ROWS,
    SECOND,
    SOLVES,
    SPLIT,
    T_STAGE,
    TAU,
    WHOLE_ROW,
    WIDTH,
    WITH_INERTIAS,
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
    return rated(whole, codes, where, y, dy)


def rated(whole: Ints, codes: Codes, where: Arrays, y: Floats, dy: Floats) -> int:
    """Rates of the coordinates and powers."""
    nq = whole[NQ]
    given = where[GIVEN]
    powers = dy[nq + whole[NS] :]
    if whole[PARAMETERS] == WITH_INERTIAS:
        return codes[RATES](y, y[nq:], where[TAU], given, dy, powers)
    if whole[PARAMETERS] == ON_SPRINGS:
        return codes[RATES](y, y[nq:], where[TAU], given[whole[SPLIT] :], dy, powers)
    return codes[RATES](y, y[nq:], where[TAU], dy, powers)


def effort_found(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats) -> int:
    """Efforts at a state, by the slower way where the compiled law gives numbers that are not finite."""
    real = where[REAL]
    nq = whole[NQ]
    real[T_STAGE] = real[ORIGIN] + t
    if whole[EXPANDS] != 0:
        codes[EXPAND](y, y[nq:], where[FULL])
        if codes[EFFORT](real[T_STAGE:], y, where[FULL], where[TAU]) != 0 and all_finite(whole[NA], where[TAU]) != 0:
            return 1
        if whole[HAS_EFFORT_AGAIN] == 0:
            return 0
        whole[FALLBACKS] += 1
        return codes[EFFORT_AGAIN](real[T_STAGE:], y, where[FULL], where[TAU])
    if codes[EFFORT](real[T_STAGE:], y, y[nq:], where[TAU]) != 0 and all_finite(whole[NA], where[TAU]) != 0:
        return 1
    if whole[HAS_EFFORT_AGAIN] == 0:
        return 0
    whole[FALLBACKS] += 1
    return codes[EFFORT_AGAIN](real[T_STAGE:], y, y[nq:], where[TAU])


def all_finite(n: int, x: Floats) -> int:
    """1 when x holds only finite numbers."""
    total = 0.0
    for i in range(n):
        total += x[i] - x[i]
    return int(total == 0.0)


def accelerated(whole: Ints, codes: Codes, where: Arrays, y: Floats, a: Floats) -> int:
    """Accelerations of the state's speeds, by the slower way where the fast one gives up."""
    nq = whole[NQ]
    given = where[GIVEN]
    good = 0
    if whole[PARAMETERS] == WITH_INERTIAS or whole[PARAMETERS] == PULLED:
        good = codes[DYNAMICS](y, y[nq:], where[TAU], given, a)
    elif whole[PARAMETERS] == ON_SPRINGS:
        good = codes[DYNAMICS](y, y[nq:], where[TAU], given, given[whole[SPLIT] :], a)
    else:
        good = codes[DYNAMICS](y, y[nq:], where[TAU], a)
    if good == 0 and whole[HAS_SECOND] != 0:
        good = codes[SECOND](y, y[nq:], where[TAU], a)
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


def opened(whole: Ints, codes: Codes, where: Arrays, y: Floats, out: Floats) -> None:
    """The largest gap and gap rate of a state."""
    nq = whole[NQ]
    if whole[EXPANDS] != 0:
        codes[EXPAND](y, y[nq:], where[FULL])
        codes[GAPS](y, where[FULL], out)
    elif whole[PARAMETERS] == WITH_INERTIAS:
        codes[GAPS](y, y[nq:], where[GIVEN], out)
    else:
        codes[GAPS](y, y[nq:], out)


def projected(whole: Ints, codes: Codes, where: Arrays, y: Floats, out: Floats) -> int:
    """Speeds and coordinates nearer to closed loops, one behind the other; 0 when there are none."""
    nq = whole[NQ]
    ns = whole[NS]
    if whole[PARAMETERS] == WITH_INERTIAS:
        return codes[PROJECT](y, y[nq:], where[GIVEN], out, out[ns:])
    if codes[PROJECT](y, y[nq:], out, out[ns:]) != 0:
        return 1
    if whole[CAN_FALL_BACK] == 0:
        return 0
    return codes[PROJECT_AGAIN](y, y[nq:], out, out[ns:])


def closed(limit: float, most: int, whole: Ints, codes: Codes, where: Arrays, y: Floats, room: Floats) -> int:
    """Project the state until its gaps are below the limit, at most so many times; how often it was moved."""
    nq = whole[NQ]
    ns = whole[NS]
    for moved in range(most):
        opened(whole, codes, where, y, room)
        if room[0] <= limit and room[1] <= limit:
            return moved
        if projected(whole, codes, where, y, room) == 0:
            return moved
        copied(nq, room[ns:], y)
        copied(ns, room, y[nq:])
        whole[PROJECTIONS] += 1
    return most


def row_closed(whole: Ints, codes: Codes, where: Arrays, y: Floats, room: Floats) -> None:
    """Close a row as far as it goes near a singular position, where steps leave a little open to keep their branch."""
    nq = whole[NQ]
    ns = whole[NS]
    opened(whole, codes, where, y, room)
    far = room[0] > 1e-13 or room[1] > 1e-12
    if far and whole[CAN_FALL_BACK] != 0 and codes[PROJECT_ROW](y, y[nq:], room, room[ns:]) != 0:
        copied(nq, room[ns:], y)
        copied(ns, room, y[nq:])
        whole[PROJECTIONS] += 1


def row_written(t: float, whole: Ints, codes: Codes, where: Arrays, y: Floats) -> int:
    """Project a state and write it as a row: t, q, v, a, tau, monitored numbers, extras."""
    real = where[REAL]
    n = whole[N]
    nq = whole[NQ]
    nv = whole[NV]
    room = where[ROOM]
    rates = room[n:]
    if whole[PROJECTS] != 0 and closed(real[GAP_SHOWN], 4, whole, codes, where, y, rates) == 4:
        row_closed(whole, codes, where, y, rates)
    good = slope(t, whole, codes, where, y, rates)
    rows = where[ROWS]
    row = rows[whole[NEXT_ROW] * whole[WIDTH] :]
    speeds = row[1 + nq :]
    row[0] = real[ORIGIN] + t
    copied(nq, y, row[1:])
    if whole[EXPANDS] != 0:
        codes[WHOLE_ROW](y, y[nq:], where[TAU], speeds)
    else:
        copied(nv, y[nq:], speeds)
        copied(nv, rates[nq:], speeds[nv:])
    copied(whole[NA], where[TAU], speeds[2 * nv :])
    rest = speeds[2 * nv + whole[NA] :]
    if whole[PARAMETERS] == WITH_INERTIAS or whole[PARAMETERS] == ON_SPRINGS:
        codes[MONITOR](y, speeds, where[GIVEN], rest)
    else:
        codes[MONITOR](y, speeds, rest)
    copied(n - nq - whole[NS], y[nq + whole[NS] :], rest[whole[N_MONITORED] :])
    whole[NEXT_ROW] += 1
    return good
