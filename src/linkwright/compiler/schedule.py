"""The order in which a program is emitted: angles in groups, operations in chunks, live values in slots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from linkwright.compiler.opcodes import ARITY, Op
from linkwright.compiler.program import Program

ANGLES = 8
"""How many angles one packed sine and cosine call takes."""


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


@dataclass(frozen=True)
class _Trig:
    """Which value is the sine or cosine of which angle, and which angles go together."""

    program: Program

    @cached_property
    def pairs(self) -> dict[int, dict[int, int]]:
        """Angle to {SIN: value, COS: value}."""
        out: dict[int, dict[int, int]] = {}
        for k, op in enumerate(self.program.opcodes.tolist()):
            if op in (Op.SIN, Op.COS):
                out.setdefault(int(self.program.args[k, 0]), {})[op] = self.program.first_operation + k
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
        for op, args in zip(self.program.opcodes.tolist(), self.program.args.tolist(), strict=True):
            deepest = max((level[i] for i in args if i >= 0), default=0)
            level.append(deepest + (op in (Op.SIN, Op.COS)))
        return level


def trig_results(program: Program) -> dict[int, dict[int, int]]:
    """For every angle the value numbers of its sine and cosine, by `Op`."""
    return _Trig(program).pairs


def schedule(program: Program, chunk: int) -> Schedule:
    """Order and cut the operations; chunks of about `chunk` steps compile in linear time."""
    steps = _ordered(program)
    count = max(1, -(-len(steps) // chunk))
    size = max(1, -(-len(steps) // count))
    chunks = tuple(tuple(steps[i : i + size]) for i in range(0, len(steps), size)) or ((),)
    slots, n_slots = _slots(program, chunks)
    return Schedule(chunks, slots, n_slots)


def _ordered(program: Program) -> list[Step]:
    """Recording order, except that all angles of a group are computed before the group's first use."""
    trig = _Trig(program)
    if not trig.pairs:
        return list(range(program.n_operations))
    first, args = program.first_operation, program.args.tolist()
    steps: list[Step] = []
    done = [False] * program.n_operations

    def emit(k: int) -> None:
        if done[k]:
            return
        if program.opcodes[k] not in (Op.SIN, Op.COS):
            done[k] = True
            steps.append(k)
            return
        group = trig.groups[args[k][0]]
        for j in _cone(args, first, group.values, done):
            emit(j)
        steps.append(group)
        for angle in group.values:
            for value in trig.pairs[angle].values():
                done[value - first] = True

    for k in range(program.n_operations):
        emit(k)
    return steps


def _cone(args: list[list[int]], first: int, values: tuple[int, ...], done: list[bool]) -> list[int]:
    """Operations still to be done before the values exist, in order."""
    found: set[int] = set()
    stack = [v - first for v in values if v >= first]
    while stack:
        k = stack.pop()
        if k in found or done[k]:
            continue
        found.add(k)
        stack.extend(i - first for i in args[k] if i >= first)
    return sorted(found)


def operands(program: Program, step: Step) -> tuple[int, ...]:
    """The values a step reads."""
    if isinstance(step, Angles):
        return step.values
    return tuple(program.args[step, : ARITY[Op(program.opcodes[step])]].tolist())


def _slots(program: Program, chunks: tuple[tuple[Step, ...], ...]) -> tuple[dict[int, int], int]:
    """A work-array slot for every value that a later chunk reads; used again after its last reader."""
    first, pairs = program.first_operation, trig_results(program)
    born: dict[int, int] = {}
    last: dict[int, int] = {}
    for c, steps in enumerate(chunks):
        for step in steps:
            made = [v for a in step.values for v in pairs[a].values()] if isinstance(step, Angles) else [first + step]
            born.update((v, c) for v in made)
            last.update((v, c) for v in operands(program, step) if v >= first)
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
