"""Machine code of a program in parts, each read from the cache or compiled when first needed; threads of a batch.

No part is needed before the code is called. A first result for one state needs the part `draft` alone, which is code of
one state without LLVM's efforts: twice as slow, and compiled in a third of the time. The part `state` is what public
functions and drivers call. The part `lanes`, for several states side by side, takes longer to compile than all the
rest, and pays from thousands of rows on. The part `call` saves Python its own conversion of arguments. All parts give
the same bits.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.compiler.cache import Entry, read_entry, warn_once, write_entry
from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.llvm import LLVM_LOCK, remade_after_fork
from linkwright.compiler.codegen.module import EXTERNAL, AnyProgram, call_text, lane_text, longest_program, state_text
from linkwright.compiler.codegen.python_api import python_symbols
from linkwright.compiler.codegen.row_entry_points import checked_entry
from linkwright.compiler.codegen.target import Options, Target, code_generator, host_target, lanes_for
from linkwright.compiler.passes.counts import OpCount, operation_count
from linkwright.compiler.runtime.progress import announce_work
from linkwright.compiler.trace.program import RolledProgram, Signature
from linkwright.compiler.trace.recorder import garbage_left
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, CompilerError

# --- threads of a batch: how many, and the threads themselves ---------------------------------------------------------

# Below about this much work per thread, handing out the work costs more than it saves.
_OPERATIONS_PER_THREAD = 10_000_000

VARIABLE = "LINKWRIGHT_THREADS"
MOST_THREADS = 4096


def available_threads() -> int:
    """The processors this process may use, or what the environment variable LINKWRIGHT_THREADS says."""
    given = os.environ.get(VARIABLE)
    if given is None:
        return _count_processors()
    if not given.isdigit() or len(given) > 4 or not 1 <= int(given) <= MOST_THREADS:
        raise ArgumentError(f"{VARIABLE} is '{given:.40}', expected a whole number from 1 to {MOST_THREADS}")
    return int(given)


def rows_for_one_thread(n_operations: int) -> int:
    """The longest batch not worth a second thread."""
    return _OPERATIONS_PER_THREAD // max(1, n_operations)


def threads_for(rows: int, n_operations: int) -> int:
    """Number of threads that a batch is worth."""
    if rows <= rows_for_one_thread(n_operations):
        return 1
    return min(available_threads(), 1 + rows * n_operations // _OPERATIONS_PER_THREAD)


def _count_processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def thread_pool(threads: int, purpose: str) -> ThreadPoolExecutor:
    """Threads of this process for one purpose: work on them may wait for that of another purpose.

    A forked child has none of its parent's threads and gets its own.
    """
    return _make_thread_pool(threads, purpose, os.getpid())


@lru_cache
def _make_thread_pool(threads: int, purpose: str, process: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix=f"linkwright-{purpose}")


# --- machine code of a program in parts -------------------------------------------------------------------------------

_numbers = itertools.count()
_LARGEST_LENT = 4096
_ROWS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

LANES_FROM = 16384
"""Rows in all, of batches of one function, from which on they are run in lanes; fewer are run one by one."""

EFFORTS = {"draft": 0, "state": 1, "call": 1, "lanes": 3}
"""LLVM's level of effort for each part; code of one state gains nothing by more than the first."""

_DRAFT_UP_TO = LANES_FROM
"""Rows in all up to which a function that nobody asked the address of runs as a draft: compiling it again takes as long
as some hundred thousand rows of a draft take longer."""


@dataclass(frozen=True)
class Library:
    """Loaded machine code; the addresses are valid as long as this record lives."""

    addresses: dict[str, int]
    tracker: Any
    kept: list[Any] = field(default_factory=list)
    """Memory and code that this code points into."""


def object_code(text: str, target: Target) -> bytes:
    """Machine code of a module in the platform's object format."""
    with LLVM_LOCK:
        try:
            module = llvm.parse_assembly(text)
        except RuntimeError as error:
            raise CompilerError(f"the code generator refused its own text: {error}") from None
        return code_generator(target).emit_object(module)


