"""Arithmetic to machine code: trace a function of arrays, then interpret, count, compile or export it."""

from linkwright.compiler.choices import maximum, minimum, select
from linkwright.compiler.compiling import compile_program, compiled
from linkwright.compiler.counts import OpCount, operation_count
from linkwright.compiler.derivatives import jacobian, tangent
from linkwright.compiler.dividing import divided
from linkwright.compiler.export_c import c_source
from linkwright.compiler.export_casadi import casadi_function
from linkwright.compiler.inlining import inlined
from linkwright.compiler.interpreter import evaluate
from linkwright.compiler.kernel import Kernel
from linkwright.compiler.opcodes import Op
from linkwright.compiler.program import Port, Program, Signature, UnitVector
from linkwright.compiler.recorder import Recorder
from linkwright.compiler.rolled import RolledProgram, Sweep, rolled_count
from linkwright.compiler.rolled_interpreter import evaluate_rolled
from linkwright.compiler.scalar import Scalar, is_constant, is_zero
from linkwright.compiler.tables import entry, interval
from linkwright.compiler.target import Options
from linkwright.compiler.tracing import trace

__all__ = [
    "Kernel",
    "Op",
    "OpCount",
    "Options",
    "Port",
    "Program",
    "Recorder",
    "RolledProgram",
    "Scalar",
    "Signature",
    "Sweep",
    "UnitVector",
    "c_source",
    "casadi_function",
    "compile_program",
    "compiled",
    "divided",
    "entry",
    "evaluate",
    "evaluate_rolled",
    "inlined",
    "interval",
    "is_constant",
    "is_zero",
    "jacobian",
    "maximum",
    "minimum",
    "operation_count",
    "rolled_count",
    "select",
    "tangent",
    "trace",
]
