"""The exported entry points: one state, rows one by one, one block of lanes, and rows in blocks of lanes.

Two columns of two or four rows are exchanged at a time: half-register loads and one interleaving each need fewer
shuffles than whole-register transposes. Ports too long to unroll are walked by small functions with a loop each.

Blocks of rows are transposed into lanes, run, and transposed back; too few rows for a block run one by one.
"""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler.codegen.ir_text import (
    Lines,
    double_literal,
    function_definition,
    intrinsic_suffix,
    splat_literal,
    vector_pieces,
    vector_type,
)
from linkwright.compiler.trace.program import Port, Signature

# --- between row-major rows, one per lane, and one lane vector per column, as IR text ---------------------------------

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


# --- the exported entry points ----------------------------------------------------------------------------------------

_NAN = "0x7FF8000000000000"


def state_entries(signature: Signature, flagged: bool) -> str:
    """Definitions of `lw_state`, `lw_bound`, of `checked_entry` and of `lw_each`; they call `lw.run.1`."""
    return (
        _state_function(signature, flagged)
        + _bound_state_function(signature, flagged)
        + _checked_state_function(signature)
        + _row_loop_function(signature)
    )


def lane_entries(signature: Signature, lanes: int, fma: bool, side_by_side: bool) -> str:
    """Definitions of `lw_block` and `lw_rows`; without `side_by_side` rows are always done one by one."""
    return _block_function(signature, lanes) + _Rows(signature, lanes, fma, side_by_side).text()


def checked_entry(signature: Signature) -> str:
    """The entry that also refuses inputs that should be unit vectors and are not: `lw_state` when there are none."""
    return "lw_checked" if signature.units else "lw_state"


def _checked_state_function(signature: Signature) -> str:
    """i32 lw_checked(double **ports): `lw_state`, and 0 where a vector that should be a unit vector is not.

    Time stepping calls `lw_state`: within a step lengths may drift, and programs do not depend on them.
    """
    if not signature.units:
        return ""
    w = Lines()
    pointers = _load_pointers(w, _n_ports(signature))
    ok = w.let(f"icmp ne i32 {w.let('call i32 @lw_state(ptr %ports)')}, 0")
    for i, unit in signature.units:
        elements = [w.at(pointers[i], unit.start + k) for k in range(unit.size)]
        ok = w.let(f"and i1 {ok}, {_is_unit(w, 1, unit.tolerance, elements)}")
    w.put(f"ret i32 {w.let(f'zext i1 {ok} to i32')}")
    return function_definition("i32 @lw_checked(ptr %ports) #0", w.text)


def _is_unit(w: Lines, width: int, tolerance: float, elements: list[str]) -> str:
    """Flags of the lanes in which a vector in memory has norm 1 within the tolerance; not where it holds NaN."""
    kind = vector_type(width)
    x = [w.let(f"load {kind}, ptr {element}, align 8") for element in elements]
    total = w.let(f"fmul {kind} {x[0]}, {x[0]}")
    for y in x[1:]:
        total = w.let(f"fadd {kind} {total}, {w.let(f'fmul {kind} {y}, {y}')}")
    least, most = (
        splat_literal(width, "double", double_literal((1.0 + sign * tolerance) ** 2)) for sign in (-1.0, 1.0)
    )
    above = w.let(f"fcmp oge {kind} {total}, {least}")
    below = w.let(f"fcmp ole {kind} {total}, {most}")
    flags = "i1" if width == 1 else vector_type(width, "i1")
    return w.let(f"and {flags} {above}, {below}")


def _n_ports(signature: Signature) -> int:
    return len(signature.inputs) + len(signature.outputs)


def _load_pointers(w: Lines, n: int) -> list[str]:
    return [w.let(f"load ptr, ptr {p}") for p in [w.at("%ports", i, "ptr") for i in range(n)]]


def _call_run(w: Lines, lanes: int, pointers: list[str]) -> None:
    w.put(f"call void @lw.run.{lanes}({', '.join(f'ptr {p}' for p in pointers)})")


def _state_function(signature: Signature, flagged: bool) -> str:
    """i32 lw_state(double **ports): one state; 0 when an input is not finite (the outputs are written all the same).

    Of a program that flags results it is also 0 when the first number of the result is NaN.
    """
    w = Lines()
    _one_state(w, signature.inputs, signature, flagged, _load_pointers(w, _n_ports(signature)))
    return function_definition("i32 @lw_state(ptr %ports) #0", w.text)


