"""Forward dynamics with numbers as inputs of the compiled code against folded constants, in one run.

    python -m benchmarks.inputs [mechanism ...]

Inputs are all coordinates of the anchors (points of joints that are not origins of bodies); of a Gough-Stewart
platform, 36. CPU time of one state and of a row in a batch, the least of many, each pair measured in turn; the part
that follows from the inputs alone is done once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import linkwright as lw
from benchmarks.promises import verdict

ROWS = 4096
SINGLE, BATCH = 1.25, 1.15


def anchors(mech: lw.Mechanism) -> list[str]:
    """Paths of the coordinates of points at which joints are attached, all three of each that is not an origin."""
    found = [path for path in mech.numbers if path.startswith(("joints.", "loops.")) and path[-5:-1] == "_at."]
    found += [path for path in mech.numbers if path.startswith(("joints.", "loops.")) and path[-5:-1] == ".at."]
    points = {path.rpartition(".")[0] for path in found if mech.numbers[path].value}
    return [path for path in found if path.rpartition(".")[0] in points]


def least(functions: list[Callable[[], object]], rounds: int, times: int) -> list[float]:
    """Least CPU time of each function [s], measured in turn."""
    found = [np.inf] * len(functions)
    for function in functions:
        function()
    for _ in range(rounds):
        for i, function in enumerate(functions):
            start = time.process_time()
            for _ in range(times):
                function()
            found[i] = min(found[i], (time.process_time() - start) / times)
    return found


def rows(name: str) -> list[str]:
    """Lines of the table for a mechanism."""
    mech = lw.catalog.load(name)
    paths = anchors(mech)
    plain, given = lw.build(mech), lw.build(mech, inputs=paths)
    rng, q = np.random.default_rng(0), plain.assemble().q
    v, tau = np.zeros(plain.nv), rng.normal(size=plain.na)
    some = plain.kinematics.branch_samples
    many = some[np.arange(ROWS) % len(some)], np.zeros((ROWS, plain.nv)), rng.normal(size=(ROWS, plain.na))
    one = [lambda m=m: m.forward_dynamics(q, v, tau) for m in (plain, given)]
    batch = [lambda m=m: m.forward_dynamics(*many) for m in (plain, given)]
    for function in one * 20:
        function()
    folded, inputs = least(one, 60, 500)
    out = [line(f"{name}, {len(paths)} inputs, one state", folded, inputs, SINGLE)]
    for function in batch * 6:
        function()
    folded, inputs = (x / ROWS for x in least(batch, 15, 1))
    return [*out, line(f"{name}, {len(paths)} inputs, per row of {ROWS}", folded, inputs, BATCH)]


def line(what: str, folded: float, inputs: float, most: float) -> str:
    ratio = inputs / folded
    judged = verdict(ratio, most, at_most=True)
    return f"| {what} | {1e6 * folded:.3f} us | {1e6 * inputs:.3f} us | {ratio:.2f} | {most:g} | {judged} |"


def main(names: tuple[str, ...]) -> None:
    print("| forward dynamics | folded | inputs | ratio | at most | |\n|---|--:|--:|--:|--:|---|")
    for name in names:
        print("\n".join(rows(name)), flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or ("gough-stewart",))
