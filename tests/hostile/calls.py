"""Misused calls: one or two arguments of a good call replaced by strange ones, left out, or given twice."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.hostile.call import Call
from tests.hostile.cases import Case
from tests.hostile.subjects import all_calls
from tests.hostile.values import VALUES, odd, shown


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
            [*misused, *call.names, "positional argument", "positional arguments"],
        )
    elif rng.random() < 0.02:
        given["unknown"], misused = 1.0, [*misused, "unknown"]
    return misuse(call, extra, given, misused)


def misuse(call: Call, extra: tuple[Any, ...], given: dict[str, Any], misused: list[str]) -> Case:
    """A call with strange arguments; a message may name these, or the function."""
    texts = [*map(shown, extra), *(f"{name}={shown(given[name])}" for name in misused if name in given)]
    title = f"{call.name}({', '.join(texts)})"
    return Case(_kind(call.name), title, lambda: _called(call, extra, given), (*misused, call.name), call.seconds)


def _called(call: Call, extra: tuple[Any, ...], given: dict[str, Any]) -> None:
    call.then(call(extra, given))


def arguments(call: Call, rng: random.Random) -> tuple[dict[str, Any], list[str]]:
    """Good arguments with some of them strange, and the names of these."""
    known = [*dict.fromkeys([*call.names, *call.good])]
    given, defaults = dict(call.good), call.defaults
    misused = call.missing
    if known:
        misused += rng.sample(known, min(len(known), rng.choice((1, 1, 1, 2))))
    misused = list(dict.fromkeys(misused))
    for name in misused:
        given[name] = odd(given.get(name, defaults.get(name)), rng)
    if misused and rng.random() < 0.02:
        del given[misused[0]]
    return given, misused


def _kind(name: str) -> str:
    first, _, rest = name.partition(".")
    if rest and first in ("arm", "four-bar", "five-bar", "slider-crank", "floating"):
        return "calls/Model"
    return (
        f"calls/{first}"
        if first in ("control", "analysis", "beams", "events", "export", "papers", "sweeps")
        else "calls/top level"
    )
