"""The operations of programs: one record each, the dialect of a target, and tables that programs read.

Everything that is true of an operation whatever computes it stands in its record. A target (NumPy, C, JAX, ...) is a
`Dialect`: arithmetic follows from the records, functions are found by name, and what is spelled otherwise is listed.

`FIND` gives the interval of a sorted table that a number falls into, `READ` the entry at an index. With these two a
spline of any length costs a binary search and a few multiplications, and is differentiated like any other arithmetic:
both are constant between breakpoints.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, Literal

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

# --- the operations of programs ---------------------------------------------------------------------------------------


class Op(IntEnum):
    """One machine-level operation; the numbers are part of the cache format."""

    INPUT = 0
    CONST = 1
    ADD = 2
    SUB = 3
    MUL = 4
    NEG = 5
    RECIP = 6
    SQRT = 7
    SIN = 8
    COS = 9
    ATAN2 = 10
    EXP = 11
    LOG = 12
    TANH = 13
    ABS = 14
    MIN = 15
    MAX = 16
    SELECT = 17  # SELECT(c, a, b): a where c > 0, else b
    FMA = 18  # a * b + c, rounded once
    FMS = 19  # a * b - c
    FNMA = 20  # c - a * b


FIRST_TABLE = 64
"""Operation FIRST_TABLE + 2 i + kind looks something up in table i of the program; it takes one argument."""
FIND, READ = 0, 1  # the interval of the table that x falls into; the entry of the table at index x

Cost = Literal["mul", "add", "div", "sqrt", "trig"]

ONE, ZERO = -1, -2
"""Factors of a `ProgramOperation.sum` that are these numbers instead of arguments."""


@dataclass(frozen=True)
class ProgramOperation:
    """What is true of an operation whatever computes it.

    Attributes:
        op: its number.
        arity: number of arguments.
        partials: (recorder, arguments, result) to the derivatives by each argument, as recorded values.
        cost: what it counts as; negations and choices cost nothing next to an addition.
        apply: the operation on numbers of any kind that have operators; None for functions.
        text: the same in languages with infix operators.
        sum: of `sign * a * b + other * c`: a, b and c as numbers of arguments, sign, other; None for other operations.
    """

    op: Op
    arity: int
    partials: Callable[[Any, Sequence[Any], Any], tuple[Any, ...]]
    cost: tuple[Cost, ...] = ()
    apply: Callable[..., Any] | None = None
    text: str = ""
    sum: tuple[tuple[int, int, int], int, int] | None = None

    @property
    def name(self) -> str:
        """The name by which dialects spell it."""
        return self.op.name.lower()


def _arctangent_partials(rec: Any, x: Sequence[Any], y: Any) -> tuple[Any, ...]:
    scale = rec.recip(x[0] * x[0] + x[1] * x[1])
    return x[1] * scale, -(x[0] * scale)


def _choice_partials(rec: Any, c: Any) -> tuple[Any, Any]:
    return rec.select(c, rec.one, rec.zero), rec.select(c, rec.zero, rec.one)


_FUSED: tuple[Cost, ...] = ("mul", "add")
_RECORDS = (  # op, arity, partials, cost, apply, text, sum
    ProgramOperation(Op.ADD, 2, lambda r, x, y: (r.one, r.one), ("add",), operator.add, "{} + {}", ((0, ONE, 1), 1, 1)),
    ProgramOperation(
        Op.SUB, 2, lambda r, x, y: (r.one, -r.one), ("add",), operator.sub, "{} - {}", ((0, ONE, 1), 1, -1)
    ),
    ProgramOperation(Op.MUL, 2, lambda r, x, y: (x[1], x[0]), ("mul",), operator.mul, "{} * {}", ((0, 1, ZERO), 1, 1)),
    ProgramOperation(Op.NEG, 1, lambda r, x, y: (-r.one,), (), operator.neg, "-{}", ((0, ONE, ZERO), -1, 1)),
    ProgramOperation(Op.RECIP, 1, lambda r, x, y: (-(y * y),), ("div",), lambda a: 1 / a, "1.0 / {}"),
    ProgramOperation(Op.SQRT, 1, lambda r, x, y: (0.5 / y,), ("sqrt",)),
    ProgramOperation(Op.SIN, 1, lambda r, x, y: (r.cos(x[0]),), ("trig",)),
    ProgramOperation(Op.COS, 1, lambda r, x, y: (-r.sin(x[0]),), ("trig",)),
    ProgramOperation(Op.ATAN2, 2, _arctangent_partials, ("trig",)),
    ProgramOperation(Op.EXP, 1, lambda r, x, y: (y,), ("trig",)),
    ProgramOperation(Op.LOG, 1, lambda r, x, y: (r.recip(x[0]),), ("trig",)),
    ProgramOperation(Op.TANH, 1, lambda r, x, y: (1.0 - y * y,), ("trig",)),
    ProgramOperation(Op.ABS, 1, lambda r, x, y: (r.select(x[0], r.one, -r.one),)),
    ProgramOperation(Op.MIN, 2, lambda r, x, y: _choice_partials(r, x[1] - x[0])),
    ProgramOperation(Op.MAX, 2, lambda r, x, y: _choice_partials(r, x[0] - x[1])),
    ProgramOperation(Op.SELECT, 3, lambda r, x, y: (r.zero, *_choice_partials(r, x[0]))),
    ProgramOperation(
        Op.FMA,
        3,
        lambda r, x, y: (x[1], x[0], r.one),
        _FUSED,
        lambda a, b, c: a * b + c,
        "{} * {} + {}",
        ((0, 1, 2), 1, 1),
    ),
    ProgramOperation(
        Op.FMS,
        3,
        lambda r, x, y: (x[1], x[0], -r.one),
        _FUSED,
        lambda a, b, c: a * b - c,
        "{} * {} - {}",
        ((0, 1, 2), 1, -1),
    ),
    ProgramOperation(
        Op.FNMA,
        3,
        lambda r, x, y: (-x[1], -x[0], r.one),
        _FUSED,
        lambda a, b, c: c - a * b,
        "{2} - {0} * {1}",
        ((0, 1, 2), -1, 1),
    ),
)

OPERATIONS: Mapping[int, ProgramOperation] = {int(record.op): record for record in _RECORDS}
"""The record of every operation but inputs, constants and look-ups, by number."""


def operation_arity(op: int) -> int:
    """Number of arguments of an operation."""
    return 1 if op >= FIRST_TABLE else OPERATIONS[op].arity if op in OPERATIONS else 0


def is_transcendental(op: int) -> bool:
    """Return True for sines, exponentials and their like."""
    return op in OPERATIONS and "trig" in OPERATIONS[op].cost


Spelling = Callable[..., Any]
LookUp = Callable[[int, Any], Spelling]
"""(number of the table, the table) to the function of its argument."""


@dataclass(frozen=True)
class Dialect:
    """How a target spells the operations of a program, on whatever stands for its values: numbers, symbols, text.

    Attributes:
        spell: an operation to the function of its arguments.
        find, read: the two look-ups; None where the target has no tables.
    """

    spell: Callable[[ProgramOperation], Spelling]
    find: LookUp | None = None
    read: LookUp | None = None

    def spellings(self, tables: Sequence[Any] = ()) -> dict[int, Spelling]:
        """The function of every operation by number, look-ups in these tables included."""
        out = {op: self.spell(record) for op, record in OPERATIONS.items()}
        for kind, look_up in ((FIND, self.find), (READ, self.read)):
            if look_up is not None:
                out |= {FIRST_TABLE + 2 * i + kind: look_up(i, table) for i, table in enumerate(tables)}
        return out


def operator_dialect(
    function: Callable[[str], Spelling],
    others: Mapping[str, Spelling],
    find: LookUp | None = None,
    read: LookUp | None = None,
) -> Dialect:
    """The dialect of values that have Python's operators.

    Args:
        function: the function for the name of an operation that is not arithmetic.
        others: operations by name that are spelled otherwise.
        find: see `Dialect`.
        read: see `Dialect`.
    """
    return Dialect(lambda x: others.get(x.name) or x.apply or function(x.name), find, read)


def text_dialect(
    function: Callable[[str], str],
    others: Mapping[str, str],
    find: LookUp | None = None,
    read: LookUp | None = None,
) -> Dialect:
    """The dialect of a language with infix operators.

    Args:
        function: what is called for the name of an operation that is not arithmetic.
        others: formats of operations by name that are spelled otherwise.
        find: see `Dialect`.
        read: see `Dialect`.
    """

    def spell(record: ProgramOperation) -> Spelling:
        pattern = others.get(record.name) or record.text
        return pattern.format if pattern else _call_spelling(function(record.name))

    return Dialect(spell, find, read)


def _call_spelling(function: str) -> Spelling:
    return lambda *x: f"{function}({', '.join(x)})"


# --- tables of numbers that programs read, and the two look-ups on plain numbers --------------------------------------

Array = np.ndarray


def finite_table(name: str, table: Any) -> Array:
    """A table as a read-only float64 array (n,), n at least 1; NaN and infinity are refused."""
    found = np.array(table, dtype=np.float64)
    if found.ndim != 1 or not len(found):
        raise ArgumentError(f"{name} has shape {found.shape}, expected (n,) with at least one number")
    if not np.isfinite(found).all():
        raise ArgumentError(f"{name} holds {found[~np.isfinite(found)][0]} at row {int(np.argmin(np.isfinite(found)))}")
    found.setflags(write=False)
    return found


def plain_look_up(kind: int, table: Array, dtype: Any = np.float64) -> Callable[[Any], Any]:
    """The look-up on arrays of plain numbers; NaN counts as below all breakpoints, as in machine code."""
    if kind == FIND:
        return lambda x: _find_interval(table, np.asarray(x, dtype=np.float64)).astype(dtype)
    return lambda index: table[np.asarray(index, dtype=np.float64).astype(np.int64)].astype(dtype)


def _find_interval(breakpoints: Array, x: Array) -> Array:
    return np.where(np.isnan(x), 0, np.searchsorted(breakpoints, x, side="right"))
