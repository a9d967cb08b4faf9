"""Events inside a step, and which of them are singular positions. In the compiler's subset of Python."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native.subset import Arrays, Codes, Ints
from linkwright.simulation.drivers.common import copied, opened
from linkwright.simulation.drivers.dense import between, watched
from linkwright.simulation.drivers.places import (
    ENDS,
    EXAMINED,
    EXAMINES,
    FAR_SHARE,
    FOUND,
    FULL,
    KINDS,
    LOOKED_AT,
    MOST_EXAMINED,
    N_EVENTS,
    N_EXAMINED,
    N_FOUND,
    PARTS,
    REAL,
    REGULAR,
    REGULAR_SHARE,
    ROOM,
    SINGULAR,
    SIZE,
    STATE,
    STEP_FROM,
    STEP_SIZE,
    STEP_TO,
    T_REGULAR,
    UNIT,
    USUAL,
    WATCHED,
    N,
    T,
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
    """Whether the determinant is small inside a step though its event function shows nothing at the ends.

    The determinant is event function e + 1, the rate of its magnitude the next; a cubic through both ends is looked at.
    """
    real = where[REAL]
    g = where[WATCHED]
    new = g[whole[N_EVENTS] :]
    r0 = real[STEP_SIZE] * g[e + 2]
    r1 = real[STEP_SIZE] * new[e + 2]
    if turned(e, whole, where):
        return True
    d0 = abs(g[e + 1])
    d1 = abs(new[e + 1])
    linear = 2.0 * (3.0 * (d1 - d0) - 2.0 * r0 - r1)
    square = 3.0 * (2.0 * (d0 - d1) + r0 + r1)
    roots = linear * linear - 4.0 * square * r0
    if roots <= 0.0 or abs(square) < 1e-300:
        return False
    x = 0.5 * (sqrt(roots) - linear) / square
    least = d0 + x * (r0 + x * (0.5 * linear + x * square / 3.0))
    return x > 0.0 and x < 1.0 and least < 0.25 * max(d0, d1)


def turned(e: int, whole: Ints, where: Arrays) -> bool:
    """Whether a determinant has changed its sign over the last step."""
    g = where[WATCHED]
    return (g[e + 1] < 0.0) != (g[whole[N_EVENTS] + e + 1] < 0.0)


def passages_noted(e: int, whole: Ints, codes: Codes, where: Arrays) -> None:
    """Note the instants of the last step at which a determinant is near zero; near one the step is looked at in parts.

    A determinant that has changed its sign without such an instant was not carried there by the motion.
    """
    real = where[REAL]
    g = where[WATCHED]
    room = where[ROOM]
    values = room[whole[N] :]
    before = g[e]
    after = g[whole[N_EVENTS] + e]
    known = whole[N_FOUND]
    looks = True
    if before < 0.0 and after >= 0.0:
        t = crossing(e, real[STEP_FROM], real[STEP_TO], before, after, whole, codes, where)
        looks = near(t, e, whole, codes, where)
    low = real[STEP_FROM]
    for part in range(PARTS * int(looks)):
        high = real[STEP_FROM] + real[STEP_SIZE] * float(part + 1) / float(PARTS)
        between(high, whole, where, room)
        watched(high, whole, codes, where, room, values)
        after = values[e]
        if before < 0.0 and after >= 0.0:
            t = crossing(e, low, high, before, after, whole, codes, where)
            if near(t, e, whole, codes, where) and whole[N_EXAMINED] < MOST_EXAMINED:
                whole[N_EXAMINED] += 1
                noted(t, e, whole[N_EXAMINED], whole, where)
                whole[EXAMINES] = 1
        low = high
        before = after
    if whole[N_FOUND] == known and turned(e, whole, where) and far_from_zero(e, whole, where):
        noted(real[STEP_TO], e, -1, whole, where)
        whole[EXAMINES] = 1


def far_from_zero(e: int, whole: Ints, where: Arrays) -> bool:
    """Whether a determinant is far from zero at both ends of the last step."""
    real = where[REAL]
    usual = where[USUAL]
    g = where[WATCHED]
    least = min(abs(g[e + 1]), abs(g[whole[N_EVENTS] + e + 1]))
    return least > real[FAR_SHARE] * usual[block_of(e, whole)]


def block_of(e: int, whole: Ints) -> int:
    """Number of the determinant that an event function belongs to."""
    kinds = whole[whole[KINDS] :]
    block = 0
    for other in range(e):
        block += int(kinds[2 * other + 1] == SINGULAR)
    return block


def near(t: float, e: int, whole: Ints, codes: Codes, where: Arrays) -> bool:
    """Whether a determinant is near zero at an instant; the state there is put behind those that are to be examined.

    A pivot that is zero to the last bit leaves no number: that is near too. An interpolated state may be open; from a
    closed singular one it is then as far as the root of the gap.
    """
    real = where[REAL]
    sizes = where[FULL]
    room = where[ROOM]
    examined = where[EXAMINED]
    usual = where[USUAL]
    block = block_of(e, whole)
    y = examined[min(whole[N_EXAMINED], MOST_EXAMINED - 1) * whole[N] :]
    between(t, whole, where, y)
    opened(whole, codes, where, y, where[ROOM])
    share = max(real[FAR_SHARE], 3.0 * sqrt(room[0] / real[UNIT]))
    codes[SIZE](y, sizes)
    return not abs(sizes[block]) > share * usual[block]


def lingering_noted(whole: Ints, where: Arrays) -> None:
    """Note the end of a step that began and ended near a singular position without passing it: it may stay there."""
    real = where[REAL]
    g = where[WATCHED]
    new = g[whole[N_EVENTS] :]
    usual = where[USUAL]
    kinds = whole[whole[KINDS] :]
    block = 0
    which = -1
    for e in range(whole[N_EVENTS]):
        if kinds[2 * e + 1] == SINGULAR:
            if max(abs(g[e + 1]), abs(new[e + 1])) < real[FAR_SHARE] * usual[block]:
                which = e
            block += 1
    if which >= 0 and real[T_REGULAR] >= 0.0:
        noted(real[STEP_TO], which, 0, whole, where)
        whole[EXAMINES] = 1


def regular_kept(whole: Ints, where: Arrays) -> None:
    """Keep the state if all determinants that are watched are far from zero there."""
    real = where[REAL]
    g = where[WATCHED]
    usual = where[USUAL]
    kinds = whole[whole[KINDS] :]
    block = 0
    small = 0
    for e in range(whole[N_EVENTS]):
        if kinds[2 * e + 1] == SINGULAR:
            small += int(not abs(g[e + 1]) > real[REGULAR_SHARE] * usual[block])
            block += 1
    if block > 0 and small == 0:
        copied(whole[N], where[STATE], where[REGULAR])
        real[T_REGULAR] = real[T]


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
    whole[N_EXAMINED] = 0
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
