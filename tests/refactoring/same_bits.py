"""Compare this version with a commit, bit by bit: `python dev.py same-bits COMMIT [--quick] [--only NAME ...]`.

Evaluates every public function of a model, short runs and written files on the catalog and on mechanisms of every
joint kind, in both versions, and prints what differs. `--quick` leaves out runs and files.
"""

from __future__ import annotations

import argparse
import io
import os
import pickle
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from tests.refactoring.mechanisms import mechanisms

ROOT = Path(__file__).resolve().parents[2]
Results = dict[tuple[str, str], Any]


def main(words: list[str]) -> int:
    """Compare, print the differences, return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="dev.py same-bits", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commit")
    parser.add_argument("--quick", action="store_true", help="no runs and no files")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="mechanisms")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "mechanisms").mkdir()
        for title, mech in mechanisms():
            if len(mech.joints) < 48 and (not options.only or title in options.only):
                lw.save(mech, folder / "mechanisms" / f"{title}.yaml")
        source = subprocess.run(["git", "archive", options.commit, "src"], cwd=ROOT, check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(source.stdout)) as archive:
            archive.extractall(folder / "old", filter="data")
        before = _results(folder / "old" / "src", folder, options.quick)
        after = _results(ROOT / "src", folder, options.quick)
    changed = list(differences(before, after))
    print("\n".join(changed))
    print(f"{len(after)} results, {len(changed)} differ")
    return int(bool(changed))


def _results(source: Path, folder: Path, quick: bool) -> Results:
    """The results of the library in a source folder."""
    script, output = Path(__file__).with_name("results.py"), folder / "results"
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONHASHSEED": "0", "SOURCE_DATE_EPOCH": "0"}
    arguments = [script, folder / "mechanisms", output, *(["--quick"] if quick else [])]
    subprocess.run([sys.executable, *map(str, arguments)], env=environment, cwd=folder, check=True)
    found: Results = pickle.loads(output.read_bytes())
    return found


def differences(before: Results, after: Results) -> Iterator[str]:
    """A line for every result that is not the same, with the largest difference relative to the largest number."""
    for key in before | after:
        if key not in before or key not in after:
            yield f"{key[0]:24} {key[1]:36} is {'gone' if key in before else 'new'}"
        elif found := _difference(before[key], after[key]):
            yield f"{key[0]:24} {key[1]:36} {found}"


def _difference(was: Any, now: Any) -> str:
    """What differs between two results; empty when nothing does."""
    if isinstance(was, tuple) and isinstance(now, tuple) and len(was) == len(now):
        return next(filter(None, (_difference(x, y) for x, y in zip(was, now, strict=True))), "")
    if not isinstance(was, np.ndarray) or not isinstance(now, np.ndarray):
        return "" if type(was) is type(now) and was == now else f"{str(was)[:70]!r} -> {str(now)[:70]!r}"
    if was.shape != now.shape or was.dtype != now.dtype:
        return f"shape {was.shape} -> {now.shape}, {was.dtype} -> {now.dtype}"
    if was.tobytes() == now.tobytes():
        return ""
    size = np.nanmax(np.abs(was), initial=0.0)
    return f"relative difference {np.nanmax(np.abs(now - was), initial=0.0) / (size or 1.0):.1e}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
