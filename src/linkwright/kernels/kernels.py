"""Named compiled functions of a mechanism, traced and compiled when first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler import Program, operation_count, trace
from linkwright.compiler.compiling import compile_program
from linkwright.errors import ArgumentError
from linkwright.kernels.loop_recipes import LOOP_RECIPES
from linkwright.kernels.recipes import RECIPES
from linkwright.kernels.setup import Setup
from linkwright.mechanism.names import suggestion

ALL_RECIPES = RECIPES | LOOP_RECIPES

# Composite bodies are cheaper for short chains, sweeps for long ones; the crossover is at about nine speeds.
_COMPARE_UP_TO = 14


class Kernels:
    """Programs and machine code by name; safe to share between threads."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._programs: dict[tuple[str, bool, str | None], Program] = {}
        self._functions: dict[tuple[str, bool, str | None], Callable[..., Any]] = {}
        self._lock = threading.RLock()

    def program(self, name: str, wrench: bool = False, frame: str | None = None) -> Program:
        """The traced program of a named question; `wrench` adds the argument w_ext, `frame` fixes a frame."""
        key = (name, wrench, frame)
        with self._lock:
            if key not in self._programs:
                self._programs[key] = self._cheapest(name, wrench, frame)
            return self._programs[key]

    def function(self, name: str, wrench: bool = False, frame: str | None = None) -> Callable[..., Any]:
        """Machine code of a named question."""
        key = (name, wrench, frame)
        with self._lock:
            if key not in self._functions:
                self._functions[key] = compile_program(self.program(name, wrench, frame)).call
            return self._functions[key]

    def pattern(self, name: str) -> np.ndarray:
        """Which entries of a question's array answer are not zero by structure."""
        program = self.program(name)
        zeros = {program.n_inputs + i for i, c in enumerate(program.constants) if c == 0.0}
        (port,) = program.outputs
        return np.array([int(r) not in zeros for r in program.results], dtype=bool).reshape(port.shape)

    def _cheapest(self, name: str, wrench: bool, frame: str | None) -> Program:
        program = self._traced(name, wrench, frame)
        if name != "forward_dynamics" or self.setup.tree.nv > _COMPARE_UP_TO:
            return program
        other = self._traced("forward_dynamics_composite", wrench, frame)
        return min(program, other, key=lambda p: operation_count(p).total)

    def _traced(self, name: str, wrench: bool, frame: str | None) -> Program:
        if name not in ALL_RECIPES:
            raise ArgumentError(f"'{name}' is no function of a model{suggestion(name, ALL_RECIPES)}")
        recipe = ALL_RECIPES[name]
        sizes = self.setup.sizes()
        arguments = (*recipe.arguments, "w_ext") if wrench else recipe.arguments
        fixed = {} if frame is None else {"frame": frame}
        return trace(lambda **arrays: recipe.answer(self.setup, **arrays, **fixed), {n: sizes[n] for n in arguments})
