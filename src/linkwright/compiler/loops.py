"""The same work on ports too long to unroll: small IR functions with a loop each."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler.text import Lines, function, vector
from linkwright.compiler.transpose import quad_from_lanes, quad_to_lanes

UNROLLED = 48
"""Ports with more elements than this are walked by a loop."""


def loop_functions(lanes: int) -> str:
    """Definitions of all loops, for one number of lanes."""
    kind, whole = vector(lanes), vector(lanes, "i64")
    return "\n".join(
        [
            _sum_loop(lanes),
            _plain_loop(
                f"void @lw.fill.{lanes}(ptr %x, i64 %n, {kind} %y)", lambda w: w.store("%y", "%x", "%k"), lanes
            ),
            _plain_loop(f"void @lw.poison.{lanes}(ptr %x, i64 %n, {whole} %y)", _poison_one, lanes),
            _row_loop("to", lanes) if lanes % 4 == 0 else "",
            _row_loop("from", lanes) if lanes % 4 == 0 else "",
        ]
    )


def _plain_loop(head: str, body: Callable[[Lines], None], lanes: int) -> str:
    w = Lines(lanes)
    w.put("%some = icmp sgt i64 %n, 0")
    w.put("br i1 %some, label %loop, label %done")
    w.put("loop:")
    w.put("%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    body(w)
    w.put("%k1 = add i64 %k, 1")
    w.put("%more = icmp slt i64 %k1, %n")
    w.put("br i1 %more, label %loop, label %done")
    w.put("done:")
    w.put("ret void")
    return function(f"internal {head} noinline #0", w.text)


def _poison_one(w: Lines) -> None:
    whole = vector(w.lanes, "i64")
    place = w.place("%x", "%k")
    bits = w.let(f"load {whole}, ptr {place}, align 8")
    w.put(f"store {whole} {w.let(f'or {whole} {bits}, %y')}, ptr {place}, align 8")


def _sum_loop(lanes: int) -> str:
    """Sum of x - x over all elements: zero when all are finite, else NaN."""
    w = Lines(lanes)
    kind = vector(lanes)
    w.put("br label %loop")
    w.put("loop:")
    w.put("%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    w.put(f"%s = phi {kind} [ {w.const(0.0)}, %0 ], [ %s1, %loop ]")
    x = w.load("%x", "%k")
    w.put(f"%s1 = fadd {kind} %s, {w.sub(x, x)}")
    w.put("%k1 = add i64 %k, 1")
    w.put("%more = icmp slt i64 %k1, %n")
    w.put("br i1 %more, label %loop, label %done")
    w.put("done:")
    w.put(f"ret {kind} %s1")
    return function(f"internal {kind} @lw.check.{lanes}(ptr %x, i64 %n) noinline #0", w.text)


def _row_loop(way: str, lanes: int) -> str:
    """Transpose rows of at least four columns, four columns at a time; the last four may overlap their neighbours."""
    w = Lines()
    w.put("%last = sub i64 %n, 4")
    w.put("br label %loop")
    w.put("loop:")
    w.put("%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    w.put("%over = icmp sgt i64 %k, %last")
    w.put("%c = select i1 %over, i64 %last, i64 %k")
    rows = ["%row"]
    for _ in range(1, lanes):
        rows.append(w.let(f"getelementptr double, ptr {rows[-1]}, i64 %stride"))
    for first in range(0, lanes, 4):
        here = [w.let(f"getelementptr double, ptr {row}, i64 %c") for row in rows[first : first + 4]]
        start = w.let(f"add i64 {w.let(f'mul i64 %c, {lanes}')}, {first}")
        block = w.let(f"getelementptr double, ptr %block, i64 {start}")
        (quad_to_lanes if way == "to" else quad_from_lanes)(w, here, block, lanes)
    w.put("%k1 = add i64 %k, 4")
    w.put("%more = icmp slt i64 %k1, %n")
    w.put("br i1 %more, label %loop, label %done")
    w.put("done:")
    w.put("ret void")
    head = f"internal void @lw.{way}_lanes.{lanes}(ptr %row, i64 %stride, ptr %block, i64 %n) noinline #0"
    return function(head, w.text)
