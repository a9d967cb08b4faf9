"""A function at many points: computed in chunks, kept as they are finished, and put together in order."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.checks import (
    require_callable,
    require_flag,
    require_instances,
    require_integer,
    require_path,
    require_positive,
    result_of,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ResultError, warn_caller
from linkwright.files import PARTS, is_taken, require_regular
from linkwright.formats import to_yaml
from linkwright.mechanism import Mechanism
from linkwright.results.archives import run_provenance
from linkwright.sweeps.checkpoints import FinishedChunks, SweepPlan
from linkwright.sweeps.chunks import Chunk, Function, Task, function_identity, shapes_of
from linkwright.sweeps.executors import Range, SweepError, executor_of
from linkwright.sweeps.points import Points, points_of
from linkwright.sweeps.sweep_record import (
    LazyColumns,
    Sweep,
    TableRows,
    checked_path,
    read_sweep,
    record_head,
    write_table,
    writer_for,
)
from linkwright.version import __version__

Array = np.ndarray
_log = logging.getLogger("linkwright.results")


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is.

    Attributes:
        done, total: points. failed: points without a result so far.
        rate: points per second of this run. remaining: seconds to go at that rate.
    """

    done: int
    total: int
    failed: int
    rate: float
    remaining: float


def sweep(
    function: Function,
    over: Points | Mapping[str, Any],
    executor: Any = None,
    *,
    path: str | os.PathLike[str] | None = None,
    vectorized: bool = True,
    chunk: int | None = None,
    shard: tuple[int, int] | None = None,
    overwrite: bool = False,
    progress: Callable[[SweepProgress], None] | None = None,
    max_seconds: float | None = None,
) -> Sweep:
    """Evaluate a function at many points, here, in processes or on a cluster; the results are the same bits.

    Args:
        function: takes a dict of arrays (n,), one per name of `over`, and returns a dict of arrays (n, ...); results
            are kept as floats. A result "reason" of texts names points that failed. With `vectorized=False` it takes
            and returns the numbers of one point. A point at which it raises is recorded with the reason; its results
            are NaN. Where it has `units` (by name of a point or result), `goals` ("least" or "largest" by result) or
            a `mechanism`, tables, charts and pages use them.
        over: `lw.sweeps.Grid`, `Uniform`, `LatinHypercube`, `Sobol` or `TabulatedPoints`; a mapping of names to values
            is a grid.
        executor: None for this process, a number of local processes, "processes" for all cores, the address of a dask
            scheduler ("tcp://host:8786") or a `distributed.Client`.
        path: file to write (.npz, .parquet or .csv). Finished chunks are kept in the folder `path` + ".parts"
            until all are there; the same call goes on where an earlier one was interrupted.
        chunk: points computed together, at most about 8000 by default (250 without `vectorized`).
        shard: (i, n) computes every n-th chunk from the i-th, counted from 0; `merge` puts the parts together.
        overwrite: replace an existing file, and chunks of another sweep under that name.
        progress: called with a `SweepProgress` after every chunk.
        max_seconds: end after the chunk that takes longer, with the points so far; under a path the same call goes on.
            Ctrl-C does so too.

    >>> found = sweep(lambda x: {"area": x["width"] * x["height"]}, {"width": [1.0, 2.0], "height": [3.0, 4.0]})
    >>> found["area"]
    array([3., 4., 6., 8.])
    """
    if not callable(function):
        raise ArgumentError(f"function is {function!r}, expected a function of points", name="function")
    vectorized, overwrite = require_flag("vectorized", vectorized), require_flag("overwrite", overwrite)
    if progress is not None:
        require_callable("progress", progress, "a function of a SweepProgress")
    points = points_of(over)
    plan = SweepPlan(
        function_identity(function),
        points.description,
        len(points),
        _chunk_size(chunk, len(points), vectorized),
        vectorized,
        _stated_by_function(function),
    )
    wanted, where = _chunks_of_shard(shard, plan), executor_of(executor)
    kept: FinishedChunks | _InMemory = _InMemory(plan) if path is None else _begin_chunks(path, plan, overwrite, shard)
    if shard is not None and path is None:
        raise ArgumentError("a shard needs a path, under which its chunks are kept for merging", name="path")
    there = kept.finished_chunks()
    watch = _Watch(plan, wanted, there, progress)
    ranges: Iterator[Range] = ((k, *plan.bounds(k)) for k in wanted if k not in there)
    deadline = time.monotonic() + require_positive("max_seconds", max_seconds) if max_seconds is not None else math.inf
    done = {*there}
    lock = kept.hold() if isinstance(kept, FinishedChunks) and shard is None else None
    try:
        for k, found in where.run(Task(function, points, vectorized), ranges):
            watch.require_sense(found)
            watch.warn(found)
            kept.write(k, replace(found, points=points.rows(*plan.bounds(k))))
            done.add(k)
            watch.note_chunk(found)
            if time.monotonic() > deadline and not done.issuperset(wanted):
                return _sweep_result(kept, sorted(done))
        if shard is not None:
            return _sweep_result(kept, wanted)
        if path is None:
            return _sweep_result(kept, range(plan.chunks))
        return _merge_chunks([kept], checked_path(path))  # type: ignore[list-item]
    except BaseException as error:  # what is finished is kept under a path, and the same call goes on
        if done and isinstance(error, KeyboardInterrupt):
            return replace(_sweep_result(kept, sorted(done)), interrupted=True)
        if isinstance(kept, FinishedChunks) and not done and shard is None:  # a shard's folder may be that of others
            kept.remove()  # it would refuse a corrected function
        raise
    finally:
        if lock is not None:
            os.close(lock)


