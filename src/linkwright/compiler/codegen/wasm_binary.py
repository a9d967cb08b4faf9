"""The WebAssembly binary format, as far as arithmetic needs it: whole numbers, instructions, sections, a module.

Only what every engine has had since 2021 is used: the first version of the format, functions with several results,
conversions that saturate, and filling and copying of memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import field

from linkwright.dataclass import dataclass
from linkwright.errors import CompilerError

MAGIC = b"\0asm\x01\0\0\0"
PAGE = 1 << 16
"""Bytes by which memory is counted."""

I32, I64, F64 = b"\x7f", b"\x7e", b"\x7c"

# --- instructions -----------------------------------------------------------------------------------------------------

# Those without numbers in the code. Blocks, loops and conditions here leave nothing on the stack.
END, SELECT, RETURN, DROP = b"\x0b", b"\x1b", b"\x0f", b"\x1a"
BLOCK, LOOP, IF, ELSE = b"\x02\x40", b"\x03\x40", b"\x04\x40", b"\x05"
ADD, SUB, MUL, DIV = b"\xa0", b"\xa1", b"\xa2", b"\xa3"
MIN, MAX, ABS, NEGATE, SQRT = b"\xa4", b"\xa5", b"\x99", b"\x9a", b"\x9f"
EQUAL, GREATER, AT_MOST = b"\x61", b"\x64", b"\x65"
I32_ADD, I32_SUB, I32_AND, I32_SHL, I32_SHR, I32_IS_ZERO, I32_NOT_EQUAL = (
    b"\x6a", b"\x6b", b"\x71", b"\x74", b"\x76", b"\x45", b"\x47",
)  # fmt: skip
I64_ADD, I64_AND, I64_XOR, I64_SHL = b"\x7c", b"\x83", b"\x85", b"\x86"
I32_TO_F64, F64_TO_I32, I64_TO_I32 = b"\xb7", b"\xfc\x02", b"\xa7"
F64_BITS, BITS_TO_F64 = b"\xbd", b"\xbf"
FILL, COPY = b"\xfc\x0b\x00", b"\xfc\x0a\x00\x00"
"""Of memory: (address, byte, how many), (to, from, how many bytes)."""


def encode_unsigned(n: int) -> bytes:
    """A whole number of at least 0 in LEB128, seven bits a byte.

    >>> encode_unsigned(300).hex()
    'ac02'
    """
    out = bytearray()
    while True:
        n, low = n >> 7, n & 0x7F
        out.append(low | (0x80 if n else 0))
        if not n:
            return bytes(out)


def encode_signed(n: int) -> bytes:
    """A whole number in signed LEB128.

    >>> encode_signed(-300).hex(), encode_signed(64).hex()
    ('d47d', 'c000')
    """
    out = bytearray()
    while True:
        low, n = n & 0x7F, n >> 7
        is_last = n == (-1 if low & 0x40 else 0)
        out.append(low | (0 if is_last else 0x80))
        if is_last:
            return bytes(out)


def decode_unsigned(code: bytes, at: int) -> tuple[int, int]:
    """An unsigned number in LEB128, and where the next thing begins."""
    n = shift = 0
    while True:
        byte = code[at]
        n |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return n, at


def f64_constant(x: float) -> bytes:
    """A float64 onto the stack."""
    return b"\x44" + struct.pack("<d", x)


def i32_constant(n: int) -> bytes:
    """A whole number of 32 bits onto the stack."""
    return b"\x41" + encode_signed(n)


def i64_constant(n: int) -> bytes:
    """A whole number of 64 bits onto the stack."""
    return b"\x42" + encode_signed(n)


def get_local(number: int) -> bytes:
    """An argument or a local onto the stack."""
    return b"\x20" + encode_unsigned(number)


def set_local(number: int) -> bytes:
    """Take the value on the stack into a local."""
    return b"\x21" + encode_unsigned(number)


def tee_local(number: int) -> bytes:
    """Copy the value on the stack into a local."""
    return b"\x22" + encode_unsigned(number)


def branch_to(depth: int) -> bytes:
    """Go to the beginning of a loop, or to the end of a block, so many levels out."""
    return b"\x0c" + encode_unsigned(depth)


def branch_if(depth: int) -> bytes:
    """The same where the number on the stack is not 0."""
    return b"\x0d" + encode_unsigned(depth)


def branch_by_table(depths: Sequence[int]) -> bytes:
    """The same to the level that the number on the stack chooses; the last one serves all others."""
    return b"\x0e" + encode_vector(map(encode_unsigned, depths[:-1])) + encode_unsigned(depths[-1])


def call_function(number: int) -> bytes:
    """A call; the arguments are on the stack."""
    return b"\x10" + encode_unsigned(number)


def load_f64(offset: int) -> bytes:
    """The number at the address on the stack plus an offset; the alignment is a hint that may be wrong."""
    return b"\x2b\x03" + encode_unsigned(offset)


def load_i32(offset: int) -> bytes:
    """The same for a whole number."""
    return b"\x28\x02" + encode_unsigned(offset)


def store_f64(offset: int) -> bytes:
    """Write the number on the stack to the address below it plus an offset."""
    return b"\x39\x03" + encode_unsigned(offset)


# --- sections and modules ---------------------------------------------------------------------------------------------


def encode_vector(items: Iterable[bytes]) -> bytes:
    """How many there are, and all of them."""
    listed = list(items)
    return encode_unsigned(len(listed)) + b"".join(listed)


def encode_name(name: str) -> bytes:
    """A name in UTF-8."""
    encoded = name.encode()
    return encode_unsigned(len(encoded)) + encoded


def encode_section(kind: int, body: bytes) -> bytes:
    """A section with its length."""
    return bytes([kind]) + encode_unsigned(len(body)) + body


def encode_data(address: int, content: bytes) -> bytes:
    """Bytes that are put into memory when a module is instantiated."""
    return b"\x00" + i32_constant(address) + END + encode_unsigned(len(content)) + content


@dataclass
class ModuleInProgress:
    """A module to which functions are added; imported functions come first in the numbering."""

    types: list[bytes] = field(default_factory=list)
    imports: list[bytes] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    exports: list[bytes] = field(default_factory=list)
    data: list[bytes] = field(default_factory=list)

    def import_function(self, module: str, name: str, takes: bytes, gives: bytes) -> int:
        """The number of an imported function."""
        if self.bodies:
            raise CompilerError(f"'{module}.{name}' is imported after a function was defined")
        self.imports.append(
            encode_name(module) + encode_name(name) + b"\x00" + encode_unsigned(self._type(takes, gives))
        )
        return len(self.imports) - 1

    def define_function(self, takes: bytes, gives: bytes, locals_: Sequence[tuple[int, bytes]], code: bytes) -> int:
        """The number of a new function; `locals_` are (how many, type) behind its arguments."""
        self.kinds.append(self._type(takes, gives))
        body = encode_vector(encode_unsigned(n) + kind for n, kind in locals_ if n) + code + END
        self.bodies.append(encode_unsigned(len(body)) + body)
        return len(self.imports) + len(self.bodies) - 1

    def export_function(self, name: str, number: int) -> None:
        """Give a function a name for the outside."""
        self.exports.append(encode_name(name) + b"\x00" + encode_unsigned(number))

    def put_data(self, address: int, content: bytes) -> None:
        """Bytes that memory holds from the start."""
        self.data.append(encode_data(address, content))

    def binary(self, memory: tuple[str, str], end: int) -> bytes:
        """The module; it imports the named memory, which reaches at least to `end`."""
        pages = b"\x00" + encode_unsigned(-(-end // PAGE))
        imports = [*self.imports, encode_name(memory[0]) + encode_name(memory[1]) + b"\x02" + pages]
        sections = [
            (1, self.types),
            (2, imports),
            (3, map(encode_unsigned, self.kinds)),
            (7, self.exports),
            (10, self.bodies),
            (11, self.data),
        ]
        return MAGIC + b"".join(encode_section(kind, encode_vector(items)) for kind, items in sections)

    def _type(self, takes: bytes, gives: bytes) -> int:
        made = b"\x60" + encode_unsigned(len(takes)) + takes + encode_unsigned(len(gives)) + gives
        if made not in self.types:
            self.types.append(made)
        return self.types.index(made)
