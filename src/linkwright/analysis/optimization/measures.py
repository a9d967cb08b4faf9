"""Measures of a design over a set of poses with exact derivatives, from design to design, and numbers of a study.

The poses are held: coordinates follow from inverse kinematics at every design, and derivatives are those at fixed
pose. The worst over the poses is given twice: as its parts, one value per pose, which searches limit one by one, and
as a smooth maximum, (1/k) log sum exp(k x), which is never below the largest of m values and at most log(m)/k above.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.deviations.held_actuators import require_inputs
from linkwright.analysis.performance.output_components import output_of
from linkwright.checks import (
    as_float,
    require_array_shape,
    require_callable,
    require_choice,
    require_finite_array,
    require_flag,
    require_instance,
    require_mapping,
    require_number,
    require_positive,
    require_text,
    require_vector,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError, BatchWarning, ParameterWarning, withheld_warnings
from linkwright.kinematics.continuation import Steps, jump_to_targets, steps_to
from linkwright.kinematics.query import BatchRows, Ended
from linkwright.mechanism.names import counted_noun
from linkwright.model import Model
from linkwright.model.pose import FixedPose, Pose
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import DIFFERENCE_STEP
from linkwright.readable_text import combination_text, shared_unit
from linkwright.results.charts import axis_label

# --- designs of a search one after the other --------------------------------------------------------------------------

Array = np.ndarray
_PARTS = (1, 4)  # into how many the way between two designs is divided before it counts as not to be gone


@dataclass(frozen=True, eq=False)
class MeasureValue:
    """A measure at one design: its value, the exact (not smoothed) one, and the gradient by the model's inputs.

    A design that does not reach all poses has `reached` below 1 and no value. Of a worst case, `parts` are the values
    above zero of which the largest counts, (k,), and `part_gradients` their gradients, (k, n_p): a search then limits
    every part instead of the smoothed value.
    """

    value: float
    exact: float
    gradient: Array
    reached: float = 1.0
    parts: Array | None = None
    part_gradients: Array | None = None


Judged = Callable[[Model, Array, bool], MeasureValue]
"""The measure of a model, at its design, from coordinates (m, nq) at the poses; with or without its gradient."""


@dataclass(eq=False)
class WarmStartedMeasure:
    """A measure along a search: each design is solved from the last one that reached all poses.

    Loops are closed along the straight way between the designs, in the working mode of the last one; the first design
    starts from the model's home. A way that has to be gone in many small parts counts as not reached: a search then
    takes a shorter step.

    Attributes:
        model: with the parameters as inputs. poses: of the output, (m, 3) and (m, 4).
        frame, components: whose pose, and the components (of rx ry rz x y z) that are given.
        judged: the measure from closed coordinates. last: the last design that reached all poses, and its coordinates.
    """

    model: Model
    poses: Pose
    frame: str
    components: tuple[int, ...]
    names: tuple[str, ...]
    judged: Judged
    last: tuple[Array, Array] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        require_instance("model", self.model, Model, "a Model")
        require_instance("poses", self.poses, tuple, "a Pose with positions (m, 3) and quaternions (m, 4)")
        require_callable(
            "judged", self.judged, "a measure from coordinates, as JacobianMeasure(...).following() has it"
        )

    def __call__(self, p: Array, gradient: bool = True) -> MeasureValue:
        """The measure at values of the model's inputs, (n_p,); without gradients it takes less time."""
        p, gradient = require_vector("p", p, len(self.model.parameters)), require_flag("gradient", gradient)
        with withheld_warnings(BatchWarning, ParameterWarning):
            here = self.model.with_parameters(p)
            q = self._solve_poses(here, p)
            good = np.isfinite(q).all(axis=1)
            if not good.all():
                return partial_reach_value(p, float(good.mean()))
            found = self.judged(here, q, gradient)
        if found.reached == 1.0:
            self.last = np.array(p, dtype=float), q
        return found

    def _solve_poses(self, here: Model, p: Array) -> Array:
        """Coordinates at the poses, (m, nq), NaN in rows that are not reached."""
        steps = steps_to(here.kinematics, self.frame, self.components)
        if self.last is None or steps is None:
            near = None if self.last is None else self.last[1]
            return here.inverse_kinematics(self.poses, near=near, frame=self.frame, components=self.names)[0]
        for parts in _PARTS:
            q, ended = self._go_to_design(steps, p, parts)
            if (ended == Ended.REACHED).all():
                return q
        if (ended == Ended.LEFT_OPEN).any():
            return here.inverse_kinematics(self.poses, near=self.last[1], frame=self.frame, components=self.names)[0]
        q[ended != Ended.REACHED] = np.nan
        return q

    def _go_to_design(self, steps: Steps, p: Array, parts: int) -> tuple[Array, Array]:
        """Coordinates and how each pose ended after some equal parts of the way from the last design to this one."""
        target = np.concatenate(self.poses, axis=1)
        first, q = self.last  # type: ignore[misc]
        before = first
        for k in range(1, parts + 1):
            values = np.array(p, dtype=float) if k == parts else first + (p - first) * (k / parts)
            q, ended = jump_to_targets(steps, BatchRows((len(target),), q, target, values, before))
            if (ended != Ended.REACHED).any():
                break
            before = values
        return q, ended


