"""Programs with their derivatives along a direction (forward) and of a weighted sum of outputs (reverse)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import Program, adjoint, inlined, tangent, trace

Arrays = Mapping[str, Any]


class Differentiable:
    """A program, called on recorded values (then it is recorded in their trace) or on plain numbers.

    Arguments are looked up by name among the arrays given; outputs are one flat vector, in the order of the program's.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = tuple(port.name for port in program.inputs)
        self._made: dict[tuple[str, ...], Program] = {}
        self._with: dict[Differentiable, Differentiable] = {}

    @property
    def size(self) -> int:
        """Number of outputs."""
        return self.program.n_outputs

    def vjp(self, x: Arrays, weights: Vec, wrt: Sequence[str]) -> dict[str, Vec]:
        """Vector-Jacobian product: derivatives of weights @ outputs by the named arguments that the program takes."""
        names = tuple(name for name in wrt if name in self.names)
        key = ("adjoint", *names)
        if key not in self._made:
            self._made[key] = adjoint(self.program, names)
        found = inlined(self._made[key], *self._given_arguments(x), *self._split(weights))
        return found if isinstance(found, dict) else {names[0] + "_bar": found}

    def jvp(self, x: Arrays, directions: Arrays) -> Vec:
        """Jacobian-vector product: derivatives of the outputs along directions of the arguments that it takes."""
        names = tuple(name for name in directions if name in self.names)
        key = ("tangent", *names)
        if key not in self._made:
            self._made[key] = tangent(self.program, names)
        return self._flat(inlined(self._made[key], *self._given_arguments(x), *(directions[name] for name in names)))

    def beside(self, other: Differentiable) -> Differentiable:
        """This program and another as one: the outputs of both, of the arguments of both."""
        if other not in self._with:
            ports = [port for each in (self, other) for port in each.program.inputs]
            shapes = {port.name: port.shape for port in sorted(ports, key=lambda port: port.name == "p")}
            both = trace(lambda **x: np.concatenate([self.values(x), other.values(x)]), shapes)
            self._with[other] = Differentiable(both)
        return self._with[other]

    def values(self, x: Arrays) -> Vec:
        """The outputs."""
        return self._flat(inlined(self.program, *self._given_arguments(x)))

    def _given_arguments(self, x: Arrays) -> list[Any]:
        return [x[name] for name in self.names]

    def _split(self, weights: Vec) -> list[Vec]:
        ends = np.cumsum([port.size for port in self.program.outputs])
        parts = np.split(np.asarray(weights), ends[:-1])
        return [part.reshape(port.shape) for part, port in zip(parts, self.program.outputs, strict=True)]

    def _flat(self, found: Any) -> Vec:
        parts = found.values() if isinstance(found, dict) else found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.ravel(part) for part in parts])


class Term(NamedTuple):
    """Weights on the outputs of a program."""

    function: Differentiable
    weights: Vec


def weighted_sum(x: Arrays, terms: Sequence[Term], wrt: Sequence[str]) -> dict[str, Vec]:
    """Derivatives of the sum of terms by the named arguments, of those that occur: one sweep back."""
    taken = [term for term in terms if set(wrt) & set(term.function.names)]
    if not taken:
        return {}
    function = reduce(Differentiable.beside, (term.function for term in taken))
    found = function.vjp(x, np.concatenate([term.weights for term in taken]), wrt)
    return {name.removesuffix("_bar"): bar for name, bar in found.items()}
