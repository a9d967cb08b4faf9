"""Damaged saved runs, ensembles and sweeps: every one is refused, or opens with the numbers that were saved.

Comma-separated values carry no checksum, so there a changed digit is another number; only raw errors count.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.results.recording import ENDING, Recording
from tests.hostile.cases import Case, Wrong
from tests.hostile.mutations import damaged, mutated

_ROWS = 40
_ENSEMBLE = "good-ensemble.npz"


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of damaged files."""
    good, content = _run(), {}
    for ending in (".npz", ".csv", ".mat", ".nc"):
        path = folder / f"good{ending}"
        good.save(path)
        content[ending] = path.read_bytes()
    content["ensemble"] = _ensemble(folder)
    content["unfinished"] = _unfinished(folder)
    lw.sweep(_squared, lw.sweeps.Grid(a=[1.0, 2.0, 3.0]), path=folder / "good-sweep.npz")
    content["sweep"] = (folder / "good-sweep.npz").read_bytes()
    lw.sweep(_squared, lw.sweeps.Grid(a=[1.0, 2.0, 3.0]), path=folder / "part.npz", shard=(0, 1), chunk=3)
    content |= {name: (folder / "part.npz.parts" / name).read_bytes() for name in ("plan.json", "00000000.chunk")}
    return partial(case, folder, good, content, seed)


def _squared(point: dict[str, Any]) -> dict[str, Any]:
    return {"square": point["a"] ** 2}


def _run() -> lw.Result:
    t = np.linspace(0.0, 1.0, _ROWS)
    series = (
        lw.types.Series("theta1", np.sin(3.0 * t), "rad", "q"),
        lw.types.Series("theta1_dot", np.cos(3.0 * t), "rad/s", "v"),
        lw.types.Series("effort(motor)", t**2, "N m", "tau"),
    )
    return lw.Result(
        t, series, {"complete": True, "note": "hostile"}, (lw.types.Event(0.5, "limit", "theta1", "stop"),)
    )


def _ensemble(folder: Path) -> bytes:
    arm = lw.build(lw.catalog.load("three-link-arm"))
    path = folder / _ENSEMBLE
    lw.simulate_many(arm, np.zeros((2, 3)), t_end=0.02, threads=1).save(path)
    return path.read_bytes()


def _unfinished(folder: Path) -> bytes:
    """The file of a run that was interrupted."""
    run, path = _run(), folder / "good-unfinished.npz"
    recording = Recording(path, [(each.name, each.unit, each.group) for each in run.series], _ROWS)
    rows = np.stack([run.t, *(each.values for each in run.series)], axis=1)
    for i in range(0, _ROWS, 5):
        recording.append(rows[i : i + 5])
    return Path(f"{path}{ENDING}").read_bytes()


def case(folder: Path, good: lw.Result, content: dict[str, bytes], seed: int, index: int) -> Case:
    """One damaged file."""
    rng = random.Random(f"results {seed} {index}")
    ending = rng.choice(list(content))
    before = content[ending]
    as_text = ending in (".csv", "plan.json")
    bad = mutated(before.decode(), rng).encode("utf-8", "replace") if as_text else damaged(before, rng)
    title = f"{ending} of {len(before)} bytes, {len(bad)} after the damage"
    kind = f"results/{ending.removeprefix('.')}"
    path = folder / f"damaged{ending if ending.startswith('.') else '.npz'}"
    match ending:
        case "ensemble":
            return Case(kind, title, lambda: _opened(partial(_same_ensemble, folder), path, bad))
        case "sweep":
            return Case(kind, title, lambda: _opened(_squares, path, bad))
        case "unfinished":
            return Case(kind, title, lambda: _opened(partial(_begun, good), Path(f"{path}{ENDING}"), bad))
        case "plan.json" | "00000000.chunk":
            if ending != "plan.json" and rng.random() < 0.5:  # a checksum that fits
                bad = hashlib.blake2b(bad[32:], digest_size=32).digest() + bad[32:]
            return Case(kind, title, lambda: _merged(folder, content, ending, bad))
    return Case(kind, title, lambda: _compared(good, path, bad, ending != ".csv"))


def _same_ensemble(folder: Path, path: Path) -> None:
    good, found = lw.open_result(folder / _ENSEMBLE), lw.open_result(path)
    if good.values.tobytes() != found.values.tobytes() or good.t.tobytes() != found.t.tobytes():
        raise Wrong("a damaged ensemble opens with other numbers")


def _squares(path: Path) -> None:
    found = lw.open_result(path)
    if len(found) != 3 or not np.array_equal(found["square"], [1.0, 4.0, 9.0]):
        raise Wrong("a damaged sweep opens with other numbers")


def _begun(good: lw.Result, path: Path) -> None:
    """What is read of an interrupted run is its beginning."""
    found = lw.open_result(path)
    for a, b in zip(
        (good.t, *(x.values for x in good.series)), (found.t, *(x.values for x in found.series)), strict=True
    ):
        if np.asarray(b, dtype=float).tobytes() != a[: len(b)].tobytes():
            raise Wrong("a damaged recording opens with other rows")


def _merged(folder: Path, content: dict[str, bytes], name: str, bad: bytes) -> None:
    parts = folder / "part.npz.parts"
    parts.mkdir(exist_ok=True)
    for each in ("plan.json", "00000000.chunk"):
        (parts / each).write_bytes(bad if each == name else content[each])
    lw.sweeps.merge([parts], folder / "merged.npz")


def _opened(reader: Callable[[Path], Any], path: Path, bad: bytes) -> Any:
    path.write_bytes(bad)
    return reader(path)


def _compared(good: lw.Result, path: Path, bad: bytes, whole: bool) -> None:
    found = _opened(lw.open_result, path, bad)
    if whole and not _same(good, found):
        raise Wrong("a damaged run opens with other numbers")


def _same(good: lw.Result, found: lw.Result) -> bool:
    """True if a run has the numbers and names of another, bit by bit."""
    if [x.name for x in good.series] != [x.name for x in found.series]:
        return False
    pairs = [(good.t, found.t), *((a.values, b.values) for a, b in zip(good.series, found.series, strict=True))]
    return all(a.tobytes() == np.asarray(b, dtype=float).tobytes() for a, b in pairs)
