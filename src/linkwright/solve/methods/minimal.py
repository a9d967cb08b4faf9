"""The equations of motion on independent velocities."""

from __future__ import annotations

from functools import partial

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.kernels import part_names, registry
from linkwright.mechanism.names import suggestion
from linkwright.solve.efforts import effort_function, exact
from linkwright.solve.independent import minimal_efforts
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.methods.method import Array, Common, Function
from linkwright.solve.pivot_checked import minimal_kernel


class ByIndependentVelocities(Common):
    """Loops by the independent velocities; springs, friction and rotors by virtual power."""

    def accelerations(self, wrench: bool) -> Function:
        loops = self.dynamics.kinematics
        if not loops.closed:
            return super().accelerations(wrench)
        return minimal_kernel(self.dynamics, velocity_indices(loops, self.formulation.independent), wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        loops = self.dynamics.kinematics
        if not loops.closed or not exact(loops):
            return effort_function(self.dynamics, self.sharing, wrench, undriven, dense=True)
        force = loops.open.function(registry.VIRTUAL_POWER_FORCES, wrench=wrench)
        return partial(_projected, loops, force)


def _projected(loops: Kinematics, force: Function, q: Array, *motion: Array) -> Array:
    return minimal_efforts(loops, np.asarray(q, dtype=float), force(q, *motion))


def velocity_indices(loops: Kinematics, names: tuple[str, ...] | None) -> tuple[int, ...] | None:
    """Indices in v of named independent velocities; None stays None."""
    if names is None:
        return None
    known = list(part_names(loops.setup.mech.joints, speeds=True))
    for name in names:
        if name not in known:
            raise ArgumentError(f"independent names the unknown speed {name!r}{suggestion(name, known)}")
    return tuple(known.index(name) for name in names)
