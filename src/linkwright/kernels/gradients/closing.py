"""How coordinates, velocities and accelerations follow the inputs of a mechanism whose loops stay closed.

The held velocities (the actuators' and those that nobody drives) keep their positions, velocities and accelerations;
all others follow from gap = 0, rate = 0 and second = 0, differentiated at the solution: no iteration is differentiated.
Forward, the changes of q, v and a are found in this order; in reverse, weights go from a over v to q (theory 6.36).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import is_zero
from linkwright.kernels.gradients.differentiable import Arrays, Differentiable
from linkwright.kernels.setup import Setup
from linkwright.kernels.tree.derivatives import tangent_map
from linkwright.kernels.tree.functions import link_wrenches
from linkwright.loops import efforts
from linkwright.loops.closure import closure_bias, closure_jacobian, closure_residual
from linkwright.recursion import inertia, inverse
from linkwright.recursion.motion import motion

_LEVELS = (("a", "second"), ("v", "rate"), ("q", "gap"))
"""Arguments and the closure equations that their dependent parts follow from, highest derivative first."""


class HeldCompletion(Protocol):
    """Motion as a function of the held velocities."""

    @property
    def R(self) -> Mat:
        """v = R v_held, (nv, n_held)."""

    def closing(self, rates: Mat) -> Mat:
        """Changes of all velocities, zero in the held ones, that undo gap rates."""

    def closing_transposed(self, weights: Vec) -> Vec:
        """Its transpose: weights on gap rates from weights on velocities."""

    def multipliers(self, force: Vec) -> Vec:
        """lam with J_c^T lam = force in the dependent velocities."""


@dataclass(frozen=True, eq=False)
class Unlooped:
    """The completion of a tree: every velocity is held."""

    R: Mat

    def closing(self, rates: Mat) -> Mat:
        return np.zeros((len(self.R), *rates.shape[1:]))

    def closing_transposed(self, weights: Vec) -> Vec:
        return np.zeros(0)

    def multipliers(self, force: Vec) -> Vec:
        return np.zeros(0)


def balance(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """M a + h - J_c^T lam - B tau, (nv,), but for efforts at tree joints, which depend on nothing."""
    closure = setup.closure
    outer = [np.zeros(6)] * len(setup.simplified.links) if w_ext is None else link_wrenches(setup, w_ext)
    if not closure.n_all:
        return inverse.inverse_dynamics(setup.simplified, q, v, a, None if w_ext is None else outer)
    every = lam
    if closure.kept is not None:
        every = np.zeros(closure.n_all, dtype=lam.dtype)
        every[list(closure.kept)] = lam
    ends = efforts.loop_wrenches(closure, setup.drives, q, every, tau)
    carried = [x + y for x, y in zip(efforts.link_wrenches(closure, ends), outer or [], strict=True)]
    force = inverse.inverse_dynamics(setup.simplified, q, v, a, carried)
    for coupling, row in zip(closure.couplings, every[closure.n_all - len(closure.couplings) :], strict=True):
        for speed, ratio in zip(coupling.speeds, coupling.row(q), strict=True):
            force[speed] = force[speed] - ratio * row
    return force


def gap(setup: Setup, q: Vec) -> Vec:
    """Closure residuals, (n_rows,)."""
    return closure_residual(setup.closure, q)


def rate(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Their rates, J_c v."""
    return closure_jacobian(setup.closure, q) @ v


def second(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates, J_c a + c."""
    return closure_bias(setup.closure, q, v, motion(setup.simplified, q, v, a), a)


EQUATIONS: dict[str, tuple[Callable[..., Vec], tuple[str, ...]]] = {
    "balance": (balance, ("q", "v", "a", "lam", "tau")),
    "gap": (gap, ("q",)),
    "rate": (rate, ("q", "v")),
    "second": (second, ("q", "v", "a")),
}
"""Equations of a mechanism by name, with their arguments."""


@dataclass(frozen=True, eq=False)
class Point:
    """A mechanism at one state and one set of inputs; any scalar.

    Attributes:
        setup: trees and closure at these inputs.
        x: the state and the inputs `p` by name.
        found: motion as a function of the held velocities.
        equations: programs of the equations, with p as last argument.
        follow: whether q, v and a follow the inputs; else they stay.
    """

    setup: Setup
    x: dict[str, Any]
    found: HeldCompletion
    equations: Mapping[str, Differentiable]
    follow: bool

    @cached_property
    def N(self) -> Mat:
        """Coordinate rates = N v, (nq, nv)."""
        return tangent_map(self.setup, self.x["q"])

    @cached_property
    def M(self) -> Mat:
        """Inertia of the tree, (nv, nv)."""
        return inertia.mass_matrix(self.setup.simplified, self.x["q"])

    def with_values(self, **values: Any) -> Point:
        """The point with further or other values."""
        return Point(self.setup, {**self.x, **values}, self.found, self.equations, self.follow)

    def pulled(self, bars: Arrays) -> Vec:
        """Derivatives by the inputs, (n_p,), of a quantity with derivatives `bars` by q, v, a and p."""
        left = dict(bars)
        total = left.pop("p", np.zeros(len(self.x["p"])))
        for name, equation in _LEVELS if self.follow else ():
            bar = left.pop(name, None)
            if bar is None or all(is_zero(each) for each in np.ravel(bar)):
                continue
            weights = self.found.closing_transposed(self.N.T @ bar if name == "q" else bar)
            more = self.pulled_equation(equation, weights, without=name)
            total = total + more.pop("p")
            for other, extra in more.items():
                left[other] = left[other] + extra if other in left else extra
        return total

    def pulled_equation(self, equation: str, weights: Vec, without: str = "") -> dict[str, Vec]:
        """Derivatives of weights @ equation by those of q, v, p that follow, and by p."""
        names = [name for name in ("q", "v", "p") if name != without and (self.follow or name == "p")]
        found = self.equations[equation].pulled(self.x, weights, names)
        return {name.removesuffix("_bar"): bar for name, bar in found.items()}

    def followed(self, direction: Vec, names: tuple[str, ...]) -> dict[str, Vec]:
        """Directions of p and of those of q (in coordinates), v, a that are named, along a direction of the inputs."""
        out: dict[str, Vec] = {"p": direction}
        if not self.follow:
            return out
        for name, equation in reversed(_LEVELS):
            if name in names:
                change = self.found.closing(self.equations[equation].pushed(self.x, out))
                out[name] = self.N @ change if name == "q" else change
        return out
