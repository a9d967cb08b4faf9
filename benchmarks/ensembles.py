"""Many Gough-Stewart runs with spread parameters: lanes against one run after the other, two threads against one.

    python -m benchmarks.ensembles [--runs 4096] [--rounds 7]

Masses and inertia tensors of every body and the legs' efforts are spread by 5 %. CPU time per run on one thread, least
of several blocks done in turn, because other work on the computer disturbs single ones:

- scalar: the native driver of `simulate` on one mechanism whose numbers are folded into the code (runs with spread
  parameters could not share it), no events. Native time only: the hardest to beat.
- lanes: the native driver of `simulate_many` with spread parameters, in blocks that take about as long.
- simulate: the public call on that mechanism, the Python around the steps included, limits and singularities monitored.
- all: `simulate_many` of all runs, everything included.

Two threads are compared with one twice: by wall time, which means something on an idle computer only, and by the CPU
time of the busiest thread, which is what the wall time would be on two free cores.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.sim_problems import gough_stewart
from linkwright.simulation.drivers.driver_records import DONE
from linkwright.simulation.problem.problem import problem_of_model
from linkwright.simulation.running.run_workspace import RunWorkspace

T_END, FEW, SOME = 1.0, 48, 160
CASES = (
    (lw.DOP853(rtol=1e-9), 2),
    (lw.DOP853(rtol=1e-9), 11),
    (lw.DOP853(rtol=1e-6), 2),
    (lw.DP5(rtol=1e-6), 2),
    (lw.RK4(2e-3), 11),
)


def spread_parameters(model: lw.Model, runs: int) -> dict[str, np.ndarray]:
    """Masses and inertia tensors of all bodies, each its own, within 5 %."""
    rng = np.random.default_rng(0)
    out = {}
    for body in model.mechanism.bodies:
        if body.inertia.mass:
            out[f"{body.name}.mass"] = body.inertia.mass * rng.uniform(0.95, 1.05, runs)
            out[f"{body.name}.tensor"] = np.array(body.inertia.tensor) * rng.uniform(0.95, 1.05, (runs, 1, 1))
    return out


def scalar(model: lw.Model, q: np.ndarray, taus: np.ndarray, method: Any, rows: int) -> float:
    """Native CPU time per run of the scalar driver, one run after the other, [s]."""
    grid, total = np.linspace(0.0, T_END, rows), 0.0
    for tau in taus:
        workspace = RunWorkspace(problem_of_model(model), method)
        workspace.begin(q, np.zeros(model.nv))
        workspace.driver.settings.t_end = T_END
        workspace.tau[: model.na] = tau
        workspace.rows_into(grid, np.zeros((rows + 8) * (1 + model.nq + 2 * model.nv + model.na + 6)))
        workspace.driver.budget = 1 << 40
        advance = workspace.slice_function(on_time=True)
        began = time.thread_time()
        status = advance()
        total += time.thread_time() - began
        assert status == DONE
    return total / len(taus)


def public(model: lw.Model, q: np.ndarray, taus: np.ndarray, method: Any, rows: int) -> float:
    """CPU time per call of `simulate`, [s]."""
    began = time.process_time()
    for tau in taus:
        lw.simulate(model, q, t_end=T_END, effort=tau, method=method, output=rows, check=False)
    return (time.process_time() - began) / len(taus)


def threaded(many: Callable[[int], lw.Ensemble], threads: int) -> tuple[float, float]:
    """Wall time, and what it would be on free cores: CPU time outside the workers and of the busiest one, [s]."""
    wall, cpu = time.perf_counter(), time.process_time()
    busy = many(threads).thread_seconds
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return wall, cpu - sum(busy) + max(busy)


HEAD = """| method | rows | scalar | lanes | ratio | simulate | all | ratio | 2 threads, CPU | wall |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


def lines(runs: int, rounds: int) -> Iterator[str]:
    """What is measured, and the table, line by line."""
    motion = gough_stewart()
    taus = 9.0 * np.random.default_rng(1).uniform(0.95, 1.05, (runs, motion.model.na))
    processors, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    yield f"{runs} Gough-Stewart runs of {T_END:g} s on {processors} processors, load {load:.1f}; CPU us per run.\n"
    yield HEAD
    parameters = spread_parameters(motion.model, runs)
    for method, rows in CASES:
        yield line(motion.model, motion.q, taus, parameters, method, rows, rounds)


def line(
    model: lw.Model,
    q: np.ndarray,
    taus: np.ndarray,
    parameters: dict[str, np.ndarray],
    method: Any,
    rows: int,
    rounds: int,
) -> str:
    """One method measured in turn in every way."""

    def many(threads: int, n: int = len(taus)) -> lw.Ensemble:
        some = {name: x[:n] for name, x in parameters.items()}
        return lw.simulate_many(
            model, q, t_end=T_END, effort=taus[:n], method=method, parameters=some, output=rows, threads=threads
        )

    assert many(1).done.all()
    best = np.full(7, np.inf)
    for _ in range(rounds):
        one, two = threaded(many, 1), threaded(many, 2)
        for _ in range(4):
            alone = scalar(model, q, taus[:FEW], method, rows)
            ours = sum(many(1, SOME).thread_seconds) / SOME
            best = np.minimum(best, [alone, ours, public(model, q, taus[: FEW // 4], method, rows), *one, *two])
    a, b, c, *t = best
    d = t[1] / len(taus)
    name = f"{type(method).__name__} {getattr(method, 'rtol', method.h):g}"
    return (
        f"| {name} | {rows} | {1e6 * a:.0f} | {1e6 * b:.0f} | {a / b:.2f} "
        f"| {1e6 * c:.0f} | {1e6 * d:.0f} | {c / d:.2f} | {t[1] / t[3]:.2f} | {t[0] / t[2]:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    for text in lines(given.runs, given.rounds):
        print(text, flush=True)


if __name__ == "__main__":
    main()
