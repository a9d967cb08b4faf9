"""Calibration: geometric parameters from measured poses, and what the measurements do not determine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.deviations.held_actuators import HeldActuators, pose_difference, require_inputs
from linkwright.analysis.performance.output_components import NAMES, output_jacobians, output_of
from linkwright.analysis.scaled_svd import LeastSquaresSVD
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import (
    require_array_shape,
    require_finite_array,
    require_in_range,
    require_instance,
    require_integer,
    require_mapping,
    require_positive,
    require_real_array,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError, ParameterWarning, warn_caller
from linkwright.mechanism.names import counted_noun
from linkwright.model import Model, arguments
from linkwright.model.actuator_records import doubt_degrees, first_angles
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import LIMIT_SLACK, SMALLEST_SIZE, STILL_COMPONENT
from linkwright.readable_text import combination_text
from linkwright.results.charts import Curve, Panel
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
_STEPS = 50
_THOUSAND = (200.0, 5000.0)  # ratio of measured and computed distances that looks like millimeters
_HALVINGS = 8
_POSE_NOISE = (1e-4, 1e-5)  # of a position [m] and an orientation [rad]
_FAR = 0.5  # share of a value, and of the mean link, from which on its change is doubted
_NOISE_LEFT = 3.0  # times the stated noise: a single difference is as large once in 400 times
_SETTLED = 1e-10  # change of the scaled parameters that ends the iteration
_SHARE = 0.05  # of the largest coefficient: smaller ones are left out of a combination's description


_TITLES = {
    "rms_before": "differences before, RMS in units of the noise",
    "rms_after": "differences after",
    "noise_ratio": "noise left / noise stated",
}


@dataclass(frozen=True, eq=False)
class Calibration(StudyResult):
    """Parameters from measurements.

    Attributes:
        mechanism: name. names, units: of the parameters, in the order of `p`.
        nominal, p: values before and after, (n_p,).
        covariance: of `p` from the noise of the measurements, (n_p, n_p); NaN for parameters that are not determined.
        rank: number of combinations of parameters that the measurements determine.
        undetermined: combinations that they do not determine, (k, n_p), the largest coefficient of each is 1; their
            values stay as they were.
        before, after: differences of measured and computed poses in units of their noise, (n, m); of a planar robot
            without the components that stay zero.
        noise: factor by which the differences that are left exceed the stated noise; about 1 where both agree.
        steps: Gauss-Newton steps. used: measurements that took part, as a mask (n,).
        doubts: reasons not to believe the values: units, an iteration that did not settle, values far off the nominal,
            differences left that the stated noise does not explain. interrupted: True if it ended at Ctrl-C.
    """

    mechanism: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    nominal: Array
    p: Array
    covariance: Array
    rank: int
    undetermined: Array
    before: Array
    after: Array
    noise: float
    steps: int
    used: Array
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    @property
    def values(self) -> dict[str, float]:
        """Calibrated values by name."""
        return dict(zip(self.names, self.p.tolist(), strict=True))

    @property
    def deviation(self) -> Array:
        """Standard deviations of the parameters, (n_p,); NaN where they are not determined."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def descriptions(self) -> tuple[str, ...]:
        """The undetermined combinations in terms of the parameters' names."""
        return tuple(
            combination_text((x, name) for x, name in zip(row.tolist(), self.names) if abs(x) > _SHARE)
            for row in self.undetermined
        )

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        rows = [
            [name, unit, float(a), float(b), float(b - a), float(s)]
            for name, unit, a, b, s in zip(self.names, self.units, self.nominal, self.p, self.deviation, strict=True)
        ]
        names = ("parameter", "unit", "nominal", "calibrated", "change", "deviation")
        tables = [StudyTable("parameters", dict.fromkeys(names, ""), rows)]
        if len(self.undetermined):
            cells = [[i + 1, text] for i, text in enumerate(self.descriptions)]
            title = "Combinations that the measurements do not determine"
            tables.append(StudyTable("undetermined", {"number": "", "combination": ""}, cells, title))
        index = np.arange(len(self.used))[self.used]
        curves = [
            Curve("before", index, np.sqrt(np.mean(self.before**2, axis=1)), dots=True),
            Curve("after", index, np.sqrt(np.mean(self.after**2, axis=1)), dots=True),
        ]
        panels = [Panel("measurement", "difference / noise", curves)]
        facts = {
            "mechanism": self.mechanism,
            "measurements": int(self.used.sum()),
            "parameter_count": len(self.names),
            "determined_combinations": self.rank,
            "rms_before": float(np.sqrt(np.mean(self.before**2))),
            "rms_after": float(np.sqrt(np.mean(self.after**2))),
            "noise_ratio": self.noise,
            "steps": self.steps,
        }
        arrays = {"p": self.p, "nominal": self.nominal, "deviation": self.deviation, "covariance": self.covariance}
        return StudyContent(
            f"Calibration of {self.mechanism}", facts, tables, panels, arrays, self.notes, titles=_TITLES
        )


