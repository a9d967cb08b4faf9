"""What is given of a motion in kinematics and what is found, in batches: rows, starts, failures, threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from linkwright.compiler.runtime import kernel as compiled_arguments
from linkwright.compiler.runtime.code import available_threads, thread_pool
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, LinkwrightError, warn_caller

# --- rows of a batch --------------------------------------------------------------------------------------------------

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

    def take_rows(self, rows: Array) -> BatchRows:
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


# --- what is given of a motion in kinematics, what is found, and which rows of a batch failed -------------------------

# How many failed rows the record of a warning lists.
_SHOWN = 5

Index = int | tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """A row of a batch that has no result.

    Attributes:
        row: its index in the leading axes; () for a single state.
        code: "not-finite", "quaternion-norm", "bad-parameters", "out-of-reach", "other-mode", "loops-open", "too-far",
            "no-rates", "rank-changed", "singular", or the code of another error.
        reason: the same as a message, with the way out.
    """

    row: Index
    code: str
    reason: str

    def __str__(self) -> str:
        return self.reason if self.row == () else f"row {self.row}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Failures:
    """Failed rows of one kind of result; codes and reasons are made when they are read.

    Attributes:
        lead: leading axes of the batch.
        rows: numbers of the failed rows, ascending.
        code, reason: of a row by its number.
        error: what a single state raises.
    """

    lead: tuple[int, ...]
    rows: np.ndarray
    code: Callable[[int], str]
    reason: Callable[[int], str]
    error: type[LinkwrightError]

    def records(self) -> list[Failure]:
        """One record per failed row."""
        return [Failure(batch_index(row, self.lead), self.code(row), self.reason(row)) for row in self.rows.tolist()]


def batch_index(row: int, lead: tuple[int, ...]) -> Index:
    """A row's index in the leading axes of the batch."""
    return row if len(lead) == 1 else tuple(int(i) for i in np.unravel_index(row, lead)) if lead else ()


def all_records(failures: Sequence[Failures]) -> tuple[Failure, ...]:
    """Records of all failed rows, each row once, by its first failure."""
    found: dict[int, Failure] = {}
    for some in failures:
        for row, record in zip(some.rows.tolist(), some.records(), strict=True):
            found.setdefault(row, record)
    return tuple(found[row] for row in sorted(found))


def report_failures(function: str, name: str, failures: Sequence[Failures]) -> None:
    """Raise for a single state that has no result; warn once for the rows of a batch that have none and hold NaN."""
    found = [some for some in failures if len(some.rows)]
    if not found:
        return
    first = found[0]
    if not first.lead:
        row = int(first.rows[0])
        raise first.error(f"{function} of '{name}': {first.reason(row)}", rows=[row])
    codes = sorted({some.code(row) for some in found for row in some.rows.tolist()})
    rows = np.unique(np.concatenate([some.rows for some in found]))
    lowest = min(found, key=lambda some: int(some.rows[0]))
    warn_of_rows(function, name, rows, first.lead, ", ".join(codes), lowest.reason(int(rows[0])))


def warn_of_rows(function: str, name: str, rows: np.ndarray, lead: tuple[int, ...], kind: str, reason: str) -> None:
    """Warn of rows of a batch that have no result: of what kind they are, and in the record the reason of the first."""
    text = (
        f"{function} of '{name}': some rows of the batch could not be computed and hold NaN ({kind}); "
        f'model.diagnose("{function}", ...) lists them with their reasons'
    )
    value = {
        "function": function,
        "failed": len(rows),
        "rows": int(np.prod(lead)),
        "first": [batch_index(row, lead) for row in rows[:_SHOWN].tolist()],
        "reason": reason,
    }
    warn_caller(text, BatchWarning, subject=name, value=value)


COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
"""Components of a pose or twist in their order."""


@dataclass(frozen=True, eq=False)
class KinematicsQuery:
    """What is given of a motion.

    Attributes:
        lead: leading axes of the batch.
        frame: a frame whose pose is given; None where the actuators' positions are.
        given: components of the frame rx ry rz x y z that count, or numbers of the actuators.
        target: pose x y z, w x y z (..., 7), or positions of the actuators (..., na).
        rate, acceleration: twist and twist rate (..., 6), or those of the actuators; None for zero.
        norms: norms of the given quaternions, (...), where some are not 1 and their rows are NaN; else None.
    """

    lead: tuple[int, ...]
    frame: str | None
    given: tuple[int, ...]
    target: Array
    rate: Array | None
    acceleration: Array | None
    norms: Array | None = None


@dataclass(frozen=True, eq=False)
class KinematicsResult:
    """Coordinates, velocities and accelerations, NaN in rows that have none, and those rows."""

    q: Array
    v: Array
    a: Array
    failures: tuple[Failures, ...]
