"""Many robots stepped together: `lw.Stepper` beside `simulate_many` and MuJoCo's multi-threaded rollout, in one run.

    python -m benchmarks.stepper [--robots 4096] [--rounds 7] [--flat]

Efforts are drawn anew for every call, RK4 with 1 ms, all from NumPy. Millions of robot steps per second:

- wall: on all processors, as a clock on the wall sees it; means something on an idle computer only.
- CPU: per second of CPU time of this process, all threads together; times the cores it is what an idle computer does.

Least time of several blocks done in turn. MuJoCo steps the same mechanism written as MJCF, contacts switched off, with
equalities for the loops, which are soft by design; once step by step, as a learner does, and once with 50 steps in a
call. The last column is the largest closure residual after 1000 steps (of MuJoCo that of the equalities).

`--flat` times every step of five-bars on their way past the flat position, where rows leave their lanes, at one set of
parameters and each at its own: the longest step and the rows that go one by one in it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.peers import installed
from tests.simulation.near_singular import five_bar, five_bar_start

ROBOTS = (("five-bar", 0.5), ("gough-stewart", 9.0))
H, LONG, FLAT_STEPS = 1e-3, 50, 150

HEAD = """| robot | way | M steps/s, wall | M steps/s, CPU | ratio by CPU | residual, m |
|---|---|--:|--:|--:|--:|"""

Way = tuple[str, Callable[[], Any], int]


def ours(model: lw.Model, n: int, size: float) -> tuple[Way, lw.Stepper]:
    robots = lw.Stepper(model, n, H)
    tau = np.random.default_rng(0).normal(size=(8, n, model.na)) * size
    calls = iter(range(1 << 60))
    return ("Stepper", lambda: robots.step(tau[next(calls) % 8]), n), robots


def ensemble(model: lw.Model, n: int, size: float) -> Way:
    """Stepping with `simulate_many`, one call per step."""
    q = np.tile(model.assemble().q, (n, 1))
    tau = np.random.default_rng(0).normal(size=(n, model.na)) * size
    method = lw.RK4(H)
    return "simulate_many", lambda: lw.simulate_many(model, q, t_end=H, effort=tau, method=method, output=[0.0, H]), n


def mujoco_ways(model: lw.Model, n: int, size: float) -> tuple[list[Way], Callable[[int], float]]:
    """MuJoCo's rollout on the same mechanism, and its closure residual after some steps."""
    import mujoco as mj
    from mujoco import rollout

    with tempfile.TemporaryDirectory() as folder:
        lw.save(model.mechanism, Path(folder) / "robot.xml")
        m = mj.MjModel.from_xml_path(str(Path(folder) / "robot.xml"))
    m.opt.timestep, m.opt.integrator = H, mj.mjtIntegrator.mjINT_RK4
    m.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT
    threads = os.cpu_count() or 1
    data, start = [mj.MjData(m) for _ in range(threads)], mj.MjData(m)
    mj.mj_forward(m, start)
    kind = mj.mjtState.mjSTATE_FULLPHYSICS
    state = np.empty(mj.mj_stateSize(m, kind))
    mj.mj_getState(m, start, state, kind)
    pool = rollout.Rollout(nthread=threads)
    begin = np.tile(state, (n, 1))
    control = np.random.default_rng(0).normal(size=(n, LONG, m.nu)) * size
    out = np.empty((n, 1, len(state))), np.empty((n, 1, m.nsensordata))

    def short() -> None:
        nonlocal begin
        found, _ = pool.rollout(m, data, begin, control[:, :1], skip_checks=False, state=out[0], sensordata=out[1])
        begin = np.array(found[:, -1])

    def residual(steps: int) -> float:
        found, _ = pool.rollout(m, data, np.tile(state, (8, 1)), np.repeat(control[:8, :1], steps, axis=1))
        mj.mj_setState(m, start, found[0, -1], kind)
        mj.mj_forward(m, start)
        return float(np.abs(start.efc_pos).max())

    return [
        (f"MuJoCo {mj.__version__} rollout, 1 step", short, n),
        (f"the same, {LONG} steps", lambda: pool.rollout(m, data, begin, control), n * LONG),
    ], residual


