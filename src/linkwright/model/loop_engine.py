"""Answers for closed loops: multipliers by default, with a dense solve where a pivot becomes too small."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.errors import ArgumentError
from linkwright.formulations.kinds import Baumgarte, Formulation, Minimal, Multipliers, VirtualSprings
from linkwright.formulations.roads import Hanzaki, Khan, Rao
from linkwright.kernels import Kernels, part_names
from linkwright.kernels.kernels import ALL_RECIPES
from linkwright.kernels.recipes import Stage
from linkwright.model import independent
from linkwright.model.arguments import joined, position
from linkwright.model.driving import driven_motion
from linkwright.model.reacting import joint_wrenches
from linkwright.solve import finding
from linkwright.solve.actuation import (
    effort_rank,
    exactly_actuated,
    independent_actuators,
    require_driven,
    require_enough,
)
from linkwright.solve.alternative_trees import effort_solver, forward_solver
from linkwright.solve.configuration import Configuration
from linkwright.solve.machine import Machine
from linkwright.solve.mass import massless_motion
from linkwright.solve.papers import forward_by_road, inverse_by_road, require_road
from linkwright.solve.pivot_checked import effort_kernel, forward_kernel, minimal_kernel, stabilised_kernel
from linkwright.solve.sharing import Sharing
from linkwright.solve.springs import row_coefficients, spring_efforts, spring_kernels
from linkwright.solve.tracking import Tracked, follow, tracked
from linkwright.solve.undriven import freedoms

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LoopEngine:
    """A closed-loop machine behind the common interface."""

    machine: Machine
    sharing: Sharing

    @property
    def kernels(self) -> Kernels:
        return self.machine.open

    @cached_property
    def independent(self) -> tuple[int, ...]:
        return self.machine.kinematics.independent

    @property
    def redundancy(self) -> tuple[str, ...]:
        return self.machine.redundancy

    def inverse_dynamics(self, undriven: str = "refuse") -> Kernel | Callable[..., Array]:
        if self._exact:
            return effort_kernel(self.machine, wrench=False)
        require_driven(self.machine, undriven)
        return lambda q, v, a: self._driven(q, v, a, None)[0]

    def inverse_with(self, q: Array, v: Array, a: Array, w_ext: Array, undriven: str = "refuse") -> Array:
        if self._exact:
            return effort_kernel(self.machine, wrench=True)(q, v, a, w_ext)
        require_driven(self.machine, undriven)
        return self._driven(q, v, a, w_ext)[0]

    @property
    def _exact(self) -> bool:
        """Whether efforts follow from the motion alone, by the planned order."""
        return bool(self.kernels.setup.drives) and exactly_actuated(self.machine)

    def _driven(self, q: Array, v: Array, a: Array, w_ext: Array | None, dense: bool = False) -> tuple[Array, Array]:
        """Efforts, and accelerations with those of undriven freedoms completed."""
        if not self.kernels.setup.drives and not self.machine.mobility:
            sizes = self.kernels.setup.sizes()
            state = joined({"q": (q, sizes["q"][0]), "v": (v, sizes["v"][0]), "a": (a, sizes["a"][0])})
            return np.zeros((*state[2].shape[:-1], 0)), state[2]
        return driven_motion(self.machine, self.sharing, q, v, a, w_ext, dense)

    def forward_dynamics(self) -> Kernel:
        return forward_kernel(self.machine, wrench=False)

    def forward_with(self, q: Array, v: Array, tau: Array, w_ext: Array) -> Array:
        return forward_kernel(self.machine, wrench=True)(q, v, tau, w_ext)

    def forward_by(self, formulation: Formulation, *state: Array) -> Array:
        wrench = len(state) > 3
        match formulation:
            case Multipliers(None):
                return forward_kernel(self.machine, wrench)(*state)
            case Multipliers(Baumgarte(rate)):
                return stabilised_kernel(self.machine, wrench)(*state[:3], np.array([rate]), *state[3:])
            case Minimal(independent=names):
                kernels = self.machine.minimal if names is None else self._minimal_on(names)
                return minimal_kernel(self.machine, kernels, wrench)(*state)
            case VirtualSprings():
                kernels = spring_kernels(self.machine, formulation)
                rows = row_coefficients(self.machine, formulation)
                return kernels.function("spring_forward_dynamics", wrench=wrench)(*state[:3], *rows, *state[3:])
            case Khan() | Rao() | Hanzaki():
                return forward_by_road(self.machine, formulation, *state)
        raise ArgumentError(f"formulation is {formulation!r}, expected Multipliers() or Multipliers(Baumgarte(rate))")

    def inverse_by(
        self, formulation: Formulation, q: Array, v: Array, a: Array, w_ext: Array | None, undriven: str = "refuse"
    ) -> Array:
        if isinstance(formulation, Khan | Rao | Hanzaki):
            return inverse_by_road(self.machine, formulation, q, v, a, *(() if w_ext is None else (w_ext,)))
        minimal = isinstance(formulation, Minimal) and self._exact
        if isinstance(formulation, Minimal) and not minimal:
            require_driven(self.machine, undriven)
            return self._driven(q, v, a, w_ext, dense=True)[0]
        if not (minimal or isinstance(formulation, VirtualSprings)):
            if w_ext is not None:
                return self.inverse_with(q, v, a, w_ext, undriven)
            return self.inverse_dynamics(undriven)(q, v, a)
        if not exactly_actuated(self.machine):
            require_enough(self.machine)
        extra = () if w_ext is None else (w_ext,)
        name = "virtual_power_forces" if minimal else "generalized_forces"
        force = self.kernels.function(name, wrench=w_ext is not None)(q, v, a, *extra)
        if minimal:
            return independent.minimal_efforts(self.machine, np.asarray(q, dtype=float), force)
        return spring_efforts(self.machine, np.asarray(q, dtype=float), force)

    def energy_by(self, formulation: Formulation, q: Array, v: Array) -> Array:
        if not isinstance(formulation, VirtualSprings):
            return self.kernels.function("energy")(q, v)
        stiffness, _ = row_coefficients(self.machine, formulation)
        return spring_kernels(self.machine, formulation).function("spring_energy")(q, v, stiffness)

    def _minimal_on(self, names: tuple[str, ...]) -> Kernels:
        known = part_names(self.kernels.setup.mech.joints, speeds=True)
        return self.machine.minimal_on(tuple(position(name, known) for name in names))

    def reactions(self, q: Array, v: Array, a: Array, tau: Any, w_ext: Any) -> dict[str, Array]:
        if tau is None and self._exact:
            tau = self.inverse_dynamics()(q, v, a) if w_ext is None else self.inverse_with(q, v, a, w_ext)
        elif tau is None:
            require_driven(self.machine)
            tau, a = self._driven(q, v, a, w_ext)
        return joint_wrenches(self.machine, q, v, a, tau, w_ext)

    def closure_residual(self, q: Array) -> Array:
        return self.kernels.function("closure_residual")(q)

    def closure_jacobian(self, q: Array) -> Array:
        return self.kernels.function("exact_closure_jacobian")(q)

    def independent_map(self, q: Array) -> Array:
        return independent.independent_map(self.machine, q)

    def minimal_inertia(self, q: Array) -> Array:
        return independent.minimal_inertia(self.machine, q)

    def motion(self, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]:
        return independent.motion(self.machine, q, v_ind, a_ind)

    def forward_derivatives(self) -> Callable[..., tuple[Array, Array, Array]]:
        return independent.forward_derivatives(self.machine)

    def inverse_derivatives(self) -> Callable[..., tuple[Array, Array, Array]]:
        return independent.inverse_derivatives(self.machine)

    def linearise(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        return independent.linear_model(self.machine, q, v, tau)

    def assemble(self, guess: Array | None, fixed: dict[int, float], guesses: int) -> Configuration:
        return finding.assemble(self.machine, guess, fixed, guesses)

    def modes(self, q_act: Array, guesses: int) -> list[Configuration]:
        return finding.modes(self.machine, q_act, guesses)

    def follow(self, path: Array, start: Array) -> Array:
        return follow(self.machine, path, start)

    def distinct(self, q: Array) -> list[Configuration]:
        kept = finding.distinct(self.machine, q, self.machine.home, by_actuators=True)
        return [finding.described(self.machine, row) for row in kept]

    def tracked(self, start: Array, targets: Array) -> Tracked:
        return tracked(self.machine, start, targets)

    def reach(self, starts: Array, rows: Callable[..., tuple[Array, Array]], weights: Array) -> Array:
        return finding.close_with(self.machine, starts, rows, weights)

    def program_name(self, name: str) -> tuple[Kernels, str]:
        match name:
            case "forward_dynamics":
                first = forward_solver(self.machine)
                return first.kernels, first.name
            case "inverse_dynamics" if not self._exact and freedoms(self.machine.kinematics).expected:
                return self._traced_on("guarded_hybrid_efforts"), "guarded_hybrid_efforts"
            case "inverse_dynamics":
                first = effort_solver(self.machine)
                return first.kernels, first.name
            case "forward_derivatives" | "inverse_derivatives":
                return self.machine.kinematics.kernels, f"guarded_{name}"
            case "linearise":
                return self.machine.kinematics.kernels, "guarded_linear_model"
            case _:
                return self._traced_on(name), name

    def _traced_on(self, name: str) -> Kernels:
        """The kernels at the stage that a function needs."""
        recipe = ALL_RECIPES.get(name)
        match recipe.stage if recipe else Stage.TREE:
            case Stage.PLANNED:
                return self.machine.kernels
            case Stage.INDEPENDENT:
                massless = massless_motion(self.machine.kinematics)
                return self.machine.kinematics.kernels if massless else self.machine.minimal
            case Stage.EFFORTS:
                return self.machine.actuated
            case Stage.HYBRID:
                self._require_unique()
                return self.machine.dynamics.hybrid
            case Stage.SPRINGS:
                return spring_kernels(self.machine, VirtualSprings(1.0))
            case Stage.ALTERNATIVE:
                return self._alternative(name)
            case Stage.KHAN:
                require_road(self.machine, Khan())
            case Stage.RAO:
                require_road(self.machine, Rao())
            case Stage.HANZAKI:
                require_road(self.machine, Hanzaki())
        return self.kernels

    def _require_unique(self) -> None:
        """Refuse a program for efforts that depend on how redundant actuators share, or that undriven motions spoil."""
        require_driven(self.machine)
        setup = self.kernels.setup
        if not independent_actuators(self.machine) or not setup.drives:
            raise ArgumentError(
                f"mechanism '{setup.mech.name}' has {self.machine.mobility} degrees of freedom and {len(setup.drives)} "
                f"actuators, which drive {effort_rank(self.machine)}; a program for its efforts needs actuators that "
                "do not repeat each other, so build it with fewer in actuated=[...]"
            )

    def _alternative(self, name: str) -> Kernels:
        for found in (forward_solver(self.machine), effort_solver(self.machine)):
            if found.name == name:
                return found.kernels
        raise ArgumentError(
            f"'{name}' does not exist for '{self.kernels.setup.mech.name}', which is computed on the file's own "
            "spanning tree; ask for forward_dynamics or inverse_dynamics"
        )
