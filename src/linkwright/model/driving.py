"""Efforts where the motion does not decide everything: undriven freedoms follow, redundant actuators share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from linkwright.errors import MotionWarning
from linkwright.kernels import part_names
from linkwright.mechanism.names import listed
from linkwright.solve.actuation import independent_actuators
from linkwright.solve.machine import Machine
from linkwright.solve.motions import elastic_speeds
from linkwright.solve.pivot_checked import hybrid_kernel
from linkwright.solve.rows import least_norm
from linkwright.solve.sharing import LeastNorm, Sharing, projected, shared_efforts
from linkwright.solve.undriven import freedoms

Array = np.ndarray

# Accelerations may differ by this share of the largest, [rad/s^2 or mechanism lengths/s^2].
_ROUNDING = 1e-8


def driven_motion(
    machine: Machine, sharing: Sharing | None, q: Any, v: Any, a: Any, w_ext: Any, dense: bool = False
) -> tuple[Array, Array]:
    """Efforts (..., na) and accelerations (..., nv), those of undriven freedoms as they follow from the dynamics.

    `dense` projects on the motions the loops allow instead of using the compiled elimination: a second method.
    """
    if not independent_actuators(machine):
        tau, done = shared_efforts(machine, sharing or LeastNorm(), q, v, a, w_ext)
    elif dense:
        found = projected(machine, q, v, a, w_ext, "virtual_power_forces")
        tau, done = least_norm(found.G, found.f, rcond=1e-12), found.a
    else:
        extra = () if w_ext is None else (w_ext,)
        rows = machine.setup.inertias
        both = hybrid_kernel(machine, wrench=w_ext is not None)(q, v, a, *extra, *(() if rows is None else (rows,)))
        tau, done = both[..., : len(machine.setup.drives)], both[..., len(machine.setup.drives) :]
    _compare(machine, np.asarray(a, dtype=float), done)
    return tau, done


def _compare(machine: Machine, given: Array, done: Array) -> None:
    """Warn, once per mechanism, where given accelerations are not those that follow from the dynamics.

    Those of bending links are not compared: they are always results, and motions are planned with rigid links.
    """
    free = freedoms(machine.kinematics)
    compared = [i for i in free.undriven.speeds if i not in elastic_speeds(machine.setup.mech)]
    if not compared:
        return
    units = machine.scales.speeds
    off, size = np.abs(done - given) / units, np.maximum(np.abs(given), np.abs(done)) / units
    off = off[..., compared]
    if np.any(off > _ROUNDING * np.maximum(1.0, np.max(size, axis=-1, keepdims=True, initial=0.0))):
        names = part_names(machine.setup.mech.joints, speeds=True)
        which = listed("velocity", "velocities", [names[i] for i in compared])
        warnings.warn(
            f"'{machine.setup.mech.name}' has {len(compared)} degrees of freedom that no actuator drives ({which}): "
            "they carry no effort, and the accelerations given there are not those that follow from the dynamics, "
            "which are used instead; model.forward_dynamics(q, v, tau) returns them",
            MotionWarning,
            stacklevel=4,
        )
