"""A program divided in two: what depends on some inputs only, done once, and the rest, done at every state."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from linkwright.compiler.trace.program import GIVEN, Port, Program


def divided(
    program: Program, early: Collection[str], name: str = GIVEN, pass_on: bool = False
) -> tuple[Program, Program]:
    """The part of a program that needs the `early` inputs only, and the program that takes its results instead.

    The first returns an array; the second takes that array as its last input `name`, in place of the early ones.
    Together they do the operations of the whole program. `pass_on` puts the early inputs themselves in front of that
    array, needed or not.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> whole = trace(lambda x, p: x * (p[0] * p[1] + 1.0), {"x": 3, "p": 2})
    >>> [part.n_operations for part in divided(whole, ["p"])]
    [2, 3]
    """
    first = np.concatenate([np.full(port.size, port.name in early) for port in program.inputs] + [np.zeros(0, bool)])
    known = _find_early_values(program, first)
    handed = _handed_over(program, known)
    if pass_on:
        handed = np.union1d(np.flatnonzero(first), handed)
    return _early_part(program, early, known, handed), _late_part(program, early, known, handed, name)


def _find_early_values(program: Program, first: np.ndarray) -> np.ndarray:
    """Flags of the values that can be computed early: constants too."""
    known = [*first.tolist(), *[True] * len(program.constants)]
    for _, args in program.operations:
        known.append(all(known[x] for x in args))
    return np.array(known, dtype=bool)


def _handed_over(program: Program, known: np.ndarray) -> np.ndarray:
    """Numbers of the early values that late ones or results need, constants left out."""
    late = ~known[program.first_operation :]
    wanted = np.unique(np.concatenate([program.args[late].ravel(), program.results]))
    constant = (wanted >= program.n_inputs) & (wanted < program.first_operation)
    return wanted[(wanted >= 0) & ~constant & known[wanted]]


def _early_part(program: Program, early: Collection[str], known: np.ndarray, handed: np.ndarray) -> Program:
    ports = tuple(port for port in program.inputs if port.name in early)
    kept = known.copy()
    kept[: program.n_inputs] = np.repeat([p.name in early for p in program.inputs], [p.size for p in program.inputs])
    cut = _rebuild_program(program, kept, np.zeros(0, dtype=int), ports)
    return replace(cut[0], outputs=(Port("out", (len(handed),)),), results=cut[1][handed], form="array")


def _late_part(program: Program, early: Collection[str], known: np.ndarray, handed: np.ndarray, name: str) -> Program:
    ports = tuple(port for port in program.inputs if port.name not in early)
    kept = ~known
    kept[program.n_inputs : program.first_operation] = True
    cut, number = _rebuild_program(program, kept, handed, (*ports, Port(name, (len(handed),))))
    return replace(cut, outputs=program.outputs, results=number[program.results], form=program.form)


def _rebuild_program(
    program: Program, kept: np.ndarray, handed: np.ndarray, ports: tuple[Port, ...]
) -> tuple[Program, np.ndarray]:
    """The kept inputs, then the values handed over, then constants and the kept operations; and the new numbers."""
    values = np.flatnonzero(kept)
    inputs = values[values < program.n_inputs]
    order = np.concatenate([inputs, handed, values[values >= program.n_inputs]])
    number = np.full(len(kept), -1)
    number[order] = np.arange(len(order))
    chosen = kept[program.first_operation :]
    args = program.args[chosen]
    args = np.where(args >= 0, number[args], -1)
    return replace(program, inputs=ports, opcodes=program.opcodes[chosen], args=args), number
