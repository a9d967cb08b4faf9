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
"""Relative tolerances tried, loose to tight."""

SHARES = (1.0, 0.01)
"""Absolute tolerances tried, as shares of the relative one."""

_MOST_EARLY = 15  # runs that end before their time, after which no tighter tolerance is tried


@dataclass(frozen=True)
class Row:
    """What one way gave.

    Attributes:
        ms: CPU time of the whole call, least of several, [ms].
        error: largest deviation from the reference at the rows.
        closure: largest closure residual at the rows, [m]; None where it is not an error.
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
    """Our quickest run whose error is below the target, of those tolerances that just reach it."""
    found, early = _reaching(motion, reference, target, method, formulation)
    if not found:
        return Row(method.__name__, np.inf, np.inf, None, None, f"no tolerance gives {target:.0e}{early}")
    few = max(2, rounds // 6)
    chosen = min(found, key=lambda each: least_ms(lambda: motion.run(each, formulation), few))
    run = motion.run(chosen, formulation)
    s = run.stats
    note = f"rtol {chosen.rtol:.0e}, atol {chosen.atol:.0e}; {s['steps']} steps, {s['rejected']} rejected, "
    note += f"{s['evaluations']} evaluations, {s['projections']} projections, {s['fallbacks']} fallbacks, "
    note += f"{s['slices']} slices"
    ms = least_ms(lambda: motion.run(chosen, formulation), rounds)
    drift, error = run.meta["energy_balance"]["drift"], deviation(motion.observed(run), reference)
    return Row(f"linkwright {method.__name__}", ms, error, run.meta["closure"], drift, note)


def _reaching(motion: Motion, reference: Array, target: float, method: Any, formulation: Any) -> tuple[list[Any], str]:
    """For every share of atol in rtol the first tolerances that reach the target; what is known of runs that end early.

    The error is a tenth below the target, so that rounding on another computer does not undo it.
    """
    found: list[Any] = []
    early, tried = "", 0
    for share in SHARES:
        good = []
        for rtol in LADDER:
            each = method(rtol=rtol, atol=share * rtol)
            run = motion.run(each, formulation)
            if len(run.t) < len(reference):
                ended = run.meta["ended"]
                early = f"; at rtol {rtol:.0e} it ended at t = {ended['t']:.4g} s: {ended['text']}"
                tried += 1
                if tried >= _MOST_EARLY:
                    return found, early
            elif deviation(motion.observed(run), reference) <= 0.9 * target:
                good.append(each)
            if len(good) == 2:
                break
        found += good
    return found, early


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
