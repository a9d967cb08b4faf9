"""Closed coordinates for many targets at once: compiled Newton steps, and parts of the way where a jump is too far.

A jump is taken when its steps shrink from the first on (each at most a share of the one before, the first no longer
than `LONGEST`), so that the solution is the one connected to the start, and when no irreducible block of the Jacobian
has changed its sign.

The way from the start to the target is gone in parts, which are halved and doubled. Every row goes by itself: its
result depends on no other row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import target_functions
from linkwright.functions.loop.target_functions import LONGEST
from linkwright.functions.memo import memo
from linkwright.functions.stages import SquareTarget
from linkwright.functions.store import Kernels
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import (
    LEFT_OPEN,
    REACHED,
    TURNED,
    BatchRows,
    ClosedRows,
    Ended,
    repeat_rows,
    run_in_blocks,
)
from linkwright.kinematics.target_plans import square_target
from linkwright.numerics.tolerances import CLOSED_STATE, END_OF_WAY, LAST_STEP, REGULAR_STATE, SOLVED

# --- compiled Newton steps to a target, and when the place at which they end is taken ---------------------------------

Array = np.ndarray

# Equations that take no part hold as well as the others: within so many times the error of those, or CLOSED_STATE.
_AS_WELL = 100.0


class Steps:
    """Compiled Newton steps to a target.

    Attributes:
        call: q, target and what follows from the values of the mechanism's inputs to a step; see `target_step`.
        nq: number of coordinates.
    """

    def __init__(self, kernels: Kernels[SquareTarget]) -> None:
        code = kernels.code(target_functions.target_step)
        self._code, self.nq = code, kernels.setup.tree.nq
        self.call = code.rest.call if isinstance(code, InputKernel) else code.call

    def given_numbers(self, values: Array | None) -> tuple[Array, ...]:
        """What steps take behind q and target: what follows from values of the inputs; None for the nominal ones."""
        if not isinstance(self._code, InputKernel):
            return ()
        return (self._code.early_results if values is None else self._code.first.call(np.ascontiguousarray(values)),)


@memo(valid_at="nominal")
def steps_to(kinematics: Kinematics, frame: str | None, given: tuple[int, ...]) -> Steps | None:
    """Compiled steps to a frame's given components or to the actuators' positions; None where there are none."""
    kernels = square_target(kinematics, frame, given)
    return None if kernels is None else Steps(kernels)


@dataclass(frozen=True)
class Acceptance:
    """When the end of Newton steps is taken.

    Attributes:
        shrinks: largest share of a step of the one before; infinite where damped steps go on no path.
        most: at most so many steps.
        singular: a determinant below this share of its typical size has no sign.
    """

    shrinks: float
    most: int = 25
    singular: float = REGULAR_STATE

    @property
    def on_path(self) -> bool:
        return self.shrinks < np.inf


# A jump all the way; a part of the way, which may be short before a singularity, where steps shrink by one half; and
# damped steps on no path, where modes meet within a share of a leg's own singularity (a pole, a stretched elbow).
JUMP, PART, NO_PATH = Acceptance(0.5), Acceptance(0.6), Acceptance(np.inf, 60, 1e-2)


@dataclass(frozen=True, eq=False)
class Newton:
    """Newton steps of rows from starts to targets.

    Attributes:
        steps: the compiled steps.
        sense: signs that the determinants have to keep, (blocks,) or one row each.
        accept: when their end is taken.
    """

    steps: Steps
    sense: Array
    accept: Acceptance

    def one(self, q: Array, target: Array, given: tuple[Array, ...]) -> tuple[Array, Ended]:
        """The same as `rows` for a single row, with fewer operations in between."""
        call, allowed, singular = self.steps.call, LONGEST, self.accept.singular
        for _ in range(self.accept.most):
            moved, info = call(q, target, *given)
            worst, unused, length, *determinants = info.tolist()
            if worst <= SOLVED or (length <= LAST_STEP and min(map(abs, determinants), default=1.0) > singular):
                turned = any(d * sign < -singular for d, sign in zip(determinants, self.sense.tolist()))
                ended = LEFT_OPEN if _left_open(unused, worst) else TURNED if turned else REACHED
                return moved if length <= LAST_STEP else q, ended
            if not length <= allowed:
                break
            q, allowed = moved, self.accept.shrinks * length
        return q, Ended.OPEN

    def rows(self, q: Array, target: Array, given: tuple[Array, ...]) -> tuple[Array, Array]:
        """Coordinates at the end and how each row ended; (n, nq), (n,)."""
        n, sense = len(q), self.sense
        out, ended, active = np.full((n, self.steps.nq), np.nan), np.full(n, Ended.OPEN, dtype=np.int8), np.arange(n)
        on_path = self.accept.on_path
        allowed: Any = np.full(n, LONGEST if on_path else np.inf)
        going = np.ones(n, dtype=bool)
        for _ in range(self.accept.most):
            before, (q, info) = q, self.steps.call(q, target, *given)
            worst, length = info[:, 0], info[:, 2]
            solved = worst <= SOLVED
            closed = going & (solved | (length <= LAST_STEP))
            short = np.flatnonzero(closed & ~solved)
            closed[short] = self._regular(info[short])
            going &= solved | (length <= allowed)
            if closed.any():
                rows = active[closed]
                out[rows] = np.where(length[closed, None] <= LAST_STEP, q[closed], before[closed])
                ended[rows] = self._judge_rows(info[closed], sense if sense.ndim == 1 else sense[closed])
                going &= ~closed
            left = int(np.count_nonzero(going))
            if not left:
                break
            if on_path:
                allowed = self.accept.shrinks * length
            if 2 * left <= len(going):
                pick = np.flatnonzero(going)
                active, q, allowed, going = active[pick], q[pick], allowed[pick], going[pick]
                target, sense = target[pick], sense if sense.ndim == 1 else sense[pick]
                given = tuple(x if x.ndim == 1 else x[pick] for x in given)
        out[active[going]] = q[going]
        return out, ended

    def _regular(self, info: Array) -> Array:
        """Mask of rows (...,) whose steps follow from the equations: near a singularity a short step proves nothing."""
        return np.abs(info[..., 3:]).min(axis=-1, initial=np.inf) > self.accept.singular

    def _judge_rows(self, info: Array, sense: Array) -> Array:
        """How rows ended whose steps did: (...,) from what the last step reported, (..., 3 + blocks)."""
        turned = (info[..., 3:] * sense).min(axis=-1, initial=0.0) < -self.accept.singular
        left_open = _left_open(info[..., 1], info[..., 0])
        return np.where(left_open, int(LEFT_OPEN), np.where(turned, int(TURNED), int(REACHED)))


def _left_open(unused: Any, worst: Any) -> Any:
    """Return True where equations that take no part in the steps hold less well than the others."""
    return unused > _AS_WELL * worst + CLOSED_STATE


def sense_at(steps: Steps, q: Array, target: Array, given: tuple[Array, ...], singular: float = JUMP.singular) -> Array:
    """Signs of the determinants, (..., blocks), 0 where they are singular."""
    determinants = steps.call(q, target, *given)[1][..., 3:]
    return np.sign(determinants) * (np.abs(determinants) > singular)


def all_hold(steps: Steps, q: Array, rows: BatchRows, within: float) -> Array:
    """Mask of rows (n,) in which all equations hold, those too that take no part in the steps."""
    part = slice(0, rows.count)
    info = steps.call(
        q, repeat_rows(rows.of(rows.target, part), len(q)), *steps.given_numbers(rows.of(rows.values, part))
    )[1]
    return info[:, 1] <= within


def error_at(steps: Steps, q: Array, rows: BatchRows) -> Array:
    """Largest error of the equations used, in units of the mechanism's size, at q (n, nq)."""
    part = slice(0, rows.count)
    info = steps.call(
        q, repeat_rows(rows.of(rows.target, part), len(q)), *steps.given_numbers(rows.of(rows.values, part))
    )[1]
    return info[:, 0]


