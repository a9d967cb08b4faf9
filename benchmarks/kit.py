"""Time of a kit's C, compiled by a C compiler, beside the library's own machine code, in one run.

    python -m benchmarks.kit [--rounds 40] [--compiler gcc]

Inverse dynamics are called 2000 times from C, once as the kit has them (with the check of the result) and once as the
machine code that the library made for the same program; the least CPU time of several rounds done in turn.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.compiler import compile_program

CALLS = 2000
ROBOTS = ("five-bar", "gough-stewart")
HEAD = """| robot | operations | kit, ns | library, ns | ratio |
|---|--:|--:|--:|--:|"""

LOOP = """
#include "robot.h"
typedef int (*code)(void *);
typedef struct { const robot_state *state; robot_real *out; } call;
void loop(code f, void *table, long n) { while (n-- > 0) { f(table); } }
int call_inverse_dynamics(void *x) { return robot_inverse_dynamics(((call *)x)->state, ((call *)x)->out); }
"""


def library(model: lw.Model, folder: Path, compiler: str) -> ctypes.CDLL:
    """A kit and the loop around it, loaded."""
    lw.export.c_kit(model, "robot").write(folder)
    (folder / "loop.c").write_text(LOOP)
    flags = ["-std=c99", "-O2", "-march=native", "-ffp-contract=fast", "-shared", "-fPIC"]
    files = [str(folder / "robot.c"), str(folder / "loop.c")]
    subprocess.run([compiler, *flags, *files, "-lm", "-o", str(folder / "robot.so")], check=True)
    return ctypes.CDLL(str(folder / "robot.so"))


def table(*arrays: np.ndarray) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))


def row(name: str, compiler: str, rounds: int) -> str:
    """The line of a robot."""
    model = lw.build(lw.catalog.load(name))
    with tempfile.TemporaryDirectory() as folder:
        code = library(model, Path(folder), compiler)
        state, out = np.zeros(model.nq + 2 * model.nv + 1), np.zeros(max(36, model.na))
        code.robot_home(ctypes.c_void_p(state.ctypes.data))
        q, v, a = np.split(state[:-1], [model.nq, model.nq + model.nv])
        kernel = compile_program(model.program("inverse_dynamics"))
        ours = ctypes.c_void_p(kernel.addresses["lw_state"]), table(q, v, a, out)
        theirs = code.call_inverse_dynamics, table(state, out)
        best = [np.inf, np.inf]
        for _ in range(rounds):
            for i, (function, arguments) in enumerate((theirs, ours)):
                began = time.process_time()
                code.loop(function, arguments, ctypes.c_long(CALLS))
                best[i] = min(best[i], (time.process_time() - began) / CALLS)
        count = model.operation_count("inverse_dynamics").total
        kit, own = (1e9 * x for x in best)
        return f"| {name} | {count} | {kit:.0f} | {own:.0f} | {kit / own:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--compiler", default=shutil.which("gcc") or shutil.which("cc") or "cc")
    given = parser.parse_args()
    print(f"{given.compiler} on {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n\n{HEAD}", flush=True)
    for name in ROBOTS:
        print(row(name, given.compiler, given.rounds), flush=True)


if __name__ == "__main__":
    main()
