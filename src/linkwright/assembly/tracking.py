"""Forward kinematics of many actuator positions at once, by continuation from one configuration."""

from __future__ import annotations

import numpy as np

from linkwright.assembly.finding import actuator_places, steps_of
from linkwright.assembly.machine import Machine
from linkwright.assembly.samples import CLOSED
from linkwright.errors import AssemblyError

_LARGEST_STEP = 0.1
_NEWTON_STEPS = 12


def tracked(machine: Machine, start: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Closed coordinates (n, nq) for actuator positions (n, na), each reached from `start` without leaving its branch.

    All rows march together: the way is divided so that no actuator moves more than a tenth of a radian (or of the
    machine's length) at once, and after each part Newton's method closes the loops. A row whose determinant changes
    sign has crossed a singularity; rows that fail are refused by number.
    """
    places = actuator_places(machine)
    step = machine.minimal.function("newton_step")
    q = np.repeat(start[None, :], len(targets), axis=0)
    sense = np.sign(step(q[:1])["determinant"][0])
    first, parts = q[:, places].copy(), _parts(machine, start[places], targets)
    for part in range(1, parts + 1):
        q[:, places] = first + (targets - first) * (part / parts)
        q = _closed(machine, step, q, sense)
    return q


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
