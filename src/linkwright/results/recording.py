"""Rows written while a run goes on, into a file that can be opened whatever ends the run.

The file is made at its full size and mapped into memory. Rows are written first and counted afterwards, so that after
a crash or kill -9 every counted row is whole. Layout, little-endian: eight 8-byte numbers (`_FIELDS`), the header text
of `sheet`, space for events as JSON lines, and the rows: time first, then the series.
"""

from __future__ import annotations

import contextlib
import json
import logging
import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.results.files import unwritable, write_whole
from linkwright.results.meta import text
from linkwright.results.result import Result
from linkwright.results.series import Array, Event
from linkwright.results.sheet import Header, damaged, foreign, header, header_text, series

_log = logging.getLogger("linkwright.results")
MAGIC = int.from_bytes(b"lwrows\x00\x01", "little")
ENDING = ".unfinished"
_FIELDS = ("magic", "rows", "width", "capacity", "header", "notes", "noted", "start")
_INDEX = {name: i for i, name in enumerate(_FIELDS)}
_NOTES = 64 * 1024  # bytes for events
_PAGE = 4096
LARGEST = 16 * 2**30  # bytes of a recording


class Recording:
    """A growing table of rows, in a file or (path None) in memory only.

    Attributes:
        path: the file, `<name of the result>.unfinished`, or None.
        table: (capacity, 1 + number of series), mapped; write rows here, then `commit`.

    >>> recording = Recording(None, [("x", "m", "q")], capacity=2)
    >>> recording.append([[0.0, 1.5]])
    >>> recording.result()["x"].tolist()
    [1.5]
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        columns: Sequence[tuple[str, str, str]],
        capacity: int,
        meta: dict[str, Any] | None = None,
    ) -> None:
        """Make the recording.

        Args:
            path: where the result will be saved; the recording is a file beside it.
            columns: (name, unit, group) of every series; the time is added in front.
            capacity: rows to make space for; `reserve` makes more.
            meta: what is known about the run when it starts.
        """
        self.path = None if path is None else Path(f"{os.fspath(path)}{ENDING}")
        self._written = header_text(columns, 0, meta=meta)
        Result(
            np.zeros(0), series(header(self._written, "recording"), [np.zeros(0)] * len(columns))
        )  # names are checked before the run
        start = -(-(8 * len(_FIELDS) + len(self._written) + _NOTES) // _PAGE) * _PAGE
        self._fields = {"magic": MAGIC, "rows": 0, "width": 1 + len(columns), "header": len(self._written)}
        self._fields |= {"notes": _NOTES, "noted": 0, "start": start}
        self._identity: Any = None
        self._memory = self._made(max(1, int(capacity)))
        self._view()

    @property
    def committed(self) -> int:
        """Rows that count."""
        return int(self._numbers[_INDEX["rows"]])

    @property
    def capacity(self) -> int:
        """Rows there is space for."""
        return len(self.table)

    def commit(self, rows: int) -> None:
        """Declare that the first `rows` rows of the table are written."""
        if not self.committed <= rows <= self.capacity:
            raise ArgumentError(f"{rows} rows were committed, expected {self.committed} to {self.capacity}")
        self._numbers[_INDEX["rows"]] = rows

    def append(self, rows: Any) -> None:
        """Write rows (n, 1 + number of series) after the committed ones and commit them; space is made when needed."""
        rows = np.asarray(rows, dtype=np.float64)
        start = self.committed
        if start + len(rows) > self.capacity:
            self.reserve(max(start + len(rows), 2 * self.capacity))
        self.table[start : start + len(rows)] = rows
        self.commit(start + len(rows))

    def reserve(self, capacity: int) -> None:
        """Make space for more rows; `table` is a new array afterwards."""
        if capacity > self.capacity:
            self._memory = self._grown(capacity)
            self._view()
            self._numbers[_INDEX["capacity"]] = capacity

    def note(self, event: Event) -> None:
        """Keep an event; when there is no more space for events, it is left out of the file."""
        line = text([event.t, event.kind, event.name, event.text]).encode("ascii") + b"\n"
        noted = int(self._numbers[_INDEX["noted"]])
        if noted + len(line) <= _NOTES:
            begin = 8 * len(_FIELDS) + len(self._written) + noted
            self._memory[begin : begin + len(line)] = line
            self._numbers[_INDEX["noted"]] = noted + len(line)

    def flush(self) -> None:
        """Send everything to the disk now, against loss of power; a killed process loses nothing without it."""
        self._memory.flush()

    def result(self, meta: dict[str, Any] | None = None, events: Sequence[Event] | None = None) -> Result:
        """The committed rows as a result; meta and events replace those recorded."""
        found = _result(self._memory, "recording")
        chosen = found.events if events is None else tuple(events)
        return Result(found.t, found.series, found.meta if meta is None else meta, chosen)

    def discard(self) -> None:
        """Remove the file, once the result is saved elsewhere; Windows keeps it while somebody else holds `table`."""
        if self.path is None or self._identity != _identity(self.path):
            return
        self._release()
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:
            _log.warning("%s: the finished run's recording cannot be removed (%s)", self.path, error.strerror)

    def _release(self) -> None:
        """Let go of the mapped memory, which Windows wants before the file is removed; rows stay readable as a copy."""
        rows, numbers, mapped = self.table[: self.committed].copy(), self._numbers.copy(), self._memory
        beginning = mapped[: self._fields["start"]]
        self._memory = mmap.mmap(-1, self._size(max(1, len(rows))))
        self._memory[: len(beginning)] = beginning
        self._view()
        self.table[: len(rows)], self._numbers[:] = rows, numbers
        with contextlib.suppress(BufferError):
            mapped.close()

    def _made(self, capacity: int) -> mmap.mmap:
        self._fields["capacity"] = capacity
        numbers = np.array([self._fields[name] for name in _FIELDS], dtype="<i8").tobytes()
        beginning = numbers + self._written.encode("ascii")
        size = self._size(capacity)
        if self.path is None:
            memory = mmap.mmap(-1, size)
            memory[: len(beginning)] = beginning
            return memory
        write_whole(self.path, lambda beside: _filled(beside, beginning, size))
        self._identity = _identity(self.path)
        return _mapped(self.path, size)

    def _grown(self, capacity: int) -> mmap.mmap:
        size = self._size(capacity)
        if self.path is None:
            memory = mmap.mmap(-1, size)
            memory[: len(self._memory)] = self._memory[:]
            return memory
        try:
            with self.path.open("r+b") as stream:
                _allocate(stream.fileno(), size)
        except OSError as error:
            raise unwritable(self.path, error) from None
        return _mapped(self.path, size)

    def _size(self, capacity: int) -> int:
        size: int = self._fields["start"] + 8 * self._fields["width"] * capacity
        if size > LARGEST:
            raise ArgumentError(
                f"{capacity} rows of {self._fields['width']} numbers take {size / 2**30:.1f} GiB, and a recording has "
                f"at most {LARGEST / 2**30:.0f} GiB; keep fewer rows"
            )
        return size

    def _view(self) -> None:
        self._numbers = np.frombuffer(self._memory, dtype="<i8", count=len(_FIELDS))
        start, width = self._fields["start"], self._fields["width"]
        self.table: Array = np.frombuffer(self._memory, dtype="<f8", offset=start).reshape(-1, width)


def read_recording(path: Path) -> Result:
    """Read the rows recorded before a run ended; `meta["complete"]` is False."""
    with path.open("rb") as stream:
        content = stream.read()
    found = _result(content, str(path))
    return Result(found.t, found.series, {**found.meta, "complete": False}, found.events)


def _result(content: Any, file: str) -> Result:
    numbers = dict(zip(_FIELDS, np.frombuffer(content[: 8 * len(_FIELDS)], dtype="<i8").tolist()))
    if numbers.get("magic") != MAGIC:
        raise foreign(file)
    begin = 8 * len(_FIELDS)
    found = header(content[begin : begin + numbers["header"]].decode("ascii", "replace"), file)
    rows, width, start = numbers["rows"], numbers["width"], numbers["start"]
    if not (width == 1 + len(found.columns) and rows >= 0 and start > 0 and start + 8 * width * rows <= len(content)):
        raise damaged(file, "its numbers of rows and columns do not fit its size")
    table = np.frombuffer(content[start : start + 8 * width * rows], dtype="<f8").reshape(rows, width)
    columns = [table[:, i] for i in range(width)]
    return Result(columns[0], series(found, columns[1:]), found.meta, _events(content, numbers, found, file))


def _events(content: Any, numbers: dict[str, int], found: Header, file: str) -> tuple[Event, ...]:
    begin = 8 * len(_FIELDS) + numbers["header"]
    lines = content[begin : begin + numbers["noted"]].decode("ascii", "replace").splitlines()
    try:
        return (*found.events, *(Event(*json.loads(line)) for line in lines))
    except (ValueError, TypeError):
        raise damaged(file, "its events are not readable") from None


def _filled(path: Path, beginning: bytes, size: int) -> None:
    with path.open("r+b") as stream:
        stream.write(beginning)
        stream.flush()
        _allocate(stream.fileno(), size)


def _allocate(handle: int, size: int) -> None:
    """Give the file real space, because a full disk met later, inside mapped memory, would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(handle, 0, size)
        return
    at = os.lseek(handle, 0, os.SEEK_END)
    while at < size:
        at += os.write(handle, bytes(min(1 << 20, size - at)))


def _mapped(path: Path, size: int) -> mmap.mmap:
    with path.open("r+b") as stream:
        return mmap.mmap(stream.fileno(), size)


def _identity(path: Path) -> Any:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