def calibrate(
    model: Model,
    q_act: ArrayLike,
    measured: Pose | tuple[ArrayLike, ArrayLike] | ArrayLike,
    *,
    noise: float | tuple[float, float] = _POSE_NOISE,
    frame: str | None = None,
    near: ArrayLike | None = None,
    sensors: Mapping[str, ArrayLike] | None = None,
    sensor_noise: float | Mapping[str, float] = 1e-4,
    max_seconds: float | None = None,
) -> Calibration:
    """Values of the model's inputs for which computed poses agree best with measured ones.

    Args:
        model: built with the parameters to calibrate as inputs; it begins at their nominal values.
        q_act: actuator positions at the measurements, (n, na).
        measured: poses (n, 3), (n, 4) of the output in the world, or positions alone, (n, 3). NaN rows are left out.
        noise: standard deviations of a measured pose, ([rad], [m]); of positions alone [m].
        frame: measured frame or body; None takes the mechanism's output.
        near: coordinates from which each configuration is found, (nq,) or (n, nq); None takes home.
        sensors: measured coordinates of passive joints by name, (n,) each, [rad or m].
        sensor_noise: standard deviations of the sensors, one for all or by name.
        max_seconds: end after this time, or after Ctrl-C, with the values so far; None for no limit.
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_inputs(model, "calibration")
    read = {} if sensors is None else require_mapping("sensors", sensors, "measured coordinates by name")
    equations = _Equations.of(model, q_act, measured, noise, frame, near, read, sensor_noise)
    return _solve_calibration(model, equations, StudyBudget("fitting", max_seconds))


def suggest_poses(
    model: Model,
    q_act: ArrayLike,
    candidates: ArrayLike,
    *,
    count: int = 5,
    noise: tuple[float, float] = _POSE_NOISE,
    expected: float = 1e-3,
    frame: str | None = None,
    near: ArrayLike | None = None,
) -> Array:
    """Indices of the candidates whose measurement determines the inputs best, the best first, (count,).

    Each step takes the one that enlarges the determinant of the information matrix most (D-optimality).

    Args:
        q_act: actuator positions at which poses are measured already, (n, na); n may be 0.
        candidates: actuator positions to choose from, (m, na).
        expected: standard deviation of the inputs before any measurement, in their units.
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_inputs(model, "suggesting poses")
    there = _make_held_actuators(model, "q_act", q_act, frame, near)
    offered = _make_held_actuators(model, "candidates", candidates, frame, near)
    if not len(offered.q_act):
        raise ArgumentError("candidates has no rows; give actuator positions to choose from", name="candidates")
    count = require_integer("count", count, 1, len(offered.q_act))
    p = model.parameters.values
    sizes = require_array_shape("noise", noise, (2,))
    if not (sizes > 0.0).all():
        raise ArgumentError(f"noise is {noise!r}, expected positive numbers ([rad], [m])", name="noise")
    scale = 1.0 / np.repeat(sizes, 3)
    C = np.square(require_positive("expected", expected)) * np.eye(len(p))
    for J in _scaled_derivative(there, p, scale) if len(there.q_act) else ():
        C = _updated_covariance(C, J)
    J, chosen = _scaled_derivative(offered, p, scale), []
    for _ in range(count):
        gains = [np.linalg.slogdet(np.eye(6) + each @ C @ each.T)[1] if np.isfinite(each).all() else -1.0 for each in J]
        gains = [-1.0 if i in chosen else gain for i, gain in enumerate(gains)]
        chosen.append(int(np.argmax(gains)))
        C = _updated_covariance(C, J[chosen[-1]])
    return np.array(chosen)


