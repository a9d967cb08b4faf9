"""Run a program one operation at a time: with NumPy in any precision, or on recorded values inside another trace."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler.trace.operations import FIND, READ, Dialect, operator_dialect, plain_look_up
from linkwright.compiler.trace.program import PARAM, PARENT, Program, RolledProgram, RolledSweep
from linkwright.compiler.trace.recorder import Scalar
from linkwright.errors import ArgumentError

# Values are dropped after their last use where all of them together would be more numbers than this.
_MANY = 1 << 22


def evaluate(program: Program, *arrays: Any, dtype: Any = np.float64, functions: Any = None, **named: Any) -> Any:
    """Return the program's outputs for arrays with any leading batch axes, which broadcast.

    Args:
        program: the program to run.
        *arrays: inputs in order, (..., *port.shape); or by name as keywords.
        dtype: precision of the arithmetic; `np.longdouble` shows round-off, `object` takes numbers such as mpmath's.
        functions: for `object`: a module with sin, cos, sqrt, atan2, exp, log and tanh (for instance `mpmath`).

    >>> from linkwright.compiler.trace.tracing import trace
    >>> evaluate(trace(lambda x: x * x, {"x": 2}), [[1.0, 2.0], [3.0, 4.0]]).tolist()
    [[1.0, 4.0], [9.0, 16.0]]
    """
    batch, values = _input_values(program, arrays, named, dtype)
    values += [_typed_constant(c, dtype, functions) for c in program.constants]
    table = _numpy_dialect(functions, dtype).spellings(program.tables)
    numbers = int(np.prod(batch, dtype=np.int64)) * program.n_operations
    last = _last_uses(program) if numbers > _MANY else {}
    with np.errstate(all="ignore"):
        for k, (op, args) in enumerate(program.operations):
            values.append(table[op](*[values[i] for i in args]))
            for i in last.get(k, ()):
                values[i] = None
    return _pack_outputs(program, values, batch, dtype)


def inline_program(program: Program, *arrays: Any, **named: Any) -> Any:
    """Return the program's outputs for one state of recorded values, recorded and simplified in their trace.

    Plain numbers may be mixed in; if nothing is recorded, the program is simply evaluated. With this a derivative,
    itself a program, can be part of a larger computation.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> square = trace(lambda x: x * x, {"x": 2})
    >>> trace(lambda y: inline_program(square, y) + inline_program(square, y), {"y": 2}).n_operations
    4
    """
    given = [np.asarray(x) for x in program.signature.bind(arrays, named)]
    rec = next((x.rec for array in given for x in array.flat if isinstance(x, Scalar)), None)
    if rec is None:
        return evaluate(program, *given)
    for port, array in zip(program.inputs, given, strict=True):
        if array.shape != port.shape:
            raise ArgumentError(f"input '{port.name}' has shape {array.shape}, expected {port.shape}")
    rules = rec.replay(program.tables)
    values = [rec.number(x) for array in given for x in array.flat]
    values += [rec.constant(c) for c in program.constants.tolist()]
    for op, args in program.operations:
        values.append(rules[op](*[values[i] for i in args]))
    return _pack_outputs(program, values, (), object)


def _input_values(
    program: Program, arrays: tuple[Any, ...], named: Mapping[str, Any], dtype: Any
) -> tuple[tuple[int, ...], list[Any]]:
    given = [np.asarray(x, dtype=dtype) for x in program.signature.bind(arrays, named)]
    pairs = list(zip(program.inputs, given, strict=True))
    batch = np.broadcast_shapes(*(port.leading_axes(x.shape) for port, x in pairs)) if pairs else ()
    values: list[Any] = []
    for port, x in pairs:
        flat = x.reshape((*port.leading_axes(x.shape), port.size))
        values += [flat[..., k] for k in range(port.size)]
    return batch, values


def _typed_constant(c: float, dtype: Any, functions: Any) -> Any:
    return functions.mpf(c) if hasattr(functions, "mpf") else np.asarray(c, dtype=dtype)[()]


def _last_uses(program: Program) -> dict[int, list[int]]:
    """Values to drop after every operation, so that long programs on big batches fit in memory."""
    last: dict[int, int] = {}
    for k, (_, args) in enumerate(program.operations):
        last.update((i, k) for i in args)
    for i in program.results.tolist():
        last.pop(i, None)
    dropped: dict[int, list[int]] = {}
    for i, k in last.items():
        dropped.setdefault(k, []).append(i)
    return dropped


def _pack_outputs(program: Program, values: list[Any], batch: tuple[int, ...], dtype: Any) -> Any:
    named: dict[str, np.ndarray] = {}
    results = iter(program.results.tolist())
    for port in program.outputs:
        out = np.empty((port.size, *batch), dtype=dtype)  # rows that lie together are written fastest
        for k in range(port.size):
            out[k] = values[next(results)]
        named[port.name] = np.moveaxis(out, 0, -1).reshape((*batch, *port.shape))
    return program.signature.pack(named)


def _numpy_dialect(functions: Any, dtype: Any) -> Dialect:
    """NumPy's functions, or those of a module on numbers of its own."""
    others: dict[str, Callable[..., Any]] = {
        "abs": abs,
        "atan2": np.arctan2,
        "min": np.minimum,
        "max": np.maximum,
        "select": lambda c, a, b: np.where(np.greater(c, 0), a, b),
    }
    if functions is not None:
        own = {"atan2": getattr(functions, "atan2", math.atan2), "min": min, "max": max}
        others |= {name: np.frompyfunc(f, 2, 1) for name, f in own.items()}
        others["select"] = np.frompyfunc(lambda c, a, b: a if c > 0 else b, 3, 1)
    return operator_dialect(
        lambda name: getattr(np, name) if functions is None else np.frompyfunc(getattr(functions, name), 1, 1),
        others,
        lambda _, table: plain_look_up(FIND, table, dtype),
        lambda _, table: plain_look_up(READ, table, dtype),
    )


