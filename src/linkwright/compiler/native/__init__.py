"""Loops in plain Python to machine code: a small subset of the language that also runs under Python unchanged."""

from linkwright.compiler.native.building import Native, address, native, quick_native
from linkwright.compiler.native.lanes import choose, root, some, spread
from linkwright.compiler.native.records import FunctionPointer, IntRow, Many, Record, Records, Row, Rows, lane, present
from linkwright.compiler.native.subset import Floats, Ints

__all__ = [
    "Floats",
    "FunctionPointer",
    "IntRow",
    "Ints",
    "Many",
    "Native",
    "Record",
    "Records",
    "Row",
    "Rows",
    "address",
    "choose",
    "lane",
    "native",
    "present",
    "quick_native",
    "root",
    "some",
    "spread",
]
