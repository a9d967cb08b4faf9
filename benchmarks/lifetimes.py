"""Memory that models leave behind when they are deleted.

python -m benchmarks.lifetimes [cycles] [mechanism] [distinct]

Builds, uses and deletes so many models and prints the resident memory after a warm-up and its growth from there. Each
model has other numbers, so that all of its code is compiled for it; with `distinct`, only so many differ, and the
others load code of the cache, which is quicker.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import linkwright as lw

WARM_UP = 60


def resident() -> float:
    """Resident memory of this process, [MB] (Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def cycle(mech: lw.Mechanism, k: int) -> None:
    """Build a model with a mass of its own, compute with it and let it go."""
    first = mech.bodies[0]
    heavier = replace(first, inertia=replace(first.inertia, mass=first.inertia.mass * (1.0 + 1e-4 * k)))
    model = lw.build(replace(mech, bodies=(heavier, *mech.bodies[1:])))
    q, v, tau = model.assemble().q, np.zeros(model.nv), np.zeros(model.na)
    model.forward_dynamics(q, v, tau)
    model.inverse_dynamics(q, v, v)
    lw.simulate(model, q, t_end=0.05, check=False)


def main(cycles: int, name: str, distinct: int = 1 << 30) -> None:
    """Print the growth now and then."""
    mech = lw.catalog.load(name)
    model = lw.build(mech)
    lw.simulate(model, model.assemble().q, t_end=100.0, check=False)  # drivers are optimized once in a process
    for k in range(WARM_UP):
        cycle(mech, k % distinct)
    start = resident()
    print(f"{name}: {start:.0f} MB after {WARM_UP} cycles")
    for k in range(1, cycles + 1):
        cycle(mech, (WARM_UP + k) % distinct)
        if k % max(1, cycles // 10) == 0:
            print(f"{k:6d} cycles: {resident() - start:+.1f} MB", flush=True)


if __name__ == "__main__":
    given = sys.argv[1:]
    name = given[1] if len(given) > 1 else "four-bar"
    main(int(given[0]) if given else 1000, name, *map(int, given[2:]))
