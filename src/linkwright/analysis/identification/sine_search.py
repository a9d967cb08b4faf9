"""Search for exciting motions: coefficients of sines within limits of the actuators, from the file or given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.analysis.identification.base_parameters import BaseParameters, quiet_regressor
from linkwright.analysis.identification.measured_motion import States
from linkwright.checks import require_array_shape, require_real_array
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import LIMIT_SLACK, ROUNDED_SUM, SMALLEST_SIZE, TINY

# --- limits of the actuators of an exciting motion, and the positions it moves about ----------------------------------

Array = np.ndarray
_KINDS = ("range", "speed", "acceleration", "effort")
_FREE_ANGLE, _FREE_LENGTH = 0.5, 0.25  # half the range of an actuator without limits, [rad], [mechanism lengths]


@dataclass(frozen=True, eq=False)
class ActuatorLimits:
    """Bounds of a motion, one row or number per actuator; infinite where there is none.

    Attributes:
        lower, upper: of positions, (na,). speed, acceleration, effort: of magnitudes, (na,).
    """

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array
    effort: Array


@dataclass(frozen=True, eq=False)
class MotionSpace:
    """Positions (na,) about which a motion goes, the limits it keeps, with finite ranges, and notes about them."""

    center: Array
    limits: ActuatorLimits
    notes: tuple[str, ...]


def motion_space(model: Model, given: Mapping[str, Any], center: Any) -> MotionSpace:
    """Center and limits from the arguments, where they say something, else from the file."""
    for name in given:
        if name not in _KINDS:
            raise ArgumentError(f"limits names '{name}'{suggest_name(name, _KINDS)}; they are {_KINDS}", name="limits")
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no actuators; name them in actuated=[...]")
    rows: dict[str, Array] = {kind: _positive_row(kind, x, model.na) for kind, x in given.items() if kind != "range"}
    if "range" in given:
        rows["lower"], rows["upper"] = _check_position_range(model, given["range"])
    found = _centered_ranges(model, replace(_limits_of_file(model), **rows), center)
    _require_center_inside(model, found)
    return found


def _limits_of_file(model: Model) -> ActuatorLimits:
    """What the file says; it bounds no accelerations."""
    lower, upper = np.array([each.range for each in model.actuators]).T
    speed, effort = (np.array([getattr(each, kind) for each in model.actuators]) for kind in ("speed", "effort"))
    return ActuatorLimits(lower.copy(), upper.copy(), speed, np.full(model.na, np.inf), effort)


def _centered_ranges(model: Model, limits: ActuatorLimits, center: Any) -> MotionSpace:
    """The middle of the ranges, or home; actuators without a range get one about it."""
    lower, upper = limits.lower, limits.upper
    free = ~(np.isfinite(lower) & np.isfinite(upper))
    home = model.actuator_positions(model.assemble().q)
    middle = np.where(free, home, 0.5 * (np.where(free, 0.0, lower) + np.where(free, 0.0, upper)))
    middle = middle if center is None else require_array_shape("center", center, (model.na,))
    width = np.where([each.is_sliding for each in model.actuators], _FREE_LENGTH * model.scales.length, _FREE_ANGLE)
    lower, upper = np.where(free, middle - width, lower), np.where(free, middle + width, upper)
    names = ", ".join(np.array(model.actuated)[free])
    text = f"{names} have no range in the file and stay near the center; limits={{'range': ...}} says another one"
    return MotionSpace(middle, replace(limits, lower=lower, upper=upper), (text,) if free.any() else ())


def _require_center_inside(model: Model, space: MotionSpace) -> None:
    for name, low, x, high in zip(model.actuated, space.limits.lower, space.center, space.limits.upper, strict=True):
        if not low < x < high:
            raise ArgumentError(
                f"actuator '{name}' moves between {low:g} and {high:g}, and its center is {x:g}; "
                "give a range with the lower end first and a center inside",
                name="limits",
            )


def _positive_row(kind: str, given: Any, na: int) -> Array:
    row = require_real_array(f"limits['{kind}']", given).astype(float)
    if row.shape not in ((), (na,)) or not (row > 0.0).all():
        raise ArgumentError(f"limits of {kind} are {given!r:.60}, expected a positive number, or {na} of them")
    return np.broadcast_to(row, (na,)).copy()


def _check_position_range(model: Model, given: Any) -> tuple[Array, Array]:
    rows = require_real_array("limits['range']", given).astype(float)
    if rows.shape == (2,):
        rows = np.tile(rows, (model.na, 1))
    if rows.shape != (model.na, 2) or np.isnan(rows).any():
        raise ArgumentError(f"limits['range'] has shape {rows.shape}, expected ({model.na}, 2): lower and upper ends")
    return rows[:, 0], rows[:, 1]


# --- search for exciting motions --------------------------------------------------------------------------------------

FINER = 4
"""Samples of the final check per sample of the search."""

_STEP = 1e-6  # of a coefficient, for differences
_SHARP = 60.0  # of the smooth maximum over a period
_PER_SINE = 16  # samples of the fastest sine from which its extremes are found


@dataclass(frozen=True, eq=False)
class SineSearch:
    """Motions about a center by their coefficients x, (2 harmonics + 1) na numbers in units of half the range.

    The first na are shifts of the center, then sines and cosines, both divided by their harmonic.
    """

    model: Model
    base: BaseParameters
    middle: Array
    home: Array
    limits: ActuatorLimits
    period: float
    harmonics: int
    samples: int
    least: float
    at_center: float
    scale: Array
    criterion: str

    @staticmethod
    def of(
        model: Model,
        base: BaseParameters,
        space: MotionSpace,
        period: float,
        harmonics: int,
        samples: int,
        margin: float,
        criterion: str,
    ) -> SineSearch:
        """The search about a center; distances to singularities stay above a share (margin) of that there."""
        q = model.forward_kinematics(space.center)[0]
        there = singularity_distances(model, q[None])[0]
        search = SineSearch(
            model, base, space.center, q, space.limits, period, harmonics, samples, margin * there, there,
            np.ones(len(base)), criterion,
        )  # fmt: skip
        W = search.equations(0.5 * np.random.default_rng(7).normal(size=search.size)[None] / harmonics)[0]
        size = np.sqrt(np.mean(W**2, axis=0))
        return replace(search, scale=np.where(size > 0.0, 1.0 / np.where(size > 0.0, size, 1.0), 1.0))

    @property
    def size(self) -> int:
        return (2 * self.harmonics + 1) * len(self.middle)

    @property
    def half(self) -> Array:
        return 0.5 * (self.limits.upper - self.limits.lower)

    def random(self, rng: np.random.Generator) -> Array:
        x = rng.normal(size=self.size) / np.sqrt(self.harmonics)
        x[: len(self.middle)] = 0.0
        return 0.5 * x

    def coefficients(self, x: Array) -> tuple[Array, Array, Array]:
        """Centers (..., na), sines and cosines (..., harmonics, na)."""
        na, n = len(self.middle), self.harmonics
        parts = x.reshape(*x.shape[:-1], 2 * n + 1, na) * self.half
        order = np.arange(1, n + 1)[:, None]
        return self.middle + parts[..., 0, :], parts[..., 1 : n + 1, :] / order, parts[..., n + 1 :, :] / order

    def motion(self, x: Array, finer: int = 1) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations (..., n, na) over one period."""
        t = np.arange(finer * self.samples) * (self.period / (finer * self.samples))
        omega = 2.0 * np.pi / self.period * np.arange(1, self.harmonics + 1)
        sine, cosine = np.sin(np.outer(t, omega)), np.cos(np.outer(t, omega))
        center, s, c = self.coefficients(x)
        q = center[..., None, :] + sine @ s + cosine @ c
        return q, (cosine * omega) @ s - (sine * omega) @ c, -(sine * omega**2) @ s - (cosine * omega**2) @ c

    def states(self, x: Array, finer: int = 1) -> tuple[States, tuple[Array, Array, Array]]:
        """States (..., n, ...) of all joints; NaN where they are not reached."""
        motion = self.motion(x, finer)
        with withheld_warnings(BatchWarning):
            return States(*self.model.forward_kinematics(*motion, near=self.home)), motion

    def equations(self, x: Array) -> Array:
        """Scaled regressors of the base parameters (..., n na, k); zeros where a state is not reached."""
        return self._regressors_and_limits(x)[0]

    def _regressors_and_limits(self, x: Array, finer: int = 1) -> tuple[Array, Array]:
        """Regressors, and limits (..., c) that are kept below zero, smooth maxima over the period."""
        states, motion = self.states(x, finer)
        full = quiet_regressor(self.model, states.q, states.v, states.a)
        lost = ~np.isfinite(full).all(axis=(-2, -1))
        full = np.where(lost[..., None, None], 0.0, full)
        Y = full[..., self.base.columns[list(self.base.base)]]
        W = Y.reshape(*Y.shape[:-3], -1, Y.shape[-1]) * (self.scale if len(self.scale) == Y.shape[-1] else 1.0)
        tau = full @ self.model.regressor_parameters.values
        return W, self._limits(states, motion, tau, lost)

    def _limits(self, states: States, motion: tuple[Array, Array, Array], tau: Array, lost: Array) -> Array:
        q, v, a = motion
        L, half = self.limits, self.half
        parts = [(q - L.upper) / half, (L.lower - q) / half]
        for values, bound in ((v, L.speed), (a, L.acceleration), (tau, L.effort)):
            if np.isfinite(bound).any():
                parts.append(np.abs(values) / bound - 1.0)
        rows = [_smooth_maximum(part, axis=-2) for part in parts]
        if self.least > 0.0:
            away = singularity_distances(self.model, states.q)
            away = np.where(np.isfinite(away), away, 0.0)
            rows.append(_smooth_maximum(((self.least - away) / self.at_center)[..., None], axis=-2))
        rows.append(np.mean(lost, axis=-1)[..., None] - LIMIT_SLACK)
        return np.concatenate(rows, axis=-1)

    def objective(self, x: Array) -> float:
        """What is made least: logarithm of the condition, or mean logarithm of the singular values, negative."""
        return self._value(self.equations(x[None])[0])[0]

    def _value(self, W: Array) -> tuple[float, Array]:
        """The objective and its derivative by W."""
        if self.criterion == "determinant":
            U, s, Vt = _svd_without_zeros(W)
            return -float(np.mean(np.log(s))), -(U / s) @ Vt / len(s)
        size = np.linalg.norm(W, axis=0)
        size = np.where(size > SMALLEST_SIZE * size.max(initial=0.0), size, np.inf)
        unit = W / size
        U, s, Vt = _svd_without_zeros(unit)
        change = np.outer(U[:, 0], Vt[0]) / s[0] - np.outer(U[:, -1], Vt[-1]) / s[-1]
        return float(np.log(s[0] / s[-1])), (change - unit * np.sum(unit * change, axis=0)) / size

    def condition(self, x: Array) -> float:
        """Condition of the equations with columns of length 1."""
        return float(np.exp(replace(self, criterion="condition").objective(x)))

    def derivatives(self, x: Array) -> tuple[float, Array, Array, Array]:
        """Objective and limits with their derivatives, by differences of one batch of motions."""
        every = np.concatenate([x[None], x + _STEP * np.eye(len(x))])
        W, g = self._regressors_and_limits(every)
        value, by_W = self._value(W[0])
        gradient = np.einsum("ij,kij->k", by_W, W[1:] - W[0]) / _STEP
        return value, gradient, g[0], (g[1:] - g[0]).T / _STEP

    def is_within_limits(self, x: Array) -> bool:
        """True if all limits hold: those of the actuators' motion at all times, others on a finer grid of times.

        Between the times of the grid, efforts and passive joints are taken from parabolas.
        """
        if not self._motion_kept(x):
            return False
        states, _ = self.states(x, FINER)
        if not np.isfinite(states.a).all():
            return False
        Y = quiet_regressor(self.model, states.q, states.v, states.a)
        if not np.isfinite(Y).all():
            return False
        tau = Y @ self.model.regressor_parameters.values
        return bool(
            np.all(np.maximum(periodic_maxima(tau), periodic_maxima(-tau)) <= self.limits.effort * (1.0 + LIMIT_SLACK))
            and not self._joints_exceed(states)
            and (self.least <= 0.0 or np.all(singularity_distances(self.model, states.q) >= self.least))
        )

    def _motion_kept(self, x: Array) -> bool:
        """True if positions, speeds and accelerations of the actuators stay within their limits at all times."""
        center, s, c = self.coefficients(x)
        omega = 2.0 * np.pi / self.period * np.arange(1, self.harmonics + 1)[:, None]
        L, slack = self.limits, LIMIT_SLACK * self.half
        low, high = extremes_of_sines(s, c)
        if np.any(center + high > L.upper + slack) or np.any(center + low < L.lower - slack):
            return False
        rates, bends = extremes_of_sines(-omega * c, omega * s), extremes_of_sines(-(omega**2) * s, -(omega**2) * c)
        bounded = ((rates, L.speed), (bends, L.acceleration))
        return all(bool(np.all(np.abs(x) <= bound * (1.0 + LIMIT_SLACK))) for x, bound in bounded)

    def _joints_exceed(self, states: States) -> bool:
        """True if a position of any joint, or a speed of one that is not driven, is beyond the limits of the file."""
        found: Any = self.model.limits_exceeded(states.q, states.v)
        driven = {name for each in self.model.actuators for name in (each.name, each.joint)}
        counts = np.array([code != "speed" or subject not in driven for code, subject, _ in found.limits], dtype=bool)
        if not counts.any():
            return False
        values, bounds = found.values[:, counts], found.bounds[:, counts]
        if np.any(found.exceeded[:, counts]):
            return True
        codes = [code for (code, _, _), kept in zip(found.limits, counts, strict=True) if kept]
        beyond = np.where([code == "speed" for code in codes], np.abs(values), values) - bounds
        farthest = np.take_along_axis(beyond, np.abs(beyond).argmax(axis=0)[None], axis=0)
        return bool(np.any(periodic_maxima(-np.sign(farthest) * beyond) > LIMIT_SLACK * np.abs(farthest[0])))

    def scale_to_limits(self, x: Array) -> Array:
        """The motion with its amplitudes, and its shift, reduced as far as limits demand."""
        if self.is_within_limits(x):
            return x
        low, high = 0.0, 1.0
        for _ in range(24):
            share = 0.5 * (low + high)
            low, high = (share, high) if self.is_within_limits(share * x) else (low, share)
        if low < 1e-6:
            raise ArgumentError(
                f"no motion of '{self.model.mechanism.name}' about {np.round(self.middle, 6).tolist()} keeps all "
                "limits; give a wider range, effort or speed, another center, or a smaller margin"
            )
        return low * x


