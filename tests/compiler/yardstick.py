"""Measure generated code against the processor's own multiply-add rate: `python -m tests.compiler.yardstick`."""

from __future__ import annotations

import argparse
import ctypes
import itertools
import time
import timeit

import numpy as np

from linkwright.compiler import Program, operation_count
from linkwright.compiler.codegen.target import Options, host_target
from linkwright.compiler.runtime.code import load_object_code, object_code
from linkwright.compiler.runtime.kernel import compile_program
from tests.compiler.arms import arm_program

_CHAINS, _TURNS = 12, 20_000


def multiply_add_rate(lanes: int = 4) -> float:
    """Lane operations per ns (a fused multiply-add counts as one) of independent chains in registers."""
    target = host_target(Options())
    kind = f"<{lanes} x double>"
    phis = [f"%a{i} = phi {kind} [ zeroinitializer, %0 ], [ %b{i}, %loop ]" for i in range(_CHAINS)]
    sums = [f"%b{i} = call {kind} @llvm.fma.v{lanes}f64({kind} %a{i}, {kind} %m, {kind} %c)" for i in range(_CHAINS)]
    tails = [f"%s{i} = fadd {kind} %s{i - 1}, %b{i}" if i else f"%s0 = fadd {kind} %b0, %b0" for i in range(_CHAINS)]
    text = f"""declare {kind} @llvm.fma.v{lanes}f64({kind}, {kind}, {kind})
    define void @peak(ptr %p) {{
      %m = load {kind}, ptr %p, align 8
      %c = load {kind}, ptr %p, align 8
      br label %loop
    loop:
      %n = phi i64 [ 0, %0 ], [ %n1, %loop ]
      {chr(10).join(phis + sums)}
      %n1 = add i64 %n, 1
      %more = icmp slt i64 %n1, {_TURNS}
      br i1 %more, label %loop, label %done
    done:
      {chr(10).join(tails)}
      store {kind} %s{_CHAINS - 1}, ptr %p, align 8
      ret void
    }}"""
    library = load_object_code(object_code(text, target), target, ("peak",), {})
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.addresses["peak"])
    data = np.full(lanes, 0.5)
    best = min(timeit.repeat(lambda: run(data.ctypes.data), number=1, repeat=200))
    return lanes * _CHAINS * _TURNS / best / 1e9


def throughput(program: Program, options: Options, rows: int = 4096, repeat: int = 60) -> tuple[float, float, float]:
    """States per us in a batch on one thread, ns of one call from Python, CPU seconds to compile."""
    start = time.process_time()
    kernel = compile_program(program, options)
    seconds = time.process_time() - start
    rng = np.random.default_rng(0)
    batch = [rng.normal(size=(rows, *port.shape)) for port in program.inputs]
    single = [x[0].copy() for x in batch]
    out = kernel(*batch)
    call = kernel.call
    batch_time = min(timeit.repeat(lambda: kernel(*batch, out=out, threads=1), number=1, repeat=repeat))
    call_time = min(timeit.repeat(lambda: call(*single), number=2000, repeat=repeat)) / 2000
    return rows / batch_time / 1e6, call_time * 1e9, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, nargs="*", default=[4, 6, 12])
    parser.add_argument("--lanes", type=int, nargs="*", default=[4, 8])
    parser.add_argument("--chunks", type=int, nargs="*", default=[1000])
    parser.add_argument("--levels", type=int, nargs="*", default=[2])
    given = parser.parse_args()
    for links, lanes, chunk, level in itertools.product(given.links, given.lanes, given.chunks, given.levels):
        program = arm_program(links)
        count = operation_count(program)
        options = Options(lanes=lanes, chunk=chunk, level=level)
        rate, call, seconds = throughput(program, options)
        peak = multiply_add_rate()
        share = rate * count.total / 1e3 / peak
        print(
            f"{links} links, {count.total} operations, {lanes} lanes, chunk {chunk}, O{level}: {rate:.1f} M states/s "
            f"({share:.0%} of {peak:.1f} multiply-adds/ns), call {call:.0f} ns, compile {seconds:.2f} s CPU"
        )


if __name__ == "__main__":
    main()
