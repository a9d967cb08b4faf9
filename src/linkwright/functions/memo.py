"""What was found out about a mechanism, kept in memory and on disk by one decorator, for one version of the source."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache, wraps
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, overload

import numpy as np

from linkwright.compiler.cache import keep_text, recall_text
from linkwright.compiler.codegen.llvm import remade_after_fork
from linkwright.compiler.runtime.progress import announce_work
from linkwright.dataclass import exact_text
from linkwright.joints.joint_registry import foreign_sources
from linkwright.numerics.blas_threads import one_blas_thread
from linkwright.plugins import source_of_class

# --- A stamp of the library's own source, so that code cached by another version is never run -------------------------

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_TRACED = (
    "numerics",
    "algebra",
    "joints",
    "forces",
    "mechanism",
    "recursion",
    "loops",
    "formulations",
    "compiler",
    "functions",
    "papers",
)


def source_stamp(*more: str) -> str:
    """Hash of the files that decide what is traced and how, of `more` packages, and of users' kinds of joint."""
    return _source_digest((*_TRACED, *more), foreign_sources())


@lru_cache
def _source_digest(packages: tuple[str, ...], foreign: str) -> str:
    facts = [
        *(_source_file_facts(os.path.join(_ROOT, package)) for package in packages),
        *([foreign] if foreign else []),
    ]
    return hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()


@lru_cache
def _source_file_facts(folder: str) -> list[tuple[str, int, int]]:
    """Name, size and time of every source file below a folder, by name."""
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                found.append((entry.name, status.st_size, status.st_mtime_ns))
            elif entry.is_dir() and entry.name != "__pycache__":
                found += _source_file_facts(entry.path)
    return sorted(found)


@lru_cache
def class_source(kind: type) -> str:
    """Source of a class that users may have written, and "" of our own, which the stamp covers."""
    if kind.__module__.startswith("linkwright."):
        return ""
    return source_of_class(kind)


# --- what was found out about a mechanism, kept in memory and, where it took long, on disk ----------------------------

T = TypeVar("T")
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
Validity = Literal["own", "nominal", "all"]

# Packages whose source decides what is found, apart from those that decide what is traced.
_DECIDING = ("plans", "kinematics", "dynamics", "gradients")


class Cache:
    """Values by key, each made when first needed; safe to share between threads.

    >>> cache = Cache()
    >>> cache.get("mass", lambda: 42), cache.get("mass", lambda: 43)
    (42, 42)
    """

    def __init__(self) -> None:
        self.values: dict[Hashable, Any] = {}
        self._lock = remade_after_fork(self)

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The value of a key; `make` is called, once, where there is none yet, and may itself get other values."""
        try:
            return self.values[key]
        except KeyError:
            pass
        with self._lock:
            if key not in self.values:
                self.values[key] = make()
            return self.values[key]

    def recent_values(self, group: str) -> dict[Hashable, Any]:
        """What `recent` keeps of a group now."""
        with self._lock:
            return dict(self.values.get(("recent", group), {}))

    def recent(self, group: str, key: Hashable, make: Callable[[], Any], most: int) -> Any:
        """The same for a group of keys of which only so many are kept: the oldest goes when a new one comes."""
        with self._lock:
            known: dict[Hashable, Any] = self.values.setdefault(("recent", group), {})
            if key not in known:
                known[key] = make()
                while len(known) > most:
                    del known[next(iter(known))]
            return known[key]


@overload
def memo(
    *, attribute: Literal[True], valid_at: Validity = "own", on_disk: str = ""
) -> Callable[[Callable[[Any], T]], cached_property[T]]: ...


@overload
def memo(*, valid_at: Validity = "own", on_disk: str = "") -> Callable[[AnyFunction], AnyFunction]: ...


def memo(*, attribute: bool = False, valid_at: Validity = "own", on_disk: str = "") -> Any:
    """Decorator of a function of an owner and hashable arguments: what it finds is kept with the owner.

    An owner has a `cache`; for `valid_at` also `nominal`, and for `on_disk` an `identity`.

    Args:
        attribute: the function becomes an attribute of its class.
        valid_at: values of the mechanism's inputs at which the result is valid: those of the owner; "nominal": it is
            found at the nominal values and stands there; "all": it is found there and serves all values, kernels,
            stages and setups being called at the owner's.
        on_disk: what is found, in words. It is kept between runs, as JSON; the function's annotation says what it
            returns. Arguments that have an `identity` differ by it.

    >>> class Robot:
    ...     cache = Cache()
    ...     @memo()
    ...     def mass_of(self, link: str) -> list[str]:
    ...         return [link]
    >>> robot = Robot()
    >>> robot.mass_of("arm") is robot.mass_of(link="arm")
    True
    """

    def decorate(function: Callable[..., Any]) -> Any:
        find = _kept_on_disk(function, on_disk) if on_disk else function
        complete, count = _argument_order(function), function.__code__.co_argcount - 1

        @wraps(function)
        def found(owner: Any, *given: Any, **named: Any) -> Any:
            if named or len(given) != count:
                given = complete(given, named)
            if valid_at != "own" and owner.nominal is not None:
                value = found(owner.nominal, *given)
                return at_values_of(owner, value) if valid_at == "all" else value
            key = (function, *map(_identity, given)) if on_disk else (function, *given)
            cache: Cache = owner.cache
            try:
                return cache.values[key]
            except KeyError:
                pass
            with cache._lock:  # as `Cache.get`, with fewer frames on the stack
                if key not in cache.values:
                    cache.values[key] = find(owner, *given)
                return cache.values[key]

        return _Attribute(found) if attribute else found

    return decorate


class _Attribute:
    """An attribute that a function finds when it is first asked for; its value takes its place in the object.

    Unlike `functools.cached_property` it holds no lock of its own, which threads could take in another order than that
    of the owner's cache.
    """

    def __init__(self, find: Callable[[Any], Any]) -> None:
        self.find, self.name, self.__doc__ = find, find.__name__, find.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.find(instance)
        return value


def at_values_of(owner: Any, value: Any) -> Any:
    """Kernels, stages and setups of the nominal values, called at the owner's; other things as they are."""
    return value.at(owner.setup.inputs.values) if hasattr(value, "at") else value