def evaluate_rolled(rolled: RolledProgram, *arrays: Any, dtype: Any = np.float64, **named: Any) -> Any:
    """Return the outputs of a rolled program for arrays with any leading batch axes; see `evaluate`."""
    given = [np.asarray(x, dtype=dtype) for x in rolled.signature.bind(arrays, named)]
    batch = np.broadcast_shapes(*(p.leading_axes(x.shape) for p, x in zip(rolled.inputs, given, strict=True)))
    memory = {
        port.name: np.broadcast_to(x, (*batch, *port.shape)).reshape((*batch, port.size))
        for port, x in zip(rolled.inputs, given, strict=True)
    }
    memory |= {port.name: np.zeros((*batch, port.size), dtype=dtype) for port in rolled.outputs}
    state = np.zeros((rolled.n_items + 1, *batch, rolled.width), dtype=dtype)
    state[0] = rolled.root_row
    for sweep in rolled.sweeps:
        for i in reversed(range(rolled.n_items)) if sweep.inward else range(rolled.n_items):
            _run_item(rolled, sweep, i, memory, state, dtype)
    named_out = {port.name: memory[port.name].reshape((*batch, *port.shape)) for port in rolled.outputs}
    return rolled.signature.pack(named_out)


def _run_item(
    rolled: RolledProgram, sweep: RolledSweep, i: int, memory: dict[str, np.ndarray], state: np.ndarray, dtype: Any
) -> None:
    step = sweep.steps[int(rolled.kind[i])]
    if step is None:
        return
    inputs = [_port_view(rolled, port.name, port.size, i, memory, state) for port in step.inputs]
    shaped = [np.reshape(x, (*x.shape[:-1], *port.shape)) for x, port in zip(inputs, step.inputs, strict=True)]
    results = evaluate(replace(step, form="dict"), *shaped, dtype=dtype)
    for port in step.outputs:
        target = _port_view(rolled, port.name, port.size, i, memory, state)
        found = results[port.name]
        value = found.reshape((*found.shape[: found.ndim - len(port.shape)], port.size))
        target[...] = target + value if port.name.startswith(PARENT) else value


def _port_view(
    rolled: RolledProgram, name: str, size: int, i: int, memory: dict[str, np.ndarray], state: np.ndarray
) -> np.ndarray:
    """The numbers that a port of item i's step refers to, as a view."""
    if name == PARAM:
        return np.asarray(rolled.params[i]).ravel()
    if name in memory:
        start = int(rolled.offsets[name][i]) if name in rolled.offsets else 0
        return memory[name][..., start : start + size]
    row = int(rolled.parent[i]) + 1 if name.startswith(PARENT) else i + 1
    start = rolled.starts[name.removeprefix(PARENT)]
    return state[row][..., start : start + size]
