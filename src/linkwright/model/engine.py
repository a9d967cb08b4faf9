"""What a model needs from the machinery behind it; trees and closed loops each answer in their own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from linkwright.compiler import Kernel
from linkwright.formulations.kinds import Formulation
from linkwright.kernels import Kernels
from linkwright.solve.configuration import Configuration
from linkwright.solve.machine import Machine
from linkwright.solve.tracking import Tracked

Array = np.ndarray


class Engine(Protocol):
    """Answers that differ between trees and closed loops."""

    @property
    def machine(self) -> Machine:
        """The mechanism with what was found out about it."""

    @property
    def kernels(self) -> Kernels:
        """Compiled functions of the tree."""

    @property
    def independent(self) -> tuple[int, ...]:
        """Places in v of the independent speeds."""

    @property
    def redundancy(self) -> tuple[str, ...]:
        """A sentence for every redundant closure equation."""

    def inverse_dynamics(self, undriven: str = "refuse") -> Kernel | Callable[..., Array]: ...

    def forward_dynamics(self) -> Kernel | Callable[..., Array]: ...

    def inverse_with(self, q: Array, v: Array, a: Array, w_ext: Array, undriven: str = "refuse") -> Array: ...

    def forward_with(self, q: Array, v: Array, tau: Array, w_ext: Array) -> Array: ...

    def forward_by(self, formulation: Formulation, *state: Array) -> Array: ...

    def inverse_by(
        self, formulation: Formulation, q: Array, v: Array, a: Array, w_ext: Array | None, undriven: str = "refuse"
    ) -> Array: ...

    def energy_by(self, formulation: Formulation, q: Array, v: Array) -> Array: ...

    def reactions(self, q: Array, v: Array, a: Array, tau: Any, w_ext: Any) -> dict[str, Array]: ...

    def closure_residual(self, q: Array) -> Array: ...

    def closure_jacobian(self, q: Array) -> Array: ...

    def independent_map(self, q: Array) -> Array: ...

    def minimal_inertia(self, q: Array) -> Array: ...

    def motion(self, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]: ...

    def forward_derivatives(self) -> Callable[..., tuple[Array, Array, Array]]: ...

    def inverse_derivatives(self) -> Callable[..., tuple[Array, Array, Array]]: ...

    def linearise(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]: ...

    def assemble(self, guess: Array | None, fixed: dict[int, float], guesses: int) -> Configuration: ...

    def modes(self, q_act: Array, guesses: int) -> list[Configuration]: ...

    def follow(self, path: Array, start: Array) -> Array: ...

    def distinct(self, q: Array) -> list[Configuration]:
        """Described configurations without repetitions, nearest to home first."""

    def tracked(self, start: Array, targets: Array) -> Tracked: ...

    def reach(self, starts: Array, rows: Callable[..., tuple[Array, Array]], weights: Array) -> Array: ...

    def program_name(self, name: str) -> tuple[Kernels, str]:
        """The kernels and the name under which a public function is traced."""
