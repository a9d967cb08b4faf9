"""How near batch code comes to the core's own rate of multiply-adds.

The rate is measured by a loop of fused multiply-adds on as many independent accumulators as hide their latency, in the
widest registers of the processor, emitted through the same code generator. Our programs are counted three ways: every
multiplication and addition as one operation (decision 0101); after fusing, when a multiply-add takes one issue slot;
and as floating-point operations of a core that does two in every slot. Sines, cosines, divisions and the transposition
of rows take time and are not counted, so the true shares are higher.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks import loops, serial
from benchmarks.comparison import ready
from benchmarks.trees import State
from linkwright import Model, build, catalog
from linkwright.cli.call_timing import NOISE, MeasuringExtent, noise_ratio, time_functions
from linkwright.compiler import Op, Options, operation_count
from linkwright.compiler.codegen.target import host_target
from linkwright.compiler.passes.schedule import fuse_products
from linkwright.compiler.runtime.code import load_object_code, object_code

ACCUMULATORS, TURNS = 12, 2000
PROMISED = 0.35
_SLOTS = (Op.ADD, Op.SUB, Op.MUL, Op.FMA, Op.FMS, Op.FNMA)
Array = np.ndarray


@dataclass(frozen=True)
class Share:
    """Batch code beside the core's rate.

    Attributes:
        us: per state.
        operations: multiplications and additions per state.
        slots: multiply-adds, multiplications and additions per state after fusing.
        operation_share, slot_share: operations and slots per second over the core's multiply-adds per second.
        flop_share: operations per second over twice that rate.
    """

    case: str
    us: float
    operations: int
    slots: int
    peak_per_ns: float
    operation_share: float
    slot_share: float
    flop_share: float
    promised: float | None
    noise: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def table(extent: MeasuringExtent) -> tuple[list[Share], list[str]]:
    """UR5 and Gough-Stewart."""
    arm = serial.arm("UR5")
    notes = [] if arm else ["UR5 is not measured: its file comes with the package example-robot-data"]
    model = build(catalog.load("gough-stewart"))
    q, v, tau = (np.repeat(x[None, :], loops.ROWS, axis=0) for x in loops.state(model))
    a = model.forward_dynamics(q, v, tau)
    rows = []
    if arm:
        s = State.random(arm.nv, rows=serial.ROWS)
        rows += [
            share("UR5 inverse dynamics", arm, "inverse_dynamics", (s.q, s.v, s.a), extent),
            share("UR5 forward dynamics", arm, "forward_dynamics", (s.q, s.v, s.tau), extent, PROMISED),
        ]
    rows += [
        share("Gough-Stewart inverse dynamics", model, "inverse_dynamics", (q, v, a), extent),
        share("Gough-Stewart forward dynamics", model, "forward_dynamics", (q, v, tau), extent, PROMISED),
    ]
    return rows, notes


def share(
    case: str, model: Model, name: str, batch: tuple[Array, ...], extent: MeasuringExtent, promised: float | None = None
) -> Share:
    """The public call on a batch, and the loop of multiply-adds, in turn."""
    program = model.program(name)
    slots = int(np.isin(fuse_products(program).opcodes, _SLOTS).sum())
    count = operation_count(program)
    rows = len(batch[0])
    loop, multiply_adds = multiply_add_loop()
    times = time_functions({"ours": ready(model, name, *batch), "peak": loop}, extent)
    us, noise = times["ours"].least / rows, times[NOISE]
    peak = multiply_adds / times["peak"].least
    operations = count.mul + count.add
    return Share(
        case,
        us,
        operations,
        slots,
        peak / 1e3,
        operations / us / peak,
        slots / us / peak,
        operations / us / (2 * peak),
        promised,
        noise_ratio(noise),
    )


def multiply_add_loop() -> tuple[Callable[[], Any], int]:
    """A call that does nothing but independent multiply-adds, and how many (counted per lane)."""
    target = host_target(Options())
    lanes = target.registers
    library = load_object_code(object_code(_text(lanes), target), target, ("peak",), {})
    data = np.full(lanes, 0.5)
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.addresses["peak"])
    address = data.ctypes.data

    def call(keep: Any = (library, data)) -> None:
        run(address)

    return call, lanes * ACCUMULATORS * TURNS


def _text(lanes: int) -> str:
    kind, fma = f"<{lanes} x double>", f"@llvm.fma.v{lanes}f64"
    numbers = range(ACCUMULATORS)
    starts = "\n".join(f"  %x{i} = phi {kind} [ %one, %entry ], [ %y{i}, %turn ]" for i in numbers)
    steps = "\n".join(f"  %y{i} = call {kind} {fma}({kind} %x{i}, {kind} %one, {kind} %one)" for i in numbers)
    stores = "\n".join(f"  store volatile {kind} %y{i}, ptr %data, align 8" for i in numbers)
    return f"""
declare {kind} {fma}({kind}, {kind}, {kind})
define void @peak(ptr %data) {{
entry:
  %one = load {kind}, ptr %data, align 8
  br label %turn
turn:
  %count = phi i64 [ 0, %entry ], [ %next, %turn ]
{starts}
{steps}
  %next = add i64 %count, 1
  %again = icmp ult i64 %next, {TURNS}
  br i1 %again, label %turn, label %end
end:
{stores}
  ret void
}}
"""