def _stated_by_function(function: Any) -> dict[str, dict[str, str]]:
    """Units and goals of its columns, and its mechanism, as JSON data."""
    stated = {name: getattr(function, name, None) for name in ("units", "goals")}
    found = {name: dict(x) for name, x in stated.items() if isinstance(x, Mapping)}
    mech = getattr(function, "mechanism", None)
    if isinstance(mech, Mechanism):
        found["mechanism"] = run_provenance(mech.name, to_yaml(mech))["mechanism"]
    return found


def open_sweep(path: str | os.PathLike[str]) -> Sweep:
    """The sweep in a file; of one that was interrupted, the points of the chunks that are there."""
    file = require_path("path", path)
    folder = _folder_of(file)
    if file.is_file() or not folder.is_dir():
        return read_sweep(file)
    kept = FinishedChunks.open(folder)
    _log.warning("%s: the sweep was interrupted; the points so far are read from %s", file, folder.name)
    return _sweep_result(kept, sorted(kept.finished_chunks()))


def merge(parts: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str]) -> Sweep:
    """Put the shards of a sweep together into one file; folders of shards are their paths + ".parts".

    Args:
        parts: the paths that were given to `sweep`, or their folders; several shards may share one.
        path: file to write.
    """
    require_instances("parts", parts, (str, os.PathLike), "a list of the paths of shards")
    if not parts:
        raise ArgumentError("parts is empty, expected a list of the paths of shards", name="parts")
    folders = [_folder_of(require_path("parts", p)) for p in parts]
    return _merge_chunks([FinishedChunks.open(folder) for folder in folders], checked_path(path))


def _merge_chunks(kept: Sequence[FinishedChunks], path: Path) -> Sweep:
    """The file of all chunks, after which they are deleted."""
    plan = kept[0].plan
    for other in kept[1:]:
        if other.plan != plan:
            raise ArgumentError(
                f"{other.folder} and {kept[0].folder} hold chunks of different sweeps; merge shards of one"
            )
    holder = {k: each for each in reversed(kept) for k in each.finished_chunks()}
    if len(holder) < plan.chunks:
        first = next(k for k in range(plan.chunks) if k not in holder)
        raise ResultError(
            f"{path}: {plan.chunks - len(holder)} of {plan.chunks} chunks are missing, the first at points "
            f"{plan.bounds(first)[0]} and after; run the shards that hold them",
            file=str(path),
        )

    def chunks() -> Iterator[Chunk]:
        return (holder[k].read(k) for k in range(plan.chunks))

    names = tuple(holder[0].read(0).points)
    shapes, failures = _summarize_chunks(chunks())
    top = record_head(names, tuple(shapes), failures, _sweep_meta(plan))

    def pieces() -> Iterator[dict[str, Array]]:
        return (x.points | x.fill_columns(shapes) for x in chunks())

    write_table(TableRows(top, dict.fromkeys(names, ()) | shapes, plan.count, pieces), path)
    found = (
        read_sweep(path) if path.suffix.lower() == ".npz" else _sweep_result(_Several(plan, holder), range(plan.chunks))
    )
    for each in kept:
        each.remove()
    return found


def _summarize_chunks(chunks: Iterator[Chunk]) -> tuple[dict[str, tuple[int, ...]], dict[int, str]]:
    """Shapes of the results and reasons of failures of all chunks, read one by one."""
    shapes: dict[str, tuple[int, ...]] = {}
    failures: dict[int, str] = {}
    first: Chunk | None = None
    for chunk in chunks:
        failures |= chunk.failures
        first = first or (chunk if chunk.values else None)
        shapes = shapes_of([first, chunk]) if first else {}
    return shapes, failures


