"""Closed coordinates for many targets at once: compiled Newton steps, and continuation where one jump is too far.

A row is accepted when its Newton steps shrink from the first on (each at most a share of the one before, the first no
longer than `LONGEST`), so that the solution is the one connected to the start, and when no irreducible block of the
Jacobian has changed its sign. Else the way from the start to the target is gone in parts, which are halved and doubled.
Every row goes by itself: its result depends on no other row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler.runtime.threads import available_threads, pool
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.inputs import InputKernel
from linkwright.kernels.loop.targets import LONGEST
from linkwright.kernels.stages import SquareTarget
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.targets import square_target

Array = np.ndarray

# How a row ends.
REACHED, OPEN, FAR, TURNED, LEFT_OPEN, TOO_FAR, NOT_BUILT, NOT_FINITE = range(8)

# A Newton step is at most this share of the one before: in a jump all the way, and on a part of the way, which may be
# short before a singularity, where steps shrink by one half.
_JUMP_SHRINKS, _PART_SHRINKS = 0.5, 0.6

# A step this short is the last: what it leaves is of second order, below rounding. Coordinates with this error of the
# equations are taken without a longer one, which counts at a leg's own singularity, where steps stay long.
_LAST_STEP, _SOLVED = 1e-8, 1e-13

# Equations that take no part hold as well as the others: within so many times the error of those, or this.
_AS_WELL, _CONSISTENT = 100.0, 1e-9

# Newton steps of an attempt, and of damped steps that follow no path.
_STEPS, _WANDERING = 25, 60

# A part of a way is at least this, and there are at most so many.
_SMALLEST, _MOST_PARTS = 0.5**16, 4000

# A determinant below this share of its typical size has no sign: on a path, and where no path is followed, because
# within this of a leg's own singularity (a pole of its Hooke joint, a stretched elbow) its modes meet.
_SINGULAR, AMBIGUOUS = 1e-6, 1e-2

# Rows that go together: few enough for the processor's cache.
_BLOCK = 2048


class Steps:
    """Compiled Newton steps to a target.

    Attributes:
        call: q, target and what follows from the values of the mechanism's inputs to a step; see `target_step`.
        nq: number of coordinates.
    """

    def __init__(self, kernels: Kernels[SquareTarget]) -> None:
        code = kernels.code(registry.TARGET_STEP)
        self._code, self.nq = code, kernels.setup.tree.nq
        self.call = code.rest.call if isinstance(code, InputKernel) else code.call

    def given(self, values: Array | None) -> tuple[Array, ...]:
        """What steps take behind q and target: what follows from values of the inputs; None for the nominal ones."""
        if not isinstance(self._code, InputKernel):
            return ()
        return (self._code.prepared if values is None else self._code.first.call(np.ascontiguousarray(values)),)


def steps_to(loops: Kinematics, frame: str | None, given: tuple[int, ...]) -> Steps | None:
    """Compiled steps to a frame's given components or to the actuators' positions; None where there are none."""
    nominal = loops.nominal or loops

    def made() -> Steps | None:
        kernels = square_target(nominal, frame, given)
        return None if kernels is None else Steps(kernels)

    found: Steps | None = nominal.cache.get(("steps", frame, given), made)
    return found


@dataclass(frozen=True, eq=False)
class Rows:
    """Starts and targets that broadcast over the leading axes of a batch.

    Attributes:
        lead: leading axes.
        start: closed coordinates, (..., nq). target: (..., m).
        values: values of the inputs, (..., n_p); None for the nominal ones.
        before: values at which the starts are closed, (n_p,); None where these are the same.
    """

    lead: tuple[int, ...]
    start: Array
    target: Array
    values: Array | None = None
    before: Array | None = None

    @property
    def count(self) -> int:
        return int(np.prod(self.lead, dtype=np.int64))

    def of(self, array: Array | None, rows: Any) -> Any:
        """Rows of an array by a slice or by their numbers, (n, k); (k,) where one serves all."""
        if array is None:
            return None
        own, k = array.shape[:-1], array.shape[-1]
        if all(n == 1 for n in own):
            return np.ascontiguousarray(array.reshape(k))
        if own == self.lead:
            return np.ascontiguousarray(array.reshape(-1, k)[rows])
        index = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return np.broadcast_to(array, (*self.lead, k))[np.unravel_index(index, self.lead)]

    def picked(self, rows: Array) -> Rows:
        """Some rows by their numbers, with one leading axis."""
        start, target, values = (self.of(x, rows) for x in (self.start, self.target, self.values))
        return Rows((len(rows),), start, target, values, self.before)


def _spread(x: Any, n: int) -> Any:
    """One row for each of n, contiguous."""
    return None if x is None else np.ascontiguousarray(np.broadcast_to(x, (n, x.shape[-1])))


@dataclass(frozen=True, eq=False)
class Reached:
    """Coordinates (n, nq), NaN where not reached; how each row ended, and the share of its way it went, (n,)."""

    q: Array
    ended: Array
    done: Array


@dataclass(frozen=True, eq=False)
class _Newton:
    """Newton steps of rows from starts to targets.

    Attributes:
        steps: the compiled steps.
        sense: signs that the determinants have to keep, (blocks,) or one row each.
        shrinks: largest share of a step of the one before; infinite where damped steps go on no path.
        most: at most so many steps.
        singular: determinants below this share of their typical sizes have no sign.
    """

    steps: Steps
    sense: Array
    shrinks: float = _PART_SHRINKS
    most: int = _STEPS
    singular: float = _SINGULAR

    def one(self, q: Array, target: Array, given: tuple[Array, ...]) -> tuple[Array, int]:
        """The same as `rows` for a single row, with fewer operations in between."""
        call, allowed = self.steps.call, LONGEST
        for _ in range(self.most):
            moved, info = call(q, target, *given)
            worst, everything, length = info[:3].tolist()
            if worst <= _SOLVED or length <= _LAST_STEP:
                return moved if length <= _LAST_STEP else q, self._judged_one(worst, everything, info[3:])
            if not length <= allowed:
                return q, OPEN
            q, allowed = moved, self.shrinks * length
        return q, OPEN

    def rows(self, q: Array, target: Array, given: tuple[Array, ...]) -> tuple[Array, Array]:
        """Coordinates at the end and how each row ended; (n, nq), (n,)."""
        n, sense = len(q), self.sense
        out, ended, active = np.full((n, self.steps.nq), np.nan), np.full(n, OPEN, dtype=np.int8), np.arange(n)
        on_path = self.shrinks < np.inf
        allowed: Any = np.full(n, LONGEST if on_path else np.inf)
        going = np.ones(n, dtype=bool)
        for _ in range(self.most):
            before, (q, info) = q, self.steps.call(q, target, *given)
            worst, length = info[:, 0], info[:, 2]
            solved = worst <= _SOLVED
            closed = going & (solved | (length <= _LAST_STEP))
            going &= solved | (length <= allowed)
            if closed.any():
                rows = active[closed]
                out[rows] = np.where(length[closed, None] <= _LAST_STEP, q[closed], before[closed])
                ended[rows] = self._judged(info[closed], sense if sense.ndim == 1 else sense[closed])
                going &= ~closed
            left = int(np.count_nonzero(going))
            if not left:
                break
            if on_path:
                allowed = self.shrinks * length
            if 2 * left <= len(going):
                pick = np.flatnonzero(going)
                active, q, allowed, going = active[pick], q[pick], allowed[pick], going[pick]
                target, sense = target[pick], sense if sense.ndim == 1 else sense[pick]
                given = tuple(x if x.ndim == 1 else x[pick] for x in given)
        out[active[going]] = q[going]
        return out, ended

    def _judged(self, info: Array, sense: Array) -> Array:
        turned = (info[:, 3:] * sense < -self.singular).any(axis=-1)
        left_open = info[:, 1] > _AS_WELL * info[:, 0] + _CONSISTENT
        return np.where(left_open, LEFT_OPEN, np.where(turned, TURNED, REACHED))

    def _judged_one(self, worst: float, everything: float, determinants: Array) -> int:
        if everything > _AS_WELL * worst + _CONSISTENT:
            return LEFT_OPEN
        return TURNED if (determinants * self.sense).min(initial=0.0) < -self.singular else REACHED


def sense_at(steps: Steps, q: Array, target: Array, given: tuple[Array, ...], singular: float = _SINGULAR) -> Array:
    """Signs of the determinants, (..., blocks), 0 where they are singular."""
    determinants = steps.call(q, target, *given)[1][..., 3:]
    return np.sign(determinants) * (np.abs(determinants) > singular)


def error_at(steps: Steps, q: Array, rows: Rows) -> Array:
    """Largest error of the equations used, in units of the mechanism's size, at q (n, nq)."""
    part = slice(0, rows.count)
    info = steps.call(q, _spread(rows.of(rows.target, part), len(q)), *steps.given(rows.of(rows.values, part)))[1]
    return info[:, 0]


