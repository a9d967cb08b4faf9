"""Traced programs as a WebAssembly module, encoded directly: nothing to install, no linker.

    module = encode_programs({"energy": model.program("energy")})
    module.binary, module.layout

**What a page does.** It makes one memory of `layout["pages"]` pages, instantiates the binary with
`{env: {__linear_memory: memory}, Math}`, and looks up under `layout["programs"][name]` where the program's inputs and
outputs lie: by port [address, shape] of float64 numbers. It writes the inputs, calls `exports[name]()` and reads the
outputs. Inputs of equal name and size share their place, so q is written once for all programs. Memory never grows,
so views of it stay good; the module holds one state at a time, so every worker has an instance of its own.

**What a driver does.** Compiled drivers (`native/wasm_drivers.py`) find functions in a table: the page puts
`exports[name + ".at"]` there. These take the address of a table of addresses (i32) of inputs and outputs, the input
`given` last, and return 1, or 0 where an input is not finite or the program flags its result.

**Parameters.** A function divided into a part of the parameters and a part of the state has `given` as its last input:
numbers that follow from the parameters. Its place holds their values from the start (`WasmFunction.start`), and
`exports[name + ".given"]()` finds them again from inputs that the layout names under the same name, `p` among them.

The order of the operations, their division into functions and the values that wait in memory between two functions
come from the schedule that machine code of the host has, and so do sine and cosine. Inside a function a value that is
used once stays on the operand stack; others live in locals, which are used again after the last use of their value.
The bits are those of the host's code without fused multiplication.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.compiler.codegen import wasm_binary as w
from linkwright.compiler.codegen.module import fields_to_clear
from linkwright.compiler.codegen.sine_cosine import LARGEST, sine_and_cosine
from linkwright.compiler.passes.schedule import Angles, Schedule, Step, schedule_operations
from linkwright.compiler.trace.operations import Dialect, Op, ProgramOperation
from linkwright.compiler.trace.program import GIVEN, PARAM, PARENT, Port, Program, RolledProgram, RolledSweep
from linkwright.dataclass import dataclass
from linkwright.findings import Finding

MEMORY = ("env", "__linear_memory")
"""Module and name of the memory that every module of ours imports; the name is LLVM's."""

STACK_TOP = w.PAGE
"""Drivers have their stack below, so that an overflow ends the run instead of overwriting something."""

CONSTANTS_END = STACK_TOP + 8192
"""Constant arrays of drivers lie between the stack and here; programs follow."""

MOST_OPERATIONS = 60_000
"""Operations of a module. Longer ones take megabytes in a page, and engines seconds to compile them."""

CHUNK = 400
"""Operations of one function. Engines spill badly in longer ones: forward dynamics of a Gough-Stewart platform, 2211
operations, takes 0.57 us in functions of 400 operations, 1.35 us in one (V8)."""

AnyProgram = Program | RolledProgram

Addresses = dict[str, tuple[int, list[int]]]
"""By port the address of its numbers, and their shape."""


