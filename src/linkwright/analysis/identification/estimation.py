"""Estimation of dynamic parameters: least squares on base parameters, weighted, or physically consistent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from linkwright.analysis.identification.base_parameters import BaseParameters, base_parameters, checked_base
from linkwright.analysis.identification.measured_motion import MeasuredMotion, measured_motion
from linkwright.analysis.identification.physical_consistency import (
    Consistency,
    consistent_estimate,
    mechanism_with,
    needless_parameters,
)
from linkwright.analysis.identification.regression_equations import (
    MotionEquations,
    Validation,
    actuator_effort_units,
    compare_efforts,
    effort_panels,
)
from linkwright.analysis.scaled_svd import LeastSquaresSVD
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import require_choice, require_in_range, require_instance, require_positive
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError, ParameterWarning, warn_caller
from linkwright.mechanism.mechanism import Mechanism
from linkwright.model import Model
from linkwright.model.actuator_records import doubt_degrees, first_angles
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import NO_EFFECT, ROUNDED_SUM, TINY
from linkwright.readable_text import shared_unit
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
Method = Literal["ordinary", "weighted", "consistent"]
_UNCERTAIN = 3.0  # standard deviations within which a friction below zero may be a zero
_POSITIVE = ("viscous", "coulomb", "rotor", "stiffness", "damping")
_ROUNDS = 3  # of weighting
_WORSE = 1e-2  # of the squares that noise explains: by so much less, parameters that are zero in the file leave it


_TITLES = {
    "unexcited_count": "not excited by the motion",
    "condition": "condition of the equations",
    "rms_before": "differences before, RMS",
    "rms_after": "differences after, RMS",
}


@dataclass(frozen=True, eq=False)
class Identification(StudyResult):
    """Dynamic parameters from a measured motion.

    Attributes:
        model: the model that was identified. method: how.
        base: base parameters of the mechanism, with the values before.
        beta: their estimates, (k,). covariance: of the estimates, (k, k); NaN where the motion does not excite them.
        freedom: number of equations less that of estimates.
        theta: all dynamic parameters, (n_theta,), those with the estimated base parameters that are nearest to the
            mechanism's, or the physically consistent ones.
        identified: the mechanism with them; None where no mechanism can have them, with the reason in `notes`.
        sigma: standard deviation of the efforts' noise, (na,).
        condition: of the equations with columns of length 1.
        motion: measurements as they were used. tau: efforts computed with the estimates, before: with the mechanism's
            values, (n, na). used: rows that took part, (n,).
        doubts: reasons not to believe the estimates: times that look like milliseconds, or positions like degrees.
        interrupted: True if the estimate ended at Ctrl-C.
    """

    model: Model
    method: str
    base: BaseParameters
    beta: Array
    covariance: Array
    freedom: int
    theta: Array
    identified: Mechanism | None
    sigma: Array
    condition: float
    motion: MeasuredMotion
    tau: Array
    before: Array
    used: Array
    notes: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    interrupted: bool = False
    studied: StudiedMechanism | None = None

    @property
    def deviation(self) -> Array:
        """Standard deviations of the estimates, (k,)."""
        return np.sqrt(np.diag(self.covariance))

    def interval(self, confidence: float = 0.95) -> tuple[Array, Array]:
        """Lower and upper ends, each (k,), of intervals that hold a base parameter with some probability."""
        from scipy.stats import t  # a while to import

        require_in_range("confidence", confidence, 0.0, 1.0, "()")
        half = float(t.ppf(0.5 + 0.5 * confidence, max(self.freedom, 1))) * self.deviation
        return self.beta - half, self.beta + half

    @property
    def unexcited(self) -> tuple[str, ...]:
        """Base parameters, by their leading names, that the motion does not determine."""
        return tuple(name for name, s in zip(self.base.leading, self.deviation, strict=True) if np.isnan(s))

    def validate(self, measured: Any, *, near: Any = None, cutoff: float | None = None) -> Validation:
        """Efforts of another measured motion, given as for `identify`, against those computed before and after."""
        return compare_efforts(self.model, self.theta, measured, near, cutoff)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        low, high = self.interval()
        rows = [
            [text, unit, float(a), float(b), float(s), float(x), float(y)]
            for text, unit, a, b, s, x, y in zip(
                self.base.descriptions,
                (self.base.units[i] for i in self.base.base),
                self.base.values,
                self.beta,
                self.deviation,
                low,
                high,
                strict=True,
            )
        ]
        columns = dict.fromkeys(("combination", "unit", "before", "estimate", "deviation", "low_95", "high_95"), "")
        titles = {"low_95": "95 % from", "high_95": "to"}
        tables = [StudyTable("base_parameters", columns, rows, titles=titles)]
        names = self.model.regressor_parameters.names
        tables.append(
            StudyTable(
                "parameters",
                dict.fromkeys(("parameter", "unit", "before", "after"), ""),
                [
                    [names[c], unit, float(x), float(self.theta[c])]
                    for c, unit, x in zip(self.base.columns, self.base.units, self.base.theta, strict=True)
                    if names[c] not in self.base.without_effect
                ],
                "Parameters of the identified mechanism",
            )
        )
        facts = {
            "mechanism": self.base.mechanism,
            "method": self.method,
            "measurements": int(self.used.sum()),
            "dynamic_parameter_count": len(self.base.names),
            "base_parameter_count": len(self.base),
            "unexcited_count": len(self.unexcited),
            "condition": self.condition,
            "effort_noise": tuple(self.sigma.tolist()),
            "rms_before": _rms_of_used(np.asarray(self.motion.tau) - self.before, self.used),
            "rms_after": _rms_of_used(np.asarray(self.motion.tau) - self.tau, self.used),
        }
        arrays = {"beta": self.beta, "deviation": self.deviation, "before": self.base.values, "low": low, "high": high}
        arrays |= {"covariance": self.covariance, "theta": self.theta}
        efforts = list(zip(self.model.actuated, actuator_effort_units(self.model), strict=True))
        panels = effort_panels(efforts, self.motion, self.before, self.tau)
        units = dict.fromkeys(("effort_noise", "rms_before", "rms_after"), shared_unit(unit for _, unit in efforts))
        return StudyContent(
            f"Identification of {self.base.mechanism}", facts, tables, panels, arrays, self.notes, units, _TITLES
        )


def _rms_of_used(x: Array, used: Array) -> float:
    return float(np.sqrt(np.mean(x[used] ** 2))) if used.any() else float("nan")


def identify(
    model: Model,
    measured: Any,
    *,
    parameters: Sequence[str] | None = None,
    method: Method = "consistent",
    base: BaseParameters | None = None,
    near: Any = None,
    weight: float = 1e-3,
    cutoff: float | None = None,
    max_seconds: float | None = None,
) -> Identification:
    """Dynamic parameters for which computed efforts agree best with measured ones.

    Args:
        model: the mechanism with values before: what is not identified keeps them.
        measured: a `MeasuredMotion`, a run, a CSV file (`MeasuredMotion.read`), or a mapping of t, q_act, tau and
            perhaps v_act, a_act, cutoff. Rows with NaN, and rows that cannot be reached, are left out.
        parameters: names or kinds of the unknown parameters, as for `base_parameters`; add "offset" for offsets of
            the efforts.
        method: "ordinary" least squares; "weighted" by the noise of each actuator, found from the differences;
            "consistent" also keeps pseudo-inertias positive definite, and friction and rotors positive, so that a
            mechanism can have the values.
        base: base parameters of the same parameters, where they are known already.
        near: closed coordinates in whose assembly mode the motion is, (nq,), or (n, nq) for every row its own, which is
            quicker; None for home.
        weight: of the divergence from the mechanism's values, for "consistent": it decides what measurements do not.
        cutoff: frequency [Hz] of the low-pass filter of `MeasuredMotion`; None for that of `measured`, if it has one.
        max_seconds: end after this time, or after Ctrl-C, with the consistent estimate so far; None for no limit.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> run = lw.motion(model, 4.0, q_act=lambda t: [2.2 + 0.4 * np.sin(3 * t), 0.9 + 0.5 * np.cos(4 * t)])
    >>> found = identify(model, run, parameters=["inertial"])
    >>> bool(np.allclose(found.beta, found.base.values, atol=1e-8))
    True
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_choice("method", method, ("ordinary", "weighted", "consistent"))
    require_positive("weight", weight)
    budget = StudyBudget("identifying", max_seconds)
    with budget.announce_part("base parameters"):
        base = base_parameters(model, parameters=parameters) if base is None else checked_base(model, base)
    motion = measured_motion(model, measured, cutoff)
    with budget.announce_part(f"equations of {np.size(motion.t)} measurements"):
        equations = MotionEquations.of(model, motion, near)
    _require_enough(model, equations, base)
    theta = model.regressor_parameters.values
    fit = _fit_base_parameters(equations, base, theta, weighted=method != "ordinary")
    doubts = _doubt_units_of_motion(model, motion)
    notes = [*doubts, *equations.notes, *fit.notes]
    if method == "consistent":
        with budget.announce_part("a physically consistent estimate"):
            theta, moved = _consistent_parameters(model, equations, base, fit.sigma, weight, budget)
        notes += budget.notes("the estimate is further from the measurements than it could be")
        beta = base.map @ theta[base.columns]
        if moved:
            notes.append(
                f"the file's values of {', '.join(moved[:8])}{' and others' if len(moved) > 8 else ''} are zero or not "
                "positive definite: the estimate begins at small positive ones instead"
            )
    else:
        beta = fit.beta
        theta[base.columns] = base.theta + _nearest_parameters(model, base, beta - base.values)
        theta, zeros = _zero_unfelt_parameters(model, equations, base, fit, theta)
        if zeros:
            notes.append(
                f"{', '.join(zeros[:8])}{' and others' if len(zeros) > 8 else ''} came out below zero by no more than "
                "the uncertainty of the estimate: taken as zero in the mechanism"
            )
    identified = None
    try:
        identified = mechanism_with(model, theta)
    except LinkwrightError as error:
        reason = str(error).split(";")[0]
        notes.append(
            f"no mechanism can have these parameters ({reason}); use method='consistent', on the command line "
            "--estimator consistent, for one that can"
        )
    tau, before = (equations.efforts(x) for x in (theta, model.regressor_parameters.values))
    return Identification(
        model, method, base, beta, fit.covariance, fit.freedom, theta, identified, fit.sigma, fit.condition,
        equations.motion, tau, before, equations.used, tuple(notes), tuple(doubts), budget.interrupted,
        studied_mechanism(model, equations.q, equations.motion.t),
    )  # fmt: skip


