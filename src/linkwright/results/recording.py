"""Rows of one or many runs written while they go on, into a file from which they are read, and resumed, after any end.

The file, `<name of the result>.unfinished`, consists of checked blocks (`blocks`). The first holds the header text of
`archives`, the request, which says what is computed, and the number of lanes: runs side by side, 0 for a run alone.
Of a run alone the others hold rows (time first, then the series), events, and now and then the state of the run, from
which it is resumed. Of lanes they hold the rows and ends of runs that have ended. A resumed ensemble computes the runs
that are not there; since a run does not depend on its neighbors, all numbers are those of an uninterrupted call.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ResultError
from linkwright.results.archives import (
    Header,
    damaged_file_error,
    foreign_file_error,
    header_text,
    plain_meta,
    read_run_header,
    series_of_header,
)
from linkwright.results.result import Columns, Deferred, Details, Result, lazy_result
from linkwright.results.series import Array, Event, Series

if TYPE_CHECKING:  # what is kept in memory alone needs no blocks
    from linkwright.results.blocks import BlockWriter, CheckedBlock, SoundBlocks

_log = logging.getLogger("linkwright.results")
ENDING = ".unfinished"
KIND = "linkwright recording"
FORMAT = 3
LANES = re.compile(rb'"linkwright recording":\d+,"lanes":[1-9]')
"""In the first block of a recording of many runs."""

LARGEST = 16 * 2**30  # bytes of a table

# Rows are written this often, [s], those of lanes that often, and the state of a run after this share of its time.
_OFTEN = 0.005
_LANES_OFTEN = 0.02
_SHARE = 0.01
_SOONEST, _LATEST = 0.1, 60.0


@dataclass(frozen=True, eq=False)
class State:
    """State of a run at an instant: what to go on from.

    Attributes:
        about: JSON data.
        numbers: everything else, as bytes.
        rows, events: how many there were.
    """

    about: dict[str, Any]
    numbers: bytes
    rows: int = 0
    events: int = 0


class RunEnd(NamedTuple):
    """Kind, message and time of the end of a run."""

    kind: str
    text: str
    t: float


@dataclass(frozen=True, eq=False)
class LaneTables:
    """Rows and ends of runs side by side.

    Attributes:
        t: times of the rows, (rows,).
        rows: (runs, rows, 1 + number of series).
        last: of runs that ended between rows, the row there, (runs, 1 + number of series); else NaN.
        numbers: by name, one for each run: its end and counts.
    """

    t: Array
    rows: Array
    last: Array
    numbers: Mapping[str, Array]

    def copy_runs(self, other: LaneTables, runs: Sequence[int]) -> None:
        """Take some runs over from other tables."""
        if not runs:
            return
        for own, its in ((self.rows, other.rows), (self.last, other.last)):
            own[runs] = its[runs]
        for name, array in self.numbers.items():
            array[runs] = other.numbers[name][runs]


@dataclass(frozen=True, eq=False)
class Recorded:
    """Sound blocks of a recording: header, request, rows (n, 1 + number of series), events, the last state, a remark.

    Of lanes, their tables, the runs that had ended, those among them that did not end as planned, and what happened in
    runs.
    """

    header: Header
    request: dict[str, Any]
    rows: Array
    events: tuple[Event, ...]
    state: State | None
    remark: str
    lanes: LaneTables | None = None
    ended: tuple[int, ...] = ()
    ends: Mapping[int, RunEnd] = field(default_factory=dict)
    notes: Mapping[int, Any] = field(default_factory=dict)

    @property
    def content(self) -> str:
        """What there is, for messages."""
        if self.lanes is not None:
            return f"an unfinished ensemble is there, {len(self.ended)} of {len(self.lanes.rows)} runs"
        until = f" until t = {self.rows[-1, 0]:.6g} s" if len(self.rows) else ""
        return f"an unfinished run is there, {len(self.rows)} rows{until}"


class Recording:
    """A growing table of rows, or the tables of many runs, in a file too unless the path is None.

    As a context manager it lets go of the file at the end. The file of a run that failed stays if it holds more than
    the start.

    Attributes:
        path: the file, `<name of the result>.unfinished`, or None.
        columns: of the table.
        table: (capacity, 1 + number of series); write rows here, then `commit`.
        committed: rows that count.
        state: of a resumed recording, what to go on from; None where it begins at the start.
        lanes: tables of many runs, which others write; None for a run alone.
        ended, ends: of lanes, runs that were recorded before they were resumed, and by number the ends of runs that did
            not end in a lane as planned.
        notes: of lanes, what happened in runs, by number, as JSON data.

    >>> recording = Recording(None, [("x", "m", "q")], capacity=2)
    >>> recording.append([[0.0, 1.5]])
    >>> recording.result()["x"].tolist()
    [1.5]
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        columns: Columns | Sequence[tuple[str, str, str]],
        capacity: int,
        meta: dict[str, Any] | None = None,
        request: Mapping[str, Any] | None = None,
        *,
        lanes: LaneTables | None = None,
        resume: bool = False,
        overwrite: bool = False,
    ) -> None:
        """Make the recording.

        Args:
            path: where the result will be saved; the recording is a file beside it.
            columns: (name, unit, group) of every series; the time is added in front.
            capacity: rows to make space for; `reserve` makes more.
            meta: what is known about the run when it starts.
            request: what is computed, as JSON data; a recording is resumed only with an equal one.
            lanes: tables of many runs; the recording has no table of its own then.
            resume: go on with the recording that is there; begin a new one where there is none.
            overwrite: replace the recording that is there.
        """
        self.columns = columns if isinstance(columns, Columns) else Columns(tuple(columns))
        self.path = None if path is None else Path(f"{os.fspath(path)}{ENDING}")
        self.table: Array = _allocate_rows(int(capacity), 1 + len(self.columns))
        self.lanes, self.ended, self.ends = lanes, (), dict[int, RunEnd]()  # type: LaneTables | None, tuple[int, ...], Any
        self.notes = dict[int, Any]()
        self._pending, self._lock = list[int](), threading.Lock()
        self.committed = 0
        self.state: State | None = None
        self._meta = meta or {}
        self._events: list[Event] = []
        self._rows_kept = self._events_kept = 0  # in the file
        self._has_state = False  # in the file
        self._known = self.table[:0]  # rows of the file that are computed once more
        self._cut = math.inf  # rows after this time do not count
        self._writer: BlockWriter | None = None
        self._began = self._wrote = self._state_written = time.monotonic()
        if self.path is not None:
            self._open_file(self.path, plain_meta(dict(request or {})), resume, overwrite)

    def _open_file(self, path: Path, request: dict[str, Any], resume: bool, overwrite: bool) -> None:
        from linkwright.results.blocks import open_unfinished

        written = header_text(self.columns, 0, meta=self._meta)
        own = read_run_header(written, "recording")
        Result(
            np.zeros(0), series_of_header(own, [np.zeros(0)] * len(self.columns))
        )  # names are checked before the run
        runs, times = (0, b"") if self.lanes is None else (len(self.lanes.rows), _float_bytes(self.lanes.t))
        first = {KIND: FORMAT, "lanes": runs, "header": written, "request": request}, times

        def check(content: SoundBlocks) -> None:
            found = _parse_recording(content, str(path))
            require_same(path, found.request, request)
            if found.header.columns != own.columns:
                raise damaged_file_error(str(path), "its series are not those of the run")

        self._writer, content = open_unfinished(path, first, resume, overwrite, check, in_the_way)
        if content is not None:
            self._go_on_with(_parse_recording(content, str(path)))

    def _go_on_with(self, found: Recorded) -> None:
        if found.remark:
            _log.warning("%s: %s", self.path, found.remark)
        if self.lanes is not None and found.lanes is not None:
            self.lanes.copy_runs(found.lanes, list(found.ended))
            self.ended, self.ends, self.notes = found.ended, dict(found.ends), dict(found.notes)
            return
        self._rows_kept, self._events_kept, self._known = len(found.rows), len(found.events), found.rows
        self.state, self._has_state = found.state, found.state is not None
        if found.state is not None:
            self.committed = found.state.rows
            self.reserve(self.committed)
            self.table[: self.committed] = found.rows[: self.committed]
            self._events = list(found.events[: found.state.events])

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        if self._writer is None:
            return
        if error[0] is not None and not self.has_progress:
            self.discard()
            return
        with suppress(ResultError), self._lock:  # the disk may be full, which the run itself reports
            self._write_runs()
            self.write()
        self.close()

    @property
    def capacity(self) -> int:
        """Rows there is space for."""
        return len(self.table)

    @property
    def events(self) -> tuple[Event, ...]:
        """Events noted so far."""
        return tuple(self._events)

    @property
    def has_progress(self) -> bool:
        """True if there is more than the start of the run, to be gone on with or to be looked at."""
        return bool(self._has_state or self.ended or self._pending) or max(self.committed, self._rows_kept) > 1

    @property
    def rows(self) -> Array:
        """The rows that count, (n, 1 + number of series)."""
        n = self.committed
        return self.table[: n if self._cut == math.inf else np.searchsorted(self.table[:n, 0], self._cut, side="right")]

    def cut(self, t: float) -> None:
        """Forget rows later than a time."""
        self._cut = t

    def commit(self, rows: int, now: bool = True) -> None:
        """Declare that the first `rows` rows of the table are final, and write them now, or every few moments."""
        if not self.committed <= rows <= self.capacity:
            raise ArgumentError(f"{rows} rows were committed, expected {self.committed} to {self.capacity}")
        again = slice(self.committed, min(rows, len(self._known)))
        if again.start < again.stop and self.table[again].tobytes() != self._known[again].tobytes():
            raise ResultError(
                f"{self.path}: the run was resumed, and rows after row {again.start} come out otherwise than they were "
                "recorded; a function that it calls depends on more than time and state, or the file is of another "
                "run: begin anew with overwrite=True",
                file=str(self.path),
            )
        self.committed = rows
        if self._writer is not None and (now or time.monotonic() - self._wrote >= _OFTEN):
            self.write()

    def keep(self, state: Callable[[], State]) -> None:
        """Write the state of the run, which is found out only when it is time to write it."""
        if self._writer is None:
            return
        now = time.monotonic()
        if now - self._state_written >= min(max(_SOONEST, _SHARE * (now - self._began)), _LATEST):
            self.write(state())
            self._state_written = now

    def write(self, state: State | None = None) -> None:
        """Write what was committed and noted since the last time, and the state of the run now."""
        if self._writer is None:
            return
        self._wrote = time.monotonic()
        head: dict[str, Any] = {}
        rows = self.table[self._rows_kept : self.committed]
        events = self._events[self._events_kept :]
        if len(rows):
            head["rows"] = len(rows)
        if events:
            head["events"] = [[e.t, e.kind, e.name, e.text] for e in events]
        if state is not None:
            head |= {"state": state.about, "at": [self.committed, len(self._events)]}
        if head:
            numbers = b"" if state is None else state.numbers
            self._writer.append(head, _float_bytes(rows), numbers)
            self._rows_kept, self._events_kept = self._rows_kept + len(rows), self._events_kept + len(events)
            self._has_state = self._has_state or state is not None

    def keep_runs(
        self,
        runs: Iterable[int],
        ends: Mapping[int, RunEnd] = MappingProxyType({}),
        notes: Mapping[int, Any] = MappingProxyType({}),
        now: bool = True,
    ) -> None:
        """Keep runs of lanes that have ended, from any thread.

        `ends` are of those that did not end as planned, `notes` what happened in them.
        """
        self.ends |= ends
        self.notes |= notes
        if self._writer is None:
            return
        with self._lock:
            self._pending += runs
            if now or time.monotonic() - self._wrote >= _LANES_OFTEN:
                self._write_runs()

    def _write_runs(self) -> None:
        runs, self._pending, self._wrote = self._pending, [], time.monotonic()
        if not runs or self._writer is None or self.lanes is None:
            return
        ends = {str(i): list(self.ends[i]) for i in runs if i in self.ends}
        head = {"ended": runs, "numbers": {name: x[runs].tolist() for name, x in self.lanes.numbers.items()}}
        head |= {"ends": ends, "last": {i: self.lanes.last[int(i)].tolist() for i in ends}}
        if notes := {str(i): self.notes[i] for i in runs if i in self.notes}:
            head["notes"] = notes
        self._writer.append(head, _float_bytes(self.lanes.rows[runs]))
        self.ended = (*self.ended, *runs)

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
            wider = _allocate_rows(capacity, self.table.shape[1])
            wider[: self.committed] = self.table[: self.committed]
            self.table = wider

    def note(self, event: Event) -> None:
        """Keep an event; it is written with the next rows."""
        self._events.append(event)

    def flush(self) -> None:
        """Send everything to the disk now, against loss of power; a killed process loses nothing without it."""
        if self._writer is not None:
            self.write()
            self._writer.sync()

    def result(self, meta: dict[str, Any] | None = None, events: Sequence[Event] | None = None) -> Result:
        """The committed rows as a result; meta and events replace those recorded."""
        chosen = self._events if events is None else events
        return _recorded_result(self.columns, self.rows, self._meta if meta is None else meta, chosen)

    def result_of_run(self, details: Callable[[], Details], derivatives: Any = None) -> Result:
        """The rows as a result; `details` gives meta and events, when they are first read unless there is a file.

        `derivatives` makes what `Result.sensitivity` returns.
        """
        if self.path is not None:
            return self.result(*details())
        return lazy_result(Deferred(self.rows, self.columns, details, derivatives))

    def discard(self) -> None:
        """Remove the file, once the result is saved elsewhere."""
        if self._writer is None:
            return
        try:
            self._writer.remove()
        except OSError as error:
            _log.warning("%s: the finished run's recording cannot be removed (%s)", self.path, error.strerror)
        self._writer = None

    def close(self) -> None:
        """Let go of the file, which stays."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _float_bytes(x: Array) -> bytes:
    return np.ascontiguousarray(x, dtype="<f8").tobytes()


def _allocate_rows(capacity: int, width: int) -> Array:
    size = 8 * max(1, capacity) * width
    if size <= LARGEST:
        try:
            return np.empty((max(1, capacity), width))
        except MemoryError:
            pass
    raise ArgumentError(
        f"{capacity} rows of {width} numbers take {size / 2**30:.1f} GiB; there is space for at most "
        f"{LARGEST / 2**30:.0f} GiB, and for what the computer's memory holds: keep fewer rows"
    )


def read_recording(path: Path) -> Result:
    """Read the rows recorded before a run ended; `meta["complete"]` is False, `meta["recording"]` reports damage."""
    found = open_recording(path)
    if found.remark:
        _log.warning("%s: %s", path, found.remark)
    more = {"complete": False} | ({"recording": found.remark} if found.remark else {})
    return _recorded_result(found.header.columns, found.rows, found.header.meta | more, found.events)


def open_recording(path: Path) -> Recorded:
    """Read the sound blocks of a recording."""
    from linkwright.results.blocks import read_blocks

    return _parse_recording(read_blocks(path), str(path))


def _parse_recording(content: SoundBlocks, file: str) -> Recorded:
    if not content.blocks:
        raise damaged_file_error(file, "its first block is not sound") if content.lost else foreign_file_error(file)
    first = content.blocks[0].head
    if first.get(KIND) != FORMAT or not isinstance(first.get("header"), str):
        raise foreign_file_error(file)
    found = read_run_header(first["header"], file)
    width = 1 + len(found.columns)
    if first.get("lanes"):
        return _parse_lanes(content, file, found)
    parts, events, state = [], list(found.events), None
    try:
        for block in content.blocks[1:]:
            n = 8 * width * int(block.head.get("rows", 0))
            parts.append(np.frombuffer(block.body[:n], dtype="<f8").reshape(-1, width))
            events += [Event(*each) for each in block.head.get("events", ())]
            state = _state_of_block(block, n) or state
    except (ValueError, TypeError):
        raise damaged_file_error(file, "its blocks are not readable") from None
    rows = np.concatenate([np.zeros((0, width)), *parts])
    at = f"t = {rows[-1, 0]:.6g} s" if len(rows) else "the start"
    remark = _remark_of_loss(content, f"; what is kept ends at {at}")
    return Recorded(found, dict(first.get("request") or {}), rows, tuple(events), state, remark)


def _remark_of_loss(content: SoundBlocks, more: str = "") -> str:
    return f"{content.lost} bytes behind the last sound block are left out{more}" if content.lost else ""


def _parse_lanes(content: SoundBlocks, file: str, header: Header) -> Recorded:
    """The runs that had ended, in tables of all runs."""
    first, width = content.blocks[0], 1 + len(header.columns)
    ended: list[int] = []
    ends: dict[int, RunEnd] = {}
    notes: dict[int, Any] = {}
    try:
        t = np.frombuffer(first.body, dtype="<f8").copy()
        runs = int(first.head["lanes"])
        tables = LaneTables(t, np.full((runs, len(t), width), np.nan), np.full((runs, width), np.nan), {})
        numbers: dict[str, Array] = {}
        for head, body in content.blocks[1:]:
            some = [int(i) for i in head["ended"]]
            tables.rows[some] = np.frombuffer(body, dtype="<f8").reshape(len(some), *tables.rows.shape[1:])
            for name, values in head["numbers"].items():
                numbers.setdefault(str(name), np.zeros(runs))[some] = values
            for i, (kind, text, at) in head["ends"].items():
                ends[int(i)] = RunEnd(str(kind), str(text), float(at))
                tables.last[int(i)] = head["last"][i]
            notes |= {int(i): note for i, note in head.get("notes", {}).items()}
            ended += some
    except (KeyError, TypeError, ValueError, IndexError, MemoryError):
        raise damaged_file_error(file, "its blocks are not readable") from None
    request, rows = dict(first.head.get("request") or {}), np.zeros((0, width))
    found = replace(tables, numbers=numbers)
    return Recorded(header, request, rows, (), None, _remark_of_loss(content), found, tuple(ended), ends, notes)


def _state_of_block(block: CheckedBlock, start: int) -> State | None:
    if "state" not in block.head:
        return None
    rows, events = block.head["at"]
    return State(dict(block.head["state"]), block.body[start:], int(rows), int(events))


def _recorded_result(
    columns: Iterable[tuple[str, str, str]], rows: Array, meta: dict[str, Any], events: Sequence[Event]
) -> Result:
    turned = np.array(rows.T, order="C")
    turned.setflags(write=False)
    named = (Series(name, x, unit, group) for (name, unit, group), x in zip(columns, turned[1:], strict=True))
    return Result(turned[0], tuple(named), meta, tuple(events))


def require_same(path: Path, recorded_request: dict[str, Any], request: dict[str, Any]) -> None:
    """Refuse to resume a recording with another request than it was begun with."""
    was, now = json.loads(json.dumps(recorded_request)), json.loads(json.dumps(request))
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            raise ResultError(
                f"{path}: the run was begun with another {name} ({was.get(name)!r:.80}, now {now.get(name)!r:.80}); "
                "repeat the call that began it, or begin anew with overwrite=True",
                file=str(path),
                name=name,
            )


def in_the_way(path: Path) -> ResultError:
    """The error where a file stands in the way of a new recording: it is not replaced."""
    try:
        found = open_recording(path)
    except (OSError, ResultError):
        return ResultError(
            f"{path}: a file of that name is there and is not an unfinished run, so it is not replaced; remove it, or "
            "choose another name for the run",
            file=str(path),
        )
    return ResultError(
        f"{path}: {found.content}, and is not replaced; go on with it with resume=True, begin anew with "
        "overwrite=True, or choose another name",
        file=str(path),
    )
