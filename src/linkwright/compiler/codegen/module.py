"""IR texts of a program, straight or rolled, one for each part that is compiled when it is first needed."""

from __future__ import annotations

import numpy as np

from linkwright.compiler.codegen.ir_text import (
    Lines,
    double_literal,
    function_definition,
    intrinsic_declarations,
    splat_literal,
    vector_pieces,
    vector_type,
)
from linkwright.compiler.codegen.python_entry import python_entry_functions
from linkwright.compiler.codegen.row_entry_points import lane_entries, loop_functions, state_entries
from linkwright.compiler.codegen.straight_line_code import (
    LIBRARY,
    library_functions,
    look_up_functions,
    packed_width,
    run_functions,
    sincos_definitions,
)
from linkwright.compiler.codegen.target import Target, widest_register
from linkwright.compiler.passes.schedule import Angles, Schedule, fuse_products, schedule_operations
from linkwright.compiler.trace.operations import OPERATIONS, is_transcendental
from linkwright.compiler.trace.program import PARAM, PARENT, Port, Program, RolledProgram, RolledSweep, Signature

# --- machine code of a rolled program as IR text ----------------------------------------------------------------------

SETUP = (
    "@lw.data = internal global ptr null\n"
    "define void @lw_setup(ptr %data) #0 {\n  store ptr %data, ptr @lw.data\n  ret void\n}\n"
)
"""lw_setup(data) hands over the tables once, before the first call."""


def step_plans(rolled: RolledProgram, fma: bool, chunk: int) -> dict[tuple[int, int], tuple[Program, Schedule]]:
    """Every step, by sweep and kind, ready to be emitted."""
    out = {}
    for s, sweep in enumerate(rolled.sweeps):
        for k, step in enumerate(sweep.steps):
            if step is not None:
                program = fuse_products(step) if fma else step
                out[s, k] = (program, schedule_operations(program, chunk))
    return out


def rolled_functions(
    rolled: RolledProgram, plans: dict[tuple[int, int], tuple[Program, Schedule]], lanes: int, fma: bool
) -> str:
    """Definitions of the steps and of `@lw.run.<lanes>`."""
    steps = [
        run_functions(program, plan, lanes, fma, f"lw.step.{s}.{k}", frozenset([PARAM]))
        for (s, k), (program, plan) in plans.items()
    ]
    return "\n".join([*steps, _Run(rolled, lanes).text()])


