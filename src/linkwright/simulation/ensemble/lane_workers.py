"""Workers take runs from one queue and advance them in their lanes, slice by slice."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.compiler.native import Records, lane_view, native_function
from linkwright.dataclass import dataclass
from linkwright.simulation.drivers.driver_records import DONE, EXHAUSTED, GOING, HUNGRY, NOTED, STOPPED, Driver, Run
from linkwright.simulation.drivers.queue import note_run_end
from linkwright.simulation.drivers.stepping import advance_lanes
from linkwright.simulation.ensemble.lane_events import LaneEvents, LaneNotes
from linkwright.simulation.ensemble.run_set import RunSet
from linkwright.simulation.problem.lane_kernels import LaneKernels
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run_spec import RunSpec
from linkwright.simulation.running.run_workspace import flat_table, lane_driver

OVER = (DONE, STOPPED, EXHAUSTED)  # runs that ended in a lane


@dataclass(frozen=True, eq=False)
class Shared:
    """Data that all workers read, and the rows and ends of runs that they write, each for its own runs.

    Attributes:
        spec: what is computed.
        kernels: functions of the lanes.
        table: (runs, 1 + rows, numbers), the last row for the end of a run.
        runs: how every run ended.
        events: functions of events in lanes.
    """

    spec: RunSpec[RunSet]
    kernels: LaneKernels
    table: np.ndarray
    runs: Records[Run]
    events: LaneEvents | None = None

    @property
    def rows(self) -> np.ndarray:
        """Rows of the runs, (runs, rows, numbers)."""
        return self.table[:, :-1]

    @property
    def last(self) -> np.ndarray:
        """Of runs that ended before the last row, the row there, (runs, numbers); else NaN."""
        return self.table[:, -1]

    @cached_property
    def template(self) -> Driver:
        """The record that every worker begins with."""
        spec, events, times = self.spec, self.events, self.spec.times
        d = lane_driver(spec, self.kernels, *(() if events is None else (events.roots.kinds, events.problem.watched)))
        d.settings.t_end, d.settings.origin, d.settings.max_steps = times.duration, times.origin, spec.max_steps
        d.output.grid, d.output.shown = flat_table(times.since_start), flat_table(times.shown)
        d.output.rows, d.output.n_rows = self.table.reshape(-1), self.rows.shape[1]
        d.output.per_run = self.table.shape[1]
        self._set_queue(d, self.kernels.given_numbers(spec.start.varied.values, len(spec.start)))
        return d

    def _set_queue(self, d: Driver, given: np.ndarray) -> None:
        """Runs that wait; lanes that never get one stand where the first run starts, where all numbers are finite."""
        start, queue = self.spec.start, d.queue
        first = start.states[0][:, None]
        queue.starts, queue.taus, queue.givens = flat_table(start.states), flat_table(start.taus), flat_table(given)
        queue.n_given, queue.runs = given.shape[1], self.runs
        for x in (d.y, d.y_new, d.output.state):
            x.array[: len(first)] = first
        if given.shape[1]:
            d.mechanics.given.array[:] = given[0][:, None]


def share_run_set(spec: RunSpec[RunSet], kernels: LaneKernels, events: LaneEvents | None = None) -> Shared:
    """Everything runs need before their first step; with event functions, those of the lanes include them."""
    runs, rows, width = len(spec.start), len(spec.times.shown), row_layout(spec.model, spec.actuation.states).width
    table = np.full((runs, rows + 1, width), np.nan)
    return Shared(spec, kernels if events is None else events.kernels, table, Records(Run, runs), events)


Ended = Callable[[list[int], Mapping[int, LaneNotes]], None]


class Worker:
    """The lanes of one worker; `seconds` is the CPU time it has spent on them, `events` what happened in their runs.

    Make it on the calling thread, so that the driver is compiled once and not by every thread.
    """

    def __init__(self, about: Shared) -> None:
        self.driver = about.template.copy()
        self.code = native_function(advance_lanes, self.driver.lanes)
        self.seconds = 0.0
        self._status = about.runs.column("status")
        self._under_way: list[int] = []
        self._finished = 0
        self.events: dict[int, LaneNotes] = {}

    def queue(self, first: int, last: int, more: bool) -> None:
        """The runs to take next, and whether others may follow."""
        queue = self.driver.queue
        queue.next, queue.last, queue.more = first, last, int(more)
        self._under_way += range(first, last)

    def take_ended_runs(self) -> list[int]:
        """Runs of this worker that have ended since the last call."""
        finished = int(self.driver.queue.finished)
        if finished == self._finished:
            return []
        self._finished = finished
        over = [i for i in self._under_way if self._status[i] != GOING]
        self._under_way = [i for i in self._under_way if self._status[i] == GOING]
        return over

    def take_events(self) -> None:
        """Take the events of the last slice off the driver's list."""
        noted = self.driver.events
        if noted.n_found:
            for row in noted.found[: NOTED * noted.n_found].reshape(-1, NOTED).tolist():
                self.events.setdefault(int(row[3]), []).append(row)
            noted.n_found = 0

    def note_interruption(self) -> None:
        """Note how far the runs have come that are under way."""
        for k in range(self.driver.lanes):
            one = lane_view(self.driver.step, k)
            if one.run >= 0:
                note_run_end(k, one, self.driver)

    def slice_function(self) -> Any:
        """A function without arguments that advances all lanes by one slice."""
        return partial(self.code.call, self.driver.address)

    def in_python(self) -> Any:
        """The same function in Python, row by row; for tests."""
        return partial(advance_lanes, self.driver)


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
        events: of runs that have some.
    """

    finished: bool = True
    seconds: list[float] = field(default_factory=list)
    events: dict[int, LaneNotes] = field(default_factory=dict)


class RunQueue:
    """Runs not yet begun, handed out in pieces.

    Attributes:
        ended: called with the numbers of runs that have ended and all events of the worker, where somebody wants to
            know.
        stopped: set to end all workers.
    """

    def __init__(self, runs: Sequence[range], piece: int, ended: Ended | None) -> None:
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
    ended: Ended | None,
) -> Advanced:
    """Advance some runs to their end on so many threads.

    `ended` is called with runs that have ended and events by run, from any thread.
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
            worker.note_interruption()
        return _collect_progress(workers, False)
    return _collect_progress(workers, True)


def _collect_progress(workers: list[Worker], finished: bool) -> Advanced:
    events = {run: notes for worker in workers for run, notes in worker.events.items()}
    return Advanced(finished, [worker.seconds for worker in workers], events)


def _run_slices(worker: Worker, queue: RunQueue) -> Any:
    """Run slices of native work until the queue is empty; yields after each."""
    advance = worker.slice_function()
    budget = _FIRST_BUDGET
    queue.fill(worker)
    while not queue.stopped:
        worker.driver.budget = budget
        began, busy = time.perf_counter(), time.thread_time()
        status = advance()
        worker.seconds += time.thread_time() - busy
        spent = time.perf_counter() - began
        worker.take_events()
        if queue.ended is not None and (ended := worker.take_ended_runs()):
            queue.ended(ended, worker.events)
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
