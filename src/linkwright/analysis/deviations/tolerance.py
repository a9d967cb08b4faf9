"""Tolerance: how deviations of lengths move the output; Monte Carlo, linear budget, worst case, allocation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.deviations.held_actuators import HeldActuators, pose_difference, require_inputs
from linkwright.analysis.performance.output_components import output_of
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import (
    require_choice,
    require_in_range,
    require_instance,
    require_integer,
    require_mapping,
    require_number,
    require_positive,
    require_real_array,
    require_seed,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import OPEN_STATE, ROUNDED_RESULT
from linkwright.results.charts import Curve, Panel
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
_COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
_ROWS = 65536
_NONE = "no effect at this pose"
_FROM_UNIFORM = 1.0 / np.sqrt(3.0)  # standard deviation of a uniform distribution over its half width


MEANINGS = {"normal": "standard deviations", "uniform": "half widths"}  # of tolerances, by distribution
_UNITS = {"displacement_95": "m", "angle_95": "rad", "open_loops": "%"}
_TITLES = {
    "tolerance_meaning": "tolerances are",
    "displacement_95": "95 % of displacements below",
    "angle_95": "95 % of angles below",
    "open_loops": "loops that do not close",
}


@dataclass(frozen=True, eq=False)
class Tolerance(StudyResult):
    """Errors of the output with the actuators held, at m configurations.

    Attributes:
        mechanism: name. frame: output. names, units: of the parameters that deviate.
        deviations: their tolerances, (k,): half widths ("uniform") or standard deviations ("normal").
        distribution: of the samples.
        sensitivity: [angular; linear] of the output by the parameters, world axes, (m, 6, k); zero where it is
            rounding, as at symmetric poses.
        samples: errors [rotation vector; displacement], (m, n, 6); NaN where loops do not close.
        failed: share of the samples whose loops do not close, (m,). interrupted: True if it ended at Ctrl-C.
        limit: of the standard deviation of the displacement [m], for a table of tolerances at least cost (`allocate`).
    """

    mechanism: str
    frame: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    deviations: Array
    distribution: str
    sensitivity: Array
    samples: Array
    failed: Array
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    limit: float | None = None
    studied: StudiedMechanism | None = None

    @property
    def standard(self) -> Array:
        """Standard deviations of the parameters, (k,)."""
        return self.deviations * (_FROM_UNIFORM if self.distribution == "uniform" else 1.0)

    @property
    def linear(self) -> Array:
        """Standard deviation of each component to first order, (m, 6), [rad, m]."""
        return np.sqrt(np.sum((self.sensitivity * self.standard) ** 2, axis=-1))

    @property
    def worst(self) -> Array:
        """Error of each component to first order if every parameter is off by its tolerance, (m, 6), [rad, m].

        Signs are the worst. It is a bound with "uniform" only: with "normal" a parameter may be off by more than one
        standard deviation.
        """
        return np.sum(np.abs(self.sensitivity) * self.deviations, axis=-1)

    @property
    def budget(self) -> Array:
        """Share of each parameter in the variance of the displacement, (m, k).

        Rows add up to 1, or are zero where no parameter has an effect at that pose.
        """
        part = np.sum((self.sensitivity[:, 3:] * self.standard) ** 2, axis=1)
        total = part.sum(axis=1, keepdims=True)
        return part / np.where(total > 0.0, total, 1.0)

    @property
    def displacement(self) -> Array:
        """Distance by which each sample displaces the output, (m, n), [m]."""
        return np.linalg.norm(self.samples[..., 3:], axis=-1)

    @property
    def angle(self) -> Array:
        """Angle by which each sample turns the output, (m, n), [rad]."""
        return np.linalg.norm(self.samples[..., :3], axis=-1)

    def quantile(self, share: float) -> tuple[Array, Array]:
        """Angle [rad] and displacement [m] that this share of the samples stays below, (m,) each."""
        share = require_in_range("share", share, 0.0, 1.0)
        return np.nanquantile(self.angle, share, axis=1), np.nanquantile(self.displacement, share, axis=1)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        angle, shift = self.quantile(0.95)
        most = int(np.nanargmax(shift))
        order = np.argsort(-self.budget[most])
        rows = [
            [self.names[i], self.units[i], float(self.deviations[i]), float(100.0 * share) if share > 0.0 else _NONE]
            for i, share in zip(order, self.budget[most][order].tolist(), strict=True)
        ]
        title = f"Shares in the displacement at configuration {most}"
        columns = {"parameter": "", "unit": "", "tolerance": "", "share": "%"}
        tables = [StudyTable("shares", columns, rows, title)]
        parts = zip(_COMPONENTS, self.samples_deviation[most], self.linear[most], self.worst[most], strict=True)
        cells = [[name, "rad" if name[0] == "r" else "m", *map(float, x)] for name, *x in parts]
        columns = dict.fromkeys(("component", "unit", "sampled_deviation", "linear_deviation", "all_at_tolerance"), "")
        tables.append(StudyTable("errors", columns, cells, f"Errors at configuration {most}"))
        if self.limit is not None:
            found = self.allocate(self.limit)
            least = [
                [name, unit, found[name] if np.isfinite(found[name]) else _NONE]
                for name, unit in zip(self.names, self.units, strict=True)
            ]
            columns = dict.fromkeys(("parameter", "unit", "tolerance"), "")
            tables.append(StudyTable("allocation", columns, least, "Tolerances at least cost (1 / tolerance each)"))
        facts = {
            "mechanism": self.mechanism,
            "output": self.frame,
            "configurations": len(self.sensitivity),
            "samples": int(self.samples.shape[1]),
            "distribution": self.distribution,
            "tolerance_meaning": MEANINGS[self.distribution],
            "displacement_95": float(shift.max()),
            "angle_95": float(angle.max()),
            "open_loops": float(100.0 * self.failed.max(initial=0.0)),
        }
        x = np.sort(self.displacement[most][np.isfinite(self.displacement[most])])
        curve = Curve("samples", x, np.linspace(0.0, 1.0, len(x)) if len(x) else x)
        panels = [Panel("displacement [m]", "share of samples", [curve])]
        arrays = {"sensitivity": self.sensitivity, "deviations": self.deviations, "displacement": self.displacement}
        return StudyContent(
            f"Tolerance of {self.mechanism}", facts, tables, panels, arrays, self.notes, _UNITS, _TITLES
        )

    @property
    def samples_deviation(self) -> Array:
        """Standard deviation of each component over the samples, (m, 6), [rad, m]."""
        return np.nanstd(self.samples, axis=1)

    def allocate(self, limit: float, cost: Mapping[str, float] | None = None) -> dict[str, float]:
        """Tolerances, at least cost, that keep the standard deviation of the displacement within a limit.

        A tolerance t of a parameter costs `cost` / t (1 / t by default): narrow ones cost more. To first order the
        variance is the sum of (s t)^2, and the least cost at one configuration is at t proportional to
        (cost / s^2)^(1/3); with several configurations the strictest holds. A parameter without effect on the
        displacement at any of them may deviate by any amount: its tolerance is infinite.

        Args:
            limit: of the standard deviation of the displacement at every configuration, [m].
            cost: weights by parameter.
        """
        limit = require_positive("limit", limit, "a length above zero, [m]")
        given = {} if cost is None else require_mapping("cost", cost, "weights by parameter")
        for name in given:
            if name not in self.names:
                raise ArgumentError(f"cost names the unknown parameter '{name}'{suggest_name(name, self.names)}")
        weight = np.array([require_positive(f"cost['{name}']", given.get(name, 1.0)) for name in self.names])
        factor = _FROM_UNIFORM if self.distribution == "uniform" else 1.0
        S = np.sum((factor * self.sensitivity[:, 3:]) ** 2, axis=1)  # (m, k)
        return dict(zip(self.names, _allocate_tolerances(S, weight, limit).tolist(), strict=True))


def tolerance(
    model: Model,
    q: ArrayLike,
    deviations: Mapping[str, float] | float,
    *,
    samples: int = 10_000,
    distribution: Literal["normal", "uniform"] = "normal",
    frame: str | None = None,
    seed: int = 0,
    max_seconds: float | None = None,
) -> Tolerance:
    """Errors of the output's pose from deviations of the model's inputs, with the actuators held and the loops closed.

    Args:
        model: built with the deviating numbers as inputs.
        q: closed coordinates at which errors are wanted, (nq,) or (m, nq).
        deviations: tolerances by parameter, or one for all, in SI: standard deviations ("normal") or half widths
            ("uniform").
        samples: designs per configuration.
        distribution: "normal": give a third of a drawing's +- value if 99.7 % of the parts keep it. "uniform": give the
            +- value itself.
        frame: output frame or body; None takes the mechanism's output.
        max_seconds: end after this time, or after Ctrl-C, with the designs so far; None for no limit.
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_inputs(model, "a tolerance study")
    budget = StudyBudget("drawing designs", max_seconds)
    picked, sizes = _deviating_inputs(model, deviations)
    require_integer("samples", samples, 2, 10_000_000)
    require_choice("distribution", distribution, ("normal", "uniform"))
    seed = require_seed("seed", seed)
    rows = _check_closed_rows(model, q)
    output, nominal = output_of(model, frame).frame, model.parameters.values
    J = _pose_derivatives_without_rounding(model, np.asarray(model.parameter_jacobian("frame_pose", rows, output)))[
        ..., picked
    ]
    p = np.tile(nominal, (samples, 1))
    p[:, picked] += _draw_deviations(distribution, (samples, len(picked)), seed) * sizes
    parts = []
    with budget.ending_early():
        for i in budget.steps(range(0, samples, _ROWS)):
            parts.append([_output_errors(model, row, output, p[i : i + _ROWS]) for row in rows])
    if not parts:
        raise KeyboardInterrupt
    found = np.concatenate(parts, axis=1)
    failed = np.isnan(found).any(axis=2).mean(axis=1)
    names = tuple(model.parameters.names[i] for i in picked)
    units = tuple(model.parameters.units[i] for i in picked)
    notes: tuple[str, ...] = (
        ("loops of some samples do not close; quantiles are of those that do",) if failed.any() else ()
    )
    notes = (*notes, *budget.notes(f"{found.shape[1]} of {samples} designs were computed"))
    return Tolerance(
        model.mechanism.name, output, names, units, sizes, distribution, J, found, failed, notes, budget.interrupted,
        studied=studied_mechanism(model, rows),
    )  # fmt: skip


