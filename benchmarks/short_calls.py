"""What a call of `simulate` costs besides its steps: `python -m benchmarks.short_calls`.

CPU time of one call for a microsecond of motion, least of many; with two rows, with the usual 201 (each a state
interpolated, closed, and its accelerations and energies), and with everything read that is made when it is read. The
last columns are calls at new values of an input, with the first use of the model at these values.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

import linkwright as lw

T_END = 1e-6
MECHANISMS = {"four-bar": 80.0, "3-rrr": 120.0, "gough-stewart": 120.0}
PROMISED = "promised"


def least_us(call: Callable[[], object], calls: int = 300) -> float:
    """Least CPU time of a call, [us]."""
    call()
    best = float("inf")
    for _ in range(calls):
        began = time.process_time_ns()
        call()
        best = min(best, time.process_time_ns() - began)
    return best / 1e3


def row(name: str) -> dict[str, float]:
    """The times of one mechanism, [us]."""
    mech = lw.catalog.load(name)
    mass = f"bodies.{mech.bodies[0].name}.mass"
    model, other = lw.build(mech), lw.build(mech, inputs=[mass])
    q, v, tau = model.assemble().q, np.zeros(model.nv), np.zeros(model.na)
    masses = iter(mech.bodies[0].inertia.mass * (1.0 + 1e-6 * np.arange(1, 100_000)))

    def run(rows: int | None) -> lw.Result:
        return lw.simulate(model, q, v, t_end=T_END, effort=tau, output=rows)

    def new_values() -> lw.Result:
        return lw.simulate(other.with_parameters({mass: float(next(masses))}), q, v, t_end=T_END, effort=tau, output=2)

    return {
        PROMISED: MECHANISMS[name],
        "2 rows": least_us(lambda: run(2)),
        "201 rows": least_us(lambda: run(None)),
        "2 rows, q and v read": least_us(lambda: (lambda made: (made.q, made.v))(run(2))),
        "2 rows, all read": least_us(lambda: (lambda made: (made.series, made.meta))(run(2))),
        "new values": least_us(new_values, 60),
    }


def main() -> None:
    rows = {name: row(name) for name in MECHANISMS}
    titles = [*next(iter(rows.values()))]
    print("| one call of simulate, CPU time [us] | " + " | ".join(titles) + " |")
    print("|---|" + "---|" * len(titles))
    for name, found in rows.items():
        print(f"| {name} | " + " | ".join(f"{found[title]:.0f}" for title in titles) + " |")


if __name__ == "__main__":
    main()
