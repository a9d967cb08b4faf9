"""Use a program inside another trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler.runtime.interpreter import bind, evaluate
from linkwright.compiler.trace.program import Program
from linkwright.compiler.trace.recorder import Recorder
from linkwright.compiler.trace.scalar import Scalar
from linkwright.errors import ArgumentError


def inlined(program: Program, *arrays: Any, **named: Any) -> Any:
    """The program's outputs for one state of recorded values, recorded anew and simplified with their surroundings.

    Plain numbers may be mixed in; if nothing is recorded, the program is simply evaluated. With this a derivative,
    itself a program, can be part of a larger computation.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> square = trace(lambda x: x * x, {"x": 2})
    >>> trace(lambda y: inlined(square, y) + inlined(square, y), {"y": 2}).n_operations
    4
    """
    given = [np.asarray(x) for x in bind(program.signature, arrays, named)]
    rec = next((x.rec for array in given for x in array.flat if isinstance(x, Scalar)), None)
    if rec is None:
        return evaluate(program, *given)
    for port, array in zip(program.inputs, given, strict=True):
        if array.shape != port.shape:
            raise ArgumentError(f"input '{port.name}' has shape {array.shape}, expected {port.shape}")
    values = _recorded(program, rec, [rec.number(x) for array in given for x in array.flat])
    return program.signature.pack(_shaped(program, values))


def _recorded(program: Program, rec: Recorder, inputs: list[Scalar]) -> list[Scalar]:
    rules = rec.replay(program.tables)
    values = [*inputs, *(rec.constant(c) for c in program.constants.tolist())]
    for op, args in program.operations:
        values.append(rules[op](*[values[i] for i in args]))
    return values


def _shaped(program: Program, values: list[Scalar]) -> dict[str, np.ndarray]:
    out: dict[str, np.ndarray] = {}
    results = iter(program.results.tolist())
    for port in program.outputs:
        flat = np.empty(port.size, dtype=object)
        for k in range(port.size):
            flat[k] = values[next(results)]
        out[port.name] = flat.reshape(port.shape)
    return out
