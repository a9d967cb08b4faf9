"""Memory that models leave behind when they are deleted.

python -m benchmarks.lifetimes [cycles] [mechanism]

Builds, uses and deletes so many models, each with other numbers, so that all of their code is its own, and prints the
resident memory after a warm-up and its growth from there.
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


def main(cycles: int, name: str) -> None:
    """Print the growth now and then."""
    mech = lw.catalog.load(name)
    for k in range(WARM_UP):
        cycle(mech, k)
    start = resident()
    print(f"{name}: {start:.0f} MB after {WARM_UP} cycles")
    for k in range(1, cycles + 1):
        cycle(mech, WARM_UP + k)
        if k % max(1, cycles // 10) == 0:
            print(f"{k:6d} cycles: {resident() - start:+.1f} MB", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2] if len(sys.argv) > 2 else "four-bar")
