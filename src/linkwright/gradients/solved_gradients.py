"""Derivatives of efforts, reactions and accelerations by the inputs, by the equations that they solve.

They are not differentiated through their elimination: the equations M a + h = B tau + J_c^T lam and J_c a + c = 0 are,
at their solution, and one more solution of the same linear system gives the derivative (theory 6.37-6.38).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.functions.tree.tree_functions import link_frame_wrenches
from linkwright.gradients.differentiated_equations import Differentiable, Term
from linkwright.gradients.fixed_quantities import HeldCompletion
from linkwright.gradients.state_gradients import Point
from linkwright.recursion import inverse_recursion
from linkwright.recursion.forward_recursion import factor_udu, udu_solve


@dataclass(frozen=True, eq=False)
class SharedEfforts:
    """How actuators that repeat each other share the work: tau = preload + B^T w, w a closed motion (theory 6.41).

    That is the set of efforts nearest to the preload. `rates`: B^T v of all actuators, as a program.
    """

    preload: tuple[float, ...]
    rates: Differentiable


@dataclass(frozen=True, eq=False)
class EffortFunction:
    """Efforts of the actuators.

    Attributes:
        driven: columns of R with which actuators move: of independent ones each its own, in their order.
        free: columns of R whose accelerations follow from the dynamics, because nobody drives them.
        names: of the arguments. count: number of actuators.
        shared: how actuators that repeat each other share the work; None where none do.
    """

    needs_map: ClassVar[bool] = True

    driven: Sequence[int]
    free: Sequence[int]
    names: tuple[str, ...]
    count: int
    shared: SharedEfforts | None = None

    @property
    def size(self) -> int:
        return self.count

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    def vjp(self, at: Point, weights: Vec) -> Vec:
        return self.weighted_gradient(Solution(self, at), {"tau": weights})

    def jvp(self, at: Point, direction: Vec) -> Vec:
        return self.changes(Solution(self, at), direction)["tau"]

    def changes(self, sol: Solution, direction: Vec) -> dict[str, Vec]:
        """Directions of q, v, a, tau, lam and p."""
        at, there = sol.at, sol.there
        moved = at.state_directions(direction, ("q", "v", "a"))
        da = moved.pop("a", np.zeros(len(at.M)))
        if self.free:
            da = da + _change_of_resting_motion(at, sol.extra, moved)
        force = there.balance.jvp(there.x, moved) + at.M @ da
        more = sol.freed_accelerations(force)
        da, force = da + more, force + at.M @ more
        tau = self._tau(sol, force, moved)
        return {**moved, "a": da, "tau": tau, "lam": at.driving.completion.multipliers(force - at.B @ tau)}

    def weighted_gradient(self, sol: Solution, bars: Mapping[str, Vec]) -> Vec:
        """Derivatives by the inputs of a quantity with derivatives `bars` by tau, lam, q, v, a and p."""
        at, there = sol.at, sol.there
        tau, lam, a = (bars.get(name, np.zeros(n)) for name, n in (("tau", self.count), ("lam", 0), ("a", len(at.M))))
        left = {name: bar for name, bar in bars.items() if name not in ("tau", "lam", "a")}
        force = np.zeros(len(at.M))
        if len(lam):
            force = at.driving.carrying(lam)
            tau = tau - at.B.T @ force
        u, more = self._tau_transposed(sol, tau)
        force = force + u
        left = _add_derivatives(left, more, {"a": a})
        if not self.free:
            return there.vjp(left, [Term(there.balance, force)])
        force = force + sol.freed_accelerations(at.M @ force + a)  # what is freed is symmetric
        left = _add_derivatives(left, there.equation_vjp(there.balance, force, ("q", "v", "a")))
        return at.vjp(_add_derivatives(left, _turned_transposed(at, sol.extra, left["a"])))

    def _tau(self, sol: Solution, force: Vec, moved: dict[str, Vec]) -> Vec:
        """Change of the efforts with that of the forces."""
        if self.shared is None:
            return sol.R_d.T @ force
        w, along = sol.at.with_values(v=sol.w), _of_position(moved)
        s = self.shared.rates.jvp(w.x, along) + sol.at.B.T @ _change_of_resting_motion(sol.at, sol.w, moved)
        return s + sol.G.T @ _solve_symmetric(sol.G @ sol.G.T, sol.R_d.T @ force - sol.G @ s)

    def _tau_transposed(self, sol: Solution, weights: Vec) -> tuple[Vec, dict[str, Vec]]:
        """Weights on forces from weights on efforts, and derivatives by q and p that add to them."""
        if self.shared is None:
            return sol.R_d @ weights, {}
        y = _solve_symmetric(sol.G @ sol.G.T, sol.G @ weights)
        r = weights - sol.G.T @ y
        w = sol.at.with_values(v=sol.w)
        more = w.equation_vjp(self.shared.rates, r, ("q",))
        return sol.R_d @ y, _add_derivatives(more, _turned_transposed(sol.at, sol.w, sol.at.B @ r))


class Solution:
    """A point with its efforts, multipliers and the accelerations that follow from the dynamics.

    Attributes:
        at: the point as it is given. extra: accelerations that the dynamics add to the given ones.
        there: the point with all accelerations, efforts and multipliers.
        w: the closed motion along which efforts are shared.
    """

    def __init__(self, function: EffortFunction, at: Point) -> None:
        q, v, a = (at.x[name] for name in "qva")
        R, self.at = at.driving.completion.R, at
        self.R_d, self.F, shared = R[:, list(function.driven)], R[:, list(function.free)], function.shared
        force = inverse_recursion.tree_inverse_dynamics(
            at.setup.simplified, q, v, a, link_frame_wrenches(at.setup, at.x.get("w_ext"))
        )
        self.extra = self.freed_accelerations(force)
        force = force + at.M @ self.extra
        if shared is None:
            self.w, tau = np.zeros(len(R)), self.R_d.T @ force
        else:
            preload = np.array(shared.preload)
            self.w = self.R_d @ _solve_symmetric(self.G @ self.G.T, self.R_d.T @ (force - at.B @ preload))
            tau = preload + at.B.T @ self.w
        lam = at.driving.completion.multipliers(force - at.B @ tau)
        self.there = at.with_values(a=a + self.extra, tau=tau, lam=lam)

    @cached_property
    def G(self) -> Mat:
        """Efforts to forces along the driven motions, (n_driven, na)."""
        return self.R_d.T @ self.at.B

    def freed_accelerations(self, force: Vec) -> Vec:
        """Accelerations along what nobody drives that take a force away there."""
        if not self.F.shape[1]:
            return np.zeros(len(force))
        return -(self.F @ _solve_symmetric(self.F.T @ self.at.M @ self.F, self.F.T @ force))


def _change_of_resting_motion(at: Point, motion: Vec, moved: dict[str, Vec]) -> Vec:
    """Change of a motion that the equations keep at rest, with those of q and p."""
    if not at.driving.equations:
        return np.zeros(len(motion))
    there = at.with_values(v=motion)
    return at.driving.completion.closing(at.driving.equations["v"].jvp(there.x, _of_position(moved)))


def _of_position(moved: dict[str, Vec]) -> dict[str, Vec]:
    return {name: x for name, x in moved.items() if name in ("q", "p")}


def _turned_transposed(at: Point, motion: Vec, weights: Vec) -> dict[str, Vec]:
    """The transpose: derivatives by q and p of weights @ such a motion."""
    if not at.driving.equations:
        return {}
    there = at.with_values(v=motion)
    turned = at.driving.completion.closing_transposed(weights)
    found: dict[str, Vec] = there.equation_vjp(at.driving.equations["v"], turned, ("q",))
    return found


@dataclass(frozen=True, eq=False)
class Reactions:
    """Wrenches in all joints under the efforts that the motion needs.

    Attributes:
        efforts: these efforts. wrenches: from q, v, a, and with loops from tau and the multipliers of all rows.
        spread: multipliers of all rows from those of the kept ones, lam; None where all are kept or there are none.
    """

    needs_map: ClassVar[bool] = True

    efforts: EffortFunction
    wrenches: Differentiable
    spread: Differentiable | None

    @property
    def size(self) -> int:
        return self.wrenches.size

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(port.shape for port in self.wrenches.program.outputs)

    @property
    def names(self) -> tuple[str, ...]:
        return self.efforts.names

    def vjp(self, at: Point, weights: Vec) -> Vec:
        sol = Solution(self.efforts, at)
        every = ("q", "v", "a", "tau", "lam", "p")
        bars = _strip_bar_suffixes(self.wrenches.vjp(self._spread(sol.there).x, weights, every))
        if self.spread is not None:
            more = _strip_bar_suffixes(self.spread.vjp(sol.there.x, bars.pop("lam"), ("q", "lam", "p")))
            bars = _add_derivatives(bars, more)
        return self.efforts.weighted_gradient(sol, bars)

    def jvp(self, at: Point, direction: Vec) -> Vec:
        sol = Solution(self.efforts, at)
        moved = self.efforts.changes(sol, direction)
        if self.spread is not None:
            along = {name: x for name, x in moved.items() if name in ("q", "lam", "p")}
            moved = {**moved, "lam": self.spread.jvp(sol.there.x, along)}
        return self.wrenches.jvp(self._spread(sol.there).x, moved)

    def _spread(self, there: Point) -> Point:
        return there if self.spread is None else there.with_values(lam=self.spread.values(there.x))


def spread_multipliers(J: Mat, found: HeldCompletion, units: Vec, lam: Vec) -> Vec:
    """Multipliers of all rows with Jacobian J, of least norm in some units, that carry what those of kept rows carry.

    All rows follow from the kept ones, J / units = C J_kept; so C^T carries multipliers back, and C (C^T C)^-1 lam is
    the shortest that it carries to lam.
    """
    C_t = np.array([found.multipliers(row / unit) for row, unit in zip(J, units, strict=True)]).T
    return C_t.T @ _solve_symmetric(C_t @ C_t.T, lam) / units


@dataclass(frozen=True, eq=False)
class Accelerations:
    """Accelerations under efforts, (nv,); `order`: that of the velocities in which a tree's inertia stays sparse."""

    needs_map: ClassVar[bool] = True

    size: int
    names: tuple[str, ...]
    order: list[int] | None

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.size,),)

    def vjp(self, at: Point, weights: Vec) -> Vec:
        at, U, D = self._moving(at)
        held, R = at.driving, at.driving.completion.R
        u = R @ udu_solve(U, D, R.T @ weights, self.order)
        terms = [Term(at.balance, -u)]
        if held.equations:
            z = held.completion.closing_transposed(weights - at.M @ u)
            terms.append(Term(held.equations["a"], z))
        return at.vjp({}, terms, "vq")

    def jvp(self, at: Point, direction: Vec) -> Vec:
        at, U, D = self._moving(at)
        held, R, moved = at.driving, at.driving.completion.R, at.state_directions(direction, ("q", "v"))
        force, g = at.balance.jvp(at.x, moved), np.zeros(self.size)
        if held.equations:
            g = held.completion.closing(held.equations["a"].jvp(at.x, moved))
            force = force + at.M @ g
        return g - R @ udu_solve(U, D, R.T @ force, self.order)

    def _moving(self, at: Point) -> tuple[Point, Mat, Vec]:
        """The point with its accelerations and multipliers, and the factors of the inertia on the held velocities."""
        q, v, tau = (at.x[name] for name in ("q", "v", "tau"))
        setup, held, found = at.setup, at.driving, at.driving.completion
        U, D = factor_udu(found.R.T @ at.M @ found.R, self.order)
        h = inverse_recursion.tree_bias_forces(setup.simplified, q, v, link_frame_wrenches(setup, at.x.get("w_ext")))
        g = still = np.zeros(self.size)
        if held.equations:
            g = found.closing(held.equations["a"].values({**at.x, "a": still}))
        force = at.B @ tau - h - at.M @ g
        a = found.R @ udu_solve(U, D, found.R.T @ force, self.order) + g
        lam = found.multipliers(at.M @ (a - g) - force)
        return at.with_values(a=a, lam=lam), U, D


def _solve_symmetric(A: Mat, b: Vec) -> Vec:
    """The solution of a symmetric system."""
    return udu_solve(*factor_udu(A), b)


def _strip_bar_suffixes(found: dict[str, Vec]) -> dict[str, Vec]:
    return {name.removesuffix("_bar"): bar for name, bar in found.items()}


def _add_derivatives(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Derivatives by name, added up."""
    out: dict[str, Any] = {}
    for part in parts:
        for name, bar in part.items():
            out[name] = out[name] + bar if name in out else bar
    return out