def partial_reach_value(p: Array, share: float) -> MeasureValue:
    """A design that reaches some share of the poses."""
    return MeasureValue(np.nan, np.nan, np.full(len(p), np.nan), share)


# --- measures of a design over a set of poses, with exact derivatives by its parameters -------------------------------

_MOST_PARTS = 512  # parts of a worst case that a search limits one by one
_TINY = 1e-6  # share of the largest effort below which one takes no part
_OUTER = (0, 2, 8)  # ends of the blocks of poses that are tried before all others


class Measure(Protocol):
    """A number of a design with its gradient; small is good for objectives."""

    def __call__(self, p: Array) -> MeasureValue:
        """The measure at values of the model's inputs, (n_p,)."""


@dataclass(frozen=True, eq=False)
class JacobianMeasure:
    """A measure of the actuator Jacobian over poses of the output.

    Attributes:
        model: with the parameters as inputs.
        poses: poses of the output, (m, 3) and (m, 4).
        of: "condition" of the Jacobian from actuator rates to the output's twist, "gain", its largest singular value
            (speed of the output per actuator rate), "reduction", the reciprocal of its smallest one (actuator rate, and
            error amplification of forces, per speed of the output).
        combine: "worst" (smooth maximum) or "mean" over the poses.
        components: those that the poses give; None takes those that the output can move.
        length: characteristic length [m] of rotations; None takes 1 m. sharpness: k of the smooth maximum of log x.
    """

    model: Model
    poses: Pose
    of: Literal["condition", "gain", "reduction"] = "condition"
    combine: Literal["worst", "mean"] = "worst"
    components: tuple[str, ...] | None = None
    length: float = 1.0
    sharpness: float = 200.0

    def __post_init__(self) -> None:
        _check_poses(self.model, self.poses)
        require_positive("length", self.length)
        require_positive("sharpness", self.sharpness)
        require_choice("of", self.of, ("condition", "gain", "reduction"))
        require_choice("combine", self.combine, ("worst", "mean"))
        output_of(self.model, None, self.components)

    @cached_property
    def _rows(self) -> tuple[str, list[int], Array, tuple[str, ...]]:
        """Frame, rows of the Jacobian, their scale, and the components that are held."""
        output = output_of(self.model, None, self.components)
        scale = np.array([self.length if i < 3 else 1.0 for i in output.components])
        return output.frame, list(output.components), scale, output.names

    def __call__(self, p: Array) -> MeasureValue:
        """Value, exact value and gradient."""
        return self.following()(_one_design(self.model, p))

    def following(self) -> WarmStartedMeasure:
        """The measure along a search: designs one after the other take less time."""
        frame, rows, _, names = self._rows
        return WarmStartedMeasure(self.model, self.poses, frame, tuple(rows), names, self._judge_poses)

    def _judge_poses(self, here: Model, q: Array, gradient: bool) -> MeasureValue:
        frame, rows, scale, names = self._rows
        J = here.actuator_jacobian(q, frame)
        n, good = len(here.parameters), np.isfinite(J).all(axis=(1, 2))
        if not good.all():
            return partial_reach_value(np.zeros(n), float(good.mean()))
        x, by_J = _log_measure(J[:, rows] * scale[:, None], self.of)
        dx = np.full((len(x), n), np.nan)
        if gradient:
            weights = np.zeros_like(J)
            weights[:, rows] = by_J * scale[:, None]
            held: Any = FixedPose(frame, list(names))
            dx = np.asarray(here.parameter_jacobian("actuator_jacobian", q, frame, fixed=held, weights=weights))
        if not np.isfinite(x).all() or (gradient and not np.isfinite(dx).all()):
            return partial_reach_value(np.zeros(n), float(np.isfinite(x).mean()))
        return _combine_poses(x, dx, self.combine, self.sharpness)

    def reaches(self, p: Array) -> bool:
        """True if a design reaches all poses; recognized by a few where it does not."""
        return _can_reach_all_poses(self.model, self.poses, self._rows[3], _one_design(self.model, p))

    @property
    def title(self) -> str:
        """What it measures, for people."""
        return f"{self.combine} {self.of} over {counted_noun(len(self.poses.position), 'pose')}"


