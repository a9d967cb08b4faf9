"""A function of a model as a CasADi function, for those who optimize with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwright import checks
from linkwright.compiler.trace.operations import Dialect, operator_dialect
from linkwright.compiler.trace.program import Port
from linkwright.errors import ArgumentError
from linkwright.export.export_files import import_extra
from linkwright.export.exported_functions import OneProgram, Source, function_to_export
from linkwright.model.wrench import Wrench


def casadi_function(
    source: Source,
    function: str | None = None,
    *,
    frame: str | None = None,
    name: str | None = None,
    wrenches: Sequence[str | Wrench] = (),
) -> Any:
    """A named function of a model, or a program, as a `casadi.Function` of scalar expressions with named arguments.

    Vectors are columns; ports of three axes are refused. Kinematics that close loops are not offered: let the solver
    close them, with "closure_residual" as a constraint.

    Args:
        source: a Model or a Program.
        function: its name, as `Model.program` takes it.
        frame: of functions that depend on a frame or body.
        name: of the function in CasADi; that of the function when None.
        wrenches: bodies and frames that external wrenches act on (names, or `Wrench` records for other points and world
            axes): each is an argument w_NAME (6,), moment and force.
    """
    found = function_to_export(source, function, frame, wrenches)
    if not isinstance(found, OneProgram):
        raise ArgumentError(
            f"'{found.name}' is solved by Newton steps, which CasADi functions of expressions do not have: make the "
            "coordinates variables of the problem and 'closure_residual' a constraint"
        )
    program, title = found.program, found.name if name is None else checks.require_text("name", name)
    casadi = import_extra("casadi", "casadi")
    if not casadi.Function.check_name(title):
        checks.refuse_argument("name", title, "letters, digits and single underscores, beginning with a letter")
    symbols = [casadi.SX.sym(port.name, *_matrix_shape(port)) for port in program.inputs]
    values = [x[i, j] for port, x in zip(program.inputs, symbols, strict=True) for i, j in _matrix_indices(port)]
    values += [casadi.SX(c) for c in program.constants.tolist()]
    rules = _casadi_dialect(casadi).spellings(program.tables)
    for op, args in program.operations:
        values.append(rules[op](*(values[i] for i in args)))
    results = iter(values[i] for i in program.results.tolist())
    outputs = [_fill_matrix(casadi, port, results) for port in program.outputs]
    names = [[port.name for port in ports] for ports in (program.inputs, program.outputs)]
    return casadi.Function(title, symbols, outputs, *names)


def _matrix_shape(port: Port) -> tuple[int, int]:
    if len(port.shape) > 2:
        raise ArgumentError(
            f"port '{port.name}' has shape {port.shape}; CasADi knows matrices only, reshape it before tracing"
        )
    rows, columns = (*port.shape, 1, 1)[:2]
    return rows, columns


def _matrix_indices(port: Port) -> list[tuple[int, int]]:
    rows, columns = _matrix_shape(port)
    return [(i, j) for i in range(rows) for j in range(columns)]


def _fill_matrix(casadi: Any, port: Port, results: Any) -> Any:
    out = casadi.SX(*_matrix_shape(port))
    for i, j in _matrix_indices(port):
        out[i, j] = next(results)
    return casadi.densify(out)


def _casadi_dialect(casadi: Any) -> Dialect:
    """Look-ups are sums over the whole table, because scalar expressions know no search."""
    others = {"abs": casadi.fabs, "min": casadi.fmin, "max": casadi.fmax}
    return operator_dialect(
        lambda name: getattr(casadi, name),
        others | {"select": lambda c, a, b: casadi.if_else(c > 0, a, b)},
        lambda _, table: lambda x: sum(casadi.if_else(x >= y, 1.0, 0.0) for y in table.tolist()),
        lambda _, table: lambda x: sum(casadi.if_else(x == k, y, 0.0) for k, y in enumerate(table.tolist())),
    )
