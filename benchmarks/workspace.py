"""Workspace of HexaM: a million poses of constant orientation, and its volume against a boundary computation.

    python -m benchmarks.workspace [values per axis]

Elapsed and CPU time of the classification alone and with singularity indices, then volumes by refined grids beside
the sum of exact intervals along vertical lines, which shares no code with the library.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import linkwright as lw
from tests.analysis.hexaslide_region import from_mechanism

BOX = {"x": (-0.72, 0.64), "y": (-0.65, 0.65), "z": (-1.26, 0.0)}


def timed(model: Any, n: int, **more: Any) -> tuple[Any, float, float]:
    """The workspace on n values per axis, elapsed and CPU time [s]; the better of three rounds."""
    best = (None, float("inf"), float("inf"))
    for _ in range(3):
        start, cpu = time.perf_counter(), time.process_time()
        found = lw.analysis.workspace(model, {name: (*span, n) for name, span in BOX.items()}, **more)
        best = min(best, (found, time.perf_counter() - start, time.process_time() - cpu), key=lambda x: x[1])
    return best


def main(n: int) -> None:
    """Print the tables."""
    model = lw.build(lw.catalog.load("hexam"))
    lw.analysis.workspace(model, {name: (*span, 9) for name, span in BOX.items()}, show=["condition"])
    for title, more in (("kinematics and limits", {}), ("with condition", {"show": ["condition"]})):
        found, elapsed, cpu = timed(model, n, refine=False, **more)
        print(f"{found.code.size} poses, {title:22} {elapsed:6.2f} s elapsed {cpu:6.2f} s CPU", flush=True)
    pose = model.frame_pose(model.assemble().q, "platform")
    exact = from_mechanism(model.mechanism, pose.rotation, pose.position).volume(*BOX.values(), 400)
    print(f"volume by 400 x 400 lines {exact:.6f} m^3")
    for k in (21, 41, 61):
        found, elapsed, _ = timed(model, k)
        off = found.volume / exact - 1.0
        share = found.error / exact
        print(f"refined grid {k:3}^3: {found.volume:.6f} m^3, off {off:+.2e}, estimate {share:.1e}, {elapsed:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
