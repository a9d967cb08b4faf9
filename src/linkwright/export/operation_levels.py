"""A program as few operations on arrays, for libraries that pay for every operation they are given.

Values of a program are numbered slots of one array. Sines, exponentials and look-ups of equal depth are one operation
each; everything between them is a table of rows, each of which does many multiply-adds and a few divisions, square
roots and choices at once. A library that loops over the rows compiles the loop once, however long the program is.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from linkwright.compiler import Program
from linkwright.compiler.passes.schedule import fuse_products
from linkwright.compiler.trace.operations import FIRST_TABLE, ONE, OPERATIONS, ZERO, is_transcendental
from linkwright.dataclass import dataclass

Array = np.ndarray

# Rows are so much wider than the mean number of operations per level, so that few more rows than levels are needed.
_SPREAD = 1.5


@dataclass(frozen=True, eq=False)
class Apart:
    """One operation on many slots.

    Attributes:
        op: of a program.
        args: slots of each argument, (arguments, n).
        start: the first slot of the results.
    """

    op: int
    args: Array
    start: int


@dataclass(frozen=True, eq=False)
class LoopedRows:
    """Rows of operations: each fills the next slots with its sums, then with its other results.

    Attributes:
        factors: slots of a, b and c of `sign a b + other c`, (rows, 3, sums).
        signs: sign and other, (rows, 2, sums).
        others: slots of three arguments, (rows, 3, n).
        ops: operations on them, (rows, n); 0 where there is none.
        start: the first slot of the results.
    """

    factors: Array
    signs: Array
    others: Array
    ops: Array
    start: int

    @property
    def width(self) -> int:
        """Slots that a row fills."""
        return int(self.factors.shape[2] + self.others.shape[2])


@dataclass(frozen=True, eq=False)
class Levels:
    """A program in slots: its inputs, constants, then the results of steps.

    Attributes:
        constants: in the slots after the inputs.
        steps: in order.
        results: slots of the outputs' elements.
        size: number of slots.
    """

    constants: Array
    steps: tuple[Apart | LoopedRows, ...]
    results: Array
    size: int


def schedule_levels(program: Program) -> Levels:
    """The program in few steps.

    >>> from linkwright.compiler import trace
    >>> found = schedule_levels(trace(lambda x: np.sin(x) @ np.cos(x), {"x": 8}))
    >>> [type(step).__name__ for step in found.steps]
    ['Apart', 'Apart', 'LoopedRows']
    """
    program = fuse_products(program)
    first, depth = program.first_operation, _operation_depths(program)
    latest = _latest_depths(program, depth)
    slot = np.full(first + program.n_operations, -1, dtype=np.int32)
    slot[:first] = np.arange(first)
    steps: list[Apart | LoopedRows] = []
    size = first + 2
    for d in range(max(depth, default=0) + 1):
        for op, numbers in _operations_apart(program, depth, d).items():
            args = np.array([program.operations[k][1] for k in numbers], dtype=np.int32)
            steps.append(Apart(op, slot[args].T, size))
            slot[[first + k for k in numbers]] = size + np.arange(len(numbers))
            size += len(numbers)
        light = [k for k in range(len(latest)) if latest[k] == d and not _is_apart(program, k)]
        if light:
            steps.append(_schedule_in_rows(program, light, slot, size, first))
            size += len(steps[-1].factors) * steps[-1].width  # type: ignore[union-attr]
    return Levels(np.concatenate([program.constants, [1.0, 0.0]]), tuple(steps), slot[program.results], size)


def _is_apart(program: Program, k: int) -> bool:
    op = program.operations[k][0]
    return op >= FIRST_TABLE or is_transcendental(op)


def _is_sum(program: Program, k: int) -> bool:
    return OPERATIONS[program.operations[k][0]].sum is not None


def _operation_depths(program: Program) -> list[int]:
    """How many operations apart lie on the longest way to each operation, itself counted."""
    first = program.first_operation
    depth: list[int] = []
    for k, (_, args) in enumerate(program.operations):
        before = max((depth[i - first] for i in args if i >= first), default=0)
        depth.append(before + _is_apart(program, k))
    return depth


def _latest_depths(program: Program, depth: Sequence[int]) -> list[int]:
    """The last depth at which each operation can be done."""
    first, last = program.first_operation, max(depth, default=0)
    latest = [last] * len(depth)
    for k in range(len(depth) - 1, -1, -1):
        own = depth[k] - 1 if _is_apart(program, k) else latest[k]
        for i in program.operations[k][1]:
            if i >= first:
                latest[i - first] = min(latest[i - first], own)
    return latest


def _operations_apart(program: Program, depth: Sequence[int], d: int) -> dict[int, list[int]]:
    """Numbers of the operations of one depth that are done apart, by kind."""
    out: dict[int, list[int]] = {}
    for k, own in enumerate(depth):
        if own == d and _is_apart(program, k):
            out.setdefault(program.operations[k][0], []).append(k)
    return out


def _schedule_in_rows(program: Program, light: list[int], slot: Array, start: int, first: int) -> LoopedRows:
    """Operations in rows, those on the longest way first; their slots are noted."""
    inside = {first + k for k in light}
    waiting: dict[int, int] = {}
    users: dict[int, list[int]] = {}
    for k in light:
        own = {i for i in program.operations[k][1] if i in inside}
        waiting[first + k] = len(own)
        for i in own:
            users.setdefault(i, []).append(first + k)
    height: dict[int, int] = {}
    for k in reversed(light):
        height[first + k] = 1 + max((height[u] for u in users.get(first + k, ())), default=0)
    sums = [first + k for k in light if _is_sum(program, k)]
    longest = max(height.values())
    widths = [int(np.ceil(_SPREAD * n / longest)) for n in (len(sums), len(light) - len(sums))]
    rows = _row_schedule(program, waiting, users, height, widths, first)
    table = _Tables(len(rows), widths, first)
    for r, (left, right) in enumerate(rows):
        base = start + r * sum(widths)
        for j, value in enumerate(left):
            op, args = program.operations[value - first]
            table.put_sum(r, j, op, [int(slot[i]) for i in args])
            slot[value] = base + j
        for j, value in enumerate(right):
            op, args = program.operations[value - first]
            table.put_other(r, j, op, [int(slot[i]) for i in args])
            slot[value] = base + widths[0] + j
    return LoopedRows(table.factors, table.signs, table.others, table.ops, start)


def _row_schedule(
    program: Program,
    waiting: dict[int, int],
    users: dict[int, list[int]],
    height: dict[int, int],
    widths: list[int],
    first: int,
) -> list[tuple[list[int], list[int]]]:
    """Rows of values: sums, and others."""
    ready: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])

    def queue(value: int) -> list[tuple[int, int]]:
        return ready[0 if _is_sum(program, value - first) else 1]

    for value, count in waiting.items():
        if not count:
            heapq.heappush(queue(value), (-height[value], value))
    rows = []
    while ready[0] or ready[1]:
        row = tuple(
            [heapq.heappop(own)[1] for _ in range(min(width, len(own)))]
            for own, width in zip(ready, widths, strict=True)
        )
        for value in (*row[0], *row[1]):
            for user in users.get(value, ()):
                waiting[user] -= 1
                if not waiting[user]:
                    heapq.heappush(queue(user), (-height[user], user))
        rows.append((row[0], row[1]))
    return rows


class _Tables:
    """Tables of rows while they are filled; `one` and the next slot hold 1 and 0, which unused entries read."""

    def __init__(self, rows: int, widths: list[int], one: int) -> None:
        sums, others = widths
        self.known = {ONE: one, ZERO: one + 1}
        self.factors = np.full((rows, 3, sums), one + 1, dtype=np.int32)
        self.signs = np.ones((rows, 2, sums))
        self.others = np.full((rows, 3, others), one, dtype=np.int32)
        self.ops = np.zeros((rows, others), dtype=np.int32)

    def put_sum(self, row: int, j: int, op: int, slots: list[int]) -> None:
        found = OPERATIONS[op].sum
        assert found is not None
        order, sign, other = found
        self.factors[row, :, j] = [self.known[i] if i < 0 else slots[i] for i in order]
        self.signs[row, :, j] = sign, other

    def put_other(self, row: int, j: int, op: int, slots: list[int]) -> None:
        self.others[row, : len(slots), j] = slots
        self.ops[row, j] = op
