"""Every public call with every strange value for every one of its arguments, one at a time, in shuffled order."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.hostile.call import Call
from tests.hostile.calls import misuse
from tests.hostile.cases import Case
from tests.hostile.subjects import all_calls
from tests.hostile.values import VALUES, odd

_SPOILT = 40  # variants of the good value


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases by number; beyond the last one they begin again, with other variants of good values."""
    pairs = [(call, name) for call in all_calls(folder) for name in dict.fromkeys([*call.names, *call.good])]
    order = list(range(len(pairs) * (len(VALUES) + _SPOILT)))
    random.Random(f"every {seed}").shuffle(order)
    return partial(case, pairs, order, seed)


def case(pairs: list[tuple[Call, str]], order: list[int], seed: int, index: int) -> Case:
    """One call with one strange argument."""
    which, variant = divmod(order[index % len(order)], len(VALUES) + _SPOILT)
    call, name = pairs[which]
    rng = random.Random(f"every {seed} {index}")
    good = call.good.get(name, call.defaults.get(name))
    value = VALUES[variant]() if variant < len(VALUES) else odd(good, rng)
    given = dict(call.good) | {each: odd(None, rng) for each in call.missing} | {name: value}
    made = misuse(call, (), given, [*dict.fromkeys([name, *call.missing])])
    return replace(made, kind=made.kind.replace("calls/", "every/"))
