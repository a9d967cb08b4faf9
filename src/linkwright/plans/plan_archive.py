"""Plans kept between runs: a mechanism met before needs no sampling."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from linkwright.compiler.cache.entries import keep, recall
from linkwright.compiler.runtime.progress import busy
from linkwright.formulations.elimination import Plan
from linkwright.formulations.lu import SquarePlan
from linkwright.formulations.minimal import Partition
from linkwright.functions.source_stamp import source_stamp
from linkwright.functions.stages import Stage
from linkwright.plans.rank import Rank


def remembered(stage: Stage, what: str, make: Callable[[], Any], read: Callable[[Any], Any]) -> Any:
    """Decision of `make` for a mechanism at a stage, from the notes if they hold it in a form `read` accepts."""
    title = repr((source_stamp("plans", "kinematics", "dynamics"), stage.identity, what))
    key = hashlib.blake2b(title.encode(), digest_size=16).hexdigest()
    text = recall(key)
    if text is not None:
        try:
            return read(json.loads(text))
        except (ValueError, KeyError, TypeError):
            pass
    with busy(f"planning: {what}"):
        made = make()
    keep(key, json.dumps(written(made)))
    return made


def written(x: Any) -> Any:
    """Plans, ranks and partitions as JSON values."""
    match x:
        case Plan(pivots, touched):
            return {"pivots": pivots, "touched": touched}
        case SquarePlan(pivots, rows, columns):
            return {"pivots": pivots, "rows": rows, "columns": columns}
        case Partition(independent, dependent, plan):
            return {"independent": independent, "dependent": dependent, "plan": written(plan)}
        case Rank(kept, redundant):
            return {"kept": kept, "redundant": redundant}
        case _:
            return x


def read_plan(x: Any) -> Plan:
    return Plan(_pairs(x["pivots"]), _pairs(x["touched"]))


def read_square(x: Any) -> SquarePlan:
    pivots = tuple((int(r), int(c)) for r, c in x["pivots"])
    return SquarePlan(pivots, _pairs(x["rows"]), _pairs(x["columns"]))


def read_partition(x: Any) -> Partition:
    return Partition(_integers(x["independent"]), _integers(x["dependent"]), read_square(x["plan"]))


def read_rank(x: Any) -> Rank:
    return Rank(_integers(x["kept"]), _integers(x["redundant"]))


def read_floats(x: Any) -> list[float]:
    return [float(number) for number in x]


def _integers(x: Any) -> tuple[int, ...]:
    return tuple(int(i) for i in x)


def _pairs(x: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(_integers(row) for row in x)
