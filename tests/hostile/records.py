"""Records of a mechanism with strange values in any field: a Mechanism is made of them or refused."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import linkwright as lw
from tests.hostile.cases import Case
from tests.hostile.values import odd, shown

_NAMES = ("four-bar", "three-link-arm", "gough-stewart", "four-bar-flexible", "delta")


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of mechanisms in which one field of one record is strange."""
    return partial(case, [lw.catalog.load(name) for name in _NAMES], seed)


def case(mechanisms: list[lw.Mechanism], seed: int, index: int) -> Case:
    """One mechanism with a strange value."""
    rng = random.Random(f"records {seed} {index}")
    mech = rng.choice(mechanisms)
    path = _path(mech, rng)
    value = odd(_at(mech, path), rng)
    title = f"{mech.name}: {'.'.join(map(str, path))} = {shown(value)}"
    names = tuple(str(part) for part in path if isinstance(part, str))
    return Case("records", title, lambda: replaced(mech, path, value), names)


def _path(record: Any, rng: random.Random) -> tuple[str | int, ...]:
    """Fields and indices from a record down to one of its values."""
    if dataclasses.is_dataclass(record):
        fields = [each.name for each in dataclasses.fields(record) if each.init and each.name != "formulas"]
        if not fields:
            return ()
        name = rng.choice(fields)
        return (name, *(_path(getattr(record, name), rng) if rng.random() < 0.9 else ()))
    if isinstance(record, tuple) and record:
        i = rng.randrange(len(record))
        return (i, *(_path(record[i], rng) if rng.random() < 0.9 else ()))
    return ()


def _at(record: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        record = getattr(record, part) if isinstance(part, str) else record[part]
    return record


def replaced(record: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The record with another value at a path; every record on the way is made again."""
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        return (*record[:first], replaced(record[first], tuple(rest), value), *record[first + 1 :])
    return dataclasses.replace(record, **{first: replaced(getattr(record, first), tuple(rest), value)})
