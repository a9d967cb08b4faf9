"""Tables of numbers that programs read, and the two look-ups on plain numbers.

`FIND` gives the interval of a sorted table that a number falls into, `READ` the entry at an index. With these two a
spline of any length costs a binary search and a few multiplications, and is differentiated like any other arithmetic:
both are constant between breakpoints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.trace.operations import FIND
from linkwright.errors import ArgumentError

Array = np.ndarray


def finite_table(name: str, table: Any) -> Array:
    """A table as a read-only float64 array (n,), n at least 1; NaN and infinity are refused."""
    found = np.array(table, dtype=np.float64)
    if found.ndim != 1 or not len(found):
        raise ArgumentError(f"{name} has shape {found.shape}, expected (n,) with at least one number")
    if not np.isfinite(found).all():
        raise ArgumentError(f"{name} holds {found[~np.isfinite(found)][0]} at row {int(np.argmin(np.isfinite(found)))}")
    found.setflags(write=False)
    return found


def plain_look_up(kind: int, table: Array, dtype: Any = np.float64) -> Callable[[Any], Any]:
    """The look-up on arrays of plain numbers; NaN counts as below all breakpoints, as in machine code."""
    if kind == FIND:
        return lambda x: _find_interval(table, np.asarray(x, dtype=np.float64)).astype(dtype)
    return lambda index: table[np.asarray(index, dtype=np.float64).astype(np.int64)].astype(dtype)


def _find_interval(breakpoints: Array, x: Array) -> Array:
    return np.where(np.isnan(x), 0, np.searchsorted(breakpoints, x, side="right"))
