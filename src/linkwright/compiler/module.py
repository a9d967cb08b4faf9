"""The whole IR text of a program: functions, entries, declarations."""

from __future__ import annotations

from linkwright.compiler.doorway import door_function
from linkwright.compiler.fusing import fused
from linkwright.compiler.opcodes import Op
from linkwright.compiler.ordering import Angles
from linkwright.compiler.program import Program
from linkwright.compiler.rows import entry_functions
from linkwright.compiler.schedule import Schedule, schedule
from linkwright.compiler.sincos import sincos_functions
from linkwright.compiler.straight import LIBRARY, library_functions, packed_width, run_functions
from linkwright.compiler.target import Target
from linkwright.compiler.text import intrinsic_declarations

EXTERNAL = ("sin", "cos", "atan2", "exp", "log", "tanh")
"""C library functions the code may call, under the name `lw_<name>`."""

_ATTRIBUTES = (
    'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" "prefer-vector-width"="512" '
    '"min-legal-vector-width"="512" }\n'
)


def module_text(program: Program, target: Target, chunk: int, door: bool) -> str:
    """IR text of a program for a target: one state, one block of lanes, rows of a batch, and the CPython front door."""
    program = fused(program) if target.fma else program
    plan = schedule(program, chunk)
    widths = {1, target.lanes}
    return "\n".join(
        [
            _declarations(widths | {2, 4, 8}),
            *(sincos_functions(n, target.fma) for n in sorted(_sincos_widths(plan, target.lanes))),
            *(library_functions(n) for n in sorted(widths) if _needs_library(program)),
            *(run_functions(program, plan, n, target.fma) for n in sorted(widths)),
            entry_functions(program, target.lanes),
            door_function(program) if door else "",
            _ATTRIBUTES,
        ]
    )


def _sincos_widths(plan: Schedule, lanes: int) -> set[int]:
    packed = {packed_width(len(s.values)) for steps in plan.chunks for s in steps if isinstance(s, Angles)}
    return packed | {lanes} if packed else set()


def _needs_library(program: Program) -> bool:
    return any(op in LIBRARY for op in map(Op, set(program.opcodes.tolist())))


def _declarations(widths: set[int]) -> str:
    functions = [f"declare double @lw_{name}({', '.join(['double'] * (1 + (name == 'atan2')))})" for name in EXTERNAL]
    return intrinsic_declarations(widths) + "\n".join(functions) + "\n"