def extremes_of_sines(sines: Array, cosines: Array) -> tuple[Array, Array]:
    """Lowest and highest value at all times of sums of sines and cosines of harmonics 1 to n, (n, k), as (k,) each.

    Newton's steps go from samples to where the derivative vanishes, at most half a step far.

    >>> low, high = extremes_of_sines(np.array([[3.0]]), np.array([[4.0]]))
    >>> bool(np.allclose([low, high], [[-5.0], [5.0]], rtol=1e-14))
    True
    """
    order = np.arange(1, len(sines) + 1)[:, None, None]
    step = 2.0 * np.pi / (_PER_SINE * len(sines))
    first = np.tile(np.arange(_PER_SINE * len(sines))[:, None] * step, (1, sines.shape[1]))

    def derivative(x: Array, times: int) -> Array:
        return np.sum(order**times * _sine_derivative(sines[:, None], cosines[:, None], order * x, times), axis=0)

    x = first
    for _ in range(4):
        bend = derivative(x, 2)
        x = np.clip(x - derivative(x, 1) / np.where(bend == 0.0, np.inf, bend), first - step / 2, first + step / 2)
    values = np.concatenate([derivative(first, 0), derivative(x, 0)])
    return values.min(axis=0), values.max(axis=0)


def _sine_derivative(s: Array, c: Array, angle: Array, times: int) -> Array:
    """s sin(angle) + c cos(angle), differentiated by the angle."""
    return s * np.sin(angle + 0.5 * np.pi * times) + c * np.cos(angle + 0.5 * np.pi * times)


