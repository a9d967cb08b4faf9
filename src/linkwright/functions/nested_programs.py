"""Programs traced inside a trace: what is differentiated there may depend on numbers that are recorded outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np

from linkwright.algebra.sums import SymbolSum
from linkwright.compiler import Program, Scalar, trace
from linkwright.compiler.trace.tracing import Shape
from linkwright.mechanism.mechanism import Mechanism

Record = TypeVar("Record")


def traced_on(
    record: Record, function: Callable[..., Any], inputs: Mapping[str, Shape]
) -> tuple[Program, tuple[np.ndarray, ...]]:
    """The program of `function(record, **inputs)`, and what to give it behind the inputs.

    Numbers of the record that an outer trace has recorded become one more argument of the program; without any, there
    is nothing to give.
    """
    met: dict[int, Any] = {}
    _replace_recorded_values(record, lambda x: met.setdefault(id(x), x))
    if not met:
        return trace(lambda **x: function(record, **x), inputs), ()

    def inner(outer: np.ndarray, **x: Any) -> Any:
        known = dict(zip(met, outer, strict=True))
        return function(_replace_recorded_values(record, lambda y: known[id(y)]), **x)

    values = np.array([x.resolved if isinstance(x, SymbolSum) else x for x in met.values()], dtype=object)
    return trace(inner, {**inputs, "outer": (len(met),)}), (values,)


def _replace_recorded_values(x: Any, change: Callable[[Any], Any]) -> Any:
    """A record, tuple or array with its recorded values changed; constants among them are plain numbers then."""
    if isinstance(x, Scalar):
        return change(x) if x.value is None else x.value
    if isinstance(x, SymbolSum):
        return change(x)
    if isinstance(x, np.ndarray):
        if x.dtype != object:
            return x
        return np.array([_replace_recorded_values(y, change) for y in x.ravel()], dtype=object).reshape(x.shape)
    if isinstance(x, tuple):
        items = tuple(_replace_recorded_values(y, change) for y in x)
        return x if all(new is old for new, old in zip(items, x, strict=True)) else items
    if is_dataclass(x) and not isinstance(x, type):
        given = {f.name: getattr(x, f.name) for f in fields(x)}
        new = {name: _replace_recorded_values(value, change) for name, value in given.items()}
        new = {name: value for name, value in new.items() if value is not given[name]}
        return x if not new else x.unchecked(**new) if isinstance(x, Mechanism) else replace(x, **new)
    return x
