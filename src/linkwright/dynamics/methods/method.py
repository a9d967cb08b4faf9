"""Protocol of all formulations on a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import numpy as np

from linkwright.compiler import Kernel
from linkwright.dataclass import dataclass
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.efforts import effort_function
from linkwright.dynamics.fallback import forward_kernel
from linkwright.dynamics.sharing import Sharing
from linkwright.dynamics.tree import tree_kernel
from linkwright.formulations.minimal_equations import Minimal
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
    """Functions that most formulations share: forward dynamics by multipliers, efforts, energy.

    Attributes:
        formulation: the record that selects the method.
        dynamics: of the mechanism.
        sharing: how more actuators than freedoms share the work.
        of_loops: whether it differs from others in how it treats loops alone; then trees have `TreeMethod`.
    """

    of_loops: ClassVar[bool] = True

    formulation: Any
    dynamics: Dynamics
    sharing: Sharing

    def why_not(self) -> str:
        return ""

    def accelerations(self, wrench: bool) -> Function:
        return forward_kernel(self.dynamics, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        return effort_function(self.dynamics, self.sharing, wrench, undriven)

    def energy(self) -> Callable[..., Array]:
        return self.dynamics.kinematics.all_rows.function(tree_functions.energies)


class TreeMethod(Common):
    """A mechanism without loops, which all formulations of loops write in the same way."""

    of_loops = False

    def accelerations(self, wrench: bool) -> Function:
        return tree_kernel(self.dynamics.kinematics, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        second = isinstance(self.formulation, Minimal)  # projects on motions, to compare with
        return effort_function(self.dynamics, self.sharing, wrench, undriven, dense=second)
