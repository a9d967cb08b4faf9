"""Measures of many designs over a set of poses: a function for `lw.sweep`, and the sweep files that name it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.performance.output_components import output_of
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.formats.study.sweeps import SweepStudy, steps_of_entry
from linkwright.formats.units import UnitError, value_in_si
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model, build
from linkwright.model.pose import Pose
from linkwright.readable_text import shared_unit
from linkwright.sweeps.points import Grid, LatinHypercube, Points, Sobol, Uniform, listed_points, read_points

# --- measures of many designs over a set of poses: a function for `lw.sweep` ------------------------------------------

Array = np.ndarray
_ROWS = 65536  # states that are computed together

Measured = Callable[[Model, Array, Array], Array]


def _singularity_measure(name: str) -> Measured:
    return lambda model, q, p: np.asarray(getattr(model.singularity(q, p=p), name), dtype=float)


def _holding_effort(model: Model, q: Array, p: Array) -> Array:
    still = np.zeros((len(q), model.nv))
    return np.abs(model.inverse_dynamics(q, still, still, p=p)).max(axis=-1)


MEASURES: dict[str, tuple[Measured, bool]] = {
    "condition": (_singularity_measure("condition"), True),
    "manipulability": (_singularity_measure("manipulability"), False),
    "type1": (_singularity_measure("type1"), False),
    "type2": (_singularity_measure("type2"), False),
    "constraint": (_singularity_measure("constraint"), False),
    "holding_effort": (_holding_effort, True),
}
"""Measures of a state by name, and whether the largest is the worst."""


@dataclass(frozen=True, eq=False)
class DesignStudy:
    """Measures of designs over a set of poses of the output; call it with values of parameters by name, (n,) each.

    The result has, for each measure, its worst and its mean over the poses that are reached, and `reached`, the share
    of these poses; a design that reaches none has NaN and a reason.

    Attributes:
        mechanism: the mechanism. varied: parameters of its file, or paths of its numbers.
        poses: poses of the output, (m, 3) and (m, 4); None is the nominal design's home.
        measures: names of `condition`, `manipulability`, `type1`, `type2`, `constraint`, `holding_effort`.
        components: those of x y z rx ry rz that the poses give; None takes those that the output can move.

    >>> import linkwright as lw
    >>> study = DesignStudy(lw.catalog.load("five-bar"), ("proximal",), measures=("condition",))
    >>> found = lw.sweep(study, {"proximal": [0.28, 0.3, 0.32]})
    >>> sorted(found.values), found["reached"].tolist()
    (['condition_mean', 'condition_worst', 'reached'], [1.0, 1.0, 1.0])
    """

    mechanism: Mechanism
    varied: Sequence[str]
    poses: Pose | None = None
    measures: Sequence[str] = ("condition",)
    components: Sequence[str] | None = None

    def __post_init__(self) -> None:
        checks.require_instance("mechanism", self.mechanism, Mechanism, "a Mechanism")
        if not checks.require_texts("varied", self.varied, "['proximal']"):
            checks.refuse_argument("varied", self.varied, "a list of at least one name")
        if self.components is not None:
            checks.require_texts("components", self.components, "['x', 'y']")
        if self.poses is not None:
            object.__setattr__(self, "poses", _study_pose_rows(self.poses))
        for name in checks.require_texts("measures", self.measures, "['condition']"):
            if name not in MEASURES:
                raise ArgumentError(f"unknown measure '{name}'{suggest_name(name, MEASURES)}", name=name)

    def __reduce__(self) -> Any:
        return DesignStudy, (self.mechanism, self.varied, self.poses, self.measures, self.components)

    @cached_property
    def model(self) -> Model:
        """The model with the varied numbers as inputs."""
        return build(self.mechanism, inputs=list(self.varied))

    @property
    def units(self) -> dict[str, str]:
        """Units of what is varied, and of the holding efforts where all actuators have one."""
        found = {name: unit_of(self.mechanism, name) for name in self.varied}
        if "holding_effort" in self.measures and (
            unit := shared_unit(each.effort_unit for each in self.model.actuators)
        ):
            found |= dict.fromkeys(("holding_effort_worst", "holding_effort_mean"), unit)
        return found

    @property
    def goals(self) -> dict[str, str]:
        """Whether the worst value of a measure is best when it is least or largest, by the result's name."""
        return {f"{name}_worst": "least" if MEASURES[name][1] else "largest" for name in self.measures}

    @property
    def description(self) -> str:
        """A text that differs where results do."""
        poses = "home" if self.poses is None else hashlib.blake2b(b"".join(x.tobytes() for x in self.poses)).hexdigest()
        return exact_text((self.mechanism, tuple(self.varied), poses, tuple(self.measures), self.components))

    @cached_property
    def given_components(self) -> tuple[str, ...]:
        """Components of the pose that are given."""
        return output_of(self.model, None, self.components).names

    @cached_property
    def targets(self) -> Pose:
        """The poses as rows, (m, 3) and (m, 4)."""
        if self.poses is None:
            home = self.model.frame_pose(self.model.assemble().q, output_of(self.model).frame)
            return Pose(home.position[None], home.quaternion_wxyz[None])
        return self.poses

    def __call__(self, points: Mapping[str, Array]) -> dict[str, Any]:
        """Measures at designs, (n,) each."""
        checks.require_mapping("points", points, "values by the name of a varied number")
        for name in self.varied:
            self.model.parameters.index(name)
            if name not in points:
                raise ArgumentError(f"points lacks '{name}'; give an array for each of {', '.join(self.varied)}")
        sizes = {
            name: checks.require_array_shape(f"points['{name}']", points[name], (None,)).size for name in self.varied
        }
        if len(set(sizes.values())) > 1 or not all(sizes.values()):
            raise ArgumentError(f"points has columns of the sizes {sizes}, expected one size of at least 1")
        p = self.model.parameters.array({name: points[name] for name in self.varied})
        step = max(1, _ROWS // len(self.targets.position))
        parts = [self._measure_design(p[i : i + step]) for i in range(0, len(p), step)]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _measure_design(self, p: Array) -> dict[str, Array]:
        n, m = len(p), len(self.targets.position)
        rows = np.repeat(p, m, axis=0)
        target = Pose(np.tile(self.targets.position, (n, 1)), np.tile(self.targets.quaternion_wxyz, (n, 1)))
        with withheld_warnings(BatchWarning):
            q = self.model.inverse_kinematics(target, components=self.given_components, p=rows)[0]
            good = np.isfinite(q).all(axis=1)
            reached = good.reshape(n, m).mean(axis=1)
            out: dict[str, Array] = {"reached": reached}
            for name in self.measures:
                out |= _worst_and_mean(name, self._at(name, q, rows, good).reshape(n, m))
        return out | {"reason": np.where(reached > 0.0, "", f"none of the {m} poses is reached")}

    def _at(self, name: str, q: Array, p: Array, good: Array) -> Array:
        found = np.full(len(q), np.nan)
        if good.any():
            found[good] = MEASURES[name][0](self.model, q[good], p[good])
        return found


def _study_pose_rows(given: Any) -> Pose:
    """Poses as rows, (m, 3) and (m, 4)."""
    if not isinstance(given, list | tuple) or len(given) != 2:
        checks.refuse_argument("poses", given, "a Pose with positions (m, 3) and quaternions (m, 4)")
    position, wxyz = (checks.require_finite_array("poses", x) for x in given)
    if position.ndim != 2 or position.shape[1] != 3 or wxyz.shape != (len(position), 4) or not len(position):
        raise ArgumentError(
            f"poses have the shapes {position.shape} and {wxyz.shape}, expected (m, 3) and (m, 4), m at least 1",
            name="poses",
        )
    return Pose(position, wxyz)


def _worst_and_mean(name: str, x: Array) -> dict[str, Array]:
    """Worst and mean over the poses, (n,), without those that are NaN."""
    some = ~np.isnan(x).all(axis=1)
    worst, mean = np.full(len(x), np.nan), np.full(len(x), np.nan)
    if some.any():
        worst[some] = (np.nanmax if MEASURES[name][1] else np.nanmin)(x[some], axis=1)
        mean[some] = np.nanmean(x[some], axis=1)
    return {f"{name}_worst": worst, f"{name}_mean": mean}


# --- sweep files ------------------------------------------------------------------------------------------------------

MOST_VALUES = 10_000_000  # along an axis of a grid
MOST_POSES = 1_000_000  # at which designs are judged
_POSITION, _ROTATION = ("x", "y", "z"), ("rx", "ry", "rz")
_KINDS = {"uniform": Uniform, "latin_hypercube": LatinHypercube, "sobol": Sobol}


def designs_of(described: SweepStudy, mech: Mechanism, folder: Path) -> tuple[DesignStudy, Points]:
    """The function and the points of a sweep file; points named as a file are looked for in `folder`."""
    over = _sweep_points(described, mech, folder)
    study = DesignStudy(mech, over.names, None, described.measure, described.components)
    if not described.at:
        return study, over
    components = described.components or (tuple(described.at) if study.model.mobility < 6 else None)
    return DesignStudy(mech, over.names, poses_around(study.targets, described.at), described.measure, components), over


def _sweep_points(described: SweepStudy, mech: Mechanism, folder: Path) -> Points:
    given = described.sweep
    if given.grid is not None:
        return Grid(**{name: _grid_values(name, x, unit_of(mech, name)) for name, x in given.grid.items()})
    if given.file is not None:
        return listed_points(read_points(folder / given.file), partial(unit_of, mech))
    kind, sample = next((_KINDS[name], x) for name, x in given if x is not None)
    bounds = {name: [value_in(name, x, unit_of(mech, name)) for x in pair] for name, pair in sample.within.items()}
    return kind(sample.count, seed=sample.seed, **bounds)


def _grid_values(name: str, given: Any, unit: str) -> Array:
    found = steps_of_entry(given)
    if isinstance(found, tuple):
        checks.require_integer(f"count of {name}", found[2], 1, MOST_VALUES)
        return np.linspace(value_in(name, found[0], unit), value_in(name, found[1], unit), found[2])
    return np.array([value_in(name, x, unit) for x in found])


def unit_of(mech: Mechanism, name: str) -> str:
    """The SI unit of a parameter, or of a number by its path."""
    units = {each.name: each.unit for each in mech.parameters} | {path: x.unit for path, x in mech.numbers.items()}
    if name not in units:
        known = [each.name for each in mech.parameters]
        raise ArgumentError(f"'{mech.name}' has no parameter '{name}'{suggest_name(name, known)}", name=name)
    return units[name]


def value_in(name: str, written: Any, unit: str) -> float:
    """A number in SI as it is written, with or without a unit."""
    try:
        return value_in_si(written, unit) if isinstance(written, str) else float(written)
    except UnitError as error:
        raise ArgumentError(f"{name}: {error}", name=name) from None


def poses_around(home: Pose, at: Any) -> Pose:
    """All combinations of the components, absolute in the world; what is not named stays as at home."""
    axes = [_grid_values(name, x, "m" if name in _POSITION else "rad") for name, x in at.items()]
    checks.require_integer("the number of poses of 'at'", math.prod(map(len, axes)), 1, MOST_POSES)
    rows = {name: x.ravel() for name, x in zip(at, np.meshgrid(*axes, indexing="ij"), strict=True)}
    count = len(next(iter(rows.values())))
    position = np.tile(home.position, (count, 1))
    for k, name in enumerate(_POSITION):
        position[:, k] = rows.get(name, position[:, k])
    if not rows.keys() & set(_ROTATION):
        return Pose(position, np.tile(home.quaternion_wxyz, (count, 1)))
    rpy = np.stack([rows.get(name, np.zeros(count)) for name in _ROTATION], axis=1)
    return Pose(position, np.array([RigidTransform.from_rpy((0.0, 0.0, 0.0), row).wxyz for row in rpy]))
