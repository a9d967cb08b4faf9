"""Straight-line code of a program as IR text, for one lane or several, with table look-ups, sine and cosine.

Lanes whose angle is above `LARGEST` or not finite go to the C library.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from linkwright.compiler.codegen.ir_text import Lines, double_literal, function_definition, vector_type
from linkwright.compiler.codegen.sine_cosine import LARGEST, sine_and_cosine
from linkwright.compiler.passes.schedule import Angles, Schedule
from linkwright.compiler.trace.operations import FIND, FIRST_TABLE, OPERATIONS, Array, Dialect, Op, is_transcendental
from linkwright.compiler.trace.program import Program

# --- table look-ups as IR text: the tables themselves, a binary search, and reading lane by lane ----------------------

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


# --- sine and cosine together, for several lanes, as IR text ----------------------------------------------------------


def sincos_definitions(lanes: int, fma: bool) -> str:
    """Definitions of `@lw.sincos.<lanes>`, vector in, {sine, cosine} out, and of its slow path."""
    return _fast_sincos(lanes, fma) + _slow_sincos(lanes)


def _fast_sincos(lanes: int, fma: bool) -> str:
    w = Lines(lanes, fma)
    kind = vector_type(lanes)
    size = w.abs("%x")
    big = w.let(f"fcmp ugt {kind} {size}, {w.const(LARGEST)}")
    rounded, sine, cosine = sine_and_cosine(w, "%x", fma)
    sine, cosine = _by_quadrant(w, rounded, sine, cosine)
    _return_or_slow(w, big, sine, cosine)
    return function_definition(f"internal {{{kind}, {kind}}} @lw.sincos.{lanes}({kind} %x) noinline #0", w.text)


def _by_quadrant(w: Lines, rounded: str, sine: str, cosine: str) -> tuple[str, str]:
    whole, mask = vector_type(w.lanes, "i64"), vector_type(w.lanes, "i1")
    n = w.let(f"bitcast {w.type} {rounded} to {whole}")
    odd = w.let(f"trunc {whole} {n} to {mask}")
    first, second = w.choose(odd, cosine, sine), w.choose(odd, sine, cosine)
    next_n = w.let(f"add {whole} {n}, {w.whole(1)}")
    return _with_sign(w, first, n), _with_sign(w, second, next_n)


def _with_sign(w: Lines, value: str, n: str) -> str:
    """The value negated where bit 1 of n is set."""
    whole = vector_type(w.lanes, "i64")
    shifted = w.let(f"shl {whole} {n}, {w.whole(62)}")
    sign = w.let(f"and {whole} {shifted}, {w.whole(-(2**63))}")
    bits = w.let(f"bitcast {w.type} {value} to {whole}")
    return w.let(f"bitcast {whole} {w.let(f'xor {whole} {bits}, {sign}')} to {w.type}")


def _return_or_slow(w: Lines, big: str, sine: str, cosine: str) -> None:
    kind = w.type
    bits = w.let(f"bitcast {vector_type(w.lanes, 'i1')} {big} to i{w.lanes}")
    some = w.let(f"icmp ne i{w.lanes} {bits}, 0")
    pair = f"{{{kind}, {kind}}}"
    one = w.let(f"insertvalue {pair} undef, {kind} {sine}, 0")
    both = w.let(f"insertvalue {pair} {one}, {kind} {cosine}, 1")
    w.put(f"br i1 {some}, label %slow, label %done")
    w.put("done:")
    w.put(f"ret {pair} {both}")
    w.put("slow:")
    replaced = w.let(f"call {pair} @lw.sincos.slow.{w.lanes}({kind} %x, {kind} {sine}, {kind} {cosine})")
    w.put(f"ret {pair} {replaced}")


def _slow_sincos(lanes: int) -> str:
    """Replace the lanes the fast path cannot do by the C library's results."""
    w = Lines(lanes)
    kind = vector_type(lanes)
    sine, cosine = "%s", "%c"
    for lane in range(lanes):
        x = w.let(f"extractelement {kind} %x, i32 {lane}")
        big = w.let(f"fcmp ugt double {w.let(f'call double @llvm.fabs.f64(double {x})')}, 0x40F86A0000000000")
        kept = [w.let(f"extractelement {kind} {v}, i32 {lane}") for v in (sine, cosine)]
        names = [w.let(f"call double @lw_{f}(double {x})") for f in ("sin", "cos")]
        chosen = [w.let(f"select i1 {big}, double {a}, double {b}") for a, b in zip(names, kept, strict=True)]
        sine = w.let(f"insertelement {kind} {sine}, double {chosen[0]}, i32 {lane}")
        cosine = w.let(f"insertelement {kind} {cosine}, double {chosen[1]}, i32 {lane}")
    pair = f"{{{kind}, {kind}}}"
    one = w.let(f"insertvalue {pair} undef, {kind} {sine}, 0")
    w.put(f"ret {pair} {w.let(f'insertvalue {pair} {one}, {kind} {cosine}, 1')}")
    return function_definition(
        f"internal {pair} @lw.sincos.slow.{lanes}({kind} %x, {kind} %s, {kind} %c) noinline cold #0", w.text
    )


