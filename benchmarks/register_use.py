"""How code should fill the vector registers of this kind of processor: `python -m benchmarks.register_use`.

Times code of one state with and without AVX-512, and batches in every number of lanes and both widths of registers, all
in turn and each the least of many; the results must have the same bits. The last line is what
`linkwright/compiler/codegen/target.py` keeps in `_MEASURED`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.loops import state
from benchmarks.serial import arm
from benchmarks.trees import State
from linkwright import build, catalog
from linkwright.cli.call_timing import MeasuringExtent, time_functions
from linkwright.compiler import Options, Program, compile_program
from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.target import SHORT, RegisterUse, host_target

ROWS = 4096
CALLS = ("inverse_dynamics", "forward_dynamics")
Array = np.ndarray
Case = tuple[Program, tuple[Array, ...]]


def cases() -> dict[str, Case]:
    """Programs of an arm and of two closed mechanisms, each with a state."""
    out: dict[str, Case] = {}
    s, model = State.random(6), arm("UR5")
    motions = {} if model is None else {"UR5": (model, s.q, s.v, s.a, s.tau)}
    for name in ("3-rrr", "gough-stewart"):
        closed = build(catalog.load(name))
        q, v, tau = state(closed)
        motions[name] = (closed, q, v, closed.forward_dynamics(q, v, tau), tau)
    for name, (model, q, v, a, tau) in motions.items():
        for call, last in zip(CALLS, (a, tau), strict=True):
            out[f"{name} {call}"] = (model.program(call), (q, v, last))
    return out


def shapes() -> list[tuple[int, int]]:
    """Bits of a register and states side by side that this processor can do."""
    widest = 64 * host_target(Options()).registers
    return [
        (bits, lanes)
        for bits, lanes in product((128, 256, 512), (4, 8, 16))
        if bits in (256, widest) and bits <= widest
    ]


def calls(case: Case) -> dict[tuple[str, Any], Callable[[], Any]]:
    """One state with and without AVX-512; a batch in every shape."""
    program, arrays = case
    rows = tuple(np.repeat(x[None], ROWS, axis=0) for x in arrays)
    out: dict[tuple[str, Any], Callable[[], Any]] = {}
    for in_state in (True, False):
        kernel = compile_program(program, Options(registers=RegisterUse(in_state, (256, 8), (256, 8))))
        out["state", in_state] = partial(_call_often, partial(kernel, *arrays))
    for shape in shapes():
        kernel = compile_program(program, Options(lanes=shape[1], registers=RegisterUse(True, shape, shape)))
        out["batch", shape] = partial(kernel, *rows)
    results = [call() for call in out.values()]
    same = all(np.array_equal(np.atleast_2d(x)[0], np.atleast_2d(results[0])[0]) for x in results)
    assert same, "the bits depend on the registers"
    return out


def _call_often(call: Callable[[], Any]) -> Any:
    for _ in range(199):
        call()
    return call()


def main() -> None:
    costs: dict[tuple[str, Any], list[tuple[int, float]]] = {}
    for name, case in cases().items():
        found = calls(case)
        times = time_functions({str(key): call for key, call in found.items()}, MeasuringExtent())
        us = {key: times[str(key)].least / (200 if key[0] == "state" else ROWS) for key in found}
        print(f"{name}, {case[0].n_operations} operations, us a state")
        for key, value in us.items():
            title = (
                f"{'with' if key[1] else 'without'} AVX-512"
                if key[0] == "state"
                else "{} bits, {} lanes".format(*key[1])
            )
            print(f"  {key[0]}, {title:20} {value:.4f}")
            costs.setdefault(key, []).append((case[0].n_operations, value))

    def best(part: str, of: Callable[[int], bool]) -> Any:
        totals = {key[1]: sum(np.log(us) for n, us in rows if of(n)) for key, rows in costs.items() if key[0] == part}
        return min(totals, key=lambda key: totals[key])

    use = RegisterUse(
        best("state", lambda n: True), best("batch", lambda n: n <= SHORT), best("batch", lambda n: n > SHORT)
    )
    print(f'"{llvm.get_host_cpu_name()}": {use}')


if __name__ == "__main__":
    main()
