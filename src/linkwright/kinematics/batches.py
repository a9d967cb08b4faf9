"""Rows of a batch: arrays as callers give them, starts and targets, how each row ended, blocks on several threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np

from linkwright.compiler.runtime import kernel_arguments as compiled_arguments
from linkwright.compiler.runtime.threads import available_threads, thread_pool
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

Array = np.ndarray

# Rows that go together: few enough for the processor's cache.
_BLOCK = 2048


class Ended(IntEnum):
    """How a row ended; `code` is the code of its failure."""

    REACHED = 0
    OPEN = 1  # steps do not come to an end
    FAR = 2  # the loops close far from the last configuration only
    TURNED = 3  # in another mode than that of the start
    LEFT_OPEN = 4  # equations that take no part do not hold
    TOO_FAR = 5  # the way is absurdly long
    NOT_BUILT = 6  # the inputs give no mechanism
    NOT_FINITE = 7  # start or target is not finite

    @property
    def code(self) -> str:
        return _CODES.get(self, "out-of-reach")

    @property
    def hopeless(self) -> bool:
        """Whether no other solver can help."""
        return self >= Ended.TOO_FAR


REACHED, TURNED, LEFT_OPEN = Ended.REACHED, Ended.TURNED, Ended.LEFT_OPEN  # quicker than looking them up there

_CODES = {
    Ended.TURNED: "other-mode",
    Ended.LEFT_OPEN: "loops-open",
    Ended.TOO_FAR: "too-far",
    Ended.NOT_BUILT: "bad-parameters",
    Ended.NOT_FINITE: "not-finite",
}


@dataclass(frozen=True, eq=False)
class BatchRows:
    """Starts and targets that broadcast over the leading axes of a batch.

    Attributes:
        lead: leading axes.
        start: closed coordinates, (..., nq). target: (..., m).
        values: values of the inputs, (..., n_p); None for the nominal ones.
        before: values at which the starts are closed, (n_p,); None where these are the same.
    """

    lead: tuple[int, ...]
    start: Array
    target: Array
    values: Array | None = None
    before: Array | None = None

    @property
    def count(self) -> int:
        return int(np.prod(self.lead, dtype=np.int64))

    def of(self, array: Array | None, rows: Any) -> Any:
        """Rows of an array by a slice or by their numbers, (n, k); (k,) where one serves all."""
        if array is None:
            return None
        own, k = array.shape[:-1], array.shape[-1]
        if all(n == 1 for n in own):
            return np.ascontiguousarray(array.reshape(k))
        if own == self.lead:
            return np.ascontiguousarray(array.reshape(-1, k)[rows])
        index = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        return np.broadcast_to(array, (*self.lead, k))[np.unravel_index(index, self.lead)]

    def finite(self, rows: Array) -> Array:
        """Mask of numbered rows whose start and target are finite numbers."""
        good = [np.isfinite(self.of(x, rows)).all(axis=-1) for x in (self.start, self.target)]
        return np.broadcast_to(good[0] & good[1], (len(rows),))

    def picked(self, rows: Array) -> BatchRows:
        """Some rows by their numbers, with one leading axis."""
        start, target, values = (self.of(x, rows) for x in (self.start, self.target, self.values))
        return BatchRows((len(rows),), start, target, values, self.before)


def repeat_rows(x: Any, n: int) -> Any:
    """One row for each of n, contiguous."""
    return None if x is None else np.ascontiguousarray(np.broadcast_to(x, (n, x.shape[-1])))


@dataclass(frozen=True, eq=False)
class ClosedRows:
    """Coordinates (n, nq), NaN where not reached; how each row ended, and the share of its way it went, (n,)."""

    q: Array
    ended: Array
    done: Array


def in_sequence(rows: BatchRows, solve: Callable[[BatchRows], ClosedRows]) -> ClosedRows:
    """Rows along the last leading axis one after the other, each from the last one before it that was reached."""
    *others, n = rows.lead
    m, nq = int(np.prod(others, dtype=np.int64)), rows.start.shape[-1]
    q, ended, done = np.empty((m, n, nq)), np.empty((m, n), dtype=np.int8), np.empty((m, n))
    every = [
        None if x is None else np.broadcast_to(x, (*rows.lead, x.shape[-1]))
        for x in (rows.start, rows.target, rows.values)
    ]
    start, before = np.array(every[0][..., :1, :]), rows.before  # type: ignore[index]
    start = start[..., 0, :] if n else start
    for i in range(n):
        target, values = (None if x is None else x[..., i, :] for x in every[1:])
        found = solve(BatchRows(tuple(others), start, target, values, before))  # type: ignore[arg-type]
        q[:, i], ended[:, i], done[:, i] = found.q, found.ended, found.done
        good = (found.ended == Ended.REACHED).reshape(tuple(others))
        start = np.where(good[..., None], found.q.reshape(*others, nq), start)
        before = None if good.all() else before
    return ClosedRows(q.reshape(-1, nq), ended.ravel(), done.ravel())


def run_in_blocks(work: Callable[[slice], None], n: int) -> None:
    """Call the work for blocks of n rows, by several threads where there are several blocks."""
    parts = [slice(i, min(i + _BLOCK, n)) for i in range(0, n, _BLOCK)]
    threads = min(available_threads(), len(parts))
    if threads < 2:
        for part in parts:
            work(part)
    else:
        list(thread_pool(threads, "kinematics").map(work, parts))


def real_array(title: str, value: Any) -> np.ndarray:
    """A float64 array of real numbers."""
    return compiled_arguments.require_real_array(title, value).astype(np.float64, copy=False)


def batch_array(title: str, value: Any, size: int) -> np.ndarray:
    """Numbers with any leading axes, (..., size); a single row must be finite."""
    array = real_array(title, value)
    if array.ndim == 0 or array.shape[-1] != size:
        raise ArgumentError(f"{title} has shape {array.shape}, expected (..., {size})")
    if array.ndim == 1 and not np.all(np.isfinite(array)):
        raise ArgumentError(f"{title} holds {array[~np.isfinite(array)][0]}, expected finite numbers")
    return array


def broadcast_parts(parts: Mapping[str, tuple[Any, int]]) -> list[np.ndarray]:
    """Arrays of given last sizes with their leading axes made equal; None stands for zeros."""
    arrays = {title: batch_array(title, value, size) for title, (value, size) in parts.items() if value is not None}
    try:
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays.values()))
    except ValueError:
        shapes = {title: array.shape for title, array in arrays.items()}
        raise ArgumentError(f"the leading axes do not fit together: {shapes}") from None
    return [np.broadcast_to(arrays.get(title, np.zeros(size)), (*lead, size)) for title, (_, size) in parts.items()]
