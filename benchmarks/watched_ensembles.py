"""Ensembles with events against the same ensembles without, and against one run after the other.

    python -m benchmarks.watched_ensembles [--runs 1000] [--rounds 5]

A four-bar and a five-bar on one thread, 1 s of motion, 11 rows, efforts that differ from run to run. CPU time per run,
least of several rounds done in turn: no events; a crossing that is recorded; one that ends the run; limits that end it;
and `simulate` with the recorded crossing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.events import Crossing

T_END, ROWS, FEW = 1.0, 11, 40


def limited(name: str, reach: float) -> tuple[lw.Model, np.ndarray]:
    """A mechanism of the catalog whose first joint may move so far from its start, and its start."""
    mech = lw.catalog.load(name)
    start = float(lw.build(mech).assemble().q[0])
    first = replace(mech.joints[0], limits=lw.Limits(lower=(start - reach,), upper=(start + reach,)))
    model = lw.build(replace(mech, joints=(first, *mech.joints[1:])))
    return model, model.assemble().q


def cases(model: lw.Model, q: np.ndarray, efforts: np.ndarray, way: float) -> dict[str, Callable[[], int]]:
    """Calls that return the number of runs they did."""
    passing = [Crossing("passing", lambda t, x, v: x[0] - q[0] - way)]
    ending = [Crossing("ending", lambda t, x, v: x[0] - q[0] - way, stop=True)]
    options: dict[str, dict[str, Any]] = {
        "none": {},
        "recorded": {"events": passing},
        "ends the run": {"events": ending},
        "limits": {"stop_at": ["limits"]},
    }

    def many(more: dict[str, Any]) -> int:
        return len(lw.simulate_many(model, q, t_end=T_END, effort=efforts, output=ROWS, threads=1, **more))

    def alone() -> int:
        for tau in efforts[:FEW]:
            lw.simulate(model, q, t_end=T_END, effort=tau, output=ROWS, events=passing, check=False)
        return FEW

    return {name: (lambda more=more: many(more)) for name, more in options.items()} | {"simulate": alone}


def measured(calls: dict[str, Callable[[], int]], rounds: int) -> dict[str, float]:
    """Least CPU time per run of every call, [us]."""
    least = dict.fromkeys(calls, np.inf)
    for _ in range(rounds):
        for name, call in calls.items():
            began = time.process_time()
            runs = call()
            least[name] = min(least[name], 1e6 * (time.process_time() - began) / runs)
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(
        "| mechanism | none, us | recorded | ends the run | limits | simulate | recorded / none | simulate / recorded |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, size, way in (("four-bar", (4.0, 8.0), 2.0), ("five-bar", (-0.01, 0.01), 0.02)):
        model, q = limited(name, 3.0 * way)
        found = measured(cases(model, q, rng.uniform(*size, (options.runs, model.na)), way), options.rounds)
        shares = found["recorded"] / found["none"], found["simulate"] / found["recorded"]
        print(f"| {name} | " + " | ".join(f"{x:.1f}" for x in (*found.values(), *shares)) + " |")


if __name__ == "__main__":
    main()
