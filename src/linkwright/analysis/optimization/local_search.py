"""A local search for the best design: objective and constraints as smooth functions for SLSQP."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.analysis.optimization.measures import Measure, MeasureValue, WarmStartedMeasure
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import as_float, refuse_argument, require_array_shape, require_instance, result_of
from linkwright.dataclass import dataclass
from linkwright.model import Model

Array = np.ndarray
_TINY = 1e-12  # least size by which a value is scaled
_KEPT = 1e-6  # share by which a limit may be exceeded


@dataclass(frozen=True)
class SearchStart:
    """One local search: its first and last values, whether all constraints hold at its end, steps and evaluations."""

    first: float
    last: float
    kept: bool
    steps: int
    evaluations: int
    message: str


@dataclass(frozen=True, eq=False)
class Searched:
    """The best design of a local search: variables, its measures, share of excess, its history."""

    x: Array
    found: tuple[MeasureValue, ...]
    record: SearchStart
    excess: float
    history: tuple[tuple[Array, float], ...]


def evaluate_measure(measure: Measure, p: Array) -> MeasureValue:
    """A measure at values of the inputs, checked once at the beginning of a search."""
    made = result_of("objective or a limit", measure, p)
    found: MeasureValue = require_instance(
        "a result of objective or constraints", made, MeasureValue, "a MeasureValue record"
    )
    if as_float(found.value) is None or as_float(found.exact) is None:
        refuse_argument(
            "a result of objective or constraints", found, "a MeasureValue record with numbers as value and exact"
        )
    require_array_shape("the gradient of objective or constraints", found.gradient, (len(p),), nan=True)
    return found


@dataclass(frozen=True, eq=False)
class SearchProblem:
    """What is searched for: an objective and constraints, functions of some inputs of a model in bounds (n, 2)."""

    model: Model
    objective: Measure
    constraints: tuple[tuple[Measure, float], ...]
    at: tuple[int, ...]
    bounds: Array

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The objective and what is limited."""
        return self.objective, *(measure for measure, _ in self.constraints)

    def inputs(self, x: Array) -> Array:
        """All inputs of the model at values of the variables."""
        p = self.model.parameters.values
        p[list(self.at)] = x
        return p

    def feasible(self, x: Array) -> bool:
        """True if a design has a value; those that do not reach all poses are recognized by a few."""
        p = self.inputs(x)
        given = [measure.reaches for measure in self.measures if hasattr(measure, "reaches")]
        return all(reaches(p) for reaches in given) and all(
            np.isfinite(evaluate_measure(each, p).value) for each in self.measures
        )

    def near(self, x: Array) -> Callable[[Array], bool]:
        """Return a test like `feasible` for designs near the feasible design x.

        Measures follow their solutions from x along the straight line to each design instead of solving anew, which
        takes less time; a design that is only reached by another way counts as infeasible.
        """
        every: list[Any] = [_warm_started_measure(measure) for measure in self.measures]
        for measure in every:
            measure(self.inputs(x))
        starts = [measure.last if isinstance(measure, WarmStartedMeasure) else None for measure in every]

        def feasible(x: Array) -> bool:
            p = self.inputs(x)
            for measure, start in zip(every, starts, strict=True):
                if start is not None:
                    measure.last = start
                if not np.isfinite(measure(p).value):
                    return False
            return True

        return feasible

    def rank(self, found: tuple[MeasureValue, ...], kept: float = _KEPT) -> tuple[float, float]:
        """Sum of the shares above `kept` by which constraints are exceeded, and the objective."""
        objective, *others = found
        pairs = zip(others, self.constraints, strict=True)
        over = [(each.exact - limit) / max(abs(limit), _TINY) for each, (_, limit) in pairs]
        finite = np.isfinite([*over, objective.exact]).all()
        return (float(sum(x for x in over if x > kept)), objective.exact) if finite else (np.inf, np.inf)


def search_from_start(
    problem: SearchProblem, start: Array, steps: int, tolerance: float, budget: StudyBudget
) -> Searched:
    """The local search from one design, as far as there is time."""
    from scipy.optimize import minimize

    local = _LocalSearch(problem, start)
    first = local.first[0].exact
    history = [(start, first)]
    done = None

    def objective(z: Array) -> float:
        budget.require_time()
        return local.objective(z)

    with budget.ending_early():
        done = minimize(
            objective,
            local.begin,
            jac=local.objective_gradient,
            bounds=local.bounds,
            constraints=local.constraints(),
            method="SLSQP",
            callback=lambda z: history.append((local.design(z), local.at(z)[0].exact)),
            options={"maxiter": steps, "ftol": tolerance},
        )
    last_one = done.x if done is not None and np.isfinite(done.x).all() else local.begin
    z = min((*local.within_limits(), last_one), key=lambda each: problem.rank(local.at(each)))
    excess, last = problem.rank(local.at(z))
    ended, turns = (budget.reason, len(history) - 1) if done is None else (str(done.message), int(done.nit))
    record = SearchStart(first, last, excess == 0.0, turns, len(local.known), ended)
    return Searched(np.clip(local.design(z), *problem.bounds.T), local.at(z), record, excess, tuple(history))


