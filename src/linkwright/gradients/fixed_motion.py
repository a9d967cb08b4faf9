"""Motion as a function of what stays while the inputs of a mechanism change: held velocities, or held functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import minimum
from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import SquareFactor, factor_lu, lu_solve
from linkwright.formulations.minimal_equations import transposed_solve
from linkwright.functions.loop.independent_functions import independence_margin, planned_complement
from linkwright.functions.pivot_checks import small_pivot_share
from linkwright.functions.stages import FixedQuantityPlan, VelocityPartitionPlan
from linkwright.gradients import differentiated_equations as equations
from linkwright.gradients.differentiable import Differentiable
from linkwright.numerics.tolerances import ACCEPTED_RATES


class HeldCompletion(Protocol):
    """Motion as a function of what is held. Its equations are the closure's, and behind them those of held functions.

    Where velocities are held they have no equations: these velocities simply do not change.
    """

    @property
    def R(self) -> Mat:
        """v = R rates of what is held, (nv, n_held)."""

    def closing(self, rates: Mat) -> Mat:
        """Changes of all velocities, at rest in what is held, that undo rates of the equations."""

    def closing_transposed(self, weights: Vec) -> Vec:
        """Its transpose: weights on rates of the equations from weights on velocities."""

    def multipliers(self, force: Vec) -> Vec:
        """lam of the closure equations that carries a force which needs no effort along what is held."""


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


@dataclass(frozen=True, eq=False)
class SquareCompletion:
    """The completion of held functions: the factors of [J_c; their Jacobian], with so many closure rows."""

    factor: SquareFactor
    n_rows: int
    R: Mat

    def closing(self, rates: Mat) -> Mat:
        return -lu_solve(self.factor, np.asarray(rates, dtype=np.result_type(rates, self.R)))

    def closing_transposed(self, weights: Vec) -> Vec:
        return -transposed_solve(self.factor, weights)

    def multipliers(self, force: Vec) -> Vec:
        return transposed_solve(self.factor, force)[: self.n_rows]


def completion_at(stage: Any, q: Vec, with_map: bool = True) -> tuple[HeldCompletion, Any]:
    """The completion of a division, of held functions or of a tree, and a number below zero where it is spoiled.

    `with_map`: all columns of R are needed anyway; else the judgment makes one motion without them.
    """
    if isinstance(stage, VelocityPartitionPlan):
        found = planned_complement(stage, q)
        return found, independence_margin(stage.setup, q, found, with_map)
    if isinstance(stage, FixedQuantityPlan):
        held, n = stage.functions, stage.setup.closure.n_rows
        X = equations.held_matrix(held, q)
        f = factor_lu(X, stage.plan)
        R = lu_solve(f, np.concatenate([np.zeros((n, held.count)), np.eye(held.count)]).astype(X.dtype))
        return SquareCompletion(f, n, R), small_pivot_share(f.sizes, stage.typical) - ACCEPTED_RATES
    return Unlooped(np.eye(stage.setup.simplified.nv)), 1.0


@dataclass(frozen=True, eq=False)
class FixedMotion:
    """What is held: the completion, and the equations of positions, velocities and accelerations, by "q", "v", "a".

    There are none where a tree holds every velocity. `more` is the number of equations behind those of the closure.
    """

    completion: HeldCompletion
    equations: Mapping[str, Differentiable]
    more: int = 0

    def carrying(self, weights: Vec) -> Vec:
        """The transpose of `multipliers`: weights on forces, (nv,), from weights on multipliers."""
        return -self.completion.closing(np.concatenate([weights, np.zeros(self.more)]))


def smaller_margin(a: Any, b: Any) -> Any:
    """The smaller one of two margins."""
    return b if isinstance(a, float) else a if isinstance(b, float) else minimum(a, b)
