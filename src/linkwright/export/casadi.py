"""A program as a CasADi function, for those who optimize with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from linkwright import checks
from linkwright.compiler.trace.opcodes import FIND, FIRST_TABLE, READ, Op
from linkwright.compiler.trace.program import Port, Program
from linkwright.errors import ArgumentError


def casadi_function(program: Program, name: str, casadi: Any) -> Any:
    """A `casadi.Function` with the program's named inputs and outputs.

    Args:
        program: what to export; ports of at most two axes (a vector becomes a column).
        name: of the function.
        casadi: the imported module, which is not a dependency of linkwright.
    """
    checks.instance("program", program, Program, "a Program, for example model.program('mass_matrix')")
    checks.text("name", name)
    if not hasattr(casadi, "SX") or not hasattr(casadi, "Function"):
        checks.refuse("casadi", casadi, "the imported module casadi")
    symbols = [casadi.SX.sym(port.name, *_matrix_shape(port)) for port in program.inputs]
    values = [x[i, j] for port, x in zip(program.inputs, symbols, strict=True) for i, j in _elements(port)]
    values += [casadi.SX(c) for c in program.constants.tolist()]
    rules = {**_rules(casadi), **_look_ups(casadi, program)}
    for op, args in program.operations:
        values.append(rules[op](*(values[i] for i in args)))
    results = iter(values[i] for i in program.results.tolist())
    outputs = [_filled(casadi, port, results) for port in program.outputs]
    names = [[port.name for port in ports] for ports in (program.inputs, program.outputs)]
    return casadi.Function(name, symbols, outputs, *names)


def _matrix_shape(port: Port) -> tuple[int, int]:
    if len(port.shape) > 2:
        raise ArgumentError(
            f"port '{port.name}' has shape {port.shape}; CasADi knows matrices only, reshape it before tracing"
        )
    rows, columns = (*port.shape, 1, 1)[:2]
    return rows, columns


def _elements(port: Port) -> list[tuple[int, int]]:
    rows, columns = _matrix_shape(port)
    return [(i, j) for i in range(rows) for j in range(columns)]


def _filled(casadi: Any, port: Port, results: Any) -> Any:
    out = casadi.SX(*_matrix_shape(port))
    for i, j in _elements(port):
        out[i, j] = next(results)
    return casadi.densify(out)


def _look_ups(casadi: Any, program: Program) -> Mapping[int, Callable[..., Any]]:
    """Look-ups as sums over the whole table, because scalar expressions know no search."""
    out: dict[int, Callable[..., Any]] = {}
    for i, table in enumerate(program.tables):
        numbers = table.tolist()
        out[FIRST_TABLE + 2 * i + FIND] = lambda x, b=numbers: sum(casadi.if_else(x >= y, 1.0, 0.0) for y in b)
        out[FIRST_TABLE + 2 * i + READ] = lambda x, b=numbers: sum(
            casadi.if_else(x == k, y, 0.0) for k, y in enumerate(b)
        )
    return out


def _rules(casadi: Any) -> Mapping[int, Callable[..., Any]]:
    return {
        Op.ADD: lambda a, b: a + b,
        Op.SUB: lambda a, b: a - b,
        Op.MUL: lambda a, b: a * b,
        Op.NEG: lambda a: -a,
        Op.RECIP: lambda a: 1.0 / a,
        Op.SQRT: casadi.sqrt,
        Op.SIN: casadi.sin,
        Op.COS: casadi.cos,
        Op.ATAN2: casadi.atan2,
        Op.EXP: casadi.exp,
        Op.LOG: casadi.log,
        Op.TANH: casadi.tanh,
        Op.ABS: casadi.fabs,
        Op.MIN: casadi.fmin,
        Op.MAX: casadi.fmax,
        Op.SELECT: lambda c, a, b: casadi.if_else(c > 0, a, b),
        Op.FMA: lambda a, b, c: a * b + c,
        Op.FMS: lambda a, b, c: a * b - c,
        Op.FNMA: lambda a, b, c: c - a * b,
    }
