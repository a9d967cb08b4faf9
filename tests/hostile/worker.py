"""Runs the cases of a kind one after the other and writes how each ended: `python -m tests.hostile.worker`.

The parent watches time from outside, because a fault may hold the interpreter; memory is bounded by the system.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import TextIO

from tests.hostile.cases import GROWTH, HANG, RAW, RESULT, Case, Ending, judged
from tests.hostile.kinds import KINDS
from tests.hostile.values import replaced_pipes

LARGEST_GROWTH = 500.0  # MB
_HARD_LIMIT = 4 << 30  # bytes of address space beyond the start: what wants more gets a MemoryError


def main(kind: str, seed: int, first: int, step: int, last: int) -> None:
    """Run the cases first, first + step, ... below last."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    _quiet()
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    os.chdir(folder)
    made = KINDS[kind](folder, seed)
    _bound_memory()
    for index in range(first, last, step):
        _send(out, {"begin": index})
        case = made(index)
        _send(out, {"case": index, "title": case.title, "kind": case.kind, "limit": case.seconds})
        _send(out, {"end": run(index, case).data})
    _send(out, {"over": True})


def run(index: int, case: Case) -> Ending:
    """Run one case and see how it ends."""
    before, begun = _resident("VmRSS"), time.process_time()
    _forget_peak()
    text, ending = "", RESULT
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case.run()
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        ending, text = judged(error, case.arguments), shown(error)
    if found := replaced_pipes():
        ending, text = RAW, f"something else is in the place of {', '.join(found)}; {text}"
        for name in found:
            Path(name).unlink()
    seconds, growth = time.process_time() - begun, _resident("VmHWM") - before
    if growth > LARGEST_GROWTH:
        ending, text = GROWTH, f"{growth:.0f} MB; {text}"
    elif seconds > case.seconds:
        ending, text = HANG, f"{seconds:.1f} s of CPU; {text}"
    return Ending(index, case.kind, case.title, ending, text, seconds, growth)


def shown(error: BaseException) -> str:
    """The error in one line, with the innermost lines of the library that it went through."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "linkwright" in each.filename]
    where = " < ".join(f"{Path(each.filename).name}:{each.lineno}" for each in reversed(frames[-4:]))
    return f"{type(error).__name__}: {str(error)[:200]!r} [{where}]"


def _quiet() -> None:
    """Send what libraries print nowhere; standard error too, unless HOSTILE_VERBOSE is set."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    if not os.environ.get("HOSTILE_VERBOSE"):
        os.dup2(nowhere, 2)


def _send(out: TextIO, message: dict[str, object]) -> None:
    out.write(json.dumps(message) + "\n")
    out.flush()


def _bound_memory() -> None:
    if sys.platform == "linux":
        import resource

        size = int(re.findall(r"VmSize:\s*(\d+)", Path("/proc/self/status").read_text())[0]) * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size + _HARD_LIMIT, resource.RLIM_INFINITY))


def _forget_peak() -> None:
    """Let the peak of memory count from here."""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")


def _resident(entry: str) -> float:
    """Memory in use (VmRSS) or its peak (VmHWM), [MB]; 0 where the system does not show it."""
    if sys.platform != "linux":
        return 0.0
    return int(re.findall(rf"{entry}:\s*(\d+)", Path("/proc/self/status").read_text())[0]) / 1024


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
