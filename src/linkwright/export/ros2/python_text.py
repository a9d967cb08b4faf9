"""A program as plain Python: floats, lists and the module math."""

from __future__ import annotations

from linkwright.compiler import Program
from linkwright.compiler.trace.operations import Dialect, text_dialect


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
    expressions = _python_dialect(name).spellings(program.tables)
    lines = [*tables, f"def {name}({', '.join(port.name for port in program.inputs)}):", f'    """{comment}"""']
    for k, (op, args) in enumerate(program.operations):
        lines.append(f"    t{k} = {expressions[op](*(values[i] for i in args))}")
        values.append(f"t{k}")
    results = iter(program.results.tolist())
    lists = [f"[{', '.join(values[next(results)] for _ in range(port.size))}]" for port in program.outputs]
    return "\n".join([*lines, f"    return {', '.join(lists)}", ""])


def _python_dialect(name: str) -> Dialect:
    """Texts of operations; the tables of the function are named after it."""
    return text_dialect(
        lambda function: function if function in ("abs", "min", "max") else f"math.{function}",
        {"select": "{1} if {0} > 0.0 else {2}"},
        lambda i, _: f"float(bisect.bisect_right(_{name}_{i}, {{}}))".format,
        lambda i, _: f"_{name}_{i}[int({{}})]".format,
    )
