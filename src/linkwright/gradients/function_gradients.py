"""Derivatives of functions by the inputs: those that are given by their programs, and the coordinates themselves."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.dataclass import dataclass
from linkwright.gradients.differentiable import Differentiable, Term
from linkwright.gradients.state_gradients import Point


class DifferentiatedFunction(Protocol):
    """A function to differentiate."""

    @property
    def size(self) -> int:
        """Number of results."""

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the results, which are one flat vector."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arguments it takes, p apart."""

    @property
    def needs_map(self) -> bool:
        """True if the derivatives need the map R from the held velocities to all velocities, v = R v_held."""

    def vjp(self, at: Point, weights: Vec) -> Vec:
        """Vector-Jacobian product: derivatives of weights @ results by the inputs, (n_p,)."""

    def jvp(self, at: Point, direction: Vec) -> Vec:
        """Jacobian-vector product: derivatives of the results along a direction of the inputs, (size,)."""


@dataclass(frozen=True, eq=False)
class Explicit:
    """A function given by its program."""

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

    @property
    def needs_map(self) -> bool:
        return False

    def vjp(self, at: Point, weights: Vec) -> Vec:
        return at.vjp({}, [Term(self.function, weights)])

    def jvp(self, at: Point, direction: Vec) -> Vec:
        return self.function.jvp(at.x, at.followed(direction, self.names))


@dataclass(frozen=True, eq=False)
class PosesOf:
    """Poses, origin and rotation matrix of each; their changes are [angular; linear], world axes.

    shape: (6,) of one pose, (n, 6) of several.
    """

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

    @property
    def needs_map(self) -> bool:
        return False

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

    size: int
    names: tuple[str, ...] = ("q",)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    @property
    def needs_map(self) -> bool:
        return False

    def vjp(self, at: Point, weights: Vec) -> Vec:
        return at.displacement_vjp(weights)

    def jvp(self, at: Point, direction: Vec) -> Vec:
        return at.displacement_jvp(direction)