def _bound_state_function(signature: Signature, flagged: bool) -> str:
    """i32 lw_bound(double **ports): `lw_state` with `given` behind the outputs, which is not checked."""
    if not signature.has_given:
        return ""
    w, n = Lines(), len(signature.inputs) - 1
    pointers = _load_pointers(w, _n_ports(signature))
    _one_state(w, signature.inputs[:-1], signature, flagged, [*pointers[:n], pointers[-1], *pointers[n:-1]])
    return function_definition("i32 @lw_bound(ptr %ports) #0", w.text)


def _one_state(w: Lines, checked: tuple[Port, ...], signature: Signature, flagged: bool, pointers: list[str]) -> None:
    """Run one state; return 1 if the checked inputs are finite and the result is not flagged."""
    ok = _test_inputs_finite(w, checked, pointers)
    _call_run(w, 1, pointers)
    if flagged:
        first = w.let(f"load double, ptr {pointers[len(signature.inputs)]}, align 8")
        ok = w.let(f"and i1 {ok}, {w.let(f'fcmp ord double {first}, {double_literal(0.0)}')}")
    w.put(f"ret i32 {w.let(f'zext i1 {ok} to i32')}")


def _test_inputs_finite(w: Lines, inputs: tuple[Port, ...], pointers: list[str]) -> str:
    """True when every input is finite: only then is x - x zero."""
    total = double_literal(0.0)
    for port, pointer in zip(inputs, pointers, strict=False):
        if port.size > UNROLLED:
            total = w.add(total, w.let(f"call double @lw.check.1(ptr {pointer}, i64 {port.size})"))
        else:
            total = _unrolled_check(w, pointer, port.size, total)
    return w.let(f"fcmp ord double {total}, {double_literal(0.0)}")


def _unrolled_check(w: Lines, pointer: str, size: int, total: str) -> str:
    sums: dict[int, str] = {}
    for start, width in vector_pieces(size):
        kind = vector_type(width)
        x = w.let(f"load {kind}, ptr {w.at(pointer, start)}, align 8")
        zero = w.let(f"fsub {kind} {x}, {x}")
        sums[width] = w.let(f"fadd {kind} {sums[width]}, {zero}") if width in sums else zero
    for width, value in sums.items():
        for lane in range(width):
            x = value if width == 1 else w.let(f"extractelement {vector_type(width)} {value}, i32 {lane}")
            total = w.add(total, x)
    return total


_ROWS = "(ptr %ports, ptr %strides, i64 %first, i64 %last)"


def _row_loop_function(signature: Signature) -> str:
    """void lw_each(double **ports, i64 *strides, i64 first, i64 last): rows one by one; NaN for rows with bad inputs.

    A stride of 0 repeats a row.
    """
    w, n = Lines(), _n_ports(signature)
    pointers, strides = _load_pointers(w, n), _load_strides(w, n)
    w.put(f"%table = alloca ptr, i32 {max(1, n)}, align 8", "br label %head")
    w.put("head:", "%i = phi i64 [ %first, %0 ], [ %i1, %next ]")
    w.put("%more = icmp slt i64 %i, %last", "br i1 %more, label %one, label %done", "one:")
    rows = _row_pointers(w, pointers, strides, "%i")
    for i, row in enumerate(rows):
        w.put(f"store ptr {row}, ptr {w.at('%table', i, 'ptr')}")
    ok = w.let(f"call i32 @{checked_entry(signature)}(ptr %table)")
    w.put(f"br i1 {w.let(f'icmp ne i32 {ok}, 0')}, label %next, label %bad", "bad:")
    for port, row in zip(signature.outputs, rows[len(signature.inputs) :], strict=True):
        w.put(f"call void @lw.fill.1(ptr {row}, i64 {port.size}, double {_NAN})")
    w.put("br label %next", "next:", "%i1 = add i64 %i, 1", "br label %head", "done:", "ret void")
    return function_definition(f"void @lw_each{_ROWS} #0", w.text)


def _load_strides(w: Lines, n: int) -> list[str]:
    return [w.let(f"load i64, ptr {p}") for p in [w.at("%strides", i, "i64") for i in range(n)]]


def _row_pointers(w: Lines, pointers: list[str], strides: list[str], row: str) -> list[str]:
    steps = [w.let(f"mul i64 {stride}, {row}") for stride in strides]
    return [w.at(p, s) for p, s in zip(pointers, steps, strict=True)]


