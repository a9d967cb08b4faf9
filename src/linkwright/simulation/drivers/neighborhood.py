"""When steps are taken in tangent coordinates: entered, judged and left (theory 8.9). In the compiler's subset.

A step is refused when it jumped over a position that the motion turns beside: a singular value of the loops' equations
changed its sign although no singular configuration closes the loops.
"""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import lane_view
from linkwright.numerics.tolerances import SAME_CONFIGURATION, SOLVED
from linkwright.simulation.drivers.driver_records import FAILED, MOST_PASSED, PASSED, SINGULAR, SWITCH, Driver
from linkwright.simulation.drivers.mechanics import close_lanes, state_derivative
from linkwright.simulation.drivers.queue import end_lane_run
from linkwright.simulation.drivers.regularity import keeps_rank
from linkwright.simulation.drivers.tangent import (
    components_along,
    directions_along,
    has_turned_too_far,
    place_in_tangents,
    surely_keeps_sides,
    tangent_basis,
    time_to_crossing,
)
from linkwright.simulation.drivers.unfolding import find_nearest_singular, judge_sides

MOST_AVOIDED = 3  # attempts that are taken again because they were too near a singular position
SLIGHTLY_SHORTER = 0.9
AT_STAGE = 0.02  # of a step, from a stage of the interpolant
NEARER = 0.3  # of the distance at the beginning of a step: from there on an attempt came near by chance
ROUNDING = 4e-17  # of gaps in the mechanism's own units, as the error estimate weighs it
MOST_ACROSS = 20.0  # times the tolerance, in one step across a crossing
ACROSS = 1e-7  # error of a step across a crossing that rounding of the lengths, 1e-16, may cause: 1e-8, the root
MOST_BESIDE = 3.0  # and in the steps of a motion that turns beside one
UNRESOLVED = 1e-6  # a motion of several freedoms that misses a crossing by less is taken to meet it
BESIDE = 1e-3  # mismatch of lengths: a manufacturing tolerance
NEARBY = 0.2  # [rad] or shares of the mechanism's length: a motion turned beside what is nearer
FOLLOWS = 1e-2  # error of a step in units of the tolerance, above which it is due to a singular position
LEAST_FOLLOWED, MOST_FOLLOWED = 0.3, 2.0  # of the distance to a singular position, by which a step's size follows it
CAUTIOUS = 2.0  # growth of a step where the last but one felt it: an estimate may be small by chance
AHEAD = 2.2  # next steps in which a crossing may be, as far as the last one shows
TURNING = 0.1  # changes of the distance below it belong to the turn itself
BOLDER = 1.2  # before and behind it errors are as foreseen: steps may have four times that of others
MOST_STEPS = 10000  # instead of one ordinary step: a passage takes some hundred
FARTHEST = 10.0  # steps ahead, a crossing is tried to be passed in one
SHORT_OF = 0.9  # of the last fraction of the next step at which it can reach beyond a crossing


def is_near_singularity(d: Driver) -> bool:
    """Return True if a determinant is small at the state, and the equations' smallest singular value is too."""
    e = d.events
    block = 0
    small = 0
    for i in range(e.n):
        if e.kinds[2 * i + 1] == SINGULAR:
            small += int(not abs(e.old[i + 1]) > d.tangent.watch_share * e.usual[block])
            block += 1
    return small > 0 and not keeps_rank(d.tangent.enter_share, d, d.y)


def begin_neighborhood(until: float, d: Driver) -> None:
    """Take steps in tangent coordinates from the state on, at least up to a time."""
    t = d.tangent
    t.on = 1
    t.wanted = 0
    t.based = 0
    t.until = until
    t.steps = 0
    t.avoided = 0
    t.plans = 1
    t.felt = 0
    t.across = 0
    t.refused_across = 0
    t.reaches = 1
    t.least = t.beside_share
    t.t_least = -1.0
    d.step.fresh = 1.0
    if t.switches != 0:
        d.step.status = SWITCH


def enter_neighborhood(d: Driver) -> int:
    """Close the state tightly, and find the derivative in tangent coordinates there; 0 when it is not found."""
    t = d.tangent
    close_lanes(SOLVED, d.settings.most_projections, d.step.fresh, d, d.y)
    if tangent_basis(d, d.y) == 0 or place_in_tangents(d, d.y) == 0:
        return 0
    if tangent_basis(d, d.y) == 0 or state_derivative(d.step.t, d, d.y, d.k) == 0:
        return 0
    d.counts.evaluations += 1.0
    keep_accelerations(d)
    t.beginning_pivot = smallest_beginning_pivot(d)
    t.expected = time_to_crossing(d, d.y)
    t.based = 1
    return 1


