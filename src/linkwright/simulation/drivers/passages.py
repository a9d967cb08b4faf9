"""Events inside a step, and which of them are singular positions. In the compiler's subset of Python."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native.subset import Arrays, Codes, Ints
from linkwright.simulation.drivers.common import copied
from linkwright.simulation.drivers.dense import between, watched
from linkwright.simulation.drivers.places import (
    DYNAMICS,
    ENDS,
    EXAMINED,
    EXAMINES,
    FAR_SIZE,
    FOUND,
    FULL,
    KINDS,
    LOOKED_AT,
    N_EVENTS,
    N_FOUND,
    NQ,
    PARAMETERS,
    PARTS,
    PLAIN,
    REAL,
    ROOM,
    SINGULAR,
    SIZE,
    STEP_FROM,
    STEP_SIZE,
    STEP_TO,
    TAU,
    TYPE_2_SIZE,
    WATCHED,
    N,
)


def crossing(
    which: int, low: float, high: float, before: float, after: float, whole: Ints, codes: Codes, where: Arrays
) -> float:
    """The time at which an event function is zero between two others: false position, halved when one end stays."""
    f_low = before
    f_high = after
    room = where[ROOM]
    values = room[whole[N] :]
    side = 0
    for _ in range(100):
        if high - low <= 4e-16 * abs(high) or f_high == 0.0:
            return high
        t = (low * f_high - high * f_low) / (f_high - f_low)
        if not (t > low and t < high):
            t = 0.5 * (low + high)
        if not (t > low and t < high):
            return high
        between(t, whole, where, room)
        watched(t, whole, codes, where, room, values)
        f = values[which]
        if f != 0.0 and (f < 0.0) == (before < 0.0):
            low = t
            f_low = f
            if side == 1:
                f_high = 0.5 * f_high
            side = 1
        else:
            high = t
            f_high = f
            if side == 2:
                f_low = 0.5 * f_low
            side = 2
    return high


def crossed(e: int, whole: Ints, where: Arrays) -> int:
    """1 or -1 when an event function rose or fell through zero in a wanted direction in the last step, else 0."""
    g = where[WATCHED]
    kinds = whole[whole[KINDS] :]
    old = g[e]
    new = g[whole[N_EVENTS] + e]
    if old < 0.0 and new >= 0.0 and (kinds[2 * e] == 0 or kinds[2 * e] == 1):
        return 1
    if old > 0.0 and new <= 0.0 and (kinds[2 * e] == 0 or kinds[2 * e] == -1):
        return -1
    if kinds[2 * e + 1] == SINGULAR and dips(e, whole, where):
        return 1
    return 0


def dips(e: int, whole: Ints, where: Arrays) -> bool:
    """Whether the determinant is small inside a step though its rate shows nothing at the ends.

    The rate is event function e, the determinant itself the next one; a cubic through both ends is looked at.
    """
    real = where[REAL]
    g = where[WATCHED]
    r0 = real[STEP_SIZE] * g[e]
    r1 = real[STEP_SIZE] * g[whole[N_EVENTS] + e]
    d0 = g[e + 1]
    d1 = g[whole[N_EVENTS] + e + 1]
    if (d0 < 0.0) != (d1 < 0.0):
        return True
    d0 = abs(d0)
    d1 = abs(d1)
    linear = 2.0 * (3.0 * (d1 - d0) - 2.0 * r0 - r1)
    square = 3.0 * (2.0 * (d0 - d1) + r0 + r1)
    roots = linear * linear - 4.0 * square * r0
    if roots <= 0.0 or abs(square) < 1e-300:
        return False
    x = 0.5 * (sqrt(roots) - linear) / square
    least = d0 + x * (r0 + x * (0.5 * linear + x * square / 3.0))
    return x > 0.0 and x < 1.0 and least < 0.25 * max(d0, d1)


def passages_noted(e: int, whole: Ints, codes: Codes, where: Arrays) -> None:
    """Note the singular positions of the last step; near one the step is looked at in parts."""
    real = where[REAL]
    g = where[WATCHED]
    room = where[ROOM]
    values = room[whole[N] :]
    before = g[e]
    after = g[whole[N_EVENTS] + e]
    if before < 0.0 and after >= 0.0:
        t = crossing(e, real[STEP_FROM], real[STEP_TO], before, after, whole, codes, where)
        if verdict(t, whole, codes, where) == 0:
            return
    low = real[STEP_FROM]
    for part in range(PARTS):
        high = real[STEP_FROM] + real[STEP_SIZE] * float(part + 1) / float(PARTS)
        between(high, whole, where, room)
        watched(high, whole, codes, where, room, values)
        after = values[e]
        if before < 0.0 and after >= 0.0 and whole[EXAMINES] == 0:
            t = crossing(e, low, high, before, after, whole, codes, where)
            way = verdict(t, whole, codes, where)
            if way != 0:
                noted(t, e, way, whole, where)
            whole[EXAMINES] = int(way == 1)
        low = high
        before = after


def verdict(t: float, whole: Ints, codes: Codes, where: Arrays) -> int:
    """What an instant of least determinant is: 0 nothing, 1 for Python to examine, 2 the actuators' hold lost.

    Where the accelerations can be computed without doubt the loops' equations have their rank.
    """
    real = where[REAL]
    room = where[FULL]
    y = where[EXAMINED]
    between(t, whole, where, y)
    codes[SIZE](y, room)
    size = abs(room[0])
    if size > real[FAR_SIZE]:
        return 0
    if whole[PARAMETERS] != PLAIN or codes[DYNAMICS](y, y[whole[NQ] :], where[TAU], room) == 0:
        return 1
    return 2 * int(size < real[TYPE_2_SIZE])


def eventful(whole: Ints, where: Arrays) -> bool:
    """Whether any event happened in the last step."""
    many = 0
    for e in range(whole[N_EVENTS]):
        many += abs(crossed(e, whole, where))
    return many > 0


def events_noted(whole: Ints, codes: Codes, where: Arrays) -> float:
    """Note the events of the last step up to the first that ends the run; its time, or a time beyond the step."""
    real = where[REAL]
    g = where[WATCHED]
    kinds = whole[whole[KINDS] :]
    end = real[STEP_TO] + 1.0
    first = whole[N_FOUND]
    whole[EXAMINES] = 0
    for e in range(whole[N_EVENTS]):
        way = crossed(e, whole, where)
        if way != 0 and kinds[2 * e + 1] == SINGULAR:
            passages_noted(e, whole, codes, where)
        elif way != 0:
            t = crossing(e, real[STEP_FROM], real[STEP_TO], g[e], g[whole[N_EVENTS] + e], whole, codes, where)
            noted(t, e, way, whole, where)
            if kinds[2 * e + 1] == ENDS and t < end:
                end = t
            if kinds[2 * e + 1] == LOOKED_AT:
                whole[EXAMINES] = 1
    only_until(end, first, whole, where)
    return end


def noted(t: float, e: int, way: int, whole: Ints, where: Arrays) -> None:
    """Put an event on the list."""
    found = where[FOUND]
    at = 3 * whole[N_FOUND]
    found[at] = t
    found[at + 1] = float(e)
    found[at + 2] = float(way)
    whole[N_FOUND] += 1


def only_until(end: float, first: int, whole: Ints, where: Arrays) -> None:
    """Take events after a time off the list again."""
    found = where[FOUND]
    kept = first
    for k in range(first, whole[N_FOUND]):
        if found[3 * k] <= end:
            copied(3, found[3 * k :], found[3 * kept :])
            kept += 1
    whole[N_FOUND] = kept
