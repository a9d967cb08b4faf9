"""First use: CPU time of first answers in fresh processes, with an empty cache and with a full one.

    python -m benchmarks.cold [--quick] [mechanism ...]

Every figure is the least of several processes; importing is apart, and so is loading LLVM. A cold process has an empty
folder for compiled code, a warm one finds everything there. Bytecode of Python is there in both cases. The second table
divides the cold figures into their parts: reading the file, tracing, writing IR, LLVM, linking, drivers; `rest` is
mostly planning.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MECHANISMS = ("four-bar", "gough-stewart", "delta")
PROMISES = {
    "import": {"": 0.35},
    "forward dynamics": {"four-bar": 0.3, "gough-stewart": 1.0, "delta": 1.0},
    "simulate": {"four-bar": 0.4, "gough-stewart": 1.2, "delta": 1.2},
    "linearize": {"gough-stewart": 1.5, "delta": 1.5},
    "derivatives": {"gough-stewart": 1.5, "delta": 1.5},
    "warm forward dynamics": {"gough-stewart": 0.03},
}
STARTS = {
    "forward dynamics": "",
    "simulate": "model.assemble()",
    "linearize": "model.assemble(); model.forward_dynamics(q, v, tau)",
    "derivatives": "model.assemble(); model.forward_dynamics(q, v, tau)",
}
CALLS = {
    "forward dynamics": "model.forward_dynamics(model.assemble().q, v, tau)",
    "simulate": "lw.simulate(model, q, v, 0.1)",
    "linearize": "model.linearize(q, v, tau)",
    "derivatives": "model.forward_dynamics_derivatives(q, v, tau)",
}

_CODE = """
import json, sys, time
import numpy as np
import linkwright as lw
lw.load, lw.build, lw.simulate
imported = time.process_time()
import llvmlite.binding
llvm = time.process_time() - imported
from benchmarks.cold import Parts, CALLS, STARTS
what, path, q, divided = sys.argv[1], sys.argv[2], np.array(json.loads(sys.argv[3])), sys.argv[4] == "divided"
parts = Parts() if divided else None
def clock():
    return time.process_time()
start = clock()
model = lw.build(lw.load(path))
v, tau = np.zeros(model.nv), np.zeros(model.na)
if STARTS[what]:
    exec(STARTS[what])
    start = clock()
if parts:
    parts.begin()
