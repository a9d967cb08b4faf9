"""Hostile cases and how they end: `python -m tests.hostile [kinds] --count N --seconds S --seed K --jobs J`.

Prints a table (per kind: tried, results, refused by a LinkwrightError, by a TypeError or ValueError that names the
argument, raw errors, hangs, growth of memory) and for each fault a command that repeats it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.hostile.cases import ENDINGS, FAULTS, Ending
from tests.hostile.kinds import KINDS, USUAL
from tests.hostile.watching import Plan, endings
from tests.hostile.worker import run

_TITLES = {"results": "result", "argument": "argument named", "raw": "raw error", "hangs": "hang"}


def table(found: list[Ending], seconds: float) -> str:
    """Rows per kind, and the rate."""
    counts = Counter((each.kind, each.ending) for each in found)
    tried = Counter(each.kind for each in found)
    lines = ["| kind | tried | " + " | ".join(_TITLES.get(each, each) for each in ENDINGS) + " | longest [s] |"]
    lines.append("|---|" + "--:|" * (len(ENDINGS) + 2))
    for kind in [*sorted(tried), "all"]:
        rows = [each for each in found if kind in (each.kind, "all")]
        numbers = [sum(counts[k, ending] for k in (tried if kind == "all" else [kind])) for ending in ENDINGS]
        longest = max((each.seconds for each in rows), default=0.0)
        lines.append(f"| {kind} | {len(rows)} | " + " | ".join(map(str, numbers)) + f" | {longest:.2f} |")
    return "\n".join(
        [*lines, f"{len(found)} cases in {seconds:.0f} s, {len(found) / max(seconds, 1e-9):.1f} per second"]
    )


def faults(found: list[Ending], seed: int, most: int) -> str:
    """The faults, those alike together, with a command that repeats the first of each."""
    groups: dict[str, list[Ending]] = {}
    for each in found:
        if each.ending in FAULTS:
            groups.setdefault(f"{each.ending} {each.kind} {_alike(each.text)}", []).append(each)
    lines = []
    for group in sorted(groups.values(), key=len, reverse=True)[:most]:
        first = group[0]
        name = first.kind.partition("/")[0]
        lines.append(f"{len(group)} x {first.ending}: {first.title[:160]}\n    {first.text}")
        lines.append(f"    python -m tests.hostile {name} --seed {seed} --case {first.index}")
    return "\n".join(lines)


def _alike(text: str) -> str:
    return text.rpartition("[")[2] or text


def repeated(kind: str, seed: int, index: int) -> int:
    """Run one case here, with its traceback."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    os.chdir(folder)
    case = KINDS[kind](folder, seed)(index)
    print(f"{case.kind}: {case.title}\n(files in {folder})")
    ending = run(index, case)
    print(f"{ending.ending}: {ending.text} ({ending.seconds:.2f} s of CPU, {ending.growth:.0f} MB)")
    if ending.ending == "raw":
        case.run()
    return int(ending.ending in FAULTS)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__.splitlines()[0])
    parser.add_argument("kinds", nargs="*", metavar="kind", help=f"{', '.join(KINDS)}; all when none is named")
    parser.add_argument("--count", type=int, default=1000, help="cases of each kind")
    parser.add_argument("--seconds", type=float, default=3600.0, help="time for all kinds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--case", type=int, help="run one case of one kind again, in this process")
    parser.add_argument("--faults", type=int, default=40, help="how many kinds of faults to list")
    given = parser.parse_args()
    unknown = [kind for kind in given.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"unknown kind {unknown[0]!r}; known are {', '.join(KINDS)}")
    kinds = given.kinds or list(USUAL)
    if given.case is not None:
        return repeated(kinds[0], given.seed, given.case)
    begun, found = time.monotonic(), []
    for k, kind in enumerate(kinds):
        left = (given.seconds - (time.monotonic() - begun)) / (len(kinds) - k)
        for ending in endings(Plan(kind, given.seed, given.count, max(left, 0.0), given.jobs, given.first)):
            found.append(ending)
            if sys.stderr.isatty():
                print(f"\r{kind} {len(found)}", end="", file=sys.stderr)
    print(table(found, time.monotonic() - begun))
    print(f"seed {given.seed}")
    print(faults(found, given.seed, given.faults))
    return int(any(each.ending in FAULTS for each in found))


if __name__ == "__main__":
    sys.exit(main())
