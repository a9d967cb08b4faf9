"""The whole IR text of a program, straight or rolled: functions, entries, declarations."""

from __future__ import annotations

from linkwright.compiler.codegen.entry import door_function
from linkwright.compiler.codegen.entry_batch import batch_door_function
from linkwright.compiler.codegen.loops import loop_functions
from linkwright.compiler.codegen.rolled import SETUP, angle_counts, rolled_functions, step_plans
from linkwright.compiler.codegen.rows import entry_functions
from linkwright.compiler.codegen.sincos import sincos_functions
from linkwright.compiler.codegen.straight import LIBRARY, library_functions, packed_width, run_functions
from linkwright.compiler.codegen.tables import look_up_functions
from linkwright.compiler.codegen.target import Target
from linkwright.compiler.codegen.text import intrinsic_declarations
from linkwright.compiler.passes.counts import operation_count
from linkwright.compiler.passes.fusing import fused
from linkwright.compiler.passes.schedule import Schedule, schedule
from linkwright.compiler.runtime.threads import rows_for_one_thread
from linkwright.compiler.trace.program import Program
from linkwright.compiler.trace.rolled import RolledProgram, rolled_count

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
    program: Program | RolledProgram, target: Target, lanes: int, chunk: int, door: bool, guarded: bool = False
) -> str:
    """IR text of a program for a target: one state, one block of lanes, rows of a batch, and the CPython front door."""
    widths = sorted({1, lanes})
    if isinstance(program, RolledProgram):
        body = _rolled(program, target, chunk, widths)
    else:
        body = _straight(program, target, chunk, widths)
    return "\n".join(
        [
            intrinsic_declarations({1, 2, 4, 8, lanes, 2 * lanes}) + _DECLARATIONS,
            *body,
            *(loop_functions(n) for n in widths),
            entry_functions(program.signature, lanes, target.fma, _fits(program, lanes), guarded),
            *(_doors(program, guarded) if door else ()),
            _ATTRIBUTES,
        ]
    )


def _fits(program: Program | RolledProgram, lanes: int) -> bool:
    """Whether several states side by side stay within the processor's caches; measured in decision 0105."""
    return not isinstance(program, RolledProgram) or program.state_bytes(lanes) < _CACHE_BYTES


def _doors(program: Program | RolledProgram, guarded: bool) -> list[str]:
    """The doors; batches of a guarded program go the long way, where doubtful rows are seen to."""
    count = rolled_count(program) if isinstance(program, RolledProgram) else operation_count(program)
    most_rows = 0 if guarded else rows_for_one_thread(count.total)
    return [door_function(program.signature), batch_door_function(program.signature, most_rows)]


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
    packed = {packed_width(n) for plan in plans for n in angle_counts(plan)}
    used = {op for program in programs for op, _ in program.operations}
    lanes = widths[-1]
    sincos = sorted(packed | {lanes, *([2 * lanes] if lanes <= 4 else [])}) if packed else []
    library = widths if used & set(LIBRARY) else []
    functions = [*(sincos_functions(n, target.fma) for n in sincos), *(library_functions(n) for n in library)]
    return [*functions, *look_up_functions(programs, widths)]
