"""The whole IR text of a program, straight or rolled: functions, entries, declarations."""

from __future__ import annotations

from linkwright.compiler.codegen.python_entry import python_entry_functions
from linkwright.compiler.codegen.rolled import SETUP, rolled_functions, step_plans
from linkwright.compiler.codegen.rows import entry_functions
from linkwright.compiler.codegen.sincos import sincos_functions
from linkwright.compiler.codegen.straight import LIBRARY, library_functions, packed_width, run_functions
from linkwright.compiler.codegen.tables import look_up_functions
from linkwright.compiler.codegen.target import Target
from linkwright.compiler.codegen.text import intrinsic_declarations
from linkwright.compiler.codegen.transpose import loop_functions
from linkwright.compiler.passes.fusing import fused
from linkwright.compiler.passes.schedule import Angles, Schedule, schedule
from linkwright.compiler.trace.program import Program
from linkwright.compiler.trace.rolled import RolledProgram

AnyProgram = Program | RolledProgram

EXTERNAL = ("sin", "cos", "atan2", "exp", "log", "tanh", "malloc", "free")
"""C library functions the code may call, under the name `lw_<name>`."""

_DECLARATIONS = "".join(f"declare double @lw_{name}(double)\n" for name in ("sin", "cos", "exp", "log", "tanh")) + (
    "declare double @lw_atan2(double, double)\ndeclare ptr @lw_malloc(i64)\ndeclare void @lw_free(ptr)\n"
)
_CACHE_BYTES = 12 * 2**20

_ATTRIBUTES = (
    'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" "prefer-vector-width"="512" '
    '"min-legal-vector-width"="512" }\n'
)


def module_text(
    program: AnyProgram, target: Target, lanes: int, chunk: int, flagged: bool = False, python_rows: int | None = None
) -> str:
    """IR text of a program for a target: one state, one block of lanes, rows of a batch, and the CPython entry points.

    Args:
        program: straight or rolled.
        target: the processor.
        lanes: states side by side in a batch.
        chunk: operations per function.
        flagged: the program flags a result with a small pivot by NaN in its first number.
        python_rows: longest batch that the CPython entry points take; None leaves them out.
    """
    widths = sorted({1, lanes})
    if isinstance(program, RolledProgram):
        body = _rolled(program, target, chunk, widths)
    else:
        body = _straight(program, target, chunk, widths)
    entries = python_entry_functions(program.signature, python_rows) if python_rows is not None else ()
    return "\n".join(
        [
            intrinsic_declarations({1, 2, 4, 8, lanes, 2 * lanes}) + _DECLARATIONS,
            *body,
            *(loop_functions(n) for n in widths),
            entry_functions(program.signature, lanes, target.fma, _fits(program, lanes), flagged),
            *entries,
            _ATTRIBUTES,
        ]
    )


def _fits(program: AnyProgram, lanes: int) -> bool:
    """Return True if several states side by side stay within the processor's caches; measured in decision 0105."""
    return not isinstance(program, RolledProgram) or program.state_bytes(lanes) < _CACHE_BYTES


def _straight(program: Program, target: Target, chunk: int, widths: list[int]) -> list[str]:
    program = fused(program) if target.fma else program
    plan = schedule(program, chunk)
    code = [run_functions(program, plan, n, target.fma) for n in widths]
    return [*_support([program], [plan], target, widths), *code]


def _rolled(rolled: RolledProgram, target: Target, chunk: int, widths: list[int]) -> list[str]:
    plans = step_plans(rolled, target.fma, chunk)
    code = [rolled_functions(rolled, plans, n, target.fma) for n in widths]
    programs, schedules = [p for p, _ in plans.values()], [s for _, s in plans.values()]
    return [SETUP, *_support(programs, schedules, target, widths), *code]


def _support(programs: list[Program], plans: list[Schedule], target: Target, widths: list[int]) -> list[str]:
    """Sine, cosine, library functions and tables in the widths needed."""
    steps = [step for plan in plans for chunk in plan.chunks for step in chunk]
    packed = {packed_width(len(step.values)) for step in steps if isinstance(step, Angles)}
    used = {op for program in programs for op, _ in program.operations}
    lanes = widths[-1]
    sincos = sorted(packed | {lanes, *([2 * lanes] if lanes <= 4 else [])}) if packed else []
    library = widths if used & set(LIBRARY) else []
    functions = [*(sincos_functions(n, target.fma) for n in sincos), *(library_functions(n) for n in library)]
    return [*functions, *look_up_functions(programs, widths)]
