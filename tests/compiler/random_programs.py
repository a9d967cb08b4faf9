"""Random straight-line computations that run on any kind of number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Program, maximum, minimum, select, trace
from linkwright.errors import CompilerError

UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda a: -a,
    "recip": lambda a: 1.0 / a,
    "abs": abs,
    "square": lambda a: a**2,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "tanh": np.tanh,
}
BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "atan2": np.arctan2,
    "min": minimum,
    "max": maximum,
}
RATIONAL = ("neg", "abs", "square", "recip", "add", "sub", "mul", "div", "min", "max", "select")


@dataclass(frozen=True)
class Computation:
    """Steps of (name, three numbers of earlier values); the first values are the inputs, then the constants."""

    n_inputs: int
    constants: tuple[float, ...]
    steps: tuple[tuple[str, int, int, int], ...]
    results: tuple[int, ...]

    def __call__(self, x: Any) -> Any:
        values = [*x, *(0.0 * x[0] + c for c in self.constants)]
        for name, i, j, k in self.steps:
            a, b, c = (values[m % len(values)] for m in (i, j, k))
            try:
                values.append(_apply(name, a, b, c))
            except CompilerError:  # a constant divided by zero, or out of range: leave that step out
                values.append(a)
        return np.array([values[m % len(values)] for m in self.results])

    def program(self) -> Program:
        return trace(self, {"x": self.n_inputs})


def _apply(name: str, a: Any, b: Any, c: Any) -> Any:
    if name in UNARY:
        return UNARY[name](a)
    return select(a, b, c) if name == "select" else BINARY[name](a, b)


def random_computation(rng: np.random.Generator, names: list[str], steps: int) -> Computation:
    """A computation drawn from a generator."""
    constants = rng.choice([0.0, 1.0, -1.0, 2.0, 0.5, 3.0, -0.1, np.pi, 1e-300, 1e200], 3)
    drawn = [(str(rng.choice(names)), *(int(k) for k in rng.integers(0, 10**6, 3))) for _ in range(steps)]
    results = tuple(int(k) for k in rng.integers(0, 10**6, int(rng.integers(1, 7))))
    return Computation(int(rng.integers(1, 7)), tuple(constants.tolist()), tuple(drawn), results)
