"""Functions of the subset as loaded machine code, by way of the cache.

Translating the driver of single runs takes a third of a first run, so its text is made when the package is built
(`write_text`) and lies beside its module. Where the sources are others than those it was made from, it is not used.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import importlib.util
import time
import zlib
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from linkwright.compiler.cache import Entry, read_entry, write_entry
from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.llvm import LLVM_LOCK
from linkwright.compiler.codegen.target import Options, Target, code_generator, host_target
from linkwright.compiler.native.native_records import FixedFields, Record, Rows, layout_description
from linkwright.compiler.native.parsing import records_of, signature_of
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.runtime.code import Library, load_object_code
from linkwright.compiler.runtime.progress import announce_work
from linkwright.compiler.trace.program import Signature
from linkwright.dataclass import dataclass
from linkwright.errors import CompilerError
from linkwright.numerics import tolerances

# --- texts made when the package is built -----------------------------------------------------------------------------

_ENDING = ".ir"


@dataclass(frozen=True)
class BuiltText:
    """The text of a function for one lane, in a file.

    Attributes:
        stamp: of the sources it was made from.
        signature: types of the result and of the arguments.
    """

    file: Path
    stamp: str
    signature: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the function."""
        return self.file.stem

    def text(self) -> str:
        """The text itself."""
        return zlib.decompress(self.file.read_bytes().partition(b"\n")[2]).decode()


Translatable = FunctionType | BuiltText


@lru_cache
def built_function(module: str, name: str) -> Translatable:
    """A function's text, if it was made from these sources; else the function itself, whose module is imported."""
    spec = importlib.util.find_spec(module)
    source = Path(spec.origin or "") if spec is not None else Path()
    file = source.with_name(name + _ENDING)
    if file.is_file():
        with file.open("rb") as stream:
            stamp, *signature = stream.readline().decode().split()
        if stamp == source_stamp(source):
            return BuiltText(file, stamp, tuple(signature))
    found: FunctionType = getattr(importlib.import_module(module), name)
    return found


def write_text(function: FunctionType) -> None:
    """Write the text of a function beside its module."""
    from linkwright.compiler.native.native_text import module_text  # when the package is built

    file, (result, kinds) = Path(function.__code__.co_filename), signature_of(function)
    head = " ".join([source_stamp(file), result, *kinds])
    text = zlib.compress(module_text(function).encode(), 9)
    file.with_name(function.__name__ + _ENDING).write_bytes(f"{head}\n".encode() + text)


def source_stamp(file: Path) -> str:
    """A hash of everything that may enter the code of a file's functions, but records of other folders."""
    h = hashlib.blake2b(digest_size=16)
    own = sorted(file.parent.glob("*.py")) if file.is_file() else []
    for path in (*own, *sorted(Path(__file__).parent.glob("*.py")), Path(tolerances.__file__)):
        h.update(path.name.encode() + path.read_bytes().replace(b"\r\n", b"\n"))
    return h.hexdigest()


# --- machine code -----------------------------------------------------------------------------------------------------

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

    def __init__(self, function: Translatable, library: Library) -> None:
        if isinstance(function, BuiltText):
            result, *kinds = function.signature
        else:
            result, kinds = signature_of(function)
        prototype = ctypes.CFUNCTYPE(_CTYPES[result], *(_CTYPES[kind] for kind in kinds))
        self.python = function
        self.call = prototype(library.addresses[_name_of(function)])
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
def native_function(function: Translatable, lanes: int = 1, fixed: FixedFields = ()) -> Native:
    """Machine code of a function of the subset (see `subset`), compiled once and kept; rows have so many lanes.

    Fixed fields make it code for records that hold these numbers; the bits are the same.

    >>> from linkwright.compiler.native.native_functions import _double_number
    >>> native_function(_double_number)(2.5)
    5.0
    """
    return _load_native(function, host_target(Options(), lanes > 1), lanes, fixed)


def _load_native(function: Translatable, target: Target, lanes: int, fixed: FixedFields = ()) -> Native:
    key = _native_code_key(function, target, lanes, fixed)
    found = read_entry(key)
    if found:
        code = found.code
    else:
        with announce_work("compiling the time stepping"):
            code = _object_code(_text_of(function, lanes, fixed), target, lanes)
        write_entry(key, Entry(Signature((), (), "dict"), OpCount(), 0, code))
    return Native(function, load_object_code(code, target, (_name_of(function),), {}))


def _text_of(function: Translatable, lanes: int, fixed: FixedFields) -> str:
    if isinstance(function, BuiltText) and lanes == 1 and not fixed:
        return function.text()
    from linkwright.compiler.native.native_text import text_of_functions  # where no text was built

    if isinstance(function, BuiltText):
        raise CompilerError(f"the text of '{function.name}' was built for one lane")
    return text_of_functions((function,), lanes, fixed)


def _name_of(function: Translatable) -> str:
    return function.name if isinstance(function, BuiltText) else function.__name__


class QuickStart:
    """A function of the subset as plainly translated code, which is optimized when it has run for half a second.

    Optimizing takes thirty times as long, and halves the time of a driver around small programs. The bits are the same.
    """

    def __init__(self, function: Translatable, fixed: FixedFields = ()) -> None:
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
            self.optimize()
        return result

    def optimize(self) -> None:
        """Optimize it now."""
        if not self._optimized:
            self._call, self._optimized = native_function(self._function, 1, self._fixed).call, True


quick_native = lru_cache(maxsize=64)(QuickStart)


def _double_number(x: float) -> float:
    return 2.0 * x


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


def _native_code_key(function: Translatable, target: Target, lanes: int, fixed: FixedFields = ()) -> str:
    """A hash of everything that may enter the code: the function's folder and records, this compiler, the processor."""
    h = hashlib.blake2b(digest_size=20)
    h.update(f"{_name_of(function)} {lanes} {target.description()}".encode())
    h.update("".join(f"{record.__name__}.{name} = {value};" for record, name, value in fixed).encode())
    if isinstance(function, BuiltText):
        h.update(function.stamp.encode())
    else:
        h.update(f"{function.__module__} {source_stamp(Path(function.__code__.co_filename))}".encode())
        for record in records_of(function):
            h.update(layout_description(record, lanes).encode())
    return f"native-{h.hexdigest()}"
