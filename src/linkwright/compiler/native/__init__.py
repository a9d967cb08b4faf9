"""Loops in plain Python to machine code: a small subset of the language that also runs under Python unchanged."""

from linkwright.compiler.native.building import Native, address, native
from linkwright.compiler.native.lanes import choose, some, spread
from linkwright.compiler.native.subset import Arrays, Codes, Floats, Ints, LaneArrays, LaneCodes, Lanes

__all__ = [
    "Arrays",
    "Codes",
    "Floats",
    "Ints",
    "LaneArrays",
    "LaneCodes",
    "Lanes",
    "Native",
    "address",
    "choose",
    "native",
    "some",
    "spread",
]
