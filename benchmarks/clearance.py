"""Distances between links: CPU time per configuration, and the share that body poses take.

python -m benchmarks.clearance
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import linkwright as lw
from linkwright.analysis.interference.clearance import clearances_of


def least(function: Callable[[], object], rounds: int = 7) -> float:
    """CPU time of a call, the least of several, [s]."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        function()
        found.append(time.process_time() - start)
    return min(found)


def main(n: int = 20_000) -> None:
    """Print the table."""
    print(f"{'mechanism':14} {'pairs':>6} {'capsules':>9} {'us/row':>8} {'ns/pair of capsules':>20} {'poses us':>9}")
    for name in ("five-bar", "delta", "3-rrr", "hexapod", "gough-stewart", "hexam"):
        model = lw.build(lw.catalog.load(name))
        home = model.assemble().q
        q = np.tile(home, (n, 1))
        ready = clearances_of(model)
        ready.distances(model, q[:100])
        took = least(lambda ready=ready, model=model, q=q: ready.distances(model, q))  # type: ignore[misc]
        poses = least(lambda model=model, q=q: model.body_poses(q))  # type: ignore[misc]
        per, pairs = 1e6 * took / n, len(ready.first)
        print(f"{name:14} {len(ready.pairs):6} {pairs:9} {per:8.2f} {1e3 * per / pairs:20.1f} {1e6 * poses / n:9.2f}")


if __name__ == "__main__":
    main()
