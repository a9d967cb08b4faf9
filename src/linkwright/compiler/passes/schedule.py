"""A program with its multiply-adds decided, ordered and cut into chunks with slots for values that pass on.

Left to itself a code generator fuses differently in scalar and in vector code. Choosing here makes a state give the
same bits alone and in any lane.

The order keeps few values waiting, and gathers angles for packed sine and cosine calls.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwright.compiler.trace.operations import Op
from linkwright.compiler.trace.program import Program
from linkwright.dataclass import dataclass

# --- decide, once for every way of running a program, which multiply-adds are rounded once ----------------------------

_ADD, _SUB, _MUL, _FMA, _FMS, _FNMA = map(int, (Op.ADD, Op.SUB, Op.MUL, Op.FMA, Op.FMS, Op.FNMA))


def fuse_products(program: Program) -> Program:
    """The program with every product that only one sum needs merged into that sum.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> fuse_products(trace(lambda x, y: x @ y, {"x": 3, "y": 3})).n_operations
    3
    """
    first = program.first_operation
    single = (_count_value_uses(program) == 1).tolist()
    operations = list(program.operations)
    dead = np.zeros(len(operations), dtype=bool)
    for k, (op, args) in enumerate(program.operations):
        if op not in (_ADD, _SUB):
            continue
        # of two products the one computed last is merged: it is on the longer path
        for side in (0, 1) if args[0] > args[1] else (1, 0):
            value = args[side]
            if value >= first and single[value] and operations[value - first][0] == _MUL:
                operations[k] = _fused_operation(op, operations[value - first][1], args[1 - side], side)
                dead[value - first] = True
                break
    return _drop_dead_operations(program, operations, dead)


def _count_value_uses(program: Program) -> np.ndarray:
    named = np.concatenate([program.args[program.args >= 0], program.results])
    return np.bincount(named, minlength=program.first_operation + program.n_operations)


def _fused_operation(op: int, product: tuple[int, ...], rest: int, side: int) -> tuple[int, tuple[int, ...]]:
    if op == _ADD:
        return _FMA, (*product, rest)
    return (_FMS if side == 0 else _FNMA), (*product, rest)


def _drop_dead_operations(program: Program, operations: list[tuple[int, tuple[int, ...]]], dead: np.ndarray) -> Program:
    """The program with these operations, less those nobody names any more."""
    first = program.first_operation
    number = np.concatenate([np.arange(first), first + np.cumsum(~dead) - 1])
    kept = [operation for operation, gone in zip(operations, dead.tolist(), strict=True) if not gone]
    args = np.array([(*args, -1, -1)[:3] for _, args in kept], dtype=np.int32).reshape(-1, 3)
    args = np.where(args >= 0, number[args], -1)
    opcodes = np.array([op for op, _ in kept], dtype=np.uint16)
    return replace(program, opcodes=opcodes, args=args, results=number[program.results])


# --- A program ordered and cut into chunks, with work-array slots for values that pass from one chunk to the next -----

_TRIG = (int(Op.SIN), int(Op.COS))
ANGLES = 8
"""Angles that one packed sine and cosine call takes."""

REGISTERS = 15
"""Values that can wait in vector registers, one being left for the operation at hand."""


@dataclass(frozen=True)
class Angles:
    """Values whose sine and cosine are taken together."""

    values: tuple[int, ...]


Step = int | Angles
"""An operation number, or a group of angles."""


@dataclass(frozen=True)
class Schedule:
    """Chunks of steps, and the work-array slots of values that outlive their chunk."""

    chunks: tuple[tuple[Step, ...], ...]
    slots: dict[int, int]
    n_slots: int
    pairs: dict[int, dict[int, int]]
    """For every angle the value numbers of its sine and cosine, by `Op`."""


def schedule_operations(program: Program, chunk: int) -> Schedule:
    """Order and cut the operations; chunks of about `chunk` steps compile in linear time."""
    trig = _Trig(program)
    steps = _order_operations(program, trig)
    count = max(1, -(-len(steps) // chunk))
    size = max(1, -(-len(steps) // count))
    chunks = tuple(tuple(steps[i : i + size]) for i in range(0, len(steps), size)) or ((),)
    slots, n_slots = _assign_slots(program, chunks, trig.pairs)
    return Schedule(chunks, slots, n_slots, trig.pairs)


@dataclass(frozen=True)
class _Trig:
    """Sines and cosines of a program: the values of every angle, and the angles that go together."""

    program: Program

    @cached_property
    def pairs(self) -> dict[int, dict[int, int]]:
        """Angle to {SIN: value, COS: value}."""
        out: dict[int, dict[int, int]] = {}
        for value, (op, args) in enumerate(self.program.operations, self.program.first_operation):
            if op in _TRIG:
                out.setdefault(args[0], {})[op] = value
        return out

    @cached_property
    def groups(self) -> dict[int, Angles]:
        """Angle to its group; only angles that do not wait for each other's sines share one."""
        by_level: dict[int, list[int]] = {}
        level = self._levels()
        for angle in self.pairs:
            by_level.setdefault(level[angle], []).append(angle)
        out: dict[int, Angles] = {}
        for angles in by_level.values():
            for start in range(0, len(angles), ANGLES):
                group = Angles(tuple(angles[start : start + ANGLES]))
                out.update((angle, group) for angle in group.values)
        return out

    def _levels(self) -> list[int]:
        level = [0] * self.program.first_operation
        for op, args in self.program.operations:
            level.append(max(level[i] for i in args) + (op in _TRIG))
        return level