exec(CALLS[what])
spent = clock() - start
print(json.dumps({"import": imported, "llvm": llvm, "spent": spent, "parts": parts.found if parts else {}}))
"""


class Parts:
    """CPU time by part of the compiler, taken by wrapping its functions; parts inside parts count once."""

    def __init__(self) -> None:
        import linkwright.compiler.native.native_functions as drivers
        import linkwright.compiler.runtime.code as code
        import linkwright.functions.store as kernels

        self.found: dict[str, float] = {}
        self._inside: list[float] = []
        for module, name, part in (
            (kernels, "trace", "trace"),
            (code, "state_text", "write"),
            (code, "lane_text", "write"),
            (code, "call_text", "write"),
            (code, "object_code", "LLVM"),
            (code, "load", "link"),
            (drivers, "module_text", "driver"),
            (drivers, "_object_code", "driver"),
        ):
            setattr(module, name, self._timed(getattr(module, name), part))

    def begin(self) -> None:
        self.found.clear()

    def _timed(self, function, part: str):
        import time

        def called(*args, **named):
            start = time.process_time()
            self._inside.append(0.0)
            try:
                return function(*args, **named)
            finally:
                spent = time.process_time() - start
                own = spent - self._inside.pop()
                self.found[part] = self.found.get(part, 0.0) + own
                if self._inside:
                    self._inside[-1] += spent

        return called


@dataclass(frozen=True)
class Run:
    """Least CPU times of several processes, [s]."""

    imported: float
    llvm: float
    spent: float
    parts: dict[str, float]


def measured(what: str, mechanism: str, times: int, warm: bool = False, divided: bool = False) -> Run:
    """Run a first call in several fresh processes; with `warm`, after one that filled the cache."""
    with tempfile.TemporaryDirectory() as folder:
        path = _file(mechanism, folder)
        home = _home(mechanism)
        runs = []
        for number in range(times + warm):
            cache = Path(folder, "cache" if warm else f"cache{number}")
            cache.mkdir(mode=0o700, exist_ok=True)
            runs.append(_process([what, path, home, "divided" if divided else "whole"], str(cache)))
        runs = runs[warm:]
    best = min(runs, key=lambda run: run["spent"])
    imported, llvm = (min(run[name] for run in runs) for name in ("import", "llvm"))
    return Run(imported, llvm, best["spent"], best["parts"])


def _file(mechanism: str, folder: str) -> str:
    import linkwright as lw

    path = Path(folder, f"{mechanism}.yaml")
    lw.save(lw.catalog.load(mechanism), path)
    return str(path)


_HOMES: dict[str, str] = {}


def _home(mechanism: str) -> str:
    """Coordinates of the mechanism at home, found here so that a measured process need not."""
    import linkwright as lw

    if mechanism not in _HOMES:
        _HOMES[mechanism] = json.dumps(lw.build(lw.catalog.load(mechanism)).assemble().q.tolist())
    return _HOMES[mechanism]


def _process(arguments: Sequence[str], cache: str) -> dict:
    root = str(Path(__file__).parent.parent)
    environment = {name: x for name, x in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"LINKWRIGHT_CACHE": cache, "PYTHONPATH": os.pathsep.join([root, *filter(None, sys.path)])}
    environment |= {"PYTHONPYCACHEPREFIX": _BYTECODE.name, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _CODE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


_BYTECODE = tempfile.TemporaryDirectory()


def _row(title: str, mechanism: str, seconds: float, key: str) -> str:
    promise = PROMISES.get(key, {}).get(mechanism)
    judged = "" if promise is None else f"{promise:g} s: {'met' if seconds <= promise else 'missed'}"
    return f"| {title} | {mechanism} | {seconds:.3f} | {judged} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold")
    parser.add_argument("mechanisms", nargs="*", default=MECHANISMS)
    parser.add_argument("--quick", action="store_true", help="one process for each figure")
    given = parser.parse_args()
    times = 1 if given.quick else 5
    _process(["forward dynamics", *_arguments(given.mechanisms[0])], "off")  # writes the bytecode
    cold = {
        (what, name): measured(what, name, times)
        for what in CALLS
        for name in given.mechanisms
        if not (name == "four-bar" and what in ("linearize", "derivatives"))
    }
    print("| first use | mechanism | CPU [s] | at most |\n|---|---|--:|---|")
    print(_row("import of build, simulate and load", "", min(run.imported for run in cold.values()), "import"))
    print(_row("loading LLVM, which comes with the first function", "", min(run.llvm for run in cold.values()), "LLVM"))
    for (what, name), run in cold.items():
        print(_row(f"cold: {what}", name, run.spent, what))
    for name in given.mechanisms:
        print(
            _row(
                "warm: load to forward dynamics",
                name,
                measured("forward dynamics", name, times, True).spent,
                "warm forward dynamics",
            )
        )
    print("\n| cold | mechanism | " + " | ".join(_PARTS) + " | rest |\n|---|---|" + "--:|" * (len(_PARTS) + 1))
    for what, name in cold:
        run = measured(what, name, 1 if given.quick else 2, divided=True)
        shown = [run.parts.get(part, 0.0) for part in _PARTS]
        print(f"| {what} | {name} | " + " | ".join(f"{x:.3f}" for x in (*shown, run.spent - sum(shown))) + " |")


_PARTS = ("trace", "write", "LLVM", "link", "driver")


def _arguments(mechanism: str) -> list[str]:
    folder = tempfile.mkdtemp(dir=_BYTECODE.name)
    return [_file(mechanism, folder), _home(mechanism), "whole"]


if __name__ == "__main__":
    main()
