"""Finished chunks of a sweep on disk: one file each, complete or not there, with a checksum."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.checks import require_integer
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ResultError
from linkwright.files import lock_file, require_regular, unwritable_file_error, write_whole
from linkwright.results.archives import open_archive, read_array
from linkwright.sweeps.chunks import Chunk
from linkwright.sweeps.points import MOST

STATED = ("units", "goals", "mechanism")  # what a function may say of itself
_PLAN = "plan.json"
_NAME = re.compile(r"(\d{1,12})\.chunk")
_DIGEST = 32
_LARGEST_PLAN = 1 << 26  # bytes


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep computes; chunks of equal plans belong together.

    Attributes:
        function: name and digest of the function. points: their description. count: their number.
        chunk: points of a chunk. vectorized: whether the function takes arrays.
        stated: by the function: units of points and results by name, which results are best when they are large or
            small, and its mechanism.
    """

    function: tuple[str, str]
    points: dict[str, Any]
    count: int
    chunk: int
    vectorized: bool
    stated: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.count // self.chunk)

    def bounds(self, k: int) -> tuple[int, int]:
        """First point of a chunk, and the first after it."""
        return k * self.chunk, min(self.count, (k + 1) * self.chunk)

    @property
    def data(self) -> dict[str, Any]:
        """The plan as plain JSON data."""
        return {
            "format": 1,
            "function": list(self.function),
            "points": self.points,
            "count": self.count,
            "chunk": self.chunk,
            "vectorized": self.vectorized,
            **self.stated,
        }


@dataclass(frozen=True)
class FinishedChunks:
    """A folder of finished chunks and the plan they belong to."""

    folder: Path
    plan: SweepPlan

    @staticmethod
    def begin(folder: Path, plan: SweepPlan) -> FinishedChunks:
        """The folder for a plan, made or found; one that belongs to another plan is refused."""
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise unwritable_file_error(folder, error) from None
        if (folder / _PLAN).is_file():
            _require_equal(folder, FinishedChunks.open(folder).plan, plan)
        else:
            write_whole(folder / _PLAN, lambda beside: _write_durably(beside, json.dumps(plan.data, indent=1).encode()))
        return FinishedChunks(folder, plan)

    @staticmethod
    def open(folder: Path) -> FinishedChunks:
        """A folder that holds the plan of a sweep."""
        require_regular(folder / _PLAN, _LARGEST_PLAN)
        try:
            data = json.loads((folder / _PLAN).read_text(encoding="utf-8"))
            name, digest = data["function"]
            count, chunk = (require_integer(key, data[key], 1, MOST) for key in ("count", "chunk"))
            stated = {key: data[key] for key in STATED if key in data}
            plan = SweepPlan((name, digest), data["points"], count, chunk, data["vectorized"], stated)
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise ResultError(
                f"{folder}: not the folder of a sweep ({error}); name the folder that ends with .parts",
                file=str(folder),
            ) from None
        return FinishedChunks(folder, plan)

    def finished_chunks(self) -> set[int]:
        """Numbers of the chunks that are there and sound; damaged ones are removed and computed again."""
        found = set()
        for entry in self.folder.iterdir():
            match = _NAME.fullmatch(entry.name)
            if match and int(match[1]) < self.plan.chunks:
                try:
                    self.read(int(match[1]))
                except ResultError:
                    entry.unlink(missing_ok=True)
                else:
                    found.add(int(match[1]))
        return found

    def write(self, k: int, chunk: Chunk) -> None:
        """Keep a chunk; it is on the disk when this returns."""
        stream = io.BytesIO()
        head = {
            "points": list(chunk.points),
            "values": list(chunk.values),
            "start": chunk.start,
            "count": chunk.count,
            "mistaken": chunk.mistaken,
        }
        head["failures"] = [[i, reason] for i, reason in chunk.failures.items()]
        arrays = {f"v{i}": x for i, x in enumerate([*chunk.points.values(), *chunk.values.values()])}
        np.savez(stream, head=np.frombuffer(json.dumps(head).encode("ascii"), dtype=np.uint8), **arrays)  # type: ignore[arg-type]
        content = stream.getvalue()
        data = hashlib.blake2b(content, digest_size=_DIGEST).digest() + content
        write_whole(self._file(k), lambda beside: _write_durably(beside, data))

    def read(self, k: int) -> Chunk:
        """A finished chunk."""
        file = self._file(k)
        require_regular(file)
        try:
            data = file.read_bytes()
            if hashlib.blake2b(data[_DIGEST:], digest_size=_DIGEST).digest() != data[:_DIGEST]:
                raise ValueError("its checksum is wrong")
            with open_archive(io.BytesIO(data[_DIGEST:])) as archive:
                head = json.loads(read_array(archive, "head").tobytes().decode("ascii"))
                columns = [read_array(archive, f"v{i}") for i in range(len(head["points"]) + len(head["values"]))]
            return _chunk_from_columns(head, columns, *self.plan.bounds(k))
        except Exception as error:  # damaged archives fail in many ways
            raise ResultError(
                f"{file}: not a chunk of a sweep ({error}); run the sweep again", file=str(file)
            ) from None

    def hold(self) -> int | None:
        """Hold the folder until the handle is closed, so that no other process writes it; None without locks."""
        try:
            handle = os.open(self.folder / _PLAN, os.O_RDWR)
        except OSError:  # there is nothing to hold
            return None
        try:
            if lock_file(handle):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise ResultError(
                f"{self.folder}: another process computes this sweep; wait until it ends, or choose another path",
                file=str(self.folder),
            ) from None
        os.close(handle)
        return None

    def remove(self) -> None:
        """Delete the chunks, the plan and the folder."""
        for entry in list(self.folder.iterdir()):
            if _NAME.fullmatch(entry.name) or entry.name == _PLAN:
                entry.unlink(missing_ok=True)
        if not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _file(self, k: int) -> Path:
        return self.folder / f"{k:08d}.chunk"


def _chunk_from_columns(head: dict[str, Any], columns: list[np.ndarray], start: int, stop: int) -> Chunk:
    """A chunk of the points `start` to `stop` from its head and its columns."""
    if (head["start"], head["count"]) != (start, stop - start) or any(len(x) != stop - start for x in columns):
        raise ValueError("it belongs to other points")
    points = dict(zip(head["points"], columns))
    values = dict(zip(head["values"], columns[len(points) :]))
    failures = {int(i): str(reason) for i, reason in head["failures"]}
    return Chunk(start, stop - start, values, failures, bool(head["mistaken"]), points)


def _require_equal(folder: Path, there: SweepPlan, here: SweepPlan) -> None:
    differing = [key for key, x in here.data.items() if there.data.get(key) != x]
    if differing:
        raise ArgumentError(
            f"{folder}: it holds finished chunks of another sweep, which differs in {', '.join(differing)}; choose "
            "another path, or overwrite=True to begin anew",
            file=str(folder),
        )


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
