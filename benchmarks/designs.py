"""Many designs of a five-bar at many poses: inverse kinematics and condition number, every row with its own lengths.

    python -m benchmarks.designs [designs] [poses]

The default is 10 000 designs (half base, proximal and distal length) at 1000 positions of the tip. Printed are the
elapsed time, CPU time per row of either function, and the best design: the one that reaches most positions with a
condition number below 5.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass

import numpy as np

import linkwright as lw

ROWS = 50_000
NAMES = ("base", "proximal", "distal")


@dataclass
class Spent:
    """CPU time [s] of the two functions."""

    kinematics: float = 0.0
    measures: float = 0.0
    rows: int = 0
    reached: int = 0


def positions(n: int) -> np.ndarray:
    """About n points of a rectangle in front of the base, (m, 3)."""
    side = int(np.ceil(np.sqrt(n)))
    x, y = np.meshgrid(np.linspace(-0.15, 0.15, side), np.linspace(0.2, 0.5, side))
    return np.stack([x.ravel(), y.ravel(), np.zeros(side * side)], axis=1)[:n]


def judged(model: lw.Model, p: np.ndarray, xyz: np.ndarray, spent: Spent) -> np.ndarray:
    """Share of the positions that each design reaches with a condition number below 5, (designs,)."""
    start = time.process_time()
    pose = (xyz, np.array([1.0, 0.0, 0.0, 0.0]))
    q, _, _ = model.inverse_kinematics(pose, components=["x", "y"], p=p[:, None])
    middle = time.process_time()
    condition = model.singularity(q, p=p[:, None]).condition
    spent.kinematics += middle - start
    spent.measures += time.process_time() - middle
    spent.rows += q.shape[0] * q.shape[1]
    spent.reached += int(np.isfinite(q[..., 0]).sum())
    return np.mean(condition < 5.0, axis=1)


def main(designs: int, poses: int) -> None:
    """Print the times and the best design."""
    warnings.simplefilter("ignore", lw.errors.BatchWarning)
    model = lw.build(lw.catalog.load("five-bar"), inputs=list(NAMES))
    rng, xyz, spent = np.random.default_rng(0), positions(poses), Spent()
    p = model.parameters.nominal * rng.uniform(0.9, 1.15, (designs, len(NAMES)))
    at_once = max(1, ROWS // len(xyz))
    judged(model, p[:at_once], xyz, Spent())  # compile
    start = time.perf_counter()
    shares = [judged(model, p[i : i + at_once], xyz, spent) for i in range(0, designs, at_once)]
    elapsed = time.perf_counter() - start
    share = np.concatenate(shares)
    best = dict(zip(NAMES, p[int(np.argmax(share))].round(3).tolist(), strict=True))
    print(
        f"{designs} designs x {len(xyz)} positions: {elapsed:.1f} s elapsed, {spent.reached / spent.rows:.0%} reached"
    )
    each = 1e6 / spent.rows
    print(f"CPU time per row: kinematics {each * spent.kinematics:.2f} us, measures {each * spent.measures:.2f} us")
    print(f"best design {best}: {share.max():.0%} of the positions with a condition number below 5")


if __name__ == "__main__":
    main(*(int(x) for x in (*sys.argv[1:3], *("10000", "1000")[len(sys.argv) - 1 :])))
