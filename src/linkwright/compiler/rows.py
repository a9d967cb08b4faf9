"""Batch code: blocks of rows are transposed into lanes, run, and transposed back; too few rows run one by one."""

from __future__ import annotations

from linkwright.compiler.program import Program
from linkwright.compiler.text import Lines, function, real, vector
from linkwright.compiler.transpose import from_lanes, to_lanes

_NAN = "0x7FF8000000000000"


def entry_functions(program: Program, lanes: int) -> str:
    """The exported entries: `lw_state`, `lw_block` and `lw_rows`."""
    return _state(program) + _block(program, lanes) + _rows(program, lanes)


def _n_ports(program: Program) -> int:
    return len(program.inputs) + len(program.outputs)


def _pointers(w: Lines, n: int) -> list[str]:
    places = [w.let(f"getelementptr ptr, ptr %ports, i64 {i}") for i in range(n)]
    return [w.let(f"load ptr, ptr {p}") for p in places]


def _call_run(w: Lines, lanes: int, pointers: list[str]) -> None:
    w.put(f"call void @lw.run.{lanes}({', '.join(f'ptr {p}' for p in pointers)})")


def _state(program: Program) -> str:
    """i32 lw_state(double **ports): one state; 0 when an input is not finite (the outputs are written all the same)."""
    w = Lines()
    pointers = _pointers(w, _n_ports(program))
    ok = _finite(w, program, pointers)
    _call_run(w, 1, pointers)
    w.put(f"ret i32 {w.let(f'zext i1 {ok} to i32')}")
    return function("i32 @lw_state(ptr %ports) #0", w.text)


def _finite(w: Lines, program: Program, pointers: list[str]) -> str:
    """True when every input is finite: zero times a number is zero only then."""
    sums: dict[int, str] = {}
    for port, pointer in zip(program.inputs, pointers, strict=False):
        start = 0
        while start < port.size:
            width = next(n for n in (4, 2, 1) if n <= port.size - start)
            kind = vector(width)
            place = w.let(f"getelementptr double, ptr {pointer}, i64 {start}")
            x = w.let(f"load {kind}, ptr {place}, align 8")
            zero = w.let(f"fsub {kind} {x}, {x}")
            sums[width] = w.let(f"fadd {kind} {sums[width]}, {zero}") if width in sums else zero
            start += width
    total = real(0.0)
    for width, value in sums.items():
        for lane in range(width):
            x = value if width == 1 else w.let(f"extractelement {vector(width)} {value}, i32 {lane}")
            total = w.let(f"fadd double {total}, {x}")
    return w.let(f"fcmp ord double {total}, {real(0.0)}")


def _block(program: Program, lanes: int) -> str:
    """void lw_block(double **ports): element-major data, `lanes` states side by side."""
    w = Lines()
    _call_run(w, lanes, _pointers(w, _n_ports(program)))
    w.put("ret void")
    return function("void @lw_block(ptr %ports) #0", w.text)


def _rows(program: Program, lanes: int) -> str:
    """void lw_rows(double **ports, i64 *strides, i64 first, i64 last): row-major rows; a stride of 0 repeats a row."""
    w = Lines()
    n = _n_ports(program)
    ports = (*program.inputs, *program.outputs)
    pointers = _pointers(w, n)
    places = [w.let(f"getelementptr i64, ptr %strides, i64 {i}") for i in range(n)]
    strides = [w.let(f"load i64, ptr {p}") for p in places]
    blocks = [w.let(f"alloca {vector(lanes)}, i32 {max(1, port.size)}, align 64") for port in ports]
    table = w.let(f"alloca ptr, i32 {n}, align 8")
    w.put(f"%start = sub i64 %last, {lanes}")
    w.put("%few = icmp slt i64 %start, %first")
    w.put("br i1 %few, label %single, label %many")
    _single_loop(w, program, pointers, strides, table)
    _block_loop(w, program, lanes, pointers, strides, blocks)
    w.put("done:")
    w.put("ret void")
    return function("void @lw_rows(ptr %ports, ptr %strides, i64 %first, i64 %last) #0", w.text)


def _row_pointer(w: Lines, pointer: str, stride: str, row: str) -> str:
    return w.let(f"getelementptr double, ptr {pointer}, i64 {w.let(f'mul i64 {stride}, {row}')}")


