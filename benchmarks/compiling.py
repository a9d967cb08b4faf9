"""Cost of compiling, in fresh processes: cold (no cache) in CPU seconds, warm (from the cache) in milliseconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.robots import chain, robot
from linkwright.cli.call_timing import MeasuringExtent

_CODE = """
import json, sys, time

class Watch:
    def __init__(self):
        self.cpu, self.wall = time.process_time(), time.perf_counter()
    def lap(self):
        past, self.cpu, self.wall = (self.cpu, self.wall), time.process_time(), time.perf_counter()
        return self.cpu - past[0], self.wall - past[1]

watch = Watch()
import numpy as np
import linkwright
linkwright.build, linkwright.load
imported = watch.lap()
mech = linkwright.load(sys.argv[1])
watch.lap()
model = linkwright.build(mech)
built = watch.lap()
zero = np.zeros(model.nv)
model.inverse_dynamics(zero, zero, zero)
model.forward_dynamics(zero, zero, zero)
print(json.dumps({"imported": imported, "built": built, "called": watch.lap()}))
"""
Laps = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Cost:
    """CPU and wall-clock time of a step, [s]; promises are judged by CPU time, which other work disturbs least."""

    case: str
    cpu: float
    wall: float
    promised: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def table(extent: MeasuringExtent) -> tuple[list[Cost], list[str]]:
    """Cold and warm UR5, and a cold chain of 100 links; every compilation makes scalar and SIMD code."""
    times = 2 if extent.rounds < 10 else 7
    arm, rows = robot("UR5"), []
    notes = [
        "a cold start traces and compiles inverse and forward dynamics, each for one state and for batches (SIMD)",
        "each figure is the least of several fresh processes; importing the package is apart from the rest",
    ]
    with tempfile.TemporaryDirectory() as folder:
        if arm is None:
            notes.append("UR5 is not measured: its file comes with the package example-robot-data")
        else:
            cold, warm = _cold_and_warm(arm, folder, times)
            rows += [
                Cost("import of linkwright and its packages", *warm["imported"]),
                Cost("UR5, building the model", *cold["built"]),
                Cost("UR5, cold: inverse + forward", *cold["called"], 0.5),
                Cost("UR5, both loaded from the cache", *warm["called"], 0.01),
            ]
        long = _least(chain(100), folder, "off", times)
        rows.append(Cost("chain of 100, cold: building, inverse + forward", *_sum(long["built"], long["called"]), 2.0))
    return rows, notes


def _cold_and_warm(text: str, folder: str, times: int) -> tuple[Laps, Laps]:
    cold = _least(text, folder, "off", times)
    kept = str(Path(folder, "cache"))
    _least(text, folder, kept, 1)
    return cold, _least(text, folder, kept, times)


def _sum(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    return a[0] + b[0], a[1] + b[1]


def _least(text: str, folder: str, cache: str, times: int) -> Laps:
    """The least CPU and wall-clock time of each lap over several fresh processes."""
    path = Path(folder, "robot.urdf")
    path.write_text(text, encoding="utf-8")
    found = [_run(path, cache) for _ in range(times)]
    return {lap: (min(f[lap][0] for f in found), min(f[lap][1] for f in found)) for lap in found[0]}


def _run(path: Path, cache: str) -> Laps:
    paths = os.pathsep.join([str(Path(__file__).parent.parent), *filter(None, sys.path)])
    environment = {**os.environ, "LINKWRIGHT_CACHE": cache, "PYTHONPATH": paths}
    command = [sys.executable, "-c", _CODE, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return json.loads(done.stdout)
