"""Forward kinematics by continuation: from one closed configuration along the actuators' straight way to others.

Every row advances by itself, in steps that are halved where the configuration changes too fast and doubled again, so
that its result depends on no other row of the batch.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import AssemblyError
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.continuation import all_hold, reach_targets, reached_one, steps_to
from linkwright.kinematics.failure_reasons import why_not_tracked
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import BatchRows, ClosedRows, Ended
from linkwright.kinematics.target_plans import DrivenCoordinates, locate_driven_coordinates, require_actuators
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import CLOSED, END_OF_WAY

Array = np.ndarray

# Largest step of an actuator and largest change of a coordinate within it [rad, or lengths of the mechanism], of rows
# that are not solved by compiled steps.
_LARGEST_STEP, _LARGEST_CHANGE = 0.1, 0.5

# A step is halved at most so often; a way is divided into at most so many steps.
_HALVINGS, _MOST_STEPS = 14, 5000

# One step of some rows: their coordinates and new actuator positions to closed coordinates and how each row ended.
_Attempt = Callable[[Array, Array], tuple[Array, Array]]


def track_actuators(kinematics: Kinematics, rows: BatchRows) -> ClosedRows:
    """Closed coordinates for actuator positions, each reached from its start without leaving its assembly mode.

    Compiled Newton steps on the kept closure equations are used where as many actuators as freedoms are given; rows
    they do not reach, where equations were left out that may be needed, are tried again with all equations.
    """
    if not kinematics.has_closure:
        return _set_tree_actuators(kinematics, rows)
    require_actuators(kinematics)
    steps = steps_to(kinematics, None, tuple(range(len(kinematics.setup.drives))))
    if steps is None:
        return by_rows(kinematics, rows, _generally_tracked)
    may_fail = _equations_may_fail(kinematics)
    if not rows.lead and not may_fail:
        found = reached_one(steps, rows)
        if found.ended[0] == Ended.REACHED:
            return found
    driven = locate_driven_coordinates(kinematics)
    found = reach_targets(steps, rows, driven.positions, driven.between, _actuators_within_reach(driven, rows))
    if not may_fail:
        return found
    good = found.ended == Ended.REACHED
    lost = np.flatnonzero(np.where(good, ~all_hold(steps, found.q, rows, CLOSED), found.ended < Ended.TOO_FAR))
    if not len(lost):
        return found
    again = by_rows(kinematics, rows.take_rows(lost), _generally_tracked)
    q, ended, done = found.q, found.ended, found.done
    q[lost], ended[lost], done[lost] = again.q, again.ended, again.done
    return ClosedRows(q, ended, done)


def by_rows(
    kinematics: Kinematics, rows: BatchRows, solve: Callable[[Kinematics, Array, Array], ClosedRows]
) -> ClosedRows:
    """All rows by a solver of one start and one set of values: together where they share these, else one by one."""
    n, nq = rows.count, kinematics.setup.tree.nq
    target = rows.of(rows.target, slice(0, n))
    target = np.broadcast_to(target, (n, target.shape[-1]))
    good = rows.finite(np.arange(n))
    q, ended, done = np.full((n, nq), np.nan), np.full(n, Ended.NOT_FINITE, dtype=np.int8), np.zeros(n)
    start = rows.of(rows.start, slice(0, n))
    if (rows.values is None or rows.values.ndim == 1) and start.ndim == 1:
        several = kinematics.setup.inputs is not None and kinematics.setup.inputs.values.ndim > 1
        here = (
            kinematics.at(rows.values) if several and rows.values is not None else kinematics
        )  # one set is left of several
        found = solve(here, start if rows.before is None else here.home, target[good])
        q[good], ended[good], done[good] = found.q, found.ended, found.done
        return ClosedRows(q, ended, done)
    for row in np.flatnonzero(good):
        one = np.array([row])
        shared = rows.values is None or rows.values.ndim == 1
        here = kinematics if shared else kinematics.at(np.ravel(rows.of(rows.values, one)))
        found = solve(here, np.ravel(rows.of(rows.start, one)) if rows.before is None else here.home, target[one])
        q[one], ended[one], done[one] = found.q, found.ended, found.done
    return ClosedRows(q, ended, done)


def follow_actuator_path(kinematics: Kinematics, path: Array, start: Array) -> Array:
    """Closed coordinates (n, nq) along a path of actuator positions (n, na), in the assembly mode of the start.

    A leg that stretches or folds on the way (type 1) is passed; a type 2 singularity is not.
    """
    q, out = np.array(start, dtype=float), np.empty((len(path), len(start)))
    for index, target in enumerate(np.asarray(path, dtype=float)):
        found = track_actuators(kinematics, BatchRows((), q, target))
        if found.ended[0] != Ended.REACHED:
            reason = why_not_tracked(kinematics, found, BatchRows((), q, target), 0)
            raise AssemblyError(f"point {index} of the path is not reached: {reason}", index=index)
        q = out[index] = found.q[0]
    return out


def _set_tree_actuators(kinematics: Kinematics, rows: BatchRows) -> ClosedRows:
    """A tree's coordinates with the actuators at given positions, the others as at the start."""
    n, part = rows.count, slice(0, rows.count)
    q = np.array(np.broadcast_to(rows.of(rows.start, part), (n, kinematics.setup.tree.nq)))
    q[:, locate_driven_coordinates(kinematics).indices] = rows.of(rows.target, part)
    bad = ~np.isfinite(q).all(axis=1)
    q[bad] = np.nan
    return ClosedRows(q, np.where(bad, Ended.NOT_FINITE, Ended.REACHED).astype(np.int8), np.where(bad, 0.0, 1.0))


