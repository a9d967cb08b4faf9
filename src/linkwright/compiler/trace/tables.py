"""Look-ups in sorted tables: which interval a number falls into, and what stands in a table at that place.

With these two a spline of any length costs a binary search and a few multiplications, and is differentiated like any
other arithmetic: both are constant between breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.trace.opcodes import FIND, FIRST_TABLE, READ
from linkwright.compiler.trace.scalar import Scalar
from linkwright.errors import ArgumentError

Array = np.ndarray


def interval(x: Any, breakpoints: Any) -> Any:
    """How many of the breakpoints (n,), which ascend, are at or below x; 0 to n, also for recorded values.

    >>> float(interval(1.5, [0.0, 1.0, 2.0]))
    2.0
    """
    table = finite("breakpoints", breakpoints)
    if np.any(np.diff(table) < 0.0):
        raise ArgumentError("breakpoints must ascend; sort the table by its first column")
    return _looked_up(FIND, table, x)


def entry(place: Any, table: Any) -> Any:
    """The number of the table (n,) at a place 0 to n - 1 that `interval` found, also for recorded values.

    >>> float(entry(2.0, [5.0, 6.0, 7.0]))
    7.0
    """
    return _looked_up(READ, finite("table", table), place)


def finite(name: str, table: Any) -> Array:
    """A table as a read-only float64 array (n,), n at least 1; NaN and infinity are refused."""
    found = np.array(table, dtype=np.float64)
    if found.ndim != 1 or not len(found):
        raise ArgumentError(f"{name} has shape {found.shape}, expected (n,) with at least one number")
    if not np.isfinite(found).all():
        raise ArgumentError(f"{name} holds {found[~np.isfinite(found)][0]} at row {int(np.argmin(np.isfinite(found)))}")
    found.setflags(write=False)
    return found


def _looked_up(kind: int, table: Array, x: Any) -> Any:
    if np.asarray(x).dtype != object:
        return plain_look_up(kind, table)(x)
    one = np.frompyfunc(lambda each: _one(kind, table, each), 1, 1)
    return one(x)


def _one(kind: int, table: Array, x: Any) -> Any:
    return x.rec.look_up(kind, table, x) if isinstance(x, Scalar) else float(plain_look_up(kind, table)(x))


def plain_look_up(kind: int, table: Array, dtype: Any = np.float64) -> Callable[[Any], Any]:
    """The look-up on arrays of plain numbers; NaN counts as below all breakpoints, as in machine code."""
    if kind == FIND:
        return lambda x: _found(table, np.asarray(x, dtype=np.float64)).astype(dtype)
    return lambda place: table[np.asarray(place, dtype=np.float64).astype(np.int64)].astype(dtype)


def _found(breakpoints: Array, x: Array) -> Array:
    return np.where(np.isnan(x), 0, np.searchsorted(breakpoints, x, side="right"))


def plain_look_ups(tables: Sequence[Array], dtype: Any = np.float64) -> dict[int, Callable[[Any], Any]]:
    """The look-ups of a program by operation number."""
    pairs = [(number, kind) for number in range(len(tables)) for kind in (FIND, READ)]
    return {FIRST_TABLE + 2 * number + kind: plain_look_up(kind, tables[number], dtype) for number, kind in pairs}