def periodic_maxima(x: Array) -> Array:
    """Largest values (k,) of periodic samples (n, k), between them too: of parabolas through three neighbors.

    >>> t = 2.0 * np.pi * np.arange(20) / 20
    >>> float(round(periodic_maxima(np.cos(t - 0.1)[:, None])[0], 3)), float(round(np.cos(t - 0.1).max(), 3))
    (1.0, 0.995)
    """
    before, after = np.roll(x, 1, axis=0), np.roll(x, -1, axis=0)
    bend = before - 2.0 * x + after
    tops = (x >= before) & (x >= after) & (bend < 0.0)
    return np.max(np.where(tops, x - (after - before) ** 2 / (8.0 * np.where(tops, bend, -1.0)), x), axis=0)


def _svd_without_zeros(W: Array) -> tuple[Array, Array, Array]:
    """Singular values, those that vanish replaced by rounding."""
    x = decompose_scaled(W)
    return x.U, np.maximum(x.s, max(ROUNDED_SUM * x.s[0], TINY)), x.Vt


def _smooth_maximum(x: Array, axis: int) -> Array:
    """Logarithm of the sum of exponentials: above the maximum by log(n) / sharpness at most."""
    top = x.max(axis=axis, keepdims=True)
    return np.squeeze(top, axis) + np.log(np.sum(np.exp(_SHARP * (x - top)), axis=axis)) / _SHARP


