"""Optimization files: the model with its variables, the objective and the constraints that they describe."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwright.analysis.design_files import poses_around, unit_of, value_in
from linkwright.analysis.motions.motion_arguments import poses_at, times_of_table
from linkwright.analysis.optimization.measures import JacobianMeasure, Measure, PeakEffort, WeightedSum
from linkwright.analysis.optimization.search import Optimum, optimize
from linkwright.analysis.performance.output_components import output_of
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formats.study.sweeps import MeasureEntry, OptimizationStudy
from linkwright.mechanism import Mechanism
from linkwright.model import Model, build
from linkwright.model.pose import Pose

Array = np.ndarray


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