def _scaled_derivative(held: HeldActuators, p: Array, scale: Array) -> Array:
    return scale[:, None] * held.derivative(held.coordinates(p), p)


def _updated_covariance(C: Array, J: Array) -> Array:
    """Covariance after one more measurement."""
    if not np.isfinite(J).all():
        return C
    K = C @ J.T
    return C - K @ np.linalg.solve(np.eye(len(J)) + J @ K, K.T)


@dataclass(frozen=True, eq=False)
class _Equations:
    """Differences of measurements and model in units of their noise: poses or positions, then sensors.

    Attributes:
        held: configurations. target: measured poses. parts: components of [angular; linear] that are measured.
        sensors: measured coordinates (n, k); indices in q and v; noise (k,).
        sigma: noise of the parts. used: rows without NaN.
    """

    held: HeldActuators
    target: Pose
    parts: Array
    sigma: Array
    sensors: Array
    at_q: list[int]
    at_v: list[int]
    sensor_sigma: Array
    used: Array

    @staticmethod
    def of(
        model: Model,
        q_act: ArrayLike,
        measured: Any,
        noise: Any,
        frame: str | None,
        near: Any,
        sensors: Mapping[str, ArrayLike],
        sensor_noise: Any,
    ) -> _Equations:
        held = _make_held_actuators(model, "q_act", q_act, frame, near)
        n = len(held.q_act)
        target, parts, sigma = _measured_target(measured, noise, n)
        at_q, at_v, read, deviations = _sensor_columns(model, sensors, sensor_noise, n)
        rows = np.concatenate([target.position, target.quaternion_wxyz, read], axis=1)
        used = np.isfinite(rows).all(axis=1)
        if not used.any():
            raise ArgumentError(f"all {n} measurements have NaN; give at least one that is complete", name="measured")
        return _Equations(held, target, parts, sigma, read, at_q, at_v, deviations, used)

    def residuals(self, p: Array) -> tuple[Array, Array]:
        """Differences (n, m) at the rows in use, and the coordinates there (n, nq); NaN where not reached."""
        q = self.held.coordinates(p)[self.used]
        pose = self.held.pose(q, p)
        target = Pose(self.target.position[self.used], self.target.quaternion_wxyz[self.used])
        r = pose_difference(target, pose)[:, self.parts] / self.sigma
        return np.concatenate([r, (self.sensors[self.used] - q[:, self.at_q]) / self.sensor_sigma], axis=1), q

    def derivative(self, q: Array, p: Array) -> Array:
        """Derivatives of the computed quantities, in units of their noise, (n m, n_p)."""
        J = self.held.derivative(q, p)[:, self.parts] / self.sigma[:, None]
        if self.at_v:
            moved = self.held.model.assembly_sensitivity(q, p=p)[:, self.at_v] / self.sensor_sigma[:, None]
            J = np.concatenate([J, moved], axis=1)
        return J.reshape(-1, J.shape[-1])


def _make_held_actuators(model: Model, title: str, q_act: Any, frame: str | None, near: Any) -> HeldActuators:
    rows = np.atleast_2d(require_real_array(title, q_act).astype(float))
    if rows.ndim != 2 or rows.shape[1] != model.na:
        raise ArgumentError(f"{title} has shape {rows.shape}, expected (n, {model.na})", name=title)
    if not np.isfinite(rows).all():
        raise ArgumentError(f"{title} has values that are not finite; leave these measurements out", name=title)
    start = model.assemble().q if near is None else require_finite_array("near", near)
    if start.shape not in ((model.nq,), (len(rows), model.nq)):
        raise ArgumentError(f"near has shape {start.shape}, expected ({model.nq},) or a row for each of {title}")
    return HeldActuators(model, output_of(model, frame).frame, rows, np.broadcast_to(start, (len(rows), model.nq)))


def _measured_target(measured: Any, noise: Any, n: int) -> tuple[Pose, Array, Array]:
    """Measured poses, the components they have, and their noise."""
    whole = isinstance(measured, tuple) and len(measured) == 2
    position = require_real_array("measured", measured[0] if whole else measured).astype(float)
    if position.shape != (n, 3):
        raise ArgumentError(
            f"measured positions have shape {position.shape}, expected ({n}, 3) as q_act", name="measured"
        )
    sizes = np.atleast_1d(require_real_array("noise", noise).astype(float))
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all() and sizes.shape in ((1,), (2,))):
        raise ArgumentError(f"noise is {noise!r}, expected positive numbers ([rad], [m])", name="noise")
    if not whole:
        return Pose(position, np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))), np.arange(3, 6), np.full(3, sizes[-1])
    if len(sizes) != 2:
        raise ArgumentError("poses have noise in angle and position; give noise=([rad], [m])", name="noise")
    pose = arguments.pose_array(measured)
    return Pose(position, np.asarray(pose)[..., 3:7].reshape(n, 4)), np.arange(6), np.repeat(sizes, 3)


