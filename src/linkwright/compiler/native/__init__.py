"""Loops in plain Python to machine code: a small subset of the language that also runs under Python unchanged."""

from linkwright.compiler.native.native_functions import (
    Native,
    array_address,
    built_function,
    native_function,
    quick_native,
)
from linkwright.compiler.native.native_records import (
    FixedFields,
    FunctionPointer,
    IntRow,
    Many,
    Record,
    Records,
    Row,
    Rows,
    choose_by_lane,
    fill_lanes,
    has_function,
    is_any_lane_true,
    lane_view,
    square_roots,
)
from linkwright.compiler.native.parsing import Floats, Ints

__all__ = [
    "FixedFields",
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
    "array_address",
    "built_function",
    "choose_by_lane",
    "fill_lanes",
    "has_function",
    "is_any_lane_true",
    "lane_view",
    "native_function",
    "quick_native",
    "square_roots",
]
