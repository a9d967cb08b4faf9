"""Instructions in blocks, and values with one number per lane.

An array of rows is (n, lanes): `x[i]` is a row of it, `x[i, lane]` one number. Rows are added, multiplied and compared
number by number. With one lane a row is a number, and the same text is scalar code.
"""

from __future__ import annotations

from typing import NamedTuple

# --- instructions in blocks -------------------------------------------------------------------------------------------


class Blocks:
    """The text of one function in the making; after a jump nothing is written until the next block starts."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.slots: list[str] = []
        self.ended = False
        self._count = 0

    def _name(self, stem: str) -> str:
        self._count += 1
        return f"{stem}{self._count}"

    def put(self, line: str) -> None:
        """An instruction without result."""
        self.lines.append(line)

    def let(self, expression: str) -> str:
        """An instruction with a result; returns its name."""
        name = f"%{self._name('t')}"
        self.lines.append(f"{name} = {expression}")
        return name

    def slot(self, kind: str) -> str:
        """Memory for one value, set aside once per call of the function."""
        name = f"%{self._name('s')}"
        self.slots.append(f"{name} = alloca {kind}, align 8")
        return name

    def label(self, stem: str) -> str:
        return self._name(stem)

    def jump(self, label: str) -> None:
        if not self.ended:
            self.put(f"br label %{label}")
        self.ended = True

    def start(self, label: str) -> None:
        """Begin a block; the one before must have ended in a jump."""
        self.lines.append(f"{label}:")
        self.ended = False


# --- values with one number per lane, and the functions of them that the subset knows ---------------------------------


class Value(NamedTuple):
    """An IR type and the text of a value of it."""

    type: str
    text: str


class LaneValues(Blocks):
    """Instructions on rows of lanes."""

    def __init__(self, lanes: int) -> None:
        super().__init__()
        self.lanes = lanes
        self.row = f"<{lanes} x double>" if lanes > 1 else "double"
        self.mask = f"<{lanes} x i1>" if lanes > 1 else "i1"

    def spread_out(self, number: str) -> str:
        """A double in every lane."""
        if self.lanes == 1:
            return number
        first = self.let(f"insertelement {self.row} undef, double {number}, i32 0")
        zeros = ", ".join(["i32 0"] * self.lanes)
        return self.let(f"shufflevector {self.row} {first}, {self.row} undef, <{self.lanes} x i32> <{zeros}>")

    def magnitudes(self, x: str) -> Value:
        name = f"v{self.lanes}f64" if self.lanes > 1 else "f64"
        return Value(self.row, self.let(f"call {self.row} @llvm.fabs.{name}({self.row} {x})"))

    def roots(self, x: str) -> Value:
        name = f"v{self.lanes}f64" if self.lanes > 1 else "f64"
        return Value(self.row, self.let(f"call {self.row} @llvm.sqrt.{name}({self.row} {x})"))

    def chosen(self, c: str, a: str, b: str) -> Value:
        return Value(self.row, self.let(f"select {self.mask} {c}, {self.row} {a}, {self.row} {b}"))

    def any_lane(self, c: str) -> Value:
        if self.lanes == 1:
            return Value("i1", c)
        bits = self.let(f"bitcast {self.mask} {c} to i{self.lanes}")
        return Value("i1", self.let(f"icmp ne i{self.lanes} {bits}, 0"))


def lane_declarations(lanes: int) -> str:
    """IR declarations of what rows need."""
    if lanes == 1:
        return ""
    names = (f"@llvm.{name}.v{lanes}f64(<{lanes} x double>)" for name in ("fabs", "sqrt"))
    return "".join(f"declare <{lanes} x double> {name}\n" for name in names)
