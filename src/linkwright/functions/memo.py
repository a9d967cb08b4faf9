"""Cache of results that are computed once per mechanism and kept with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from linkwright.compiler.codegen.locks import remade_after_fork

K = TypeVar("K")
V = TypeVar("V")


def once_per_object(function: Callable[[K], V]) -> Callable[[K], V]:
    """A function of one object whose results are kept with the object, and go with it; they must not refer to it.

    >>> class Thing:
    ...     pass
    >>> thing, named = Thing(), once_per_object(lambda x: [type(x).__name__])
    >>> named(thing) is named(thing)
    True
    """
    known: WeakKeyDictionary[Any, V] = WeakKeyDictionary()

    @wraps(function)
    def kept(thing: K) -> V:
        try:
            return known[thing]
        except KeyError:
            return known.setdefault(thing, function(thing))

    return kept


class Cache:
    """Values by key, each made when first needed; safe to share between threads.

    >>> cache = Cache()
    >>> cache.get("mass", lambda: 42), cache.get("mass", lambda: 43)
    (42, 42)
    """

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}
        self._lock = remade_after_fork(self)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key; `make` is called, once, where there is none yet, and may itself get other values."""
        try:
            return self._values[key]
        except KeyError:
            pass
        with self._lock:
            if key not in self._values:
                self._values[key] = make()
            return self._values[key]

    def kept(self, group: str) -> dict[Hashable, Any]:
        """What `recent` keeps of a group now."""
        with self._lock:
            return dict(self._values.get(("recent", group), {}))

    def recent(self, group: str, key: Hashable, make: Callable[[], Any], most: int) -> Any:
        """The same for a group of keys of which only so many are kept: the oldest goes when a new one comes."""
        with self._lock:
            known: dict[Hashable, Any] = self._values.setdefault(("recent", group), {})
            if key not in known:
                known[key] = make()
                while len(known) > most:
                    del known[next(iter(known))]
            return known[key]
