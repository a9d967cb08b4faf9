"""Processes that compute for this one: Ctrl-C belongs to the parent, which ends them."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def interrupts_for_parent() -> Iterator[None]:
    """Have processes that are started inside never see Ctrl-C; the parent sees it at the end of the block.

    A terminal sends it to all of them, and Python would print a traceback for each, even while it starts. On Windows
    signals cannot be held back so.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_workers(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool at once, whatever they compute."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()
    pool.shutdown(wait=True, cancel_futures=True)
