"""A mechanism at one state, how the state follows its inputs there, and functions given by their programs.

What is held (the actuators and what nobody drives, or a frame's pose) keeps its position, velocity and acceleration;
all else follows from the equations of three levels, differentiated at the solution: no iteration is differentiated.
Forward, the changes of q, v and a are found in this order; in reverse, weights go from a over v to q (theory 6.36).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.compiler import is_zero
from linkwright.dataclass import dataclass
from linkwright.functions.setup import Setup
from linkwright.functions.tree.tree_derivative_functions import tangent_map
from linkwright.gradients.differentiated_equations import Arrays, Differentiable, Term, weighted_sum
from linkwright.gradients.fixed_quantities import FixedMotion
from linkwright.loops.closure import actuation_matrix
from linkwright.recursion import inertia

# --- A mechanism at one state, and how coordinates, velocities and accelerations follow its inputs there --------------


@dataclass(frozen=True, eq=False)
class Point:
    """A mechanism at one state and one set of inputs; any scalar.

    Attributes:
        setup: trees and closure at these inputs.
        x: the state and the inputs `p` by name.
        driving: the actuators and what nobody drives, which dynamics are written in.
        following: what is held while the inputs change; None where q, v and a stay.
        balance: the equations of motion.
    """

    setup: Setup
    x: dict[str, Any]
    driving: FixedMotion
    following: FixedMotion | None
    balance: Differentiable

    @cached_property
    def N(self) -> Mat:
        """Coordinate rates = N v, (nq, nv)."""
        return tangent_map(self.setup, self.x["q"])

    @cached_property
    def M(self) -> Mat:
        """Inertia of the tree, (nv, nv)."""
        return inertia.tree_mass_matrix(self.setup.simplified, self.x["q"])

    @cached_property
    def B(self) -> Mat:
        """Tree forces = B tau, (nv, na)."""
        return actuation_matrix(self.setup.closure, self.setup.drives, self.x["q"])

    def with_values(self, **values: Any) -> Point:
        """The point with further or other values, q apart."""
        out = replace(self, x={**self.x, **values})
        for name in ("N", "M", "B"):
            if name in self.__dict__:
                out.__dict__[name] = self.__dict__[name]
        return out

    def vjp(self, bars: Arrays, terms: Sequence[Term] = (), levels: str = "avq") -> Vec:
        """Derivatives by the inputs, (n_p,), of the sum of weighted terms and of a quantity with derivatives `bars`.

        `levels`: those of q, v and a, from a to q, that follow the inputs. The equation of a level joins the terms with
        weights that undo its changes, so that one sweep back by q and p serves all of them: they share the motion.
        """
        left, terms = dict(bars), list(terms)
        total = left.pop("p", np.zeros(len(self.x["p"])))
        held = self.following
        if held is None:
            return total + weighted_sum(self.x, terms, ("p",)).get("p", 0.0)
        for name in levels.removesuffix("q"):
            bar = _sum_of_derivatives(left.get(name), weighted_sum(self.x, terms, (name,)).get(name))
            if held.equations and not _is_zero_derivative(bar):
                terms.append(Term(held.equations[name], held.completion.closing_transposed(bar)))
        found = weighted_sum(self.x, terms, ("q", "p"))
        total = total + found.get("p", 0.0)
        bar = _sum_of_derivatives(left.get("q"), found.get("q"))
        return total if _is_zero_derivative(bar) else total + self.displacement_vjp(self.N.T @ bar)

    def equation_vjp(self, equation: Differentiable, weights: Vec, names: tuple[str, ...] = ("q", "v")) -> Any:
        """Derivatives of weights @ equation by p and, unless the state is held, by the named parts of the state."""
        wrt = (*(names if self.following is not None else ()), "p")
        found = equation.vjp(self.x, weights, wrt)
        return {name.removesuffix("_bar"): bar for name, bar in found.items()}

    def state_directions(self, direction: Vec, names: tuple[str, ...]) -> dict[str, Vec]:
        """Directions of p and of those of q (in coordinates), v, a that are named, along a direction of the inputs."""
        out: dict[str, Vec] = {"p": direction}
        held = self.following
        if held is None:
            return out
        for name in ("q", "v", "a"):
            if name in names and held.equations:
                change = held.completion.closing(held.equations[name].jvp(self.x, out))
                out[name] = self.N @ change if name == "q" else change
        return out

    def displacement_jvp(self, direction: Vec) -> Vec:
        """Displacements, (nv,), along a direction of the inputs."""
        held = self.following
        if held is None or not held.equations:
            return np.zeros(self.setup.simplified.nv)
        return held.completion.closing(held.equations["q"].jvp(self.x, {"p": direction}))

    def displacement_vjp(self, weights: Vec) -> Vec:
        """The transpose of `displacement_jvp`: derivatives by the inputs, (n_p,), of weights @ displacements."""
        held = self.following
        if held is None or not held.equations:
            return np.zeros(len(self.x["p"]))
        term = Term(held.equations["q"], held.completion.closing_transposed(weights))
        return weighted_sum(self.x, [term], ("p",)).get("p", np.zeros(len(self.x["p"])))


def _sum_of_derivatives(a: Any, b: Any) -> Any:
    """The sum of two derivatives, of which there may be none."""
    return b if a is None else a if b is None else a + b


def _is_zero_derivative(bar: Any) -> bool:
    return bar is None or all(is_zero(each) for each in np.ravel(bar))


# --- derivatives of functions by the inputs ---------------------------------------------------------------------------


class DifferentiatedFunction(Protocol):
    """A function to differentiate.

    Attributes:
        needs_map: whether the derivatives need the map R from the held velocities to all velocities, v = R v_held.
    """

    needs_map: ClassVar[bool]

    @property
    def size(self) -> int:
        """Number of results."""

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the results, which are one flat vector."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arguments it takes, p apart."""

    def vjp(self, at: Point, weights: Vec) -> Vec:
        """Vector-Jacobian product: derivatives of weights @ results by the inputs, (n_p,)."""

    def jvp(self, at: Point, direction: Vec) -> Vec:
        """Jacobian-vector product: derivatives of the results along a direction of the inputs, (size,)."""


