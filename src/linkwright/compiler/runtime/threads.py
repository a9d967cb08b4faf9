"""Threads of a batch: how many, and the threads themselves."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from linkwright.errors import ArgumentError

# Below about this much work per thread, handing out the work costs more than it saves.
_OPERATIONS_PER_THREAD = 10_000_000

VARIABLE = "LINKWRIGHT_THREADS"
MOST_THREADS = 4096


def available_threads() -> int:
    """The processors this process may use, or what the environment variable LINKWRIGHT_THREADS says."""
    given = os.environ.get(VARIABLE)
    if given is None:
        return _count_processors()
    if not given.isdigit() or len(given) > 4 or not 1 <= int(given) <= MOST_THREADS:
        raise ArgumentError(f"{VARIABLE} is '{given:.40}', expected a whole number from 1 to {MOST_THREADS}")
    return int(given)


def rows_for_one_thread(n_operations: int) -> int:
    """The longest batch not worth a second thread."""
    return _OPERATIONS_PER_THREAD // max(1, n_operations)


def threads_for(rows: int, n_operations: int) -> int:
    """Number of threads that a batch is worth."""
    if rows <= rows_for_one_thread(n_operations):
        return 1
    return min(available_threads(), 1 + rows * n_operations // _OPERATIONS_PER_THREAD)


def _count_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_pool(threads: int, purpose: str) -> ThreadPoolExecutor:
    """Threads of this process for one purpose: work on them may wait for that of another purpose.

    A forked child has none of its parent's threads and gets its own.
    """
    return _make_thread_pool(threads, purpose, os.getpid())


@lru_cache
def _make_thread_pool(threads: int, purpose: str, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix=f"linkwright-{purpose}")
