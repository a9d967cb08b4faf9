"""Operations of a program as C expressions, in double or single precision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from linkwright.compiler.passes.counts import operation_count
from linkwright.compiler.passes.schedule import Angles
from linkwright.compiler.trace.operations import Dialect, Op, text_dialect
from linkwright.compiler.trace.program import Program
from linkwright.dataclass import dataclass
from linkwright.export.c.c_sincos import loop_width, steps_of

_FLOAT_RANGE = (1.2e-38, 3.4e38)

Precision = Literal["double", "float"]


@dataclass(frozen=True)
class Real:
    """Type of the numbers: its name in C, and the suffix of constants and functions of math.h."""

    type: str = "double"
    suffix: str = ""

    def number(self, x: float) -> str:
        """A constant, within the range of the type; negative ones in parentheses."""
        if self.suffix == "f" and x:
            x = math.copysign(min(max(abs(x), _FLOAT_RANGE[0]), _FLOAT_RANGE[1]), x)
        text = repr(float(x)) + self.suffix
        return f"({text})" if text.startswith("-") else text

    def dialect(self, name: str) -> Dialect:
        """Texts of operations; look-ups read tables that are named after `name`."""
        return text_dialect(
            lambda function: ("fabs" if function == "abs" else function) + self.suffix,
            {
                "recip": f"{self.number(1.0)} / {{}}",
                # a + b is NaN when either is: a choice must not hide it
                "min": "({0} < {1}) ? {0} : (({1} <= {0}) ? {1} : {0} + {1})",
                "max": "({0} > {1}) ? {0} : (({1} >= {0}) ? {1} : {0} + {1})",
                "select": f"({{}} > {self.number(0.0)}) ? {{}} : {{}}",
            },
            lambda i, table: f"{name}_find({name}_table{i}, {len(table)}, {{}})".format,
            lambda i, _: f"{name}_table{i}[(int){{}}]".format,
        )


DOUBLE = Real()
FLOAT = Real("float", "f")


def program_statements(
    program: Program, elements: Sequence[str], targets: Sequence[str], real: Real, name: str, sincos: str
) -> list[str]:
    """Lines that compute a program: `elements` are the texts of its inputs, `targets` those of its outputs.

    Look-ups read tables that are named after `name` (see `program_tables`); `sincos` is the beginning of the names
    of the functions for sines and cosines, see `sincos_functions`, which single precision does not use.
    """
    texts = [*elements, *(real.number(c) for c in program.constants.tolist())]
    values = dict(enumerate(texts))
    expressions = real.dialect(name).spellings(program.tables)
    steps, pairs = steps_of(program)
    lines: list[str] = []
    groups = 0
    for step in steps:
        if isinstance(step, Angles):
            lines += _sine_lines(step, pairs, values, real, f"{sincos}{loop_width(step)}", groups)
            groups += 1
            continue
        op, args = program.operations[step]
        lines.append(f"    const {real.type} t{step} = {expressions[op](*(values[i] for i in args))};")
        values[program.first_operation + step] = f"t{step}"
    return lines + [f"    {target} = {values[i]};" for target, i in zip(targets, program.results.tolist(), strict=True)]


def _sine_lines(
    group: Angles, pairs: dict[int, dict[int, int]], values: dict[int, str], real: Real, function: str, number: int
) -> list[str]:
    """Lines for the sines and cosines of a group of angles; their texts are added to `values`."""
    titles = ("x", "s", "c")
    x, s, c = (f"{title}{number}" for title in titles)
    n, angles = loop_width(group), [values[angle] for angle in group.values]
    for k, angle in enumerate(group.values):
        for op, value in pairs[angle].items():
            if real.suffix:
                values[value] = f"{s if op == Op.SIN else c}_{k}"
            else:
                values[value] = f"{s if op == Op.SIN else c}[{k}]"
    if real.suffix:
        return [
            f"    const {real.type} {values[value]} = {'sin' if op == Op.SIN else 'cos'}{real.suffix}({text});"
            for angle, text in zip(group.values, angles, strict=True)
            for op, value in pairs[angle].items()
        ]
    filled = ", ".join([*angles, *[angles[-1]] * (n - len(angles))])
    return [
        f"    const {real.type} {x}[{n}] = {{{filled}}};",
        f"    {real.type} {s}[{n}], {c}[{n}];",
        f"    {function}({x}, {s}, {c});",
    ]


def static_function(
    program: Program,
    name: str,
    arguments: Sequence[str],
    real: Real,
    sincos: str,
    fields: Sequence[str] | None = None,
) -> str:
    """A program as a static C function of its inputs, in the order of `arguments`, and of its outputs out0, out1, ...

    Args:
        program: every input of it is named in `arguments`; others there are not used.
        name: of the function.
        arguments: text of every argument by name of the input: "const double *q", the name last.
        real: type of the numbers.
        sincos: beginning of the names of the functions for sines and cosines, see `sincos_functions`.
        fields: texts of the elements of the input p, where it is not an array.
    """
    given = [argument.rpartition("*")[2].strip() for argument in arguments]
    elements = [
        text
        for port in program.inputs
        for text in (
            fields if fields is not None and port.name == "p" else [f"{port.name}[{k}]" for k in range(port.size)]
        )
    ]
    outputs = [f"out{i}" for i in range(len(program.outputs))]
    targets = [f"{o}[{k}]" for o, port in zip(outputs, program.outputs, strict=True) for k in range(port.size)]
    head = [*arguments, *(f"{real.type} *restrict {o}" for o in outputs)]
    lines = [
        *program_tables(program, name, real),
        f"/* {operation_count(program).total} operations */",
        f"static void {name}({', '.join(head)})",
        "{",
        *(f"    (void){argument};" for argument in given),
        *program_statements(program, elements, targets, real, name, sincos),
        "}\n",
    ]
    return "\n".join(lines)


_SEARCH = """
/* how many of the n ascending numbers are at or below x */
static REAL NAME_find(const REAL *table, int n, REAL x)
{
    int base = 0;
    while (n > 0) {
        const int half = n / 2;
        if (table[base + half] <= x) {
            base += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return (REAL)base;
}
"""


def program_tables(program: Program, name: str, real: Real) -> list[str]:
    """The tables and the search in them, if the program has any."""
    if not program.tables:
        return []
    found = [
        f"static const {real.type} {name}_table{i}[{len(table)}] = {{{', '.join(map(real.number, table.tolist()))}}};"
        for i, table in enumerate(program.tables)
    ]
    return [*found, _SEARCH.replace("NAME", name).replace("REAL", real.type)]
