"""Functions of the compiled subset as a WebAssembly module, by LLVM's wasm32 target and without a linker.

    binary = driver_module((advance_lanes,))

LLVM writes a relocatable object. Where a linker would write numbers of functions, types and globals, the object holds
its own numbers, and it holds nothing but itself; so it becomes a module when exports are added, constant arrays are
moved to where the caller wants them, and custom sections go. Whatever else would need a linker is refused.

**What the module imports**, all of it from "env": `__linear_memory`; `__stack_pointer`, a mutable i32 below which its
stack lies; `__indirect_function_table`, whose entries records name as their functions, (i32) -> i32, entry 0 empty;
`lw_exp` and `lw_log` where they are used. Its functions take addresses as i32, whole numbers as i64 (BigInt).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from types import FunctionType
from typing import Any, NamedTuple

from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen import wasm_binary as w
from linkwright.compiler.codegen.llvm import LLVM_LOCK
from linkwright.compiler.native.native_text import text_of_functions
from linkwright.errors import CompilerError

TRIPLE = "wasm32-unknown-unknown"

FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,-multivalue,-reference-types"
"""What every engine has had since 2021, as for programs; without tables of references calls have short numbers."""

_INLINED = 25
"""Size up to which LLVM puts a function into its callers. With its usual 225, and loops unrolled, the stepping driver
is half as long again and no faster."""

_TYPES_TO_GLOBALS, _EXPORTS, _CODE, _DATA = range(1, 7), 7, 10, 11

# Kinds of relocations of the object format: numbers of functions, types, globals and tables, which are right as they
# are; addresses of constant arrays; and those followed by a number that is added.
_SETTLED, _ADDRESSES, _WITH_ADDEND = (0, 6, 7, 20), (3, 4), (3, 4, 5, 11, 14, 15, 16)

# Flags and kinds of symbols.
_LOCAL, _HIDDEN, _UNDEFINED, _NAMED = 0x02, 0x04, 0x10, 0x40
_IS_FUNCTION, _IS_DATA, _IS_SECTION = 0, 1, 3
_SYMBOLS = 8
_FORMAT = 2


def driver_module(functions: Sequence[FunctionType], constants_at: int) -> bytes:
    """A module that exports functions of the subset, for one lane; their constant arrays lie at an address."""
    names = [function.__name__ for function in functions]
    return linked_module(driver_object(text_of_functions(functions)), names, constants_at)


def driver_object(text: str) -> bytes:
    """LLVM's relocatable object of a text of functions."""
    with LLVM_LOCK:
        generator = _wasm_generator()
        head = f'target datalayout = "{generator.target_data}"\ntarget triple = "{TRIPLE}"\n'
        try:
            module = llvm.parse_assembly(head + text)
            module.verify()
        except RuntimeError as error:
            raise CompilerError(f"the code generator refused its own text: {error}") from None
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        tuning.loop_vectorization = tuning.slp_vectorization = False
        tuning.loop_unrolling, tuning.inlining_threshold = False, _INLINED  # the engine does what pays
        builder = llvm.create_pass_builder(generator, tuning)
        builder.getModulePassManager().run(module, builder)
        return bytes(generator.emit_object(module))


