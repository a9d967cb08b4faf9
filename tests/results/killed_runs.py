"""Kill whole simulations at random instants and compare what they leave with the run nobody killed.

python -m tests.results.killed_runs [times]
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.results.result import Result

T_END, ROWS = 400.0, 40_001
CHILD = f"""
import sys
import linkwright as lw

model = lw.build(lw.catalog.load("three-link-arm"))
lw.simulate(model, [0.0, 0.0, 0.0], t_end={T_END}, method=lw.DOP853(rtol=1e-11),
            output=lw.Output({ROWS}, sys.argv[1], lambda share: print(share, flush=True)), check=False)
print("done", flush=True)
"""


def whole() -> Result:
    """The run without an end before its time."""
    model = lw.build(lw.catalog.load("three-link-arm"))
    method = lw.DOP853(rtol=1e-11)
    return lw.simulate(model, [0.0, 0.0, 0.0], t_end=T_END, output=ROWS, method=method, check=False)


def killed(folder: Path, seconds: float) -> tuple[float, Result]:
    """The time the child reported, and the run it left when killed so long after its first slice."""
    path = folder / "run.npz"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    first = child.stdout.readline()
    time.sleep(seconds)
    child.kill()
    reported = [first, *child.stdout.read().split("\n")[:-1]]
    child.wait()
    child.stdout.close()
    reached = [T_END if line.strip() == "done" else float(line) * T_END for line in reported]
    return max(reached), lw.open_result(path)


def lost(reported: float, run: Result, expected: Result) -> int:
    """Rows reported and not found; those found must be the other run's to the last bit."""
    n = len(run.t)
    assert np.array_equal(run.q, expected.q[:n])
    assert np.array_equal(run.energy, expected.energy[:n])
    return int(np.sum(expected.t <= reported)) - n


def main(times: int) -> None:
    """Kill so many times and print the worst loss."""
    rng, expected = random.Random(1), whole()
    worst, interrupted = 0, 0
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            reported, run = killed(Path(folder), rng.uniform(0.0, 0.5))
        worst, interrupted = max(worst, lost(reported, run, expected)), interrupted + (not run.meta["complete"])
        print(f"reached {reported:.2f} s, {len(run.t)} rows found, complete: {run.meta['complete']}")
    print(f"killed {times} times, {interrupted} while running; rows lost of those reported: {worst}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
