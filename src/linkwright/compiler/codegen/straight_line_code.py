"""Straight-line code of a program as IR text, for one lane or several; memory holds one lane vector per element."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.compiler.codegen.ir_text import Lines, function_definition, vector_type
from linkwright.compiler.codegen.table_code import look_up_call
from linkwright.compiler.passes.schedule import Angles, Schedule
from linkwright.compiler.trace.operations import FIRST_TABLE, OPERATIONS, Dialect, Op, is_transcendental
from linkwright.compiler.trace.program import Program

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
