"""Search for the best dimensions from many starts, with exact gradients; Pareto fronts; optimization files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.analysis.designs import poses_around, unit_of, value_in
from linkwright.analysis.motions.motion_arguments import poses_at, times_of_table
from linkwright.analysis.optimization.local_search import Searched, SearchProblem, SearchStart, search_from_start
from linkwright.analysis.optimization.measures import JacobianMeasure, Measure, PeakEffort, WeightedSum
from linkwright.analysis.performance.output_components import output_of
from linkwright.analysis.studied_model import slider_bounds, studied_mechanism
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import (
    quote_value,
    refuse_argument,
    require_callable,
    require_instance,
    require_integer,
    require_number,
    require_positive,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError, ParameterWarning, warn_caller, withheld_warnings
from linkwright.formats.study.sweeps import MeasureEntry, OptimizationStudy
from linkwright.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.model.pose import Pose
from linkwright.results.charts import Curve, Panel
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable
from linkwright.sweeps.points import LatinHypercube

# --- search for the best dimensions from many starts, with exact gradients --------------------------------------------

Array = np.ndarray
_SEARCH_COLUMNS = ("start", "first", "last", "constraints_kept", "steps", "evaluations")
_TRIES = 64  # random designs per start, of which the first feasible one is taken


@dataclass(frozen=True, eq=False)
class Optimum(StudyResult):
    """The best design that was found.

    Attributes:
        mechanism: with the best values. name: of the mechanism. names, units: of the variables, (n,).
        p: values of all inputs of the model, (n_p,). variables: the best values of those that were varied, (n,).
        bounds: (n, 2). value: the objective there, without smoothing. constraints: their values there, (k,).
        titles: of the objective and the constraints. limits: of the constraints, (k,).
        starts: the local searches. history: (variables, value) of every step of the best one.
        infeasible: random designs that were tried as starts and did not reach all poses or broke off.
        interrupted: True if the search ended at Ctrl-C.
    """

    mechanism: Mechanism
    name: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    p: Array
    variables: Array
    bounds: Array
    value: float
    constraints: Array
    starts: tuple[SearchStart, ...]
    history: tuple[tuple[Array, float], ...]
    infeasible: int
    titles: tuple[str, ...] = ("objective",)
    limits: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    @property
    def values(self) -> dict[str, float]:
        """The best values by name."""
        return dict(zip(self.names, self.variables.tolist(), strict=True))

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        rows = [
            [name, unit, float(low), float(x), float(high)]
            for name, unit, (low, high), x in zip(self.names, self.units, self.bounds, self.variables, strict=True)
        ]
        searches = [[i, s.first, s.last, s.kept, s.steps, s.evaluations] for i, s in enumerate(self.starts)]
        tables = [
            StudyTable("variables", dict.fromkeys(("parameter", "unit", "low", "best", "high"), ""), rows),
            StudyTable("local_searches", dict.fromkeys(_SEARCH_COLUMNS, ""), searches),
        ]
        if self.limits:
            kept = zip(self.titles[1:], map(float, self.constraints), self.limits, strict=True)
            columns = dict.fromkeys(("constraint", "value", "at_most"), "")
            tables.insert(1, StudyTable("constraints_at_best", columns, [*map(list, kept)], "Constraints"))
        values = np.array([value for _, value in self.history])
        panels = [Panel("step", self.titles[0], [Curve("best search", np.arange(len(values)), values)])]
        facts = {
            "mechanism": self.name,
            "objective": self.value,
            "constraints": self.constraints,
            "searches": len(self.starts),
            "infeasible_designs": self.infeasible,
        }
        path = np.array([x for x, _ in self.history])
        return StudyContent(
            f"Best dimensions of {self.name}",
            facts,
            tables,
            panels,
            {"history": path, "objective": values},
            self.notes,
            titles={"objective": self.titles[0], "infeasible_designs": "random designs that do not reach all poses"},
        )


@dataclass(frozen=True, eq=False)
class ParetoFront(StudyResult):
    """Designs of which none is better in both objectives.

    Attributes:
        name: of the mechanism. optima: the designs, from the least first objective to the least second one.
        interrupted: True if the search ended at Ctrl-C.
    """

    name: str
    optima: tuple[Optimum, ...]
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    @property
    def objectives(self) -> Array:
        """Both objectives of each design, (n, 2)."""
        return np.array([[each.constraints[-1], each.value] for each in self.optima]).reshape(-1, 2)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        first, second = self.objectives.T
        names = self.optima[0].names if self.optima else ()
        units = self.optima[0].units if self.optima else ()
        variables = np.array([each.variables for each in self.optima]).reshape(-1, len(names))
        columns = {"design": "", "first_objective": "", "second_objective": "", **dict(zip(names, units, strict=True))}
        rows = [[i, *map(float, pair), *map(float, x)] for i, (pair, x) in enumerate(zip(self.objectives, variables))]
        facts = {"mechanism": self.name, "design_count": len(self.optima)}
        every = self.optima[0].titles if self.optima else ("second objective", "first objective")
        titles = {"first_objective": every[-1], "second_objective": every[0]}
        panel = Panel(every[-1], every[0], [Curve("designs", first, second, dots=True)])
        arrays = {"objectives": self.objectives, "variables": variables}
        table = StudyTable("designs", columns, rows, titles={name: name for name in names} | titles)
        notes = tuple(dict.fromkeys(text for each in self.optima for text in each.notes))
        return StudyContent(f"Pareto front of {self.name}", facts, [table], [panel], arrays, notes)


_MEASURE = "a measure such as JacobianMeasure(model, poses), or a function of p that returns a MeasureValue"


def optimize(
    model: Model,
    objective: Measure,
    bounds: Mapping[str, tuple[float, float]],
    *,
    constraints: Sequence[tuple[Measure, float]] = (),
    starts: int = 8,
    seed: int = 0,
    steps: int = 200,
    tolerance: float = 1e-9,
    max_seconds: float | None = None,
) -> Optimum:
    """The values of inputs within bounds that make an objective least, by searches with exact gradients.

    Args:
        model: built with the variables as inputs; other inputs stay as they are.
        objective: for example `JacobianMeasure(model, poses)`; any function of p that returns a `MeasureValue`.
        bounds: least and largest values by parameter.
        constraints: measures and the values that they must not exceed.
        starts: local searches (SLSQP), the first from the model's own values, the others from a Latin hypercube.
        steps: of each search at most. tolerance: relative change of the objective that ends it.
        max_seconds: end after this time, or after Ctrl-C, with the best design so far; None for no limit.
    """
    budget = StudyBudget("searching", max_seconds)
    return _search_best_design(model, objective, bounds, constraints, starts, seed, steps, tolerance, budget)


def _search_best_design(
    model: Model, objective: Measure, bounds: Mapping[str, tuple[float, float]], constraints: Any, starts: int,
    seed: int, steps: int, tolerance: float, budget: StudyBudget,
) -> Optimum:  # fmt: skip
    """What `optimize` gives, in a time that several searches may share."""
    model = require_instance("model", model, Model, "a Model")
    _check_measure("objective", objective)
    pairs: Sequence[Any] = require_instance(
        "constraints", constraints, (list, tuple), "pairs of a measure and a number"
    )
    constraints = [_check_constraint(each) for each in pairs]
    require_integer("steps", steps, 1, 1_000_000)
    require_positive("tolerance", tolerance)
    problem = SearchProblem(
        model, objective, tuple(constraints), _variable_indices(model, bounds), _check_variable_bounds(bounds)
    )
    require_integer("starts", starts, 1, 10_000)
    begun, infeasible = _feasible_starts(problem, starts, seed, budget)
    if not begun and budget.interrupted:
        raise KeyboardInterrupt
    if not begun:
        raise AssemblyError(
            f"none of {infeasible} designs within the bounds reaches all poses; widen the bounds, or take fewer poses"
        )
    found: list[Searched] = []
    with budget.ending_early():
        for x in budget.steps(begun):
            found.append(search_from_start(problem, x, steps, tolerance, budget))
    if not found:
        raise KeyboardInterrupt
    best = min(found, key=lambda each: (each.excess, each.record.last))
    p = problem.inputs(best.x)
    notes = budget.notes(f"{len(found)} of {len(begun)} searches were begun")
    if not best.record.kept:
        text = f"no search for '{model.mechanism.name}' keeps all constraints; the design nearest to them is returned"
        warn_caller(f"{text}; widen bounds or constraints, or take more starts", ParameterWarning)
        notes = (*notes, text)
    names = tuple(bounds)
    units = tuple(model.parameters.units[i] for i in problem.at)
    value, *exact = (each.exact for each in best.found)
    moved = model.with_parameters(p)
    begun_at = dict(zip(names, model.parameters.values[list(problem.at)].tolist(), strict=True))
    designs = {"best design": dict(zip(names, best.x.tolist(), strict=True)), "as it was": begun_at}
    return Optimum(
        moved.mechanism, model.mechanism.name, names, units, p, best.x, problem.bounds,
        value, np.array(exact), tuple(each.record for each in found), best.history, infeasible,
        tuple(getattr(each, "title", "objective") for each in problem.measures),
        tuple(limit for _, limit in constraints), notes, budget.interrupted,
        studied_mechanism(moved, bounds=slider_bounds(names, problem.bounds), designs=designs),
    )  # fmt: skip


def pareto(
    model: Model,
    objectives: tuple[Measure, Measure],
    bounds: Mapping[str, tuple[float, float]],
    *,
    count: int = 9,
    constraints: Sequence[tuple[Measure, float]] = (),
    starts: int = 8,
    seed: int = 0,
    steps: int = 200,
    tolerance: float = 1e-9,
    max_seconds: float | None = None,
) -> ParetoFront:
    """Designs between the best by the first objective and the best by the second, none better in both.

    Each is the least second objective with a limit on the first (epsilon-constraint); `value` is the second objective,
    and the last of `constraints` the first.

    Args:
        objectives: two measures; the other arguments are those of `optimize`, for each of the searches.
        count: designs at most.
        max_seconds: end after this time, or after Ctrl-C, with the designs so far; None for no limit.
    """
    if len(require_instance("objectives", objectives, (list, tuple), "two measures")) != 2:
        raise ArgumentError(f"objectives has {len(objectives)} entries, expected two measures", name="objectives")
    require_integer("count", count, 2, 10_000)
    require_instance("constraints", constraints, (list, tuple), "pairs of a measure and a number")
    budget = StudyBudget("searching designs of the front", max_seconds)

    def best(objective: Measure, within: Sequence[tuple[Measure, float]]) -> Optimum:
        return _search_best_design(model, objective, bounds, within, starts, seed, steps, tolerance, budget)

    first, second = (best(objective, constraints) for objective in objectives)
    low, high = first.value, objectives[0](second.p).exact
    front: list[Optimum] = []
    for level in budget.steps((np.linspace(low, high, count) * (1.0 + 1e-6)).tolist()):
        with withheld_warnings(ParameterWarning):
            found = best(objectives[1], [*constraints, (objectives[0], level)])
        front += [found] if any(each.kept for each in found.starts) else []
    kept = _undominated_designs(front)
    return ParetoFront(model.mechanism.name, kept, budget.interrupted, _studied_front(model, kept) if kept else None)


def _studied_front(model: Model, front: Sequence[Optimum]) -> StudiedMechanism:
    """The designs of a front, to choose from, beginning with the first."""
    designs = {f"design {i}": each.values for i, each in enumerate(front)}
    bounds = slider_bounds(front[0].names, front[0].bounds)
    return studied_mechanism(model.with_parameters(front[0].p), bounds=bounds, designs=designs)


def _check_constraint(given: Any) -> tuple[Measure, float]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ArgumentError(
            f"constraints has {quote_value(given)}, expected a pair of a measure and a number", name="constraints"
        )
    return _check_measure("constraints", given[0]), require_number("constraints", given[1])


def _check_measure(title: str, given: Any) -> Any:
    """A measure: what can be called and is not a class."""
    if isinstance(given, type):
        refuse_argument(title, given, _MEASURE)
    return require_callable(title, given, _MEASURE)


def _undominated_designs(found: list[Optimum]) -> tuple[Optimum, ...]:
    pairs = [(each.constraints[-1], each.value) for each in found]

    def beaten(own: tuple[float, float]) -> bool:
        return any(other != own and other[0] <= own[0] and other[1] <= own[1] for other in pairs)

    return tuple(each for each, own in zip(found, pairs, strict=True) if not beaten(own))


def _feasible_starts(problem: SearchProblem, count: int, seed: int, budget: StudyBudget) -> tuple[list[Array], int]:
    """Feasible designs to begin from, and the number of those that were not; when time is over, those found so far."""
    own = np.clip(problem.model.parameters.values[list(problem.at)], problem.bounds[:, 0], problem.bounds[:, 1])
    names = [f"x{k}" for k in range(len(problem.at))]
    drawn = LatinHypercube(_TRIES * count, seed=seed, **{n: tuple(b) for n, b in zip(names, problem.bounds)})
    rows = np.stack(list(drawn.rows(0, len(drawn)).values()), axis=1)
    bad = 0 if problem.feasible(own) else 1
    found = [] if bad else [own]
    near = problem.near(own) if found else problem.feasible
    with budget.ending_early():
        for x in rows:
            if len(found) == count:
                break
            if found:
                budget.require_time()
            if near(x):
                found.append(x)
            else:
                bad += 1
    return found, bad


def _variable_indices(model: Model, bounds: Mapping[str, tuple[float, float]]) -> tuple[int, ...]:
    if not isinstance(bounds, Mapping) or not bounds:
        raise ArgumentError("bounds names no variable; give for example {'proximal': (0.2, 0.4)}", name="bounds")
    return tuple(model.parameters.index(name) for name in bounds)


def _check_variable_bounds(bounds: Mapping[str, tuple[float, float]]) -> Array:
    for name, pair in bounds.items():
        try:
            low, high = (float(x) for x in pair)
        except (TypeError, ValueError):
            raise ArgumentError(f"the bounds of '{name}' are {pair!r}, expected two numbers", name="bounds") from None
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise ArgumentError(f"the bounds of '{name}' are {low:g} to {high:g}; give low < high", name="bounds")
    return np.array([[float(x) for x in pair] for pair in bounds.values()])


# --- optimization files -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class DesignProblem:
    """An optimization that is ready to run."""

    model: Model
    objective: Measure
    bounds: dict[str, tuple[float, float]]
    constraints: tuple[tuple[Measure, float], ...]
    starts: int
    seed: int

    def solve(self, max_seconds: float | None = None) -> Optimum:
        """The best design that is found, in so much time."""
        return optimize(
            self.model,
            self.objective,
            self.bounds,
            constraints=self.constraints,
            starts=self.starts,
            seed=self.seed,
            max_seconds=max_seconds,
        )


def problem_of(described: OptimizationStudy, mech: Mechanism, folder: Path) -> DesignProblem:
    """The problem of a file; motions named as files are looked for in `folder`."""
    given = described.optimize
    weighted = [*(given.minimize.weights or ()), *(name for each in given.constraints for name in each.weights or ())]
    bounds = {
        name: (value_in(name, pair[0], unit_of(mech, name)), value_in(name, pair[1], unit_of(mech, name)))
        for name, pair in given.vary.items()
    }
    model = build(mech, inputs=list(dict.fromkeys([*bounds, *weighted])))
    home = model.frame_pose(model.assemble().q, output_of(model).frame)
    poses = poses_around(home, described.at) if described.at else Pose(*(x[None] for x in home))
    components = described.components or (tuple(described.at) if described.at and model.mobility < 6 else None)
    measured = [
        _measure_of_entry(each, model, poses, components, folder) for each in (given.minimize, *given.constraints)
    ]
    constraints = tuple(zip(measured[1:], (each.at_most for each in given.constraints), strict=True))
    return DesignProblem(model, measured[0], bounds, constraints, given.starts, given.seed)


def _measure_of_entry(
    given: MeasureEntry, model: Model, poses: Pose, components: tuple[str, ...] | None, folder: Path
) -> JacobianMeasure | PeakEffort | WeightedSum:
    if given.measure == "sum":
        if not given.weights:
            raise ArgumentError("the measure 'sum' needs weights of parameters, {proximal: 2, distal: 2}")
        return WeightedSum(model, given.weights)
    if given.measure == "peak_effort":
        if given.motion is None:
            raise ArgumentError("the measure 'peak_effort' needs a motion, a CSV file with t, x, y, z, rx, ry, rz")
        path = folder / given.motion
        return PeakEffort(model, *poses_at(path, times_of_table(path)), components=components)
    length = 1.0 if given.length is None else value_in("length", given.length, "m")
    return JacobianMeasure(model, poses, given.measure, given.combine, components, length)
