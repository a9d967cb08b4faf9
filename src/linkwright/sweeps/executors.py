"""Where chunks are computed: in this process, in local processes, or by the workers of a dask cluster."""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import pkgutil
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import Any, Protocol
from urllib.parse import urlsplit

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError, missing_package_text
from linkwright.sweeps.chunks import Chunk, Task
from linkwright.version import __version__
from linkwright.worker_processes import end_workers, interrupts_for_parent

Range = tuple[int, int, int]
"""Number of a chunk, its first point, and the first point after it."""

_AHEAD = 3  # chunks per worker that are handed out before results come back
_DEATHS = 3  # of workers, without a chunk finished in between, after which a sweep gives up
_CONNECTING, _PATIENCE = 1.5, "3s"  # for somebody to listen at an address, and for a scheduler to answer there
_WORKERLESS = 3.0  # seconds that a cluster may be without a worker
_LOOK, _PAUSE = 2.0, 0.01  # seconds without a chunk after which workers are looked for, and between two looks at chunks


class SweepError(LinkwrightError):
    """A sweep that cannot go on: its workers or its scheduler were lost. Finished chunks are kept."""

    code = "sweep-stopped"


_OF_INTERNET = ("tcp", "tls", "ws", "wss")


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
        content, waiting, deaths = pack_task(task), list(ranges), 0
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
        pool = ProcessPoolExecutor(self.count, context, _begin_worker, (content, threads))

        def submit(x: Range) -> Future[Any]:
            with interrupts_for_parent():  # it may start a process
                return pool.submit(_compute_chunk, *x)

        try:
            yield from _bounded_results(submit, waiting, self.count)
        finally:
            end_workers(pool)