_ONE, _ALL = np.zeros(1, dtype=np.int8), np.ones(1)


def reached_one(steps: Steps, rows: Rows) -> Reached:
    """The single row of a batch without leading axes, by one jump."""
    given = steps.given(rows.values)
    sense = sense_at(steps, rows.start, rows.target, given if rows.before is None else steps.given(rows.before))
    q, ended = _Newton(steps, sense, _JUMP_SHRINKS).one(rows.start, rows.target, given)
    return Reached(q[None, :], _ONE if ended == REACHED else np.array([ended], dtype=np.int8), _ALL)


Between = Callable[[Array, Array, Array], Array]
"""Targets some shares (n,) of the way from targets (n, m) to others."""


def reached(
    steps: Steps,
    rows: Rows,
    place: Callable[..., Array],
    between: Between,
    near: Callable[[Array], Array] | None = None,
) -> Reached:
    """Every row from its start to its target, by one jump or by continuation.

    Args:
        steps: compiled Newton steps.
        rows: starts and targets.
        place: coordinates (n, nq) and values of the inputs (or None) to the target they are at, (n, m).
        between: targets on the way.
        near: mask of numbered rows whose ways are short enough to be gone in parts.
    """
    n = rows.count
    q, ended = np.empty((n, steps.nq)), np.empty(n, dtype=np.int8)

    def jumped(part: slice) -> None:
        q[part], ended[part] = _from_start(steps, rows, part, _JUMP_SHRINKS, _STEPS)

    in_blocks(jumped, n)
    done = np.where(ended == REACHED, 1.0, 0.0)
    lost = np.flatnonzero((ended != REACHED) & (ended != LEFT_OPEN))
    finite = np.broadcast_to(np.isfinite(rows.of(rows.target, lost)).all(axis=-1), (len(lost),))
    ended[lost[~finite]] = NOT_FINITE
    lost = lost[finite]
    if rows.values is not None and len(lost):
        built = np.isfinite(steps.given(rows.of(rows.values, lost))[0]).all(axis=-1)
        ended[lost[~np.broadcast_to(built, lost.shape)]] = NOT_BUILT
        lost = lost[built] if built.ndim else lost[: len(lost) * built]
    if near is not None and len(lost):
        short = near(lost)
        ended[lost[~short]] = TOO_FAR
        lost = lost[short]

    def marched(part: slice) -> None:
        index = lost[part]
        q[index], ended[index], done[index] = _marched(steps, rows.picked(index), place, between)

    in_blocks(marched, len(lost))
    q[ended != REACHED] = np.nan
    return Reached(q, ended, done)


