"""Exciting motions: sums of sines of the actuators, within limits, from which parameters are identified best."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.algebra.jets import Jet
from linkwright.analysis.identification.base import BaseParameters, base_parameters, checked_base, quiet_regressor
from linkwright.analysis.identification.states import States
from linkwright.checks import choice, instance, mapping, positive, real, shaped, whole, within
from linkwright.checks import seed as checked_seed
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning
from linkwright.mechanism.names import suggestion
from linkwright.model import Model
from linkwright.results.charts import Curve, Panel
from linkwright.results.evaluation import Content, Evaluation, ShownTable
from linkwright.solve.scales import is_length

Array = np.ndarray
Criterion = Literal["condition", "determinant"]
_STEP = 1e-6  # of a coefficient, for differences
_SHARP = 60.0  # of the smooth maximum over a period
_FINER = 4  # samples of the final check per sample of the search
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
class Excitation(Evaluation):
    """A periodic motion of the actuators that excites the base parameters.

    Attributes:
        mechanism: name. actuated: names of the actuators. criterion: what was made least.
        center: positions about which it moves, (na,). period: [s].
        sines, cosines: coefficients of the positions, (harmonics, na).
        t: times over one period, (n,). q_act, v_act, a_act: motion, tau: its efforts, (n, na).
        condition: of the equations with columns of length 1. begun: the same of the first motion that was tried.
        margin: smallest distance to a singularity of type 2 or of the constraints along it; 1 without loops.
        limits: bounds that were kept. base: number of base parameters.
    """

    mechanism: str
    actuated: tuple[str, ...]
    criterion: str
    center: Array
    period: float
    sines: Array
    cosines: Array
    t: Array
    q_act: Array
    v_act: Array
    a_act: Array
    tau: Array
    condition: float
    begun: float
    margin: float
    limits: ActuatorLimits
    base: int
    notes: tuple[str, ...] = ()

    def positions(self, t: Any) -> list[Any]:
        """Positions of the actuators at times t, for `lw.motion(model, t, q_act=found.positions)`."""
        t = t if isinstance(t, Jet) else real("t", t)
        out = []
        for j in range(len(self.center)):
            x: Any = self.center[j]
            for k, (s, c) in enumerate(zip(self.sines[:, j], self.cosines[:, j], strict=True), start=1):
                angle = 2.0 * np.pi * k / self.period * t
                x = x + s * np.sin(angle) + c * np.cos(angle)
            out.append(x)
        return out

    def _content(self) -> Content:
        L = self.limits
        rows = []
        for j, name in enumerate(self.actuated):
            peaks = (self.q_act[:, j].min(), self.q_act[:, j].max())
            peaks += tuple(float(np.abs(x[:, j]).max()) for x in (self.v_act, self.a_act, self.tau))
            rows.append([name, *map(float, peaks)])
        heads = ["actuator", "lowest", "highest", "speed", "acceleration", "effort"]
        bounds = [
            [name, *(float(x[j]) for x in (L.lower, L.upper, L.speed, L.acceleration, L.effort))]
            for j, name in enumerate(self.actuated)
        ]
        tables = [ShownTable("Peaks", heads, rows), ShownTable("Limits", heads, bounds)]
        series = (("position", self.q_act), ("speed", self.v_act), ("acceleration", self.a_act), ("effort", self.tau))
        panels = [
            Panel("time [s]", title, [Curve(name, self.t, x[:, j]) for j, name in enumerate(self.actuated)])
            for title, x in series
        ]
        facts = {
            "mechanism": self.mechanism,
            "criterion": self.criterion,
            "period": self.period,
            "harmonics": len(self.sines),
            "base parameters": self.base,
            "condition of the equations": self.condition,
            "condition at the beginning": self.begun,
            "smallest distance to a singularity": self.margin,
        }
        arrays = {"t": self.t, "q_act": self.q_act, "v_act": self.v_act, "a_act": self.a_act, "tau": self.tau}
        arrays |= {"center": self.center, "sines": self.sines, "cosines": self.cosines}
        return Content(f"Exciting motion of {self.mechanism}", facts, tables, panels, arrays, self.notes)


def excite(
    model: Model,
    *,
    parameters: Sequence[str] | None = None,
    period: float = 5.0,
    harmonics: int = 5,
    limits: Mapping[str, ArrayLike] | None = None,
    center: ArrayLike | None = None,
    margin: float = 0.2,
    criterion: Criterion = "condition",
    samples: int = 60,
    iterations: int = 30,
    starts: int = 2,
    seed: int = 0,
    base: BaseParameters | None = None,
) -> Excitation:
    """A periodic motion of the actuators that determines the base parameters as well as limits allow.

    Positions are a center and sums of sines; their coefficients are optimized by sequential quadratic programming with
    derivatives of the singular values, from random starts. At the end amplitudes are reduced, if need be, until all
    limits hold on a finer grid of times, those of passive joints too.

    Args:
        parameters: as for `base_parameters`; offsets of efforts are found by any motion.
        period, harmonics: base period [s] and number of sines per actuator.
        limits: "range" (na, 2), "speed", "acceleration", "effort" (na,) or numbers; what is left out is taken from the
            mechanism's file, else there is none. An actuator without a range stays within 0.5 rad, or a quarter of the
            mechanism's length, of the center.
        center: positions (na,) about which it moves; None for the middle of the ranges, or home without them.
        margin: smallest distance to singularities of type 2 and of the constraints, as a share of that at the center.
        criterion: "condition" of the equations, or "determinant" of the information (D-optimality).
        samples: times per period in the search. iterations: of each start. starts, seed: random beginnings.
    """
    instance("model", model, Model, "a Model from linkwright.build")
    choice("criterion", criterion, ("condition", "determinant"))
    period = positive("period", period)
    n, count = whole("harmonics", harmonics, 1, 100), whole("samples", samples, 4, 100_000)
    margin = within("margin", margin, 0.0, 1.0, "[)")
    whole("starts", starts, 1, 1000)
    whole("iterations", iterations, 0, 10_000)
    base = base_parameters(model, parameters=parameters) if base is None else checked_base(model, base)
    given = {} if limits is None else mapping("limits", limits, "limits by name, such as {'speed': 2.0}")
    middle, bounds, notes = _bounds(model, given, center)
    search = _Search.of(model, base, middle, bounds, period, n, count, margin, criterion)
    rng, begun = np.random.default_rng(checked_seed("seed", seed)), []
    found: list[Array] = []
    for _ in range(starts):
        first = search.reduced(search.random(rng))
        begun.append(search.condition(first))
        tried = [first]
        for stage in dict.fromkeys(("determinant", criterion)):  # the smooth one first
            better = _improved(replace(search, criterion=stage), tried[-1], iterations) if iterations else first
            tried.append(search.reduced(better))
        found.append(min(tried, key=search.objective))
    best = min(found, key=search.objective)
    return _record(model, search, best, float(begun[0]), tuple(notes))


def _bounds(model: Model, given: Mapping[str, Any], center: Any) -> tuple[Array, ActuatorLimits, list[str]]:
    """Center and limits of the actuators, from the arguments and from the file."""
    known = ("range", "speed", "acceleration", "effort")
    for name in given:
        if name not in known:
            raise ArgumentError(f"limits names '{name}'{suggestion(name, known)}; they are {known}", name="limits")
    na, mech = model.na, model.mechanism
    if not na:
        raise ArgumentError(f"mechanism '{mech.name}' names no actuators; name them in actuated=[...]")
    own = {actuator.name: actuator for actuator in mech.actuators}
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    columns = {name: np.full(na, np.inf) for name in ("speed", "effort", "acceleration")}
    lower, upper = np.full(na, -np.inf), np.full(na, np.inf)
    sliding = np.zeros(na, dtype=bool)
    for j, name in enumerate(model.actuated):
        actuator = own.get(name)
        joint, part = joints[actuator.joint if actuator else name.split(".")[0]], actuator.dof if actuator else 0
        sliding[j] = is_length(joint.kind.v_parts[part])
        if len(joint.limits.lower) > part and len(joint.limits.upper) > part:
            lower[j], upper[j] = joint.limits.lower[part], joint.limits.upper[part]
        for kind in ("speed", "effort"):
            file = [getattr(joint.limits, kind)[part]] if len(getattr(joint.limits, kind)) > part else []
            bound = getattr(actuator, kind) if actuator else None
            columns[kind][j] = min([*file, *([] if bound is None else [bound])], default=np.inf)
    for kind in ("speed", "acceleration", "effort"):
        if kind in given:
            columns[kind] = _positive_row(kind, given[kind], na)
    if "range" in given:
        lower, upper = _range(model, given["range"])
    home = model.actuator_positions(model.assemble().q)
    free = ~(np.isfinite(lower) & np.isfinite(upper))
    middle = np.array([x if unbounded else 0.5 * (a + b) for x, unbounded, a, b in zip(home, free, lower, upper)])
    if center is not None:
        middle = shaped("center", center, (na,))
    notes = []
    width = np.where(sliding, _FREE_LENGTH * model.kinematics.scales.length, _FREE_ANGLE)
    if free.any():
        names = ", ".join(np.array(model.actuated)[free])
        notes.append(f"{names} have no range in the file; give limits={{'range': ...}} to use more or less of it")
    lower, upper = np.where(free, middle - width, lower), np.where(free, middle + width, upper)
    for j, name in enumerate(model.actuated):
        if not lower[j] < middle[j] < upper[j]:
            raise ArgumentError(
                f"actuator '{name}' moves between {lower[j]:g} and {upper[j]:g}, and its center is {middle[j]:g}; "
                "give a range with the lower end first and a center inside",
                name="limits",
            )
    limits = ActuatorLimits(lower, upper, columns["speed"], columns["acceleration"], columns["effort"])
    return middle, limits, notes


def _positive_row(kind: str, given: Any, na: int) -> Array:
    row = real(f"limits['{kind}']", given).astype(float)
    if row.shape not in ((), (na,)) or not (row > 0.0).all():
        raise ArgumentError(f"limits of {kind} are {given!r:.60}, expected a positive number, or {na} of them")
    return np.broadcast_to(row, (na,)).copy()


def _range(model: Model, given: Any) -> tuple[Array, Array]:
    rows = real("limits['range']", given).astype(float)
    if rows.shape == (2,):
        rows = np.tile(rows, (model.na, 1))
    if rows.shape != (model.na, 2) or np.isnan(rows).any():
        raise ArgumentError(f"limits['range'] has shape {rows.shape}, expected ({model.na}, 2): lower and upper ends")
    return rows[:, 0], rows[:, 1]


@dataclass(frozen=True, eq=False)
class _Search:
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
        middle: Array,
        limits: ActuatorLimits,
        period: float,
        harmonics: int,
        samples: int,
        margin: float,
        criterion: str,
    ) -> _Search:
        q = model.forward_kinematics(middle)[0]
        there = _distance(model, q[None])[0]
        search = _Search(
            model, base, middle, q, limits, period, harmonics, samples, margin * there, there,
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BatchWarning)
            return States(*self.model.forward_kinematics(*motion, near=self.home)), motion

    def equations(self, x: Array) -> Array:
        """Scaled regressors of the base parameters (..., n na, k); zeros where a state is not reached."""
        return self._evaluated(x)[0]

    def _evaluated(self, x: Array, finer: int = 1) -> tuple[Array, Array]:
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
            away = _distance(self.model, states.q)
            away = np.where(np.isfinite(away), away, 0.0)
            rows.append(_smooth_maximum(((self.least - away) / self.at_center)[..., None], axis=-2))
        rows.append(np.mean(lost, axis=-1)[..., None] - 1e-9)
        return np.concatenate(rows, axis=-1)

    def objective(self, x: Array) -> float:
        """What is made least: logarithm of the condition, or mean logarithm of the singular values, negative."""
        return self._value(self.equations(x[None])[0])[0]

    def _value(self, W: Array) -> tuple[float, Array]:
        """The objective and its derivative by W."""
        if self.criterion == "determinant":
            U, s, Vt = _decomposed(W)
            return -float(np.mean(np.log(s))), -(U / s) @ Vt / len(s)
        size = np.linalg.norm(W, axis=0)
        size = np.where(size > 1e-30 * size.max(initial=0.0), size, np.inf)
        unit = W / size
        U, s, Vt = _decomposed(unit)
        change = np.outer(U[:, 0], Vt[0]) / s[0] - np.outer(U[:, -1], Vt[-1]) / s[-1]
        return float(np.log(s[0] / s[-1])), (change - unit * np.sum(unit * change, axis=0)) / size

    def condition(self, x: Array) -> float:
        """Condition of the equations with columns of length 1."""
        return float(np.exp(replace(self, criterion="condition").objective(x)))

    def derivatives(self, x: Array) -> tuple[float, Array, Array, Array]:
        """Objective and limits with their derivatives, by differences of one batch of motions."""
        every = np.concatenate([x[None], x + _STEP * np.eye(len(x))])
        W, g = self._evaluated(every)
        value, by_W = self._value(W[0])
        gradient = np.einsum("ij,kij->k", by_W, W[1:] - W[0]) / _STEP
        return value, gradient, g[0], (g[1:] - g[0]).T / _STEP

    def kept(self, x: Array) -> bool:
        """True if all limits hold on a finer grid of times, also those of passive joints."""
        states, (q, v, a) = self.states(x, _FINER)
        if not np.isfinite(states.a).all():
            return False
        L, slack = self.limits, 1e-9 * self.half
        Y = quiet_regressor(self.model, states.q, states.v, states.a)
        if not np.isfinite(Y).all():
            return False
        tau = Y @ self.model.regressor_parameters.values
        bounded = ((v, L.speed), (a, L.acceleration), (tau, L.effort))
        return bool(
            np.all(q <= L.upper + slack)
            and np.all(q >= L.lower - slack)
            and all(np.all(np.abs(x) <= bound * (1.0 + 1e-9)) for x, bound in bounded)
            and not self._passive_exceeded(states)
            and (self.least <= 0.0 or np.all(_distance(self.model, states.q) >= self.least))
        )

    def _passive_exceeded(self, states: States) -> bool:
        """True if a position of any joint is beyond the limits of the file."""
        found: Any = self.model.limits_exceeded(states.q)
        return bool(np.any(found.exceeded))

    def reduced(self, x: Array) -> Array:
        """The motion with its amplitudes, and its shift, reduced as far as limits demand."""
        if self.kept(x):
            return x
        low, high = 0.0, 1.0
        for _ in range(24):
            share = 0.5 * (low + high)
            low, high = (share, high) if self.kept(share * x) else (low, share)
        if low < 1e-6:
            raise ArgumentError(
                f"no motion of '{self.model.mechanism.name}' about {np.round(self.middle, 6).tolist()} keeps all "
                "limits; give a wider range, effort or speed, another center, or a smaller margin"
            )
        return low * x


def _decomposed(W: Array) -> tuple[Array, Array, Array]:
    """Singular values, those that vanish replaced by rounding."""
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    return U, np.maximum(s, max(1e-14 * s[0], 1e-300)), Vt


def _smooth_maximum(x: Array, axis: int) -> Array:
    """Logarithm of the sum of exponentials: above the maximum by log(n) / sharpness at most."""
    top = x.max(axis=axis, keepdims=True)
    return np.squeeze(top, axis) + np.log(np.sum(np.exp(_SHARP * (x - top)), axis=axis)) / _SHARP


def _distance(model: Model, q: Array) -> Array:
    """Distances (...) to singularities of type 2 and of the constraints; 1 for trees."""
    if not model.kinematics.closed:
        return np.ones(q.shape[:-1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BatchWarning)
        found = model.singularity(q)
    return np.asarray(np.fmin(found.type2, found.constraint))


def _improved(search: _Search, x: Array, iterations: int) -> Array:
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


def _record(model: Model, search: _Search, x: Array, begun: float, notes: tuple[str, ...]) -> Excitation:
    states, (q, v, a) = search.states(x, _FINER)
    center, s, c = search.coefficients(x)
    tau = quiet_regressor(model, states.q, states.v, states.a) @ model.regressor_parameters.values
    t = np.arange(len(q)) * (search.period / len(q))
    return Excitation(
        model.mechanism.name, model.actuated, search.criterion, center, search.period, s, c, t, q, v, a, tau,
        search.condition(x), begun, float(np.min(_distance(model, states.q))), search.limits, len(search.base), notes,
    )  # fmt: skip