# --- closed coordinates for many targets at once ----------------------------------------------------------------------

# A part of a way is at least this, and there are at most so many.
_SMALLEST, _MOST_PARTS = 0.5**16, 4000


_ONE, _ALL = np.zeros(1, dtype=np.int8), np.ones(1)


def reached_one(steps: Steps, rows: BatchRows) -> ClosedRows:
    """The single row of a batch without leading axes, by one jump."""
    given = steps.given_numbers(rows.values)
    sense = sense_at(steps, rows.start, rows.target, given if rows.before is None else steps.given_numbers(rows.before))
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
        built = np.isfinite(steps.given_numbers(rows.of(rows.values, lost))[0]).all(axis=-1)
        ended[lost[~np.broadcast_to(built, lost.shape)]] = Ended.NOT_BUILT
        lost = lost[built] if built.ndim else lost[: len(lost) * built]
    if near is not None and len(lost):
        short = near(lost)
        ended[lost[~short]] = Ended.TOO_FAR
        lost = lost[short]

    def marched(part: slice) -> None:
        index = lost[part]
        q[index], ended[index], done[index] = _continue_to_targets(steps, rows.take_rows(index), place, between)

    run_in_blocks(marched, len(lost))
    q[ended != Ended.REACHED] = np.nan
    return ClosedRows(q, ended, done)