class _InMemory:
    """Finished chunks that are kept in this process."""

    def __init__(self, plan: SweepPlan) -> None:
        self.plan, self._chunks = plan, dict[int, Chunk]()

    def finished_chunks(self) -> set[int]:
        return set(self._chunks)

    def write(self, k: int, chunk: Chunk) -> None:
        self._chunks[k] = chunk

    def read(self, k: int) -> Chunk:
        return self._chunks[k]


@dataclass(frozen=True)
class _Several:
    """Chunks of several shards."""

    plan: SweepPlan
    holder: dict[int, FinishedChunks]

    def read(self, k: int) -> Chunk:
        return self.holder[k].read(k)


def _sweep_result(kept: FinishedChunks | _InMemory | _Several, wanted: Sequence[int]) -> Sweep:
    chunks = [kept.read(k) for k in wanted]
    shapes, names = shapes_of(chunks), tuple(chunks[0].points) if chunks else ()
    rows = [x.points | x.fill_columns(shapes) for x in chunks]
    table = {name: np.concatenate([row[name] for row in rows]) for name in (*names, *shapes)} if rows else {}
    for x in table.values():
        x.setflags(write=False)
    meta = _sweep_meta(kept.plan) | {"count": sum(x.count for x in chunks)}
    failures = {i: reason for x in chunks for i, reason in x.failures.items()}
    return Sweep(LazyColumns(names, table.__getitem__), LazyColumns(tuple(shapes), table.__getitem__), failures, meta)


def _sweep_meta(plan: SweepPlan) -> dict[str, Any]:
    return plan.data | {"of": plan.count, "linkwright": __version__}


def _begin_chunks(path: Any, plan: SweepPlan, overwrite: bool, shard: Any) -> FinishedChunks:
    file = checked_path(path)
    require_regular(file)
    if is_taken(file) and not overwrite and shard is None:
        raise ArgumentError(
            f"{file} exists; open it with lw.open_result, choose another path, or replace it with overwrite=True",
            name="path",
        )
    folder = _parts_folder(file)
    if overwrite and folder.is_dir():
        there = FinishedChunks(folder, plan)
        if (lock := there.hold()) is not None:
            os.close(lock)
        there.remove()
    return FinishedChunks.begin(folder, plan)


def _folder_of(part: Path) -> Path:
    """The folder of a shard, by its own name or by that of the sweep."""
    try:
        return part if part.is_dir() else _parts_folder(part)
    except (OSError, ValueError) as error:
        raise ResultError(f"{str(part)[:80]}: not the path of a shard ({error.args[-1]}); see `parts`") from None


def _parts_folder(file: Path) -> Path:
    return file.with_name(file.name + PARTS)


def _chunk_size(given: Any, count: int, vectorized: bool) -> int:
    if given is None:
        largest, pieces = (8192, 32) if vectorized else (256, 64)
        return max(1, min(largest, -(-count // pieces)))
    return require_integer("chunk", given)


def _chunks_of_shard(shard: Any, plan: SweepPlan) -> range:
    if shard is None:
        return range(plan.chunks)
    try:
        i, n = shard
        good = 0 <= i < n and int(i) == i and int(n) == n
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ArgumentError(f"shard is {shard!r}, expected (i, n) with 0 <= i < n", name="shard")
    return range(int(i), plan.chunks, int(n))


class _Watch:
    """Progress of a run, and the check that a function is not wrong at every point."""

    def __init__(self, plan: SweepPlan, wanted: range, there: set[int], call: Any) -> None:
        sizes = {k: plan.bounds(k)[1] - plan.bounds(k)[0] for k in wanted}
        self.total, self.before = sum(sizes.values()), sum(sizes[k] for k in there if k in sizes)
        self.done, self.failed, self.good, self.call = self.before, 0, bool(there), call
        self.began, self.said = time.monotonic(), set[str]()

    def note_chunk(self, chunk: Chunk) -> None:
        self.done += chunk.count
        self.failed += len(chunk.failures)
        if self.call is not None:
            rate = (self.done - self.before) / max(time.monotonic() - self.began, 1e-9)
            state = SweepProgress(self.done, self.total, self.failed, rate, (self.total - self.done) / rate)
            result_of("progress", self.call, state)

    def warn(self, chunk: Chunk) -> None:
        """Pass on warnings of other processes, each text once."""
        for each in chunk.warnings:
            if str(each) not in self.said:
                self.said.add(str(each))
                warn_caller(str(each), type(each), each.finding)

    def require_sense(self, chunk: Chunk) -> None:
        """Stop at once where no point of the first chunks has a result and the reason is a mistake in the function."""
        self.good = self.good or len(chunk.failures) < chunk.count
        if not self.good and chunk.mistaken:
            i, reason = next(iter(chunk.failures.items()))
            raise SweepError(
                f"the function failed at every point so far, at point {i} with {reason}; correct the function"
            )


__all__ = ["Sweep", "SweepProgress", "merge", "sweep", "writer_for"]
