"""Forward kinematics by continuation: from one closed configuration along the actuators' straight way to others.

Every row advances by itself, in steps that are halved where the configuration changes too fast and doubled again, so
that its result depends on no other row of the batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.errors import AssemblyError
from linkwright.kernels import registry
from linkwright.solve.finding import actuator_indices, free_speeds, require_actuators
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.samples import CLOSED, close_all

# Largest step of an actuator and largest change of a coordinate within it [rad, or lengths of the mechanism].
_LARGEST_STEP, _LARGEST_CHANGE = 0.1, 0.5

# A step is halved at most so often; a way is divided into at most so many steps.
_HALVINGS, _MOST_STEPS = 14, 5000

_NEWTON_STEPS = 12

# How an attempted step ends.
_REACHED, _OPEN, _FAR, _TURNED = range(4)


# One step of some rows: their coordinates and new actuator positions to closed coordinates and how each row ended.
Attempt = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class Tracked:
    """Closed coordinates (n, nq), NaN in rows that were not reached, with the reason for each of those."""

    q: np.ndarray
    reasons: dict[int, str]


def tracked(kinematics: Kinematics, start: np.ndarray, targets: np.ndarray) -> Tracked:
    """Closed coordinates for actuator positions (n, na), each reached from `start` without leaving its assembly mode.

    Compiled Newton steps on the kept closure equations are used where the actuators are the independent velocities;
    rows they do not reach, where equations were left out that may be needed, are tried again with all equations.
    """
    if not kinematics.closed:
        return Tracked(_placed(kinematics, start, targets), {})
    require_actuators(kinematics)
    every = _all_equations(kinematics)
    if not _actuators_are_independent(kinematics):
        return _marched(kinematics, every, start, targets)
    found = _marched(kinematics, _kept_equations(kinematics, start), start, targets)
    lost = sorted({*found.reasons, *_left_open(kinematics, found.q)})
    if not lost or not _equations_may_fail(kinematics):
        return found
    again = _marched(kinematics, every, start, targets[lost])
    q = found.q.copy()
    q[lost] = again.q
    return Tracked(q, {lost[row]: reason for row, reason in again.reasons.items()})


def follow(kinematics: Kinematics, path: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Closed coordinates (n, nq) along a path of actuator positions (n, na), in the assembly mode of the start.

    A leg that stretches or folds on the way (type 1) is passed; a type 2 singularity is not.
    """
    if not kinematics.closed:
        return _placed(kinematics, start, path)
    q, out = np.array(start, dtype=float), np.empty((len(path), len(start)))
    for index, target in enumerate(np.asarray(path, dtype=float)):
        found = tracked(kinematics, q, target[None, :])
        if found.reasons:
            raise AssemblyError(f"point {index} of the path is not reached: {found.reasons[0]}", index=index)
        q = out[index] = found.q[0]
    return out