def _pose_derivatives_without_rounding(model: Model, J: Array) -> Array:
    """Derivatives (m, 6, n_p) of poses by all inputs, with zeros where there is nothing but rounding.

    They are compared with the largest of their configuration, and with 1, in units of the mechanism: its mean link for
    lengths, a radian for angles.
    """
    length = float(model.scales.length)
    rows = np.array([1.0] * 3 + [1.0 / length] * 3)
    columns = np.array([length if unit == "m" else 1.0 for unit in model.parameters.units])
    size = np.abs(J) * rows[:, None] * columns
    largest = np.maximum(1.0, np.nanmax(size, axis=(1, 2), keepdims=True, initial=0.0))
    return np.where(size < ROUNDED_RESULT * largest, 0.0, J)


def _check_closed_rows(model: Model, q: ArrayLike) -> Array:
    """Configurations (m, nq), refused where loops are open."""
    rows = np.atleast_2d(require_real_array("q", q).astype(float))
    if rows.ndim != 2 or rows.shape[1] != model.nq:
        raise ArgumentError(f"q has shape {rows.shape}, expected (m, {model.nq})", name="q")
    if not np.isfinite(rows).all():
        raise ArgumentError("q has numbers that are not finite; give closed coordinates", name="q")
    residual = np.abs(model.closure_residual(rows)).max(axis=1, initial=0.0)
    if residual.max(initial=0.0) > OPEN_STATE:
        i = int(np.argmax(residual))
        raise ArgumentError(
            f"q[{i}] leaves the loops open by {residual[i]:.3g}; give closed coordinates, of assemble or kinematics",
            name="q",
        )
    return rows