@cache
def _wasm_generator() -> Any:
    """The code generator for WebAssembly; called with the lock of LLVM."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(opt=2, features=FEATURES, reloc="static", codemodel="default")


# --- an object as a module --------------------------------------------------------------------------------------------


class _Section(NamedTuple):
    kind: int
    body: bytes


def linked_module(code: bytes, names: Sequence[str], constants_at: int) -> bytes:
    """An object as a module that exports functions by name."""
    sections = list(_split_sections(code))
    custom = dict(map(_split_name, (s.body for s in sections if s.kind == 0)))
    _require_no_linker(custom)
    numbers = dict(_function_numbers(custom["linking"]))
    exports = w.encode_vector(w.encode_name(name) + b"\x00" + w.encode_unsigned(numbers[name]) for name in names)
    moved = [_move_section(s, custom, constants_at) for s in sections if s.kind]
    before = [s for s in moved if s.kind in _TYPES_TO_GLOBALS]
    after = [s for s in moved if s.kind > _EXPORTS]
    listed = (*before, _Section(_EXPORTS, exports), *after)
    return w.MAGIC + b"".join(w.encode_section(s.kind, s.body) for s in listed)


def _split_sections(code: bytes) -> Iterator[_Section]:
    if not code.startswith(w.MAGIC):
        raise CompilerError("LLVM wrote no WebAssembly object")
    at = len(w.MAGIC)
    while at < len(code):
        n, start = w.decode_unsigned(code, at + 1)
        yield _Section(code[at], code[start : start + n])
        at = start + n


def _split_name(body: bytes) -> tuple[str, bytes]:
    """Name and content of a custom section."""
    name, at = _read_name(body, 0)
    return name, body[at:]


def _read_name(code: bytes, at: int) -> tuple[str, int]:
    n, at = w.decode_unsigned(code, at)
    return code[at : at + n].decode(), at + n


def _function_numbers(linking: bytes) -> Iterator[tuple[str, int]]:
    """Names and numbers of the functions that the object defines for others."""
    version, at = w.decode_unsigned(linking, 0)
    if version != _FORMAT:
        raise CompilerError(f"LLVM's object has symbols of version {version}, expected {_FORMAT}")
    while at < len(linking):
        kind = linking[at]
        n, at = w.decode_unsigned(linking, at + 1)
        if kind == _SYMBOLS:
            yield from _defined_functions(linking[at : at + n])
        at += n


def _defined_functions(table: bytes) -> Iterator[tuple[str, int]]:
    count, at = w.decode_unsigned(table, 0)
    for _ in range(count):
        kind = table[at]
        flags, at = w.decode_unsigned(table, at + 1)
        if kind == _IS_DATA:  # a name, and where it is defined its segment, offset and size
            _, at = _read_name(table, at)
            for _ in range(0 if flags & _UNDEFINED else 3):
                _, at = w.decode_unsigned(table, at)
            continue
        number, at = w.decode_unsigned(table, at)
        if kind == _IS_SECTION or (flags & _UNDEFINED and not flags & _NAMED):  # its name is that of the import
            continue
        name, at = _read_name(table, at)
        if kind == _IS_FUNCTION and not flags & (_UNDEFINED | _LOCAL | _HIDDEN):
            yield name, number


def _list_relocations(body: bytes) -> Iterator[tuple[int, int]]:
    """Kind of every relocation, and its place within the body of its section."""
    _, at = w.decode_unsigned(body, 0)
    count, at = w.decode_unsigned(body, at)
    for _ in range(count):
        kind = body[at]
        place, at = w.decode_unsigned(body, at + 1)
        _, at = w.decode_unsigned(body, at)
        if kind in _WITH_ADDEND:  # a signed number, which ends as unsigned ones do
            _, at = w.decode_unsigned(body, at)
        yield kind, place


def _require_no_linker(custom: dict[str, bytes]) -> None:
    """Refuse relocations of which nothing is known."""
    for name, body in custom.items():
        for kind, _ in _list_relocations(body) if name.startswith("reloc.") else ():
            if name != "reloc.CODE" or kind not in (*_SETTLED, *_ADDRESSES):
                raise CompilerError(f"LLVM's object needs a linker: {name} has a relocation of kind {kind}")


def _move_section(section: _Section, custom: dict[str, bytes], by: int) -> _Section:
    """Constant arrays at other addresses, and the code that names these."""
    if section.kind == _DATA:
        return _Section(_DATA, w.encode_vector(_moved_data(section.body, by)))
    if section.kind != _CODE:
        return section
    body = bytearray(section.body)
    for kind, place in _list_relocations(custom.get("reloc.CODE", b"\0\0")):
        if kind in _ADDRESSES:
            body[place : place + 5] = _padded(w.decode_unsigned(section.body, place)[0] + by)
    return _Section(_CODE, bytes(body))


def _padded(n: int) -> bytes:
    """A number below 2^31 in five bytes of LEB128, signed and unsigned alike."""
    return bytes([(n >> shift & 0x7F) | (0x80 if shift < 28 else 0) for shift in range(0, 35, 7)])


def _moved_data(body: bytes, by: int) -> Iterable[bytes]:
    count, at = w.decode_unsigned(body, 0)
    for _ in range(count):
        if body[at : at + 2] != b"\x00\x41":
            raise CompilerError("LLVM's object has data without an address")
        address, at = w.decode_unsigned(body, at + 2)  # written as a signed number, which reads alike
        n, at = w.decode_unsigned(body, at + 1)
        yield w.encode_data(address + by, body[at : at + n])
        at += n
