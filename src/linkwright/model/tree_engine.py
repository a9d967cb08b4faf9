"""Answers for a tree: nothing to close, every speed independent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.errors import ArgumentError
from linkwright.formulations.kinds import Formulation, Minimal
from linkwright.formulations.roads import Hanzaki, Khan, Rao
from linkwright.kernels import Kernels, part_names
from linkwright.kernels.kernels import ALL_RECIPES
from linkwright.kernels.loop_recipes import LOOP_RECIPES
from linkwright.kernels.recipes import Stage
from linkwright.model.driving import driven_motion
from linkwright.model.linear import linear_model
from linkwright.solve import finding
from linkwright.solve.actuation import no_efforts, shape_speeds
from linkwright.solve.configuration import Configuration
from linkwright.solve.finding import actuator_places, close_with
from linkwright.solve.machine import Machine
from linkwright.solve.papers import require_road
from linkwright.solve.samples import home
from linkwright.solve.tracking import Tracked
from linkwright.solve.tree_pivots import tree_derivatives, tree_kernel, tree_solver
from linkwright.solve.undriven import freedoms

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class TreeEngine:
    """A tree's kernels behind the common interface."""

    machine: Machine

    @property
    def kernels(self) -> Kernels:
        return self.machine.open

    @cached_property
    def independent(self) -> tuple[int, ...]:
        return tuple(range(self.kernels.setup.tree.nv))

    @property
    def redundancy(self) -> tuple[str, ...]:
        return ()

    def inverse_dynamics(self, undriven: str = "refuse") -> Kernel | Callable[..., Array]:
        if self._undriven(undriven):
            return lambda q, v, a: driven_motion(self.machine, None, q, v, a, None)[0]
        return self._answer("inverse_dynamics")

    def forward_dynamics(self) -> Kernel | Callable[..., Array]:
        plain = self.kernels.setup.inertias is None
        return tree_kernel(self.machine) if plain else self.kernels.function("forward_dynamics")

    def _answer(self, name: str) -> Kernel | Callable[..., Array]:
        plain = self.kernels.setup.inertias is None
        return self.kernels.kernel(name) if plain else self.kernels.function(name)

    def inverse_with(self, q: Array, v: Array, a: Array, w_ext: Array, undriven: str = "refuse") -> Array:
        if self._undriven(undriven):
            return driven_motion(self.machine, None, q, v, a, w_ext)[0]
        return self.kernels.function("inverse_dynamics", wrench=True)(q, v, a, w_ext)

    def forward_with(self, q: Array, v: Array, tau: Array, w_ext: Array) -> Array:
        return self._forward(q, v, tau, w_ext)

    def _forward(self, *state: Array) -> Array:
        wrench = len(state) > 3
        if self.kernels.setup.inertias is None:
            return tree_kernel(self.machine, wrench)(*state)
        return self.kernels.function("forward_dynamics", wrench=wrench)(*state)

    def forward_by(self, formulation: Formulation, *state: Array) -> Array:
        if isinstance(formulation, Khan | Rao | Hanzaki):
            require_road(self.machine, formulation)
        return self._forward(*state)

    def inverse_by(
        self, formulation: Formulation, q: Array, v: Array, a: Array, w_ext: Array | None, undriven: str = "refuse"
    ) -> Array:
        if isinstance(formulation, Khan | Rao | Hanzaki):
            require_road(self.machine, formulation)
        if self._undriven(undriven):
            return driven_motion(self.machine, None, q, v, a, w_ext, dense=isinstance(formulation, Minimal))[0]
        extra = () if w_ext is None else (w_ext,)
        return self.kernels.function("inverse_dynamics", wrench=w_ext is not None)(q, v, a, *extra)

    def energy_by(self, formulation: Formulation, q: Array, v: Array) -> Array:
        return self.kernels.function("energy")(q, v)

    def reactions(self, q: Array, v: Array, a: Array, tau: Any, w_ext: Any) -> dict[str, Array]:
        extra = () if w_ext is None else (w_ext,)
        if tau is None and not self._all_driven and freedoms(self.machine.kinematics).expected:
            a = driven_motion(self.machine, None, q, v, a, w_ext)[1]
        w = self.kernels.function("joint_wrenches", wrench=w_ext is not None)(q, v, a, *extra)
        return {link.joint: w[..., i, :] for i, link in enumerate(self.kernels.setup.tree.links)}

    def closure_residual(self, q: Array) -> Array:
        return np.zeros((*np.shape(q)[:-1], 0))

    def closure_jacobian(self, q: Array) -> Array:
        return np.zeros((*np.shape(q)[:-1], 0, len(self.independent)))

    def independent_map(self, q: Array) -> Array:
        n = len(self.independent)
        lost = np.isnan(q).any(axis=-1)[..., None, None]
        return np.where(lost, np.nan, np.broadcast_to(np.eye(n), (*np.shape(q)[:-1], n, n)))

    def minimal_inertia(self, q: Array) -> Array:
        return self.kernels.function("generalized_inertia")(q)

    def motion(self, q: Array, v_ind: Array, a_ind: Array) -> tuple[Array, Array]:
        return np.array(v_ind, dtype=float), np.array(a_ind, dtype=float)

    def forward_derivatives(self) -> Callable[..., tuple[Array, Array, Array]]:
        return tree_derivatives(self.machine)

    def inverse_derivatives(self) -> Callable[..., tuple[Array, Array, Array]]:
        return self.kernels.function("inverse_derivatives")

    def linearise(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        return linear_model(self.kernels.setup.tree, self.forward_derivatives(), q, v, tau)

    def assemble(self, guess: Array | None, fixed: dict[int, float], guesses: int) -> Configuration:
        q = np.array(home(self.kernels) if guess is None else guess, dtype=float)
        for place, value in fixed.items():
            q[place] = value
        return Configuration(q, 0.0)

    def modes(self, q_act: Array, guesses: int) -> list[Configuration]:
        q = self.follow(np.asarray(q_act, dtype=float)[None, :], home(self.kernels))[0]
        return [Configuration(q, 0.0)]

    def follow(self, path: Array, start: Array) -> Array:
        out = np.repeat(np.asarray(start, dtype=float)[None, :], len(path), axis=0)
        out[:, actuator_places(self.machine)] = path
        return out

    def distinct(self, q: Array) -> list[Configuration]:
        return [
            Configuration(row, 0.0) for row in finding.distinct(self.machine, q, home(self.kernels), by_actuators=True)
        ]

    def tracked(self, start: Array, targets: Array) -> Tracked:
        return Tracked(self.follow(targets, start), {})

    def reach(self, starts: Array, rows: Callable[..., tuple[Array, Array]], weights: Array) -> Array:
        return close_with(self.machine, starts, rows, weights)

    def program_name(self, name: str) -> tuple[Kernels, str]:
        recipe = ALL_RECIPES.get(name)
        if name in ("forward_dynamics", "guarded_tree_dynamics"):
            return tree_solver(self.machine)
        if name == "inverse_dynamics" and self._undriven("refuse"):
            return self.machine.dynamics.hybrid, "guarded_hybrid_efforts"
        if recipe and recipe.stage is Stage.HYBRID and self._undriven("refuse"):
            return self.machine.dynamics.hybrid, name
        if name in LOOP_RECIPES or name == "linearise" or (recipe and recipe.stage is not Stage.TREE):
            raise ArgumentError(
                f"'{name}' is computed for closed loops only; '{self.kernels.setup.mech.name}' is a tree"
            )
        return self.kernels, name

    @property
    def _all_driven(self) -> bool:
        setup = self.kernels.setup
        return len(setup.drives) == setup.tree.nv

    def _undriven(self, undriven: str) -> bool:
        """Whether some freedoms follow from the dynamics; refused unless idle, a floating base's or asked for."""
        if self._all_driven:
            return False
        if undriven != "free" and not freedoms(self.machine.kinematics).expected:
            self._refuse()
        return True

    def _refuse(self) -> None:
        setup = self.kernels.setup
        driven = {drive.speed for drive in setup.drives}
        idle = [name for d, name in enumerate(part_names(setup.mech.joints, speeds=True)) if d not in driven]
        if idle and set(idle) <= set(shape_speeds(setup.mech)):
            raise ArgumentError(no_efforts(setup.mech.name, idle), idle=idle)
        listed = ", ".join(f"'{name}'" for name in idle)
        raise ArgumentError(
            f"inverse_dynamics of '{setup.mech.name}': no actuator drives {listed}, so an arbitrary motion has no "
            'efforts; name them in actuated=..., let the dynamics move them with undriven="free", or ask '
            "generalized_forces for what every joint would need",
            idle=idle,
        )
