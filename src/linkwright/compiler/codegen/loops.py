"""The same work on ports too long to unroll: small IR functions with a loop each."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler.codegen.text import Lines, function, vector
from linkwright.compiler.codegen.transpose import group_width, load_pair, store_pair

UNROLLED = 48
"""Ports with more elements than this are walked by a loop."""


def loop_functions(lanes: int) -> str:
    """Definitions of all loops, for one number of lanes."""
    kind = vector(lanes)
    fill = _plain_loop(f"void @lw.fill.{lanes}(ptr %x, i64 %n, {kind} %y)", lambda w: w.store("%y", "%x", "%k"), lanes)
    if lanes == 1:
        return fill + _check_loop()
    mask = vector(group_width(lanes), "i64")
    poison = _plain_loop(f"void @lw.poison.{lanes}(ptr %x, i64 %n, {mask} %y)", _poison_one, lanes)
    return "\n".join([fill, poison, _group_loop("to", lanes), _group_loop("from", lanes)])


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
    """Set all bits, which is NaN, where the mask says so; only one group of lanes of each element is touched."""
    mask = vector(group_width(w.lanes), "i64")
    place = w.place("%x", "%k")
    bits = w.let(f"load {mask}, ptr {place}, align 8")
    w.put(f"store {mask} {w.let(f'or {mask} {bits}, %y')}, ptr {place}, align 8")


def _check_loop() -> str:
    """Sum of x - x over all elements: zero when all are finite, else NaN."""
    w = Lines()
    w.put("br label %loop")
    w.put("loop:")
    w.put("%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    w.put(f"%s = phi double [ {w.const(0.0)}, %0 ], [ %s1, %loop ]")
    x = w.load("%x", "%k")
    w.put(f"%s1 = fadd double %s, {w.sub(x, x)}")
    w.put("%k1 = add i64 %k, 1")
    w.put("%more = icmp slt i64 %k1, %n")
    w.put("br i1 %more, label %loop, label %done")
    w.put("done:")
    w.put("ret double %s1")
    return function("internal double @lw.check.1(ptr %x, i64 %n) noinline #0", w.text)


def _group_loop(way: str, lanes: int) -> str:
    """Transpose a group of rows of at least two columns, two at a time; the last two may overlap their neighbours.

    On the way in, returns the sum of x - x of every row: zero when all are finite, else NaN.
    """
    width = group_width(lanes)
    w = Lines(width)
    w.put("%last = sub i64 %n, 2")
    w.put("br label %loop")
    w.put("loop:")
    w.put("%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    w.put(f"%s = phi {w.type} [ {w.const(0.0)}, %0 ], [ {'%s1' if way == 'to' else w.const(0.0)}, %loop ]")
    w.put("%over = icmp sgt i64 %k, %last")
    w.put("%c = select i1 %over, i64 %last, i64 %k")
    rows = [w.let("getelementptr double, ptr %row, i64 %c")]
    for _ in range(1, width):
        rows.append(w.let(f"getelementptr double, ptr {rows[-1]}, i64 %stride"))
    here = w.let(f"getelementptr double, ptr %block, i64 {w.let(f'mul i64 %c, {lanes}')}")
    there = w.let(f"getelementptr double, ptr {here}, i64 {lanes}")
    if way == "to":
        first, second = load_pair(w, rows)
        w.store(first, here)
        w.store(second, there)
        w.put(f"%s1 = fadd {w.type} %s, {w.add(w.sub(first, first), w.sub(second, second))}")
    else:
        store_pair(w, rows, w.load(here), w.load(there))
    w.put("%k1 = add i64 %k, 2")
    w.put("%more = icmp slt i64 %k1, %n")
    w.put("br i1 %more, label %loop, label %done")
    w.put("done:")
    w.put(f"ret {w.type} {'%s1' if way == 'to' else '%s'}")
    head = f"internal {w.type} @lw.{way}_lanes.{lanes}(ptr %row, i64 %stride, ptr %block, i64 %n) noinline #0"
    return function(head, w.text)
