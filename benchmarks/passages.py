"""Time of runs that pass zeros of determinants, examined by the driver itself and by its caller.

    python -m benchmarks.passages

CPU time of a run, the least of some rounds of both by turns. Events must be the same.
"""

from __future__ import annotations

from dataclasses import replace

import linkwright as lw
from benchmarks import sim_problems
from benchmarks.sim_problems import T_END, Motion
from benchmarks.sim_rows import least_ms
from linkwright.simulation.problem.problem import problem_of_model

ROUNDS, TURNS = 8, 6


def by_the_caller(motion: Motion) -> Motion:
    """The same motion of a model whose driver leaves every passage to its caller."""
    model = lw.build(motion.model.mechanism)
    problem_of_model(model).functions.pop("equations")
    return replace(motion, model=model)


def row(motion: Motion, rtol: float) -> str:
    """Times of both, their ratio, and what happened."""
    method, other = lw.DOP853(rtol=rtol, atol=rtol), by_the_caller(motion)
    own, theirs = motion.run(method), other.run(method)
    same = [(e.kind, e.name, e.t) for e in own.events] == [(e.kind, e.name, e.t) for e in theirs.events]
    times = [[least_ms(lambda m=m: m.run(method), ROUNDS) for m in (motion, other)] for _ in range(TURNS)]
    mine, before = (min(each) for each in zip(*times, strict=True))
    return (
        f"{motion.title:16} {mine:8.3f} {before:8.3f} {before / mine:8.2f} {own.stats['slices']:7} "
        f"{theirs.stats['slices']:7} {len(own.events):7} {'same' if same else 'DIFFERENT'}"
    )


def main() -> None:
    """Print the table."""
    print(f"{T_END:g} s of motion    driver   caller    ratio  slices  slices  events")
    for made, rtol in ((sim_problems.three_rrr, 3e-9), (sim_problems.gough_stewart, 1e-7)):
        print(row(made(), rtol), flush=True)


if __name__ == "__main__":
    main()
