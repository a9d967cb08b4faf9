"""Optimization with exact gradients against methods without: the five-bar with the largest regular dexterous workspace.

    python -m benchmarks.optimize

By scale, the largest disk on which a five-bar of given size keeps its condition number below 2 belongs to the smallest
five-bar that does so on a given disk. Eight dimensions are varied: both points of the base and four lengths; the size
is the sum of the lengths and of the distance between the points. Each method starts from the same design; the time is
CPU time until its best design within the limit is 0.1 % above the best of all methods, or, marked by >, until it ends
without one. Without gradients, an evaluation is kinematics and condition numbers alone.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from scipy.optimize import differential_evolution, minimize

import linkwright as lw
from linkwright.formats import from_yaml

Array = np.ndarray
NAMES = ["x1", "y1", "x2", "y2", "a1", "a2", "b1", "b2"]
BOUNDS = {
    "x1": (-0.4, 0.0),
    "y1": (-0.8, -0.12),
    "x2": (0.0, 0.4),
    "y2": (-0.8, -0.12),
    **dict.fromkeys(("a1", "a2"), (0.08, 0.5)),
    **dict.fromkeys(("b1", "b2"), (0.08, 0.7)),
}
START = (-0.1, -0.42, 0.1, -0.42, 0.25, 0.25, 0.35, 0.35)
WEIGHTS = {"x1": -1.0, "x2": 1.0, "a1": 1.0, "a2": 1.0, "b1": 1.0, "b2": 1.0}
FILE = """
format: 1
name: free five-bar
parameters: {x1: -100 mm, y1: -420 mm, x2: 100 mm, y2: -420 mm, a1: 250 mm, a2: 250 mm, b1: 350 mm, b2: 350 mm}
bodies:
  crank1: &link {mass: 0.3 kg, inertia: [0.001, 0.001, 0.001]}
  crank2: *link
  rod1: *link
  rod2: *link
base: {name: ground}
joints:
  theta1: {type: revolute, parent: ground, child: crank1, at: [= x1, = y1, 0]}
  theta2: {type: revolute, parent: ground, child: crank2, at: [= x2, = y2, 0]}
  psi1: {type: revolute, parent: crank1, child: rod1, at: [= a1, 0, 0]}
  psi2: {type: revolute, parent: crank2, child: rod2, at: [= a2, 0, 0]}
loops:
  tip: {type: revolute, parent: rod1, child: rod2, at: [= b1, 0, 0], child_at: [= b2, 0, 0]}