@dataclass(frozen=True, eq=False)
class WasmFunction:
    """A program to encode, with what drivers need to know about it.

    Attributes:
        program: as traced.
        flagged: it flags a bad result by NaN in its first number.
        first: the program that computes its last input, `given`, from parameters; None where nobody needs that.
        start: values that inputs of both have from the start, by port.
    """

    program: AnyProgram
    flagged: bool = False
    first: Program | None = None
    start: Mapping[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class WasmModule:
    """Encoded programs.

    Attributes:
        binary: the module.
        layout: where everything lies, as plain data for JSON: `programs`, by name `inputs` and `outputs`, by port
            [address, shape]; `end`, the first address that is free; `pages`, the size of memory up to there.
        refused: why a program is not in the module, in order.
    """

    binary: bytes
    layout: Mapping[str, Any]
    refused: tuple[Finding, ...] = ()

    def address_of(self, name: str, port: str) -> int:
        """Address of an input or output of a program."""
        ports = self.layout["programs"][name]
        return int((ports["inputs"] | ports["outputs"])[port][0])

    @property
    def layout_text(self) -> str:
        """The layout as JSON."""
        return json.dumps(self.layout, separators=(",", ":"))


def encode_programs(
    programs: Mapping[str, AnyProgram | WasmFunction],
    start: int = CONSTANTS_END,
    chunk: int = CHUNK,
    most_operations: int = MOST_OPERATIONS,
) -> WasmModule:
    """Programs as one module, by the names under which it exports them.

    A program with which the module would have too many operations is left out, and the module says so.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> module = encode_programs({"dot": trace(lambda x, y: x @ y, {"x": 3, "y": 3})}, start=0)
    >>> module.layout["programs"]
    {'dot': {'inputs': {'x': (0, [3]), 'y': (64, [3])}, 'outputs': {'out': (128, [])}}}
    """
    functions = {name: x if isinstance(x, WasmFunction) else WasmFunction(x) for name, x in programs.items()}
    kept, refused = _functions_within(functions, most_operations)
    parts = [x for f in kept.values() for x in (f.program, f.first) if x is not None]
    made = _Encoder(start, chunk, [step for part in parts for step in _steps_of(part)])
    for name, function in kept.items():
        made.add_function(name, function)
    end = made.space.end
    layout = {"programs": made.programs, "end": end, "pages": -(-end // w.PAGE)}
    return WasmModule(made.module.binary(MEMORY, end), layout, refused)


def _functions_within(
    functions: Mapping[str, WasmFunction], most: int
) -> tuple[dict[str, WasmFunction], tuple[Finding, ...]]:
    """Functions in order as long as they have no more operations together, and why the others are left out."""
    kept, refused, total = {}, [], 0
    for name, function in functions.items():
        n = _count_operations(function)
        if total + n <= most:
            kept[name], total = function, total + n
            continue
        message = f"'{name}' has {n} operations, with {total} before it more than the {most} of a WebAssembly module"
        refused.append(
            Finding("program-too-long", message, "leave other functions out", "warning", subject=name, value=n)
        )
    return kept, tuple(refused)


def _count_operations(function: WasmFunction) -> int:
    steps = [*_steps_of(function.program), *([function.first] if function.first else [])]
    return sum(step.n_operations for step in steps)


def _steps_of(program: AnyProgram) -> list[Program]:
    return program.steps if isinstance(program, RolledProgram) else [program]


@dataclass
class _Space:
    """Memory that is given away once, in lines of eight numbers."""

    end: int

    def reserve(self, n: int) -> int:
        """Address of so many numbers."""
        start = self.end + -self.end % 64
        self.end = start + 8 * n
        return start


class _Encoder:
    """A module in the making, its memory, and the places of inputs that programs share."""

    def __init__(self, start: int, chunk: int, steps: list[Program]) -> None:
        self.space, self.module, self.chunk = _Space(start), w.ModuleInProgress(), chunk
        self.support = _Support(self.module, self.space, steps)
        self.programs: dict[str, Any] = {}
        self._shared: dict[tuple[str, int], int] = {}

    def add_function(self, name: str, function: WasmFunction) -> None:
        """A program under its name, for drivers under `<name>.at`, and what computes its given numbers."""
        program = function.program
        inputs = {port.name: (self._address_of_input(port), list(port.shape)) for port in program.inputs}
        outputs = {port.name: (self.space.reserve(port.size), list(port.shape)) for port in program.outputs}
        run = self._run(program)
        self._export_program(name, inputs, outputs, run)
        self.module.export_function(f"{name}.at", self._export_for_drivers(function, run))
        early: Addresses = {}
        if function.first is not None:
            early = {port.name: (self._address_of_input(port), list(port.shape)) for port in function.first.inputs}
            outputs = {port.name: inputs[GIVEN] for port in function.first.outputs}
            self._export_program(f"{name}.{GIVEN}", early, outputs, self._run(function.first))
        for port, (address, _) in (early | inputs).items():
            if port in function.start:
                self.module.put_data(address, np.asarray(function.start[port], dtype="<f8").tobytes())

    def _address_of_input(self, port: Port) -> int:
        """What is given to a program belongs to it alone; other inputs of equal name and size share their place."""
        if port.name == GIVEN:
            return self.space.reserve(port.size)
        if (port.name, port.size) not in self._shared:
            self._shared[port.name, port.size] = self.space.reserve(port.size)
        return self._shared[port.name, port.size]

    def _export_program(self, name: str, inputs: Addresses, outputs: Addresses, run: int) -> None:
        """A function without arguments, which works on fixed places."""
        self.programs[name] = {"inputs": inputs, "outputs": outputs}
        addresses = [address for ports in (inputs, outputs) for address, _ in ports.values()]
        code = b"".join(map(w.i32_constant, addresses)) + w.call_function(run)
        self.module.export_function(name, self.module.define_function(b"", b"", (), code))

    def _export_for_drivers(self, function: WasmFunction, run: int) -> int:
        """i32 at(i32 table): 1 if all inputs are finite and the result is not flagged; it is written all the same.

        What is given to every call comes last in the table and is not checked.
        """
        signature = function.program.signature
        n = len(signature.inputs)
        entries = [w.get_local(0) + w.load_i32(4 * i) for i in range(n + len(signature.outputs))]
        checked = signature.inputs
        if signature.has_given:
            checked = checked[:-1]
            entries = [*entries[: n - 1], entries[-1], *entries[n - 1 : -1]]
        code = b"".join(entries) + w.call_function(run)
        sums = [entries[i] + w.i32_constant(port.size) + self.support.finite for i, port in enumerate(checked)]
        code += w.f64_constant(0.0) + b"".join(x + w.ADD for x in sums) + _IS_NUMBER
        if function.flagged:
            code += entries[n] + w.load_f64(0) + _IS_NUMBER + w.I32_AND
        return self.module.define_function(w.I32, w.I32, [(1, w.F64)], code)

    def _run(self, program: AnyProgram) -> int:
        """The function that computes a program, given the addresses of its ports."""
        if isinstance(program, RolledProgram):
            return _RolledLoops(self, program).define()
        return self.define_straight(program)

    def define_straight(self, program: Program) -> int:
        """The same of a straight program; values wait in fixed memory between its parts."""
        plan = schedule_operations(program, self.chunk)
        n_ports = len(program.inputs) + len(program.outputs)
        body = _StraightBody(program, plan, self.support)
        if len(plan.chunks) == 1:
            code, n_locals = body.chunk(0)
            return self.module.define_function(w.I32 * n_ports, b"", [(n_locals, w.F64)], code)
        work = w.i32_constant(self.space.reserve(plan.n_slots))
        ports, parts = b"".join(map(w.get_local, range(n_ports))), []
        for number in range(len(plan.chunks)):
            code, n_locals = body.chunk(number)
            parts.append(self.module.define_function(w.I32 * (n_ports + 1), b"", [(n_locals, w.F64)], code))
        code = b"".join(ports + work + w.call_function(part) for part in parts)
        return self.module.define_function(w.I32 * n_ports, b"", (), code)


_IS_NUMBER = w.tee_local(1) + w.get_local(1) + w.EQUAL
"""Turns a number into 1, or 0 if it is NaN; by way of local 1."""

# --- functions that programs call, and the operations as code ---------------------------------------------------------

Code = bytes | int | tuple[Any, ...]
"""Code of an expression: instructions, the number of a value that is read, or several of these in order."""

_MATH = {Op.ATAN2: "atan2", Op.EXP: "exp", Op.LOG: "log", Op.TANH: "tanh"}
"""Operations that are imported from `Math`."""

_PLAIN = {"add": w.ADD, "sub": w.SUB, "mul": w.MUL, "neg": w.NEGATE, "sqrt": w.SQRT, "abs": w.ABS}
_PLAIN |= {"min": w.MIN, "max": w.MAX}  # NaN if either is, as the library has it

_OTHERS: dict[str, Callable[..., Code]] = {
    "recip": lambda a: (w.f64_constant(1.0), a, w.DIV),
    "select": lambda c, a, b: (a, b, c, w.f64_constant(0.0), w.GREATER, w.SELECT),
    "fma": lambda a, b, c: (a, b, w.MUL, c, w.ADD),  # rounded twice, as on hosts that cannot do better
    "fms": lambda a, b, c: (a, b, w.MUL, c, w.SUB),
    "fnma": lambda a, b, c: (c, a, b, w.MUL, w.SUB),
}


def _write_after(code: bytes) -> Callable[..., Code]:
    return lambda *x: (*x, code)


class _Support:
    """Sines, functions of `Math` and look-ups; only those that some program needs."""

    def __init__(self, module: w.ModuleInProgress, space: _Space, steps: list[Program]) -> None:
        used = {op for program in steps for op in program.opcodes.tolist()}
        has_angles = bool(used & {Op.SIN, Op.COS})
        names = [name for op, name in _MATH.items() if op in used] + (["sin", "cos"] if has_angles else [])
        self._math = {
            name: w.call_function(module.import_function("Math", name, w.F64 * (1 + (name == "atan2")), w.F64))
            for name in names
        }
        self.sincos = _define_sincos(module, self._math["sin"], self._math["cos"]) if has_angles else b""
        self.finite = w.call_function(_define_finite(module))
        self._tables: dict[bytes, int] = {}
        for table in (table for program in steps for table in program.tables):
            if table.tobytes() not in self._tables:
                self._tables[table.tobytes()] = space.reserve(len(table))
                module.put_data(self._tables[table.tobytes()], table.astype("<f8").tobytes())
        self._search = w.call_function(_define_search(module)) if self._tables else b""

    def spellings(self, program: Program) -> dict[int, Callable[..., Code]]:
        """Code of every operation of a program."""
        return Dialect(self._spell, self._find, self._read).spellings(program.tables)

    def _spell(self, record: ProgramOperation) -> Callable[..., Code]:
        if record.op in _MATH:
            return _write_after(self._math.get(record.name, b""))
        return _OTHERS.get(record.name) or _write_after(_PLAIN.get(record.name, b""))

    def _find(self, number: int, table: np.ndarray) -> Callable[..., Code]:
        return _write_after(w.i32_constant(self._tables[table.tobytes()]) + w.i32_constant(len(table)) + self._search)

    def _read(self, number: int, table: np.ndarray) -> Callable[..., Code]:
        return _write_after(w.F64_TO_I32 + w.i32_constant(3) + w.I32_SHL + w.load_f64(self._tables[table.tobytes()]))


class _InLocals:
    """Arithmetic with every result in a local of its own."""

    def __init__(self, first: int) -> None:
        self.code, self.first, self.n_locals = b"", first, 0

    def keep(self, code: bytes) -> bytes:
        """Compute a value once; returns how it is read."""
        number = self.first + self.n_locals
        self.code, self.n_locals = self.code + code + w.set_local(number), self.n_locals + 1
        return w.get_local(number)

    def const(self, value: float) -> bytes:
        return w.f64_constant(value)

    def add(self, a: bytes, b: bytes) -> bytes:
        return self.keep(a + b + w.ADD)

    def sub(self, a: bytes, b: bytes) -> bytes:
        return self.keep(a + b + w.SUB)

    def mul(self, a: bytes, b: bytes) -> bytes:
        return self.keep(a + b + w.MUL)

    def fma(self, a: bytes, b: bytes, c: bytes) -> bytes:
        return self.add(self.mul(a, b), c)

    def fms(self, a: bytes, b: bytes, c: bytes) -> bytes:
        return self.sub(self.mul(a, b), c)

    def fnma(self, a: bytes, b: bytes, c: bytes) -> bytes:
        return self.sub(c, self.mul(a, b))


def _define_sincos(module: w.ModuleInProgress, sine_of_math: bytes, cosine_of_math: bytes) -> bytes:
    """A call of (f64) -> (f64, f64): sine and cosine on the stack; large angles go to `Math`."""
    x, bits = w.get_local(0), 1
    arithmetic = _InLocals(2)
    rounded, sine, cosine = sine_and_cosine(arithmetic, x, fma=False)
    n = w.get_local(bits)
    is_odd = n + w.I64_TO_I32 + w.i32_constant(1) + w.I32_AND
    large = x + w.ABS + w.f64_constant(LARGEST) + w.AT_MOST + w.I32_IS_ZERO + w.IF
    large += x + sine_of_math + x + cosine_of_math + w.RETURN + w.END
    code = large + arithmetic.code + rounded + w.F64_BITS + w.set_local(bits)
    code += _give_sign(cosine + sine + is_odd + w.SELECT, n)
    code += _give_sign(sine + cosine + is_odd + w.SELECT, n + w.i64_constant(1) + w.I64_ADD)
    locals_ = [(1, w.I64), (arithmetic.n_locals, w.F64)]
    return w.call_function(module.define_function(w.F64, w.F64 * 2, locals_, code))


def _give_sign(value: bytes, n: bytes) -> bytes:
    """The value negated where bit 1 of n is set."""
    sign = n + w.i64_constant(62) + w.I64_SHL + w.i64_constant(-(1 << 63)) + w.I64_AND
    return value + w.F64_BITS + sign + w.I64_XOR + w.BITS_TO_F64


def _define_finite(module: w.ModuleInProgress) -> int:
    """(address, n) -> f64: 0 if n numbers are finite, else NaN: the sum of x - x."""
    address, n, total = range(3)
    x = w.get_local(address) + w.load_f64(0)
    code = b"".join(
        [
            w.BLOCK + w.LOOP,
            w.get_local(n) + w.I32_IS_ZERO + w.branch_if(1),
            w.get_local(total) + x + x + w.SUB + w.ADD + w.set_local(total),
            _add_to(address, 8) + _add_to(n, -1),
            w.branch_to(0) + w.END + w.END,
            w.get_local(total),
        ]
    )
    return module.define_function(w.I32 * 2, w.F64, [(1, w.F64)], code)


def _add_to(local: int, n: int) -> bytes:
    return w.get_local(local) + w.i32_constant(n) + w.I32_ADD + w.set_local(local)


def _define_search(module: w.ModuleInProgress) -> int:
    """(x, table, n) -> f64: how many of n ascending numbers are at or below x, by bisection."""
    x, table, left, base, half = range(5)
    middle = w.get_local(table) + w.get_local(base) + w.get_local(half) + w.I32_ADD
    middle += w.i32_constant(3) + w.I32_SHL + w.I32_ADD
    code = b"".join(
        [
            w.BLOCK + w.LOOP,
            w.get_local(left) + w.I32_IS_ZERO + w.branch_if(1),
            w.get_local(left) + w.i32_constant(1) + w.I32_SHR + w.set_local(half),
            middle + w.load_f64(0) + w.get_local(x) + w.AT_MOST + w.IF,
            w.get_local(base) + w.get_local(half) + w.I32_ADD + w.set_local(base) + _add_to(base, 1),
            w.get_local(left) + w.get_local(half) + w.I32_SUB + w.set_local(left) + _add_to(left, -1),
            w.ELSE + w.get_local(half) + w.set_local(left) + w.END,
            w.branch_to(0) + w.END + w.END,
            w.get_local(base) + w.I32_TO_F64,
        ]
    )
    return module.define_function(w.F64 + w.I32 * 2, w.F64, [(2, w.I32)], code)


# --- a straight program -----------------------------------------------------------------------------------------------


class _Made:
    """A value that is on the stack, to be kept in a local."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value


class _StraightBody:
    """Code of a program's functions, which take the addresses of its ports and of the values that wait in memory."""

    def __init__(self, program: Program, plan: Schedule, support: _Support) -> None:
        self.program, self.plan, self.support = program, plan, support
        self.spellings = support.spellings(program)
        n_inputs = len(program.inputs)
        self.work = n_inputs + len(program.outputs)
        self.first_local = self.work + (len(plan.chunks) > 1)
        self.inputs = [(i, k) for i, port in enumerate(program.inputs) for k in range(port.size)]
        targets = [(i, k) for i, port in enumerate(program.outputs, n_inputs) for k in range(port.size)]
        self.targets: dict[int, list[tuple[int, int]]] = {}
        for value, target in zip(program.results.tolist(), targets, strict=True):
            self.targets.setdefault(value, []).append(target)
        for value, slot in plan.slots.items():
            self.targets.setdefault(value, []).append((self.work, slot))
        self.uses = Counter([*plan.pairs])  # an angle is read once for both
        self.uses.update(v for op, args in program.operations if op not in (Op.SIN, Op.COS) for v in args)

    def chunk(self, number: int) -> tuple[bytes, int]:
        """Code of one function, and how many locals it has: first all its expressions are written down, then what
        they read more than once gets a local."""
        code = [*self._steps(self.plan.chunks[number])]
        if number == len(self.plan.chunks) - 1:
            constant_results = [value for value in self.targets if value < self.program.first_operation]
            code += [self._stores(value, value) for value in constant_results]
        return self._write_values([*_flatten(code)])

    def _steps(self, steps: tuple[Step, ...]) -> Iterator[Code]:
        first = self.program.first_operation
        inline: dict[int, Code] = {}
        for step in steps:
            if isinstance(step, Angles):
                for angle in step.values:
                    yield (inline.pop(angle, angle), self.support.sincos, *self._keep_pair(self.plan.pairs[angle]))
                continue
            op, args = self.program.operations[step]
            value, code = first + step, self.spellings[op](*(inline.pop(v, v) for v in args))
            if self.uses[value] == 1 and value not in self.targets:
                inline[value] = code
            elif self.uses[value] == 0 and len(self.targets.get(value, ())) == 1:
                yield self._stores(value, code)
            else:
                yield (code, _Made(value), self._stores(value, value))

    def _keep_pair(self, pair: Mapping[int, int]) -> Iterator[Code]:
        """The cosine is on top of the stack."""
        for op in (Op.COS, Op.SIN):
            yield (_Made(pair[op]), self._stores(pair[op], pair[op])) if op in pair else w.DROP

    def _stores(self, value: int, code: Code) -> Code:
        """Write a value wherever it is wanted."""
        return tuple(x for at, k in self.targets.get(value, ()) for x in (w.get_local(at), code, w.store_f64(8 * k)))

    def _write_values(self, tokens: list[Any]) -> tuple[bytes, int]:
        """The code with every value that is read again in a local, and how many locals there are."""
        left = Counter(token for token in tokens if type(token) is int)
        local: dict[int, int] = {}
        free: list[int] = []
        code, most = [], 0
        for token in tokens:
            if type(token) is bytes:
                code.append(token)
                continue
            value, reads = (token, 1) if type(token) is int else (token.value, 0)
            if reads and self.program.n_inputs <= value < self.program.first_operation:
                code.append(w.f64_constant(float(self.program.constants[value - self.program.n_inputs])))
                continue
            if value in local:
                code.append(w.get_local(local[value]))
            elif left[value] > reads:
                local[value] = free.pop() if free else self.first_local + most
                most = max(most, local[value] + 1 - self.first_local)
                code.append(self._load(value) + w.tee_local(local[value]) if reads else w.set_local(local[value]))
            else:
                code.append(self._load(value) if reads else w.DROP)
            left[value] -= reads
            if not left[value] and value in local:
                free.append(local.pop(value))
        return b"".join(code), most

    def _load(self, value: int) -> bytes:
        pointer, k = self.inputs[value] if value < self.program.n_inputs else (self.work, self.plan.slots[value])
        return w.get_local(pointer) + w.load_f64(8 * k)


def _flatten(code: Iterable[Code]) -> Iterator[Any]:
    """Code in order; without recursion, since sums can be long."""
    stack = [iter(code)]
    while stack:
        for token in stack[-1]:
            if type(token) is tuple:
                stack.append(iter(token))
                break
            yield token
        else:
            stack.pop()


# --- a rolled program: loops over items, whose rows of state lie in fixed memory --------------------------------------


class _RolledLoops:
    """Code of the loops over the items of a rolled program; a row of addresses per item says where its numbers lie."""

    def __init__(self, encoder: _Encoder, rolled: RolledProgram) -> None:
        self.encoder, self.rolled = encoder, rolled
        space, n, width = encoder.space, rolled.n_items, rolled.width
        self.state = space.reserve((n + 1) * width)
        params = np.ascontiguousarray(rolled.params, dtype="<f8").reshape(n, -1)
        root, start = space.reserve(width), space.reserve(params.size)
        encoder.module.put_data(root, rolled.root_row.astype("<f8").tobytes())
        encoder.module.put_data(start, params.tobytes())
        rows = self.state + 8 * width * np.arange(n + 1)
        parents = rows[np.asarray(rolled.parent, dtype=int) + 1]
        columns = [rolled.kind, rows[1:], parents, start + 8 * params.shape[1] * np.arange(n)]
        columns += [8 * np.asarray(rolled.offsets[name]) for name in rolled.offset_ports]
        table = np.stack([np.asarray(x, dtype="<i4") for x in columns], axis=1)
        self.n_columns, self.table = table.shape[1], space.reserve(-(-table.size // 2))
        encoder.module.put_data(self.table, table.tobytes())
        self.root = root
        self.aside = space.reserve(max([sum(port.size for port in step.outputs) for step in rolled.steps], default=0))
        ports = (*rolled.inputs, *rolled.outputs)
        self.ports = {port.name: w.get_local(i) for i, port in enumerate(ports)}
        self.cell, self.left = len(ports), len(ports) + 1

    def define(self) -> int:
        """The function that computes the program, given the addresses of its ports."""
        rolled = self.rolled
        code = [self.ports[port.name] + _fill_with_zeros(port.size) for port in rolled.outputs]
        if fields_to_clear(rolled):
            code.append(w.i32_constant(self.state) + _fill_with_zeros(rolled.width * (rolled.n_items + 1)))
        code.append(w.i32_constant(self.state) + w.i32_constant(self.root) + _copy_numbers(rolled.width))
        code += [self._sweep(sweep) for sweep in rolled.sweeps] if rolled.n_items else []
        return self.encoder.module.define_function(w.I32 * len(self.ports), b"", [(2, w.I32)], b"".join(code))

    def _sweep(self, sweep: RolledSweep) -> bytes:
        """One pass over all items; the kind of an item chooses its step."""
        n, row = self.rolled.n_items, 4 * self.n_columns
        first, stride = (self.table + row * (n - 1), -row) if sweep.inward else (self.table, row)
        steps = [self._item(step) if step else b"" for step in sweep.steps]
        choice = w.get_local(self.cell) + w.load_i32(0) + w.branch_by_table([*range(len(steps))])
        cases = [w.END + step + w.branch_to(len(steps) - 1 - k) for k, step in enumerate(steps)]
        return b"".join(
            [
                w.i32_constant(first) + w.set_local(self.cell) + w.i32_constant(n) + w.set_local(self.left),
                w.LOOP + w.BLOCK + w.BLOCK * len(steps) + choice + b"".join(cases) + w.END,
                _add_to(self.cell, stride) + _add_to(self.left, -1),
                w.get_local(self.left) + w.branch_if(0) + w.END,
            ]
        )

    def _item(self, step: Program) -> bytes:
        """Run the step of one item, then copy or add what could not be written in place."""
        read = {port.name for port in step.inputs}
        arguments, moves, aside = [self._pointer(port) for port in step.inputs], [], self.aside
        for port in step.outputs:
            is_sum = port.name.startswith(PARENT)
            if not is_sum and port.name not in read:
                arguments.append(self._pointer(port))
                continue
            arguments.append(w.i32_constant(aside))
            moves.append(_add_numbers(self._pointer(port), aside, port.size) if is_sum else
                         self._pointer(port) + w.i32_constant(aside) + _copy_numbers(port.size))  # fmt: skip
            aside += 8 * port.size
        call = w.call_function(self.encoder.define_straight(step))
        return b"".join([*arguments, call, *moves])

    def _pointer(self, port: Port) -> bytes:
        """Address of an item's numbers for a port of its step."""
        name, rolled = port.name, self.rolled
        if name == PARAM:
            return self._column(3)
        if name in self.ports:
            if name not in rolled.offsets:
                return self.ports[name]
            return self.ports[name] + self._column(4 + rolled.offset_ports.index(name)) + w.I32_ADD
        start = w.i32_constant(8 * rolled.starts[name.removeprefix(PARENT)])
        return self._column(2 if name.startswith(PARENT) else 1) + start + w.I32_ADD

    def _column(self, number: int) -> bytes:
        return w.get_local(self.cell) + w.load_i32(4 * number)


def _fill_with_zeros(n: int) -> bytes:
    """Fill so many numbers at the address on the stack."""
    return w.i32_constant(0) + w.i32_constant(8 * n) + w.FILL


def _copy_numbers(n: int) -> bytes:
    """Copy so many numbers; where to and where from are on the stack."""
    return w.i32_constant(8 * n) + w.COPY


def _add_numbers(to: bytes, source: int, n: int) -> bytes:
    """Add numbers at a fixed address to others."""
    terms = (w.i32_constant(source) + w.load_f64(8 * k) for k in range(n))
    return b"".join(to + to + w.load_f64(8 * k) + x + w.ADD + w.store_f64(8 * k) for k, x in enumerate(terms))
