"""Leg by leg: how many operations are independent, and what running them at once gains or costs.

`python -m benchmarks.legs [--quick] [--page]` prints two tables; --page writes docs/leg_by_leg.md. Times are the least
of many repetitions, all ways of one row in turn, with as many workers as there are cores.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright import catalog
from linkwright.compiler import compile_program, operation_count
from linkwright.errors import LinkwrightError
from linkwright.functions import Kernels, function_registry
from linkwright.functions.setup import setup
from linkwright.papers.leg_division import LegProcesses, PerLegFunction, Slices, float_platform, leg_slices
from tests.loops.mechanisms import Mechanics

PAGE = Path(__file__).parent.parent / "docs" / "leg_by_leg.md"
MECHANISMS = ("gough-stewart", "hexaglide", "hexam", "linapod", "delta", "3-rps", "3-rrr", "five-bar")
FUNCTIONS = ("forward_dynamics", "inverse_dynamics")
PAPERS = (
    function_registry.definition_of_name("khan_forward"),
    function_registry.definition_of_name("khan_inverse"),
    function_registry.definition_of_name("rao_forward"),
    function_registry.definition_of_name("rao_inverse"),
)
BATCHES = (1, 100, 1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Count:
    """Operations of one function by where they can be done."""

    mechanism: str
    function: str
    total: int
    legs: str
    common: int
    central: int
    independent: float
    longest: int

    @property
    def bound(self) -> float:
        """The most that a core per leg and hand-over for nothing could gain."""
        return self.total / self.longest


def count(name: str, function: str, cut: Slices, total: int) -> Count:
    per_leg: dict[int, int] = {}
    for (stage, leg), n in cut.counts.items():
        if stage in ("first", "second"):
            per_leg[leg] = per_leg.get(leg, 0) + n
    low, high = min(per_leg.values()), max(per_leg.values())
    shown = f"{len(per_leg)} x {low}" + (f" to {high}" if high > low else "")
    common, central = (cut.counts.get((stage, -1), 0) for stage in ("common", "central"))
    return Count(name, function, total, shown, common, central, cut.independent / total, cut.longest)


def counts(names: tuple[str, ...] = MECHANISMS) -> list[Count]:
    """Every mechanism of legs and platform, our functions and the papers' own formulations where they apply."""
    rows = []
    for name in names:
        mech = float_platform(lw.build(catalog.load(name)))
        model = lw.build(mech)
        programs = {f: model.program(f) for f in FUNCTIONS} | _papers(mech)
        for function, program in programs.items():
            cut = leg_slices(mech, program)
            rows.append(count(name, function, cut, operation_count(program).total))
    return rows


def _papers(mech: Any) -> dict[str, Any]:
    """Programs of the papers' formulations that apply to this mechanism."""
    kernels = Kernels(setup(mech, None))
    found = {}
    for definition in PAPERS:
        try:
            found[definition.name] = kernels.program(definition)
        except (LinkwrightError, LookupError):
            continue  # the paper is about other mechanisms
    return found


def least(call: Callable[[], Any], rounds: int) -> float:
    """Seconds of the quickest of many calls."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def hand_over(workers: int, rounds: int) -> tuple[float, float]:
    """Seconds from giving every worker an empty task to having all results: threads, processes."""
    tasks = list(range(workers))
    with ThreadPoolExecutor(workers) as threads:
        thread = least(lambda: list(threads.map(abs, tasks)), rounds)
    with ProcessPoolExecutor(workers) as processes:
        list(processes.map(abs, tasks))
        process = least(lambda: list(processes.map(abs, tasks)), max(20, rounds // 10))
    return thread, process


def states(model: lw.Model, n: int) -> list[np.ndarray]:
    """Closed configurations, random velocities and efforts."""
    q = Mechanics(setup(model.mechanism, None)).samples[:200]
    rng = np.random.default_rng(0)
    q = q[rng.integers(0, len(q), n)]
    return [q, rng.normal(size=(n, model.nv)), rng.normal(size=(n, model.na))]


def timings(name: str, quick: bool) -> list[tuple[int, dict[str, float]]]:
    """Seconds per call of every way of running forward dynamics, by batch size."""
    model = lw.build(catalog.load(name))
    program = model.program("forward_dynamics")
    cut = leg_slices(model.mechanism, program)
    whole, parts = compile_program(program), PerLegFunction(cut)
    workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    processes = LegProcesses(cut, workers)
    rows = []
    with ThreadPoolExecutor(workers) as pool:
        for n in BATCHES[:3] if quick else BATCHES:
            x = states(model, n)
            x = [a[0] for a in x] if n == 1 else x
            one = {} if n == 1 else {"threads": 1}
            many = {} if n == 1 else {"threads": workers}
            ways: dict[str, Callable[[], Any]] = {
                "whole, one core": lambda x=x, one=one: whole(*x, **one),
                f"whole, batch on {workers} threads": lambda x=x, many=many: whole(*x, **many),
                "legs, one after another": lambda x=x: parts(*x),
                f"legs on {workers} threads": lambda x=x: parts(*x, run=pool.map),
                f"legs on {workers} processes": lambda x=x: processes(*x),
            }
            first = whole(*x)
            for way in ways.values():
                assert np.array_equal(way(), first, equal_nan=True), "every way gives the same bits"
            rows.append((n, in_turn(ways, (10 if quick else 40) // max(1, n // 10_000), max(1, 200 // n))))
    processes.close()
    return rows


def in_turn(ways: dict[str, Callable[[], Any]], rounds: int, calls: int) -> dict[str, float]:
    """The least mean time of some calls of each way, all taken in turn."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for title, way in ways.items():
            best[title] = min(best[title], least(lambda way=way: [way() for _ in range(calls)], 1) / calls)
    return best


def count_table(rows: list[Count]) -> str:
    head = "| mechanism | function | operations | per leg | common | central | independent | longest way | bound |\n"
    head += "|---|---|---|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| {r.mechanism} | {r.function} | {r.total} | {r.legs} | {r.common} | {r.central} | {r.independent:.0%} | "
        f"{r.longest} | {r.bound:.1f} |\n"
        for r in rows
    )


def time_table(rows: list[tuple[int, dict[str, float]]]) -> str:
    titles = list(rows[0][1])
    out = "| states | " + " | ".join(titles) + " |\n|" + "---|" * (len(titles) + 1) + "\n"
    for n, found in rows:
        base = found[titles[0]]
        cells = [f"{1e6 * found[t] / n:.3g} us ({base / found[t]:.2f})" for t in titles]
        out += f"| {n} | " + " | ".join(cells) + " |\n"
    return out


def text(quick: bool) -> str:
    """The whole report."""
    thread, process = hand_over(2, 200 if quick else 2000)
    parts = ["## Operations\n\n", count_table(counts(MECHANISMS[:1] if quick else MECHANISMS))]
    parts += [
        "\n## Time\n\nMicroseconds per state of forward dynamics; in brackets the speed-up over the whole function on "
    ]
    parts += [f"one core. Handing two empty tasks to threads and back takes {1e6 * thread:.0f} us, to processes "]
    parts += [f"{1e6 * process:.0f} us.\n"]
    for name in ("gough-stewart",) if quick else ("gough-stewart", "delta"):
        parts += [f"\n{name}:\n\n", time_table(timings(name, quick))]
    return "".join(parts)


def main(arguments: list[str]) -> None:
    found = text("--quick" in arguments)
    print(found)
    if "--page" in arguments:
        old = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(old.split("## Operations")[0] + found, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
