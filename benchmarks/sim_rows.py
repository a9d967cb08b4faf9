"""One way of computing a motion, timed: CPU time, error, closure, energy."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.sim_problems import Motion

Array = np.ndarray
LADDER = tuple(m * 10.0**-k for k in range(4, 13) for m in (1.0, 0.5, 0.2))
"""Tolerances tried, loose to tight."""

_MOST_EARLY = 15  # runs that end before their time, after which no tighter tolerance is tried


@dataclass(frozen=True)
class Row:
    """What one way gave.

    Attributes:
        ms: CPU time of the whole call, least of several, [ms].
        error: largest deviation from the reference at the rows.
        closure: largest gap of the loops at the rows, [m]; None where it is no error.
        energy: largest drift of energy less work, [J].
        notes: how it was done.
    """

    way: str
    ms: float
    error: float
    closure: float | None
    energy: float | None
    notes: str = ""


def least_ms(call: Callable[[], Any], rounds: int) -> float:
    """CPU time of the quickest of several calls, [ms]."""
    best = np.inf
    for _ in range(rounds):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return 1e3 * float(best)


def deviation(one: Array, other: Array) -> float:
    """The largest difference of any component at any row."""
    return float(np.abs(one - other).max())


def ours(
    motion: Motion, reference: Array, target: float, rounds: int, method: Any = lw.DOP853, formulation: Any = None
) -> Row:
    """Our cheapest run whose error is below the target: all tolerances of the ladder that reach it are timed."""
    found, early, tried = [], "", 0
    for rtol in LADDER:
        run = motion.run(method(rtol=rtol), formulation)
        if len(run.t) < len(reference):
            early = f"; at rtol {rtol:.0e} it ended at t = {run.meta['ended']['t']:.4g} s: {run.meta['ended']['text']}"
            tried += 1
            if tried == _MOST_EARLY:
                break
            continue
        error = deviation(motion.observed(run), reference)
        if error <= target:
            found.append((run.stats["evaluations"], rtol, error))
        if len(found) == 3:
            break
    if not found:
        return Row(method.__name__, np.inf, np.inf, None, None, f"no tolerance gives {target:.0e}{early}")
    _, rtol, error = min(found)
    chosen = method(rtol=rtol)
    run = motion.run(chosen, formulation)
    s = run.stats
    words = f"rtol {rtol:.0e}; {s['steps']} steps, {s['rejected']} rejected, {s['evaluations']} evaluations, "
    words += f"{s['projections']} projections, {s['fallbacks']} fallbacks, {s['slices']} slices"
    ms = least_ms(lambda: motion.run(chosen, formulation), rounds)
    drift = run.meta["energy balance"]["drift"]
    return Row(f"linkwright {method.__name__}", ms, error, run.meta["closure"], drift, words)


def table(rows: Iterable[Row], unit: str) -> str:
    """Rows as Markdown; ratios to the first."""
    rows = list(rows)
    lines = [f"| way | CPU [ms] | ratio | error [{unit}] | closure [m] | energy drift [J] | how |"]
    lines.append("|---|--:|--:|--:|--:|--:|---|")
    for row in rows:
        cells = [
            f"{row.ms:.3g}",
            f"{row.ms / rows[0].ms:.1f}",
            f"{row.error:.1e}",
            shown(row.closure),
            shown(row.energy),
        ]
        lines.append(f"| {row.way} | {' | '.join(cells)} | {row.notes} |")
    return "\n".join(lines) + "\n"


def shown(x: float | None) -> str:
    return "-" if x is None else f"{x:.1e}"