def _one_design(model: Model, p: Any) -> Array:
    """Values of the model's inputs, (n_p,)."""
    return require_vector("p", p, len(model.parameters))


def _can_reach_all_poses(model: Model, poses: Pose, names: tuple[str, ...], p: Array) -> bool:
    """True if a design reaches all poses, those farthest from their middle first.

    A pose that is not reached costs a thousand times one that is (its continuation is tried to the end): designs that
    do not reach are recognized by a few.
    """
    far = np.argsort(-np.linalg.norm(poses.position - poses.position.mean(axis=0), axis=1), kind="stable")
    with withheld_warnings(BatchWarning):
        for first, last in pairwise((*_OUTER, len(far))):
            some = Pose(*(x[far[first:last]] for x in poses))
            if first < last and not np.isfinite(model.inverse_kinematics(some, components=names, p=p)[0]).all():
                return False
    return True


def _check_poses(model: Any, poses: Any) -> None:
    require_inputs(require_instance("model", model, Model, "a Model"), "an objective")
    pair = require_instance("poses", poses, tuple, "a Pose with positions (m, 3) and quaternions (m, 4)")
    shapes = [require_finite_array("poses", x).shape for x in pair]
    if (
        len(shapes) != 2
        or len(shapes[0]) != 2
        or shapes[0][1] != 3
        or shapes[1] != (shapes[0][0], 4)
        or not shapes[0][0]
    ):
        raise ArgumentError(f"poses have the shapes {shapes}, expected (m, 3) and (m, 4), m at least 1", name="poses")


def _log_measure(J: Array, of: str) -> tuple[Array, Array]:
    """Logarithms (m,) of the measure, and their derivatives by J, (m, rows, na): ds = u^T dJ v."""
    x = decompose_scaled(J)
    U, s, Vt = x.U, x.s, x.Vt

    def by_J(k: int) -> Array:
        return U[:, :, k, None] * (Vt[:, k] / s[:, k, None])[:, None, :]

    if of == "gain":
        return np.log(s[:, 0]), by_J(0)
    if of == "reduction":
        return -np.log(s[:, -1]), -by_J(-1)
    return np.log(s[:, 0] / s[:, -1]), by_J(0) - by_J(-1)


