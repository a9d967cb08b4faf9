"""A sweep killed with -9 at random instants and run again: the file has the same bytes, and little is computed twice.

    python -m tests.sweeps.kills [number of kills] [seed]

Each round starts the sweep in a process of its own, kills it after a random time, and runs it to its end.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import linkwright as lw
from tests.sweeps.functions import Logged

POINTS = {"width": [0.5 + 0.001 * k for k in range(400)], "height": [1.0, 2.0, 3.0]}
CHUNK = 20


class Slow(Logged):
    """Takes some time for each chunk."""

    def __call__(self, x):
        time.sleep(0.01)
        return super().__call__(x)


def run(folder: Path, kill_after: float | None) -> bool:
    """One process that sweeps; True if it was killed before its end."""
    process = subprocess.Popen([sys.executable, "-m", "tests.sweeps.kills", "child", str(folder)])
    try:
        process.wait(kill_after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return True
    if process.returncode:
        raise RuntimeError(f"the sweep ended with {process.returncode}")
    return False


def recomputed(folder: Path) -> int:
    """Chunks that were begun more than once."""
    calls = (folder / "calls.txt").read_text().split("\n")[:-1]
    return len(calls) - len(set(calls))


def killed_once(folder: Path, after: float, reference: bytes) -> tuple[bool, int]:
    """Whether the kill came before the end, and the chunks computed twice; fails where the bytes differ."""
    killed = run(folder, after)
    if killed and not (folder / "x.npz").exists():  # a kill after the file was complete leaves nothing to do
        run(folder, None)
    if (folder / "x.npz").read_bytes() != reference:
        raise AssertionError("the file differs from that of an uninterrupted sweep")
    return killed, recomputed(folder)


def main(kills: int, seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as top:
        began = time.monotonic()
        (Path(top) / "0").mkdir()
        run(Path(top) / "0", None)
        duration = time.monotonic() - began
        reference, done, worst = (Path(top) / "0" / "x.npz").read_bytes(), 0, 0
        while done < kills:
            folder = Path(top) / str(1 + done)
            folder.mkdir(exist_ok=True)
            for old in folder.iterdir():
                old.unlink()
            killed, again = killed_once(folder, chance.uniform(0.2, 1.0) * duration, reference)
            done += killed
            worst = max(worst, again)
    chunks = len(POINTS["width"]) * 3 // CHUNK
    print(f"{done} kills: same bytes each time, at most {worst} of {chunks} chunks computed twice")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        where = Path(sys.argv[2])
        lw.sweep(Slow(where / "calls.txt"), POINTS, path=where / "x.npz", chunk=CHUNK)
    else:
        main(*(int(x) for x in [*sys.argv[1:], "10", "1"][:2]))