def _doubt_units_of_motion(model: Model, motion: MeasuredMotion) -> list[str]:
    """Messages where times look like milliseconds or positions like degrees; the first are warned of here."""
    late = motion.doubt_times()
    for text in late:
        warn_caller(f"identification of '{model.mechanism.name}': {text}", ParameterWarning)
    turned = doubt_degrees(first_angles(model.actuators, np.asarray(motion.q_act)))
    return late if turned is None else [*late, turned.message]


def _zero_unfelt_parameters(
    model: Model, equations: MotionEquations, base: BaseParameters, fit: _Fit, theta: Array
) -> tuple[Array, list[str]]:
    """The parameters, with zero for friction, rotors and springs below zero that are zeros, and the names of some.

    Below zero are those whose efforts are rounding, and, which are named, those within their own uncertainty.
    """
    records = model.regressor_parameters.records
    negative = np.array([record.kind in _POSITIVE for record in records]) & (theta < 0.0)
    Y, tau = equations.Y[equations.used], equations.tau[equations.used]
    effect = np.abs(theta) * np.abs(Y).max(axis=(0, 1), initial=0.0)
    unfelt = negative & (effect <= NO_EFFECT * np.abs(tau).max(initial=0.0))
    spread = np.zeros(len(theta))
    spread[np.array(base.columns)[list(base.base)]] = np.sqrt(np.nan_to_num(np.diag(fit.covariance)))
    doubtful = negative & ~unfelt & (np.abs(theta) <= _UNCERTAIN * spread)
    return np.where(unfelt | doubtful, 0.0, theta), [records[i].name for i in np.flatnonzero(doubtful)]