def _order_operations(program: Program, trig: _Trig) -> list[Step]:
    """The order with fewer stores, except that all angles of a group are computed before the group's first use."""
    order = _shorter_order(program)
    if not trig.pairs:
        return list(order)
    first, operations = program.first_operation, program.operations
    rank = {k: i for i, k in enumerate(order)}
    steps: list[Step] = []
    done = [False] * program.n_operations

    def emit(k: int) -> None:
        if done[k]:
            return
        op, args = operations[k]
        if op not in _TRIG:
            done[k] = True
            steps.append(k)
            return
        group = trig.groups[args[0]]
        for j in sorted(_pending_operations(program, group.values, done), key=rank.__getitem__):
            emit(j)
        steps.append(group)
        for angle in group.values:
            for value in trig.pairs[angle].values():
                done[value - first] = True

    for k in order:
        emit(k)
    return steps


def _shorter_order(program: Program) -> list[int]:
    """Recording order or depth first from the results, whichever stores fewer values for lack of registers.

    Recursions are best as written; derivatives and eliminations are mostly best depth first.
    """
    recorded, deep = list(range(program.n_operations)), _depth_first(program)
    most = _count_stores(program, deep, program.n_operations)
    return deep if _count_stores(program, recorded, most) > most else recorded


def _depth_first(program: Program) -> list[int]:
    first, operations = program.first_operation, program.operations
    depth = [0] * first
    for _, args in operations:
        depth.append(1 + max(depth[i] for i in args))
    done = [False] * len(operations)
    order: list[int] = []
    for result in program.results.tolist():
        stack = [result] if result >= first else []
        while stack:
            value = stack[-1]
            if done[value - first]:
                stack.pop()
                continue
            missing = [i for i in operations[value - first][1] if i >= first and not done[i - first]]
            if missing:
                stack.extend(sorted(missing, key=depth.__getitem__))
            else:
                done[value - first] = True
                order.append(value - first)
                stack.pop()
    return order


def _count_stores(program: Program, order: list[int], most: int) -> int:
    """Number of values stored when the one needed latest is always evicted; the count ends above `most`."""
    first, operations = program.first_operation, program.operations
    coming: dict[int, int] = {}  # when a value is needed next, seen from the end
    after: list[list[int]] = []
    for time in reversed(range(len(order))):
        args = operations[order[time]][1]
        after.append([coming.get(value, 0) for value in args])
        coming.update((value, time) for value in args)
    held: dict[int, int] = {}
    stored: set[int] = set()
    for k, needed in zip(order, reversed(after), strict=True):
        for value, again in zip(operations[k][1], needed, strict=True):
            if again:
                held[value] = again
            else:
                held.pop(value, None)
        made = first + k
        if made in coming:
            held[made] = coming[made]
        while len(held) > REGISTERS:
            latest = max(held, key=held.__getitem__)
            del held[latest]
            if latest >= first:
                stored.add(latest)
        if len(stored) > most:
            break
    return len(stored)


def _pending_operations(program: Program, values: tuple[int, ...], done: list[bool]) -> set[int]:
    """Operations still to be done before the values exist."""
    first = program.first_operation
    found: set[int] = set()
    stack = [v - first for v in values if v >= first]
    while stack:
        k = stack.pop()
        if k not in found and not done[k]:
            found.add(k)
            stack.extend(i - first for i in program.operations[k][1] if i >= first)
    return found


def _assign_slots(
    program: Program, chunks: tuple[tuple[Step, ...], ...], pairs: dict[int, dict[int, int]]
) -> tuple[dict[int, int], int]:
    """A work-array slot for every value that a later chunk reads; used again after its last reader."""
    first = program.first_operation
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for c, steps in enumerate(chunks):
        for step in steps:
            made = [v for a in step.values for v in pairs[a].values()] if isinstance(step, Angles) else [first + step]
            born.update((v, c) for v in made)
            read = step.values if isinstance(step, Angles) else program.operations[step][1]
            last.update((v, c) for v in read if v >= first)
    starting: dict[int, list[int]] = {}
    ending: dict[int, list[int]] = {}
    for value, c in last.items():
        if c > born[value]:
            starting.setdefault(born[value], []).append(value)
            ending.setdefault(c, []).append(value)
    slots: dict[int, int] = {}
    free: list[int] = []
    n_slots = 0
    for c in range(len(chunks)):
        for value in starting.get(c, ()):
            slots[value] = free.pop() if free else n_slots
            n_slots = max(n_slots, slots[value] + 1)
        free.extend(slots[value] for value in ending.get(c, ()))
    return slots, n_slots
