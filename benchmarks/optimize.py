"""Optimization with exact gradients against methods without: the five-bar with the largest regular dexterous workspace.

    python -m benchmarks.optimize [--budget 60] [--points 64] [--only COBYLA Nelder-Mead]

The largest disk in which the inverse condition number of a five-bar is at least 1/2, for a total length of 1 m (both
cranks, both rods, the distance of the base joints, which is at least 20 mm). Eight variables: the five lengths, the
center of the disk and its radius, which is made largest. Mechanism and disk are written in units of the radius, so that
the disk is a set of poses that stay.

Every method starts from the same design, scales its variables to 0 ... 1, and evaluates designs by the same compiled
code, each from the coordinates of the design before; methods without gradients leave these out, reject designs that do
not reach the disk by the triangle inequality, and take the limit in the form that suits them: pose by pose or by the
worst pose where they take limits (COBYLA, COBYQA, SLSQP, trust-constr), as a penalty on the worst pose where they do
not (Nelder-Mead, Powell, differential evolution, which evaluates a whole generation in one call). Differences of a
gradient are one call too ("batched"), or one call per variable. A method that ends is started again from another random
design.

Time is CPU time until the first design that keeps all limits within 1e-4 and whose radius is within 1 % or 0.1 % of the
best one known, or, marked by >, until the budget (a multiple of the time with exact gradients) is used up. "designs" is
the share of that time in evaluations of designs; the rest is the method's own. With exact gradients, which are timed by
the whole call of `optimize` too, the least of some runs counts.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import Bounds, NonlinearConstraint, differential_evolution, minimize

import linkwright as lw
from linkwright.formats import from_yaml
from linkwright.kinematics.continuation import reach_targets, steps_to
from linkwright.kinematics.query import BatchRows

Array = np.ndarray
FILE = """
format: 1
name: five-bar and its disk
parameters:
  {unit: 1 m, radius: 80 mm, cx: 0 mm, cy: 300 mm, base: 100 mm, a1: 200 mm, a2: 200 mm, b1: 250 mm, b2: 250 mm}
bodies:
  crank1: &link {mass: 0.3 kg, inertia: [0.001, 0.001, 0.001]}
  crank2: *link
  rod1: *link
  rod2: *link
base: {name: ground}
joints:
  theta1:
    type: revolute
    parent: ground
    child: crank1
    at: ["= (-base / 2 - cx) / radius * unit", "= -cy / radius * unit", 0]
  theta2:
    type: revolute
    parent: ground
    child: crank2
    at: ["= (base / 2 - cx) / radius * unit", "= -cy / radius * unit", 0]
  psi1: {type: revolute, parent: crank1, child: rod1, at: ["= a1 / radius * unit", 0, 0]}
  psi2: {type: revolute, parent: crank2, child: rod2, at: ["= a2 / radius * unit", 0, 0]}
loops:
  tip:
    type: revolute
    parent: rod1
    child: rod2
    at: ["= b1 / radius * unit", 0, 0]
    child_at: ["= b2 / radius * unit", 0, 0]
