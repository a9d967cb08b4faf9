"""How many threads a batch may use."""

from __future__ import annotations

import os

from linkwright.errors import ArgumentError

VARIABLE = "LINKWRIGHT_THREADS"


def available_threads() -> int:
    """The processors this process may use, or what the environment variable LINKWRIGHT_THREADS says."""
    asked = os.environ.get(VARIABLE)
    if asked is None:
        return _processors()
    if not asked.isdigit() or int(asked) < 1:
        raise ArgumentError(f"{VARIABLE} is '{asked}', expected a whole number of at least 1")
    return int(asked)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