def keep_accelerations(d: Driver) -> None:
    """Keep the accelerations at the end of a step."""
    t = d.tangent
    for i in range(t.nv):
        t.a_end[i] = t.a[i]


def follow_distance(d: Driver) -> bool:
    """Change the size of the next step as the smallest pivot, the distance to a singular position, has changed.

    Beside one the motion has the same form at every distance x, but for its size, eps / x^2 of the velocities. The
    result is False where the last step did not feel it: a crossing may be ahead.
    """
    t = d.tangent
    before = t.beginning_pivot
    t.beginning_pivot = smallest_beginning_pivot(d)
    felt = t.felt
    t.felt = int(d.step.error > FOLLOWS)
    if t.felt == 0:
        if felt != 0:
            d.step.h = min(d.step.h, CAUTIOUS * d.step.size)
        return False
    share = max(LEAST_FOLLOWED, min(MOST_FOLLOWED, t.beginning_pivot / before))
    d.step.h = d.step.h * share * sqrt(sqrt(share))
    if abs(share - 1.0) > TURNING:
        d.step.h = BOLDER * d.step.h
    return True


def smallest_beginning_pivot(d: Driver) -> float:
    """The smallest pivot at the beginning of a step, relative to the largest."""
    t = d.tangent
    return abs(t.triangle[(t.rank - 1) * t.nv + t.rank - 1] / t.triangle[0])


def note_smallest_pivot(d: Driver) -> None:
    """Note the state if its smallest pivot is the smallest since such steps began."""
    t = d.tangent
    pivot = t.beginning_pivot
    if pivot < t.least:
        t.least = pivot
        t.t_least = d.step.t
        for i in range(d.shape.nq):
            t.q_least[i] = d.y[i]


def partition_velocities(d: Driver) -> int:
    """Divide the velocities at the state anew, with the accelerations there; 0 when the equations have no full rank."""
    t = d.tangent
    k = d.k
    dv = k[d.shape.nq :]
    if t.based != 0:
        return 1
    if tangent_basis(d, d.y) == 0:
        return 0
    t.based = 1
    for i in range(t.nv):
        dv[i] = t.a_end[i]
    components_along(d, dv)
    directions_along(d, dv)
    before = t.beginning_pivot
    t.expected = 1e300
    if not follow_distance(d) or (before - t.beginning_pivot) * AHEAD * d.step.h > t.beginning_pivot * d.step.size:
        t.expected = time_to_crossing(d, d.y)
    note_smallest_pivot(d)
    return 1


def plan_step_size(h: float, d: Driver) -> float:
    """The size of a step, h at most, in which no stage comes near the crossing that is expected.

    Rounding in the accelerations of a state grows with the third power of its nearness. A step that cannot reach beyond
    the crossing ends where the next one can. Where the size follows rounding, and not the motion, no step would ever
    reach beyond: once, a longer one is tried.
    """
    t = d.tangent
    if t.plans == 0:
        return h
    for i in range(t.n_fractions):
        if t.expected <= t.fractions[i] * h:
            return t.expected / t.fractions[i]
    farthest = t.expected / t.fractions[t.n_fractions - 1]
    if t.reaches != 0 and farthest < FARTHEST * h:
        t.reaches = 0
        return farthest
    short_of = SHORT_OF * t.fractions[t.n_fractions - 1] * h
    if t.expected - short_of < h:
        return t.expected - short_of
    return h


def allowed_rounding(d: Driver) -> float:
    """By how much the error estimate of a step may be above the tolerance, because it is rounding and nothing else.

    A gap g of the size of rounding moves a state at the distance x from a crossing by g / x: accelerations by 2 g v^2 /
    x^3. Smaller steps would only spend more time there. A motion that misses the crossing by x has an error of x in a
    step across it, whatever its size; turned by g / x^2, small steps around it would be rounding.
    """
    t = d.tangent
    v = d.y_new[d.shape.nq :]
    total = 0.0
    for i in range(t.nv):
        total += (v[i] / t.speeds[i]) * (v[i] / t.speeds[i])
    x = max(t.nearest, 1e-30)
    noise = ROUNDING * d.step.size * total / (x * x * x)
    unit = d.method.atol + d.method.rtol * sqrt(total)
    if not expects_crossing(d):
        return max(1.0, min(MOST_BESIDE, noise / unit))
    if t.nv - t.rank > 1 and t.refused_across != 0:
        return max(1.0, UNRESOLVED / (d.method.atol + d.method.rtol))
    return max(1.0, min(max(MOST_ACROSS, ACROSS / (d.method.atol + d.method.rtol)), noise / unit))