def _argument_order(function: Callable[..., Any]) -> Callable[[tuple[Any, ...], dict[str, Any]], tuple[Any, ...]]:
    """From arguments as they are given to all of them in order, defaults included; the owner apart."""
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ())))

    def complete(given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        rest = [named.pop(name) if name in named else defaults[name] for name in names[len(given) :]]
        if named or len(given) > len(names):
            raise TypeError(f"{function.__name__}() takes {names}, got {len(given)} arguments and {list(named)}")
        return (*given, *rest)

    return complete


# ------------------------------------------------------------------------------------------------------- on disk


def _kept_on_disk(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """The function, by way of a note; one that cannot be read as what the function returns is made again."""

    def find(owner: Any, *given: Any) -> Any:
        facts = (source_stamp(*_DECIDING), owner.identity, what, *map(_identity, given))
        key = hashlib.blake2b(exact_text(facts).encode(), digest_size=16).hexdigest()
        text = recall_text(key)
        if text is not None:
            try:
                return from_json(get_type_hints(function)["return"], json.loads(text))
            except (ValueError, KeyError, TypeError):
                pass
        with announce_work(f"planning: {what}"), one_blas_thread():
            made = function(owner, *given)
        keep_text(key, json.dumps(as_plain_data(made)))
        return made

    return find


def _identity(x: Any) -> Any:
    return getattr(x, "identity", x)


def as_plain_data(x: Any) -> Any:
    """Records, arrays and tuples as JSON values.

    >>> as_plain_data((1, np.array([2.0])))
    [1, [2.0]]
    """
    if is_dataclass(x):
        return {field.name: as_plain_data(getattr(x, field.name)) for field in fields(x)}
    if isinstance(x, np.ndarray | np.generic):
        return x.tolist()
    return [as_plain_data(item) for item in x] if isinstance(x, tuple | list) else x


def from_json(kind: Any, x: Any) -> Any:
    """The value of a type from JSON; an error where it has another form.

    >>> from_json(tuple[int, ...] | None, [1, 2])
    (1, 2)
    """
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        if x is None and NoneType in parts:
            return None
        (kind,) = (part for part in parts if part is not NoneType)
        return from_json(kind, x)
    if origin in (tuple, list):
        if not isinstance(x, list):
            raise TypeError(f"expected a list, got {x!r}")
        each = parts if origin is tuple and parts[-1] is not Ellipsis else parts[:1] * len(x)
        return origin(from_json(part, item) for part, item in zip(each, x, strict=True))
    if hasattr(kind, "__dataclass_fields__"):
        return kind(**{name: from_json(part, x[name]) for name, part in _field_types(kind).items()})
    if kind is np.ndarray:
        return np.array(x, dtype=float)
    if not isinstance(x, (int, float) if kind is float else kind):
        raise TypeError(f"expected {kind}, got {x!r}")
    return kind(x)


@lru_cache
def _field_types(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}
