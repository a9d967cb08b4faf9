"""Closed coordinates for many targets at once: a jump by Newton steps, and parts of the way where one jump is too far.

The way from the start to the target is gone in parts, which are halved and doubled. Every row goes by itself: its
result depends on no other row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.kinematics.batches import REACHED, BatchRows, ClosedRows, Ended, repeat_rows, run_in_blocks
from linkwright.kinematics.newton_steps import JUMP, NO_PATH, PART, Acceptance, Newton, Steps, sense_at
from linkwright.numerics.tolerances import END_OF_WAY

Array = np.ndarray

# A part of a way is at least this, and there are at most so many.
_SMALLEST, _MOST_PARTS = 0.5**16, 4000


_ONE, _ALL = np.zeros(1, dtype=np.int8), np.ones(1)


def reached_one(steps: Steps, rows: BatchRows) -> ClosedRows:
    """The single row of a batch without leading axes, by one jump."""
    given = steps.given(rows.values)
    sense = sense_at(steps, rows.start, rows.target, given if rows.before is None else steps.given(rows.before))
    q, ended = Newton(steps, sense, JUMP).one(rows.start, rows.target, given)
    return ClosedRows(q[None, :], _ONE if ended is REACHED else np.array([ended], dtype=np.int8), _ALL)


Between = Callable[[Array, Array, Array], Array]
"""Targets some shares (n,) of the way from targets (n, m) to others."""


def reach_targets(
    steps: Steps,
    rows: BatchRows,
    place: Callable[..., Array],
    between: Between,
    near: Callable[[Array], Array] | None = None,
) -> ClosedRows:
    """Every row from its start to its target, by one jump or by continuation.

    Args:
        steps: compiled Newton steps.
        rows: starts and targets.
        place: coordinates (n, nq) and values of the inputs (or None) to the target they are at, (n, m).
        between: targets on the way.
        near: mask of numbered rows whose ways are short enough to be gone in parts.
    """
    q, ended = jump_to_targets(steps, rows)
    done = np.where(ended == Ended.REACHED, 1.0, 0.0)
    lost = np.flatnonzero((ended != Ended.REACHED) & (ended != Ended.LEFT_OPEN))
    finite = rows.finite(lost)
    ended[lost[~finite]] = Ended.NOT_FINITE
    lost = lost[finite]
    if rows.values is not None and len(lost):
        built = np.isfinite(steps.given(rows.of(rows.values, lost))[0]).all(axis=-1)
        ended[lost[~np.broadcast_to(built, lost.shape)]] = Ended.NOT_BUILT
        lost = lost[built] if built.ndim else lost[: len(lost) * built]
    if near is not None and len(lost):
        short = near(lost)
        ended[lost[~short]] = Ended.TOO_FAR
        lost = lost[short]

    def marched(part: slice) -> None:
        index = lost[part]
        q[index], ended[index], done[index] = _continue_to_targets(steps, rows.picked(index), place, between)

    run_in_blocks(marched, len(lost))
    q[ended != Ended.REACHED] = np.nan
    return ClosedRows(q, ended, done)


def jump_to_targets(steps: Steps, rows: BatchRows) -> tuple[Array, Array]:
    """Every row from its start straight to its target, in the mode of the start: coordinates and how each row ended."""
    q, ended = np.empty((rows.count, steps.nq)), np.empty(rows.count, dtype=np.int8)

    def work(part: slice) -> None:
        q[part], ended[part] = _from_start(steps, rows, part, JUMP)

    run_in_blocks(work, rows.count)
    return q, ended


def damped_newton_to_targets(steps: Steps, rows: BatchRows) -> tuple[Array, Array]:
    """Rows by damped Newton steps from their starts straight to their targets, on no path, in the mode of the start.

    Coordinates of rows that did not get there are those at which the steps ended.
    """
    q, ended = np.empty((rows.count, steps.nq)), np.empty(rows.count, dtype=np.int8)

    def work(part: slice) -> None:
        q[part], ended[part] = _from_start(steps, rows, part, NO_PATH)

    run_in_blocks(work, rows.count)
    return q, ended


def _from_start(steps: Steps, rows: BatchRows, part: slice, accept: Acceptance) -> tuple[Array, Array]:
    """Newton steps of some rows from their starts straight to their targets."""
    start, target, values = (rows.of(x, part) for x in (rows.start, rows.target, rows.values))
    given, n = steps.given(values), part.stop - part.start
    there = given if rows.before is None else steps.given(rows.before)
    first, target = repeat_rows(start, n), repeat_rows(target, n)
    shared = start.ndim == 1 and all(x.ndim == 1 for x in there)
    sense = (
        sense_at(steps, start, _finite_target(target[0]), there) if shared else sense_at(steps, first, target, there)
    )
    return Newton(steps, sense, accept).rows(first, target, given)


def _finite_target(target: Array) -> Array:
    """A target for steps of which only the determinants count; these do not depend on it."""
    return np.where(np.isfinite(target), target, 1.0)


def _continue_to_targets(
    steps: Steps, rows: BatchRows, place: Callable[..., Array], between: Between
) -> tuple[Array, Array, Array]:
    """Rows that no jump reached, part by part of their ways; values of inputs go along where they are others there."""
    n, moving = rows.count, rows.before is not None
    start, last, values = (repeat_rows(x, n) for x in (rows.start, rows.target, rows.values))
    best, before = start.copy(), repeat_rows(rows.before, n) if moving else values
    first = place(best, before)
    given = steps.given(values) if not moving else ()
    sense = sense_at(steps, best, np.ascontiguousarray(first), steps.given(before) if moving else given)
    done, step, ended = np.zeros(n), np.full(n, 0.5), np.full(n, Ended.OPEN, dtype=np.int8)
    for _ in range(_MOST_PARTS):
        going = np.flatnonzero((done < 1.0) & (step >= _SMALLEST))
        if not len(going):
            break
        to = done[going] + step[going]
        to = np.where(to > 1.0 - END_OF_WAY, 1.0, to)
        there = to == 1.0
        target = np.where(there[:, None], last[going], between(first[going], last[going], to))
        if moving:
            a, b = before[going], values[going]
            part = steps.given(np.where(there[:, None], b, a + (b - a) * to[:, None]))
        else:
            part = tuple(x if x.ndim == 1 else x[going] for x in given)
        found, how = Newton(steps, sense[going], PART).rows(best[going], np.ascontiguousarray(target), part)
        good = how == Ended.REACHED
        best[going[good]], done[going[good]] = found[good], to[good]
        step[going] = np.where(good, 2.0 * step[going], 0.5 * step[going])
        ended[going] = how
    return np.where((done == 1.0)[:, None], best, np.nan), ended, done