frames: {platform: {body: rod1, at: [= b1, 0, 0]}}
platform: platform
actuators: {left: {joint: theta1}, right: {joint: theta2}}
home: {theta1: 2.2823075170803215, theta2: 0.8592851365094715, psi1: -1.5627962414591052, psi2: 1.5627962414591052}
"""
LIMIT, RADIUS, ABOVE = 2.0, 0.1, 1.001


def five_bar() -> lw.Model:
    """A five-bar whose points of the base and lengths are inputs."""
    return lw.build(from_yaml(FILE), inputs=NAMES)


def disk() -> lw.Pose:
    """Points of the disk, 17."""
    angle = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    rings = [r * np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1) for r in (RADIUS / 2, RADIUS)]
    points = np.concatenate([np.zeros((1, 3)), *rings])
    return lw.Pose(points, np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1)))


class Watched:
    """Designs as a method evaluates them: when, how large, within the limit or not."""

    def __init__(self) -> None:
        self.begun = time.process_time()
        self.rows: list[tuple[float, float, bool]] = []

    def add(self, size: float, worst: float) -> None:
        self.rows.append((time.process_time() - self.begun, size, bool(worst <= LIMIT * (1.0 + 1e-6))))

    def best(self) -> float:
        return min((size for _, size, kept in self.rows if kept), default=float("inf"))

    def until(self, goal: float) -> tuple[float, int]:
        """Time and evaluations until a size was reached."""
        for i, (at, size, kept) in enumerate(self.rows):
            if kept and size <= goal:
                return at, i + 1
        return float("nan"), len(self.rows)


def main() -> None:
    """Print the table."""
    for kind in (lw.errors.BatchWarning, lw.errors.ParameterWarning):
        warnings.simplefilter("ignore", kind)
    model, poses = five_bar(), disk()
    over = lw.analysis.OverPoses(model, poses, "condition", free=("x", "y"))
    size = lw.analysis.WeightedSum(model, WEIGHTS)
    weights = np.array([WEIGHTS.get(name, 0.0) for name in NAMES])
    low, high = np.array(list(BOUNDS.values())).T

    def worst(p: Array) -> float:
        x1, y1, x2, y2, a1, a2, b1, b2 = p
        for point, a, b in (((x1, y1, 0.0), a1, b1), ((x2, y2, 0.0), a2, b2)):
            far = np.linalg.norm(poses.position - point, axis=1)
            if far.max() > a + b or far.min() < abs(a - b):
                return 1e3  # not reached: kinematics are not tried
        q = model.inverse_kinematics(poses, free=("x", "y"), p=p)[0]
        if not np.isfinite(q).all():
            return 1e3
        return float(np.linalg.cond(model.actuator_jacobian(q, "platform", p=p)[:, 3:5]).max())

    over(np.array(START)), worst(np.array(START))  # compiled

    def plain(watched: Watched, u: Array) -> tuple[float, float]:
        p = low + np.clip(u, 0.0, 1.0) * (high - low)
        found = float(weights @ p), min(worst(p), 1e3)
        watched.add(*found)
        return found

    def with_gradients(watched: Watched) -> None:
        def watching(p: Array) -> lw.analysis.Evaluated:
            found = over(p)
            watched.add(float(weights @ p), found.exact)
            return found

        lw.analysis.optimize(model, size, BOUNDS, limits=[(watching, LIMIT)], starts=1)

    def constrained(method: str) -> Callable[[Watched], None]:
        def run(watched: Watched) -> None:
            seen: dict[bytes, tuple[float, float]] = {}

            def at(u: Array) -> tuple[float, float]:
                key = u.tobytes()
                if key not in seen:
                    seen[key] = plain(watched, u)
                return seen[key]

            holds = {"type": "ineq", "fun": lambda u: 1.0 - at(u)[1] / LIMIT}
            box = [(0.0, 1.0)] * len(NAMES)
            options = {"maxiter": 5000}
            minimize(lambda u: at(u)[0], begin, method=method, bounds=box, constraints=[holds], options=options)

        return run

    def penalized(watched: Watched) -> Callable[[Array], float]:
        def value(u: Array) -> float:
            found, cond = plain(watched, u)
            return found + 10.0 * max(0.0, cond / LIMIT - 1.0) + 10.0 * float(np.abs(u - np.clip(u, 0, 1)).sum())

        return value

    def simplex(watched: Watched) -> None:
        options = {"maxfev": 5000, "xatol": 1e-6, "fatol": 1e-8, "adaptive": True}
        minimize(penalized(watched), begin, method="Nelder-Mead", options=options)

    def evolution(watched: Watched) -> None:
        differential_evolution(
            penalized(watched), [(0.0, 1.0)] * len(NAMES), seed=0, maxiter=150, popsize=10, tol=0.0, polish=False
        )

    begin = (np.array(START) - low) / (high - low)
    methods: dict[str, Callable[[Watched], None]] = {
        "SLSQP, exact gradients": with_gradients,
        "SLSQP, differences": constrained("SLSQP"),
        "COBYLA": constrained("COBYLA"),
        "Nelder-Mead, penalty": simplex,
        "differential evolution": evolution,
    }
    runs: dict[str, Watched] = {}
    for name, run in methods.items():
        rounds = []
        for _ in range(3 if name == "SLSQP, exact gradients" else 1):
            rounds.append(Watched())
            run(rounds[-1])
        runs[name] = min(rounds, key=lambda each: each.rows[-1][0])
    best = min(each.best() for each in runs.values())
    first = runs["SLSQP, exact gradients"].until(ABOVE * best)[0]
    print(f"smallest sum of lengths with condition <= {LIMIT:g} on a disk of {RADIUS:g} m: {best:.6f} m")
    print(f"{'method':26} {'best':>9} {'evaluations':>12} {'CPU s':>8} {'ratio':>7}")
    for name, each in runs.items():
        at, count = each.until(ABOVE * best)
        mark = ">" if np.isnan(at) else " "
        at = each.rows[-1][0] if np.isnan(at) else at
        print(f"{name:26} {each.best():9.6f} {count:12} {mark}{at:7.3f} {mark}{at / first:6.1f}")


if __name__ == "__main__":
    main()
