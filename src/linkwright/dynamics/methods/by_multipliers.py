"""Lagrange multipliers, with Baumgarte's terms where requested."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.fallback import stabilized_kernel
from linkwright.dynamics.methods.method import Array, Common, Function
from linkwright.formulations.multipliers import Baumgarte


class ByMultipliers(Common):
    """Loops by multipliers."""

    def accelerations(self, wrench: bool) -> Function:
        match self.formulation.baumgarte:
            case Baumgarte(rate) if self.dynamics.kinematics.closed:
                kernel, pull = stabilized_kernel(self.dynamics, wrench), np.array([rate])

                def stabilized(q: Array, v: Array, tau: Array, *w_ext: Array) -> Array:
                    return kernel(q, v, tau, pull, *w_ext)

                return stabilized
            case _:
                return super().accelerations(wrench)