def _equations_may_fail(kinematics: Kinematics) -> bool:
    """True if equations are left out that matter somewhere, so that the kept ones may degenerate."""
    return bool(kinematics.all_rows.pattern(closure_functions.closure_jacobian)[list(kinematics.rank.redundant)].any())


def _actuators_within_reach(driven: DrivenCoordinates, rows: BatchRows) -> Callable[[Array], Array]:
    """Mask of rows whose ways are not absurdly long."""

    def near(index: Array) -> Array:
        values = rows.of(rows.values, index) if rows.before is None else rows.before
        first = driven.positions(rows.of(rows.start, index), values)
        parts = _steps_per_row(driven, driven.way(first, rows.of(rows.target, index)))
        return np.broadcast_to(parts <= _MOST_STEPS, (len(index),))

    return near


@dataclass(eq=False)
class _Way:
    """The rows under way: where they are, the share of the way behind them, their next step and how the last ended."""

    q: Array
    done: Array
    step: Array
    largest: Array
    ended: Array

    @property
    def going(self) -> Array:
        return np.flatnonzero((self.done < 1.0) & (self.step >= self.largest * 0.5**_HALVINGS))


def _generally_tracked(kinematics: Kinematics, start: Array, targets: Array) -> ClosedRows:
    """Every row from the start to its target, with all closure equations."""
    attempt, driven, n = _all_equations(kinematics), locate_driven_coordinates(kinematics), len(targets)
    first = driven.positions(start)
    parts = _steps_per_row(driven, driven.way(first, targets))
    near = parts <= _MOST_STEPS
    largest = 1.0 / np.maximum(parts, 1.0)
    how = np.where(near, Ended.OPEN, Ended.TOO_FAR).astype(np.int8)
    way = _Way(np.repeat(start[None, :], n, axis=0), np.where(near, 0.0, np.nan), largest.copy(), largest, how)
    while len(rows := way.going):
        to = np.minimum(way.done[rows] + way.step[rows], 1.0)
        to = np.where(to > 1.0 - END_OF_WAY, 1.0, to)
        actuators = np.where((to == 1.0)[:, None], targets[rows], driven.between(first, targets[rows], to))
        q, ended = attempt(way.q[rows], actuators)
        good = ended == Ended.REACHED
        way.q[rows[good]], way.done[rows[good]] = q[good], to[good]
        way.step[rows] = np.where(good, np.minimum(2.0 * way.step[rows], way.largest[rows]), 0.5 * way.step[rows])
        way.ended[rows] = ended
    q = np.where((way.done == 1.0)[:, None], way.q, np.nan)
    return ClosedRows(q, way.ended, np.nan_to_num(way.done))


def _steps_per_row(driven: DrivenCoordinates, way: Array) -> Array:
    """Into how many steps each row's way is divided, (n,)."""
    return np.ceil(np.max(np.abs(way) / driven.units, axis=-1, initial=0.0) / _LARGEST_STEP)


def _all_equations(kinematics: Kinematics) -> _Attempt:
    """Damped Newton steps on all closure equations with the actuators held; right where kept equations degenerate."""
    driven, size = locate_driven_coordinates(kinematics), _coordinate_unit_sizes(kinematics)
    oriented = int(driven.free.sum()) == kinematics.rank.rank + len(driven.at_cuts)

    def attempt(before: Array, actuators: Array) -> tuple[Array, Array]:
        result = driven.close(before, actuators)
        near = np.abs((result.q - before) / size).max(axis=1, initial=0.0) <= _LARGEST_CHANGE
        ended = np.where(result.gap > CLOSED, Ended.OPEN, np.where(near, Ended.REACHED, Ended.FAR))
        for row in np.flatnonzero(ended == Ended.REACHED) if oriented else ():
            if _turned_over(driven, before[row], result.q[row]):
                ended[row] = Ended.TURNED
        return result.q, ended

    return attempt


def _coordinate_unit_sizes(kinematics: Kinematics) -> Array:
    """Size of one unit of each coordinate, (nq,): the mechanism's length for lengths, 1 for all others."""
    size = np.ones(kinematics.setup.tree.nq)
    for link in kinematics.setup.tree.links:
        if link.coords.stop - link.coords.start == link.dofs.stop - link.dofs.start:
            size[link.coords] = kinematics.scales.speeds[link.dofs]
        else:
            size[link.coords.start : link.coords.stop - 4] = kinematics.scales.length
    return size


def _turned_over(driven: DrivenCoordinates, q: Array, neighbor: Array) -> bool:
    """True if the Jacobian of the free velocities, as many as independent equations, changes its sign.

    All equations take part, on a basis of what they span at q, because kept ones can degenerate in regular positions.
    """
    kinematics, free = driven.kinematics, driven.free

    def scaled(x: Array) -> Array:
        J = kinematics.compute_at(closure_functions.closure_jacobian, x) / kinematics.scales.rows[:, None]
        if driven.at_cuts:
            J = np.concatenate([J, driven.jacobian(x) / driven.units[driven.at_cuts, None]])
        return J * kinematics.scales.speeds

    J, other = scaled(q), scaled(neighbor)
    basis = decompose_scaled(J, complete=True).column_space(kinematics.rank.rank + len(driven.at_cuts))
    here, there = (np.linalg.det(basis.T @ x[:, free]) for x in (J, other))
    return bool(here * there <= 0.0)
