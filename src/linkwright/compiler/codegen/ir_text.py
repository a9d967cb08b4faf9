"""Small building blocks of LLVM IR text: numbered lines, vector types, constants.

The text is written directly because building it from objects takes longer than generating machine code from it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cache

from linkwright.compiler.codegen import llvm


@cache
def _has_splat() -> bool:
    return bool(llvm.llvm_version_info[0] >= 19)


def vector_type(lanes: int, element: str = "double") -> str:
    """The IR type of one value in every lane; plain scalar for one lane."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def double_literal(value: float) -> str:
    """A double as exact hexadecimal text."""
    return "0x" + struct.pack(">d", value).hex().upper()


def splat_literal(lanes: int, element: str, literal: str) -> str:
    """One literal in every lane."""
    if lanes == 1:
        return literal
    if _has_splat():
        return f"splat ({element} {literal})"
    return "<" + ", ".join([f"{element} {literal}"] * lanes) + ">"


class Lines:
    """Instructions of one function in the making, with fresh names."""

    def __init__(self, lanes: int = 1, fma: bool = True) -> None:
        self.lanes = lanes
        self.fma_allowed = fma
        self.type = vector_type(lanes)
        self.text: list[str] = []
        self._count = 0

    def put(self, *lines: str) -> None:
        """Instructions without result, and labels."""
        self.text.extend(lines)

    def let(self, expression: str) -> str:
        """An instruction with a result; returns its name."""
        self._count += 1
        name = f"%t{self._count}"
        self.text.append(f"{name} = {expression}")
        return name

    def const(self, value: float) -> str:
        return splat_literal(self.lanes, "double", double_literal(value))

    def whole(self, value: int) -> str:
        """A 64-bit integer in every lane."""
        return splat_literal(self.lanes, "i64", str(value))

    def add(self, a: str, b: str) -> str:
        return self.let(f"fadd {self.type} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        return self.let(f"fsub {self.type} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        return self.let(f"fmul {self.type} {a}, {b}")

    def neg(self, a: str) -> str:
        return self.let(f"fneg {self.type} {a}")

    def recip(self, a: str) -> str:
        return self.let(f"fdiv {self.type} {self.const(1.0)}, {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """a b + c, rounded once where the processor can."""
        return self.call("llvm.fma", a, b, c) if self.fma_allowed else self.add(self.mul(a, b), c)

    def fms(self, a: str, b: str, c: str) -> str:
        return self.fma(a, b, self.neg(c)) if self.fma_allowed else self.sub(self.mul(a, b), c)

    def fnma(self, a: str, b: str, c: str) -> str:
        return self.fma(self.neg(a), b, c) if self.fma_allowed else self.sub(c, self.mul(a, b))

    def call(self, intrinsic: str, *args: str) -> str:
        """An LLVM intrinsic on this function's lanes."""
        typed = ", ".join(f"{self.type} {x}" for x in args)
        return self.let(f"call {self.type} @{intrinsic}.{intrinsic_suffix(self.lanes)}({typed})")

    def min(self, a: str, b: str) -> str:
        """The smaller, or NaN if either is; written out because older code generators lack the intrinsic."""
        return self._choice("olt", a, b)

    def max(self, a: str, b: str) -> str:
        return self._choice("ogt", a, b)

    def _choice(self, comparison: str, a: str, b: str) -> str:
        chosen = self.choose(self.let(f"fcmp {comparison} {self.type} {a}, {b}"), a, b)
        unordered = self.let(f"fcmp uno {self.type} {a}, {b}")
        return self.choose(unordered, self.add(a, b), chosen)

    def sqrt(self, a: str) -> str:
        return self.call("llvm.sqrt", a)

    def abs(self, a: str) -> str:
        return self.call("llvm.fabs", a)

    def select(self, c: str, a: str, b: str) -> str:
        return self.choose(self.let(f"fcmp ogt {self.type} {c}, {self.const(0.0)}"), a, b)

    def choose(self, condition: str, a: str, b: str) -> str:
        kind = vector_type(self.lanes, "i1")
        return self.let(f"select {kind} {condition}, {self.type} {a}, {self.type} {b}")

    def load(self, pointer: str, index: int | str = 0) -> str:
        return self.let(f"load {self.type}, ptr {self.element(pointer, index)}, align 8")

    def load_shared(self, pointer: str, index: int) -> str:
        """One plain number into every lane."""
        return self.spread(self.load_double(pointer, index))

    def spread(self, x: str) -> str:
        """A scalar into every lane."""
        if self.lanes == 1:
            return x
        one = self.let(f"insertelement {self.type} undef, double {x}, i32 0")
        return self.let(f"shufflevector {self.type} {one}, {self.type} undef, <{self.lanes} x i32> zeroinitializer")

    def shuffle(self, width: int, x: str, y: str, picked: Iterable[int]) -> str:
        """The picked lanes of x and y, each `width` wide, laid side by side."""
        kind, indices = vector_type(width), [f"i32 {i}" for i in picked]
        return self.let(f"shufflevector {kind} {x}, {kind} {y}, <{len(indices)} x i32> <{', '.join(indices)}>")

    def store(self, value: str, pointer: str, index: int | str = 0) -> None:
        self.put(f"store {self.type} {value}, ptr {self.element(pointer, index)}, align 8")

    def element(self, pointer: str, index: int | str) -> str:
        """Address of a lane vector."""
        return pointer if index == 0 else self.at(pointer, index, self.type)

    def at(self, pointer: str, index: int | str, kind: str = "double") -> str:
        """Address of an element of a type."""
        return self.let(f"getelementptr {kind}, ptr {pointer}, i64 {index}")

    def load_double(self, pointer: str, index: int | str) -> str:
        return self.let(f"load double, ptr {self.at(pointer, index)}, align 8")


def vector_pieces(count: int) -> list[tuple[int, int]]:
    """`count` doubles cut into (start, width), the widest pieces first."""
    out, start = [], 0
    while start < count:
        width = next(n for n in (4, 2, 1) if n <= count - start)
        out.append((start, width))
        start += width
    return out


def intrinsic_suffix(lanes: int) -> str:
    """Suffix by which intrinsics name the type."""
    return "f64" if lanes == 1 else f"v{lanes}f64"


def function_definition(head: str, lines: Iterable[str]) -> str:
    """A whole function; `head` runs up to the attributes."""
    body = "\n  ".join(lines)
    return f"define {head} {{\n  {body}\n}}\n"


def intrinsic_declarations(widths: Iterable[int]) -> str:
    """Declarations of every intrinsic the emitters may call."""
    arities = {"fma": 3, "sqrt": 1, "fabs": 1}
    out = []
    for lanes in sorted(set(widths)):
        kind = vector_type(lanes)
        for name, arity in arities.items():
            out.append(f"declare {kind} @llvm.{name}.{intrinsic_suffix(lanes)}({', '.join([kind] * arity)})")
    return "\n".join(out) + "\n"
