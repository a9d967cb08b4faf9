"""From a program to a callable kernel; with a key, by way of the cache."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import llvmlite

from linkwright.compiler.cache.entries import Entry, read_entry, warn_once, write_entry
from linkwright.compiler.codegen.module import AnyProgram, module_text
from linkwright.compiler.codegen.python_api import python_symbols
from linkwright.compiler.codegen.target import Options, Target, host_target, lanes_for
from linkwright.compiler.passes.counts import OpCount, operation_count
from linkwright.compiler.runtime.kernel import Kernel
from linkwright.compiler.runtime.linking import hand_over, load, object_code
from linkwright.compiler.runtime.threads import rows_for_one_thread
from linkwright.compiler.trace.program import Signature
from linkwright.compiler.trace.rolled import RolledProgram
from linkwright.errors import CompilerError

ENTRIES = ("lw_state", "lw_block", "lw_rows")


def compile_program(program: AnyProgram, options: Options | None = None) -> Kernel:
    """Return the kernel of a program for this processor.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> dot = compile_program(trace(lambda x, y: x @ y, {"x": 3, "y": 3}))
    >>> float(dot([1.0, 2.0, 3.0], [1.0, 1.0, 1.0]))
    6.0
    """
    options = options or Options()
    target = host_target(options)
    return _kernel(_built(program, options, target), options, target)


def compiled(key: str | bytes, make_program: Callable[[], AnyProgram], options: Options | None = None) -> Kernel:
    """Return the kernel of a key: from the cache when it is there, else traced, compiled and kept.

    Args:
        key: everything that decides the program (model content, function, formulation, versions), as text or bytes.
        make_program: called only when the cache does not have the key.
        options: how to compile; part of the cache key, like the processor and the code generator's version.
    """
    options = options or Options()
    target = host_target(options)
    name = _cache_key(key, options, target)
    found = read_entry(name)
    if found is not None:
        try:
            return _kernel(found, options, target)
        except CompilerError as error:
            warn_once(f"cache entry {name} could not be loaded and will be made again: {error}")
    entry = _built(make_program(), options, target, ObjectCodes(reuse=found is None))
    write_entry(name, entry)
    return _kernel(entry, options, target)


@dataclass(frozen=True)
class ObjectCodes:
    """Object code kept by its IR text: equal text is compiled once, from whatever it was traced.

    Attributes:
        reuse: True if code that is already there is taken; not after it turned out that it cannot be loaded.
    """

    reuse: bool

    def of(self, text: str, target: Target) -> tuple[bytes, str]:
        """The object code of a text, and the key it is kept under."""
        about = (llvmlite.__version__, target.description())
        key = "code-" + hashlib.blake2b(repr(about).encode() + text.encode(), digest_size=20).hexdigest()
        found = read_entry(key) if self.reuse else None
        code = found.code if found else object_code(text, target)
        if not found:
            write_entry(key, Entry(Signature((), (), "dict"), OpCount(), 0, code))
        return code, key


def _built(program: AnyProgram, options: Options, target: Target, object_codes: ObjectCodes | None = None) -> Entry:
    count = operation_count(program)
    if isinstance(program, RolledProgram):
        data, longest = program.data.tobytes(), max((step.n_operations for step in program.steps), default=0)
    else:
        data, longest = b"", program.n_operations
    lanes = lanes_for(options, target, longest)
    python_rows = None
    if python_symbols() is not None:  # the general call repairs flagged rows of a pivot-checked program
        python_rows = 0 if options.pivot_checked else rows_for_one_thread(count.total)
    text = module_text(program, target, lanes, options.chunk, options.pivot_checked, python_rows)
    code, key = object_codes.of(text, target) if object_codes else (object_code(text, target), "")
    return Entry(program.signature, count, lanes, code, data, shared=key)


def _kernel(entry: Entry, options: Options, target: Target) -> Kernel:
    symbols = python_symbols()
    names = (*ENTRIES, *(["lw_call", "lw_lend"] if symbols else []), *(["lw_setup"] if entry.data else []))
    names += ("lw_bound",) if entry.signature.has_given else ()
    library = load(entry.code, target, names, symbols.addresses if symbols else {})
    if entry.data:
        hand_over(library, entry.data)
    return Kernel(entry.signature, entry.count, entry.lanes, options, library)


@lru_cache
def generator_hash(root: Path = Path(__file__).parents[1]) -> str:
    """A hash of the code generator below a folder, so that entries of older versions are never used."""
    h = hashlib.blake2b(digest_size=16)
    folders = [root / name for name in ("trace", "passes", "codegen", "runtime", "cache")]
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        h.update(path.name.encode() + path.read_bytes())
    return h.hexdigest()


def _cache_key(key: str | bytes, options: Options, target: Target) -> str:
    about = (generator_hash(), sys.version_info[:2], python_symbols() is not None, options, target.description())
    h = hashlib.blake2b(repr(about).encode(), digest_size=20)
    h.update(key.encode() if isinstance(key, str) else key)
    return h.hexdigest()