def singularity_distances(model: Model, q: Array) -> Array:
    """Distances (...) to singularities of type 2 and of the constraints; 1 for trees."""
    if not model.has_loops:
        return np.ones(q.shape[:-1])
    with withheld_warnings(BatchWarning):
        found = model.singularity(q)
    return np.asarray(np.fmin(found.type2, found.constraint))


def improve_motion(search: SineSearch, x: Array, iterations: int) -> Array:
    """A better motion by sequential quadratic programming; limits may be broken a little, and are restored later."""
    from scipy.optimize import minimize  # a while to import

    memory: dict[bytes, tuple[float, Array, Array, Array]] = {}

    def at(x: Array) -> tuple[float, Array, Array, Array]:
        key = x.tobytes()
        if key not in memory:
            memory.clear()
            memory[key] = search.derivatives(x)
        return memory[key]

    best = [x]

    def note(x: Array) -> None:
        best[0] = x

    inside: dict[str, str | Callable[[Array], Array]] = {
        "type": "ineq",
        "fun": lambda x: -at(x)[2],
        "jac": lambda x: -at(x)[3],
    }
    found = minimize(
        lambda x: at(x)[:2],
        x,
        jac=True,
        method="SLSQP",
        bounds=[(-1.0, 1.0)] * len(x),
        constraints=[inside],
        callback=note,
        options={"maxiter": iterations, "ftol": 1e-4},
    )
    return np.asarray(found.x if np.isfinite(found.x).all() else best[0])
