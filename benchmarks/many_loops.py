"""`python -m benchmarks.many_loops [--sizes 10 20 40] [--crossings]`: how planning grows with the number of loops.

Every line is a process of its own with an empty cache: build, assemble and first forward dynamics in seconds of CPU
(imports apart), and its peak memory. The exponent compares a line with the one before of the same kind.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

_ONE = "--one"


def measured(kind: str, n: int) -> dict[str, float]:
    """Seconds of CPU and megabytes of one mechanism, in this process."""
    import resource

    import numpy as np

    import linkwright as lw
    from linkwright.papers.gallery.four_bar_chain import four_bar_chain
    from tests.loops.many_loops import biped, separate

    mech = {"chain": lambda: four_bar_chain(n), "separate": lambda: separate(n), "biped": biped}[kind]()
    lw.build(four_bar_chain(1))  # imports
    out, began = {}, time.process_time()
    model = lw.build(mech)
    out["build"] = time.process_time() - began
    configuration = model.assemble()
    out["assemble"] = time.process_time() - began - out["build"]
    model.forward_dynamics(configuration.q, np.zeros(model.nv), np.zeros(model.na))
    out["total"] = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    return out | {"nv": model.nv, "mobility": model.mobility, "MB": peak}


def cold(kind: str, n: int) -> dict[str, float]:
    """The same in a process of its own with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "LINKWRIGHT_CACHE": folder, "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "benchmarks.many_loops", _ONE, kind, str(n)]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def crossings(sizes: list[int]) -> None:
    """The flat positions of 10 s, passed by chains of four-bars, against the exact motion."""
    import linkwright as lw
    from linkwright.papers.gallery.four_bar_chain import four_bar_chain
    from tests.simulation.four_bar_chain import passed

    for n in sizes:
        began = time.process_time()
        run, tip, apart = passed(lw.build(four_bar_chain(n)), n, -1.0, lw.DOP853(1e-11))
        names = [event.name for event in run.events]
        print(
            f"{n} four-bars: {run.meta['ended']['kind']} at {run.t[-1]:g} s, {names.count('constraint')} flat "
            f"positions passed, {len(names) - names.count('constraint')} other events, tip off by {tip:.1e} m, rods by "
            f"{apart:.1e} rad, {time.process_time() - began:.1f} s of CPU"
        )


def table(sizes: list[int]) -> None:
    print(f"{'':10}{'N':>5}{'nv':>6}{'mobility':>10}{'build':>9}{'assemble':>10}{'total [s]':>11}{'MB':>6}  exponent")
    for kind in ("chain", "separate", "biped"):
        before = None
        for n in sizes if kind != "biped" else [1]:
            x = cold(kind, n)
            growth = "" if before is None else f"{math.log(x['total'] / before[1]) / math.log(n / before[0]):8.2f}"
            print(
                f"{kind:10}{n:5}{x['nv']:6}{x['mobility']:10}{x['build']:9.2f}{x['assemble']:10.2f}{x['total']:11.2f}"
                f"{x['MB']:6.0f}  {growth}",
                flush=True,
            )
            before = n, x["total"]


def main(arguments: list[str]) -> None:
    if arguments[:1] == [_ONE]:
        print(json.dumps(measured(arguments[1], int(arguments[2]))))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10, 20, 40])
    parser.add_argument("--crossings", action="store_true")
    options = parser.parse_args(arguments)
    crossings(options.sizes) if options.crossings else table(options.sizes)


if __name__ == "__main__":
    main(sys.argv[1:])
