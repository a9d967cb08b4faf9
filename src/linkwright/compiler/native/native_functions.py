"""Functions of the subset as IR text and as loaded machine code, by way of the cache."""

from __future__ import annotations

import ast
import ctypes
import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from linkwright.compiler.cache import Entry, read_entry, write_entry
from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.ir_text import double_literal
from linkwright.compiler.codegen.llvm import LLVM_LOCK
from linkwright.compiler.codegen.target import Options, Target, code_generator, host_target
from linkwright.compiler.native.lanes import Value, lane_declarations
from linkwright.compiler.native.native_expressions import (
    MEMORY_CLASSES,
    AddressOf,
    Expressions,
    FixedFields,
    Kind,
    known_truth,
)
from linkwright.compiler.native.native_records import Record, Rows, layout_description
from linkwright.compiler.native.parsing import (
    ARRAYS,
    annotation_text,
    ir_signature,
    outer_names,
    records_of,
    signature_of,
    syntax_tree,
)
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.runtime.code import Library, load_object_code
from linkwright.compiler.runtime.progress import announce_work
from linkwright.compiler.trace.program import Signature
from linkwright.errors import CompilerError

# --- one function of the subset as IR text ----------------------------------------------------------------------------


class Writer(Expressions):
    """Statements of one function; variables live in memory and are moved to registers by LLVM."""

    def __init__(
        self,
        tree: ast.FunctionDef,
        names: Callable[[str], Any],
        lanes: int = 1,
        views: tuple[str, ...] = (),
        fixed: FixedFields = (),
    ) -> None:
        super().__init__(tree.name, names, lanes, fixed)
        self.tree = tree
        self.views = views
        self.loops: list[tuple[str, str]] = []
        self.result, self.kinds = ir_signature(tree, names, lanes)

    def text(self, name: str, exported: bool) -> str:
        """The definition of the function under a name."""
        arguments = self.tree.args.args
        parameters = [f"{kind} %a.{x.arg}" for kind, x in zip(self.kinds, arguments, strict=True)]
        for number, (kind, argument) in enumerate(zip(self.kinds, arguments, strict=True)):
            self._parameter(argument, kind, str(number) in self.views)
        self._body(self.tree.body)
        if not self.ended:
            self.put("ret void" if self.result == "void" else "unreachable")
        scope = "" if exported else "internal "
        head = f"define {scope}{self.result} @{name}({', '.join(parameters)}) #0"
        return f"{head} {{\nentry:\n  " + "\n  ".join([*self.slots, *self.lines]) + "\n}\n"

    def _parameter(self, argument: ast.arg, kind: str, view: bool) -> None:
        name, written = argument.arg, annotation_text(argument.annotation)
        if kind != "ptr":
            self.store(name, Value(kind, f"%a.{name}"))
        elif written in ARRAYS:
            self.references[name] = AddressOf(Kind(self._elements(ARRAYS[written])), f"%a.{name}")
        else:
            self.references[name] = AddressOf(Kind("lane" if view else "record", self.names(written)), f"%a.{name}")

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.ended:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.kind(value) is not None:
                self.references[name] = self.reference(value)
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.copy_location(_readable_target(target), node)
                self._assign(target, self.value(ast.copy_location(ast.BinOp(load, op, value), node)))
            case ast.If(test=test, body=body, orelse=orelse):
                self._if(test, body, orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range")) as call, orelse=[]):
                self._for(name, call.args, node.body)
            case ast.Return(value=value):
                self._return(value)
            case ast.Break() | ast.Continue():
                self.jump(self.loops[-1][isinstance(node, ast.Continue)])
            case _:
                raise self.unsupported_error(node)

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self.store(name, value)
            case ast.Attribute() if self._fixed_number(target) is not None:
                raise self.unsupported_error(target)
            case ast.Subscript() | ast.Attribute():
                element, location, memory = self.location(target)
                self.put(f"store {element} {self.cast(value, element)}, ptr {location}, align 8, !tbaa !{memory}")
            case _:
                raise self.unsupported_error(target)

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self.put("ret void")
        else:
            self.put(f"ret {self.result} {self.cast(self.value(value), self.result)}")
        self.ended = True

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """A branch that is known not to be taken while compiling is not compiled, so it may hold what only other widths
        allow."""
        x = self.cast(self.value(test), "i1")
        if known_truth(x) is not None:
            self._body(body if known_truth(x) else orelse)
            return
        yes, no, after = self.label("yes"), self.label("no"), self.label("after")
        self._branch(x, yes, no)
        self.start(yes)
        self._body(body)
        self.jump(after)
        self.start(no)
        self._body(orelse)
        self.jump(after)
        self.start(after)

    def _branch(self, x: str, yes: str, no: str) -> None:
        self.put(f"br i1 {x}, label %{yes}, label %{no}")
        self.ended = True

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, after = self.label("again"), self.label("inside"), self.label("after")
        self.jump(again)
        self.start(again)
        self._branch(self.cast(self.value(test), "i1"), inside, after)
        self.start(inside)
        self.loops.append((after, again))
        self._body(body)
        self.loops.pop()
        self.jump(again)
        self.start(after)

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        """Counts up in a counter of its own, as Python does: what the body does to the name is forgotten."""
        first = self.value(bounds[0]) if len(bounds) == 2 else Value("i64", "0")
        last = self.cast(self.value(bounds[-1]), "i64")
        counter = self.slot("i64")
        self.put(f"store i64 {self.cast(first, 'i64')}, ptr {counter}")
        again, inside, step, after = (self.label(x) for x in ("again", "inside", "step", "after"))
        self.jump(again)
        self.start(again)
        now = self.let(f"load i64, ptr {counter}")
        going = self.let(f"icmp slt i64 {now}, {last}")
        self.put(f"br i1 {going}, label %{inside}, label %{after}")
        self.ended = True
        self.start(inside)
        self.store(name, Value("i64", now))
        self.loops.append((after, step))
        self._body(body)
        self.loops.pop()
        self.jump(step)
        self.start(step)
        self.put(f"store i64 {self.let(f'add nsw i64 {now}, 1')}, ptr {counter}")
        self.jump(again)
        self.start(after)


def _readable_target(target: ast.expr) -> ast.expr:
    """The target of an assignment as something to read."""
    match target:
        case ast.Name(id=name):
            return ast.Name(id=name, ctx=ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value=value, slice=index, ctx=ast.Load())
        case ast.Attribute(value=value, attr=name):
            return ast.Attribute(value=value, attr=name, ctx=ast.Load())
    raise CompilerError(f"cannot read {ast.unparse(target)}")


# --- functions of the subset as loaded machine code, by way of the cache ----------------------------------------------

_HEAD = (
    "declare double @llvm.sqrt.f64(double)\ndeclare double @llvm.fabs.f64(double)\n"
    "declare i64 @llvm.abs.i64(i64, i1)\ndeclare double @lw_exp(double)\ndeclare double @lw_log(double)\n"
)
_TAIL = 'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" }\n' + MEMORY_CLASSES
_OPTIMIZE_AFTER = 0.5  # [s]
_CTYPES: dict[str, Any] = {
    "i64": ctypes.c_int64,
    "double": ctypes.c_double,
    "i1": ctypes.c_bool,
    "ptr": ctypes.c_void_p,
    "void": None,
}


class Native:
    """Machine code of one function; arrays are given as addresses (see `array_address`)."""

    def __init__(self, function: FunctionType, library: Library) -> None:
        result, kinds = signature_of(function)
        prototype = ctypes.CFUNCTYPE(_CTYPES[result], *(_CTYPES[kind] for kind in kinds))
        self.python = function
        self.call = prototype(library.addresses[function.__name__])
        # Whoever holds `call` keeps the code, also after `native_function` has forgotten it.
        self.call.library = library  # type: ignore[attr-defined]

    def __call__(self, *arguments: Any) -> Any:
        """The function on NumPy arrays and numbers, converted one by one; for tests rather than for speed."""
        return self.call(*(_native_argument(x) for x in arguments))


def _native_argument(x: Any) -> Any:
    if isinstance(x, Record):
        return x.address
    x = x.flat if isinstance(x, Rows) else x
    return array_address(x) if isinstance(x, np.ndarray) else x


def array_address(array: np.ndarray) -> int:
    """Address of an array's first number; the caller keeps the array alive."""
    if array.dtype.char not in "dlqLQ" or not array.flags.c_contiguous:
        raise CompilerError(f"machine code needs contiguous float64 or int64 arrays, found {array.dtype}")
    return int(array.__array_interface__["data"][0])


@lru_cache(maxsize=64)
def native_function(function: FunctionType, lanes: int = 1, fixed: FixedFields = ()) -> Native:
    """Machine code of a function of the subset (see `subset`), compiled once and kept; rows have so many lanes.

    Fixed fields make it code for records that hold these numbers; the bits are the same.

    >>> from linkwright.compiler.native.native_functions import _double_number
    >>> native_function(_double_number)(2.5)
    5.0
    """
    return _load_native(function, host_target(Options(), lanes > 1), lanes, fixed)


def _load_native(function: FunctionType, target: Target, lanes: int, fixed: FixedFields = ()) -> Native:
    key = _native_code_key(function, target, lanes, fixed)
    found = read_entry(key)
    if found:
        code = found.code
    else:
        with announce_work("compiling the time stepping"):
            code = _object_code(text_of_functions((function,), lanes, fixed), target, lanes)
        write_entry(key, Entry(Signature((), (), "dict"), OpCount(), 0, code))
    return Native(function, load_object_code(code, target, (function.__name__,), {}))


class QuickStart:
    """A function of the subset as plainly translated code, which is optimized when it has run for half a second.

    Optimizing takes thirty times as long, and halves the time of a driver around small programs. The bits are the same.
    """

    def __init__(self, function: FunctionType, fixed: FixedFields = ()) -> None:
        self._function, self._fixed = function, fixed
        self._spent = 0.0
        target = host_target(Options(), False)
        self._optimized = read_entry(_native_code_key(function, target, 1, fixed)) is not None
        self._call = (
            native_function(function, 1, fixed).call
            if self._optimized
            else _load_native(function, host_target(Options(level=0), False), 1).call
        )

    def __call__(self, *arguments: Any) -> Any:
        if self._optimized:
            return self._call(*arguments)
        start = time.perf_counter()
        result = self._call(*arguments)
        self._spent += time.perf_counter() - start
        if self._spent > _OPTIMIZE_AFTER:
            self._call, self._optimized = native_function(self._function, 1, self._fixed).call, True
        return result


quick_native = lru_cache(maxsize=64)(QuickStart)


def _double_number(x: float) -> float:
    return 2.0 * x


def module_text(function: FunctionType, lanes: int = 1) -> str:
    """IR of a function, of all functions it calls, and of the constant arrays they read."""
    return text_of_functions((function,), lanes)


def text_of_functions(functions: Sequence[FunctionType], lanes: int = 1, fixed: FixedFields = ()) -> str:
    """IR of several functions that are exported, and of what they need together."""
    title = ", ".join(one.__name__ for one in functions)
    done: dict[str, str] = {}
    written = {one.__name__: one for one in functions}
    tables: dict[str, np.ndarray] = {}
    waiting: dict[str, tuple[FunctionType, tuple[str, ...]]] = {name: (one, ()) for name, one in written.items()}
    while waiting:
        name, (one, views) = waiting.popitem()
        writer = Writer(syntax_tree(one), outer_names(one), lanes, views, fixed)
        done[name] = writer.text(name, exported=one in functions)
        tables |= writer.constants
        for other, _ in writer.called.values():
            if written.setdefault(other.__name__, other) is not other:
                raise CompilerError(f"'{title}' calls two functions that are both named '{other.__name__}'")
        waiting |= {n: f for n, f in writer.called.items() if n not in done}
    head = _HEAD + lane_declarations(lanes)
    return head + "".join(_constant_table(n, x) for n, x in tables.items()) + "\n".join(done.values()) + _TAIL


def _constant_table(name: str, values: np.ndarray) -> str:
    kind = "i64" if values.dtype == np.int64 else "double"
    texts = [f"{kind} {x if kind == 'i64' else double_literal(float(x))}" for x in values.ravel().tolist()]
    return f"@lw.table.{name} = internal constant [{len(texts)} x {kind}] [{', '.join(texts)}], align 64\n"


def _object_code(text: str, target: Target, lanes: int) -> bytes:
    with LLVM_LOCK:
        try:
            module = llvm.parse_assembly(text)
            module.verify()
        except RuntimeError as error:
            raise CompilerError(f"the code generator refused its own text: {error}") from None
        if target.level > 0:
            builder = llvm.create_pass_builder(code_generator(target), _tuning_options(lanes))
            builder.getModulePassManager().run(module, builder)
        return code_generator(target).emit_object(module)


def _tuning_options(lanes: int) -> Any:
    """Loops of one lane are those of small matrices, for which loops of vectors take longer to begin than to run."""
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    tuning.loop_vectorization = lanes > 1
    tuning.slp_vectorization = True
    return tuning


def _native_code_key(function: FunctionType, target: Target, lanes: int, fixed: FixedFields = ()) -> str:
    """A hash of everything that may enter the code: the function's folder and records, this compiler, the processor."""
    h = hashlib.blake2b(digest_size=20)
    h.update(f"{function.__module__}.{function.__name__} {lanes} {target.description()}".encode())
    h.update("".join(f"{record.__name__}.{name} = {value};" for record, name, value in fixed).encode())
    for record in records_of(function):
        h.update(layout_description(record, lanes).encode())
    for path in _source_files(Path(function.__code__.co_filename)):
        h.update(path.name.encode() + path.read_bytes())
    return f"native-{h.hexdigest()}"


def _source_files(file: Path) -> Iterable[Path]:
    own = sorted(file.parent.glob("*.py")) if file.is_file() else []
    return [*own, *sorted(Path(__file__).parent.glob("*.py"))]