def _placed(kinematics: Kinematics, start: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """A tree's coordinates with the actuators at given positions (n, na), the others as at the start, (n, nq)."""
    out = np.repeat(np.asarray(start, dtype=float)[None, :], len(targets), axis=0)
    out[:, actuator_indices(kinematics)] = targets
    return out


def _actuators_are_independent(kinematics: Kinematics) -> bool:
    return set(kinematics.independent) == {drive.speed for drive in kinematics.setup.drives}


def _equations_may_fail(kinematics: Kinematics) -> bool:
    """True if equations are left out that matter somewhere, so that the kept ones may degenerate."""
    return bool(kinematics.open.pattern(registry.CLOSURE_JACOBIAN)[list(kinematics.rank.redundant)].any())


def _left_open(kinematics: Kinematics, q: np.ndarray) -> list[int]:
    """Rows in which equations that were left out do not hold."""
    gap = np.abs(kinematics.open.function(registry.CLOSURE_RESIDUAL)(q) / kinematics.scales.rows).max(
        axis=1, initial=0.0
    )
    return np.flatnonzero(gap > 10.0 * CLOSED).tolist()


@dataclass(eq=False)
class _Way:
    """The rows under way: where they are, the share of the way behind them, their next step and how the last ended."""

    q: np.ndarray
    done: np.ndarray
    step: np.ndarray
    largest: np.ndarray
    ended: np.ndarray

    @property
    def going(self) -> np.ndarray:
        return np.flatnonzero((self.done < 1.0) & (self.step >= self.largest * 0.5**_HALVINGS))


def _marched(kinematics: Kinematics, attempt: Attempt, start: np.ndarray, targets: np.ndarray) -> Tracked:
    """Every row from the start to its target."""
    indices, n = actuator_indices(kinematics), len(targets)
    first, parts = start[indices], _parts(kinematics, start[indices], targets)
    near = parts <= _MOST_STEPS
    largest = 1.0 / np.maximum(parts, 1.0)
    way = _Way(np.repeat(start[None, :], n, axis=0), np.where(near, 0.0, np.nan), largest.copy(), largest, np.zeros(n))
    while len(rows := way.going):
        to = np.minimum(way.done[rows] + way.step[rows], 1.0)
        to = np.where(to > 1.0 - 1e-9, 1.0, to)
        actuators = np.where((to == 1.0)[:, None], targets[rows], first + (targets[rows] - first) * to[:, None])
        q, ended = attempt(way.q[rows], actuators)
        good = ended == _REACHED
        way.q[rows[good]], way.done[rows[good]] = q[good], to[good]
        way.step[rows] = np.where(good, np.minimum(2.0 * way.step[rows], way.largest[rows]), 0.5 * way.step[rows])
        way.ended[rows] = ended
    return _judged(kinematics, way, first, targets, parts)


def _parts(kinematics: Kinematics, first: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Into how many steps each row's way is divided, (n,)."""
    speeds = [drive.speed for drive in kinematics.setup.drives if drive.speed is not None]
    way = np.abs(targets - first) / kinematics.scales.speeds[speeds]
    return np.ceil(np.max(way, axis=1, initial=0.0) / _LARGEST_STEP)


def _judged(kinematics: Kinematics, way: _Way, first: np.ndarray, targets: np.ndarray, parts: np.ndarray) -> Tracked:
    lost = np.flatnonzero(~(way.done == 1.0))
    q = way.q.copy()
    q[lost] = np.nan
    return Tracked(q, {int(row): _reason(kinematics, way, int(row), first, targets, parts) for row in lost})


def _reason(
    kinematics: Kinematics, way: _Way, row: int, first: np.ndarray, targets: np.ndarray, parts: np.ndarray
) -> str:
    if np.isnan(way.done[row]):
        return (
            f"the actuators would move {parts[row] * _LARGEST_STEP:.3g} units of the mechanism's size away, which is "
            f"{parts[row]:.0f} steps; give angles within a few turns and lengths in meters, or start nearer with near=q"
        )
    stop = ", ".join(f"{x:.6g}" for x in first + (targets[row] - first) * way.done[row])
    where = f"beyond the actuator positions ({stop}), {way.done[row]:.1%} of the way,"
    if way.ended[row] == _TURNED:
        return (
            f"{where} the loops close only in another assembly mode (the Jacobian of the passive joints changes its "
            "sign): a singularity lies between; start on its other side with near=q, or plan around it"
        )
    if way.ended[row] == _FAR:
        return (
            f"{where} the loops close only in a configuration far from the last one: a singularity lies between; "
            "start on its other side with near=q, or plan around it"
        )
    return (
        f"{where} the loops do not stay closed: the positions are out of reach, or the path meets a singularity; "
        "start nearer with near=q"
    )


def _kept_equations(kinematics: Kinematics, start: np.ndarray) -> Attempt:
    """Compiled Newton steps of the dependent coordinates; the determinant of their Jacobian keeps the start's sign."""
    step: Callable[..., Any] = kinematics.kernels.function(registry.NEWTON_STEP)
    indices, size = actuator_indices(kinematics), _sizes(kinematics)
    rows = kinematics.kernels.setup.closure.select(kinematics.scales.rows)
    sense = np.sign(step(start[None, :])["determinant"][0])

    def attempt(before: np.ndarray, actuators: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, ended = before.copy(), np.full(len(before), _OPEN)
        q[:, indices] = actuators
        active = np.arange(len(q))
        for _ in range(_NEWTON_STEPS):
            found = step(q[active])
            closed = np.abs(found["gap"] / rows).max(axis=1, initial=0.0) < CLOSED
            near = np.abs((found["q"] - before[active]) / size).max(axis=1, initial=0.0) <= _LARGEST_CHANGE
            turned = np.sign(found["determinant"]) != sense
            q[active] = found["q"]
            ended[active] = np.where(~near, _FAR, np.where(~closed, _OPEN, np.where(turned, _TURNED, _REACHED)))
            active = active[near & ~closed]
            if not len(active):
                break
        return q, ended

    return attempt


def _all_equations(kinematics: Kinematics) -> Attempt:
    """Damped Newton steps on all closure equations with the actuators held; right where kept equations degenerate."""
    indices, size = actuator_indices(kinematics), _sizes(kinematics)
    free = free_speeds(kinematics, indices)
    oriented = int(free.sum()) == kinematics.rank.rank

    def attempt(before: np.ndarray, actuators: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        trial = before.copy()
        trial[:, indices] = actuators
        result = close_all(kinematics.open, trial, free)
        near = np.abs((result.q - before) / size).max(axis=1, initial=0.0) <= _LARGEST_CHANGE
        ended = np.where(result.gap > CLOSED, _OPEN, np.where(near, _REACHED, _FAR))
        for row in np.flatnonzero(ended == _REACHED) if oriented else ():
            if turned_over(kinematics, before[row], result.q[row], free):
                ended[row] = _TURNED
        return result.q, ended

    return attempt


def _sizes(kinematics: Kinematics) -> np.ndarray:
    """Size of one unit of each coordinate, (nq,): the mechanism's length for lengths, 1 for all others."""
    size = np.ones(kinematics.setup.tree.nq)
    for link in kinematics.setup.tree.links:
        if link.coords.stop - link.coords.start == link.dofs.stop - link.dofs.start:
            size[link.coords] = kinematics.scales.speeds[link.dofs]
        else:
            size[link.coords.start : link.coords.stop - 4] = kinematics.scales.length
    return size


def turned_over(kinematics: Kinematics, q: np.ndarray, neighbor: np.ndarray, free: np.ndarray) -> bool:
    """True if the closure Jacobian of the free velocities, as many as independent equations, changes its sign.

    All equations take part, on a basis of what they span at q, because kept ones can degenerate in regular positions.
    """
    J, other = (
        kinematics.open.function(registry.CLOSURE_JACOBIAN)(x)
        / kinematics.scales.rows[:, None]
        * kinematics.scales.speeds
        for x in (q, neighbor)
    )
    basis = np.linalg.svd(J)[0][:, : kinematics.rank.rank]
    here, there = (np.linalg.det(basis.T @ x[:, free]) for x in (J, other))
    return bool(here * there <= 0.0)
