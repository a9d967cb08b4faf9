"""Sweeps: two processes against one, and the memory of the calling process over a million points.

    python -m benchmarks.sweep [points of the first part]

The first part evaluates one point at a time in Python, which is where processes help: closed-form inverse kinematics
of a five-bar along a path. The second sweeps 1 000 000 points to a file and prints how much the resident memory of
the calling process grew.
"""

from __future__ import annotations

import math
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.sweeps import Uniform


def worst_gain(x: dict[str, float]) -> dict[str, float]:
    """The largest rate of the two cranks of a five-bar per speed of its tip along a path of 400 points."""
    worst = 0.0
    for k in range(400):
        px, py = 0.1 * math.cos(k / 60.0), 0.35 + 0.05 * math.sin(k / 60.0)
        for side in (-1.0, 1.0):
            dx, dy = px - side * x["base"], py
            r = math.hypot(dx, dy)
            cosine = (x["proximal"] ** 2 + r * r - x["distal"] ** 2) / (2.0 * x["proximal"] * r)
            elbow = math.atan2(dy, dx) - side * math.acos(max(-1.0, min(1.0, cosine)))
            ex, ey = dx - x["proximal"] * math.cos(elbow), dy - x["proximal"] * math.sin(elbow)
            lever = abs(x["proximal"] * (math.cos(elbow) * ey - math.sin(elbow) * ex))
            worst = max(worst, x["distal"] / max(lever, 1e-9))
    return {"gain": worst}


def product(x: dict[str, Any]) -> dict[str, Any]:
    return {"a": x["base"] * x["proximal"], "b": x["distal"] ** 2, "c": x["base"] - x["distal"]}


def points(count: int) -> Uniform:
    return Uniform(count, seed=1, base=(0.05, 0.1), proximal=(0.2, 0.3), distal=(0.3, 0.4))


def elapsed(count: int, executor: int | None) -> tuple[float, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        began = time.perf_counter()
        lw.sweep(worst_gain, points(count), executor, vectorized=False, path=path)
        return time.perf_counter() - began, path.read_bytes()


def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        lw.sweep(product, points(1_000_000), path=Path(folder) / "x.npz")
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"1 000 000 points to a file: the calling process grew by {grown / 1024:.0f} MB")
    one, two = elapsed(count, 1), elapsed(count, 2)
    print(f"{count} points, one process {one[0]:.2f} s, two {two[0]:.2f} s: ratio {one[0] / two[0]:.2f}")
    print(f"same bytes: {one[1] == two[1]}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