def jump_to_targets(
    steps: Steps, rows: BatchRows, accept: Acceptance = JUMP, mode: Array | None = None
) -> tuple[Array, Array]:
    """Every row from its start straight to its target: coordinates and how each row ended.

    Rows stay in the mode of their start, or in a given one: `mode` has signs of the determinants, (blocks,); where it
    is 0, those of the start count.
    """
    q, ended = np.empty((rows.count, steps.nq)), np.empty(rows.count, dtype=np.int8)

    def work(part: slice) -> None:
        q[part], ended[part] = _from_start(steps, rows, part, accept, mode)

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


def _from_start(
    steps: Steps, rows: BatchRows, part: slice, accept: Acceptance, mode: Array | None = None
) -> tuple[Array, Array]:
    """Newton steps of some rows from their starts straight to their targets."""
    start, target, values = (rows.of(x, part) for x in (rows.start, rows.target, rows.values))
    given, n = steps.given_numbers(values), part.stop - part.start
    there = given if rows.before is None else steps.given_numbers(rows.before)
    first, target = repeat_rows(start, n), repeat_rows(target, n)
    shared = start.ndim == 1 and all(x.ndim == 1 for x in there)
    sense = (
        sense_at(steps, start, _finite_target(target[0]), there) if shared else sense_at(steps, first, target, there)
    )
    if mode is not None:
        sense = np.where(mode == 0.0, sense, mode)
    return Newton(steps, sense, accept).rows(first, target, given)


def mode_at(steps: Steps, start: Array, target: Array, values: Array | None) -> Array:
    """Signs of the determinants at a start (nq,), as `jump_to_targets` takes them: (blocks,)."""
    return sense_at(steps, start, _finite_target(target), steps.given_numbers(values))


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
    given = steps.given_numbers(values) if not moving else ()
    sense = sense_at(steps, best, np.ascontiguousarray(first), steps.given_numbers(before) if moving else given)
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
            part = steps.given_numbers(np.where(there[:, None], b, a + (b - a) * to[:, None]))
        else:
            part = tuple(x if x.ndim == 1 else x[going] for x in given)
        found, how = Newton(steps, sense[going], PART).rows(best[going], np.ascontiguousarray(target), part)
        good = how == Ended.REACHED
        best[going[good]], done[going[good]] = found[good], to[good]
        step[going] = np.where(good, 2.0 * step[going], 0.5 * step[going])
        ended[going] = how
    return np.where((done == 1.0)[:, None], best, np.nan), ended, done