def _bounded_results(
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
        distributed = _import_distributed()
        client = self._client(distributed)
        try:
            workers = usable_workers(client)
            require_same_versions(client, workers)
            yield from self._results(client, pack_task(task), list(ranges), len(workers))
        finally:
            if client is not self.at:
                client.close()

    def _client(self, distributed: Any) -> Any:
        if not isinstance(self.at, str):
            return self.at
        log = logging.getLogger("distributed")
        level = log.level
        _require_protocol(distributed, self.at)
        try:
            _require_listener(self.at)
            log.setLevel(logging.CRITICAL)  # what it says about a failure is in our message
            return distributed.Client(self.at, timeout=_PATIENCE, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ArgumentError(
                f"no dask scheduler answers at {self.at} ({type(error).__name__}); start one with `dask scheduler` and "
                "`dask worker ADDRESS`, or leave executor out",
                name="executor",
            ) from None
        except TypeError as error:  # of tls and wss without certificates
            raise ArgumentError(
                f"the dask scheduler at {self.at} cannot be asked with an address alone ({str(error)[:120]}); give a "
                "distributed.Client with the security it needs",
                name="executor",
            ) from None
        finally:
            log.setLevel(level)

    def _results(self, client: Any, content: bytes, waiting: list[Range], workers: int) -> Iterator[tuple[int, Chunk]]:
        rest = iter(waiting)

        def submit(x: Range) -> Any:
            return client.submit(computed_remotely, content, *x, __version__, pure=False, retries=_DEATHS)

        try:
            opened = {submit(x): x[0] for x in islice(rest, _AHEAD * workers)}
            while opened:
                for future in _finished_chunks(client, list(opened)):
                    k, chunk = opened.pop(future), future.result()
                    future.release()
                    yield k, chunk
                    opened |= {submit(x): x[0] for x in islice(rest, 1)}
        except LinkwrightError:
            raise
        except Exception as error:
            if isinstance(error, OSError | TimeoutError) or type(error).__module__.split(".")[0] in _LOST:
                raise SweepError(
                    f"the cluster at {_scheduler_address(client) or self.at} was lost "
                    f"({type(error).__name__}: {error}); what is finished is kept, run the sweep again to go on"
                ) from None
            raise


def _finished_chunks(client: Any, futures: Iterable[Any]) -> list[Any]:
    """Chunks that are finished, once there are some; a cluster without workers is not waited for."""
    look = time.monotonic() + _LOOK
    while not (done := [future for future in futures if future.done()]):
        time.sleep(_PAUSE)
        if time.monotonic() > look:
            usable_workers(client)
            look = time.monotonic() + _LOOK
    return done


def _require_protocol(distributed: Any, address: str) -> None:
    """Refuse an address that dask cannot use: its client would fail again, for seconds, when it is forgotten."""
    parts, known = urlsplit(address), distributed.comm.registry
    try:
        known.get_backend(parts.scheme)
    except ValueError:
        names = ", ".join(f"{name}://" for name in sorted(known.backends))
        raise ArgumentError(
            f"executor is {address!r:.80}, and {parts.scheme}:// is not a protocol of dask ({names}); the address of a "
            'scheduler is for example "tcp://127.0.0.1:8786"',
            name="executor",
        ) from None
    if parts.scheme in _OF_INTERNET and not parts.hostname:
        raise ArgumentError(
            f'executor is {address!r:.80}, which names no computer; write it as in "tcp://127.0.0.1:8786"',
            name="executor",
        )


def _require_listener(address: str) -> None:
    """Raise an `OSError` if no scheduler is at an address of the internet, where dask itself would try for long.

    One that is there speaks first; behind other protocols than tcp only the connection is tried.
    """
    parts = urlsplit(address)
    if parts.scheme not in _OF_INTERNET:
        return
    with socket.create_connection((parts.hostname, parts.port or 8786), timeout=_CONNECTING) as found:
        if parts.scheme == "tcp" and not found.recv(1):
            raise ConnectionError("it says nothing")


def usable_workers(client: Any) -> tuple[str, ...]:
    """Addresses of workers that can compute, for which it waits some seconds; a `SweepError` if there are none."""
    end = time.monotonic() + _WORKERLESS
    while True:
        known = client.scheduler_info(n_workers=-1)["workers"]
        usable = tuple(a for a, w in known.items() if w.get("nthreads") and w.get("status", "running") == "running")
        if usable:
            return usable
        if time.monotonic() > end:
            break
        time.sleep(0.2)
    states = ", ".join(f"{a} ({w.get('status')}, {w.get('nthreads')} threads)" for a, w in known.items())
    text = f"of its workers none can compute: {states}" if known else "it has no workers"
    at = _scheduler_address(client)
    raise SweepError(
        f"the dask scheduler at {at} answers, but {text}; start some with `dask worker {at}` and run the sweep again; "
        "what is finished is kept"
    )


def require_same_versions(client: Any, workers: tuple[str, ...]) -> None:
    """Refuse workers without linkwright, and those with another version of it or of Python, by their addresses."""
    compared = {"linkwright": ("linkwright.version:__version__", __version__), "Python": ("sys:hexversion", None)}
    wrong = []
    for what, (name, own) in compared.items():
        found = client.run(pkgutil.resolve_name, name, workers=list(workers), on_error="return")
        for worker, version in found.items():
            if isinstance(version, BaseException):
                wrong.append(f"{worker} has no {what} ({version})")
            elif what == "Python" and version >> 16 != sys.hexversion >> 16:
                wrong.append(f"{worker} has Python {version >> 24}.{version >> 16 & 255}")
            elif own is not None and version != own:
                wrong.append(f"{worker} has linkwright {version}")
    if wrong:
        here = f"linkwright {__version__} and Python {sys.version_info[0]}.{sys.version_info[1]}"
        more = f" and {len(wrong) - 4} more" if len(wrong) > 4 else ""
        raise SweepError(f"workers of the cluster need {here}: {'; '.join(wrong[:4])}{more}; install it there")


def _scheduler_address(client: Any) -> str:
    return str(client.scheduler.address) if client.scheduler else ""


_LOST = ("distributed", "asyncio", "concurrent", "tornado")


def pack_task(task: Task) -> bytes:
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


def _begin_worker(content: bytes, threads: int) -> None:
    os.environ["LINKWRIGHT_THREADS"] = str(threads)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _held[b""] = pickle.loads(content)  # from the parent process, not from a file


def _end_with(parent: int) -> None:
    """End this process when its parent is gone, for example killed."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def _compute_chunk(k: int, start: int, stop: int) -> Chunk:
    return _held[b""].chunk_with_warnings(start, stop)


def computed_remotely(content: bytes, k: int, start: int, stop: int, version: str = __version__) -> Chunk:
    """A chunk in a worker of a cluster, which keeps the task it computed last; it may have come after the start."""
    if version != __version__:
        raise SweepError(f"a worker has linkwright {__version__} and needs {version}; install it there")
    key = hashlib.blake2b(content, digest_size=16).digest()
    if key not in _held:
        _held.clear()
        _held[key] = pickle.loads(content)
    return _held[key].chunk_with_warnings(start, stop)


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        text = missing_package_text("dask clusters", "distributed", "cluster")
        raise ArgumentError(text, name="executor") from None
    return distributed
