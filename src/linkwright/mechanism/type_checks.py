"""The first value of a wrong type in the records of a mechanism, by the types that their fields are declared with.

All other checks (`validation`) may then rely on texts being texts and numbers being numbers.
"""

from __future__ import annotations

import sys
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from linkwright.checks import quote_value
from linkwright.dataclass import dataclass
from linkwright.findings import Finding, Path, dotted_path
from linkwright.mechanism.expressions import Formulas


@dataclass(frozen=True)
class _Wrong:
    """A value of a wrong type, where it is, and what was expected."""

    value: Any
    expected: str
    path: Path = ()

    def below(self, part: str | int) -> _Wrong:
        return replace(self, path=(part, *self.path))


Check = Callable[[Any], _Wrong | None]
_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    float: ((float, int, np.floating, np.integer), "a number"),
    int: ((int, np.integer), "a whole number"),
    str: ((str,), "a text"),
    bool: ((bool,), "True or False"),
    type(None): ((type(None),), "None"),
}
_LARGEST_WHOLE = (1 << 63) - 1  # numpy has no larger ones


def wrong_type(record: Any) -> Finding | None:
    """The first field of a record, or of a record in it, whose value is not of the declared type."""
    found = _check_of_record(record.__class__)(record)
    if found is None:
        return None
    text = f"{dotted_path(found.path)} is {quote_value(found.value)}"
    return Finding("wrong-type", text, f"expected {found.expected}", subject=dotted_path(found.path), path=found.path)


@cache
def _check_of_record(kind: type) -> Check:
    """The check of all fields of a record."""
    hints = {
        name: _declared_type(text, base.__module__)
        for base in kind.__mro__[::-1]
        for name, text in _annotations_of_class(base)
    }
    checks = [(each.name, _check_of_type(hints[each.name])) for each in fields(kind)]

    def check(record: Any) -> _Wrong | None:
        for name, field in checks:
            if (found := field(getattr(record, name))) is not None:
                return found.below(name)
        return None

    return check


def _annotations_of_class(kind: type) -> Iterable[tuple[str, Any]]:
    return getattr(kind, "__annotations__", {}).items() if "__dataclass_fields__" in vars(kind) else ()


@cache
def _declared_type(text: Any, module: str) -> Any:
    """The type that an annotation names in a module, found once for all fields that are declared alike."""
    return eval(text, vars(sys.modules[module])) if isinstance(text, str) else text


@cache
def _check_of_type(hint: Any) -> Check:
    """The check of one declared type."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in _PLAIN:
        return _check_of_plain_type(hint)
    if origin is typing.Literal:
        return _check_of_literal(inner)
    if origin in (typing.Union, types.UnionType):
        return _check_of_union(inner)
    if origin is tuple and inner[-1] is Ellipsis:
        return _check_of_row(_check_of_type(inner[0]))
    return _check_of_entries([_check_of_type(x) for x in inner]) if origin is tuple else _check_of_class(hint)


def _check_of_plain_type(hint: Any) -> Check:
    kinds, title = _PLAIN[hint]

    def check(value: Any) -> _Wrong | None:
        if type(value) is hint and hint is not int:
            return None
        fits = isinstance(value, kinds) and (hint is bool or not isinstance(value, bool))
        large = isinstance(value, int) and abs(value) > _LARGEST_WHOLE
        return None if fits and not large else _Wrong(value, title)

    return check


def _check_of_literal(known: tuple[Any, ...]) -> Check:
    title = f"one of {', '.join(map(repr, known))}"
    return lambda value: None if isinstance(value, str) and value in known else _Wrong(value, title)


def _check_of_union(options: tuple[Any, ...]) -> Check:
    """One of several types; a record is checked as what it is."""
    checks = [_check_of_type(option) for option in options]
    kinds: tuple[Any, ...] = tuple(option for option in options if is_dataclass(option))
    title = " or ".join(_title_of_type(option) for option in options)

    def check(value: Any) -> _Wrong | None:
        if kinds and isinstance(value, kinds):
            return _check_of_record(value.__class__)(value)
        return None if any(each(value) is None for each in checks) else _Wrong(value, title)

    return check


def _title_of_type(option: Any) -> str:
    if option in _PLAIN:
        return _PLAIN[option][1]
    return str(getattr(option, "__name__", option)) if is_dataclass(option) else "a tuple"


def _check_of_row(entry: Check) -> Check:
    """A tuple of any length of entries of one type."""

    def check(value: Any) -> _Wrong | None:
        if not isinstance(value, tuple | list):
            return _Wrong(value, "a tuple")
        for i, each in enumerate(value):
            if (found := entry(each)) is not None:
                return found.below(i)
        return None

    return check


def _check_of_entries(checks: list[Check]) -> Check:
    """A tuple of a fixed length."""

    def check(value: Any) -> _Wrong | None:
        if not _is_vector(value) or len(value) != len(checks):
            return _Wrong(value, f"a tuple of {len(checks)}")
        for i, (each, entry) in enumerate(zip(value, checks, strict=True)):
            if (found := entry(each)) is not None:
                return found.below(i)
        return None

    return check


def _is_vector(value: Any) -> bool:
    return isinstance(value, tuple | list) or (
        isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind in "fiu"
    )


def _check_of_class(kind: type) -> Check:
    """A record of a class, or of one derived from it, as the kind of a joint is; checked as what it is."""
    opaque = kind is Formulas

    def check(value: Any) -> _Wrong | None:
        if not isinstance(value, kind):
            return _Wrong(value, kind.__name__)
        return _check_of_record(value.__class__)(value) if is_dataclass(value) and not opaque else None

    return check
