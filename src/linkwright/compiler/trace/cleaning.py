"""From the recorded graph to a numbered program: dead values dropped, single-use negations absorbed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.compiler.trace.opcodes import FIRST_TABLE, Op
from linkwright.compiler.trace.program import Form, Port, Program
from linkwright.compiler.trace.scalar import Scalar

_Plan = dict[int, tuple[int, tuple[Scalar, ...]]]


def cleaned(
    inputs: tuple[Port, ...],
    scalars: Sequence[Scalar],
    outputs: tuple[Port, ...],
    results: Sequence[Scalar],
    form: Form,
) -> Program:
    """The program computing `results` from the input `scalars`, in recording order."""
    uses = _use_counts(results)
    plan, constants = _plan(results, uses)
    number = {x.index: k for k, x in enumerate([*scalars, *constants])}
    first = len(number)
    number.update((index, first + k) for k, index in enumerate(sorted(plan)))
    order = [plan[index] for index in sorted(plan)]
    opcodes, tables = _renumbered([op for op, _ in order], results)
    args = np.full((len(order), 3), -1, dtype=np.int32)
    for k, (_, operands) in enumerate(order):
        for j, x in enumerate(operands):
            args[k, j] = number[x.index]
    values = np.array([x.value for x in constants], dtype=np.float64)
    places = np.array([number[x.index] for x in results], dtype=np.int32)
    return Program(inputs, values, opcodes, args, outputs, places, form, tables)


def _renumbered(ops: list[int], results: Sequence[Scalar]) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Opcodes with the tables they use numbered from zero, and these tables."""
    opcodes = np.array(ops, dtype=np.uint16)
    reading = opcodes >= FIRST_TABLE
    if not reading.any():
        return opcodes, ()
    numbers, kinds = np.divmod(opcodes[reading] - FIRST_TABLE, 2)
    used, numbers = np.unique(numbers, return_inverse=True)
    opcodes[reading] = FIRST_TABLE + 2 * numbers + kinds
    known = list(results[0].rec.tables.values())
    return opcodes, tuple(known[i] for i in used)


def _use_counts(results: Sequence[Scalar]) -> dict[int, int]:
    uses: dict[int, int] = {}
    stack = list(results)
    while stack:
        x = stack.pop()
        uses[x.index] = uses.get(x.index, 0) + 1
        if uses[x.index] == 1:
            stack.extend(x.args)
    return uses


def _plan(results: Sequence[Scalar], uses: dict[int, int]) -> tuple[_Plan, list[Scalar]]:
    """Operation and operands of every needed node, and the constants they name."""
    plan: _Plan = {}
    constants: dict[int, Scalar] = {}
    seen: set[int] = set()
    stack = list(results)
    while stack:
        x = stack.pop()
        if x.index in seen:
            continue
        seen.add(x.index)
        if x.op == Op.CONST:
            constants[x.index] = x
        elif x.op != Op.INPUT:
            op, operands = _absorbed(x, uses)
            plan[x.index] = (op, operands)
            stack.extend(operands)
    return plan, [constants[index] for index in sorted(constants)]


def _absorbed(x: Scalar, uses: dict[int, int]) -> tuple[int, tuple[Scalar, ...]]:
    """-(a - b) becomes b - a, and -(c x) becomes (-c) x, when nobody else needs the positive form."""
    if x.op == Op.NEG:
        inner = x.args[0]
        if uses[inner.index] == 1 and inner.op == Op.SUB:
            return Op.SUB, (inner.args[1], inner.args[0])
        if uses[inner.index] == 1 and inner.op == Op.MUL and inner.args[0].value is not None:
            return Op.MUL, (x.rec.constant(-inner.args[0].value), inner.args[1])
    return x.op, x.args
