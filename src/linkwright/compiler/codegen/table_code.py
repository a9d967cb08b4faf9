"""Table look-ups as IR text: the tables themselves, a binary search, and reading lane by lane."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from linkwright.compiler.codegen.ir_text import Lines, double_literal, function_definition
from linkwright.compiler.trace.lookup_tables import Array
from linkwright.compiler.trace.operations import FIND, FIRST_TABLE
from linkwright.compiler.trace.program import Program

_SEARCH = """entry:
br label %head
head:
%base = phi i64 [ 0, %entry ], [ %base.next, %body ]
%left = phi i64 [ %n, %entry ], [ %left.next, %body ]
%more = icmp sgt i64 %left, 0
br i1 %more, label %body, label %done
body:
%half = lshr i64 %left, 1
%middle = add i64 %base, %half
%entry.at = getelementptr double, ptr %table, i64 %middle
%value = load double, ptr %entry.at, align 8
%reached = fcmp ole double %value, %x
%above = add i64 %middle, 1
%others = sub i64 %left, %half
%rest = sub i64 %others, 1
%base.next = select i1 %reached, i64 %above, i64 %base
%left.next = select i1 %reached, i64 %rest, i64 %half
br label %head
done:
%count = sitofp i64 %base to double
ret double %count"""

_READ = """%whole = fptosi double %x to i64
%entry.at = getelementptr double, ptr %table, i64 %whole
%value = load double, ptr %entry.at, align 8
ret double %value"""


def look_up_call(w: Lines, program: Program, op: int, x: str) -> str:
    """The call for one operation above FIRST_TABLE."""
    table = program.tables[(op - FIRST_TABLE) // 2]
    name = "find" if (op - FIRST_TABLE) % 2 == FIND else "read"
    if name == "read" and w.lanes == 1:  # without a call: a spline reads often after one search
        whole = w.let(f"fptosi double {x} to i64")
        return w.let(f"load double, ptr {w.element(_table_symbol(table), whole)}, align 8")
    return w.let(f"call {w.type} @lw.{name}.{w.lanes}({w.type} {x}, ptr {_table_symbol(table)}, i64 {len(table)})")


def look_up_functions(programs: Iterable[Program], widths: Iterable[int]) -> list[str]:
    """The tables of the programs and the functions that read them; nothing when there are none."""
    tables = {_table_symbol(table): table for program in programs for table in program.tables}
    if not tables:
        return []
    scalar = [_table_function("find", 1, _SEARCH.splitlines()), _table_function("read", 1, _READ.splitlines())]
    wide = [_table_function(name, n, _lane_by_lane(name, n)) for n in widths if n > 1 for name in ("find", "read")]
    return [*(_table_constant(name, table) for name, table in tables.items()), *scalar, *wide]


def _table_symbol(table: Array) -> str:
    return f"@lw.table.{hashlib.blake2b(table.tobytes(), digest_size=12).hexdigest()}"


def _table_constant(name: str, table: Array) -> str:
    numbers = ", ".join(f"double {double_literal(x)}" for x in table.tolist())
    return f"{name} = internal constant [{len(table)} x double] [{numbers}], align 64\n"


def _table_function(name: str, lanes: int, lines: list[str]) -> str:
    kind = Lines(lanes).type
    return function_definition(f"internal {kind} @lw.{name}.{lanes}({kind} %x, ptr %table, i64 %n) noinline #0", lines)


def _lane_by_lane(name: str, lanes: int) -> list[str]:
    w = Lines(lanes)
    result = "undef"
    for lane in range(lanes):
        x = w.let(f"extractelement {w.type} %x, i32 {lane}")
        y = w.let(f"call double @lw.{name}.1(double {x}, ptr %table, i64 %n)")
        result = w.let(f"insertelement {w.type} {result}, double {y}, i32 {lane}")
    w.put(f"ret {w.type} {result}")
    return w.text
