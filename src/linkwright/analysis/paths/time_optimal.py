"""The least time along a path within limits of actuators, through closed-loop inverse dynamics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.motions.motion import ActuatorsGiven, PoseGiven, motion
from linkwright.analysis.motions.path_states import PathStates
from linkwright.analysis.paths.path_inequalities import (
    SOLVERS,
    Bounds,
    Coefficients,
    Inequalities,
    Profile,
    actuator_bounds,
    coefficients_of,
    infeasible_path_error,
    limit_inequalities,
    over_intervals,
    path_friction,
)
from linkwright.analysis.paths.route import GeometricPath, route_of, states_along
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_choice, require_instance, require_integer, require_real_array, require_texts
from linkwright.control.pose_references import Kinematics, require_sequence
from linkwright.control.references import Motion
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.model import Model, arguments
from linkwright.model.model import Wrenches
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import LIMIT_SLACK
from linkwright.results.charts import Curve, Panel, time_panels
from linkwright.results.result import Result
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

# --- position along a path over time ----------------------------------------------------------------------------------

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PathTiming:
    """The parameter s of a path over time.

    Attributes:
        s: values at the ends of intervals, (n + 1,). x: squares of ds/dt there, (n + 1,).
    """

    s: Array
    x: Array

    @property
    def rate(self) -> Array:
        """ds/dt at the ends of intervals, (n + 1,)."""
        return np.sqrt(self.x)

    @property
    def second(self) -> Array:
        """d^2s/dt^2 in the intervals, (n,)."""
        return 0.5 * np.diff(self.x) / np.diff(self.s)

    @cached_property
    def t(self) -> Array:
        """Times at the ends of intervals, (n + 1,), [s]."""
        return np.concatenate([[0.0], np.cumsum(2.0 * np.diff(self.s) / (self.rate[1:] + self.rate[:-1]))])

    @property
    def duration(self) -> float:
        """Time of the whole path, [s]."""
        return float(self.t[-1])

    def at(self, t: Any) -> tuple[Array, Array, Array]:
        """s, ds/dt and d^2s/dt^2 at times; at rest outside."""
        given = require_real_array("t", t).astype(float)
        now = np.clip(given, 0.0, self.duration)
        i = np.clip(np.searchsorted(self.t, now, side="right") - 1, 0, len(self.s) - 2)
        h = now - self.t[i]
        s = np.clip(self.s[i] + h * (self.rate[i] + 0.5 * h * self.second[i]), 0.0, 1.0)
        inside = (given >= 0.0) & (given <= self.duration)
        return s, np.where(inside, self.rate[i] + h * self.second[i], 0.0), np.where(inside, self.second[i], 0.0)


@dataclass(frozen=True, eq=False)
class TimedPoses:
    """A path of a frame over time, a reference for `lw.motion(model, t, pose=...)`."""

    route: GeometricPath
    timing: PathTiming

    def at(self, t: Any) -> Kinematics:
        """Pose, twist and twist rate at times (...)."""
        s, rate, second = self.timing.at(t)
        pose, twist, bend = self.route.poses(np.atleast_1d(s).ravel())
        lead = np.shape(s)
        position, wxyz = (np.asarray(x).reshape(*lead, n) for x, n in zip(pose, (3, 4), strict=True))
        twist, bend = twist.reshape(*lead, 6), bend.reshape(*lead, 6)
        return Pose(position, wxyz), twist * rate[..., None], twist * second[..., None] + bend * (rate**2)[..., None]


@dataclass(frozen=True, eq=False)
class TimedActuators:
    """A path of the actuators over time, a reference for `lw.motion(model, t, q_act=...)`."""

    route: GeometricPath
    timing: PathTiming

    @property
    def size(self) -> int:
        """Number of actuators."""
        return len(self.route.driven)

    def at(self, t: Any) -> Motion:
        """Positions, velocities and accelerations at times (...)."""
        s, rate, second = self.timing.at(t)
        p, d, bend = (x.reshape(*np.shape(s), self.size) for x in self.route.positions(np.atleast_1d(s).ravel()))
        return p, d * rate[..., None], d * second[..., None] + bend * (rate**2)[..., None]


# --- the least time along a path within limits of actuators, through closed-loop inverse dynamics (docs/howto) --------

Given = ArrayLike | Mapping[str, float] | None
_INSIDE = 4  # parts of an interval at whose ends limits are checked; those of halves are in the inequalities
_ROUNDS = 40  # of friction at the last profile
_SETTLED = 1e-6  # relative change of the path speed that ends these
_TIGHTENED = 8  # times that limits are drawn in until they are kept between the points
_SLOW = 1e-3  # of the largest path speed: below it, friction is taken as at this speed
_ACTIVE = 0.98  # share of a limit from which on it counts as reached


@dataclass(frozen=True, eq=False)
class TimedPath(StudyResult):
    """The fastest motion along a path.

    Attributes:
        mechanism: name. actuators, units: names and units of efforts.
        reference: the motion, for `lw.motion(model, t, pose=reference)` (or `q_act=`), controllers and simulations.
        s, t, rate: parameter, time [s] and ds/dt at the ends of intervals, (n + 1,).
        effort: of the actuators in the middle of the intervals, (n, na). shares: of the effort, speed and acceleration
            limits that are used there, (n, 3 na), NaN where there is none.
        margin: by which the limits were drawn in, as a share, so that they are kept between the ends of intervals.
        largest: share of a limit that is used at most, at five points of every interval: at most 1 + 1e-9, else a note.
        notes: messages.
    """

    mechanism: str
    actuators: tuple[str, ...]
    units: tuple[str, ...]
    reference: TimedPoses | TimedActuators
    s: Array
    t: Array
    rate: Array
    effort: Array
    shares: Array
    margin: float
    largest: float
    notes: tuple[str, ...] = ()
    studied: StudiedMechanism | None = None

    @property
    def duration(self) -> float:
        """Time of the whole path, [s]."""
        return float(self.t[-1])

    @property
    def reached(self) -> dict[str, float]:
        """Share of the time during which each limit is used to 98 %, by name."""
        h = np.diff(self.t) / self.duration
        kinds = [f"{kind} of {name}" for kind in ("effort", "speed", "acceleration") for name in self.actuators]
        used = np.nan_to_num(self.shares) >= _ACTIVE
        return {name: float(h @ used[:, i]) for i, name in enumerate(kinds) if np.isfinite(self.shares[:, i]).any()}

    def motion(self, model: Model, samples: int = 401) -> Result:
        """The motion at evenly spaced times with efforts, reactions and power, by `lw.motion`."""
        require_instance("model", model, Model, "a Model from linkwright.build")
        t = np.linspace(0.0, self.duration, require_integer("samples", samples, 2, 1_000_000))
        if isinstance(self.reference, TimedActuators):
            return motion(model, t, q_act=self.reference, near=self.reference.route.near)
        route = self.reference.route
        return motion(model, t, pose=self.reference, frame=route.frame, components=route.components, near=route.near)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        peak = np.abs(self.effort).max(axis=0)
        loads = [[name, unit, float(x)] for name, unit, x in zip(self.actuators, self.units, peak, strict=True)]
        held = [[name, 100.0 * share] for name, share in self.reached.items()]
        tables = [
            StudyTable("efforts", dict.fromkeys(("actuator", "unit", "peak_effort"), ""), loads),
            StudyTable("limits", {"limit": "", "share_of_time": "%"}, held, "Limits that are reached"),
        ]
        middle = 0.5 * (self.t[1:] + self.t[:-1])
        names = [f"{kind} of {name}" for kind in ("effort", "speed", "acceleration") for name in self.actuators]
        shares = [
            Curve(name, middle, self.shares[:, i])
            for i, name in enumerate(names)
            if np.isfinite(self.shares[:, i]).any()
        ]
        panels = [
            Panel("path parameter s", "ds/dt [1/s]", [Curve("path speed", self.s, self.rate)]),
            *time_panels("effort", self.units, self.actuators, middle, self.effort),
            Panel("t [s]", "share of the limit", shares),
        ]
        facts = {
            "mechanism": self.mechanism,
            "duration": self.duration,
            "intervals": len(self.effort),
            "largest_share": self.largest,
            "safety_margin": self.margin,
        }
        arrays = {"s": self.s, "t": self.t, "rate": self.rate, "effort": self.effort, "shares": self.shares}
        title, units = f"Least time along a path of {self.mechanism}", {"duration": "s"}
        titles = {"largest_share": "largest share of a limit", "safety_margin": "safety margin on limits"}
        return StudyContent(title, facts, tables, panels, arrays, self.notes, units, titles)


def time_optimal(
    model: Model,
    s: ArrayLike | None = None,
    *,
    pose: PoseGiven | None = None,
    q_act: ActuatorsGiven | None = None,
    effort: Given = None,
    speed: Given = None,
    acceleration: Given = None,
    frame: str | None = None,
    components: Sequence[str] | None = None,
    sequence: str = "xyz",
    near: ArrayLike | None = None,
    w_ext: Wrenches | None = None,
    intervals: int = 200,
    solver: Literal["toppra", "linprog"] = "toppra",
) -> TimedPath:
    """The least time in which a frame or the actuators can follow a path, from rest to rest, within limits.

    Args:
        s: parameters of the rows of an array, ascending; None spaces them by the distances of the rows.
        pose: path of a frame: a function or reference of s from 0 to 1, waypoints (n, 6) or (n, 7), or a CSV file, as
            for `lw.motion`. q_act: instead, positions of the actuators.
        effort, speed, acceleration: limits of the actuators, one for all, (na,) or by name; those of the file (of all
            joints, for speeds) hold too. At least one limit of effort or acceleration is needed.
        frame, components, sequence, near, w_ext: as for `lw.motion`.
        intervals: in each, d^2s/dt^2 is constant.
        solver: "toppra" (extra topp), or "linprog", one linear program.

    Efforts are those of inverse dynamics with closed loops: inertia, gravity, springs, friction and rotors count. The
    limits are kept to 1 + 1e-9 at five points of every interval; where they would not, they are drawn in (`margin`),
    and a note says so where that did not suffice.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> path = lambda s: [0.1 - 0.2 * s, 0.42, 0, 0, 0, 0]
    >>> found = time_optimal(model, pose=path, acceleration=100.0, intervals=50, solver="linprog")
    >>> bool(found.largest <= 1.0 + 1e-9), bool(0.1 < found.duration < 0.3)
    (True, True)
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_sequence(sequence)
    require_integer("intervals", intervals, 2, 100_000)
    require_choice("solver", solver, tuple(SOLVERS))
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no actuators; name them in actuated=[...]")
    picked = None if components is None else tuple(require_texts("components", components, "['x', 'y']"))
    route = route_of(model, s, pose, q_act, frame=frame, components=picked, sequence=sequence, near=near)
    named = {} if w_ext is None else {"w_ext": arguments.external_wrenches(w_ext, model.bodies)}
    problem = _Problem.of(model, route, (effort, speed, acceleration), named, intervals)
    timing, margin = _tighten_limits(problem, SOLVERS[solver])
    return _timed_path_record(problem, route, timing, margin)