# --- straight-line code of a program as IR text, for one lane or several ----------------------------------------------

LIBRARY = {op: x for op, x in OPERATIONS.items() if is_transcendental(op) and op not in (Op.SIN, Op.COS)}
"""Functions left to the C library, lane by lane; sines and cosines are taken together, in groups of angles."""


def _library_call(name: str) -> Callable[..., str]:
    def call(w: Lines, *x: str) -> str:
        return w.let(f"call {w.type} @lw.{name}.{w.lanes}({', '.join(f'{w.type} {v}' for v in x)})")

    return call


_LLVM = Dialect(lambda x: _library_call(x.name) if is_transcendental(x.op) else getattr(Lines, x.name)).spellings()


def run_functions(
    program: Program, plan: Schedule, lanes: int, fma: bool, name: str = "lw.run", shared: frozenset[str] = frozenset()
) -> str:
    """Definitions of the chunks and of `@<name>.<lanes>`, which takes one pointer per input and output port.

    Args:
        program: already fused.
        plan: its order, chunks and slots.
        lanes: values side by side in memory and in registers.
        fma: the processor has fused multiply-add.
        name: of the function.
        shared: inputs of which all lanes read the same plain numbers.
    """
    n_ports = len(program.inputs) + len(program.outputs)
    ports = ", ".join(f"ptr noalias %p{i}" for i in range(n_ports))
    given = ", ".join(f"ptr %p{i}" for i in range(n_ports))
    if len(plan.chunks) == 1:
        lines = _Chunk(program, plan, lanes, fma, shared).lines(0)
        return function_definition(f"internal void @{name}.{lanes}({ports}) #0", lines)
    out = []
    w = Lines(lanes)
    w.put(f"%work = alloca {vector_type(lanes)}, i32 {max(1, plan.n_slots)}, align 64")
    for c in range(len(plan.chunks)):
        chunk = f"@{name}.{lanes}.{c}"
        lines = _Chunk(program, plan, lanes, fma, shared).lines(c)
        out.append(
            function_definition(f"internal void {chunk}({ports}{', ' * bool(ports)}ptr noalias %work) #0", lines)
        )
        w.put(f"call void {chunk}({given}{', ' * bool(given)}ptr %work)")
    w.put("ret void")
    out.append(function_definition(f"internal void @{name}.{lanes}({ports}) #0", w.text))
    return "\n".join(out)


