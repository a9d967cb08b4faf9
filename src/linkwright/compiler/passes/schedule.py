"""A program cut into chunks, with work-array slots for the values that pass from one chunk to the next."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.compiler.passes.ordering import Angles, Step, operands, ordered, trig_results
from linkwright.compiler.trace.program import Program


@dataclass(frozen=True)
class Schedule:
    """Chunks of steps, and the work-array slots of values that outlive their chunk."""

    chunks: tuple[tuple[Step, ...], ...]
    slots: dict[int, int]
    n_slots: int
    pairs: dict[int, dict[int, int]]
    """For every angle the value numbers of its sine and cosine, by `Op`."""


def schedule(program: Program, chunk: int) -> Schedule:
    """Order and cut the operations; chunks of about `chunk` steps compile in linear time."""
    steps = ordered(program)
    count = max(1, -(-len(steps) // chunk))
    size = max(1, -(-len(steps) // count))
    chunks = tuple(tuple(steps[i : i + size]) for i in range(0, len(steps), size)) or ((),)
    pairs = trig_results(program)
    slots, n_slots = _slots(program, chunks, pairs)
    return Schedule(chunks, slots, n_slots, pairs)


def _slots(
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
