"""A program as plain Python: floats, lists and the module math."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler import Op, Program
from linkwright.compiler.trace.opcodes import FIND, FIRST_TABLE, READ

_EXPRESSIONS: dict[int, str] = {
    Op.ADD: "{} + {}",
    Op.SUB: "{} - {}",
    Op.MUL: "{} * {}",
    Op.NEG: "-{}",
    Op.RECIP: "1.0 / {}",
    Op.SQRT: "math.sqrt({})",
    Op.SIN: "math.sin({})",
    Op.COS: "math.cos({})",
    Op.ATAN2: "math.atan2({}, {})",
    Op.EXP: "math.exp({})",
    Op.LOG: "math.log({})",
    Op.TANH: "math.tanh({})",
    Op.ABS: "abs({})",
    Op.MIN: "min({}, {})",
    Op.MAX: "max({}, {})",
    Op.SELECT: "{1} if {0} > 0.0 else {2}",
    Op.FMA: "{} * {} + {}",
    Op.FMS: "{} * {} - {}",
    Op.FNMA: "{2} - {0} * {1}",
}


def python_function(program: Program, name: str, comment: str) -> str:
    """The text of a function of sequences of floats that returns a list for each output, a tuple of lists for several.

    Where the program divides by zero or takes a root of a negative number, the function raises as Python does.

    >>> from linkwright.compiler import trace
    >>> text = python_function(trace(lambda x: 2.0 * x + 1.0, {"x": 2}), "line", "Twice x and one.")
    >>> names = {}
    >>> exec(text, names)
    >>> names["line"]([1.0, 2.0])
    [3.0, 5.0]
    """
    tables = [f"_{name}_{i} = {tuple(table.tolist())!r}" for i, table in enumerate(program.tables)]
    values = [f"{port.name}[{k}]" for port in program.inputs for k in range(port.size)]
    values += [f"({c!r})" if c < 0 else repr(c) for c in program.constants.tolist()]
    expressions = {op: text.format for op, text in _EXPRESSIONS.items()} | _look_ups(program, name)
    lines = [*tables, f"def {name}({', '.join(port.name for port in program.inputs)}):", f'    """{comment}"""']
    for k, (op, args) in enumerate(program.operations):
        lines.append(f"    t{k} = {expressions[op](*(values[i] for i in args))}")
        values.append(f"t{k}")
    results = iter(program.results.tolist())
    lists = [f"[{', '.join(values[next(results)] for _ in range(port.size))}]" for port in program.outputs]
    return "\n".join([*lines, f"    return {', '.join(lists)}", ""])


def _look_ups(program: Program, name: str) -> dict[int, Callable[..., str]]:
    out: dict[int, Callable[..., str]] = {}
    for i in range(len(program.tables)):
        out[FIRST_TABLE + 2 * i + FIND] = f"float(bisect.bisect_right(_{name}_{i}, {{}}))".format
        out[FIRST_TABLE + 2 * i + READ] = f"_{name}_{i}[int({{}})]".format
    return out