frames: {platform: {body: rod1, at: ["= b1 / radius * unit", 0, 0]}}
platform: platform
actuators: {left: {joint: theta1}, right: {joint: theta2}}
home: {theta1: 2.28, theta2: 0.86, psi1: -1.56, psi2: 1.56}
"""
BOUNDS = {"radius": (0.01, 0.5), "cx": (-0.3, 0.3), "cy": (0.02, 0.6), "base": (0.02, 0.5)} | dict.fromkeys(
    ("a1", "a2", "b1", "b2"), (0.05, 0.5)
)
LENGTHS = dict.fromkeys(("base", "a1", "a2", "b1", "b2"), 1.0)
CONDITION, TOTAL, KEPT = 2.0, 1.0, 1e-4
LOW, HIGH = np.array(list(BOUNDS.values())).T
WEIGHTS = np.array([LENGTHS.get(name, 0.0) for name in BOUNDS])
FREE = ("x", "y")


def disk(count: int) -> lw.Pose:
    """Points of the unit disk: its center, `count` on its edge, half as many half way."""
    parts = [(0.0, 1), (1.0, count), (0.5, count // 2)]
    angles = [(r, np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)) for r, n in parts]
    points = np.concatenate([r * np.stack([np.cos(a), np.sin(a), 0.0 * a], axis=1) for r, a in angles])
    return lw.Pose(points, np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1)))


def beyond(p: Array) -> Array:
    """How far a leg is from reaching the whole disk, in radii; at most 0 where both do, (...)."""
    radius, cx, cy, base, a1, a2, b1, b2 = np.moveaxis(p, -1, 0)
    found = np.full(radius.shape, -np.inf)
    for side, a, b in ((-1.0, a1, b1), (1.0, a2, b2)):
        way = np.hypot(cx - side * base / 2.0, cy)
        found = np.maximum(
            found, np.maximum(way + radius - a - b, np.abs(a - b) - np.maximum(way - radius, 0.0)) / radius
        )
    return found


class OutOfTime(Exception):
    """The budget is used up, or the method has arrived."""


@dataclass
class Watch:
    """When a method evaluated which radius, until it arrives or its budget is used up."""

    best: float
    budget: float
    begun: float = field(default_factory=time.process_time)
    evaluations: int = 0
    radius: float = 0.0
    arrived: dict[float, float] = field(default_factory=dict)
    evaluating: float = 0.0
    stops: bool = True

    def add(self, p: Array, logs: Array, since: float) -> None:
        """Designs (n, 8) with the logarithms of their condition numbers (n, m), and when their evaluation began."""
        now = time.process_time()
        spent = now - self.begun
        if 0.001 not in self.arrived:
            self.evaluations, self.evaluating = self.evaluations + len(p), self.evaluating + now - since
        kept = (logs.max(axis=1) <= np.log(CONDITION * (1.0 + KEPT))) & (p @ WEIGHTS <= TOTAL * (1.0 + KEPT))
        self.radius = max(self.radius, p[kept, 0].max(initial=0.0))
        for share in (0.01, 0.001):
            if self.radius >= (1.0 - share) * self.best:
                self.arrived.setdefault(share, spent)
        if self.stops and (0.001 in self.arrived or spent > self.budget):
            raise OutOfTime


class Values:
    """Designs without gradients, on the compiled code that `optimize` uses."""

    def __init__(self, model: lw.Model, poses: lw.Pose, watch: Watch) -> None:
        self.model, self.poses, self.watch = model, poses, watch
        self.measure = lw.analysis.JacobianMeasure(model, poses, "condition", components=FREE)
        self.following = self.measure.following()
        self.known: dict[bytes, Array] = {}
        self.target = np.concatenate(poses, axis=1)
        self.home = model.parameters.values, model.inverse_kinematics(poses, components=FREE)[0]

    def design(self, u: Array) -> Array:
        return LOW + np.clip(u, 0.0, 1.0) * (HIGH - LOW)

    def one(self, u: Array) -> Array:
        """Logarithms of the condition numbers, (m,); large where a design does not reach the disk."""
        key = np.clip(u, 0.0, 1.0).tobytes()
        if key not in self.known:
            since, p = time.process_time(), self.design(u)
            found = None if beyond(p) > 0.0 else self.following(p, gradient=False)
            far = np.full(len(self.target), 5.0 + max(float(beyond(p)), 0.0))
            self.known[key] = far if found is None or found.parts is None else np.log(found.parts)
            self.watch.add(p[None], self.known[key][None], since)
        return self.known[key]

    def many(self, u: Array, near: tuple[Array, Array] | None = None) -> Array:
        """The same of designs (k, 8) in one call, (k, m), from a design and its coordinates."""
        since, p, m = time.process_time(), self.design(u), len(self.target)
        logs = np.repeat(5.0 + np.maximum(beyond(p), 0.0)[:, None], m, axis=1)
        good = np.flatnonzero(beyond(p) <= 0.0)
        if len(good):
            logs[good] = self._logarithms(p[good], self.home if near is None else near)
        self.watch.add(p, logs, since)
        return logs

    def _logarithms(self, p: Array, near: tuple[Array, Array]) -> Array:
        n, m = len(p), len(self.target)
        before, start = near
        steps: Any = steps_to(self.model.kinematics, "platform", (3, 4))
        values, target = np.repeat(p, m, axis=0), np.tile(self.target, (n, 1))
        rows = BatchRows((n * m,), np.tile(start, (n, 1)), target, values, before)
        q = reach_targets(
            steps, rows, lambda q, _: np.tile(self.target[0], (len(q), 1)), lambda _, there, share: there
        ).q
        found = np.isfinite(q).all(axis=1)
        logs = np.full(n * m, 5.0)
        J = self.model.actuator_jacobian(q[found], "platform", p=values[found])[:, 3:5]
        condition = np.linalg.cond(np.where(np.isfinite(J), J, 0.0))
        logs[found] = np.log(np.where(condition < np.exp(5.0), condition, np.exp(5.0)))
        return logs.reshape(n, m)

    def differences(self, u: Array, batched: bool, h: float = 1e-7) -> Array:
        """Derivatives of the logarithms by the variables, (m, 8)."""
        here, steps = self.one(u), np.where(u < 1.0 - h, h, -h)
        others = u + np.diag(steps)
        if not batched:
            return np.stack([(self.one(x) - here) / s for x, s in zip(others, steps, strict=True)], axis=1)
        near = (self.design(u), self.home[1]) if self.following.last is None else self.following.last
        return ((self.many(others, near) - here) / steps[:, None]).T


Method = Callable[[Values, Array], Any]


def length_left(values: Values, u: Array) -> float:
    return TOTAL - float(WEIGHTS @ values.design(u))


def radius_of(u: Array) -> float:
    """The objective, in units of 0.1 m."""
    return -float(LOW[0] + u[0] * (HIGH[0] - LOW[0])) / 0.1


RADIUS_GRADIENT = -np.eye(len(LOW))[0] * (HIGH[0] - LOW[0]) / 0.1


def constrained(method: str, differences: str = "", worst: bool = False, **options: Any) -> Method:
    """A method of scipy that takes limits, pose by pose or of the worst one."""

    def run(values: Values, begin: Array) -> Any:
        def margin(u: Array) -> Array:
            left = np.log(CONDITION) - values.one(u)
            return left.min(keepdims=True) if worst else left

        def changes(u: Array) -> Array:
            return -values.differences(u, differences == "batched")

        by = {"jac": changes} if differences else {}
        length = {"type": "ineq", "fun": lambda u: length_left(values, u), "jac": lambda u: -WEIGHTS * (HIGH - LOW)}
        limits: Any = [{"type": "ineq", "fun": margin, **by}, length]
        if method in ("trust-constr", "COBYQA"):
            limits = [
                NonlinearConstraint(margin, 0.0, np.inf, **by),
                NonlinearConstraint(lambda u: length_left(values, u), 0.0, np.inf),
            ]
        gradient = {"jac": lambda u: RADIUS_GRADIENT} if differences else {}
        return minimize(
            radius_of, begin, method=method, bounds=Bounds(0.0, 1.0), constraints=limits, options=options, **gradient
        )

    return run


def penalty(values: Values, u: Array, logs: Array) -> float:
    over = max(0.0, float(logs.max()) - np.log(CONDITION)) + max(0.0, -length_left(values, u))
    return radius_of(np.clip(u, 0.0, 1.0)) + 10.0 * over + 10.0 * float(np.abs(u - np.clip(u, 0.0, 1.0)).sum())


def penalized(method: str, **options: Any) -> Method:
    """A method of scipy without limits."""
    return lambda values, begin: minimize(
        lambda u: penalty(values, u, values.one(u)), begin, method=method, options=options, bounds=Bounds(0.0, 1.0)
    )


def evolution(values: Values, begin: Array) -> Any:
    """Differential evolution, a generation per call."""

    def generation(u: Array) -> Array:
        logs = values.many(u.T)
        return np.array([penalty(values, x, row) for x, row in zip(u.T, logs, strict=True)])

    box, seed = [(0.0, 1.0)] * len(LOW), int(1e6 * begin[0])
    return differential_evolution(
        generation,
        box,
        x0=begin,
        rng=seed,
        maxiter=10_000,
        popsize=10,
        tol=0.0,
        polish=False,
        vectorized=True,
        updating="deferred",
    )


METHODS: dict[str, Method] = {
    "SLSQP, batched differences": constrained("SLSQP", "batched", ftol=1e-9, maxiter=500),
    "SLSQP, differences": constrained("SLSQP", "single", ftol=1e-9, maxiter=500),
    "trust-constr, batched differences": constrained("trust-constr", "batched", maxiter=3000, initial_tr_radius=0.1),
    "COBYLA": constrained("COBYLA", rhobeg=0.1, maxiter=20_000, tol=1e-6),
    "COBYLA, worst pose": constrained("COBYLA", worst=True, rhobeg=0.1, maxiter=20_000, tol=1e-6),
    "COBYQA": constrained("COBYQA", initial_tr_radius=0.1, maxfev=20_000),
    "COBYQA, worst pose": constrained("COBYQA", worst=True, initial_tr_radius=0.1, maxfev=20_000),
    "Nelder-Mead, penalty": penalized("Nelder-Mead", maxfev=20_000, xatol=1e-7, fatol=1e-9, adaptive=True),
    "Powell, penalty": penalized("Powell", maxfev=20_000, xtol=1e-7, ftol=1e-9),
    "differential evolution, penalty": evolution,
}


def run_without(method: Method, values: Values, begin: Array) -> None:
    """Run a method, again from random designs where it ends, until it arrives or its budget is used up."""
    rng = np.random.default_rng(0)
    try:
        while True:
            method(values, begin)
            begin = rng.uniform(size=len(begin))
            while beyond(values.design(begin)) > 0.0:
                begin = rng.uniform(size=len(begin))
    except OutOfTime:
        return


@dataclass(frozen=True)
class Watched:
    """A measure whose evaluations are watched."""

    measure: lw.analysis.JacobianMeasure
    watch: Watch

    def __call__(self, p: Array) -> lw.types.MeasureValue:
        return self.measure(p)

    def reaches(self, p: Array) -> bool:
        return self.measure.reaches(p)

    def following(self) -> Callable[[Array], lw.types.MeasureValue]:
        along = self.measure.following()

        def evaluated(p: Array) -> lw.types.MeasureValue:
            since = time.process_time()
            found = along(p)
            logs = np.array([[5.0]]) if found.parts is None else np.log(found.parts)[None]
            self.watch.add(p[None], logs, since)
            return found

        return evaluated


def with_gradients(model: lw.Model, poses: lw.Pose, watch: Watch) -> lw.types.Optimum:
    """The largest disk as a user looks for it."""
    condition = Watched(lw.analysis.JacobianMeasure(model, poses, "condition", components=FREE), watch)
    length, largest = lw.analysis.WeightedSum(model, LENGTHS), lw.analysis.WeightedSum(model, {"radius": -1.0})
    return lw.analysis.optimize(model, largest, BOUNDS, constraints=[(condition, CONDITION), (length, TOTAL)], starts=1)


def own_time(model: lw.Model, poses: lw.Pose, rounds: int = 7) -> tuple[lw.types.Optimum, Watch, float]:
    """What exact gradients find, when they arrive, and the time of the whole call."""
    found = with_gradients(model, poses, Watch(np.inf, np.inf))
    watches, whole = [], []
    for _ in range(rounds):
        watches.append(Watch(-found.value, np.inf, stops=False))
        with_gradients(model, poses, watches[-1])
        whole.append(time.process_time() - watches[-1].begun)
    return found, min(watches, key=lambda each: each.arrived[0.001]), min(whole)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=float, default=60.0, help="of a method, in times of exact gradients")
    parser.add_argument("--points", type=int, default=64, help="on the edge of the disk")
    parser.add_argument("--only", nargs="+", default=[""], help="beginnings of names of methods")
    given = parser.parse_args()
    for kind in (lw.errors.BatchWarning, lw.errors.ParameterWarning, RuntimeWarning, UserWarning):
        warnings.simplefilter("ignore", kind)
    model, poses = lw.build(from_yaml(FILE), inputs=list(BOUNDS)), disk(given.points)
    begin = (model.parameters.values - LOW) / (HIGH - LOW)
    found, own, whole = own_time(model, poses)
    lengths = ", ".join(f"{name} {1e3 * x:.1f}" for name, x in found.values.items())
    print(f"largest disk with condition numbers of at most {CONDITION:g} at {len(poses.position)} poses ({lengths} mm)")
    print(f"the call of optimize takes {whole:.4f} s, {found.starts[0].evaluations} designs")
    print(
        f"{'method':34} {'radius':>9} {'designs':>8} {'CPU s: 1 %':>10} {'0.1 %':>8} "
        f"{'designs':>8} {'ratio: 1 %':>10} {'0.1 %':>6}"
    )
    _print("optimize, exact gradients", own, own)
    for name, method in METHODS.items():
        if not name.startswith(tuple(given.only)):
            continue
        Values(model, poses, Watch(np.inf, np.inf)).many(np.array([begin, begin]))  # compiled
        watch = Watch(-found.value, given.budget * own.arrived[0.001])
        values = Values(model, poses, watch)
        watch.begun = time.process_time()
        run_without(method, values, begin)
        _print(name, watch, own)


def _print(name: str, watch: Watch, own: Watch) -> None:
    """A row of the table; the budget, marked by >, where a method has not arrived."""
    cells = []
    for share in (0.01, 0.001):
        at = watch.arrived.get(share, watch.budget)
        mark = "" if share in watch.arrived else ">"
        cells.append((f"{mark}{at:.4f}", f"{mark}{at / own.arrived[share]:.1f}"))
    part = watch.evaluating / (watch.arrived.get(0.001, watch.budget))
    (first, one), (second, two) = cells
    print(
        f"{name:34} {watch.radius:9.6f} {watch.evaluations:8} {first:>10} {second:>8} {part:8.0%} {one:>10} {two:>6}",
        flush=True,
    )


if __name__ == "__main__":
    main()
