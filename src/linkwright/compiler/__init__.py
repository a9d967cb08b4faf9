"""Arithmetic to machine code: trace a function of arrays, then interpret, count, compile or export it."""

from linkwright.compiler.codegen.target import Options
from linkwright.compiler.passes.counts import OpCount, operation_count
from linkwright.compiler.passes.program_derivatives import adjoint, divide_program, jacobian, tangent
from linkwright.compiler.runtime.interpreter import evaluate, evaluate_rolled, inline_program
from linkwright.compiler.runtime.kernel import Fallback, Kernel, cached_kernel, compile_program
from linkwright.compiler.trace.operations import Dialect, Op, operator_dialect, text_dialect
from linkwright.compiler.trace.program import Port, Program, RolledProgram, RolledSweep, Signature, UnitVector
from linkwright.compiler.trace.recorder import (
    Recorder,
    Scalar,
    entry,
    interval,
    is_constant,
    is_zero,
)
from linkwright.compiler.trace.tracing import trace
from linkwright.numerics.choices import maximum, minimum, select

__all__ = [
    "Dialect",
    "Fallback",
    "Kernel",
    "Op",
    "OpCount",
    "Options",
    "Port",
    "Program",
    "Recorder",
    "RolledProgram",
    "RolledSweep",
    "Scalar",
    "Signature",
    "UnitVector",
    "adjoint",
    "cached_kernel",
    "compile_program",
    "divide_program",
    "entry",
    "evaluate",
    "evaluate_rolled",
    "inline_program",
    "interval",
    "is_constant",
    "is_zero",
    "jacobian",
    "maximum",
    "minimum",
    "operation_count",
    "operator_dialect",
    "select",
    "tangent",
    "text_dialect",
    "trace",
]
