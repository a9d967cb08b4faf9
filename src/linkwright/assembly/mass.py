"""Whether every motion the loops allow moves some mass; without it accelerations have no answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwright.compiler import evaluate
from linkwright.errors import MechanismError
from linkwright.kernels.setup import part_names

if TYPE_CHECKING:
    from linkwright.assembly.machine import Machine

_LIGHT = 1e-13
_SAMPLES = 16


def require_mass(machine: Machine) -> None:
    """Refuse a machine with a motion that moves no mass in any of some configurations, and say which motion."""
    if not machine.mobility:
        return
    q = machine.branch_samples[:: max(1, len(machine.branch_samples) // _SAMPLES)]
    J = evaluate(machine.open.program("closure_jacobian"), q) / machine.scales.rows[:, None] * machine.scales.speeds
    T = np.linalg.svd(J)[2][:, machine.rank.rank :].transpose(0, 2, 1)
    M = evaluate(machine.open.program("tree_inertia"), q) * np.outer(machine.scales.speeds, machine.scales.speeds)
    values, motions = np.linalg.eigh(T.transpose(0, 2, 1) @ M @ T)
    if np.any(values[:, 0] > _LIGHT * np.diagonal(M, axis1=1, axis2=2).max(axis=1)):
        return
    v = np.abs(T[0] @ motions[0, :, 0])
    names = part_names(machine.setup.mech.joints, speeds=True)
    moving = [f"'{name}'" for name, x in zip(names, v, strict=True) if x > 1e-3 * v.max()]
    raise MechanismError(
        f"mechanism '{machine.setup.mech.name}' can move without moving any mass: joints {', '.join(moving[:6])} do; "
        "give the bodies they carry a mass or an inertia, or hold one of these joints"
    )
