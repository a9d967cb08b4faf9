"""Arithmetic to machine code: trace a function of arrays, then interpret, count, compile or export it."""

from linkwright.compiler.counts import OpCount, operation_count
from linkwright.compiler.interpreter import evaluate
from linkwright.compiler.opcodes import Op
from linkwright.compiler.program import Port, Program
from linkwright.compiler.recorder import Recorder
from linkwright.compiler.scalar import Scalar, is_constant, is_zero, maximum, minimum, select
from linkwright.compiler.tracing import trace

__all__ = [
    "Op",
    "OpCount",
    "Port",
    "Program",
    "Recorder",
    "Scalar",
    "evaluate",
    "is_constant",
    "is_zero",
    "maximum",
    "minimum",
    "operation_count",
    "select",
    "trace",
]