def _draw_deviations(distribution: str, shape: tuple[int, int], seed: int) -> Array:
    """Random deviations in units of the tolerances."""
    chance = np.random.default_rng(seed)
    return chance.normal(size=shape) if distribution == "normal" else chance.uniform(-1, 1, shape)


def _output_errors(model: Model, q: Array, frame: str, p: Array) -> Array:
    """Errors of the output at one configuration for every design, (n, 6)."""
    q_act = model.actuator_positions(q)
    nominal = model.frame_pose(q, frame)
    held = HeldActuators(model, frame, np.tile(q_act, (len(p), 1)), np.tile(q, (len(p), 1)))
    return pose_difference(held.pose(held.coordinates(p), p), Pose(*(x[None] for x in nominal)))


def _deviating_inputs(model: Model, given: Any) -> tuple[list[int], Array]:
    """Indices of the parameters that deviate, and by how much."""
    names = model.parameters.names
    if not isinstance(given, Mapping):
        given = dict.fromkeys(names, given)
    for name, x in given.items():
        if name not in names:
            raise ArgumentError(f"unknown parameter '{name}'{suggest_name(name, names)}", name="deviations")
        if require_number(f"deviations['{name}']", x) < 0.0:
            raise ArgumentError(f"deviations['{name}'] is {x!r}, expected a number of at least 0", name="deviations")
    picked = [i for i, name in enumerate(names) if name in given]
    return picked, np.array([float(given[names[i]]) for i in picked])


def _allocate_tolerances(S: Array, weight: Array, limit: float) -> Array:
    """Tolerances t that minimize sum(weight / t) with S t^2 <= limit^2 at every configuration.

    In x = log t the problem is convex; scipy's SLSQP solves it from the closed solution of the strictest row.
    """
    from scipy.optimize import minimize

    active = S.max(axis=0) > 0.0
    t = np.full(S.shape[1], np.inf)
    if not active.any():
        return t
    S, w = S[:, active] / limit / limit, weight[active]
    starts = [(w / np.maximum(row, ROUNDED_RESULT * row.max())) ** (1.0 / 3.0) for row in S]
    starts = [x / np.sqrt((S @ x**2).max()) for x in starts]
    start = min(starts, key=lambda x: float(np.sum(w / x)))
    if len(S) == 1:
        t[active] = start
        return t
    size = float(np.sum(w / start))
    found = minimize(
        lambda x: float(np.sum(w * np.exp(-x)) / size),
        np.log(start),
        jac=lambda x: -w * np.exp(-x) / size,
        constraints={
            "type": "ineq",
            "fun": lambda x: 1.0 - S @ np.exp(2.0 * x),
            "jac": lambda x: -2.0 * S * np.exp(2.0 * x),
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    best = np.exp(found.x)
    t[active] = best / np.sqrt(max(1.0, float((S @ best**2).max())))
    return t
