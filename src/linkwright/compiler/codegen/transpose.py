"""Between row-major rows, one per lane, and one lane vector per column, as IR text.

Two columns of two or four rows are exchanged at a time: half-register loads and one interleaving each need fewer
shuffles than whole-register transposes. Ports too long to unroll are walked by small functions with a loop each.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler.codegen.ir_text import Lines, function_definition, vector_type

UNROLLED = 48
"""Ports with more elements than this are walked by a loop."""


def group_width(lanes: int) -> int:
    """Rows exchanged together."""
    return min(lanes, 4)


def column_pairs(size: int) -> list[int]:
    """First columns of pairs that cover a row of at least two; the last may overlap its neighbor."""
    return sorted({min(k, size - 2) for k in range(0, size, 2)})


def load_pair(w: Lines, rows: list[str]) -> tuple[str, str]:
    """Two neighboring columns of a group of rows; the pointers are those of the first column."""
    a = [w.let(f"load <2 x double>, ptr {row}, align 8") for row in rows]
    join = (0, 1, 2, 3)
    even, odd = (a[0], a[1]) if len(a) == 2 else (w.shuffle(2, a[0], a[2], join), w.shuffle(2, a[1], a[3], join))
    return _interleave_vectors(w, len(a), even, odd)


def store_pair(w: Lines, rows: list[str], first: str, second: str) -> None:
    """The reverse of `load_pair`."""
    even, odd = _interleave_vectors(w, len(rows), first, second)
    if len(rows) == 2:
        pieces = [even, odd]
    else:
        pieces = [w.shuffle(4, x, x, half) for half in ((0, 1), (2, 3)) for x in (even, odd)]
    for row, piece in zip(rows, pieces, strict=True):
        w.put(f"store <2 x double> {piece}, ptr {row}, align 8")


def load_column(w: Lines, rows: list[str]) -> str:
    """One column of a group of rows."""
    packed = "undef"
    for lane, row in enumerate(rows):
        x = w.let(f"load double, ptr {row}, align 8")
        packed = w.let(f"insertelement {vector_type(len(rows))} {packed}, double {x}, i32 {lane}")
    return packed


def store_column(w: Lines, rows: list[str], column: str) -> None:
    """The reverse of `load_column`."""
    for lane, row in enumerate(rows):
        x = w.let(f"extractelement {vector_type(len(rows))} {column}, i32 {lane}")
        w.put(f"store double {x}, ptr {row}, align 8")


def _interleave_vectors(w: Lines, width: int, x: str, y: str) -> tuple[str, str]:
    """Even elements of x and y in turn, and odd ones."""
    if width == 2:
        return w.shuffle(2, x, y, (0, 2)), w.shuffle(2, x, y, (1, 3))
    return w.shuffle(4, x, y, (0, 4, 2, 6)), w.shuffle(4, x, y, (1, 5, 3, 7))


def loop_functions(lanes: int) -> str:
    """Definitions of all loops, for one number of lanes."""
    kind = vector_type(lanes)
    fill = _plain_loop(f"void @lw.fill.{lanes}(ptr %x, i64 %n, {kind} %y)", lambda w: w.store("%y", "%x", "%k"), lanes)
    if lanes == 1:
        return fill + _check_loop()
    mask = vector_type(group_width(lanes), "i64")
    poison = _plain_loop(f"void @lw.poison.{lanes}(ptr %x, i64 %n, {mask} %y)", _poison_one, lanes)
    return "\n".join([fill, poison, _group_loop("to", lanes), _group_loop("from", lanes)])


def _close_transpose_loop(head: str, w: Lines, result: str, step: int = 1) -> str:
    """The function whose loop over %k up to %n was begun in `w`."""
    w.put(f"%k1 = add i64 %k, {step}", "%more = icmp slt i64 %k1, %n", "br i1 %more, label %loop, label %done")
    w.put("done:", f"ret {result}")
    return function_definition(f"internal {head} noinline #0", w.text)


def _plain_loop(head: str, body: Callable[[Lines], None], lanes: int) -> str:
    w = Lines(lanes)
    w.put("%some = icmp sgt i64 %n, 0", "br i1 %some, label %loop, label %done")
    w.put("loop:", "%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    body(w)
    return _close_transpose_loop(head, w, "void")


def _poison_one(w: Lines) -> None:
    """Set all bits, which is NaN, where the mask says so; only one group of lanes of each element is touched."""
    mask = vector_type(group_width(w.lanes), "i64")
    pointer = w.element("%x", "%k")
    bits = w.let(f"load {mask}, ptr {pointer}, align 8")
    w.put(f"store {mask} {w.let(f'or {mask} {bits}, %y')}, ptr {pointer}, align 8")


def _check_loop() -> str:
    """Sum of x - x over all elements: zero when all are finite, else NaN."""
    w = Lines()
    w.put("br label %loop", "loop:", "%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    w.put(f"%s = phi double [ {w.const(0.0)}, %0 ], [ %s1, %loop ]")
    x = w.load("%x", "%k")
    w.put(f"%s1 = fadd double %s, {w.sub(x, x)}")
    return _close_transpose_loop("double @lw.check.1(ptr %x, i64 %n)", w, "double %s1")


def _group_loop(way: str, lanes: int) -> str:
    """Transpose a group of rows of at least two columns, two at a time; the last two may overlap their neighbors.

    On the way in, returns the sum of x - x of every row: zero when all are finite, else NaN.
    """
    width = group_width(lanes)
    w = Lines(width)
    w.put("%last = sub i64 %n, 2", "br label %loop", "loop:", "%k = phi i64 [ 0, %0 ], [ %k1, %loop ]")
    w.put(f"%s = phi {w.type} [ {w.const(0.0)}, %0 ], [ {'%s1' if way == 'to' else w.const(0.0)}, %loop ]")
    w.put("%over = icmp sgt i64 %k, %last", "%c = select i1 %over, i64 %last, i64 %k")
    rows = [w.at("%row", "%c")]
    for _ in range(1, width):
        rows.append(w.at(rows[-1], "%stride"))
    here = w.at("%block", w.let(f"mul i64 %c, {lanes}"))
    there = w.at(here, lanes)
    if way == "to":
        first, second = load_pair(w, rows)
        w.store(first, here)
        w.store(second, there)
        w.put(f"%s1 = fadd {w.type} %s, {w.add(w.sub(first, first), w.sub(second, second))}")
    else:
        store_pair(w, rows, w.load(here), w.load(there))
    head = f"{w.type} @lw.{way}_lanes.{lanes}(ptr %row, i64 %stride, ptr %block, i64 %n)"
    return _close_transpose_loop(head, w, f"{w.type} {'%s1' if way == 'to' else '%s'}", step=2)
