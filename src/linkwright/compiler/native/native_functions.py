"""Functions of the subset as loaded machine code, by way of the cache."""

from __future__ import annotations

import ctypes
import hashlib
import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from linkwright.compiler.cache.entries import Entry, read_entry, write_entry
from linkwright.compiler.codegen import binding as llvm
from linkwright.compiler.codegen.ir_text import double_literal
from linkwright.compiler.codegen.locks import LLVM_LOCK
from linkwright.compiler.codegen.target import Options, Target, code_generator, host_target
from linkwright.compiler.native.function_writer import Writer
from linkwright.compiler.native.lanes import lane_declarations
from linkwright.compiler.native.native_records import Record, Rows, layout_description
from linkwright.compiler.native.parsing import outer_names, records_of, signature_of, syntax_tree
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.runtime.code import Library, load_object_code
from linkwright.compiler.runtime.progress import announce_work
from linkwright.compiler.trace.program import Signature
from linkwright.errors import CompilerError

_HEAD = (
    "declare double @llvm.sqrt.f64(double)\ndeclare double @llvm.fabs.f64(double)\n"
    "declare i64 @llvm.abs.i64(i64, i1)\ndeclare double @lw_exp(double)\ndeclare double @lw_log(double)\n"
)
_TAIL = 'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" }\n'
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
def native_function(function: FunctionType, lanes: int = 1) -> Native:
    """Machine code of a function of the subset (see `subset`), compiled once and kept; rows have so many lanes.

    >>> from linkwright.compiler.native.native_functions import _double_number
    >>> native_function(_double_number)(2.5)
    5.0
    """
    return _load_native(function, host_target(Options(), lanes > 1), lanes)


def _load_native(function: FunctionType, target: Target, lanes: int) -> Native:
    key = _native_code_key(function, target, lanes)
    found = read_entry(key)
    if found:
        code = found.code
    else:
        with announce_work("compiling the time stepping"):
            code = _object_code(module_text(function, lanes), target, lanes)
        write_entry(key, Entry(Signature((), (), "dict"), OpCount(), 0, code))
    return Native(function, load_object_code(code, target, (function.__name__,), {}))


class QuickStart:
    """A function of the subset as plainly translated code, which is optimized when it has run for half a second.

    Optimizing takes thirty times as long, and halves the time of a driver around small programs. The bits are the same.
    """

    def __init__(self, function: FunctionType) -> None:
        self._function = function
        self._spent = 0.0
        ready = read_entry(_native_code_key(function, host_target(Options(), False), 1)) is not None
        self._call = (
            native_function(function).call
            if ready
            else _load_native(function, host_target(Options(level=0), False), 1).call
        )
        self._optimized = ready

    def __call__(self, *arguments: Any) -> Any:
        if self._optimized:
            return self._call(*arguments)
        start = time.perf_counter()
        result = self._call(*arguments)
        self._spent += time.perf_counter() - start
        if self._spent > _OPTIMIZE_AFTER:
            self._call, self._optimized = native_function(self._function).call, True
        return result


quick_native = lru_cache(maxsize=64)(QuickStart)


def _double_number(x: float) -> float:
    return 2.0 * x


def module_text(function: FunctionType, lanes: int = 1) -> str:
    """IR of a function, of all functions it calls, and of the constant arrays they read."""
    done: dict[str, str] = {}
    written = {function.__name__: function}
    tables: dict[str, np.ndarray] = {}
    waiting: dict[str, tuple[FunctionType, tuple[str, ...]]] = {function.__name__: (function, ())}
    while waiting:
        name, (one, views) = waiting.popitem()
        writer = Writer(syntax_tree(one), outer_names(one), lanes, views)
        done[name] = writer.text(name, exported=one is function)
        tables |= writer.constants
        for other, _ in writer.called.values():
            if written.setdefault(other.__name__, other) is not other:
                raise CompilerError(f"'{function.__name__}' calls two functions that are both named '{other.__name__}'")
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


def _native_code_key(function: FunctionType, target: Target, lanes: int) -> str:
    """A hash of everything that may enter the code: the function's folder and records, this compiler, the processor."""
    h = hashlib.blake2b(digest_size=20)
    h.update(f"{function.__module__}.{function.__name__} {lanes} {target.description()}".encode())
    for record in records_of(function):
        h.update(layout_description(record, lanes).encode())
    for path in _source_files(Path(function.__code__.co_filename)):
        h.update(path.name.encode() + path.read_bytes())
    return f"native-{h.hexdigest()}"


def _source_files(file: Path) -> Iterable[Path]:
    own = sorted(file.parent.glob("*.py")) if file.is_file() else []
    return [*own, *sorted(Path(__file__).parent.glob("*.py"))]
