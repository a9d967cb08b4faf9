"""Misused calls: one or two arguments of a good call replaced by strange ones, left out, or given twice."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.hostile.cases import Case
from tests.hostile.subjects import Call, all_calls
from tests.hostile.values import VALUES, odd, shown

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of misused calls."""
    return partial(case, all_calls(folder), seed)


def case(calls: list[Call], seed: int, index: int) -> Case:
    """One misused call."""
    rng = random.Random(f"calls {seed} {index}")
    call = rng.choice(calls)
    given, misused = arguments(call, rng)
    extra: tuple[Any, ...] = ()
    if rng.random() < 0.03:
        extra, misused = (
            tuple(rng.choice(VALUES)() for _ in range(rng.randint(1, 9))),
            [*misused, *_names(call), "positional argument", "positional arguments"],
        )
    elif rng.random() < 0.02:
        given["unknown"], misused = 1.0, [*misused, "unknown"]
    texts = [*map(shown, extra), *(f"{name}={shown(given[name])}" for name in misused if name in given)]
    title = f"{call.name}({', '.join(texts)})"
    return Case(_kind(call.name), title, lambda: _called(call, extra, given), (*misused, call.name), call.seconds)


def _called(call: Call, extra: tuple[Any, ...], given: dict[str, Any]) -> None:
    """Call it; arguments that have no names are given by position."""
    alone = [each.name for each in call.parameters if each.kind is inspect.Parameter.POSITIONAL_ONLY]
    first = [given[name] for name in alone if name in given]
    spread = [each.name for each in call.parameters if each.kind is inspect.Parameter.VAR_POSITIONAL]
    if spread:
        names = {each.name for each in call.parameters}
        first += [given[each.name] for each in call.parameters if each.kind in _NAMED[:1] and each.name in given]
        first += [value for name, value in given.items() if name not in names]
        given = {
            each.name: given[each.name] for each in call.parameters if each.kind is _NAMED[1] and each.name in given
        }
    found = call.function(*first, *extra, **{name: x for name, x in given.items() if name not in alone})
    repr(found)


def _names(call: Call) -> list[str]:
    return [each.name for each in call.parameters if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]


def arguments(call: Call, rng: random.Random) -> tuple[dict[str, Any], list[str]]:
    """Good arguments with some of them strange, and the names of these."""
    known = [*dict.fromkeys([*_names(call), *call.good])]
    given = dict(call.good)
    misused = [each.name for each in call.parameters if _required(each) and each.name not in given]
    if known:
        misused += rng.sample(known, min(len(known), rng.choice((1, 1, 1, 2))))
    misused = list(dict.fromkeys(misused))
    for name in misused:
        given[name] = odd(given.get(name), rng)
    if misused and rng.random() < 0.02:
        del given[misused[0]]
    return given, misused


def _required(each: inspect.Parameter) -> bool:
    return each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)


def _kind(name: str) -> str:
    first, _, rest = name.partition(".")
    if rest and first in ("arm", "four-bar", "five-bar", "slider-crank", "floating"):
        return "calls/Model"
    return (
        f"calls/{first}"
        if first in ("control", "analysis", "beams", "events", "export", "sweeps")
        else "calls/top level"
    )