def load_object_code(code: bytes, target: Target, names: tuple[str, ...], imports: Mapping[str, int]) -> Library:
    """Place object code in memory and look up the names."""
    builder = llvm.JITLibraryBuilder().add_object_img(code)
    for name, address in {**c_library(), **imports}.items():
        builder.import_symbol(name, address)
    for name in names:
        builder.export_symbol(name)
    with LLVM_LOCK:
        try:
            tracker = builder.link(_next_linker(replace(target, level=0)), f"linkwright{next(_numbers)}")
        except RuntimeError as error:
            raise CompilerError(f"object code could not be loaded: {error}") from None
    return Library({name: tracker[name] for name in names}, tracker)


LOADS = 64
"""Libraries that one linker loads; it keeps some kilobytes of each until all are unloaded and it goes itself."""

_IN_ONE_BLOCK = sys.platform != "win32"
"""JITLink places all sections of a library in one block of memory; it is young for Windows."""

_linkers: dict[Target, tuple[Any, int]] = {}


def _next_linker(target: Target) -> Any:
    """The linker for the next library; libraries keep theirs alive. Called with the lock of LLVM."""
    linker, left = _linkers.get(target, (None, 0))
    if not left:
        made = llvm.create_lljit_compiler(code_generator(target), use_jit_link=_IN_ONE_BLOCK)
        linker, left = made, LOADS
    _linkers[target] = linker, left - 1
    return linker


@lru_cache
def c_library() -> dict[str, int]:
    """Addresses of the C library's functions, under the names the code uses."""
    if sys.platform == "win32":
        libraries = [ctypes.CDLL("ucrtbase")]
    else:
        libraries = [ctypes.CDLL(None)]  # Python itself is linked to the mathematical library
    return {f"lw_{name}": _function_address(_find_library_function(libraries, name)) for name in EXTERNAL}


def _find_library_function(libraries: list[Any], name: str) -> Any:
    for library in libraries:
        if hasattr(library, name):
            return getattr(library, name)
    raise CompilerError(f"the C library has no function '{name}'")


def _function_address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@dataclass(frozen=True)
class PartSource:
    """Where the parts come from.

    Attributes:
        program: called only for a part that the cache does not have.
        options: how to compile.
        key: everything that decides the program; None keeps nothing in the cache.
        title: of the function, for announcements.
    """

    program: Callable[[], AnyProgram]
    options: Options
    key: str | bytes | None = None
    title: str = "functions"

    def target(self, part: str) -> Target:
        """The processor, and the effort for a part."""
        return _target_up_to_level(self.options, EFFORTS[part], part == "lanes")

    def name(self, part: str) -> str:
        """The name of a part's entry in the cache."""
        h = _begun_name(self.options, self.target(part), part).copy()
        h.update(self.key.encode() if isinstance(self.key, str) else self.key or b"")
        return h.hexdigest()

    def entry_without_code(self, program: AnyProgram) -> Entry:
        """Ports and operations of the program, without code."""
        data = program.data.tobytes() if isinstance(program, RolledProgram) else b""
        lanes = lanes_for(self.options, self.target("lanes"), longest_program(program))
        return Entry(program.signature, operation_count(program), lanes, b"", data)

    @garbage_left()
    def build_part(self, part: str, program: AnyProgram, about: Entry, reuse: bool) -> Entry:
        """A part made from the program; with `reuse`, code of the same text that the cache has is taken."""
        options, target = self.options, self.target(part)
        if part != "lanes":
            text = state_text(program, target, options.chunk, options.pivot_checked)
        else:
            text = lane_text(program, target, about.lanes, options.chunk)
        code, shared = self.code(text, target, reuse)
        return replace(about, code=code, shared=shared)

    def code(self, text: str, target: Target, reuse: bool) -> tuple[bytes, str]:
        """Object code of a text, and the name it is kept under: equal text is compiled once, whatever it belongs to."""
        if self.key is None:
            return object_code(text, target), ""
        about = (llvm.llvmlite_version(), target.description())
        name = "code-" + hashlib.blake2b(exact_text(about).encode() + text.encode(), digest_size=20).hexdigest()
        found = read_entry(name) if reuse else None
        code = found.code if found else object_code(text, target)
        if not found:
            write_entry(name, Entry(Signature((), (), "dict"), OpCount(), 0, code))
        return code, name


