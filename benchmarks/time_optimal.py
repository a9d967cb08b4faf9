"""Least time along a path: CPU time of both solvers, durations, margins, and how near the limits lw.motion comes.

python -m benchmarks.time_optimal
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import linkwright as lw


def cases() -> dict[str, tuple[lw.Model, dict[str, Any]]]:
    """Models and arguments of `time_optimal`."""
    delta = lw.build(lw.catalog.load("delta"))
    x, y, z = delta.frame_pose(delta.assemble().q, "platform").position
    angle = np.linspace(0.0, np.pi, 17)
    arch = np.column_stack([x - 0.05 * np.cos(angle), 0 * angle + y, z - 0.03 + 0.025 * np.sin(angle)])
    hexapod = lw.build(lw.catalog.load("hexapod"))
    h = hexapod.frame_pose(hexapod.assemble().q, "platform").position

    def circle(s: Any) -> list[Any]:
        return [h[0] + 0.05 * np.cos(6.0 * s), h[1] + 0.05 * np.sin(6.0 * s), h[2] + 0.05 * s, 0.1 * s, 0, 0.2 * s]

    static = np.abs(hexapod.inverse_dynamics(hexapod.assemble().q, np.zeros(hexapod.nv), np.zeros(hexapod.nv))).max()
    return {
        "delta, arch": (delta, {"pose": np.column_stack([arch, np.zeros((17, 3))]), "effort": 3.0, "speed": 8.0}),
        "hexapod, circle": (hexapod, {"pose": circle, "effort": 3.0 * static, "speed": 1.0}),
    }


def main() -> None:
    """Print the table."""
    print(f"{'path':16} {'solver':8} {'CPU s':>7} {'duration s':>11} {'margin':>8} {'largest share at 2000 times':>28}")
    for name, (model, given) in cases().items():
        for solver in ("toppra", "linprog"):
            took = []
            for _ in range(4):
                start = time.process_time()
                found = lw.analysis.time_optimal(model, **given, solver=solver)  # type: ignore[arg-type]
                took.append(time.process_time() - start)
            run = found.motion(model, 2000)
            rates = model.actuator_velocities(run.v, run.q)
            used = max(np.abs(run.tau).max() / given["effort"], np.abs(rates).max() / given["speed"])
            row = f"{min(took):7.3f} {found.duration:11.6f} {found.margin:8.1e} {used:28.6f}"
            print(f"{name:16} {solver:8} {row}", flush=True)


if __name__ == "__main__":
    main()
