"""In which order operations are emitted: few values waiting, and angles gathered for packed sine and cosine calls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from linkwright.compiler.trace.opcodes import Op
from linkwright.compiler.trace.program import Program

_TRIG = (int(Op.SIN), int(Op.COS))
ANGLES = 8
"""How many angles one packed sine and cosine call takes."""

REGISTERS = 15
"""Values that can wait in vector registers, one being left for the operation at hand."""


@dataclass(frozen=True)
class Angles:
    """Values whose sine and cosine are taken together."""

    values: tuple[int, ...]


Step = int | Angles
"""An operation number, or a group of angles."""


@dataclass(frozen=True)
class _Trig:
    """Which value is the sine or cosine of which angle, and which angles go together."""

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


def trig_results(program: Program) -> dict[int, dict[int, int]]:
    """For every angle the value numbers of its sine and cosine, by `Op`."""
    return _Trig(program).pairs


def ordered(program: Program) -> list[Step]:
    """The quieter order, except that all angles of a group are computed before the group's first use."""
    trig = _Trig(program)
    order = _quieter_order(program)
    if not trig.pairs:
        return list(order)
    first, operations = program.first_operation, program.operations
    place = {k: i for i, k in enumerate(order)}
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
        for j in sorted(_cone(program, group.values, done), key=place.__getitem__):
            emit(j)
        steps.append(group)
        for angle in group.values:
            for value in trig.pairs[angle].values():
                done[value - first] = True

    for k in order:
        emit(k)
    return steps


def _quieter_order(program: Program) -> list[int]:
    """Recording order or depth first from the results, whichever puts fewer values aside for lack of registers.

    Recursions are best as written; derivatives and eliminations are mostly best depth first (decision 0106).
    """
    recorded, deep = list(range(program.n_operations)), _depth_first(program)
    return min(recorded, deep, key=lambda order: _stores(program, order))


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


def _stores(program: Program, order: list[int]) -> int:
    """How many values must be put aside when the one needed latest always makes room."""
    first, operations = program.first_operation, program.operations
    uses: dict[int, list[int]] = {}
    for time in reversed(range(len(order))):
        for value in {*operations[order[time]][1]}:
            uses.setdefault(value, []).append(time)
    held: set[int] = set()
    stored: set[int] = set()
    for k in order:
        made = first + k
        for value in {*operations[k][1]}:
            uses[value].pop()
            held.add(value)
        held = {value for value in held if uses[value]}
        if uses.get(made):
            held.add(made)
        while len(held) > REGISTERS:
            latest = max(held, key=lambda value: uses[value][-1])
            held.remove(latest)
            if latest >= first:
                stored.add(latest)
    return len(stored)


def _cone(program: Program, values: tuple[int, ...], done: list[bool]) -> set[int]:
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


def operands(program: Program, step: Step) -> tuple[int, ...]:
    """The values a step reads."""
    return step.values if isinstance(step, Angles) else program.operations[step][1]