def _single_loop(w: Lines, program: Program, pointers: list[str], strides: list[str], table: str) -> None:
    w.put("single:")
    w.put("%i = phi i64 [ %first, %0 ], [ %i1, %next ]")
    w.put("%more = icmp slt i64 %i, %last")
    w.put("br i1 %more, label %one, label %done")
    w.put("one:")
    rows = [_row_pointer(w, p, s, "%i") for p, s in zip(pointers, strides, strict=True)]
    for i, row in enumerate(rows):
        w.put(f"store ptr {row}, ptr {w.let(f'getelementptr ptr, ptr {table}, i64 {i}')}")
    ok = w.let(f"call i32 @lw_state(ptr {table})")
    w.put(f"br i1 {w.let(f'icmp ne i32 {ok}, 0')}, label %next, label %bad")
    w.put("bad:")
    for port, row in zip(program.outputs, rows[len(program.inputs) :], strict=True):
        for k in range(port.size):
            w.put(f"store double {_NAN}, ptr {w.let(f'getelementptr double, ptr {row}, i64 {k}')}")
    w.put("br label %next")
    w.put("next:")
    w.put("%i1 = add i64 %i, 1")
    w.put("br label %single")


def _block_loop(
    w: Lines, program: Program, lanes: int, pointers: list[str], strides: list[str], blocks: list[str]
) -> None:
    """Full blocks; the last one is moved back to end with the last row, so some rows are simply done twice."""
    w.put("many:")
    w.put("%r = phi i64 [ %first, %0 ], [ %r2, %many ]")
    w.put("%over = icmp sgt i64 %r, %start")
    w.put("%row = select i1 %over, i64 %start, i64 %r")
    n_in = len(program.inputs)
    bases = [_row_pointer(w, p, s, "%row") for p, s in zip(pointers, strides, strict=True)]
    rows = [_lane_rows(w, base, s, lanes) for base, s in zip(bases, strides, strict=True)]
    total = ""
    for port, lane_rows, block in zip(program.inputs, rows, blocks, strict=False):
        to_lanes(w, lane_rows, block, port.size, lanes)
        total = _bad_lanes(w, block, port.size, lanes, total)
    _call_run(w, lanes, blocks)
    if total:
        _poison(w, program, blocks[n_in:], lanes, total)
    for port, lane_rows, block in zip(program.outputs, rows[n_in:], blocks[n_in:], strict=True):
        from_lanes(w, lane_rows, block, port.size, lanes)
    w.put(f"%r2 = add i64 %r, {lanes}")
    w.put("%again = icmp slt i64 %r2, %last")
    w.put("br i1 %again, label %many, label %done")


def _lane_rows(w: Lines, base: str, stride: str, lanes: int) -> list[str]:
    out = [base]
    for _ in range(1, lanes):
        out.append(w.let(f"getelementptr double, ptr {out[-1]}, i64 {stride}"))
    return out


def _bad_lanes(w: Lines, block: str, size: int, lanes: int, total: str) -> str:
    kind = vector(lanes)
    for k in range(size):
        x = w.let(f"load {kind}, ptr {w.let(f'getelementptr {kind}, ptr {block}, i64 {k}')}, align 8")
        zero = w.let(f"fsub {kind} {x}, {x}")
        total = w.let(f"fadd {kind} {total}, {zero}") if total else zero
    return total


def _poison(w: Lines, program: Program, blocks: list[str], lanes: int, total: str) -> None:
    """NaN in every output of lanes with an input that is not finite: add 0 or NaN without touching good lanes."""
    kind, whole = vector(lanes), vector(lanes, "i64")
    bad = w.let(f"fcmp uno {kind} {total}, {total}")
    mask = w.let(f"sext {vector(lanes, 'i1')} {bad} to {whole}")
    for port, block in zip(program.outputs, blocks, strict=True):
        for k in range(port.size):
            place = w.let(f"getelementptr {whole}, ptr {block}, i64 {k}")
            bits = w.let(f"load {whole}, ptr {place}, align 8")
            w.put(f"store {whole} {w.let(f'or {whole} {bits}, {mask}')}, ptr {place}, align 8")