def _sensor_columns(
    model: Model, given: Mapping[str, ArrayLike], noise: Any, n: int
) -> tuple[list[int], list[int], Array, Array]:
    at_q, at_v, columns, sigma = [], [], [], []
    for name, values in given.items():
        if name not in model.q_names or name not in model.v_names:
            known = [x for x in model.q_names if x in model.v_names]
            raise ArgumentError(f"unknown sensor '{name}'; coordinates are {known}", name="sensors")
        column = require_real_array(f"sensors['{name}']", values).astype(float)
        if column.shape != (n,):
            raise ArgumentError(f"sensor '{name}' has shape {column.shape}, expected ({n},)", name="sensors")
        at_q.append(model.q_names.index(name))
        at_v.append(model.v_names.index(name))
        columns.append(column)
        own = noise.get(name) if isinstance(noise, Mapping) else noise
        sigma.append(require_in_range("sensor_noise", own, SMALLEST_SIZE, 1.0 / SMALLEST_SIZE))
    read = np.stack(columns, axis=1) if columns else np.empty((n, 0))
    return at_q, at_v, read, np.array(sigma)


def _solve_calibration(model: Model, equations: _Equations, budget: StudyBudget) -> Calibration:
    """Gauss-Newton with the step of least length; undetermined combinations stay as they are."""
    nominal = model.parameters.values
    p = nominal
    equations = replace(equations, held=equations.held.begun_at(equations.held.coordinates(p)))
    r, q = equations.residuals(p)
    lost = ~np.isfinite(r).all(axis=1)
    if lost.all():
        raise AssemblyError("no measurement can be computed at the nominal values; check q_act and near")
    if lost.any():
        used = equations.used.copy()
        used[np.flatnonzero(used)[lost]] = False
        equations = replace(equations, used=used)
        r, q = equations.residuals(p)
    notes = _calibration_notes(equations, int(lost.sum()))
    doubts = [*_doubt_units_of_poses(model, equations, q, p)]
    equations, still = _without_still_parts(equations, q, p)
    if still:
        them = "it was" if len(still) == 1 else "they were"
        notes = (*notes, f"neither the actuators nor the inputs move {', '.join(still)}: {them} left out")
        r, q = equations.residuals(p)
    first, states, settled = r, [(p, r, q)], False
    with budget.ending_early():
        for _ in budget.steps(range(_STEPS)):
            p, r, q = states[-1]
            parts = LeastSquaresSVD.of(equations.derivative(q, p))
            change = parts.solution(r.ravel())
            states.append(_halve_calibration_step(equations, p, change, r))
            size = np.abs(states[-1][0] * parts.scale).max(initial=0.0)
            settled = bool(np.abs(change * parts.scale).max(initial=0.0) <= _SETTLED * max(1.0, size))
            if settled:
                break
    (p, r, q), step = states[-1], len(states) - 1
    if not step:
        raise KeyboardInterrupt
    if not settled:
        why = f" ({budget.reason})" if budget.reason else ""
        way_out = "give it more time" if why else "check the units of positions and poses, the noise and the frame"
        text = f"the values have not settled after {counted_noun(step, 'step')}{why}; {way_out}"
        doubts.append(text)
        warn_caller(f"calibration of '{model.mechanism.name}': {text}", ParameterWarning)
    doubts += _doubt_changes(model, p)
    parts = LeastSquaresSVD.of(equations.derivative(q, p))
    freedom = r.size - parts.rank
    left = float(np.sqrt(np.sum(r**2) / freedom)) if freedom > 0 else float("nan")
    doubts += _doubt_noise(left) if settled else []
    records = model.parameters
    return Calibration(
        model.mechanism.name, records.names, records.units, nominal, p, parts.covariance(), parts.rank,
        parts.without_effect(), first, r, left, step, equations.used,
        (*notes, *doubts), tuple(doubts), budget.interrupted,
        studied_mechanism(model.with_parameters(p), q, designs=_designs_of_calibration(records.names, nominal, p)),
    )  # fmt: skip