class _Run:
    """Writes the loops over the items."""

    def __init__(self, rolled: RolledProgram, lanes: int) -> None:
        self.rolled = rolled
        self.lanes = lanes
        self.w = Lines(lanes)
        self.temporaries: list[str] = []
        self.ports = {port.name: f"%p{i}" for i, port in enumerate((*rolled.inputs, *rolled.outputs))}
        self.exposed = fields_to_clear(rolled)
        self.columns = 2 + len(rolled.offset_ports)

    def text(self) -> str:
        w = self.w
        self._find_tables()
        self._fill_outputs(0.0)
        self._start_state()
        for s, sweep in enumerate(self.rolled.sweeps):
            self._sweep(s, sweep)
        w.put("call void @lw_free(ptr %state)", "ret void")
        given = ", ".join(f"ptr noalias {name}" for name in self.ports.values())
        return function_definition(
            f"internal void @lw.run.{self.lanes}({given}) #0", ["entry:", *self.temporaries, *w.text]
        )

    def _find_tables(self) -> None:
        w = self.w
        w.put("%data = load ptr, ptr @lw.data", "%n = load i64, ptr %data")
        w.put("%table = getelementptr i64, ptr %data, i64 1", f"%cells = mul i64 %n, {self.columns}")
        w.put("%root = getelementptr i64, ptr %table, i64 %cells")
        w.put(f"%params = getelementptr double, ptr %root, i64 {self.rolled.width}")
        w.put("%rows = add i64 %n, 1", f"%numbers = mul i64 %rows, {self.rolled.width}")
        w.put(f"%bytes = mul i64 %numbers, {8 * self.lanes}", "%state = call ptr @lw_malloc(i64 %bytes)")
        w.put("%none = icmp eq ptr %state, null", "br i1 %none, label %full, label %go", "full:")
        self._fill_outputs(float("nan"))  # no memory: NaN is the only way to report it from here
        w.put("ret void", "go:")

    def _fill_outputs(self, value: float) -> None:
        w = self.w
        for port in self.rolled.outputs:
            given = f"ptr {self.ports[port.name]}, i64 {port.size}, {w.type} {w.const(value)}"
            w.put(f"call void @lw.fill.{self.lanes}({given})")

    def _start_state(self) -> None:
        """Base row from the table; an outward first sweep clears rows on its way, an inward one finds them clear."""
        w = self.w
        if self.exposed and self.rolled.sweeps[0].inward:
            w.put(f"call void @lw.fill.{self.lanes}(ptr %state, i64 %numbers, {w.type} {w.const(0.0)})")
        for k in range(self.rolled.width):
            w.store(w.load_shared("%root", k), "%state", k)

    def _sweep(self, s: int, sweep: RolledSweep) -> None:
        w = self.w
        w.put(f"%some.{s} = icmp sgt i64 %n, 0")
        w.put(f"br i1 %some.{s}, label %pre.{s}, label %end.{s}", f"pre.{s}:", f"br label %loop.{s}", f"loop.{s}:")
        w.put(f"%c.{s} = phi i64 [ 0, %pre.{s} ], [ %c1.{s}, %next.{s} ]")
        if sweep.inward:
            w.put(f"%last.{s} = sub i64 %n, 1", f"%i.{s} = sub i64 %last.{s}, %c.{s}")
        else:
            w.put(f"%i.{s} = add i64 %c.{s}, 0")
        cell = w.at("%table", w.let(f"mul i64 %i.{s}, {self.columns}"), "i64")
        kind = w.let(f"load i64, ptr {cell}")
        cases = " ".join(f"i64 {k}, label %kind.{s}.{k}" for k in range(len(sweep.steps)))
        w.put(f"switch i64 {kind}, label %next.{s} [ {cases} ]")
        for k, step in enumerate(sweep.steps):
            w.put(f"kind.{s}.{k}:")
            self._item(s, k, step, f"%i.{s}", cell)
            w.put(f"br label %next.{s}")
        w.put(f"next.{s}:", f"%c1.{s} = add i64 %c.{s}, 1", f"%more.{s} = icmp slt i64 %c1.{s}, %n")
        w.put(f"br i1 %more.{s}, label %loop.{s}, label %end.{s}", f"end.{s}:")

    def _item(self, s: int, k: int, step: Program | None, item: str, cell: str) -> None:
        """Find the rows and slices of one item, run its step, copy or add what could not be written in place."""
        w = self.w
        row = w.let(f"add i64 {item}, 1")
        own = self._row(row)
        parent = self._row(w.let(f"load i64, ptr {w.at(cell, 1, 'i64')}"))
        if s == 0 and not self.rolled.sweeps[0].inward:
            self._clear(own, {port.name for port in step.outputs} if step else set())
        if step is None:
            return
        inputs = [self._pointer(port, item, cell, own, parent) for port in step.inputs]
        finals = [self._pointer(port, item, cell, own, parent) for port in step.outputs]
        read = {port.name for port in step.inputs}
        targets = []
        for j, (port, final) in enumerate(zip(step.outputs, finals, strict=True)):
            aside = port.name.startswith(PARENT) or port.name in read
            targets.append(self._temporary(s, k, j, port) if aside else final)
        w.put(f"call void @lw.step.{s}.{k}.{self.lanes}({', '.join(f'ptr {p}' for p in (*inputs, *targets))})")
        for port, final, target in zip(step.outputs, finals, targets, strict=True):
            if target != final:
                self._move(target, final, port.size * self.lanes, add=port.name.startswith(PARENT))

    def _row(self, number: str) -> str:
        return self.w.element("%state", self.w.let(f"mul i64 {number}, {self.rolled.width}"))

    def _temporary(self, s: int, k: int, j: int, port: Port) -> str:
        name = f"%aside.{s}.{k}.{j}"
        self.temporaries.append(f"{name} = alloca {vector_type(self.lanes)}, i32 {max(1, port.size)}, align 64")
        return name

    def _pointer(self, port: Port, item: str, cell: str, own: str, parent: str) -> str:
        w, rolled = self.w, self.rolled
        if port.name == PARAM:
            return w.at("%params", w.let(f"mul i64 {item}, {port.size}"))
        if port.name in self.ports:
            if port.name not in rolled.offsets:
                return self.ports[port.name]
            column = 2 + rolled.offset_ports.index(port.name)
            offset = w.let(f"load i64, ptr {w.at(cell, column, 'i64')}")
            return w.element(self.ports[port.name], offset)
        base = parent if port.name.startswith(PARENT) else own
        return w.element(base, rolled.starts[port.name.removeprefix(PARENT)])

    def _clear(self, own: str, assigned: set[str]) -> None:
        for name in sorted(self.exposed - assigned):
            start = self.w.element(own, self.rolled.starts[name])
            for k, width in vector_pieces(self.rolled.fields[name] * self.lanes):
                zero = splat_literal(width, "double", double_literal(0.0))
                self.w.put(f"store {vector_type(width)} {zero}, ptr {self.w.at(start, k)}, align 8")

    def _move(self, source: str, target: str, count: int, add: bool) -> None:
        """`count` doubles copied or added, in the widest pieces."""
        w = self.w
        for start, width in vector_pieces(count):
            kind = vector_type(width)
            a, b = (w.at(p, start) for p in (source, target))
            x = w.let(f"load {kind}, ptr {a}, align 8")
            if add:
                x = w.let(f"fadd {kind} {w.let(f'load {kind}, ptr {b}, align 8')}, {x}")
            w.put(f"store {kind} {x}, ptr {b}, align 8")


def fields_to_clear(rolled: RolledProgram) -> set[str]:
    """Fields that must start at zero: they are read, or added to, before every item has assigned its own."""
    present = np.unique(np.asarray(rolled.kind, dtype=np.int64)).tolist()
    return {name for name in rolled.fields if _is_read_before_assigned(name, rolled.sweeps, present)}