def wandered(steps: Steps, rows: Rows) -> tuple[Array, Array]:
    """Rows by damped Newton steps from their starts straight to their targets, on no path, in the mode of the start.

    Coordinates of rows that did not get there are those at which the steps ended.
    """
    q, ended = np.empty((rows.count, steps.nq)), np.empty(rows.count, dtype=np.int8)

    def work(part: slice) -> None:
        q[part], ended[part] = _from_start(steps, rows, part, np.inf, _WANDERING)

    in_blocks(work, rows.count)
    return q, ended


def _from_start(steps: Steps, rows: Rows, part: slice, shrinks: float, most: int) -> tuple[Array, Array]:
    """Newton steps of some rows from their starts straight to their targets."""
    start, target, values = (rows.of(x, part) for x in (rows.start, rows.target, rows.values))
    given, n = steps.given(values), part.stop - part.start
    there = given if rows.before is None else steps.given(rows.before)
    first, target = _spread(start, n), _spread(target, n)
    shared = start.ndim == 1 and all(x.ndim == 1 for x in there)
    sense = sense_at(steps, start, _finite(target[0]), there) if shared else sense_at(steps, first, target, there)
    singular = _SINGULAR if shrinks < np.inf else AMBIGUOUS
    return _Newton(steps, sense, shrinks, most, singular).rows(first, target, given)