class _Chunk:
    """Writes one chunk; remembers the name of every value already at hand."""

    def __init__(self, program: Program, plan: Schedule, lanes: int, fma: bool, shared: frozenset[str]) -> None:
        self.program = program
        self.plan = plan
        self.w = Lines(lanes, fma)
        self.names: dict[int, str] = {}
        self.pairs = plan.pairs
        self.inputs = [(f"%p{i}", k) for i, port in enumerate(program.inputs) for k in range(port.size)]
        self.shared = {f"%p{i}" for i, port in enumerate(program.inputs) if port.name in shared}
        self.outputs = _output_slots(program)

    def lines(self, c: int) -> list[str]:
        for step in self.plan.chunks[c]:
            if isinstance(step, Angles):
                self._angles(step)
            else:
                self._keep(self.program.first_operation + step, self._operation(step))
        if c == len(self.plan.chunks) - 1:
            self._unchanged_outputs()
        self.w.put("ret void")
        return self.w.text

    def _name(self, value: int) -> str:
        n = self.program.n_inputs
        if n <= value < self.program.first_operation:
            return self.w.const(self.program.constants[value - n])
        if value not in self.names:
            pointer, index = self.inputs[value] if value < n else ("%work", self.plan.slots[value])
            self.names[value] = (
                self.w.load_shared(pointer, index) if pointer in self.shared else self.w.load(pointer, index)
            )
        return self.names[value]

    def _keep(self, value: int, name: str) -> None:
        self.names[value] = name
        if value in self.plan.slots:
            self.w.store(name, "%work", self.plan.slots[value])
        for pointer, index in self.outputs.get(value, ()):
            self.w.store(name, pointer, index)

    def _unchanged_outputs(self) -> None:
        for value, slots in self.outputs.items():
            if value < self.program.first_operation:
                for pointer, index in slots:
                    self.w.store(self._name(value), pointer, index)

    def _operation(self, step: int) -> str:
        op, args = self.program.operations[step]
        x = [self._name(v) for v in args]
        if op >= FIRST_TABLE:
            return look_up_call(self.w, self.program, op, x[0])
        return str(_LLVM[op](self.w, *x))

    def _angles(self, group: Angles) -> None:
        if self.w.lanes > 1:
            together = 2 if self.w.lanes <= 4 else 1
            for start in range(0, len(group.values), together):
                self._side_by_side(group.values[start : start + together])
        else:
            self._packed_angles(group)

    def _side_by_side(self, angles: tuple[int, ...]) -> None:
        """Several states: two angles per call, because one alone leaves the processor waiting for its long chain."""
        w, lanes = self.w, self.w.lanes
        if len(angles) == 1:
            self._keep_pair(angles[0], *_call_sincos(w, lanes, self._name(angles[0])))
            return
        both = w.shuffle(lanes, self._name(angles[0]), self._name(angles[1]), range(2 * lanes))
        pair = _call_sincos(w, 2 * lanes, both)
        for k, angle in enumerate(angles):
            picked = range(k * lanes, (k + 1) * lanes)
            sine, cosine = (w.shuffle(2 * lanes, v, v, picked) for v in pair)
            self._keep_pair(angle, sine, cosine)

    def _packed_angles(self, group: Angles) -> None:
        """One state: the angles of the group serve as lanes."""
        w = self.w
        width = packed_width(len(group.values))
        packed = "undef"
        for lane in range(width):
            x = self._name(group.values[min(lane, len(group.values) - 1)])
            packed = w.let(f"insertelement {vector_type(width)} {packed}, double {x}, i32 {lane}")
        both = _call_sincos(w, width, packed)
        for lane, angle in enumerate(group.values):
            sine, cosine = (w.let(f"extractelement {vector_type(width)} {v}, i32 {lane}") for v in both)
            self._keep_pair(angle, sine, cosine)

    def _keep_pair(self, angle: int, sine: str, cosine: str) -> None:
        for op, name in ((Op.SIN, sine), (Op.COS, cosine)):
            if op in self.pairs[angle]:
                self._keep(self.pairs[angle][op], name)


def packed_width(n: int) -> int:
    """Width of the sine and cosine call for n angles of one state."""
    return next(width for width in (2, 4, 8) if n <= width)


def _call_sincos(w: Lines, width: int, x: str) -> tuple[str, str]:
    kind = vector_type(width)
    pair = w.let(f"call {{{kind}, {kind}}} @lw.sincos.{width}({kind} {x})")
    sine, cosine = (w.let(f"extractvalue {{{kind}, {kind}}} {pair}, {i}") for i in (0, 1))
    return sine, cosine


def _output_slots(program: Program) -> dict[int, list[tuple[str, int]]]:
    out: dict[int, list[tuple[str, int]]] = {}
    results = iter(program.results.tolist())
    for i, port in enumerate(program.outputs):
        for k in range(port.size):
            out.setdefault(next(results), []).append((f"%p{len(program.inputs) + i}", k))
    return out


def library_functions(lanes: int) -> str:
    """Lane-by-lane calls of the C library, one IR function each."""
    out = []
    for record in LIBRARY.values():
        w = Lines(lanes)
        args = ["%a", "%b"][: record.arity]
        result = "undef"
        for lane in range(lanes):
            x = args if lanes == 1 else [w.let(f"extractelement {w.type} {a}, i32 {lane}") for a in args]
            y = w.let(f"call double @lw_{record.name}({', '.join(f'double {v}' for v in x)})")
            result = y if lanes == 1 else w.let(f"insertelement {w.type} {result}, double {y}, i32 {lane}")
        w.put(f"ret {w.type} {result}")
        typed = ", ".join(f"{w.type} {a}" for a in args)
        out.append(function_definition(f"internal {w.type} @lw.{record.name}.{lanes}({typed}) noinline #0", w.text))
    return "\n".join(out)