@lru_cache
def _target_up_to_level(options: Options, most: int, lanes: bool) -> Target:
    return host_target(replace(options, level=min(options.level, most)), lanes)


@lru_cache
def _begun_name(options: Options, target: Target, part: str) -> hashlib.blake2b:
    """The hash of everything in the name of an entry but its key."""
    about = (generator_hash(), sys.version_info[:2], options, target.description(), part)
    return hashlib.blake2b(exact_text(about).encode(), digest_size=20)


@lru_cache
def generator_hash(root: Path = Path(__file__).parents[1]) -> str:
    """A hash of the code generator below a folder, so that entries of older versions are never used."""
    h = hashlib.blake2b(digest_size=16)
    for folder in (os.path.join(root, name) for name in ("", "codegen", "passes", "runtime", "trace")):
        for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
            with open(os.path.join(folder, name), "rb") as file:
                h.update(name.encode() + file.read())
    return h.hexdigest()


class NativeCode:
    """Machine code of one program; safe to share between threads.

    Attributes:
        signature: ports in and out.
        count: operations of the program.
        lanes: states side by side in `lw_block`.
        options: how it is compiled.
        key: everything that decides the program, where it is known.
    """

    def __init__(self, source: PartSource) -> None:
        self._source = source
        self.key = source.key
        self._lock = remade_after_fork(self)
        self._parts: dict[str, Library] = {}
        self._unloadable: set[str] = set()
        self._seen = 0
        self.options = source.options
        self._made: AnyProgram | None = None
        self._each: Any = None
        self._rows: Any = None
        self._about = self._load_cached_part("state") or self._load_cached_part("draft") or self._describe_program()
        self.signature, self.count, self.lanes = self._about.signature, self._about.count, self._about.lanes

    def make_program(self) -> AnyProgram:
        """The program, made again unless it is at hand."""
        return self._source.program() if self._made is None else self._made

    def __getitem__(self, name: str) -> int:
        """Address of `lw_state`, `lw_each`, `lw_block` or `lw_rows`, for other compiled code."""
        with self._lock:
            if name in ("lw_block", "lw_rows"):
                return self._with_lanes().addresses[name]
            return self._state().addresses[name]

    def draft(self, name: str) -> int:
        """Address of `lw_state` or `lw_bound`, in a draft if nothing else is there: for runs that may be short."""
        with self._lock:
            if "state" not in self._parts and "draft" not in self._parts:
                self._part("draft")
            return (self._parts.get("state") or self._parts["draft"]).addresses[name]

    def rows(self, n: int) -> Any:
        """The C function (ports, strides, first, last) that runs n more rows of batches."""
        if self._rows is self._each:
            with self._lock:
                self._seen += n
                if n > 1 and self._seen >= (0 if self.options.lanes else LANES_FROM):
                    self._with_lanes()
                elif self._seen > _DRAFT_UP_TO:
                    self._state()
                elif self._rows is None:
                    self._part("draft")
        return self._rows

    def block(self, n: int) -> int:
        """Address of `lw_block` for n more rows of batches, or 0 as long as these are too few to compile it."""
        self.rows(n)
        with self._lock:
            return self._parts["lanes"].addresses["lw_block"] if "lanes" in self._parts else 0

    def _state(self) -> Library:
        """Code of one state, with LLVM's efforts."""
        if "state" not in self._parts:
            self._part("state")
        return self._parts["state"]

    def call(self) -> int:
        """Address of `lw_call`; 0 where Python's memory layout is not the known one."""
        symbols = python_symbols()
        if symbols is None:
            return 0
        with self._lock:
            if "call" not in self._parts:
                self._parts["call"] = self._call(symbols.addresses)
                self._tell_batches()
        return self._parts["call"].addresses["lw_call"]

    def _call(self, symbols: Mapping[str, int]) -> Library:
        # the general call repairs flagged rows of a pivot-checked program
        most_rows = 0 if self.options.pivot_checked else rows_for_one_thread(self.count.total)
        state, checked = self._state(), checked_entry(self.signature)
        text, imports = call_text(self.signature, most_rows), {**symbols, checked: state.addresses[checked]}
        names, target = ("lw_call", "lw_lend", "lw_batch"), self._source.target("call")
        try:
            library = load_object_code(self._source.code(text, target, reuse=True)[0], target, names, imports)
        except CompilerError as error:
            warn_once(f"an entry point in the cache could not be loaded and will be made again: {error}")
            library = load_object_code(self._source.code(text, target, reuse=False)[0], target, names, imports)
        library.kept.append(state)
        _lend_result_arrays(self.signature, library)
        return library

    def _with_lanes(self) -> Library:
        if "lanes" not in self._parts:
            self._state()
            self._part("lanes")
            self._rows = _ROWS(self._parts["lanes"].addresses["lw_rows"])
            self._tell_batches()
        return self._parts["lanes"]

    def _tell_batches(self) -> None:
        """Hand the entry point of Python the function that runs batches, and how many rows it may run."""
        if "call" in self._parts:
            lanes = self._rows is not self._each
            left = 2**62 if lanes else max(0, (0 if self.options.lanes else LANES_FROM) - self._seen)
            hand = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(self._parts["call"].addresses["lw_batch"])
            hand(ctypes.cast(self._rows, ctypes.c_void_p), left)

    def _describe_program(self) -> Entry:
        """Ports and operations of the program; nothing is compiled for them."""
        self._made = self._program()
        return self._source.entry_without_code(self._made)

    @garbage_left()
    def _program(self) -> AnyProgram:
        """The program: the one that was described, for the part that is compiled first, or one made again."""
        program, self._made = self._made, None
        return self._source.program() if program is None else program

    def _part(self, part: str) -> None:
        """Load a part, from the cache or compiled."""
        if self._load_cached_part(part) is not None:
            return
        source = self._source
        with announce_work(f"compiling {source.title}"):
            entry = source.build_part(part, self._program(), self._about, reuse=part not in self._unloadable)
        if source.key is not None:
            write_entry(source.name(part), entry)
        self._load(part, entry)

    def _load_cached_part(self, part: str) -> Entry | None:
        """Load a part from the cache; None where it does not have it, or not in a state that can be loaded."""
        name = self._source.name(part) if self._source.key is not None else ""
        found = read_entry(name) if name else None
        if found is not None:
            try:
                self._load(part, found)
            except CompilerError as error:
                warn_once(f"cache entry {name} could not be loaded and will be made again: {error}")
                self._unloadable.add(part)
                return None
        return found

    def _load(self, part: str, entry: Entry) -> None:
        self._parts[part] = library = self._link_part(part, entry)
        if part != "lanes":
            each = _ROWS(library.addresses["lw_each"])
            self._rows, self._each = (each if self._rows is self._each else self._rows), each

    def _link_part(self, part: str, entry: Entry) -> Library:
        names, imports = {"lw_block", "lw_rows"}, {}
        if part == "lanes":
            imports["lw_each"] = self._parts["state"].addresses["lw_each"]
        else:
            names = {"lw_state", "lw_each", checked_entry(entry.signature)}
            names |= {"lw_bound"} if entry.signature.has_given else set()
        setup = {"lw_setup"} if entry.data else set()
        library = load_object_code(entry.code, self._source.target(part), (*sorted(names), *setup), imports)
        if entry.data:
            _hand_over(library, entry.data)
        library.kept.extend(self._parts.values())
        return library


def _hand_over(library: Library, data: bytes) -> None:
    """Give a rolled program its tables; they stay in memory as long as the library."""
    tables = ctypes.create_string_buffer(data, len(data))
    library.kept.append(tables)
    setup = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.addresses["lw_setup"])
    setup(ctypes.addressof(tables))


def _lend_result_arrays(signature: Signature, library: Library) -> None:
    """Two result arrays for the code to hand out again once their owners have let them go; kept with the library."""
    port = signature.outputs[0]
    if signature.form != "array" or port.size > _LARGEST_LENT:
        return
    spares = [np.empty(port.shape), np.empty(port.shape)]
    lend = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(library.addresses["lw_lend"])
    lend(id(spares[0]), id(spares[1]))
    library.kept.extend(spares)
