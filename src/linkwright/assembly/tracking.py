"""Forward kinematics of many actuator positions at once, by continuation from one configuration."""

from __future__ import annotations

import numpy as np

from linkwright.assembly.finding import actuator_places, follow, steps_of
from linkwright.assembly.machine import Machine
from linkwright.assembly.samples import CLOSED
from linkwright.errors import AssemblyError

_LARGEST_STEP = 0.1
_NEWTON_STEPS = 12


def tracked(machine: Machine, start: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Closed coordinates (n, nq) for actuator positions (n, na), each reached from `start` without leaving its branch.

    All rows march together: the way is divided so that no actuator moves more than a tenth of a radian (or of the
    machine's length) at once, and after each part Newton's method closes the loops. A row whose determinant changes
    sign has crossed a singularity; rows that fail are refused by number. Where equations were left out that may be
    needed, failing is judged again with all of them.
    """
    try:
        return _marched(machine, start, targets)
    except AssemblyError:
        if not _equations_may_fail(machine):
            raise
        return _one_by_one(machine, start, targets)


def _marched(machine: Machine, start: np.ndarray, targets: np.ndarray) -> np.ndarray:
    places = actuator_places(machine)
    step = machine.minimal.function("newton_step")
    q = np.repeat(start[None, :], len(targets), axis=0)
    sense = np.sign(step(q[:1])["determinant"][0])
    first, parts = q[:, places].copy(), _parts(machine, start[places], targets)
    for part in range(1, parts + 1):
        q[:, places] = first + (targets - first) * (part / parts)
        q = _closed(machine, step, q, sense)
    _require_all_closed(machine, q)
    return q


def _one_by_one(machine: Machine, start: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """The same with all closure equations, row by row: slower, and right where kept equations degenerate."""
    return np.array([follow(machine, row[None, :], start)[0] for row in targets]).reshape(len(targets), len(start))


def _equations_may_fail(machine: Machine) -> bool:
    """Whether equations are left out that say something somewhere, so that the kept ones may degenerate."""
    return bool(machine.open.pattern("closure_jacobian")[list(machine.rank.redundant)].any())


def _require_all_closed(machine: Machine, q: np.ndarray) -> None:
    """Refuse rows in which equations that were left out do not hold."""
    gap = np.abs(machine.open.function("closure_residual")(q) / machine.scales.rows).max(axis=1, initial=0.0)
    lost = np.flatnonzero(gap > 10.0 * CLOSED)
    if len(lost):
        raise AssemblyError(
            f"{len(lost)} of {len(q)} actuator positions leave the branch on which the loops close (the first is row "
            f"{lost[0]}, gap {gap[lost[0]]:.1e}); start nearer with near=q",
            rows=lost,
        )


def _parts(machine: Machine, start: np.ndarray, targets: np.ndarray) -> int:
    speeds = [drive.speed for drive in machine.setup.drives if drive.speed is not None]
    way = np.abs(targets - start) / machine.scales.speeds[speeds]
    return steps_of(float(np.max(way, initial=0.0)), _LARGEST_STEP)


def _closed(machine: Machine, step: object, q: np.ndarray, sense: float) -> np.ndarray:
    """Newton steps on the dependent coordinates until every row is closed."""
    rows = machine.kernels.setup.closure.select(machine.scales.rows)
    for _ in range(_NEWTON_STEPS):
        found = step(q)  # type: ignore[operator]
        gap = np.abs(found["gap"] / rows).max(axis=1, initial=0.0)
        good = (gap < CLOSED) & (np.sign(found["determinant"]) == sense)
        if np.all(good):
            return found["q"]
        q = found["q"]
    lost = np.flatnonzero(~good)
    raise AssemblyError(
        f"{len(lost)} of {len(q)} actuator positions cannot be reached on this branch (the first is row {lost[0]}, gap "
        f"{gap[lost[0]]:.1e}): they are out of reach, or a singularity lies between; start nearer with near=q",
        rows=lost,
    )
