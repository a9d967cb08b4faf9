"""CPU time of a run whose rows go into a file, against the same run in memory.

python -m benchmarks.streaming [repeats]
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import linkwright as lw


def seconds(repeats: int, run) -> float:
    """Least CPU time of some runs, [s]."""
    found = []
    for _ in range(repeats):
        began = time.process_time()
        run().meta  # noqa: B018  it is found out when it is read
        found.append(time.process_time() - began)
    return min(found)


def main(repeats: int) -> None:
    """Print a table: few rows (the fixed cost), rows at every step, and many rows."""
    model = lw.build(lw.catalog.load("four-bar"))
    q = model.assemble().q
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.npz"
        print(f"{'run':>24} {'memory':>10} {'file':>10} {'ratio':>7}")
        for t_end, rows in ((0.1, 11), (20.0, 201), (20.0, 20_001)):
            title = f"{t_end:g} s, {rows} rows"
            arguments = {"t_end": t_end, "effort": [6.0], "check": False}
            run = partial(lw.simulate, model, q, **arguments)
            plain = seconds(repeats, partial(run, output=rows))
            saved = seconds(repeats, partial(run, output=lw.Output(rows, path)))
            print(f"{title:>24} {1e3 * plain:8.2f} ms {1e3 * saved:8.2f} ms {saved / plain:7.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
