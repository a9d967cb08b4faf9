"""A program cut into parts that need not wait for each other: every leg, then the center, then every leg again.

Knows no mechanics. An operation belongs to the leg whose inputs it needs; to the center when it needs those of several
legs; to a leg again when, of those, only that leg's results need it. What needs no leg's input is common: each part
that uses it does it for itself, which costs operations and saves waiting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from linkwright.compiler import Op, Options, Port, Program, operation_count
from linkwright.compiler.codegen.target import host_target
from linkwright.compiler.passes.multiply_add_fusion import fuse_products
from linkwright.dataclass import dataclass

CENTER = -1
Stage = Literal["first", "central", "second", "common"]
Owner = tuple[Stage, int]
_COMMON: Owner = ("common", CENTER)
_CENTRAL: Owner = ("central", CENTER)


@dataclass(frozen=True, eq=False)
class SlicedProgram:
    """One program of a cut.

    Attributes:
        name: "leg 1", "center", "leg 1 again" and so on.
        program: what to run; outputs are `out`, elements of the whole result, `live`, what other parts need, and
            `unmerged`, which nobody reads; each may be missing.
        needs: names of its inputs: ports of the whole program, and parts whose live values it takes.
        gives: which elements of the whole result `out` holds.
    """

    name: str
    program: Program
    needs: tuple[str, ...]
    gives: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Slices:
    """The whole program, its parts, and where every operation went.

    Attributes:
        whole: the program that was cut.
        first, central, second: the parts in the order of their stages (at most one is central); parts of one stage
            need not wait for each other.
        counts: operations of the whole by owner, each counted once: ("first", leg), ("second", leg), ("central", -1),
            ("common", -1).
    """

    whole: Program
    first: tuple[SlicedProgram, ...]
    central: tuple[SlicedProgram, ...]
    second: tuple[SlicedProgram, ...]
    counts: dict[Owner, int]

    @property
    def independent(self) -> int:
        """Operations that belong to one leg."""
        return sum(n for (stage, _), n in self.counts.items() if stage in ("first", "second"))

    @property
    def longest(self) -> int:
        """Operations on the longest way: slowest leg, center, slowest leg; what a core per leg cannot shorten."""
        stages = (self.first, self.central, self.second)
        return sum(max((operation_count(p.program).total for p in parts), default=0) for parts in stages)


def slice_program(program: Program, inputs: Sequence[int], results: Sequence[int], legs: int) -> Slices:
    """Cut a program.

    Args:
        program: the whole.
        inputs: the leg of every input element, or CENTER.
        results: the leg of every result element, or CENTER.
        legs: how many legs there are.

    Multiply-adds are fused before the cut, so that the parts round as the whole does.
    """
    counts = _count_by_owner(program, _owners_of_operations(program, inputs, results))
    program = fuse_products(program) if host_target(Options()).fma else program
    owners = _owners_of_operations(program, inputs, results)
    at = [*([_COMMON] * program.first_operation), *owners]
    kept = {i: sorted(k for k, p in enumerate(owners) if p == ("first", i)) for i in range(legs)}
    again = {i: sorted(k for k, p in enumerate(owners) if p == ("second", i)) for i in range(legs)}
    central = sorted(k for k, p in enumerate(owners) if p == _CENTRAL)
    writer = _Cutter(program, at, _crossing_values(program, at))
    first = [writer.part(f"leg {i + 1}", ("first", i), kept[i]) for i in range(legs)]
    second = [writer.part(f"leg {i + 1} again", ("second", i), again[i]) for i in range(legs)]
    middle = writer.part("center", _CENTRAL, central)
    return Slices(program, _present_parts(first), _present_parts([middle]), _present_parts(second), counts)


def _present_parts(parts: Sequence[SlicedProgram | None]) -> tuple[SlicedProgram, ...]:
    return tuple(part for part in parts if part is not None)


def _owners_of_operations(program: Program, inputs: Sequence[int], results: Sequence[int]) -> list[Owner]:
    """Part of every operation: forward by the legs it needs, backward by those that need it."""
    needed = _needed_legs(program, inputs)
    consumers: list[set[Owner]] = [set() for _ in range(program.first_operation + program.n_operations)]
    for value, leg in zip(program.results.tolist(), results, strict=True):
        consumers[value].add(_CENTRAL if leg == CENTER else ("second", leg))
    owners: list[Owner] = [_COMMON] * program.n_operations
    for k in reversed(range(program.n_operations)):
        value = program.first_operation + k
        owners[k] = _owner_of_operation(needed[value], consumers[value])
        for i in program.operations[k][1]:
            consumers[i].add(owners[k])
    return owners


def _needed_legs(program: Program, inputs: Sequence[int]) -> list[frozenset[int]]:
    needed = [frozenset() if leg == CENTER else frozenset({leg}) for leg in inputs]
    needed += [frozenset()] * len(program.constants)
    for _, args in program.operations:
        needed.append(frozenset().union(*(needed[i] for i in args)))
    return needed


def _owner_of_operation(needed: frozenset[int], consumers: set[Owner]) -> Owner:
    users = {leg for stage, leg in consumers if stage in ("first", "second")}
    alone = len(users) == 1 and not consumers & {_CENTRAL, _COMMON}
    if len(needed) == 1:
        return "first", next(iter(needed))
    if not needed:
        return ("first", users.pop()) if alone else _COMMON
    return ("second", users.pop()) if alone else _CENTRAL


def _crossing_values(program: Program, at: Sequence[Owner]) -> set[int]:
    """Values that some other part needs."""
    out = set()
    for k, (_, args) in enumerate(program.operations):
        here = at[program.first_operation + k]
        out |= {i for i in args if at[i] != _COMMON and at[i] != here}
    return out


def _count_by_owner(program: Program, owners: Sequence[Owner]) -> dict[Owner, int]:
    """Operations by owner, in the units of `operation_count`."""
    found = {}
    for owner in sorted(set(owners)):
        mask = np.array([p == owner for p in owners])
        found[owner] = operation_count(replace(program, opcodes=program.opcodes[mask], args=program.args[mask])).total
    return found


@dataclass(frozen=True, eq=False)
class _Cutter:
    """Writes parts: `at` is the owner of every value, `crossing` the values other parts take."""

    whole: Program
    at: Sequence[Owner]
    crossing: set[int]

    def part(self, name: str, owner: Owner, own: list[int]) -> SlicedProgram | None:
        """The part of an owner, with the common operations it needs; None when it has nothing to give."""
        first = self.whole.first_operation
        live = [first + k for k in own if first + k in self.crossing]
        gives = [e for e, v in enumerate(self.whole.results.tolist()) if self._given_by(v) == owner]
        wanted = live + [int(self.whole.results[e]) for e in gives]
        if not wanted:
            return None
        operations, taken = self._gather_operations(owner, wanted)
        sources = sorted({self._name(self.at[v]) for v in taken})
        ports = {name: [v for v in self._live(name) if self._name(self.at[v]) == name] for name in sources}
        number = self._numbers(ports, operations)
        unmerged = self._unmerged_products(operations, wanted)
        outputs = [Port("out", (len(gives),))] * bool(gives) + [Port("live", (len(live),))] * bool(live)
        outputs += [Port("unmerged", (len(unmerged),))] * bool(unmerged)
        picked = [int(self.whole.results[e]) for e in gives] + live + unmerged
        args = [[number.get(i, -1) for i in self.whole.args[v - first].tolist()] for v in operations]
        program = replace(
            self.whole,
            inputs=(*self.whole.inputs, *(Port(name, (len(values),)) for name, values in ports.items())),
            opcodes=self.whole.opcodes[[v - first for v in operations]],
            args=np.array(args, dtype=np.int32).reshape(-1, 3),
            outputs=tuple(outputs),
            results=np.array([number[v] for v in picked]),
            form="tuple",
        )
        needs = (*(port.name for port in self.whole.inputs), *ports)
        return SlicedProgram(name, program, needs, tuple(gives))

    def _given_by(self, value: int) -> Owner:
        owner = self.at[value]
        return _CENTRAL if owner == _COMMON else owner

    def _gather_operations(self, owner: Owner, wanted: list[int]) -> tuple[list[int], set[int]]:
        """Operations a part runs, in order, and values it takes from other parts."""
        run: set[int] = set()
        taken: set[int] = set()
        front = list(wanted)
        while front:
            v = front.pop()
            if v < self.whole.first_operation or v in run or v in taken:
                continue
            if self.at[v] in (owner, _COMMON):
                run.add(v)
                front += self.whole.operations[v - self.whole.first_operation][1]
            else:
                taken.add(v)
        return sorted(run), taken

    def _unmerged_products(self, operations: list[int], wanted: list[int]) -> list[int]:
        """Common products used once here and again elsewhere: given out, so that this part merges none into a sum."""
        first = self.whole.first_operation
        uses = Counter(i for v in operations for i in self.whole.operations[v - first][1])
        uses.update(wanted)
        common = [v for v in operations if self.at[v] == _COMMON and self.whole.opcodes[v - first] == Op.MUL]
        return [v for v in common if uses[v] == 1]

    def _name(self, owner: Owner) -> str:
        stage, leg = owner
        return "center" if stage == "central" else f"leg {leg + 1}"

    def _live(self, name: str) -> list[int]:
        """Live values of a part in the order in which it gives them."""
        return sorted(v for v in self.crossing if self._name(self.at[v]) == name)

    def _numbers(self, ports: dict[str, list[int]], operations: list[int]) -> dict[int, int]:
        """Value numbers in the part: whole inputs, live inputs, constants, operations."""
        n = self.whole.n_inputs
        number = {v: v for v in range(n)}
        for values in ports.values():
            for v in values:
                number[v] = n
                n += 1
        for i in range(len(self.whole.constants)):
            number[self.whole.n_inputs + i] = n + i
        n += len(self.whole.constants)
        return number | {v: n + k for k, v in enumerate(operations)}
