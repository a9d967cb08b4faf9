"""One thread for the matrices of a mechanism.

BLAS shares a singular value decomposition of 50 rows and more among threads, which wait for each other at every step.
That never pays below some 500 rows, and where another process has one of the cores it costs hundreds of times the
decomposition: 120 rows take 2 ms by one thread, and by two threads up to 800 ms.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.linalg import _umath_linalg  # where numpy holds its BLAS

_NAMES = tuple(f"{owner}openblas_{{}}_num_threads{end}" for owner in ("scipy_", "") for end in ("64_", ""))
_lock = threading.Lock()
_inside = 0
_before = 1


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Numpy's OpenBLAS at one thread; other libraries for BLAS are left as they are.

    The number counts for the process. Uses may nest and overlap in threads: the last one to end brings it back.
    """
    global _inside, _before
    found = _openblas()
    if found is None:
        yield
        return
    get, put = found
    with _lock:
        if not _inside:
            _before = get()
            put(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside = max(0, _inside - 1)  # a child that was forked inside knows of none
            if not _inside:
                put(_before)


def _forget_other_threads() -> None:
    """In a forked child, which has none of the threads that are inside: the number of BLAS threads stays as it is."""
    global _inside
    _inside = 0
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_forget_other_threads)


@lru_cache(maxsize=1)
def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """How many threads numpy's OpenBLAS takes, and how to say it; None without OpenBLAS."""
    bundled = (Path(np.__file__).parent.parent / "numpy.libs").glob("*openblas*.dll")  # Windows: not by the module
    for path in (Path(_umath_linalg.__file__), *bundled):
        try:
            library = ctypes.CDLL(str(path))
        except OSError:
            continue
        for name in _NAMES:
            if hasattr(library, name.format("set")):
                return getattr(library, name.format("get")), getattr(library, name.format("set"))
    return None
