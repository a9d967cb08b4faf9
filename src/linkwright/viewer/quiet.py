"""Computations whose warnings the page shows in its own way; filters of warnings belong to all threads of a program."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()


@contextmanager
def quiet(*categories: type[Warning]) -> Iterator[None]:
    """Ignore warnings of some categories, in one thread at a time: another one would restore the filters too early."""
    with _LOCK, warnings.catch_warnings():
        for category in categories:
            warnings.simplefilter("ignore", category)
        yield
