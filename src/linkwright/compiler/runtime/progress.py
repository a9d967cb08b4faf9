"""Announcements of work that may take long (planning, tracing, compiling), for whoever wants to show them.

The library prints nothing. A program that wants to tell its user why a first call takes long listens:

>>> with listen_to_progress(lambda work: print("busy:", work or "no longer")):
...     with announce_work("compiling forward dynamics"):
...         pass
busy: compiling forward dynamics
busy: no longer
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_listeners: list[Callable[[str], None]] = []
_now = threading.local()


@contextmanager
def listen_to_progress(show: Callable[[str], None]) -> Iterator[None]:
    """Have `show` called with a short text whenever such work begins, and with an empty one when it is over."""
    _listeners.append(show)
    try:
        yield
    finally:
        _listeners.remove(show)


@contextmanager
def announce_work(work: str) -> Iterator[None]:
    """Announce what is done meanwhile; work inside other work is announced in its place."""
    outer, _now.work = getattr(_now, "work", ""), work
    _notify_listeners(work)
    try:
        yield
    finally:
        _now.work = outer
        _notify_listeners(outer)


def _notify_listeners(work: str) -> None:
    for show in tuple(_listeners):
        show(work)
