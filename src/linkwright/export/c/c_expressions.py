"""Operations of a program as C expressions, in double or single precision; sines and cosines several at once.

Calls of math.h, one angle at a time, take a large part of the time of a function. Here the angles of a program that do
not wait for each other fill an array, and a loop of fixed length without branches computes both functions of all of
them: Cody-Waite reduction to |r| <= pi/4, in parts of 33 bits whose products are exact where there are no fused
operations, and the polynomials of fdlibm with the remainder carried in two parts. Angles beyond 1e5 and those that are
not finite go to math.h.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from linkwright.compiler.passes.counts import operation_count
from linkwright.compiler.passes.schedule import Angles, Step, schedule_operations
from linkwright.compiler.trace.operations import Dialect, Op, text_dialect
from linkwright.compiler.trace.program import Program
from linkwright.dataclass import dataclass

# --- sine and cosine of several angles at once, as C that compilers turn into vector instructions ---------------------

_WIDTHS = (1, 2, 4, 8)

_TEXT = """/* sine and cosine of @n@ angles, in a loop that compilers turn into vector instructions */
static void NAME@n@(const double *restrict x, double *restrict sine, double *restrict cosine)
{
    int i;
    for (i = 0; i < @n@; ++i) {
        /* x = k pi/2 + (a + b) with a whole number k; adding 1.5 * 2^52 rounds to one */
        const double k = (x[i] * 0.6366197723675814 + 6755399441055744.0) - 6755399441055744.0;
        const double q = k - 4.0 * ((k * 0.25 + 6755399441055744.0) - 6755399441055744.0);
#if defined(FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
        const double r0 = fma(-k, 1.5707963267948966, x[i]);
        const double p2 = k * 6.123233995736766e-17;
        const double a = r0 - p2;
        const double t1 = a - r0;
        const double e = ((r0 - (a - t1)) - (p2 + t1)) - fma(k, 6.123233995736766e-17, -p2);
        const double b = fma(-k, -1.4973849048591698e-33, e);
#else
        const double r0 = x[i] - k * 1.57079632673412561417e+00;
        const double p2 = k * 6.07710050630396597660e-11;
        const double r1 = r0 - p2;
        const double t1 = r1 - r0;
        const double p3 = k * 2.02226624871116645580e-21;
        const double r2 = r1 - p3;
        const double t2 = r2 - r1;
        const double e = ((r0 - (r1 - t1)) - (p2 + t1)) + ((r1 - (r2 - t2)) - (p3 + t2));
        const double f = e - k * 8.47842766036889956997e-32;
        const double a = r2 + f;
        const double b = f - (a - r2);
#endif
        /* polynomials of fdlibm */
        const double z = a * a, v = z * a, w = z * z, h = 0.5 * z;
        const double s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
                         + z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
        const double c = z * (4.16666666666666019037e-02
                              + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
                         + w * w * (-2.75573143513906633035e-07
                                    + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11));
        const double sin_a = a - ((z * (0.5 * b - v * s) - b) - v * -1.66666666666666324348e-01);
        const double top = 1.0 - h;
        const double cos_a = top + (((1.0 - top) - h) + (z * c - a * b));
        /* quadrants: q is -2 ... 2 */
        const double even = 1.0 - fabs(q);
        sine[i] = q * q == 1.0 ? q * cos_a : even * sin_a;
        cosine[i] = q * q == 1.0 ? -q * sin_a : even * cos_a;
    }
    for (i = 0; i < @n@; ++i) {
        if (!(fabs(x[i]) <= 1e5)) {
            sine[i] = sin(x[i]);
            cosine[i] = cos(x[i]);
        }
    }
}
"""


def steps_of(program: Program) -> tuple[tuple[Step, ...], dict[int, dict[int, int]]]:
    """Operations in the order that keeps few values waiting, angles in groups; for every angle the value numbers of
    its sine and cosine, by `Op`."""
    found = schedule_operations(program, max(1, program.n_operations))
    return tuple(step for chunk in found.chunks for step in chunk), found.pairs


def loop_width(group: Angles) -> int:
    """How many angles the loop for a group takes; the last one of the group fills what is left."""
    return next(n for n in _WIDTHS if len(group.values) <= n)


def c_sincos_functions(name: str, programs: Iterable[Program]) -> list[str]:
    """The functions `name` + width that some programs call."""
    groups = [step for program in programs for step in steps_of(program)[0] if isinstance(step, Angles)]
    widths = {loop_width(group) for group in groups}
    return [_TEXT.replace("NAME", name).replace("@n@", str(n)) for n in sorted(widths)]


# --- operations of a program as C expressions, in double or single precision ------------------------------------------

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
    of the functions for sines and cosines, see `c_sincos_functions`, which single precision does not use.
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
        sincos: beginning of the names of the functions for sines and cosines, see `c_sincos_functions`.
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
