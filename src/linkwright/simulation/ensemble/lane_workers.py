"""Workers take runs from one queue and advance them slice by slice."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.simulation.drivers.status import DONE, HUNGRY, NOTED
from linkwright.simulation.ensemble.workers import OVER, Shared, Worker

SLICE = 0.02
_FIRST_BUDGET = 64
_LARGEST_BUDGET = 1 << 20
_PIECE = 16
_LOOK = 0.05


@dataclass(frozen=True, eq=False)
class Advanced:
    """How far many runs were advanced.

    Attributes:
        finished: False when it was interrupted (Ctrl-C) before the last run had ended.
        seconds: CPU time of each thread, [s].
        events: time after the start, number, direction and run of each, (n, 4).
    """

    finished: bool = True
    seconds: list[float] = field(default_factory=list)
    events: np.ndarray = field(default_factory=lambda: np.zeros((0, NOTED)))


class RunQueue:
    """Runs not yet begun, handed out in pieces.

    Attributes:
        ended: called with the numbers of runs that have ended, where somebody wants to know.
        stopped: set to end all workers.
    """

    def __init__(self, runs: Sequence[range], piece: int, ended: Callable[[list[int]], None] | None) -> None:
        self.ended = ended
        self.stopped = False
        self._pieces = deque(part[i : i + piece] for part in runs for i in range(0, len(part), piece))
        self._lock = threading.Lock()

    def fill(self, worker: Worker) -> None:
        """Give a worker the next piece."""
        with self._lock:
            runs = self._pieces.popleft() if self._pieces else range(0)
            worker.queue(runs.start, runs.stop, more=bool(self._pieces))


def run_all(
    about: Shared,
    threads: int,
    runs: Sequence[range],
    ended: Callable[[list[int]], None] | None,
) -> Advanced:
    """Advance some runs to their end on so many threads.

    `ended` is called with runs that have ended, from any thread.
    """
    workers = [Worker(about) for _ in range(threads)]
    total, status, progress = sum(map(len, runs)), about.runs.column("status"), about.spec.output.progress
    queue = RunQueue(runs, max(about.kernels.lanes, min(_PIECE, total // threads)), ended)

    def report() -> None:
        if progress is not None:
            checks.result_of("progress", progress, float(np.isin(status, OVER).mean()))

    try:
        if threads == 1:
            for _ in _run_slices(workers[0], queue):
                report()
        else:
            _on_threads(workers, queue, report)
        report()
    except KeyboardInterrupt:
        queue.stopped = True
        for worker in workers:
            worker.interrupted()
        return _collect_progress(workers, False)
    return _collect_progress(workers, True)


def _collect_progress(workers: list[Worker], finished: bool) -> Advanced:
    events = [each for worker in workers for each in worker.events]
    return Advanced(finished, [worker.seconds for worker in workers], np.concatenate([*events, np.zeros((0, NOTED))]))


def _run_slices(worker: Worker, queue: RunQueue) -> Any:
    """Run slices of native work until the queue is empty; yields after each."""
    advance = worker.bound()
    budget = _FIRST_BUDGET
    queue.fill(worker)
    while not queue.stopped:
        worker.driver.budget = budget
        began, busy = time.perf_counter(), time.thread_time()
        status = advance()
        worker.seconds += time.thread_time() - busy
        spent = time.perf_counter() - began
        worker.take_events()
        if queue.ended is not None and (ended := worker.ended()):
            queue.ended(ended)
        if status == DONE:
            return
        if status == HUNGRY:
            queue.fill(worker)
        else:
            budget = int(min(max(budget * SLICE / max(spent, 1e-5), 1), 8 * budget, _LARGEST_BUDGET))
        yield None


def _on_threads(workers: list[Worker], queue: RunQueue, report: Callable[[], None]) -> None:
    """One thread per worker; this one looks on, so that Ctrl-C is handled."""
    failed: list[BaseException] = []

    def work(worker: Worker) -> None:
        try:
            for _ in _run_slices(worker, queue):
                pass
        except BaseException as error:
            failed.append(error)
            queue.stopped = True

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            threads[0].join(_LOOK) if threads[0].is_alive() else time.sleep(_LOOK / 10)
            report()
    finally:
        queue.stopped = queue.stopped or any(thread.is_alive() for thread in threads)
        for thread in threads:
            if thread.ident is not None:
                thread.join()
    if failed:
        raise failed[0]