def _finite(target: Array) -> Array:
    """A target for steps of which only the determinants count; these do not depend on it."""
    return np.where(np.isfinite(target), target, 1.0)


def _marched(steps: Steps, rows: Rows, place: Callable[..., Array], between: Between) -> tuple[Array, Array, Array]:
    """Rows that no jump reached, part by part of their ways; values of inputs go along where they are others there."""
    n, moving = rows.count, rows.before is not None
    start, last, values = (_spread(x, n) for x in (rows.start, rows.target, rows.values))
    best, before = start.copy(), _spread(rows.before, n) if moving else values
    first = place(best, before)
    given = steps.given(values) if not moving else ()
    sense = sense_at(steps, best, np.ascontiguousarray(first), steps.given(before) if moving else given)
    done, step, ended = np.zeros(n), np.full(n, 0.5), np.full(n, OPEN, dtype=np.int8)
    for _ in range(_MOST_PARTS):
        going = np.flatnonzero((done < 1.0) & (step >= _SMALLEST))
        if not len(going):
            break
        to = done[going] + step[going]
        to = np.where(to > 1.0 - 1e-9, 1.0, to)
        there = to == 1.0
        target = np.where(there[:, None], last[going], between(first[going], last[going], to))
        if moving:
            a, b = before[going], values[going]
            part = steps.given(np.where(there[:, None], b, a + (b - a) * to[:, None]))
        else:
            part = tuple(x if x.ndim == 1 else x[going] for x in given)
        found, how = _Newton(steps, sense[going]).rows(best[going], np.ascontiguousarray(target), part)
        good = how == REACHED
        best[going[good]], done[going[good]] = found[good], to[good]
        step[going] = np.where(good, 2.0 * step[going], 0.5 * step[going])
        ended[going] = how
    return np.where((done == 1.0)[:, None], best, np.nan), ended, done


def in_sequence(rows: Rows, solve: Callable[[Rows], Reached]) -> Reached:
    """Rows along the last leading axis one after the other, each from the last one before it that was reached."""
    *others, n = rows.lead
    m, nq = int(np.prod(others, dtype=np.int64)), rows.start.shape[-1]
    q, ended, done = np.empty((m, n, nq)), np.empty((m, n), dtype=np.int8), np.empty((m, n))
    spread = [
        None if x is None else np.broadcast_to(x, (*rows.lead, x.shape[-1]))
        for x in (rows.start, rows.target, rows.values)
    ]
    start, before = np.array(spread[0][..., 0, :]), rows.before  # type: ignore[index]
    for i in range(n):
        target, values = (None if x is None else x[..., i, :] for x in spread[1:])
        found = solve(Rows(tuple(others), start, target, values, before))  # type: ignore[arg-type]
        q[:, i], ended[:, i], done[:, i] = found.q, found.ended, found.done
        good = (found.ended == REACHED).reshape(tuple(others))
        start = np.where(good[..., None], found.q.reshape(*others, nq), start)
        before = None if good.all() else before
    return Reached(q.reshape(-1, nq), ended.ravel(), done.ravel())


def in_blocks(work: Callable[[slice], None], n: int) -> None:
    """Call the work for blocks of n rows, by several threads where there are several blocks."""
    parts = [slice(i, min(i + _BLOCK, n)) for i in range(0, n, _BLOCK)]
    threads = min(available_threads(), len(parts))
    if threads < 2:
        for part in parts:
            work(part)
    else:
        list(pool(threads, "kinematics").map(work, parts))
