"""From a function to a program: run it once on recording scalars, number the values that its results need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.trace.operations import FIRST_TABLE
from linkwright.compiler.trace.program import Form, Port, Program
from linkwright.compiler.trace.recorder import CONST, INPUT, MUL, NEG, SUB, Recorder, Scalar, garbage_left
from linkwright.errors import CompilerError

Shape = int | Sequence[int]
_Plan = dict[int, tuple[int, tuple[Scalar, ...]]]


@garbage_left()
def trace(fn: Callable[..., Any], inputs: Mapping[str, Shape]) -> Program:
    """Return the straight-line program of `fn`, called once with object arrays as keyword arguments.

    Args:
        fn: a function of arrays that returns an array, a tuple of arrays or a dict of arrays.
        inputs: shape of every argument, by name; the order is the order of positional calls.

    Returns:
        The program; running it returns the same form (array, tuple or dict) as `fn`.

    >>> program = trace(lambda x, y: x @ y, {"x": 3, "y": 3})
    >>> program.n_operations
    5
    """
    recorder = Recorder()
    ports = tuple(Port(name, _shape_tuple(shape)) for name, shape in inputs.items())
    arrays = {port.name: recorder.inputs(port.shape) for port in ports}
    scalars = [x for array in arrays.values() for x in array.ravel()]
    form, named = _name_results(fn(**arrays))
    outputs = tuple(Port(name, np.shape(value)) for name, value in named.items())
    results = [recorder.number(x) for value in named.values() for x in np.asarray(value).ravel()]
    return program_of(ports, scalars, outputs, results, form)


def _shape_tuple(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)


def _name_results(result: Any) -> tuple[Form, dict[str, Any]]:
    if isinstance(result, Mapping):
        form: Form = "dict"
        named = {str(name): value for name, value in result.items()}
    elif isinstance(result, tuple):
        form, named = "tuple", {f"out{i}": value for i, value in enumerate(result)}
    else:
        form, named = "array", {"out": result}
    if any(value is None for value in named.values()) or not named:
        raise CompilerError("the traced function returned nothing; return an array, a tuple or a dict of arrays")
    return form, named


def program_of(
    inputs: Sequence[Port], scalars: Sequence[Scalar], outputs: Sequence[Port], results: Sequence[Scalar], form: Form
) -> Program:
    """The program that computes `results` from the input `scalars`, in recording order.

    Values that no result needs are dropped, negations with a single use are absorbed.
    """
    uses = _count_node_uses(results)
    plan, constants = _plan_operations(results, uses)
    number = {x.index: k for k, x in enumerate([*scalars, *constants])}
    first = len(number)
    number.update((index, first + k) for k, index in enumerate(sorted(plan)))
    order = [plan[index] for index in sorted(plan)]
    opcodes, tables = _renumber_tables([op for op, _ in order], results)
    rows = [(*[number[x.index] for x in operands], -1, -1)[:3] for _, operands in order]
    args = np.array(rows, dtype=np.int32).reshape(-1, 3)
    values = np.array([x.value for x in constants], dtype=np.float64)
    chosen = np.array([number[x.index] for x in results], dtype=np.int32)
    return Program(tuple(inputs), values, opcodes, args, tuple(outputs), chosen, form, tables)


def _renumber_tables(ops: list[int], results: Sequence[Scalar]) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
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


def _count_node_uses(results: Sequence[Scalar]) -> dict[int, int]:
    uses: dict[int, int] = {}
    stack = list(results)
    while stack:
        x = stack.pop()
        uses[x.index] = uses.get(x.index, 0) + 1
        if uses[x.index] == 1:
            stack.extend(x.args)
    return uses


def _plan_operations(results: Sequence[Scalar], uses: dict[int, int]) -> tuple[_Plan, list[Scalar]]:
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
        if x.op == CONST:
            constants[x.index] = x
        elif x.op != INPUT:
            op, operands = _absorb_negation(x, uses)
            plan[x.index] = (op, operands)
            stack.extend(operands)
    return plan, [constants[index] for index in sorted(constants)]


def _absorb_negation(x: Scalar, uses: dict[int, int]) -> tuple[int, tuple[Scalar, ...]]:
    """-(a - b) becomes b - a, and -(c x) becomes (-c) x, when nobody else needs the positive form."""
    if x.op == NEG:
        inner = x.args[0]
        if uses[inner.index] == 1 and inner.op == SUB:
            return SUB, (inner.args[1], inner.args[0])
        if uses[inner.index] == 1 and inner.op == MUL and inner.args[0].value is not None:
            return MUL, (x.rec.constant(-inner.args[0].value), inner.args[1])
    return x.op, x.args