def measured(ways: list[Way], rounds: int) -> list[tuple[float, float]]:
    """Steps per second of every way, by wall and by CPU time."""
    best = np.full((len(ways), 2), np.inf)
    for _, call, _ in ways:
        call()
    for _ in range(rounds):
        for i, (_, call, _) in enumerate(ways):
            for _ in range(20 if i == 0 else 1):
                wall, cpu = time.perf_counter(), time.process_time()
                call()
                best[i] = np.minimum(best[i], [time.perf_counter() - wall, time.process_time() - cpu])
    return [(n / wall, n / cpu) for (_, _, n), (wall, cpu) in zip(ways, best, strict=True)]


def closure(model: lw.Model, size: float) -> float:
    """The largest closure residual of eight robots after 1000 steps."""
    (_, call, _), robots = ours(model, 8, size)
    for _ in range(1000):
        call()
    assert not robots.failed.any()
    return float(np.abs(model.closure_residual(robots.q)).max())


def past_flat(robots: lw.Stepper, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Least time of every step [s] and its rows that left their lanes; compiled code is there."""
    q, v, best = robots.q.copy(), robots.v.copy(), np.full(FLAT_STEPS, np.inf)
    rows = np.zeros(FLAT_STEPS, dtype=int)
    for _ in range(rounds + 1):
        robots.reset(q=q, v=v)
        for i in range(FLAT_STEPS):
            began = time.perf_counter()
            robots.step(np.zeros(0))
            best[i] = min(best[i], time.perf_counter() - began)
            rows[i] = (robots._rows.failed != 0.0).sum()
    return best, rows


def print_past_flat(n: int, rounds: int) -> None:
    """The table of `--flat`."""
    print(
        "| five-bars past flat | threads | median, ms | longest, ms | its rows | us a row |\n|---|--:|--:|--:|--:|--:|"
    )
    model = lw.build(five_bar(), inputs=["bodies.k1.mass"])
    q, v = five_bar_start(model, 8.0, 1e-4)
    rng = np.random.default_rng(0)
    v, masses = np.outer(rng.uniform(0.5, 1.0, n), v), rng.uniform(0.95, 1.05, (n, 1))
    for title, p in (("one mass", None), ("own masses", masses)):
        for threads in (1, 2):
            best, rows = past_flat(lw.Stepper(model, n, H, q=q, v=v, p=p, threads=threads), rounds)
            i, some = int(best.argmax()), rows > 50
            each = f"{1e6 * (best[some] / rows[some]).mean():.1f}" if some.any() else ""
            shown = f"{1e3 * np.median(best):.2f} | {1e3 * best[i]:.2f} | {rows[i]} | {each}"
            print(f"| {n}, {title} | {threads} | {shown} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robots", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--flat", action="store_true")
    given = parser.parse_args()
    if given.flat:
        print(f"load {os.getloadavg()[0]:.1f}\n")
        print_past_flat(given.robots, given.rounds)
        return
    print(f"{given.robots} robots on {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n\n{HEAD}", flush=True)
    for name, size in ROBOTS:
        model = lw.build(lw.catalog.load(name))
        ways = [ours(model, given.robots, size)[0], ensemble(model, given.robots, size)]
        residuals: list[str] = [f"{closure(model, size):.1e}", ""]
        if "mujoco" in installed():
            more, residual = mujoco_ways(model, given.robots, size)
            ways += more
            residuals += [f"{residual(1000):.1e}", ""]
        found = measured(ways, given.rounds)
        for (title, _, _), (wall, cpu), open_by in zip(ways, found, residuals, strict=True):
            ratio = found[0][1] / cpu
            print(f"| {name} | {title} | {wall / 1e6:.3f} | {cpu / 1e6:.3f} | {ratio:.1f} | {open_by} |", flush=True)


if __name__ == "__main__":
    main()