@dataclass(frozen=True, eq=False)
class Explicit:
    """A function given by its program."""

    needs_map: ClassVar[bool] = False

    function: Differentiable

    @property
    def size(self) -> int:
        return self.function.size

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(port.shape for port in self.function.program.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        return self.function.names[:-1]

    def vjp(self, at: Point, weights: Vec) -> Vec:
        return at.vjp({}, [Term(self.function, weights)])

    def jvp(self, at: Point, direction: Vec) -> Vec:
        return self.function.jvp(at.x, at.state_directions(direction, self.names))


@dataclass(frozen=True, eq=False)
class PosesOf:
    """Poses, origin and rotation matrix of each; their changes are [angular; linear], world axes.

    shape: (6,) of one pose, (n, 6) of several.
    """

    needs_map: ClassVar[bool] = False

    function: Differentiable
    shape: tuple[int, ...] = (6,)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.shape,)

    @property
    def names(self) -> tuple[str, ...]:
        return self.function.names[:-1]

    def vjp(self, at: Point, weights: Vec) -> Vec:
        rows = [_row_weights(R, w) for R, w in zip(self._rotations(at), weights.reshape(-1, 6), strict=True)]
        return Explicit(self.function).vjp(at, np.concatenate(rows))

    def jvp(self, at: Point, direction: Vec) -> Vec:
        rows = Explicit(self.function).jvp(at, direction).reshape(-1, 12)
        return np.concatenate([_twist_of_change(R, row) for R, row in zip(self._rotations(at), rows, strict=True)])

    def _rotations(self, at: Point) -> Mat:
        return self.function.values(at.x).reshape(-1, 12)[:, 3:].reshape(-1, 3, 3)


def _twist_of_change(R: Mat, d_row: Vec) -> Vec:
    """[angular; linear] of a change of origin and rotation, 2 d_theta = sum R_i x dR_i over the columns."""
    dR = d_row[3:].reshape(3, 3)
    return np.concatenate([sum(0.5 * cross_product(R[:, i], dR[:, i]) for i in range(3)), d_row[:3]])


def _row_weights(R: Mat, weights: Vec) -> Vec:
    """The transpose of `_twist_of_change`: weights of origin and rotation from those of [angular; linear]."""
    turned = np.array([0.5 * cross_product(weights[:3], R[:, i]) for i in range(3)]).T
    return np.concatenate([weights[3:], turned.ravel()])


@dataclass(frozen=True, eq=False)
class Assembly:
    """The coordinates themselves, as tangent displacements, (nv,)."""

    needs_map: ClassVar[bool] = False

    size: int
    names: tuple[str, ...] = ("q",)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    def vjp(self, at: Point, weights: Vec) -> Vec:
        return at.displacement_vjp(weights)

    def jvp(self, at: Point, direction: Vec) -> Vec:
        return at.displacement_jvp(direction)
