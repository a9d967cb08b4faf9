"""Damaged saved runs and ensembles: every one is refused, or opens with the numbers that were saved.

Comma-separated values carry no checksum, so there a changed digit is another number; only raw errors count.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from tests.hostile.cases import Case, Wrong
from tests.hostile.mutations import damaged, mutated

_ROWS = 40


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of damaged files."""
    good, content = _run(), {}
    for ending in (".npz", ".csv", ".mat", ".nc"):
        path = folder / f"good{ending}"
        good.save(path)
        content[ending] = path.read_bytes()
    content["ensemble"] = _ensemble(folder)
    return partial(case, folder, good, content, seed)


def _run() -> lw.Result:
    t = np.linspace(0.0, 1.0, _ROWS)
    series = (
        lw.Series("theta1", np.sin(3.0 * t), "rad", "q"),
        lw.Series("theta1_dot", np.cos(3.0 * t), "rad/s", "v"),
        lw.Series("effort(motor)", t**2, "N m", "tau"),
    )
    return lw.Result(t, series, {"complete": True, "note": "hostile"}, (lw.Event(0.5, "limit", "theta1", "stop"),))


def _ensemble(folder: Path) -> bytes:
    arm = lw.build(lw.catalog.load("three-link-arm"))
    path = folder / "good-ensemble.npz"
    lw.simulate_many(arm, np.zeros((2, 3)), t_end=0.02, threads=1).save(path)
    return path.read_bytes()


def case(folder: Path, good: lw.Result, content: dict[str, bytes], seed: int, index: int) -> Case:
    """One damaged file."""
    rng = random.Random(f"results {seed} {index}")
    ending = rng.choice(list(content))
    before = content[ending]
    bad = mutated(before.decode(), rng).encode("utf-8", "replace") if ending == ".csv" else damaged(before, rng)
    path = folder / f"damaged{'.npz' if ending == 'ensemble' else ending}"
    title = f"{ending} of {len(before)} bytes, {len(bad)} after the damage"
    if ending == "ensemble":
        return Case("results/ensemble", title, lambda: _opened(lw.open_ensemble, path, bad))
    return Case(f"results/{ending[1:]}", title, lambda: _compared(good, path, bad, ending != ".csv"))


def _opened(reader: Callable[[Path], Any], path: Path, bad: bytes) -> Any:
    path.write_bytes(bad)
    return reader(path)


def _compared(good: lw.Result, path: Path, bad: bytes, whole: bool) -> None:
    found = _opened(lw.open_run, path, bad)
    if whole and not _same(good, found):
        raise Wrong("a damaged run opens with other numbers")


def _same(good: lw.Result, found: lw.Result) -> bool:
    """True if a run has the numbers and names of another, bit by bit."""
    if [x.name for x in good.series] != [x.name for x in found.series]:
        return False
    pairs = [(good.t, found.t), *((a.values, b.values) for a, b in zip(good.series, found.series, strict=True))]
    return all(a.tobytes() == np.asarray(b, dtype=float).tobytes() for a, b in pairs)
