"""Run a program with NumPy, one operation at a time: slow, simple, and in any precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwright.compiler.trace.opcodes import Op
from linkwright.compiler.trace.program import Port, Program, Signature
from linkwright.compiler.trace.tables import plain_look_ups
from linkwright.errors import ArgumentError

_Table = Mapping[int, Callable[..., Any]]


def evaluate(program: Program, *arrays: Any, dtype: Any = np.float64, functions: Any = None, **named: Any) -> Any:
    """The program's outputs for arrays with any leading batch axes, which broadcast.

    Args:
        program: what to run.
        *arrays: inputs in order, (..., *port.shape); or by name as keywords.
        dtype: precision of the arithmetic; `np.longdouble` judges round-off, `object` takes numbers such as mpmath's.
        functions: for `object`: a module with sin, cos, sqrt, atan2, exp, log and tanh (for instance `mpmath`).

    >>> from linkwright.compiler.trace.tracing import trace
    >>> evaluate(trace(lambda x: x * x, {"x": 2}), [[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 4.0], [9.0, 16.0]]
    """
    batch, values = _input_values(program, arrays, named, dtype)
    values += [_constant(c, dtype, functions) for c in program.constants]
    table = _float_table() if functions is None else _object_table(functions)
    table = {**table, **plain_look_ups(program.tables, dtype)}
    last = _last_uses(program)
    with np.errstate(all="ignore"):
        for k, (op, args) in enumerate(program.operations):
            values.append(table[op](*[values[i] for i in args]))
            for i in last.get(k, ()):
                values[i] = None
    return _outputs(program, values, batch, dtype)


def bind(signature: Signature, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
    """Positional and keyword inputs in port order."""
    known = [port.name for port in signature.inputs]
    found = dict(zip(known, arrays, strict=False)) | dict(named)
    if len(arrays) + len(named) != len(known) or set(found) != set(known):
        raise ArgumentError(f"this function takes {', '.join(known)}; {_difference(known, len(arrays), set(named))}")
    return [found[name] for name in known]


def _difference(known: list[str], placed: int, named: set[str]) -> str:
    """What is too much, twice there or missing among the arguments, in words."""
    foreign, twice = sorted(named - set(known)), sorted(named & set(known[:placed]))
    missing = [name for name in known[placed:] if name not in named]
    if foreign:
        return f"it knows no '{foreign[0]}'"
    if twice:
        return f"'{twice[0]}' is given twice"
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing" if missing else f"{placed} were given"


def leading_axes(port: Port, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The batch axes of an input, after checking that it ends in the port's shape."""
    n = len(port.shape)
    if len(shape) < n or shape[len(shape) - n :] != port.shape:
        raise ArgumentError(f"input '{port.name}' has shape {shape}, expected (..., {', '.join(map(str, port.shape))})")
    return shape[: len(shape) - n]


def _input_values(
    program: Program, arrays: tuple[Any, ...], named: Mapping[str, Any], dtype: Any
) -> tuple[tuple[int, ...], list[Any]]:
    given = [np.asarray(x, dtype=dtype) for x in bind(program.signature, arrays, named)]
    pairs = list(zip(program.inputs, given, strict=True))
    batch = np.broadcast_shapes(*(leading_axes(port, x.shape) for port, x in pairs)) if pairs else ()
    values: list[Any] = []
    for port, x in pairs:
        flat = x.reshape((*leading_axes(port, x.shape), port.size))
        values += [flat[..., k] for k in range(port.size)]
    return batch, values


def _constant(c: float, dtype: Any, functions: Any) -> Any:
    return functions.mpf(c) if hasattr(functions, "mpf") else np.asarray(c, dtype=dtype)[()]


def _last_uses(program: Program) -> dict[int, list[int]]:
    """Which values may be dropped after which operation, so that long programs on big batches fit in memory."""
    last: dict[int, int] = {}
    for k, (_, args) in enumerate(program.operations):
        last.update((i, k) for i in args)
    for i in program.results.tolist():
        last.pop(i, None)
    dropped: dict[int, list[int]] = {}
    for i, k in last.items():
        dropped.setdefault(k, []).append(i)
    return dropped


def _outputs(program: Program, values: list[Any], batch: tuple[int, ...], dtype: Any) -> Any:
    named: dict[str, np.ndarray] = {}
    start = 0
    for port in program.outputs:
        out = np.empty((*batch, port.size), dtype=dtype)
        for k in range(port.size):
            out[..., k] = values[program.results[start + k]]
        named[port.name] = out.reshape((*batch, *port.shape))
        start += port.size
    return program.signature.pack(named)


def _arithmetic() -> dict[int, Callable[..., Any]]:
    return {
        Op.ADD: lambda a, b: a + b,
        Op.SUB: lambda a, b: a - b,
        Op.MUL: lambda a, b: a * b,
        Op.NEG: lambda a: -a,
        Op.RECIP: lambda a: 1 / a,
        Op.ABS: abs,
        Op.SELECT: lambda c, a, b: np.where(np.greater(c, 0), a, b),
        Op.FMA: lambda a, b, c: a * b + c,
        Op.FMS: lambda a, b, c: a * b - c,
        Op.FNMA: lambda a, b, c: c - a * b,
    }


def _float_table() -> _Table:
    return _arithmetic() | {
        Op.SQRT: np.sqrt,
        Op.SIN: np.sin,
        Op.COS: np.cos,
        Op.ATAN2: np.arctan2,
        Op.EXP: np.exp,
        Op.LOG: np.log,
        Op.TANH: np.tanh,
        Op.MIN: np.minimum,
        Op.MAX: np.maximum,
    }


def _object_table(functions: Any) -> _Table:
    names = {Op.SQRT: "sqrt", Op.SIN: "sin", Op.COS: "cos", Op.EXP: "exp", Op.LOG: "log", Op.TANH: "tanh"}
    table = {int(op): np.frompyfunc(getattr(functions, name), 1, 1) for op, name in names.items()}
    arctan2 = getattr(functions, "atan2", math.atan2)
    binary = {Op.ATAN2: arctan2, Op.MIN: min, Op.MAX: max}
    select = np.frompyfunc(lambda c, a, b: a if c > 0 else b, 3, 1)
    return _arithmetic() | table | {int(op): np.frompyfunc(f, 2, 1) for op, f in binary.items()} | {Op.SELECT: select}
