"""Workers and their watchdog: a worker that hangs or dies is ended, its case counted, and the next case begun."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.hostile.cases import GROWTH, HANG, RAW, Ending

_SLACK = 5.0  # times its limit a case may take before its worker is ended
_BLOCKED = 120.0  # s of waiting without an end that count as a hang, CPU time or not
_PREPARING = 600.0  # s for a worker to get ready
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass
class _Worker:
    """A process and the case that it is at."""

    process: subprocess.Popen[bytes]
    first: int
    last: int
    step: int
    index: int | None = None
    title: str = ""
    kind: str = ""
    limit: float = 2.0
    begun: float = field(default_factory=time.monotonic)
    cpu: float = 0.0
    rest: bytes = b""

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout


@dataclass(frozen=True)
class Plan:
    """Which cases of a kind are run, and on how many workers."""

    kind: str
    seed: int
    count: int
    seconds: float
    jobs: int = 1
    first: int = 0


def endings(plan: Plan) -> Iterator[Ending]:
    """The endings of a plan's cases, as they come."""
    until = time.monotonic() + plan.seconds
    selector = selectors.DefaultSelector()
    last = plan.first + plan.count
    for k in range(min(plan.jobs, plan.count)):
        _started(plan, plan.first + k, last, selector)
    try:
        while selector.get_map():
            over = time.monotonic() > until
            ready = {key.fileobj for key, _ in selector.select(timeout=0.1)}
            for key in list(selector.get_map().values()):
                worker: _Worker = key.data
                if key.fileobj in ready:
                    yield from _heard(worker, plan, selector)
                elif (found := _stuck(worker)) is not None:
                    yield _ended(worker, found, plan, selector)
                if over and worker.output in {k.fileobj for k in selector.get_map().values()}:
                    _stopped(worker, selector)
    finally:
        for key in list(selector.get_map().values()):
            _stopped(key.data, selector)


def _started(plan: Plan, first: int, last: int, selector: selectors.BaseSelector) -> None:
    if first >= last:
        return
    command = [sys.executable, "-m", "tests.hostile.worker", plan.kind, *map(str, (plan.seed, first, plan.jobs, last))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    worker = _Worker(process, first, last, plan.jobs)
    selector.register(worker.output, selectors.EVENT_READ, worker)


def _stopped(worker: _Worker, selector: selectors.BaseSelector) -> None:
    selector.unregister(worker.output)
    worker.process.kill()
    worker.process.wait()
    worker.output.close()


def _heard(worker: _Worker, plan: Plan, selector: selectors.BaseSelector) -> Iterator[Ending]:
    """Read what a worker wrote; where it died, the case it was at counts as raw."""
    text = os.read(worker.output.fileno(), 1 << 16)
    if not text:
        worker.process.wait()
        yield _ended(worker, (RAW, f"the process ended with {worker.process.returncode}"), plan, selector)
        return
    *lines, worker.rest = (worker.rest + text).split(b"\n")
    for line in lines:
        message = json.loads(line)
        if "begin" in message:
            worker.index, worker.title, worker.limit = message["begin"], "", 2.0
            worker.begun, worker.cpu = time.monotonic(), _cpu(worker)
        elif "case" in message:
            worker.title, worker.kind, worker.limit = message["title"], message["kind"], message["limit"]
        elif "end" in message:
            worker.index, worker.begun = None, time.monotonic()
            worker.first = message["end"]["index"] + worker.step
            yield Ending(**message["end"])
        elif "over" in message:
            _stopped(worker, selector)
            return


def _stuck(worker: _Worker) -> tuple[str, str] | None:
    waited = time.monotonic() - worker.begun
    if worker.index is None:
        return (HANG, "the worker did not get ready") if waited > _PREPARING else None
    used = _cpu(worker) - worker.cpu
    if used > _SLACK * worker.limit:
        return HANG, f"ended after {used:.1f} s of CPU"
    return (HANG, f"ended after {waited:.0f} s of waiting") if waited > _BLOCKED else None


def _ended(worker: _Worker, found: tuple[str, str], plan: Plan, selector: selectors.BaseSelector) -> Ending:
    """End a worker, count its case, and go on behind it with another one."""
    _stopped(worker, selector)
    if worker.index is None:
        raise RuntimeError(f"a worker of '{plan.kind}' fails before its first case: {found[1]}")
    ending, text = found
    if worker.process.returncode == -9 and ending == RAW:
        ending = GROWTH  # the system ends a process that takes all memory
    _started(plan, worker.index + worker.step, worker.last, selector)
    return Ending(worker.index, worker.kind or plan.kind, worker.title, ending, text)


def _cpu(worker: _Worker) -> float:
    """CPU time of a worker, [s]; of its finished children too. Time that passes where the system does not show it."""
    try:
        fields = Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return sum(map(int, fields[11:15])) / _TICKS


Shown = Callable[[Ending], None]
