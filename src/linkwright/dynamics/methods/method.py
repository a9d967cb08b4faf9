"""Protocol of all formulations on a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from linkwright.compiler import Kernel
from linkwright.dataclass import dataclass
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.efforts import effort_function
from linkwright.dynamics.fallback import forward_kernel
from linkwright.dynamics.sharing import Sharing
from linkwright.dynamics.tree import tree_kernel
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.tree import tree_functions

Array = np.ndarray
Function = Kernel | InputKernel | Callable[..., Array]


class DynamicsMethod(Protocol):
    """A formulation on one mechanism; its functions are made on request."""

    def why_not(self) -> str:
        """Reason why the formulation does not apply; "" where it does. Its functions refuse with this reason."""

    def accelerations(self, wrench: bool) -> Function:
        """Accelerations (..., nv) from q, v, tau and, with `wrench`, w_ext."""

    def efforts(self, wrench: bool, undriven: str) -> Function:
        """Efforts (..., na) from q, v, a and, with `wrench`, w_ext; `undriven` is "refuse" or "free"."""

    def energy(self) -> Callable[..., Array]:
        """Kinetic and potential energy (..., 2) from q, v."""


@dataclass(frozen=True, eq=False)
class Common:
    """Functions that most formulations share: forward dynamics of a tree or by multipliers, efforts, energy.

    Attributes:
        formulation: the record that selects the method.
        dynamics: of the mechanism.
        sharing: how more actuators than freedoms share the work.
    """

    formulation: Any
    dynamics: Dynamics
    sharing: Sharing

    def why_not(self) -> str:
        return ""

    def accelerations(self, wrench: bool) -> Function:
        kinematics = self.dynamics.kinematics
        if kinematics.closed:
            return forward_kernel(self.dynamics, wrench)
        return tree_kernel(kinematics, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        return effort_function(self.dynamics, self.sharing, wrench, undriven)

    def energy(self) -> Callable[..., Array]:
        return self.dynamics.kinematics.all_rows.function(tree_functions.energies)
