"""The equations of motion on independent velocities."""

from __future__ import annotations

from functools import partial

import numpy as np

from linkwright.dynamics.efforts import effort_function, exact
from linkwright.dynamics.fallback import minimal_kernel
from linkwright.dynamics.independent_velocities import minimal_efforts
from linkwright.dynamics.methods.method import Array, Common, Function
from linkwright.errors import ArgumentError
from linkwright.functions import part_names
from linkwright.functions.loop import minimal_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism.names import suggestion


class ByIndependentVelocities(Common):
    """Loops by the independent velocities; springs, friction and rotors by virtual power."""

    def accelerations(self, wrench: bool) -> Function:
        kinematics = self.dynamics.kinematics
        if not kinematics.closed:
            return super().accelerations(wrench)
        return minimal_kernel(self.dynamics, velocity_indices(kinematics, self.formulation.independent), wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        kinematics = self.dynamics.kinematics
        if not kinematics.closed or not exact(kinematics):
            return effort_function(self.dynamics, self.sharing, wrench, undriven, dense=True)
        force = kinematics.all_rows.function(minimal_functions.virtual_power_forces, wrench=wrench)
        return partial(_projected, kinematics, force)


def _projected(kinematics: Kinematics, force: Function, q: Array, *motion: Array) -> Array:
    return minimal_efforts(kinematics, np.asarray(q, dtype=float), force(q, *motion))


def velocity_indices(kinematics: Kinematics, names: tuple[str, ...] | None) -> tuple[int, ...] | None:
    """Indices in v of named independent velocities; None stays None."""
    if names is None:
        return None
    known = list(part_names(kinematics.setup.mech.joints, speeds=True))
    for name in names:
        if name not in known:
            raise ArgumentError(f"independent names the unknown speed {name!r}{suggestion(name, known)}")
    return tuple(known.index(name) for name in names)