def _is_read_before_assigned(name: str, sweeps: tuple[RolledSweep, ...], present: list[int]) -> bool:
    assigned: set[int] = set()  # kinds whose items have their own value
    for sweep in sweeps:
        steps = {k: sweep.steps[k] for k in present}
        now = {k for k, step in steps.items() if step and name in {port.name for port in step.outputs}}
        # going outward, a parent has been done earlier in the same sweep
        parents = assigned if sweep.inward else assigned | now
        for k, step in steps.items():
            if step is None:
                continue
            touched = {port.name for port in (*step.inputs, *step.outputs)}
            if name in {port.name for port in step.inputs} and k not in assigned:
                return True
            if PARENT + name in touched and not parents.issuperset(present):
                return True
        assigned |= now
    return False


# --- IR texts of a program, straight or rolled, one for each part that is compiled when it is first needed ------------

AnyProgram = Program | RolledProgram

_FUNCTIONS = sorted((x for op, x in OPERATIONS.items() if is_transcendental(op)), key=lambda x: x.arity)
EXTERNAL = (*(x.name for x in _FUNCTIONS), "malloc", "free")
"""C library functions the code may call, under the name `lw_<name>`."""

_DECLARATIONS = "".join(f"declare double @lw_{x.name}({', '.join(['double'] * x.arity)})\n" for x in _FUNCTIONS) + (
    "declare ptr @lw_malloc(i64)\ndeclare void @lw_free(ptr)\n"
)
_CACHE_BYTES = 12 * 2**20

_ATTRIBUTES = (
    'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" "prefer-vector-width"="%(bits)s" '
    '"min-legal-vector-width"="%(bits)s" }\n'
)


def state_text(program: AnyProgram, target: Target, chunk: int, flagged: bool = False) -> str:
    """IR text of a program for one state at a time: `lw_state`, `lw_checked`, `lw_each`.

    Args:
        program: straight or rolled.
        target: the processor.
        chunk: operations per function.
        flagged: the program flags a result with a small pivot by NaN in its first number.
    """
    parts = [*_program_body(program, target, chunk, 1), loop_functions(1), state_entries(program.signature, flagged)]
    return _assemble_module(parts, {1, 2, 4, 8})


def lane_text(program: AnyProgram, target: Target, lanes: int, chunk: int) -> str:
    """IR text of a program for several states side by side: `lw_block`, `lw_rows`; it calls `lw_each`."""
    side_by_side = not isinstance(program, RolledProgram) or program.state_bytes(lanes) < _CACHE_BYTES
    entries = lane_entries(program.signature, lanes, target.fma, side_by_side)
    each = "declare void @lw_each(ptr, ptr, i64, i64)\n"
    parts = [each, *_program_body(program, target, chunk, lanes), loop_functions(lanes), entries]
    return _assemble_module(parts, {1, 2, 4, 8, lanes, 2 * lanes}, widest_register(target, longest_program(program)))


def longest_program(program: AnyProgram) -> int:
    """Operations of a program, or of the longest step of a rolled one."""
    steps = program.steps if isinstance(program, RolledProgram) else [program]
    return max((step.n_operations for step in steps), default=0)


def call_text(signature: Signature, python_rows: int) -> str:
    """IR text of the CPython entry points `lw_call`, `lw_lend`, `lw_batch`, for batches of at most so many rows."""
    return _assemble_module(python_entry_functions(signature, python_rows), set())


def _assemble_module(parts: list[str], widths: set[int], bits: int = 512) -> str:
    return "\n".join([intrinsic_declarations(widths) + _DECLARATIONS, *parts, _ATTRIBUTES % {"bits": bits}])


def _program_body(program: AnyProgram, target: Target, chunk: int, lanes: int) -> list[str]:
    """The program itself in one width, and the functions that it calls."""
    if isinstance(program, RolledProgram):
        plans = step_plans(program, target.fma, chunk)
        programs, schedules = [p for p, _ in plans.values()], [s for _, s in plans.values()]
        code = rolled_functions(program, plans, lanes, target.fma)
        return [SETUP, *_support_functions(programs, schedules, target, lanes), code]
    program = fuse_products(program) if target.fma else program
    plan = schedule_operations(program, chunk)
    return [*_support_functions([program], [plan], target, lanes), run_functions(program, plan, lanes, target.fma)]


def _support_functions(programs: list[Program], plans: list[Schedule], target: Target, lanes: int) -> list[str]:
    """Sine, cosine, library functions and tables in the widths needed."""
    steps = [step for plan in plans for chunk in plan.chunks for step in chunk]
    packed = {packed_width(len(step.values)) for step in steps if isinstance(step, Angles)}
    if packed and lanes > 1:
        packed = {lanes, *([2 * lanes] if lanes <= 4 else [])}
    used = {op for program in programs for op, _ in program.operations}
    library = [library_functions(lanes)] if used & set(LIBRARY) else []
    return [
        *(sincos_definitions(n, target.fma) for n in sorted(packed)),
        *library,
        *look_up_functions(programs, [lanes]),
    ]
