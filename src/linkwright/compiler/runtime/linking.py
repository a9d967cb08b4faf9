"""IR text to object code, and object code to addresses."""

from __future__ import annotations

import ctypes
import itertools
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import llvmlite.binding as llvm

from linkwright.compiler.codegen.module import EXTERNAL
from linkwright.compiler.codegen.target import LLVM_LOCK, Target, code_generator
from linkwright.errors import CompilerError

_numbers = itertools.count()


@dataclass(frozen=True)
class Library:
    """Loaded machine code; the addresses are valid as long as this record lives."""

    addresses: dict[str, int]
    tracker: Any
    kept: list[Any] = field(default_factory=list)
    """Memory the code points into."""


def object_code(text: str, target: Target) -> bytes:
    """Machine code of a module in the platform's object format."""
    with LLVM_LOCK:
        try:
            module = llvm.parse_assembly(text)
        except RuntimeError as error:
            raise CompilerError(f"the code generator refused its own text: {error}") from None
        return code_generator(target).emit_object(module)


def load(code: bytes, target: Target, names: tuple[str, ...], imports: dict[str, int]) -> Library:
    """Place object code in memory and look up the names."""
    builder = llvm.JITLibraryBuilder().add_object_img(code)
    for name, address in {**c_library(), **imports}.items():
        builder.import_symbol(name, address)
    for name in names:
        builder.export_symbol(name)
    with LLVM_LOCK:
        try:
            tracker = builder.link(_linker(target), f"linkwright{next(_numbers)}")
        except RuntimeError as error:
            raise CompilerError(f"object code could not be loaded: {error}") from None
    return Library({name: tracker[name] for name in names}, tracker)


def hand_over(library: Library, data: bytes) -> None:
    """Give a rolled program its tables; they stay in memory as long as the library."""
    tables = ctypes.create_string_buffer(data, len(data))
    library.kept.append(tables)
    setup = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.addresses["lw_setup"])
    setup(ctypes.addressof(tables))


@lru_cache
def _linker(target: Target) -> Any:
    return llvm.create_lljit_compiler(code_generator(target))


@lru_cache
def c_library() -> dict[str, int]:
    """Addresses of the C library's functions, under the names the code uses."""
    if sys.platform == "win32":
        libraries = [ctypes.CDLL("ucrtbase")]
    else:
        libraries = [ctypes.CDLL(None)]  # Python itself is linked to the mathematical library
    return {f"lw_{name}": _address(_found(libraries, name)) for name in EXTERNAL}


def _found(libraries: list[Any], name: str) -> Any:
    for library in libraries:
        if hasattr(library, name):
            return getattr(library, name)
    raise CompilerError(f"the C library has no function '{name}'")


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
