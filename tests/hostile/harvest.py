"""Objects that good calls return, and what they hold: the beginnings of misused constructors and methods."""

from __future__ import annotations

import dataclasses
import inspect
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linkwright.errors import LinkwrightError
from tests.hostile.call import Call
from tests.test_public import OBJECTS

_DEEPEST = 5
_MOST = 12  # of a list that are looked at


def harvested(calls: Sequence[Call], things: Sequence[Any]) -> dict[type, Any]:
    """One object of every public class among what good calls return, further things, and what lies in these."""
    wanted = {each for each in OBJECTS.values() if inspect.isclass(each)}
    found: dict[type, Any] = {}
    for thing in [*(_returned(call) for call in calls if call.complete), *things]:
        for each in _inside(thing, _DEEPEST):
            if type(each) in wanted:
                found.setdefault(type(each), each)
    return found


def _returned(call: Call) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except LinkwrightError:  # not every model has every property
            return None


def _inside(thing: Any, depth: int) -> Iterator[Any]:
    """The thing and what it holds."""
    yield thing
    if depth == 0 or isinstance(thing, str | bytes):
        return
    inner: Any = ()
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        inner = [getattr(thing, each.name, None) for each in dataclasses.fields(thing)]
    elif isinstance(thing, Mapping):
        inner = list(thing.values())[:_MOST]
    elif isinstance(thing, list | tuple):
        inner = thing[:_MOST]
    for each in inner:
        yield from _inside(each, depth - 1)


def fields(record: Any) -> dict[str, Any]:
    """Arguments with which a record can be made again; none for what is not a record."""
    if not dataclasses.is_dataclass(record) or isinstance(record, type):
        return {}
    return {each.name: getattr(record, each.name) for each in dataclasses.fields(record) if each.init}
