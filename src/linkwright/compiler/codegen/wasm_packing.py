"""A WebAssembly module rearranged so that it deflates well, for pages.

    text = deflate(pack_module(binary))         # the page puts the same module together again (engine/unpacking.ts)

Instructions of programs are short, and what compresses is what is alike: so opcodes, numbers of locals, addresses and
constants stand apart, locals as how long ago each was used last, addresses as the way from the one before. Modules of
programs become a third shorter than deflated as they are. What comes out again is the module with its whole numbers in
their shortest form.
"""

from __future__ import annotations

import struct

from linkwright.compiler.codegen.wasm_binary import MAGIC, decode_unsigned, encode_unsigned
from linkwright.errors import CompilerError

_CODE = 10

# Opcodes by what follows them.
_LOCALS = frozenset((0x20, 0x21, 0x22))
_NUMBERS = frozenset((0x0C, 0x0D, 0x10, 0x23, 0x24))  # of labels, functions and globals
_BLOCKS = frozenset((0x02, 0x03, 0x04))  # a byte for their type
_LOADS, _STORES = range(0x28, 0x36), range(0x36, 0x3F)
_MEMORY = frozenset((0x3F, 0x40))
_BRANCH_TABLE, _CALL_INDIRECT, _I32, _I64, _F32, _F64, _EXTENDED = 0x0E, 0x11, 0x41, 0x42, 0x43, 0x44, 0xFC
_BARE = frozenset((0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B, *range(0x45, 0xC5)))
_MORE_BYTES = {0x0A: 2, 0x0B: 1} | dict.fromkeys(range(8), 0)  # behind an extended opcode: copies, fills, conversions


def pack_module(binary: bytes) -> bytes:
    """Lengths of nine parts, then the parts: the module around its code, and eight streams of the code."""
    begin, body, end = _code_section(binary)
    packer = _Packer(binary)
    count, at = decode_unsigned(binary, body)
    for _ in range(count):
        size, at = decode_unsigned(binary, at)
        packer.pack_function(at, at + size)
        at += size
    around = struct.pack("<3I", begin, len(binary) - end, count) + binary[:begin] + binary[end:]
    parts = [around, *(bytes(each) for each in packer.streams)]
    return struct.pack(f"<{len(parts)}I", *map(len, parts)) + b"".join(parts)


def _code_section(binary: bytes) -> tuple[int, int, int]:
    """Where the code section begins, its contents, and what follows."""
    at = len(MAGIC)
    while at < len(binary):
        kind, begin = binary[at], at
        size, at = decode_unsigned(binary, at + 1)
        if kind == _CODE:
            return begin, at, at + size
        at += size
    raise CompilerError("the module has no code")


class _Packer:
    """The streams of the functions' code: heads, opcodes, locals, numbers, loads, stores, whole numbers, constants."""

    def __init__(self, binary: bytes) -> None:
        self.binary = binary
        self.streams = tuple(bytearray() for _ in range(8))
        self.heads, self.opcodes, self.locals, self.numbers, self.loads, self.stores, self.wholes, self.constants = (
            self.streams
        )
        self.last = [0, 0]  # addresses of the last load and store

    def pack_function(self, at: int, end: int) -> None:
        """Add a function's locals and instructions."""
        binary, first = self.binary, at
        groups, at = decode_unsigned(binary, at)
        for _ in range(groups):
            at = decode_unsigned(binary, at)[1] + 1
        self.heads += encode_unsigned(at - first) + binary[first:at]
        recent: list[int] = []
        begin = len(self.opcodes)
        while at < end:
            at = self._pack_instruction(at, recent)
        self.heads += encode_unsigned(len(self.opcodes) - begin)

    def _pack_instruction(self, at: int, recent: list[int]) -> int:
        binary, code = self.binary, self.binary[at]
        self.opcodes.append(code)
        at += 1
        if code in _LOCALS:
            number, at = decode_unsigned(binary, at)
            self.locals += encode_unsigned(_position_of(number, recent))
        elif code in _LOADS or code in _STORES:
            align, at = decode_unsigned(binary, at)
            address, at = decode_unsigned(binary, at)
            self.wholes.append(align)
            kind = int(code in _STORES)
            (self.stores if kind else self.loads).extend(encode_unsigned(_way_code(address - self.last[kind])))
            self.last[kind] = address
        elif code in _NUMBERS:
            at = self._copy_number(at)
        elif code in _BLOCKS or code in _MEMORY:
            self.numbers.append(binary[at])
            at += 1
        elif code == _CALL_INDIRECT:
            at = self._copy_number(self._copy_number(at))
        elif code == _BRANCH_TABLE:
            count = decode_unsigned(binary, at)[0]
            for _ in range(count + 2):
                at = self._copy_number(at)
        elif code in (_I32, _I64):
            first = at
            while binary[at] & 0x80:
                at += 1
            at += 1
            self.wholes += binary[first:at]
        elif code in (_F32, _F64):
            size = 4 if code == _F32 else 8
            self.constants += binary[at : at + size]
            at += size
        elif code == _EXTENDED:
            more, at = decode_unsigned(binary, at)
            if more not in _MORE_BYTES:
                raise CompilerError(f"instruction 0xfc {more} cannot be packed")
            self.numbers.append(more)
            self.numbers += binary[at : at + _MORE_BYTES[more]]
            at += _MORE_BYTES[more]
        elif code not in _BARE:
            raise CompilerError(f"instruction {code:#x} cannot be packed")
        return at

    def _copy_number(self, at: int) -> int:
        number, at = decode_unsigned(self.binary, at)
        self.numbers += encode_unsigned(number)
        return at


def _position_of(number: int, recent: list[int]) -> int:
    """How many others were used since a local was, which goes to the front; behind those met so far it has its number.

    >>> recent = []
    >>> [_position_of(k, recent) for k in (0, 1, 1, 0, 2)]
    [0, 1, 0, 1, 2]
    """
    while len(recent) <= number:
        recent.append(len(recent))
    position = recent.index(number)
    recent.insert(0, recent.pop(position))
    return position


def _way_code(way: int) -> int:
    """A way as a whole number of at least 0: words of eight bytes are even numbers, others odd ones."""
    is_odd = way % 8 != 0
    steps = way if is_odd else way // 8
    return 2 * (2 * steps if steps >= 0 else -2 * steps - 1) + is_odd
