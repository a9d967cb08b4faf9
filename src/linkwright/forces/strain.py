"""Strain and structural damping of a bent beam, along its modal coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.forces.element import JointForce, LinearParameter


@dataclass(frozen=True, eq=False)
class Strain(JointForce):
    """Stiffness and damping (n, n) of a beam; its channel x is all modal coordinates of the joint, (n,)."""

    stiffness: np.ndarray
    damping: np.ndarray

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return self.stiffness @ x + self.damping @ x_dot

    def stored_energy(self, x: Any) -> Any:
        return 0.5 * (x @ (self.stiffness @ x))

    def lost_power(self, x: Any, x_dot: Any) -> Any:
        return x_dot @ (self.damping @ x_dot)

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        return (LinearParameter("strain", "1", 1.0),)