def _block_function(signature: Signature, lanes: int) -> str:
    """void lw_block(double **ports): element-major data, `lanes` states side by side."""
    w = Lines()
    _call_run(w, lanes, _load_pointers(w, _n_ports(signature)))
    w.put("ret void")
    return function_definition("void @lw_block(ptr %ports) #0", w.text)


class _Rows:
    """Writes lw_rows, which does what `lw_each` does in blocks of lanes."""

    def __init__(self, signature: Signature, lanes: int, fma: bool, side_by_side: bool) -> None:
        self.fma = fma
        self.side_by_side = side_by_side
        self.signature = signature
        self.lanes = lanes
        self.ports = (*signature.inputs, *signature.outputs)
        self.w = Lines()

    def text(self) -> str:
        w, n = self.w, len(self.ports)
        self.pointers = _load_pointers(w, n)
        self.strides = _load_strides(w, n)
        self.blocks = self._blocks()
        w.put(f"%start = sub i64 %last, {self.lanes}")
        w.put("%short = icmp slt i64 %start, %first")
        w.put(f"%alone = or i1 %short, {w.let('icmp eq ptr %heap, null') if self._on_heap else 'false'}")
        w.put(f"%few = or i1 %alone, {'false' if self.side_by_side else 'true'}")
        w.put("br i1 %few, label %single, label %many")
        w.put("single:", f"call void @lw_each{_ROWS}", "br label %done")
        self._block_by_block()
        w.put("done:")
        if self._on_heap:
            w.put("call void @lw_free(ptr %heap)")
        w.put("ret void")
        return function_definition(f"void @lw_rows{_ROWS} #0", w.text)

    @property
    def _on_heap(self) -> bool:
        """Threads have small stacks; long ports go elsewhere."""
        return any(port.size > 1000 for port in self.ports)

    def _blocks(self) -> list[str]:
        w, kind = self.w, vector_type(self.lanes)
        if not self._on_heap:
            return [w.let(f"alloca {kind}, i32 {max(1, port.size)}, align 64") for port in self.ports]
        total = sum(port.size for port in self.ports)
        w.put(f"%heap = call ptr @lw_malloc(i64 {8 * self.lanes * total})")
        out, start = [], 0
        for port in self.ports:
            out.append(w.at("%heap", start, kind))
            start += port.size
        return out

    def _block_by_block(self) -> None:
        """Full blocks; the last one is moved back to end with the last row, so some rows are simply done twice."""
        w, n_in = self.w, len(self.signature.inputs)
        w.put("many:", "%r = phi i64 [ %first, %0 ], [ %r2, %clean ]")
        w.put("%over = icmp sgt i64 %r, %start", "%row = select i1 %over, i64 %start, i64 %r")
        rows = _row_pointers(w, self.pointers, self.strides, "%row")
        checks = [_Check(w, group_width(self.lanes), self.fma) for _ in self._groups]
        for i, port in enumerate(self.signature.inputs):
            for group, check in zip(self._groups, checks, strict=True):
                self._in(port, self._group_row(rows[i], self.strides[i], group), self.strides[i], i, group, check)
        _call_run(w, self.lanes, self.blocks)
        pairs = zip(self._groups, checks, strict=True)
        self._poison([self._with_units(check.bad(), group) for group, check in pairs])
        for i, port in enumerate(self.signature.outputs, n_in):
            for group in self._groups:
                self._out(port, self._group_row(rows[i], self.strides[i], group), self.strides[i], i, group)
        w.put(f"%r2 = add i64 %r, {self.lanes}")
        w.put("%again = icmp slt i64 %r2, %last", "br i1 %again, label %many, label %done")

    def _with_units(self, bad: str, group: int) -> str:
        """The flags of bad rows of a group, with those whose unit vectors are not."""
        w, width = self.w, group_width(self.lanes)
        flags = vector_type(width, "i1")
        for i, unit in self.signature.units:
            cells = [self._cell(i, group, unit.start + k) for k in range(unit.size)]
            good = _is_unit(w, width, unit.tolerance, cells)
            other = w.let(f"xor {flags} {good}, {splat_literal(width, 'i1', 'true')}")
            bad = w.let(f"or {flags} {bad}, {other}")
        return bad

    @property
    def _groups(self) -> range:
        """First lanes of the groups of rows that are transposed together."""
        return range(0, self.lanes, group_width(self.lanes))

    def _group_row(self, row: str, stride: str, group: int) -> str:
        if group == 0:
            return row
        return self.w.at(row, self.w.let(f"mul i64 {stride}, {group}"))

    def _rows_at(self, row: str, stride: str, column: int) -> list[str]:
        w = self.w
        rows = [w.at(row, column)]
        for _ in range(1, group_width(self.lanes)):
            rows.append(w.at(rows[-1], stride))
        return rows

    def _cell(self, i: int, group: int, column: int) -> str:
        return self.w.at(self.blocks[i], column * self.lanes + group)

    def _in(self, port: Port, row: str, stride: str, i: int, group: int, check: _Check) -> None:
        w, kind = self.w, vector_type(group_width(self.lanes))
        if port.size > UNROLLED:
            given = f"ptr {row}, i64 {stride}, ptr {self._cell(i, group, 0)}, i64 {port.size}"
            check.add(w.let(f"call {kind} @lw.to_lanes.{self.lanes}({given})"))
            return
        for k in column_pairs(port.size) if port.size > 1 else range(port.size):
            rows = self._rows_at(row, stride, k)
            columns = load_pair(w, rows) if port.size > 1 else (load_column(w, rows),)
            for j, column in enumerate(columns):
                check.add(column)
                w.put(f"store {kind} {column}, ptr {self._cell(i, group, k + j)}, align 8")

    def _out(self, port: Port, row: str, stride: str, i: int, group: int) -> None:
        w, kind = self.w, vector_type(group_width(self.lanes))
        if port.size > UNROLLED:
            given = f"ptr {row}, i64 {stride}, ptr {self._cell(i, group, 0)}, i64 {port.size}"
            w.let(f"call {kind} @lw.from_lanes.{self.lanes}({given})")
            return
        for k in column_pairs(port.size) if port.size > 1 else range(port.size):
            rows = self._rows_at(row, stride, k)
            columns = [
                w.let(f"load {kind}, ptr {self._cell(i, group, k + j)}, align 8") for j in range(min(2, port.size))
            ]
            if port.size > 1:
                store_pair(w, rows, columns[0], columns[1])
            else:
                store_column(w, rows, columns[0])

    def _poison(self, bad: list[str]) -> None:
        """NaN in every output of lanes with an input that is not finite; the bits of good lanes are not touched."""
        w, width = self.w, group_width(self.lanes)
        some = "false"
        for flags in bad:
            bits = w.let(f"bitcast {vector_type(width, 'i1')} {flags} to i{width}")
            some = w.let(f"or i1 {some}, {w.let(f'icmp ne i{width} {bits}, 0')}")
        w.put(f"br i1 {some}, label %dirty, label %clean", "dirty:")
        whole = vector_type(width, "i64")
        for group, flags in zip(self._groups, bad, strict=True):
            mask = w.let(f"sext {vector_type(width, 'i1')} {flags} to {whole}")
            for i, port in enumerate(self.signature.outputs, len(self.signature.inputs)):
                given = f"ptr {self._cell(i, group, 0)}, i64 {port.size}, {whole} {mask}"
                w.put(f"call void @lw.poison.{self.lanes}({given})")
        w.put("br label %clean", "clean:")


