"""Branch-free choices and table look-ups that work on floats, arrays and recorded values alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.trace.lookup_tables import finite_table, plain_look_up
from linkwright.compiler.trace.operations import FIND, READ
from linkwright.compiler.trace.recorder import Recorder, Scalar
from linkwright.errors import ArgumentError


def select(c: Any, a: Any, b: Any) -> Any:
    """`a` where `c > 0`, else `b`, element by element, on floats and recorded values alike.

    >>> float(select(1.0, 2.0, 3.0)), float(select(0.0, 2.0, 3.0))
    (2.0, 3.0)
    """
    return _SELECT(c, a, b) if _has_recorded_values(c, a, b) else np.where(np.greater(c, 0.0), a, b)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two values, element by element, on floats and recorded values alike.

    >>> float(minimum(1.0, 2.0))
    1.0
    """
    return _MINIMUM(a, b) if _has_recorded_values(a, b) else np.minimum(a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two values, element by element, on floats and recorded values alike.

    >>> float(maximum(1.0, 2.0))
    2.0
    """
    return _MAXIMUM(a, b) if _has_recorded_values(a, b) else np.maximum(a, b)


def interval(x: Any, breakpoints: Any) -> Any:
    """Number of breakpoints (n,), which ascend, at or below x; 0 to n, also for recorded values.

    >>> float(interval(1.5, [0.0, 1.0, 2.0]))
    2.0
    """
    table = finite_table("breakpoints", breakpoints)
    if np.any(np.diff(table) < 0.0):
        raise ArgumentError("breakpoints must ascend; sort the table by its first column")
    return _look_up_values(FIND, table, x)


def entry(index: Any, table: Any) -> Any:
    """The number of the table (n,) at an index 0 to n - 1 that `interval` found, also for recorded values.

    >>> float(entry(2.0, [5.0, 6.0, 7.0]))
    7.0
    """
    return _look_up_values(READ, finite_table("table", table), index)


def _has_recorded_values(*values: Any) -> bool:
    return any(np.asarray(x).dtype == object for x in values)


def _elementwise_function(rule: Callable[..., Scalar], plain: Callable[..., Any], arity: int) -> Any:
    """The rule where an argument is recorded, the plain function elsewhere, on object arrays."""

    def one(*values: Any) -> Any:
        rec = next((x.rec for x in values if isinstance(x, Scalar)), None)
        return plain(*values) if rec is None else rule(rec, *map(rec.number, values))

    return np.frompyfunc(one, arity, 1)


_SELECT = _elementwise_function(Recorder.select, lambda c, a, b: a if c > 0 else b, 3)
_MINIMUM = _elementwise_function(Recorder.min, min, 2)
_MAXIMUM = _elementwise_function(Recorder.max, max, 2)


def _look_up_values(kind: int, table: np.ndarray, x: Any) -> Any:
    plain = plain_look_up(kind, table)
    if not _has_recorded_values(x):
        return plain(x)
    return _elementwise_function(lambda rec, a: rec.look_up(kind, table, a), lambda a: float(plain(a)), 1)(x)
