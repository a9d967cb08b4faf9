"""Mutated mechanism files and studies: every one is read, or refused with a message."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import linkwright as lw
from linkwright.analysis.designs import designs_of
from linkwright.analysis.optimization.search import problem_of
from linkwright.formats.study.sweeps import load_optimization, load_sweep
from tests.hostile.cases import Case
from tests.hostile.mutations import damaged, mutated
from tests.hostile.sources import sources
from tests.loops.random_mechanisms import interpreted

_SHARES = {".yaml": 4, "study": 2, "sweep": 1, "optimization": 1, ".urdf": 3, ".xml": 2, ".sdf": 2}


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of mutated files; the readers have read a good file of each kind before."""
    starts = sources(folder)
    for ending in _SHARES:
        _read(_placed(folder, ending, starts[ending][0].encode()), ending)
    return partial(case, folder, seed)


def case(folder: Path, seed: int, index: int) -> Case:
    """One mutated file."""
    rng = random.Random(f"files {seed} {index}")
    ending = rng.choices(list(_SHARES), list(_SHARES.values()))[0]
    which = rng.randrange(len(sources(folder)[ending]))
    text = mutated(sources(folder)[ending][which], rng)
    content = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        content = damaged(content, rng)
    title = f"{ending} number {which} mutated, {len(content)} bytes"
    kind = f"files/{ending.removeprefix('.')}"
    return Case(kind, title, lambda: _read(_placed(folder, ending, content), ending))


def _placed(folder: Path, ending: str, content: bytes) -> Path:
    path = folder / f"mutant{ending if ending.startswith('.') else '.yaml'}"
    path.write_bytes(content)
    return path


def _read(path: Path, ending: str) -> None:
    if ending == "study":
        lw.load_study(path)
    elif ending == "sweep":
        described = load_sweep(path)
        designs_of(described, lw.catalog.load(described.mechanism), path.parent)
    elif ending == "optimization":
        searched = load_optimization(path)
        with interpreted():
            problem_of(searched, lw.catalog.load(searched.mechanism), path.parent)
    else:
        lw.load(path)
