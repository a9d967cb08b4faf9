"""Where chunks are computed: in this process, in local processes, or by the workers of a dask cluster."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Any, Protocol

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.sweeps.chunks import Chunk, Task
from linkwright.worker_processes import end_workers, interrupts_for_parent

Range = tuple[int, int, int]
"""Number of a chunk, its first point, and the first point after it."""

_AHEAD = 3  # chunks per worker that are handed out before results come back
_DEATHS = 3  # of workers, without a chunk finished in between, after which a sweep gives up
_PATIENCE = "5s"  # for the scheduler of a cluster to answer


class SweepError(LinkwrightError):
    """A sweep that cannot go on: its workers or its scheduler were lost. Finished chunks are kept."""

    code = "sweep-stopped"


class Executor(Protocol):
    """Computes chunks in any order."""

    def run(self, task: Task, ranges: Iterable[Range]) -> Iterator[tuple[int, Chunk]]:
        """The chunks as they are finished, each with its number."""


def executor_of(given: Any) -> Executor:
    """None: this process; a number or "processes": local processes; an address or a `Client`: a dask cluster."""
    if given is None:
        return Here()
    if isinstance(given, str) and given == "processes":
        return Processes(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= 4096:
        return Processes(given)
    if isinstance(given, str) and "://" in given:
        return Cluster(given)
    if type(given).__name__ == "Client" and hasattr(given, "submit"):
        return Cluster(given)
    raise ArgumentError(
        f'executor is {given!r:.80}, expected None (this process), a number of processes, "processes", the address of '
        'a dask scheduler such as "tcp://127.0.0.1:8786", or a distributed.Client'
    )


class Here:
    """This process, with the threads of the compiled functions."""

    def run(self, task: Task, ranges: Iterable[Range]) -> Iterator[tuple[int, Chunk]]:
        """The chunks in order."""
        return ((k, task.chunk(start, stop)) for k, start, stop in ranges)


@dataclass(frozen=True)
class Processes:
    """Local processes, started afresh; each computes with its share of the processors.

    When one dies, the others are ended too and new ones compute what was under way.
    """

    count: int

    def run(self, task: Task, ranges: Iterable[Range]) -> Iterator[tuple[int, Chunk]]:
        """The chunks as they are finished."""
        content, waiting, deaths = packed(task), list(ranges), 0
        while waiting:
            done = set()
            try:
                for k, chunk in self._round(content, waiting):
                    done.add(k)
                    yield k, chunk
            except BrokenProcessPool:
                deaths = 1 if done else deaths + 1
                if deaths == _DEATHS:
                    first = min(waiting)[1:]
                    raise SweepError(
                        f"worker processes ended {_DEATHS} times in a row, the last time at points {first[0]} and "
                        "after; look for a crash or a lack of memory in the function there, and in a script call sweep "
                        "under `if __name__ == '__main__':`; what is finished is kept"
                    ) from None
            waiting = [x for x in waiting if x[0] not in done]

    def _round(self, content: bytes, waiting: list[Range]) -> Iterator[tuple[int, Chunk]]:
        context = get_context("spawn")
        threads = max(1, (os.cpu_count() or 1) // self.count)
        pool = ProcessPoolExecutor(self.count, context, _begin, (content, threads))

        def submit(x: Range) -> Future[Any]:
            with interrupts_for_parent():  # it may start a process
                return pool.submit(_computed, *x)

        try:
            yield from _windowed(submit, waiting, self.count)
        finally:
            end_workers(pool)


def _windowed(
    submit: Callable[[Range], Future[Any]], waiting: list[Range], workers: int
) -> Iterator[tuple[int, Chunk]]:
    """Results as they come, with a bounded number of chunks handed out."""
    rest = iter(waiting)
    open_: dict[Future[Any], int] = {submit(x): x[0] for x in islice(rest, _AHEAD * workers)}
    while open_:
        for future in wait(open_, return_when=FIRST_COMPLETED).done:
            k = open_.pop(future)
            yield k, future.result()
            open_ |= {submit(x): x[0] for x in islice(rest, 1)}


@dataclass(frozen=True)
class Cluster:
    """A dask cluster, by the address of its scheduler or by a client of it; lost workers are dask's to replace."""

    at: Any

    def run(self, task: Task, ranges: Iterable[Range]) -> Iterator[tuple[int, Chunk]]:
        """The chunks as they are finished."""
        distributed = _distributed()
        client = self._client(distributed)
        try:
            yield from self._results(distributed, client, packed(task), list(ranges))
        finally:
            if client is not self.at:
                client.close()

    def _client(self, distributed: Any) -> Any:
        if not isinstance(self.at, str):
            return self.at
        try:
            return distributed.Client(self.at, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ArgumentError(
                f"no dask scheduler answers at {self.at} ({type(error).__name__}); start one with `dask scheduler` and "
                "`dask worker ADDRESS`, or leave executor out",
                name="executor",
            ) from None

    def _results(
        self, distributed: Any, client: Any, content: bytes, waiting: list[Range]
    ) -> Iterator[tuple[int, Chunk]]:
        rest = iter(waiting)

        def submit(x: Range) -> Any:
            return client.submit(computed_remotely, content, *x, pure=False, retries=_DEATHS)

        try:
            workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
            opened = {submit(x): x[0] for x in islice(rest, _AHEAD * workers)}
            coming = distributed.as_completed(opened, loop=client.loop)
            for future in coming:
                k, chunk = opened.pop(future), future.result()
                future.release()
                yield k, chunk
                for x in islice(rest, 1):
                    opened[more := submit(x)] = x[0]
                    coming.add(more)
        except LinkwrightError:
            raise
        except Exception as error:
            if isinstance(error, OSError | TimeoutError) or type(error).__module__.split(".")[0] in _LOST:
                raise SweepError(
                    f"the cluster at {client.scheduler.address if client.scheduler else self.at} was lost "
                    f"({type(error).__name__}: {error}); what is finished is kept, run the sweep again to go on"
                ) from None
            raise


_LOST = ("distributed", "asyncio", "concurrent", "tornado")


def packed(task: Task) -> bytes:
    """The task as bytes for another process; functions of scripts and notebooks need cloudpickle."""
    try:
        import cloudpickle
    except ImportError:
        cloudpickle = None
    try:
        return bytes((cloudpickle or pickle).dumps(task))
    except Exception as error:
        way = "" if cloudpickle else ", or install cloudpickle (extra 'cluster')"
        raise ArgumentError(
            f"the function cannot be sent to other processes ({type(error).__name__}: {error}); define it at the "
            f"top of a module that they can import{way}",
            name="function",
        ) from None


_held: dict[bytes, Task] = {}
"""The task of this worker process, by the digest of its bytes."""


def _begin(content: bytes, threads: int) -> None:
    os.environ["LINKWRIGHT_THREADS"] = str(threads)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _held[b""] = pickle.loads(content)  # from the parent process, not from a file


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, for example killed."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _computed(k: int, start: int, stop: int) -> Chunk:
    return _held[b""].chunk_with_warnings(start, stop)


def computed_remotely(content: bytes, k: int, start: int, stop: int) -> Chunk:
    """A chunk in a worker of a cluster, which keeps the task it computed last."""
    key = hashlib.blake2b(content, digest_size=16).digest()
    if key not in _held:
        _held.clear()
        _held[key] = pickle.loads(content)
    return _held[key].chunk_with_warnings(start, stop)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise ArgumentError(
            "a dask cluster needs the package 'distributed'; install linkwright with the extra 'cluster': "
            'pip install "linkwright[cluster]"',
            name="executor",
        ) from None
    return distributed