def _combine_poses(x: Array, dx: Array, combine: str, sharpness: float) -> MeasureValue:
    """Values exp(x), (m,), as one: their mean, or the worst with its parts."""
    values = np.exp(x)
    if combine == "mean":
        return MeasureValue(float(values.mean()), float(values.mean()), (values[:, None] * dx).mean(axis=0))
    parts, changes = _group_neighbors(x, dx, sharpness)
    smooth, change = _smooth_maximum_and_gradient(x, dx, sharpness)
    return MeasureValue(smooth, float(values.max()), change, 1.0, parts, changes)


def _smooth_maximum_and_gradient(x: Array, dx: Array, sharpness: float) -> tuple[float, Array]:
    """The smooth maximum of exp(x), and its gradient."""
    top = x.max()
    weights = np.exp(sharpness * (x - top))
    value = float(np.exp(top + np.log(weights.sum()) / sharpness))
    return value, value * (weights @ dx) / weights.sum()


def _group_neighbors(x: Array, dx: Array, sharpness: float) -> tuple[Array, Array]:
    """At most `_MOST_PARTS` values of exp(x) and their gradients; of more, smooth maxima of neighbors."""
    if len(x) <= _MOST_PARTS:
        values = np.exp(x)
        return values, values[:, None] * dx
    pairs = zip(np.array_split(x, _MOST_PARTS), np.array_split(dx, _MOST_PARTS), strict=True)
    parts, changes = zip(*(_smooth_maximum_and_gradient(*pair, sharpness) for pair in pairs), strict=True)
    return np.array(parts), np.array(changes)


@dataclass(frozen=True, eq=False)
class PeakEffort:
    """The largest effort of an actuator along a motion of the output, as a smooth maximum.

    Attributes:
        model: with the parameters as inputs.
        poses, twists, twist_rates: motion of the output, (m, 3) and (m, 4), (m, 6), (m, 6), world axes.
        components: those that the poses give; None takes those that the output can move.
        scale: efforts that count as 1, by actuator, (na,); one number for all.
    """

    model: Model
    poses: Pose
    twists: Array
    twist_rates: Array
    components: tuple[str, ...] | None = None
    scale: ArrayLike = 1.0
    sharpness: float = 200.0

    def __post_init__(self) -> None:
        _check_poses(self.model, self.poses)
        require_positive("sharpness", self.sharpness)
        output_of(self.model, None, self.components)
        for name in ("twists", "twist_rates"):
            object.__setattr__(self, name, require_array_shape(name, getattr(self, name), (len(self.poses[0]), 6)))
        if require_finite_array("scale", self.scale).shape not in ((), (self.model.na,)) or not np.all(
            np.asarray(self.scale) > 0.0
        ):
            raise ArgumentError(f"scale is {self.scale!r:.80}, expected numbers above zero, one or {self.model.na}")

    @property
    def title(self) -> str:
        """What it measures, for people; efforts that `scale` compares are shares."""
        unit = shared_unit(each.effort_unit for each in self.model.actuators) if np.all(self.scale == 1.0) else ""
        return axis_label("peak effort", unit)

    def reaches(self, p: Array) -> bool:
        """True if a design reaches all poses; recognized by a few where it does not."""
        return _can_reach_all_poses(
            self.model, self.poses, output_of(self.model, None, self.components).names, _one_design(self.model, p)
        )

    def __call__(self, p: Array) -> MeasureValue:
        """Value, exact value and gradient."""
        return self.following()(_one_design(self.model, p))

    def following(self) -> WarmStartedMeasure:
        """The measure along a search: designs one after the other take less time."""
        out = output_of(self.model, None, self.components)
        return WarmStartedMeasure(self.model, self.poses, out.frame, out.components, out.names, self._judge_poses)

    def _judge_poses(self, here: Model, q: Array, gradient: bool) -> MeasureValue:
        output, n = output_of(self.model, None, self.components), len(here.parameters)
        q, v, a = here.inverse_kinematics(
            self.poses, self.twists, self.twist_rates, near=q, frame=output.frame, components=output.names
        )
        tau = here.inverse_dynamics(q, v, a)
        d_tau = np.full((*tau.shape, n), np.nan)
        if gradient:
            held: Any = FixedPose(output.frame, list(output.names))
            d_tau = np.asarray(here.parameter_jacobian("inverse_dynamics", q, v, a, fixed=held))
        good = np.isfinite(tau).all(axis=1)
        if not good.all() or (gradient and not np.isfinite(d_tau).all()):
            return partial_reach_value(np.zeros(n), float(good.mean()))
        size = np.broadcast_to(np.asarray(self.scale, dtype=float), (self.model.na,))
        x, dx = (tau / size).ravel(), (d_tau / size[:, None]).reshape(-1, n)
        largest = np.abs(x).max(initial=0.0)
        if largest == 0.0:
            return MeasureValue(0.0, 0.0, np.zeros(n), 1.0, np.full(len(x), _TINY), np.zeros(dx.shape))
        small = np.abs(x) <= _TINY * largest  # log |x| has no derivative at 0; these take no part in the maximum
        flat = np.where(small, _TINY * largest, np.abs(x))
        d_flat = np.where(small[:, None], 0.0, np.sign(x)[:, None] * dx)
        return _combine_poses(np.log(flat), d_flat / flat[:, None], "worst", self.sharpness)