class _LocalSearch:
    """Objective and constraints as functions of z: the variables scaled to 0 ... 1, and a level.

    A worst case over many poses has kinks where the worst pose changes; its parts have none. The level is the logarithm
    of an objective that has parts: it is made least, and no part may exceed it. A constraint of a measure that has
    parts holds for each of them. All is written in logarithms, of which ratios of singular values are nearly linear.

    Attributes:
        first: the objective and the constraints' measures at the start. begin: z there. bounds: of z.
        known: designs that were evaluated, by the bytes of their variables.
    """

    def __init__(self, problem: SearchProblem, start: Array) -> None:
        self._problem, self._measures = problem, [_warm_started_measure(measure) for measure in problem.measures]
        self._low, self._width = problem.bounds[:, 0], np.diff(problem.bounds, axis=1)[:, 0]
        self.known: dict[bytes, tuple[MeasureValue, ...]] = {}
        u = (start - self._low) / self._width
        self.first, self._origin = self.at(u), u
        sizes = [self.first[0].value, *(limit for _, limit in problem.constraints)]
        self._top = [max(abs(size), _TINY) for size in sizes]
        self._sizes = [
            0 if each.parts is None or size <= 0.0 else len(each.parts)
            for each, size in zip(self.first, sizes, strict=True)
        ]
        level = [self._rows(0, u)[0].max()] if self._sizes[0] else []
        self.begin = self._origin = np.array([*u, *level])
        self._gradient = np.zeros(len(self.begin))
        self.bounds = [(0.0, 1.0)] * len(u) + [(None, None)] * len(level)

    def design(self, z: Array) -> Array:
        return self._low + self._width * z[: len(self._low)]

    def at(self, z: Array) -> tuple[MeasureValue, ...]:
        """The objective and the constraints' measures."""
        key = z[: len(self._low)].tobytes()
        if key not in self.known:
            p = self._problem.inputs(self.design(z))
            self.known[key] = tuple(measure(p) for measure in self._measures)
        return self.known[key]

    def within_limits(self) -> list[Array]:
        """Variables of the designs that keep all constraints."""
        return [np.frombuffer(key) for key, found in self.known.items() if self._problem.rank(found, 0.0)[0] == 0.0]

    def objective(self, z: Array) -> float:
        """The level, or the objective in units of the start's.

        Where a pose is not reached, the objective grows from the last design that a step started from by as much as it
        should have fallen: the line search of SLSQP then takes about a quarter of the step.
        """
        if _is_finite_everywhere(self.at(z)):
            return float(z[-1] if self._sizes[0] else self._rows(0, z)[0][0])
        back = self._origin
        return self.objective(back) + max(abs(float(self._gradient @ (z - back))), _TINY)

    def objective_gradient(self, z: Array) -> Array:
        gradient = np.eye(len(z))[-1] if self._sizes[0] else self._row_gradients(0, z)[0]
        if _is_finite_everywhere(self.at(z)):
            self._origin, self._gradient = np.array(z), gradient
        return gradient

    def constraints(self) -> list[dict[str, Any]]:
        """The constraints as scipy takes them, and the level above the parts of the objective."""
        rows = range(0 if self._sizes[0] else 1, len(self.first))
        return [
            {"type": "ineq", "fun": partial(self._margin, i), "jac": partial(self._margin_gradients, i)} for i in rows
        ]

    def _margin(self, i: int, z: Array) -> Array:
        """How far rows of a measure stay below the level (i = 0) or their limit.

        Where a pose is not reached, as at the last design that a step started from: no step there looks better.
        """
        z = z if _is_finite_everywhere(self.at(z)) else self._origin
        if i == 0:
            return z[-1] - self._rows(0, z)[0]
        bound = 0.0 if self._sizes[i] else self._problem.constraints[i - 1][1] / self._top[i]
        return bound - self._rows(i, z)[0]

    def _margin_gradients(self, i: int, z: Array) -> Array:
        found = -self._row_gradients(i, z)
        if i == 0:
            found[:, -1] = 1.0
        return found

    def _rows(self, i: int, z: Array) -> tuple[Array, Array]:
        """Logarithms of a measure's parts in units of its size, (k,), or its value, (1,), and gradients by the inputs.

        Where a pose is not reached, those of the last design that a step started from.
        """
        found, top = self.at(z if _is_finite_everywhere(self.at(z)) else self._origin)[i], self._top[i]
        if self._sizes[i] and found.parts is not None and found.part_gradients is not None:
            return np.log(found.parts / top), found.part_gradients / found.parts[:, None]
        return np.array([found.value / top]), found.gradient[None, :] / top

    def _row_gradients(self, i: int, z: Array) -> Array:
        """Derivatives of the rows by z, (k, len(z))."""
        rows = self._rows(i, z)[1]
        out = np.zeros((len(rows), len(z)))
        out[:, : len(self._low)] = rows[:, list(self._problem.at)] * self._width
        return out


def _warm_started_measure(measure: Any) -> Measure:
    """A measure for the designs of one search, each solved from the one before where the measure can do that."""
    return measure.following() if hasattr(measure, "following") else measure


def _is_finite_everywhere(found: tuple[MeasureValue, ...]) -> bool:
    return all(np.isfinite(each.value) for each in found)
