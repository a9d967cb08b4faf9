"""Timings that hold on a busy computer: interleaved, on one core, the least of many repetitions, with a noise probe."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from linkwright.dataclass import dataclass

BUSY = 1.15
"""A probe whose median is this much above its minimum was disturbed by other work."""


@dataclass(frozen=True)
class Timing:
    """Time of one call, [us]: the least of all rounds, and the median."""

    least: float
    median: float


@dataclass(frozen=True)
class MeasuringExtent:
    """Extent of a measurement: rounds over all functions, seconds per function and round, and attempts at most
    while the computer is busy."""

    rounds: int = 60
    seconds: float = 1.5e-3
    attempts: int = 4


QUICK = MeasuringExtent(rounds=3, seconds=1e-4, attempts=1)
_MOST_CALLS = 50_000
NOISE = "noise probe"
_THREADS = "LINKWRIGHT_THREADS"


def noise_probe() -> int:
    """Fixed work of the interpreter: when its time varies, so did the computer."""
    total = 0
    for i in range(2000):
        total += i * i
    return total


def time_functions(functions: Mapping[str, Callable[[], Any]], extent: MeasuringExtent) -> dict[str, Timing]:
    """Time per call of each function and of the noise probe, all of them once in every round.

    While the probe shows that the computer is busy, all is measured again: the least of all attempts counts, and the
    medians of the quietest.

    >>> sorted(time_functions({"nothing": lambda: None}, QUICK))
    ['noise probe', 'nothing']
    """
    measured = {**functions, NOISE: noise_probe}
    calls = {name: _calls_to_fill(function, extent.seconds) for name, function in measured.items()}
    attempts = [_time_rounds(measured, calls, extent.rounds)]
    while len(attempts) < extent.attempts and noise_ratio(attempts[-1][NOISE]) > BUSY:
        attempts.append(_time_rounds(measured, calls, extent.rounds))
    quietest = min(attempts, key=lambda attempt: noise_ratio(attempt[NOISE]))
    return {name: Timing(min(a[name].least for a in attempts), quietest[name].median) for name in measured}


def _time_rounds(
    functions: Mapping[str, Callable[[], Any]], calls: Mapping[str, int], rounds: int
) -> dict[str, Timing]:
    found: dict[str, list[float]] = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            found[name].append(_time_per_call(function, calls[name]))
    return {name: Timing(min(times), statistics.median(times)) for name, times in found.items()}


def noise_ratio(noise: Timing) -> float:
    """Median over minimum of the probe: 1 on a quiet computer."""
    return noise.median / noise.least


def _calls_to_fill(function: Callable[[], Any], seconds: float) -> int:
    """Number of calls that fill the time."""
    function()
    once = min(_time_per_call(function, 1) for _ in range(3))
    return max(1, min(_MOST_CALLS, int(seconds * 1e6 / max(once, 0.05))))


def _time_per_call(function: Callable[[], Any], calls: int) -> float:
    turns = range(calls)
    start = time.perf_counter()
    for _ in turns:
        function()
    return (time.perf_counter() - start) / calls * 1e6


@contextmanager
def on_one_core() -> Iterator[int | None]:
    """Keep this process on one core, the last it may use, and batches on one thread; gives the core where it can."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    threads = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    if cores is not None:
        os.sched_setaffinity(0, {max(cores)})
    try:
        yield None if cores is None else max(cores)
    finally:
        if cores is not None:
            os.sched_setaffinity(0, cores)
        os.environ.pop(_THREADS)
        if threads is not None:
            os.environ[_THREADS] = threads


def computer_description() -> dict[str, Any]:
    """The date, the processor, the system and how busy it is."""
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "processor": _processor_name(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load": load,
    }


def _processor_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def noise_warning(noise: Timing) -> str:
    """Return a warning if the computer was too busy for the medians to hold; empty if it was quiet.

    >>> noise_warning(Timing(100.0, 101.0)), noise_warning(Timing(100.0, 150.0))[:37]
    ('', 'the computer was busy: the noise prob')
    """
    ratio = noise_ratio(noise)
    if ratio < BUSY:
        return ""
    return (
        f"the computer was busy: the noise probe's median is {ratio:.2f} times its minimum; minima hold better than "
        "medians, and all of it is worth a second run on a quiet computer"
    )
