"""Digests and exact operation counts of all traced programs: `python dev.py digests`, with `--update` to rewrite them.

A refactoring that keeps every digest computes the same numbers in the same order. A line of `digests.txt` is a
mechanism, a definition, its operation count, a hash of the program with constants to nine digits, and one of
their exact bits.
The first hash is the same on every computer. Constants that were found by sampling may differ in their last bits
between kinds of CPU, so the suite compares the first hash; the command compares both.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import build
from linkwright.compiler import operation_count
from linkwright.compiler.trace.program import Program, RolledProgram
from linkwright.errors import LinkwrightError
from linkwright.functions import Kernels, function_registry
from linkwright.functions.definition import Definition
from linkwright.functions.stages import ClosedLegs, MotionTarget, SquareTarget
from linkwright.functions.tree import tree_functions
from linkwright.functions.tree.tree_functions import ROLLED_ABOVE
from linkwright.kinematics.leg_plan_search import closed_legs
from linkwright.kinematics.target_plans import square_target
from linkwright.mechanism import Mechanism, beams_of
from linkwright.model import Model
from linkwright.model.function_names import locate_definition
from tests.refactoring.mechanisms import mechanisms

FILE = Path(__file__).with_name("digests.txt")
Key = tuple[str, str]


@dataclass(frozen=True)
class Digest:
    """What is kept of a program; `refused` stands for one that does not exist for a mechanism."""

    operations: int
    structure: str
    constants: str

    def __str__(self) -> str:
        return f"{self.operations} {self.structure} {self.constants}"


def digest_of(program: Program | RolledProgram) -> Digest:
    """The digest of a program; depends on its operations, constants, ports and their order alone."""
    rounded, exact = hashlib.blake2b(digest_size=6), hashlib.blake2b(digest_size=4)
    for part in _contents(program):
        if isinstance(part, np.ndarray) and part.dtype.kind == "f":
            rounded.update(" ".join(f"{x + 0.0:.9g}" for x in part.tolist()).encode())
            exact.update(part.astype("<f8").tobytes())
        elif isinstance(part, np.ndarray):
            rounded.update(part.astype("<i8").tobytes())
        else:
            rounded.update(repr(part).encode())
    return Digest(operation_count(program).total, rounded.hexdigest(), exact.hexdigest())


def _contents(program: Program | RolledProgram) -> Iterator[Any]:
    """Everything a program consists of, in order: texts and arrays."""
    ports = [
        [(p.name, p.shape, [(u.start, u.size) for u in p.units]) for p in x] for x in (program.inputs, program.outputs)
    ]
    yield program.form, ports
    if isinstance(program, Program):
        yield from (program.opcodes, program.args, program.results, program.constants, *program.tables)
        return
    yield dict(program.fields), program.offset_ports
    yield from (
        np.asarray(program.parent),
        np.asarray(program.kind),
        np.asarray(program.params).ravel(),
        program.root_row,
    )
    yield from (np.asarray(program.offsets[name]) for name in program.offset_ports)
    for sweep in program.sweeps:
        yield sweep.inward, [step is None for step in sweep.steps]
        for step in sweep.steps:
            yield from () if step is None else _contents(step)


def digests(mech: Mechanism, definitions: Iterable[Definition]) -> dict[str, Digest]:
    """Digests of the definitions that exist for a mechanism, by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = build(mech)
        found = ((name, _made(model, each, name)) for each in definitions for name in _variants(each))
        return {name: digest_of(program) for name, program in found if program is not None}


def _variants(definition: Definition) -> tuple[str, ...]:
    return (definition.name, f"{definition.name}:rolled") if definition.rolled else (definition.name,)


def _made(model: Model, definition: Definition, name: str) -> Program | RolledProgram | None:
    try:
        frame = _frame(model, definition)
        if name.endswith(":rolled"):
            return definition.rolled(model.kernels.setup) if definition.rolled else None
        if len(model.mechanism.joints) > ROLLED_ABOVE:
            return None  # straight programs of long chains take minutes
        kernels, traced_as = _located(model, definition, frame)
        return None if kernels is None else kernels.program(traced_as, frame=frame)
    except (LinkwrightError, NotImplementedError, ValueError):
        return None  # the definition does not exist for this mechanism


def _frame(model: Model, definition: Definition) -> str | None:
    if not definition.frame:
        return None
    mech = model.mechanism
    if definition is tree_functions.beam_points:
        return next(iter(beams_of(mech)), "")
    return mech.platform or mech.names[-1]


def _located(model: Model, definition: Definition, frame: str | None) -> tuple[Kernels[Any] | None, Definition]:
    if definition.stage not in (MotionTarget, SquareTarget, ClosedLegs):
        return locate_definition(model.dynamics, definition)
    find = closed_legs if definition.stage is ClosedLegs else square_target
    return find(model.kinematics, None, tuple(range(model.na))), definition


def all_digests(definitions: Iterable[Definition]) -> dict[Key, Digest]:
    """Digests of the definitions on all mechanisms, by mechanism and definition."""
    chosen = tuple(definitions)
    return {(name, each): x for name, mech in mechanisms() for each, x in digests(mech, chosen).items()}


def stored() -> dict[Key, Digest]:
    """The digests of the file."""
    found: dict[Key, Digest] = {}
    mechanism = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if len(words) == 1:
            mechanism = words[0]
        else:
            found[mechanism, words[0]] = Digest(int(words[1]), words[2], words[3])
    return found


def store(found: dict[Key, Digest]) -> None:
    """Write the file."""
    lines, mechanism = [], ""
    order = {name: i for i, (name, _) in enumerate(mechanisms())}
    for (name, definition), digest in sorted(found.items(), key=lambda item: (order[item[0][0]], item[0][1])):
        if name != mechanism:
            lines.append(mechanism := name)
        lines.append(f" {definition} {digest}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def differences(before: dict[Key, Digest], after: dict[Key, Digest]) -> Iterator[str]:
    """A line for every program that changed."""
    for key in before | after:
        was, now = before.get(key), after.get(key)
        if was == now:
            continue
        if was is None or now is None:
            change = "is new" if was is None else "is gone"
        elif was.structure == now.structure:
            change = "constants differ beyond nine digits"
        elif was.operations != now.operations:
            change = f"{was.operations} -> {now.operations} operations"
        else:
            change = f"other program of {now.operations} operations"
        yield f"{key[0]:24} {key[1]:36} {change}"


def main(words: list[str]) -> int:
    """Compare all definitions on all mechanisms with the file; `--update` writes it."""
    if unknown := [word for word in words if word != "--update"]:
        print(f"unknown argument {unknown[0]!r}: digests takes --update or nothing")
        return 2
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LINKWRIGHT_CACHE"] = folder  # plans are found by the code as it is, not read
        found = all_digests(function_registry.all_definitions().values())
    changed = list(differences(stored() if FILE.exists() else {}, found))
    print("\n".join(changed))
    print(f"{len(found)} programs, {len(changed)} changed, {time.process_time() - start:.0f} s")
    if "--update" in words:
        store(found)
    return int(bool(changed) and "--update" not in words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
