"""Kill runs at random instants and resume them: `python -m tests.hostile.kills [kills] [seed]`.

Each case, of `simulate` or `simulate_many`, is begun in a forked child, killed with SIGKILL after a random time, looked
at, and resumed in the next child, until one comes to its end. What a child leaves must be the beginning of the run that
nobody killed, to the last bit, and never less than the child before had left; the finished run must be that run.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from tests.simulation.switched_mechanisms import ball

T_END = 60.0
_MOST = 12  # kills of one run


@dataclass(frozen=True)
class Left:
    """What a killed call leaves: bytes of its numbers, how many rows or runs, and whether it had come to its end."""

    numbers: bytes
    size: int
    complete: bool


@dataclass(frozen=True)
class Killable:
    """A call that writes to a path, the same without a path, and how to open and compare what it leaves."""

    call: Callable[[Path], Any]
    whole: Callable[[], Any]
    left: Callable[[Path, Any], Left]


@cache
def four_bar() -> tuple[lw.Model, np.ndarray]:
    model = lw.build(lw.catalog.load("four-bar"))
    return model, model.assemble().q


def _run(**arguments: Any) -> Killable:
    def call(path: Path | None) -> lw.Result:
        model, q = four_bar()
        given = {"t_end": T_END, "effort": [6.0], "method": lw.DOP853(rtol=1e-11), "check": False} | arguments
        return lw.simulate(model, q, **given, output=lw.Output(2001, path), resume=path is not None)

    return Killable(call, lambda: call(None), _rows_left)


def _bouncing() -> Killable:
    model = lw.build(ball(0.1))
    switches = [lw.events.Close("floor", restitution=0.9, settle=0.01), lw.events.Open("floor")]

    def call(path: Path | None) -> lw.Result:
        given = {"t_end": 8.0, "events": switches, "check": False, "method": lw.DOP853(rtol=1e-12)}
        return lw.simulate(model, [0.6], **given, output=lw.Output(4001, path), resume=path is not None)

    return Killable(call, lambda: call(None), _rows_left)


def _many(threads: int) -> Killable:
    def call(path: Path | None) -> lw.Ensemble:
        model, q = four_bar()
        tau = np.linspace(4.0, 8.0, 3000)[:, None]
        given = {"t_end": 2.0, "effort": tau, "method": lw.DOP853(rtol=1e-10), "threads": threads}
        return lw.simulate_many(model, q, **given, path=path, resume=path is not None)

    return Killable(call, lambda: call(None), _runs_left)


def _rows_left(path: Path, whole: lw.Result) -> Left:
    run = lw.open_result(path)
    n, own = len(run.t), {each.name: each for each in run.series}
    expected = b"".join(each.values[:n].tobytes() for each in whole.series)
    found = b"".join(own[each.name].values.tobytes() for each in whole.series)
    assert run.t.tobytes() == whole.t[:n].tobytes() and found == expected, "rows of another run"
    complete = bool(run.meta["complete"])
    if complete:
        assert n == len(whole.t) and run.events == whole.events, "another end"
    else:
        assert "recording" not in run.meta or "sound block" in run.meta["recording"]
    return Left(found, n, complete)


def _runs_left(path: Path, whole: lw.Ensemble) -> Left:
    many = lw.open_result(path)
    done = many.done
    assert many.values[done].tobytes() == whole.values[done].tobytes(), "numbers of another run"
    assert many.ended[done].tobytes() == whole.ended[done].tobytes(), "another end"
    return Left(many.values[done].tobytes(), int(done.sum()), bool(many.meta["complete"]))


CASES: dict[str, Callable[[], Killable]] = {
    "simulate": _run,
    "simulate, sampled": lambda: _run(
        effort=lw.control.Sampled(lambda t, q, v: [np.sin(t) - v[0]], 100.0), t_end=200.0
    ),
    "simulate, minimal": lambda: _run(formulation=lw.Minimal()),
    "simulate, fixed steps": lambda: _run(method=lw.RK4(1e-3)),
    "simulate, switches": _bouncing,
    "simulate_many, 1 thread": lambda: _many(1),
    "simulate_many, 2 threads": lambda: _many(2),
}


def killed_until_done(case: Killable, whole: Any, seconds: float, folder: Path, rng: random.Random, most: int) -> int:
    """Kill a call again and again, at most so often, then let it come to its end; return the number of kills."""
    path, kills, size = folder / "case.npz", 0, 0
    while kills < most and not path.exists():
        kills += _killed(case, path, rng.uniform(0.0, 1.2 * seconds + 0.05))
        if path.exists() or Path(f"{path}.unfinished").exists():
            left = case.left(path, whole)
            assert left.size >= size, f"{size} were saved and {left.size} are left"
            size = left.size
    case.call(path)
    assert case.left(path, whole).complete and not Path(f"{path}.unfinished").exists()
    assert {x.name for x in folder.iterdir()} == {"case.npz"}
    return kills


def _killed(case: Killable, path: Path, seconds: float) -> int:
    """Run a call in a child and kill it after some seconds; 1 if it was killed, 0 if it had come to its end."""
    pid = os.fork()
    if not pid:
        code = 1
        try:
            case.call(path)
            code = 0
        finally:
            os._exit(code)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            assert os.waitstatus_to_exitcode(status) == 0, "the resumed call failed"
            return 0
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return 1


def main(times: int, seed: int) -> None:
    """Kill so many times in all, and print a line per case."""
    logging.disable(logging.WARNING)  # every run that is looked at was interrupted
    rng, total = random.Random(seed), 0
    cases = {name: make() for name, make in CASES.items()}
    wholes, seconds = {}, {}
    for name, case in cases.items():
        case.whole()
        began = time.monotonic()
        wholes[name] = case.whole()
        seconds[name] = time.monotonic() - began
    counts = dict.fromkeys(cases, (0, 0))
    while total < times:
        for name, case in cases.items():
            with tempfile.TemporaryDirectory() as folder:
                most = min(_MOST, times - total)
                kills = killed_until_done(case, wholes[name], seconds[name], Path(folder), rng, most)
            total += kills
            counts[name] = (counts[name][0] + kills, counts[name][1] + 1)
            if total >= times:
                break
    for name, (kills, finished) in counts.items():
        print(
            f"{name:26} killed {kills:4d} times, {finished:4d} came to their end bit-identical ({seconds[name]:.2f} s)"
        )
    print(f"seed {seed}: {total} kills, nothing saved was lost")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300, int(sys.argv[2]) if len(sys.argv) > 2 else 0)