@dataclass(frozen=True, eq=False)
class WeightedSum:
    """A sum of parameters with weights by name, such as the total length."""

    model: Model
    weights: dict[str, float]

    def __post_init__(self) -> None:
        require_inputs(require_instance("model", self.model, Model, "a Model"), "an objective")
        for name, x in require_mapping("weights", self.weights, "weights by parameter").items():
            self.model.parameters.index(require_text("weights", name))
            require_number(f"the weight of '{name}'", x)

    @property
    def title(self) -> str:
        """The sum as text, with the unit that all its terms share."""
        units = dict(zip(self.model.parameters.names, self.model.parameters.units, strict=True))
        terms = combination_text((x, name) for name, x in self.weights.items())
        return axis_label(terms, shared_unit(units.get(name, "") for name in self.weights))

    def __call__(self, p: Array) -> MeasureValue:
        """The sum and its gradient."""
        p = _one_design(self.model, p)
        w = np.zeros(len(p))
        for name, x in self.weights.items():
            w[self.model.parameters.index(name)] = x
        return MeasureValue(float(w @ p), float(w @ p), w)


# --- A number of a study as objective or constraint of a search -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class StudyMeasure:
    """A fact of a study over the inputs of a model; its gradient by central differences, so two studies per input.

    Attributes:
        model: with the parameters as inputs. study: a function of a model that returns a `StudyResult`.
        key: name of the fact in `data()`. options: further arguments of the study. step: relative change of an input.
    """

    model: Model
    study: Callable[..., Any]
    key: str
    options: Mapping[str, Any] = field(default_factory=dict)
    step: float = DIFFERENCE_STEP

    def __post_init__(self) -> None:
        require_instance("model", self.model, Model, "a Model")
        require_callable("study", self.study, "a study, such as lw.analysis.indices")
        require_text("key", self.key)
        require_mapping("options", self.options, "arguments by name")
        require_positive("step", self.step)

    @property
    def title(self) -> str:
        """What it measures, for people."""
        return self.key.replace("_", " ")

    def __call__(self, p: Array) -> MeasureValue:
        """The measure at values of the model's inputs, (n_p,)."""
        p = require_vector("p", p, len(self.model.parameters))
        try:
            value = self._value(p)
            steps = np.diag(self.step * np.maximum(np.abs(p), self.step))
            gradient = [(self._value(p + h) - self._value(p - h)) / (2.0 * h.sum()) for h in steps]
        except AssemblyError:
            return partial_reach_value(p, 0.0)
        return MeasureValue(value, value, np.array(gradient))

    def _value(self, p: Array) -> float:
        found = self.study(self.model.with_parameters(p), **self.options).data()
        value = as_float(found.get(self.key))
        if value is None:
            raise ArgumentError(f"'{self.key}' does not name a number in the study '{found['study']}'", name="key")
        return value
