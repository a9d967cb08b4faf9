"""Rao's explicit complement against a numerical one on HexaM: operations, time and deviation in random states.

Run with `python -m tests.loops.denoc_against_noc`. Times are the least of many in one run; only their ratios mean much.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import linkwright as lw
from linkwright.compiler import operation_count
from linkwright.functions import function_registry
from linkwright.functions.loop.minimal_functions import noc_parts
from linkwright.papers.rao import numerical_noc as noc
from linkwright.papers.rao.rao_functions import rao_inverse
from tests.loops.paper_states import engine_states

ROUNDS = 60


def least(call: Callable[[], object], repeats: int = 1) -> float:
    """Shortest time of one call, [us]."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        times.append((time.perf_counter() - start) / repeats)
    return 1e6 * min(times)


def main() -> None:
    model = lw.build(lw.catalog.load("hexam"))
    mechanics = model.kinematics
    kernels, setup = mechanics.all_rows, mechanics.setup
    q, v, _, a, _ = engine_states("hexam")
    found = [noc.numerical_noc(model, *state) for state in zip(q, v, a, strict=True)]
    denoc = model.inverse_dynamics(q, v, a, formulation=lw.papers.Rao())
    print(f"deviation: {max(np.abs(x.tau - y).max() for x, y in zip(found, denoc, strict=True)):.1e} N")
    for name in ("rao_inverse", "noc_parts"):
        print(f"{name}: {operation_count(kernels.program(function_registry.definition_of_name(name)))}")
    rows, columns = found[0].A.shape
    print(f"decomposition of {rows} x {columns}: about {4 * columns * rows**2 + 8 * rows**3:.1e} operations")
    state = (q[0], v[0], a[0])
    compiled = [kernels.function(function_registry.definition_of_name(name)) for name in ("rao_inverse", "noc_parts")]
    times = {
        "DeNOC, plain Python": least(lambda: rao_inverse(setup, *state)),
        "NOC, plain Python and LAPACK": least(lambda: noc.noc_by_svd(mechanics, noc_parts(setup, *state))),
        "DeNOC, compiled": least(lambda: compiled[0](*state), 100),
        "NOC, compiled and LAPACK": least(lambda: noc.noc_by_svd(mechanics, compiled[1](*state))),
    }
    for name, microseconds in times.items():
        print(f"{name}: {microseconds:.1f} us")


if __name__ == "__main__":
    main()
