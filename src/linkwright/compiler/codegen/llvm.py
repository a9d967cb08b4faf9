"""LLVM's functions, imported when the first of them is used, and locks that survive a fork.

A forked child has only the thread that forked. A lock that another thread held stays held there for ever, and LLVM may
be in the middle of something. So a fork waits until no thread is inside LLVM, and the child makes the locks anew whose
holders are gone: those of objects registered with `remade_after_fork`, and those of `functools.cached_property` in
Python 3.11, where all objects of a class share one. What such a lock guards is made in one step or not at all, so that
the child makes it once more.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import cached_property
from importlib import import_module
from typing import Any
from weakref import WeakSet

from linkwright.errors import CompilerError

# --- the functions of `llvmlite.binding`, imported when the first of them is used -------------------------------------

_MODULE = "llvmlite.binding"


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # `from ... import` looks for __path__
        raise AttributeError(name)
    return getattr(import_module(_MODULE), name)


def llvmlite_version() -> str:
    """Version of llvmlite."""
    return str(import_module("llvmlite").__version__)


def is_loaded() -> bool:
    """Return True if this process has loaded LLVM."""
    return _MODULE in sys.modules


# --- locks that survive a fork ----------------------------------------------------------------------------------------

WAIT = 120.0
"""Seconds that a fork waits for a thread that compiles."""


class ForkLock:
    """A lock for the whole process, which a fork takes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken = self._lost = False

    def __enter__(self) -> None:
        if self._lost:
            raise CompilerError(
                f"this process was forked while another thread had been compiling for {WAIT:g} s, so it cannot "
                "compile; start processes before compiling, or with spawn or forkserver"
            )
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def before_fork(self) -> None:
        """Wait until nobody holds the lock, and hold it."""
        self._taken = self._lock.acquire(timeout=WAIT)

    def after_fork(self, child: bool) -> None:
        """Let go of the lock; a child that was forked without it gets an error when it needs it."""
        if self._taken:
            self._taken = False
            self._lock.release()
        elif child:
            self._lost = True


LLVM_LOCK = ForkLock()
"""LLVM's parsers, target machines and linkers are shared by all threads of the process."""

_owners: WeakSet[Any] = WeakSet()


def remade_after_fork(owner: Any) -> Any:
    """A lock for the attribute `_lock` of an object, which is made anew in a forked child."""
    _owners.add(owner)
    return threading.RLock()


def _lock_before_fork() -> None:
    LLVM_LOCK.before_fork()
    _binding_lock(True)


def _in_parent() -> None:
    _binding_lock(False)
    LLVM_LOCK.after_fork(child=False)


def _in_child() -> None:
    _binding_lock(False)
    LLVM_LOCK.after_fork(child=True)
    for owner in list(_owners):
        owner._lock = threading.RLock()
    if sys.version_info < (3, 12):
        for prop in _cached_properties():
            prop.lock = threading.RLock()


_held: list[Any] = []


def _binding_lock(take: bool) -> None:
    """Take or release the lock with which llvmlite guards every single call, finalizers among them."""
    if not take:
        while _held:
            _held.pop().release()
        return
    if not is_loaded():
        return
    lock = getattr(getattr(import_module(_MODULE).ffi.lib, "_lock", None), "_lock", None)
    if lock is not None and lock.acquire(timeout=WAIT):
        _held.append(lock)


def _cached_properties() -> list[Any]:
    """All cached properties of the classes of this library."""
    found = []
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "linkwright":
            classes = [x for x in list(vars(module).values()) if isinstance(x, type)]
            found += [p for cls in classes for p in list(vars(cls).values()) if isinstance(p, cached_property)]
    return found


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
