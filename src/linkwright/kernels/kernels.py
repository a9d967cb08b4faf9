"""Named compiled functions of a mechanism, traced and compiled when first asked for, or taken from the cache."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from linkwright.compiler import Kernel, Options, Program, RolledProgram, compiled, operation_count, trace
from linkwright.errors import ArgumentError
from linkwright.kernels.complement_recipes import COMPLEMENT_RECIPES
from linkwright.kernels.derivative_recipes import DERIVATIVE_RECIPES
from linkwright.kernels.hybrid_recipes import HYBRID_RECIPES
from linkwright.kernels.loop_derivatives import LOOP_DERIVATIVE_RECIPES
from linkwright.kernels.loop_recipes import LOOP_RECIPES
from linkwright.kernels.recipes import RECIPES
from linkwright.kernels.recut_recipes import RECUT_RECIPES
from linkwright.kernels.road_recipes import ROAD_RECIPES
from linkwright.kernels.rolled import can_roll, rolled
from linkwright.kernels.second_recipes import SECOND_RECIPES
from linkwright.kernels.setup import Setup, with_inertias
from linkwright.kernels.spring_recipes import SPRING_RECIPES
from linkwright.kernels.stamp import source_stamp
from linkwright.kernels.stepping_recipes import STEPPING_RECIPES
from linkwright.loops.efforts import Drive
from linkwright.mechanism.names import suggestion

ALL_RECIPES = (
    RECIPES
    | LOOP_RECIPES
    | RECUT_RECIPES
    | SECOND_RECIPES
    | COMPLEMENT_RECIPES
    | HYBRID_RECIPES
    | DERIVATIVE_RECIPES
    | LOOP_DERIVATIVE_RECIPES
    | ROAD_RECIPES
    | SPRING_RECIPES
    | STEPPING_RECIPES
)

# Composite bodies are cheaper for short chains, sweeps for long ones; the crossover is at about nine speeds.
_COMPARE_UP_TO = 14

# Straight-line code of bigger trees takes seconds to compile; rolled code takes the same time for any size.
ROLLED_ABOVE = 48

# Functions of the time stepping, which meet quaternions that are not unit and measure their length or restore it.
_ANY_LENGTH = frozenset({*STEPPING_RECIPES, "advanced", "coordinate_rates"})

Key = tuple[str, bool, str | None]
AnyProgram = TypeVar("AnyProgram", Program, RolledProgram)


class Kernels:
    """Programs and machine code by name; safe to share between threads.

    Those of a machine that differs only in inertias that are inputs are shared with `like`.
    """

    def __init__(self, setup: Setup, like: Kernels | None = None) -> None:
        self.setup = setup
        share = like is not None and like.setup.inertias is not None and like.setup.identity == setup.identity
        self._programs: dict[Key, Program] = like._programs if like and share else {}
        self._kernels: dict[Key, Kernel] = like._kernels if like and share else {}
        self._lock = threading.RLock()

    def program(self, name: str, wrench: bool = False, frame: str | None = None) -> Program:
        """The traced program of a named question; `wrench` adds the argument w_ext, `frame` fixes a frame."""
        key = (name, wrench, frame)
        with self._lock:
            if key not in self._programs:
                self._programs[key] = self._cheapest(name, wrench, frame)
            return self._programs[key]

    def function(self, name: str, wrench: bool = False, frame: str | None = None) -> Callable[..., Any]:
        """Machine code of a named question; inertias that are inputs of the code are given along."""
        call, rows = self.kernel(name, wrench, frame).call, self.setup.inertias
        return call if rows is None else lambda *arrays: call(*arrays, rows)

    def kernel(self, name: str, wrench: bool = False, frame: str | None = None) -> Kernel:
        """The compiled kernel of a named question, from the cache when it is there."""
        key = (name, wrench, frame)
        with self._lock:
            if key not in self._kernels:
                title = f"{source_stamp()} {self.setup.identity} {key}"
                options = Options(guarded=name.startswith("guarded_"))
                self._kernels[key] = compiled(title, lambda: self._made(name, wrench, frame), options)
            return self._kernels[key]

    def _made(self, name: str, wrench: bool, frame: str | None) -> Program | RolledProgram:
        """What to compile: the rolled form of a big tree where there is one, else the straight program."""
        tree = self.setup.lean
        special = wrench or self.setup.inertias is not None or self.setup.closure.n_all
        if special or len(tree.links) <= ROLLED_ABOVE or not can_roll(tree):
            return self.program(name, wrench, frame)
        all_driven = self.setup.drives == tuple(Drive(d) for d in range(tree.nv))
        if name == "generalized_forces" or (name == "inverse_dynamics" and all_driven):
            return self._demanding(name, rolled(tree, forward=False))
        if name == "forward_dynamics" and all_driven:
            return self._demanding(name, rolled(tree, forward=True))
        return self.program(name, wrench, frame)

    def pattern(self, name: str) -> np.ndarray:
        """Which entries of a question's array answer are not zero by structure."""
        program = self.program(name)
        zeros = {program.n_inputs + i for i, c in enumerate(program.constants) if c == 0.0}
        (port,) = program.outputs
        return np.array([int(r) not in zeros for r in program.results], dtype=bool).reshape(port.shape)

    def _cheapest(self, name: str, wrench: bool, frame: str | None) -> Program:
        return self._demanding(name, self._cheaper(name, wrench, frame))

    def _demanding(self, name: str, program: AnyProgram) -> AnyProgram:
        """The program, its callers asked for unit quaternions unless it measures or makes them so."""
        if not self.setup.units or name in _ANY_LENGTH:
            return program
        asked = tuple(replace(p, units=self.setup.units) if p.name == "q" else p for p in program.inputs)
        return replace(program, inputs=asked)

    def _cheaper(self, name: str, wrench: bool, frame: str | None) -> Program:
        program = self._traced(name, wrench, frame)
        short = self.setup.tree.nv <= _COMPARE_UP_TO and name in ("forward_dynamics", "guarded_tree_dynamics")
        if not short and name != "spring_forward_dynamics":
            return program
        other = self._traced(f"{name}_composite", wrench, frame)
        return min(program, other, key=lambda p: operation_count(p).total)

    def _traced(self, name: str, wrench: bool, frame: str | None) -> Program:
        if name not in ALL_RECIPES:
            raise ArgumentError(f"'{name}' is no function of a model{suggestion(name, ALL_RECIPES)}")
        recipe = ALL_RECIPES[name]
        sizes = self.setup.sizes()
        arguments = (*recipe.arguments, "w_ext") if wrench else recipe.arguments
        fixed = {} if frame is None else {"frame": frame}
        if self.setup.inertias is None:
            return trace(lambda **x: recipe.answer(self.setup, **x, **fixed), {n: sizes[n] for n in arguments})

        def answer(inertias: np.ndarray, **x: Any) -> Any:
            return recipe.answer(with_inertias(self.setup, inertias), **x, **fixed)

        return trace(answer, {n: sizes[n] for n in (*arguments, "inertias")})