def _designs_of_calibration(names: tuple[str, ...], nominal: Array, p: Array) -> dict[str, dict[str, float]]:
    """The values before and after, for the page."""
    pairs = {"nominal": nominal, "calibrated": p}
    return {name: dict(zip(names, x.tolist(), strict=True)) for name, x in pairs.items()}


def _doubt_noise(left: float) -> list[str]:
    """A message where the differences that are left are no noise of the stated size."""
    if not left > _NOISE_LEFT:
        return []
    return [
        f"the differences that are left are {left:.3g} times the stated noise: the parameters that vary do not explain "
        "the measurements; vary others too, or state the noise as it is"
    ]


def _calibration_notes(equations: _Equations, lost: int) -> tuple[str, ...]:
    out = []
    dropped = int((~equations.used).sum()) - lost
    if dropped > 0:
        out.append(f"{counted_noun(dropped, 'measurement')} with NaN left out")
    if lost:
        out.append(
            f"{counted_noun(lost, 'measurement')} left out: the nominal values do not reach their actuator positions"
        )
    return tuple(out)


def _without_still_parts(equations: _Equations, q: Array, p: Array) -> tuple[_Equations, list[str]]:
    """The equations without components of the pose that always stay as they are, and the names of these.

    A planar robot keeps z, rx and ry whatever its lengths are: they say nothing, and zeros would count as measurements
    without error.
    """
    held = equations.held
    by_motion = output_jacobians(held.model, q, held.frame, p=p)
    moved = np.concatenate([by_motion, held.derivative(q, p)], axis=-1)[:, equations.parts]
    length = float(held.model.scales.length)
    size = np.nanmax(np.abs(moved), axis=(0, 2), initial=0.0) / np.where(equations.parts < 3, 1.0, length)
    moves = size > STILL_COMPONENT * size.max(initial=0.0)
    if moves.all() or not moves.any():
        return equations, []
    still = [NAMES[i] for i in equations.parts[~moves]]
    return replace(equations, parts=equations.parts[moves], sigma=equations.sigma[moves]), still


def _doubt_changes(model: Model, p: Array) -> list[str]:
    """A message for each value that is far off the nominal one: by half of it, and of the mean link or a radian."""
    records, length = model.parameters, float(model.scales.length)
    usual = np.maximum(np.abs(records.values), [length if unit == "m" else 1.0 for unit in records.units])
    return [
        f"{name} is {x:.4g} {unit}, and {nominal:.4g} {unit} in the file"
        for name, unit, nominal, x, far in zip(
            records.names, records.units, records.values, p, np.abs(p - records.values) > _FAR * usual, strict=True
        )
        if far
    ]


def _doubt_units_of_poses(model: Model, equations: _Equations, q: Array, p: Array) -> list[str]:
    """Messages where measurements look like millimeters given as meters, or degrees given as radians."""
    turned = doubt_degrees(first_angles(model.actuators, equations.held.q_act))
    found = [] if turned is None else [turned.message]
    far, near = (
        float(np.median(np.linalg.norm(x, axis=1)))
        for x in (equations.target.position[equations.used], equations.held.pose(q, p).position)
    )
    if not _THOUSAND[0] * near < far < _THOUSAND[1] * near:
        return found
    text = f"measured positions are about {far:.3g} m from the origin and computed ones {near:.3g} m: are they in mm?"
    warn_caller(
        f"calibration of '{model.mechanism.name}': measured positions are about a thousand times as far from the "
        "origin as computed ones: are they in mm? Give meters",
        ParameterWarning,
        subject=model.mechanism.name,
        value={"measured": far, "computed": near},
    )
    return [*found, text]


def _halve_calibration_step(equations: _Equations, p: Array, change: Array, r: Array) -> tuple[Array, Array, Array]:
    """The step, halved until the differences are computed everywhere and do not grow."""
    for k in range(_HALVINGS):
        further = p + change / 2.0**k
        found, q = equations.residuals(further)
        if np.isfinite(found).all() and np.sum(found**2) <= np.sum(r**2) * (1.0 + LIMIT_SLACK) + 1e-12:
            return further, found, q
    found, q = equations.residuals(p)
    return p, found, q
