"""Kinematics in batches and with parameters: `python -m benchmarks.kinematics [--quick]`.

Times are the shortest of several runs, with the first one (planning and compiling) apart; `cpu` adds up the threads.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import linkwright as lw
from benchmarks.promises import verdict

# Components of the platform that are given, and how far actuators are moved from home [rad, lengths of the mechanism].
PLATFORMS = {
    "gough-stewart": (None, 0.2),
    "hexapod": (None, 0.2),
    "delta": (("x", "y", "z"), 0.6),
    "3-rrr": (("x", "y", "rz"), 0.3),
}
FIVE_BAR = [
    "joints.psi1.at.x",
    "joints.psi2.at.x",
    "joints.tip.at.x",
    "joints.tip.child_at.x",
    "joints.theta1.at.x",
    "joints.theta2.at.x",
]


@dataclass(frozen=True)
class Row:
    """A line of the table: what was timed, in `unit` by the clock and by the processors, and what was promised."""

    what: str
    found: float
    cpu: float
    promised: float
    unit: str

    def __str__(self) -> str:
        judged = verdict(self.found, self.promised, at_most=True)
        return (
            f"| {self.what} | {self.found:.3g} {self.unit} | {self.cpu:.3g} {self.unit} "
            f"| {self.promised:g} {self.unit} | {judged} |"
        )


def shortest(work: Callable[[], object], runs: int) -> tuple[float, float]:
    """Least time of some runs [s], by the clock and by the processors, after one that is not counted."""
    work()
    times = []
    for _ in range(runs):
        clock, cpu = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - clock, time.process_time() - cpu))
    return min(t for t, _ in times), min(t for _, t in times)


def poses(model: lw.Model, n: int, wide: float) -> lw.Pose:
    """Poses of the platform across the workspace about home."""
    rng, home = np.random.default_rng(0), model.assemble().q
    unit = model.scales.speeds[[d.speed for d in model.setup.drives]]
    some = model.actuator_positions(home) + wide * unit * rng.uniform(-1.0, 1.0, (min(n, 20_000), model.na))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        q = model.forward_kinematics(some)[0]
    q = q[np.isfinite(q).all(axis=1)]
    found = model.frame_pose(q[np.arange(n) % len(q)], model.mechanism.platform)
    return lw.Pose(found.position + rng.uniform(-1e-6, 1e-6, (n, 3)), found.quaternion_wxyz)


def inverse_kinematics(n: int, runs: int) -> list[Row]:
    """Inverse kinematics of poses alone, per pose."""
    out = []
    for name, (free, wide) in PLATFORMS.items():
        model = lw.build(lw.catalog.load(name))
        given = poses(model, n, wide)
        found, cpu = shortest(lambda m=model, x=given, f=free: m.inverse_kinematics(x, components=f), runs)
        out.append(Row(f"inverse kinematics of {name}, per pose of {n:,}", found / n * 1e6, cpu / n * 1e6, 1.0, "us"))
    return out


def new_length(runs: int) -> Row:
    """A new length of the hexapod until inverse kinematics and inverse dynamics answer."""
    model = lw.build(lw.catalog.load("hexapod"), inputs="all")
    nominal, pose = model.parameters.nominal, model.frame_pose(model.assemble().q, model.mechanism.platform)
    pose = lw.Pose(pose.position + [0.01, 0.02, 0.01], pose.quaternion_wxyz)
    values = iter(nominal * (1.0 + 1e-6 * np.arange(1, 1_000_000))[:, None])

    def work() -> None:
        at = model.with_parameters(next(values))
        at.inverse_dynamics(*at.inverse_kinematics(pose))

    found, cpu = shortest(work, 400 * runs)
    return Row("new length of the hexapod to inverse kinematics and dynamics", found * 1e6, cpu * 1e6, 100.0, "us")


def designs(count: int, n: int) -> Row:
    """Five-bar designs, each with the same poses: coordinates and condition numbers."""
    model = lw.build(lw.catalog.load("five-bar"), inputs=FIVE_BAR)
    home = model.frame_pose(model.assemble().q, "platform")
    x, y = np.meshgrid(np.linspace(-0.1, 0.1, n // 25), np.linspace(-0.1, 0.05, 25))
    xyz = home.position + np.stack([x.ravel(), y.ravel(), 0.0 * x.ravel()], axis=1)
    rng = np.random.default_rng(0)
    p = model.parameters.nominal * (1.0 + 0.05 * rng.uniform(-1.0, 1.0, (count, 1, len(FIVE_BAR))))

    def work() -> None:
        for some in np.array_split(p, max(1, count // 250)):  # 250 000 poses at a time: bounded memory
            q = model.inverse_kinematics((xyz, home.quaternion_wxyz), components=("x", "y"), p=some)[0]
            condition(model.actuator_jacobian(q, p=some)[..., 3:5, :])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        found, cpu = shortest(work, 1)
    scale = 10_000 * 1_000 / (count * len(xyz))
    what = "10 000 five-bar designs x 1000 poses, with condition numbers"
    return Row(what if scale == 1.0 else f"{what}, scaled from {count}", found * scale, cpu * scale, 20.0, "s")


def condition(J: np.ndarray) -> np.ndarray:
    """Condition numbers of 2 x 2 matrices."""
    a, b, c, d = J[..., 0, 0], J[..., 0, 1], J[..., 1, 0], J[..., 1, 1]
    total, det = a * a + b * b + c * c + d * d, np.abs(a * d - b * c)
    root = np.sqrt(np.maximum(total * total - 4.0 * det * det, 0.0))
    return np.sqrt((total + root) / np.maximum(total - root, 1e-300))


def tolerances(n: int, runs: int) -> Row:
    """Platform poses of a 3-RRR whose lengths are random, at one set of actuator positions."""
    mech = lw.catalog.load("3-rrr")
    lengths = [path for path, x in mech.numbers.items() if x.value and ("at.x" in path or "at.y" in path)]
    model = lw.build(mech, inputs=[path for path in lengths if path.startswith("joints")])
    rng, q_act = np.random.default_rng(0), model.actuator_positions(model.assemble().q)
    p = model.parameters.nominal * (1.0 + 1e-3 * rng.normal(size=(n, len(model.parameters))))

    def work() -> None:
        model.frame_pose(model.forward_kinematics(q_act, p=p)[0], "platform", p=p)

    found, cpu = shortest(work, runs)
    what = f"tolerances of all {len(model.parameters)} lengths of the 3-rrr, {n:,} samples to poses"
    return Row(what, found, cpu, 1.0 * n / 100_000, "s")


def main() -> None:
    quick = "--quick" in sys.argv
    n, runs = (50_000, 2) if quick else (1_000_000, 3)
    rows = [new_length(runs), *inverse_kinematics(n, runs), tolerances(100_000, runs)]
    rows.append(designs(500 if quick else 10_000, 1000))
    print("| what | time | processor time | at least | |")
    print("|---|---|---|---|---|")
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