def _require_enough(model: Model, equations: MotionEquations, base: BaseParameters) -> None:
    rows, need = int(equations.used.sum()), -(-len(base) // max(model.na, 1))
    if rows * model.na <= len(base):
        raise ArgumentError(
            f"{rows} of {len(equations.used)} rows can be used, too few for {len(base)} base parameters of "
            f"'{model.mechanism.name}': give more than {need} rows, or fewer parameters=[...]"
            + (f" ({'; '.join(equations.notes)})" if equations.notes else ""),
            name="measured",
        )


@dataclass(frozen=True, eq=False)
class _Fit:
    beta: Array
    covariance: Array
    freedom: int
    sigma: Array
    condition: float
    notes: list[str]


def _fit_base_parameters(equations: MotionEquations, base: BaseParameters, theta: Array, weighted: bool) -> _Fit:
    """Least squares on the base parameters, with the change from the mechanism's values as the unknown."""
    Y, measured = equations.Y[equations.used][..., base.columns[list(base.base)]], equations.tau[equations.used]
    wanted = equations.unknown(base, theta) - Y @ base.values
    n, na, k = Y.shape
    sigma = np.ones(na)
    floor = ROUNDED_SUM * max(float(np.abs(measured).max(initial=0.0)), TINY)
    for _ in range(_ROUNDS if weighted else 1):
        parts = LeastSquaresSVD.of((Y / sigma[:, None]).reshape(-1, k))
        change = parts.solution((wanted / sigma).ravel())
        left = wanted - Y @ change
        freedom = n * na - parts.rank
        found = np.sqrt(np.sum(left**2, axis=0) / max(freedom / na, 1e-9))
        if not weighted:
            found = np.full(na, np.sqrt(np.sum(left**2) / max(freedom, 1)))
        noise = np.maximum(found, floor)
        if weighted:
            sigma = noise
    covariance = parts.covariance() * (1.0 if weighted else float(noise[0]) ** 2)
    notes = []
    if parts.rank < k:
        names = [name for name, x in zip(base.leading, np.diag(covariance), strict=True) if np.isnan(x)]
        notes.append(
            f"the motion determines {parts.rank} of {k} base parameters; {', '.join(names[:8])}"
            f"{' and others' if len(names) > 8 else ''} keep their values or share them: let all actuators move more"
        )
    return _Fit(base.values + change, covariance, freedom, noise, parts.condition, notes)


def typical_sizes(model: Model, columns: Array) -> Array:
    """Typical sizes of dynamic parameters, to which changes are relative, (n,)."""
    records = model.regressor_parameters.records
    masses = [float(each.value) for each in records if each.kind == "m" and each.value > 0.0]
    mass, length = float(np.mean(masses)) if masses else 1.0, model.scales.length
    unit = {"kg": mass, "kg m": mass * length, "kg m^2": mass * length**2}
    found = []
    for c in columns:
        each = records[c]
        alike = [abs(float(x.value)) for x in records if x.kind == each.kind and x.value]
        usual = unit.get(each.unit, 1.0) if each.group == "inertial" else (max(alike) if alike else 1.0)
        found.append(max(abs(float(each.value)), 0.1 * usual))
    return np.array(found)


def _nearest_parameters(model: Model, base: BaseParameters, change: Array) -> Array:
    """Smallest changes (n,) of the parameters, relative to their sizes, that change base parameters as requested."""
    D = typical_sizes(model, base.columns)
    effective = np.abs(base.map).sum(axis=0) > 0.0
    PD = base.map * np.where(effective, D, 0.0)
    return D * (decompose_scaled(PD).inverse() @ change)


def _consistent_parameters(
    model: Model, equations: MotionEquations, base: BaseParameters, sigma: Array, weight: float, budget: StudyBudget
) -> tuple[Array, tuple[str, ...]]:
    """All parameters (n_theta,) of the physically consistent estimate, and whose priors were moved inside.

    Zeros that are not needed stay, unless the equations are met better without that: others may not be able to take
    their part and stay positive.
    """
    records, theta = model.regressor_parameters.records, model.regressor_parameters.values
    scale = typical_sizes(model, base.columns)
    noise = np.maximum(sigma, 1e-6 * np.sqrt(np.mean(equations.tau[equations.used] ** 2)))
    A = (equations.Y[equations.used][..., base.columns] / noise[:, None]).reshape(-1, len(base.columns))
    b = (equations.unknown(base, theta) / noise).ravel()

    def estimate(free: Array) -> tuple[Array, float, tuple[str, ...]]:
        border = Consistency.of([records[c] for c in base.columns[free]], records, scale[free])
        x = np.zeros(len(free))
        x[free] = consistent_estimate(A[:, free], b, border, weight, budget)[0]
        return x, float(np.sum((A @ x - b) ** 2)), border.moved

    kept = needless_parameters(A, [records[c] for c in base.columns])
    x, squares, moved = estimate(~kept)
    least = float(np.sum((A @ least_norm(A, b, NO_EFFECT) - b) ** 2))
    if not budget.reason and kept.any() and squares > least + _WORSE * max(len(b), least):
        every = estimate(np.ones(len(kept), dtype=bool))
        if every[1] < squares - _WORSE * max(len(b), least):
            x, _, moved = every
    theta[base.columns] = x
    return theta, moved
