"""IR texts of a program, straight or rolled, one for each part that is compiled when it is first needed."""

from __future__ import annotations

from linkwright.compiler.codegen.ir_text import intrinsic_declarations
from linkwright.compiler.codegen.python_entry import python_entry_functions
from linkwright.compiler.codegen.rolled_code import SETUP, rolled_functions, step_plans
from linkwright.compiler.codegen.row_entry_points import lane_entries, state_entries
from linkwright.compiler.codegen.sincos import sincos_definitions
from linkwright.compiler.codegen.straight_line_code import LIBRARY, library_functions, packed_width, run_functions
from linkwright.compiler.codegen.table_code import look_up_functions
from linkwright.compiler.codegen.target import Target, widest_register
from linkwright.compiler.codegen.transpose import loop_functions
from linkwright.compiler.passes.multiply_add_fusion import fuse_products
from linkwright.compiler.passes.schedule import Angles, Schedule, schedule_operations
from linkwright.compiler.trace.operations import OPERATIONS, is_transcendental
from linkwright.compiler.trace.program import Program, Signature
from linkwright.compiler.trace.rolled_program import RolledProgram

AnyProgram = Program | RolledProgram

_FUNCTIONS = sorted((x for op, x in OPERATIONS.items() if is_transcendental(op)), key=lambda x: x.arity)
EXTERNAL = (*(x.name for x in _FUNCTIONS), "malloc", "free")
"""C library functions the code may call, under the name `lw_<name>`."""

_DECLARATIONS = "".join(f"declare double @lw_{x.name}({', '.join(['double'] * x.arity)})\n" for x in _FUNCTIONS) + (
    "declare ptr @lw_malloc(i64)\ndeclare void @lw_free(ptr)\n"
)
_CACHE_BYTES = 12 * 2**20

_ATTRIBUTES = (
    'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" "prefer-vector-width"="%(bits)s" '
    '"min-legal-vector-width"="%(bits)s" }\n'
)


def state_text(program: AnyProgram, target: Target, chunk: int, flagged: bool = False) -> str:
    """IR text of a program for one state at a time: `lw_state`, `lw_checked`, `lw_each`.

    Args:
        program: straight or rolled.
        target: the processor.
        chunk: operations per function.
        flagged: the program flags a result with a small pivot by NaN in its first number.
    """
    parts = [*_program_body(program, target, chunk, 1), loop_functions(1), state_entries(program.signature, flagged)]
    return _assemble_module(parts, {1, 2, 4, 8})


def lane_text(program: AnyProgram, target: Target, lanes: int, chunk: int) -> str:
    """IR text of a program for several states side by side: `lw_block`, `lw_rows`; it calls `lw_each`."""
    side_by_side = not isinstance(program, RolledProgram) or program.state_bytes(lanes) < _CACHE_BYTES
    entries = lane_entries(program.signature, lanes, target.fma, side_by_side)
    each = "declare void @lw_each(ptr, ptr, i64, i64)\n"
    parts = [each, *_program_body(program, target, chunk, lanes), loop_functions(lanes), entries]
    return _assemble_module(parts, {1, 2, 4, 8, lanes, 2 * lanes}, widest_register(target, longest_program(program)))


def longest_program(program: AnyProgram) -> int:
    """Operations of a program, or of the longest step of a rolled one."""
    steps = program.steps if isinstance(program, RolledProgram) else [program]
    return max((step.n_operations for step in steps), default=0)


def call_text(signature: Signature, python_rows: int) -> str:
    """IR text of the CPython entry points `lw_call`, `lw_lend`, `lw_batch`, for batches of at most so many rows."""
    return _assemble_module(python_entry_functions(signature, python_rows), set())


def _assemble_module(parts: list[str], widths: set[int], bits: int = 512) -> str:
    return "\n".join([intrinsic_declarations(widths) + _DECLARATIONS, *parts, _ATTRIBUTES % {"bits": bits}])


def _program_body(program: AnyProgram, target: Target, chunk: int, lanes: int) -> list[str]:
    """The program itself in one width, and the functions that it calls."""
    if isinstance(program, RolledProgram):
        plans = step_plans(program, target.fma, chunk)
        programs, schedules = [p for p, _ in plans.values()], [s for _, s in plans.values()]
        code = rolled_functions(program, plans, lanes, target.fma)
        return [SETUP, *_support_functions(programs, schedules, target, lanes), code]
    program = fuse_products(program) if target.fma else program
    plan = schedule_operations(program, chunk)
    return [*_support_functions([program], [plan], target, lanes), run_functions(program, plan, lanes, target.fma)]


def _support_functions(programs: list[Program], plans: list[Schedule], target: Target, lanes: int) -> list[str]:
    """Sine, cosine, library functions and tables in the widths needed."""
    steps = [step for plan in plans for chunk in plan.chunks for step in chunk]
    packed = {packed_width(len(step.values)) for step in steps if isinstance(step, Angles)}
    if packed and lanes > 1:
        packed = {lanes, *([2 * lanes] if lanes <= 4 else [])}
    used = {op for program in programs for op, _ in program.operations}
    library = [library_functions(lanes)] if used & set(LIBRARY) else []
    return [
        *(sincos_definitions(n, target.fma) for n in sorted(packed)),
        *library,
        *look_up_functions(programs, [lanes]),
    ]