@dataclass(frozen=True, eq=False)
class _Problem:
    """A path with its limits: states and coefficients at _INSIDE + 1 points of every interval.

    Attributes:
        s: at all points, (_INSIDE n + 1,). unit: of x, so that the inequalities have coefficients near 1.
    """

    model: Model
    s: Array
    at: PathStates
    k: Coefficients
    bounds: Bounds
    named: Mapping[str, Any]
    unit: float

    @staticmethod
    def of(
        model: Model, route: GeometricPath, given: tuple[Any, Any, Any], named: Mapping[str, Any], n: int
    ) -> _Problem:
        s = _path_intervals(n)
        at = states_along(route, model, s)
        bounds = actuator_bounds(model, *given)
        if bounds.empty:
            raise ArgumentError(
                f"nothing limits efforts or accelerations of '{model.mechanism.name}': give effort=... or "
                "acceleration=..., or limits in the file"
            )
        k = coefficients_of(model, at, bounds, named)
        _require_held(model, s, k, bounds)
        rows = limit_inequalities(k, bounds, np.zeros_like(k.a), np.zeros_like(k.a), 1.0)
        size = np.max(np.abs(rows.a) + np.abs(rows.b), axis=1)
        return _Problem(model, s, at, k, bounds, named, 1.0 / float(np.median(size)))

    @property
    def ends(self) -> Array:
        """Values of s at the ends of intervals."""
        return self.s[::_INSIDE]

    def profile(self, solve: Profile, share: float) -> Array:
        """x at the ends of intervals for a share of the limits; friction settles in rounds."""
        x = solve(self._rows(None, share), self.ends) * self.unit
        if not self._rubs:
            return x
        for _ in range(_ROUNDS):
            before, x = x, solve(self._rows(x, share), self.ends) * self.unit
            if np.abs(np.sqrt(x) - np.sqrt(before)).max() <= _SETTLED * np.sqrt(x.max()):
                break
        return x

    @property
    def _rubs(self) -> bool:
        return bool(np.any(path_friction(self.model, self.at, np.ones(len(self.s)), self.named)))

    def _rows(self, x: Array | None, share: float) -> Inequalities:
        """Inequalities of all intervals at their ends and middles, in units of x; friction about a profile."""
        drag, growth = np.zeros_like(self.k.a), np.zeros_like(self.k.a)
        blocks = [limit_inequalities(self.k, self.bounds, drag, growth, share)]
        if x is not None:
            moving = limit_inequalities(self.k, self.bounds, *self._friction(x), share)
            held = [np.where(self._slow(x)[:, None], getattr(blocks[0], n), getattr(moving, n)) for n in "abc"]
            blocks = [moving, Inequalities(*held)]
        shares = np.array([0.0, 0.5, 1.0])
        n = len(self.ends) - 1
        picked = [
            Inequalities(
                *(np.concatenate([getattr(each, name)[k::_INSIDE][:n] for each in blocks], 1) for name in "abc")
            )
            for k in (0, _INSIDE // 2, _INSIDE)
        ]
        rows = over_intervals(picked, np.diff(self.ends), shares)
        scaled = Inequalities(rows.a * self.unit, rows.b * self.unit, rows.c)
        if not all(np.isfinite(x).all() for x in (scaled.a, scaled.b, scaled.c)):
            raise infeasible_path_error(None)
        return scaled

    def _everywhere(self, x: Array) -> Array:
        return np.interp(self.s, self.ends, x)

    def _slow(self, x: Array) -> Array:
        """Points near rest, where friction may be anything from nothing to that of a slow motion."""
        return self._everywhere(x) <= (_SLOW**2) * x.max()

    def _friction(self, x: Array) -> tuple[Array, Array]:
        """Friction as drag + growth x: that of a slow motion, and what is more at a profile in proportion to x.

        Efforts that grow less than x, as those of viscous friction, are met from above: each round halves the error.
        """
        floor = np.full(len(self.s), _SLOW * np.sqrt(x.max()))
        rate = np.maximum(np.sqrt(self._everywhere(x)), floor)
        drag, whole = (path_friction(self.model, self.at, each, self.named) for each in (floor, rate))
        return drag, (whole - drag) / (rate**2)[:, None]

    def efforts_and_shares(self, timing: PathTiming) -> tuple[Array, Array]:
        """Efforts (n, _INSIDE + 1, na) and shares of all limits (n, _INSIDE + 1, 3 na + 1) within the intervals."""
        n = len(self.ends) - 1
        pick = _INSIDE * np.arange(n)[:, None] + np.arange(_INSIDE + 1)
        u = np.repeat(timing.second[:, None], _INSIDE + 1, axis=1)
        x = np.maximum(timing.x[:-1, None] + 2.0 * u * (self.s[pick] - self.ends[:-1, None]), 0.0)
        u, x, flat = u.ravel()[:, None], x.ravel()[:, None], pick.ravel()
        q, d, bend = self.at.q[flat], self.at.v[flat], self.at.a[flat]
        tau = self.model.inverse_dynamics(q, d * np.sqrt(x), d * u + bend * x, **self.named)
        speeds = self.k.rates[flat] * np.sqrt(x)
        second = self.k.rates[flat] * u + self.k.bends[flat] * x
        joints = np.sqrt(x / self.k.joint_speeds[flat][:, None])
        shares = np.concatenate(
            [
                np.abs(tau) / self.bounds.effort,
                np.abs(speeds) / self.bounds.speed,
                np.abs(second) / self.bounds.acceleration,
                joints,
            ],
            axis=1,
        )
        return tau.reshape(n, _INSIDE + 1, -1), shares.reshape(n, _INSIDE + 1, -1)


def _path_intervals(n: int) -> Array:
    """Values of s with n intervals of _INSIDE parts: short near the ends, where equal times are short ways."""
    ends = 0.5 * (1.0 - np.cos(np.pi * np.arange(n + 1) / n))
    parts = ends[:-1, None] + np.diff(ends)[:, None] * np.arange(_INSIDE) / _INSIDE
    return np.append(parts.ravel(), 1.0)


def _require_held(model: Model, s: Array, k: Coefficients, bounds: Bounds) -> None:
    """Refuse paths on which the mechanism cannot even be held."""
    over = np.abs(k.c) - bounds.effort
    i, j = np.unravel_index(int(np.argmax(over)), over.shape)
    if over[i, j] > 0.0:
        raise AssemblyError(
            f"actuator '{model.actuated[j]}' needs {abs(k.c[i, j]):.6g} to hold '{model.mechanism.name}' at "
            f"s = {s[i]:.4g}, beyond its effort limit {bounds.effort[j]:.6g}; raise it or change the path",
            actuator=model.actuated[j],
            s=float(s[i]),
        )


def _tighten_limits(problem: _Problem, solve: Profile) -> tuple[PathTiming, float]:
    """The profile whose limits are kept within the intervals too, and by how much they were drawn in."""
    share = 1.0
    for left in reversed(range(_TIGHTENED)):
        timing = PathTiming(problem.ends, problem.profile(solve, share))
        if not np.isfinite(timing.duration):
            raise AssemblyError("the path is never left: some limits allow no motion; raise them or change the path")
        most = float(problem.efforts_and_shares(timing)[1].max())
        if most <= 1.0 + LIMIT_SLACK or not left:
            break
        share *= (1.0 - 1e-6) / most
    return timing, 1.0 - share


def _timed_path_record(problem: _Problem, route: GeometricPath, timing: PathTiming, margin: float) -> TimedPath:
    model = problem.model
    tau, shares = problem.efforts_and_shares(timing)
    middle, na = _INSIDE // 2, model.na
    limited = np.concatenate([problem.bounds.effort, problem.bounds.speed, problem.bounds.acceleration])
    largest = float(shares.max())
    notes: tuple[str, ...] = ()
    if largest > 1.0 + LIMIT_SLACK:
        over = f"a limit is exceeded by {100.0 * (largest - 1.0):.3g} % of it between the ends of intervals"
        notes = (f"{over}, after the limits were drawn in {_TIGHTENED - 1} times; take more intervals",)
    reference = TimedActuators(route, timing) if route.actuators else TimedPoses(route, timing)
    return TimedPath(
        model.mechanism.name,
        tuple(model.actuated),
        tuple(each.effort_unit for each in model.actuators),
        reference,
        timing.s,
        timing.t,
        timing.rate,
        tau[:, middle],
        np.where(np.isfinite(limited), shares[:, middle, : 3 * na], np.nan),
        margin,
        largest,
        notes,
        studied_mechanism(model, problem.at.q[::_INSIDE], timing.t),
    )
