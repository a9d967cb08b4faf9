"""The tables of motions in time, printed, and with --page written to docs/simulation_benchmarks.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import linkwright as lw
from benchmarks import sim_problems, sim_springs
from benchmarks.peers import installed
from benchmarks.promises import verdict
from benchmarks.sim_problems import Motion
from benchmarks.sim_rows import Row, deviation, least_ms, ours, table
from linkwright.cli.call_timing import computer_description, on_one_core

PAGE = Path(__file__).parent.parent / "docs" / "simulation_benchmarks.md"
_BUSY = 1.5
_WORDS = """# Motion in time

Two seconds of motion with 201 rows, computed by one call from Python. CPU time is the least of several calls in one
run on one core; ratios are to the first line of each table. The error is the largest one at the rows, against our own
run at rtol 1e-13; that run agreed with an independent derivation (Lagrange's equations from the energies, scipy's
DOP853 at 1e-12) to 8e-12 rad (four-bar), 2e-11 m (3-RRR) and 1e-10 m (Gough-Stewart). Ours is the quickest pair of
tolerances (atol = rtol, or a hundredth of it) that reaches nine tenths of the required error. Our energy is balanced
against the work of the actuators; Pinocchio's is that of a run without efforts. Pinocchio is stepped by the classical
method of order four written in Python: it has none of its own for loops, and this was the best of the peers in an
earlier comparison. Written by `python -m benchmarks.simulation --page`.
"""

_MANY = """Many runs with spread masses, tensors and efforts. *scalar*: the native driver alone, run after run,
numbers folded into its code; *lanes*: the same of `simulate_many`; *simulate*: the public call for one run; *all*: the
public call for all of them. Two threads against one by the CPU time of the busiest thread and by wall time.
"""


def sections(quick: bool) -> Iterator[str]:
    """The page, part by part."""
    rounds = 5 if quick else 60
    few = max(3, rounds // 4)
    yield f"{_WORDS}\n{about()}\n"
    for made in (sim_problems.four_bar, sim_problems.three_rrr, sim_problems.gough_stewart):
        motion = made()
        rows = beside_pinocchio(motion, rounds, quick)
        yield f"\n## {motion.title}\n\n{table(rows, motion.unit)}\n{promise(rows, motion.promised)}"
    rows = sim_springs.springs(sim_problems.four_bar(), few, quick)
    title = "Four-bar on virtual springs, k = 1e6"
    yield f"\n## {title}\n\n{table(rows, 'rad')}\n{promise(rows, sim_springs.PROMISED)}"
    for made in (sim_problems.four_bar,) if quick else (sim_problems.four_bar, sim_problems.gough_stewart):
        motion = made()
        rows = sim_springs.three_approaches(motion, reference(motion), few)
        yield f"\n## Wang's three approaches: {motion.title}\n\n{table(rows, motion.unit)}"


def reference(motion: Motion) -> np.ndarray:
    """What errors are measured against."""
    return motion.observed(motion.run(lw.DOP853(rtol=1e-13)))


def beside_pinocchio(motion: Motion, rounds: int, quick: bool) -> list[Row]:
    """Ours, before and after Pinocchio's, and Pinocchio's."""
    exact = reference(motion)
    own = ours(motion, exact, motion.target, rounds)
    if "pinocchio" not in installed():
        return [own]
    from benchmarks.sim_pinocchio import course

    theirs, h = course(motion), motion.step
    states, free = theirs.steps(h), theirs.energy(theirs.steps(h, driven=False))
    once = least_ms(lambda: theirs.steps(h), 1)
    ms = min(once, least_ms(lambda: theirs.steps(h), 1 if quick else max(4, min(rounds, round(4e3 / once)))))
    error, drift = deviation(theirs.observed(states), exact), float(abs(free - free[0]).max())
    peer = Row("Pinocchio + RK4", ms, error, theirs.closure(states), drift, f"h = {h:g} s")
    again = ours(motion, exact, motion.target, rounds)
    return [min(own, again, key=lambda row: row.ms), peer]


def promise(rows: list[Row], promised: float) -> str:
    """What was wanted and whether it was met, against the best peer that reached the error."""
    peers = [row.ms for row in rows[1:] if "NOT" not in row.notes]
    if not peers:
        return "No peer here.\n"
    ratio = min(peers) / rows[0].ms
    return f"Promised: {promised:g}x the best peer; {verdict(ratio, promised)} ({ratio:.0f}x).\n"


def ensembles(quick: bool) -> str:
    """Thousands of runs across lanes, and on two cores."""
    from benchmarks.ensembles import lines

    table = "\n".join(lines(256 if quick else 4096, 1 if quick else 7))
    return f"\n## Ensembles\n\n{_MANY}\n{table}\n\nPromised: lanes 4x the scalar driver, two threads 1.7x one.\n"


def about() -> str:
    """When and where."""
    here = computer_description()
    peer = f"Pinocchio {installed()['pinocchio']}" if "pinocchio" in installed() else "Pinocchio is not installed"
    busy = " The computer was busy with other work, so the ratios are rough." if (here["load"] or 0.0) > _BUSY else ""
    return (
        f"{here['date']}; {here['processor']}, one of {here['cores']} cores; {here['system']}; Python "
        f"{here['python']}; load of the computer at the start: {here['load']}; {peer}.{busy}"
    )


def main(arguments: list[str]) -> None:
    """Measure and print; write the page when requested."""
    text = []
    with on_one_core():
        for part in sections("--quick" in arguments):
            print(part, flush=True)
            text.append(part)
    text.append(ensembles("--quick" in arguments))
    print(text[-1])
    if "--page" in arguments:
        PAGE.write_text("".join(text), encoding="utf-8")
