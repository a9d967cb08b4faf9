"""Derivatives of functions by the inputs: explicit ones, and efforts and accelerations by the equations they solve.

Efforts and accelerations are not differentiated through their elimination: the equations M a + h = B tau + J_c^T lam
and J_c a + c = 0 are, at their solution, and one more solution of the same linear system gives the derivative
(theory 6.37-6.38).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross
from linkwright.formulations.minimal import Complement, transposed_solve
from linkwright.kernels.gradients.closing import Point
from linkwright.kernels.gradients.differentiable import Differentiable
from linkwright.kernels.tree.functions import link_wrenches
from linkwright.loops.efforts import effort_matrix
from linkwright.recursion import inverse
from linkwright.recursion.factor import udu, udu_solve


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

    def pulled(self, at: Point, weights: Vec) -> Vec:
        """Derivatives of weights @ results by the inputs, (n_p,)."""

    def pushed(self, at: Point, direction: Vec) -> Vec:
        """Derivatives of the results along a direction of the inputs, (size,)."""

    @property
    def forward_only(self) -> bool:
        """Whether only `pushed` is there."""


@dataclass(frozen=True, eq=False)
class Explicit:
    """A function given by its program."""

    function: Differentiable
    forward_only: bool = False

    @property
    def size(self) -> int:
        return self.function.size

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(port.shape for port in self.function.program.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        return self.function.names[:-1]

    def pulled(self, at: Point, weights: Vec) -> Vec:
        found = self.function.pulled(at.x, weights, ("q", "v", "a", "p") if at.follow else ("p",))
        return at.pulled({name.removesuffix("_bar"): bar for name, bar in found.items()})

    def pushed(self, at: Point, direction: Vec) -> Vec:
        return self.function.pushed(at.x, at.followed(direction, self.names))


@dataclass(frozen=True, eq=False)
class PosesOf:
    """Poses, origin and rotation matrix of each; their changes are [angular; linear], world axes.

    shape: (6,) of one pose, (n, 6) of several.
    """

    function: Differentiable
    shape: tuple[int, ...] = (6,)
    forward_only: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return (self.shape,)

    @property
    def names(self) -> tuple[str, ...]:
        return self.function.names[:-1]

    def pulled(self, at: Point, weights: Vec) -> Vec:
        rows = [_row_weights(R, w) for R, w in zip(self._rotations(at), weights.reshape(-1, 6), strict=True)]
        return Explicit(self.function).pulled(at, np.concatenate(rows))

    def pushed(self, at: Point, direction: Vec) -> Vec:
        rows = Explicit(self.function).pushed(at, direction).reshape(-1, 12)
        return np.concatenate([_twist(R, row) for R, row in zip(self._rotations(at), rows, strict=True)])

    def _rotations(self, at: Point) -> Mat:
        return self.function.values(at.x).reshape(-1, 12)[:, 3:].reshape(-1, 3, 3)


def _twist(R: Mat, d_row: Vec) -> Vec:
    """[angular; linear] of a change of origin and rotation, 2 d_theta = sum R_i x dR_i over the columns."""
    dR = d_row[3:].reshape(3, 3)
    return np.concatenate([sum(0.5 * cross(R[:, i], dR[:, i]) for i in range(3)), d_row[:3]])


def _row_weights(R: Mat, weights: Vec) -> Vec:
    """The transpose of `_twist`: weights of origin and rotation from those of [angular; linear]."""
    turned = np.array([0.5 * cross(weights[:3], R[:, i]) for i in range(3)]).T
    return np.concatenate([weights[3:], turned.ravel()])


@dataclass(frozen=True, eq=False)
class Assembly:
    """The coordinates themselves, as tangent displacements, (nv,)."""

    size: int
    names: tuple[str, ...] = ("q",)
    forward_only: bool = False

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    def pulled(self, at: Point, weights: Vec) -> Vec:
        if not at.setup.closure.n_all:
            return np.zeros(len(at.x["p"]))
        return at.pulled_equation("gap", at.found.closing_transposed(weights), without="q")["p"]

    def pushed(self, at: Point, direction: Vec) -> Vec:
        if not at.setup.closure.n_all:
            return np.zeros(self.size)
        return at.found.closing(at.equations["gap"].pushed(at.x, {"p": direction}))


@dataclass(frozen=True, eq=False)
class EffortFunction:
    """Efforts of actuators that do not repeat each other.

    Attributes:
        driven: columns of R that are the actuators' velocities, in their order.
        free: columns of R whose accelerations follow from the dynamics, because nobody drives them.
    """

    driven: Sequence[int]
    free: Sequence[int]
    names: tuple[str, ...]
    forward_only: bool = False

    @property
    def size(self) -> int:
        return len(self.driven)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    def pulled(self, at: Point, weights: Vec) -> Vec:
        at, F = self._solved(at)
        R = at.found.R
        u = R[:, list(self.driven)] @ weights
        if self.free:
            u = u - F @ _solved(F.T @ at.M @ F, F.T @ (at.M @ u))
        bars = at.pulled_equation("balance", u)
        z = at.found.closing_transposed(at.M @ u)
        if at.follow:
            return at.pulled(_sum(bars, at.pulled_equation("second", z)) if len(z) else bars)
        if self.free and len(z):  # what is added to the accelerations keeps J_c a as given
            bars = _sum(bars, at.with_values(v=at.x["extra"]).pulled_equation("rate", z))
        return bars["p"]

    def pushed(self, at: Point, direction: Vec) -> Vec:
        return self.changes(at, direction)[1]["tau"]

    def changes(self, at: Point, direction: Vec) -> tuple[Point, dict[str, Vec]]:
        """The point with all it needs, and directions of q, v, a, tau, lam and p."""
        at, F = self._solved(at)
        moved, found, da = at.followed(direction, ("q", "v")), at.found, np.zeros(len(at.M))
        force = at.equations["balance"].pushed(at.x, moved)
        if at.follow:
            da = found.closing(at.equations["second"].pushed(at.x, moved))
        elif self.free and at.setup.closure.n_all:
            extra = at.with_values(v=at.x["extra"])
            da = found.closing(extra.equations["rate"].pushed(extra.x, moved))
        force = force + at.M @ da
        if self.free:
            more = -(F @ _solved(F.T @ at.M @ F, F.T @ force))
            da, force = da + more, force + at.M @ more
        tau = found.R[:, list(self.driven)].T @ force
        lam = found.multipliers(force - effort_matrix(at.setup.closure, at.setup.drives, at.x["q"]) @ tau)
        return at, {**moved, "a": da, "tau": tau, "lam": lam}

    def _solved(self, at: Point) -> tuple[Point, Mat]:
        """The point with efforts, multipliers and accelerations that follow, and the motions that nobody drives."""
        q, v, a = (at.x[name] for name in "qva")
        force = inverse.inverse_dynamics(at.setup.simplified, q, v, a, link_wrenches(at.setup, at.x.get("w_ext")))
        R = at.found.R
        F, extra = R[:, list(self.free)], np.zeros(len(R))
        if self.free:
            extra = -(F @ _solved(F.T @ at.M @ F, F.T @ force))
            force = force + at.M @ extra
        tau = R[:, list(self.driven)].T @ force
        lam = at.found.multipliers(force - effort_matrix(at.setup.closure, at.setup.drives, q) @ tau)
        return at.with_values(a=a + extra, tau=tau, lam=lam, extra=extra), F


@dataclass(frozen=True, eq=False)
class Reactions:
    """Wrenches in all joints under the efforts that the motion needs.

    Attributes:
        efforts: these efforts. wrenches: from q, v, a, and with loops from tau and the multipliers of all rows.
        spread: multipliers of all rows from those of the kept ones, lam; None where all are kept or there are none.
    """

    efforts: EffortFunction
    wrenches: Differentiable
    spread: Differentiable | None
    forward_only: bool = True

    @property
    def size(self) -> int:
        return self.wrenches.size

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(port.shape for port in self.wrenches.program.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        return self.efforts.names

    def pulled(self, at: Point, weights: Vec) -> Vec:
        raise NotImplementedError("derivatives of joint reactions are computed along directions only")

    def pushed(self, at: Point, direction: Vec) -> Vec:
        at, moved = self.efforts.changes(at, direction)
        if self.spread is not None:
            moved = {**moved, "lam": self.spread.pushed(at.x, {name: moved[name] for name in moved if name != "a"})}
            at = at.with_values(lam=self.spread.values(at.x))
        return self.wrenches.pushed(at.x, moved)


def spread(J: Mat, found: Complement, units: Vec, lam: Vec) -> Vec:
    """Multipliers of all rows with Jacobian J, of least norm in some units, that carry what those of kept rows carry.

    All rows follow from the kept ones, J / units = C J_kept; so C^T carries multipliers back, and C (C^T C)^-1 lam is
    the shortest that it carries to lam.
    """
    dependent = list(found.part.dependent)
    C_t = np.array(
        [transposed_solve(found.factor, row[dependent] / unit) for row, unit in zip(J, units, strict=True)]
    ).T
    return C_t.T @ _solved(C_t @ C_t.T, lam) / units


@dataclass(frozen=True, eq=False)
class Accelerations:
    """Accelerations under efforts, (nv,); `order`: that of the velocities in which a tree's inertia stays sparse."""

    size: int
    names: tuple[str, ...]
    order: list[int] | None
    forward_only: bool = False

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    def pulled(self, at: Point, weights: Vec) -> Vec:
        at, U, D = self._solved(at)
        R = at.found.R
        u = R @ udu_solve(U, D, R.T @ weights, self.order)
        bars = at.pulled_equation("balance", -u)
        z = at.found.closing_transposed(weights - at.M @ u)
        return at.pulled(_sum(bars, at.pulled_equation("second", z)) if len(z) else bars)

    def pushed(self, at: Point, direction: Vec) -> Vec:
        at, U, D = self._solved(at)
        R, moved = at.found.R, at.followed(direction, ("q", "v"))
        force, g = at.equations["balance"].pushed(at.x, moved), np.zeros(self.size)
        if at.setup.closure.n_all:
            g = at.found.closing(at.equations["second"].pushed(at.x, moved))
            force = force + at.M @ g
        return g - R @ udu_solve(U, D, R.T @ force, self.order)

    def _solved(self, at: Point) -> tuple[Point, Mat, Vec]:
        """The point with its accelerations and multipliers, and the factors of the inertia on the held velocities."""
        q, v, tau = (at.x[name] for name in ("q", "v", "tau"))
        setup, found = at.setup, at.found
        U, D = udu(found.R.T @ at.M @ found.R, self.order)
        h = inverse.bias_forces(setup.simplified, q, v, link_wrenches(setup, at.x.get("w_ext")))
        g = still = np.zeros(self.size)
        if setup.closure.n_all:
            g = found.closing(at.equations["second"].values({**at.x, "a": still}))
        force = effort_matrix(setup.closure, setup.drives, q) @ tau - h - at.M @ g
        a = found.R @ udu_solve(U, D, found.R.T @ force, self.order) + g
        lam = found.multipliers(at.M @ (a - g) - force)
        return at.with_values(a=a, lam=lam), U, D


def _solved(A: Mat, b: Vec) -> Vec:
    """The solution of a symmetric system."""
    return udu_solve(*udu(A), b)


def _sum(x: dict[str, Vec], y: dict[str, Vec]) -> dict[str, Vec]:
    return {**x, **y} | {name: x[name] + y[name] for name in x if name in y}