class _Check:
    """Gathers 0 x over the columns of a group of rows: zero for finite rows, else NaN."""

    def __init__(self, w: Lines, width: int, fma: bool) -> None:
        self.w = w
        self.kind = vector_type(width)
        self.width = width
        self.fma = fma
        self.sums: list[str] = []

    def add(self, x: str) -> None:
        zero = splat_literal(self.width, "double", double_literal(0.0))
        if len(self.sums) < 4:  # four independent chains
            self.sums.append(self.w.let(f"fmul {self.kind} {x}, {zero}"))
            return
        oldest = self.sums.pop(0)
        if self.fma:
            given = ", ".join(f"{self.kind} {y}" for y in (x, zero, oldest))
            self.sums.append(self.w.let(f"call {self.kind} @llvm.fma.{intrinsic_suffix(self.width)}({given})"))
        else:
            product = self.w.let(f"fmul {self.kind} {x}, {zero}")
            self.sums.append(self.w.let(f"fadd {self.kind} {product}, {oldest}"))

    def bad(self) -> str:
        """Flags of the rows with a value that is not finite."""
        total = splat_literal(self.width, "double", double_literal(0.0))
        for x in self.sums:
            total = self.w.let(f"fadd {self.kind} {total}, {x}")
        return self.w.let(f"fcmp uno {self.kind} {total}, {total}")
