"""Time of a kit's C, compiled by a C compiler, beside the library's own machine code, in one run.

    python -m benchmarks.kit [--rounds 40] [--compiler gcc] [--inverse]

Inverse dynamics are called 2000 times from C, once as the kit has them (with the check of the result) and once as the
machine code that the library made for the same program; the least CPU time of several rounds done in turn.

`--inverse`: inverse kinematics of whole kits in closed form and by four Newton steps, velocities and accelerations
included: operations, time from a pose near by, largest error of coordinates against the library at 200 poses that the
home's actuators reach by moving a tenth of the mechanism's size, each from the home in one call, and how many of them
four Newton steps find.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import linkwright as lw
from linkwright.compiler import compile_program

CALLS = 2000
ROBOTS = ("five-bar", "gough-stewart")
HEAD = """| robot | operations | kit, ns | library, ns | ratio |
|---|--:|--:|--:|--:|"""

INVERSE_ROBOTS = ("five-bar", "3-rrr", "delta", "gough-stewart", "hexam")
INVERSE_HEAD = """| robot | operations, closed | Newton | ns, closed | Newton | ratio | error | poses | by Newton |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""

LOOP = """
#include "robot.h"
typedef int (*code)(void *);
typedef struct { const robot_state *state; robot_real *out; } call;
void loop(code f, void *table, long n) { while (n-- > 0) { f(table); } }
int call_inverse_dynamics(void *x) { return robot_inverse_dynamics(((call *)x)->state, ((call *)x)->out); }
typedef struct { robot_state *state; const robot_real *pose; } goal;
int call_inverse_kinematics(void *x) { return robot_inverse_kinematics(((goal *)x)->state, ((goal *)x)->pose, 0, 0); }
"""


def library(model: lw.Model, folder: Path, compiler: str, closed_form: bool = True) -> ctypes.CDLL:
    """A kit and the loop around it, loaded."""
    folder.mkdir(exist_ok=True)
    lw.export.c_kit(model, "robot", closed_form=closed_form).write(folder)
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


def inverse_row(name: str, compiler: str, rounds: int) -> str:
    """The line of inverse kinematics of a robot."""
    model = lw.build(lw.catalog.load(name))
    costs = [lw.export.c_kit(model, closed_form=x).figures["inverse_kinematics"].operations for x in (True, False)]
    q, pose = reached_poses(model)
    home = model.assemble().q
    with tempfile.TemporaryDirectory() as folder:
        codes = [library(model, Path(folder) / str(x), compiler, x) for x in (True, False)]
        state, best, found, worst = np.zeros(model.nq + 2 * model.nv + 1), [np.inf, np.inf], [0, 0], 0.0
        for k, (code, (own, target)) in enumerate((code, pair) for code in codes for pair in zip(q, pose, strict=True)):
            code.robot_home(ctypes.c_void_p(state.ctypes.data))
            status = code.robot_inverse_kinematics(
                *(ctypes.c_void_p(x.ctypes.data) for x in (state, target)), None, None
            )
            found[k // len(q)] += status == 0
            if code is codes[0]:
                worst = max(worst, np.abs(state[: model.nq] - own).max() if status == 0 else np.inf)
        codes[0].robot_home(ctypes.c_void_p(state.ctypes.data))
        near = np.concatenate(model.frame_pose(home, model.mechanism.platform))
        for _ in range(rounds):
            for i, code in enumerate(codes):
                began = time.process_time()
                code.loop(code.call_inverse_kinematics, table(state, near), ctypes.c_long(CALLS))
                best[i] = min(best[i], (time.process_time() - began) / CALLS)
    closed, newton = (1e9 * x for x in best)
    return (
        f"| {name} | {costs[0]} | {costs[1]} | {closed:.0f} | {newton:.0f} | {closed / newton:.2f} | {worst:.1e} | "
        f"{len(q)} | {found[1]} |"
    )


def reached_poses(model: lw.Model, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and poses (x y z, quaternion) that the actuators reach from the home, and those of the library."""
    rng, home = np.random.default_rng(1), model.assemble().q
    unit = np.where(np.abs(model.actuator_positions(home)) > 0.0, model.scales.length, 1.0)
    moved = model.actuator_positions(home) + 0.1 * unit * rng.uniform(-1.0, 1.0, (n, model.na))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        q, _, _ = model.forward_kinematics(moved, near=home)
    q = q[np.isfinite(q).all(axis=1)]
    return q, np.concatenate(model.frame_pose(q, model.mechanism.platform), axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--compiler", default=shutil.which("gcc") or shutil.which("cc") or "cc")
    parser.add_argument("--inverse", action="store_true")
    given = parser.parse_args()
    print(f"{given.compiler} on {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n", flush=True)
    print(INVERSE_HEAD if given.inverse else HEAD, flush=True)
    for name in INVERSE_ROBOTS if given.inverse else ROBOTS:
        print((inverse_row if given.inverse else row)(name, given.compiler, given.rounds), flush=True)


if __name__ == "__main__":
    main()
