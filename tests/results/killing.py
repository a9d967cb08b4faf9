"""Kill a recording process at random instants and look at what it leaves.

python -m tests.results.killing [times]
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from linkwright.results.result_reader import open_result

SLICE = 50
CHILD = f"""
import sys
import numpy as np
from linkwright.results.recording import Recording
from linkwright.results.series import Event

recording = Recording(sys.argv[1], [("x", "m", "q"), ("y", "m", "q")], capacity=200, meta={{"run": 1}})
print(0, flush=True)
for start in range(0, 10**9, {SLICE}):
    t = np.arange(start, start + {SLICE}, dtype=float)
    recording.append(np.stack([t, np.sin(t), np.cos(t)], axis=1))
    if start % (40 * {SLICE}) == 0:
        recording.note(Event(float(start), "tick"))
    print(start + {SLICE}, flush=True)
"""


def left_behind(folder: Path, seconds: float) -> tuple[int, int]:
    """Rows the child had reported when it was killed, and rows found; every row found must be right."""
    path = folder / "run.npz"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(seconds)
    child.kill()
    reported = [int(line) for line in child.stdout.read().split("\n")[:-1]]
    child.wait()
    child.stdout.close()
    run = open_result(path)
    assert np.array_equal(run.t, np.arange(len(run.t)))
    assert np.array_equal(run["x"], np.sin(run.t))
    assert np.array_equal(run["y"], np.cos(run.t))
    # a kill in the middle of a write leaves part of a block, which is then named
    remark = run.meta.pop("recording", "bytes behind the last sound block are left out")
    assert "bytes behind the last sound block are left out" in remark
    assert run.meta == {"run": 1, "complete": False}
    assert [event.t for event in run.events] == [k * 40.0 * SLICE for k in range(len(run.events))]
    return max(reported, default=0), len(run.t)


def main(times: int) -> None:
    """Kill so many times and print the worst loss."""
    rng = random.Random(1)
    worst = 0
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            reported, found = left_behind(Path(folder), rng.uniform(0.0, 0.1))
            worst = max(worst, reported - found)
            print(f"{reported} rows were reported as written, {found} found")
    print(f"killed {times} times; rows lost at worst: {worst}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
