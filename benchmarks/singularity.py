"""Time of the singularity measures per state: batches, one state, and dense algebra of one state.

    python -m benchmarks.singularity [mechanism ...]

CPU time per state, the least of several rounds, and the elapsed time on all cores. The last column compares with the
dense algebra (numpy.linalg.svd) that served single states before.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import linkwright as lw
from linkwright.kinematics.singularity import dense_singularity

NAMES = ("four-bar", "five-bar", "3-rrr", "delta", "gough-stewart", "hexapod", "puma-560")
ROWS = 8192


def least(function: Callable[[], object], rounds: int, clock: Callable[[], float] = time.process_time) -> float:
    """The least time of some rounds, [s]."""
    times = []
    for _ in range(rounds):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def row(name: str) -> list[float]:
    """CPU and elapsed time of a state in a batch, CPU time of one state and of dense algebra, [us]; and the error."""
    model = lw.build(lw.catalog.load(name))
    if model.has_loops:
        some = model.kinematics.branch_samples
    else:
        some = np.random.default_rng(0).uniform(-2.0, 2.0, (256, model.nq))
    q = some[np.arange(ROWS) % len(some)]
    found, one = model.singularity(q), q[1]
    dense = dense_singularity(model.kinematics, one)
    error = abs(found.type2[1] / dense.type2 - 1.0) + abs(found.constraint[1] / dense.constraint - 1.0)
    cpu, elapsed = (least(lambda: model.singularity(q), 7, clock) for clock in (time.process_time, time.perf_counter))
    alone = least(lambda: [model.singularity(one) for _ in range(20)], 5) / 20
    before = least(lambda: [dense_singularity(model.kinematics, one) for _ in range(20)], 5) / 20
    return [1e6 * cpu / ROWS, 1e6 * elapsed / ROWS, 1e6 * alone, 1e6 * before, before / (elapsed / ROWS), error]


def main(names: tuple[str, ...]) -> None:
    """Print the table."""
    titles = ("batch CPU", "elapsed", "one state", "dense")
    print(f"{'us per state':16}", *(f"{title:>10}" for title in titles), f"{'ratio':>8} {'error':>9}")
    for name in names:
        cpu, elapsed, alone, before, ratio, error = row(name)
        print(
            f"{name:16} {cpu:10.2f} {elapsed:10.2f} {alone:10.1f} {before:10.1f} {ratio:8.0f} {error:9.1e}", flush=True
        )


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or NAMES)