def expects_crossing(d: Driver) -> bool:
    """Return True if the step is one that reaches beyond the crossing that is expected."""
    return d.tangent.plans != 0 and d.tangent.expected < d.step.size


def is_attempt_too_near(d: Driver) -> bool:
    """Return True if an attempt is to be made again, slightly shorter: rounding grows as a state nears a singular one.

    Not often: a motion that turns beside one has to go there.
    """
    t = d.tangent
    near = (t.nearest < t.stage_share or t.pivot < t.end_share) and t.nearest < NEARER * t.beginning_pivot
    if not near or t.avoided >= MOST_AVOIDED:
        return False
    t.avoided += 1
    return True


def shortening_factor(d: Driver) -> float:
    """By how much a step in tangent coordinates is to be shortened; 1 when it is accepted."""
    t = d.tangent
    s = d.step
    verdict = t.verdict
    if is_attempt_too_near(d):
        return SLIGHTLY_SHORTER
    if has_turned_too_far(d):
        return 0.5
    if surely_keeps_sides(d, d.y_new):
        return 1.0
    if judge_sides(d) == 0:
        return 0.5
    if verdict[0] == 0.0:
        return 1.0
    if verdict[4] != 0.0:
        if t.avoided < MOST_AVOIDED and is_at_interpolant_stage(verdict[1], d):
            t.avoided += 1
            return SLIGHTLY_SHORTER
        note_passed_position(s.t + verdict[1] * s.size, verdict[2], verdict[3], verdict[4], d)
        t.avoided = 0
        t.across = 1
        t.refused_across = 0
        t.reaches = 1
        t.t_least = -1.0
        t.least = 0.0
        return 1.0
    t.plans = 0
    return min(0.5, max(0.1, 0.6 * verdict[1]))


def is_at_interpolant_stage(fraction: float, d: Driver) -> bool:
    """Return True if a crossing is at a stage of the interpolant, from which rows of the step would be rounding."""
    c = d.method.c
    near = 0
    for j in range(d.method.stages + 1, d.method.total):
        near += int(abs(fraction - c[j]) < AT_STAGE)
    return near > 0


def note_passed_position(at: float, mismatch: float, lost: float, exact: float, d: Driver) -> None:
    """Note a singular position for the caller."""
    t = d.tangent
    if t.n_passed < MOST_PASSED:
        row = t.passed[PASSED * t.n_passed :]
        row[0] = at
        row[1] = mismatch
        row[2] = lost
        row[3] = exact
        at_q = t.passed_q[d.shape.nq * t.n_passed :]
        for i in range(d.shape.nq):
            at_q[i] = t.q_singular[i]
        t.n_passed += 1
        t.crossed = 1


def has_waiting_crossing(d: Driver) -> bool:
    """Return True if the caller is to look at the singular positions noted: the last is a crossing, or no more fit."""
    t = d.tangent
    last = t.n_passed - 1
    return last >= 0 and (t.passed[PASSED * last + 3] != 0.0 or last + 2 > MOST_PASSED)


def note_beside(d: Driver) -> None:
    """Note what the motion turned beside: a singular configuration nearby that nearly closes, if there is one."""
    t = d.tangent
    h = d.search
    for i in range(d.shape.nq):
        t.q_singular[i] = t.q_least[i]
        h.q[i] = t.q_least[i]
    if find_nearest_singular(d) == 0 or not h.moved < SAME_CONFIGURATION:
        return
    if h.mismatch < BESIDE and h.away < NEARBY:
        note_passed_position(t.t_least, h.mismatch, float(h.lost), 0.0, d)
        t.crossed = 0


def leave_neighborhood(d: Driver) -> None:
    """At the end of an accepted step: see whether ordinary ones can go on from there."""
    t = d.tangent
    t.based = 0
    t.across = 0
    if d.step.t >= t.until and t.pivot > t.leave_share and keeps_rank(t.leave_share, d, d.y):
        t.on = 0
        d.step.fresh = 1.0
        if t.t_least >= 0.0:
            note_beside(d)
        if t.switches != 0:
            d.step.status = SWITCH
        return
    t.steps += int(d.step.t < t.until)
    if t.steps > MOST_STEPS:  # no passage needs that many: the motion is far too quick for the step
        end_lane_run(FAILED, lane_view(d.step, 0))
        return
    partition_velocities(d)
