"""The rows of a run: in memory, or also in a file that survives a crash and from which the run can be resumed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from linkwright.errors import ResultError
from linkwright.files import require_replaceable
from linkwright.results.deferred import Columns, Deferred, Details
from linkwright.results.opening import RUN
from linkwright.results.recording import Recording, State
from linkwright.results.result import Result, deferred
from linkwright.results.series import Event, Series
from linkwright.simulation.running.output import Output

Found = Callable[[], Details]

# Rows are written this often, [s], and the state of the run after this share of the time it has taken.
_OFTEN = 0.005
_SHARE = 0.01
_SOONEST, _LATEST = 0.1, 60.0


class RowTable(Protocol):
    """Table into which a driver writes rows, (capacity, 1 + number of series), and the number of valid rows."""

    @property
    def rows(self) -> np.ndarray: ...

    @property
    def count(self) -> int: ...

    @property
    def state(self) -> State | None:
        """State of the run to go on from; None for one that begins."""

    @property
    def events(self) -> tuple[Event, ...]:
        """Events that a resumed run noted before."""

    def __enter__(self) -> RowTable: ...

    def __exit__(self, *error: object) -> None:
        """Close the file; that of a run that failed stays if it holds more than the start."""

    def commit(self, rows: int) -> None: ...

    def cut(self, t: float) -> None:
        """Forget rows later than a time."""

    def note(self, event: Event) -> None: ...

    def keep(self, state: Callable[[], State]) -> None:
        """Write the state of the run, which is found out only when it is time to write it."""

    def write(self) -> None:
        """Write all rows now."""

    def result(self, details: Found, derivatives: Any = None) -> Result:
        """The rows as a result; `details` gives meta and events, `derivatives` those of its end."""

    def discard(self) -> None: ...


class InMemory:
    """Rows kept in memory."""

    state = None
    events: tuple[Event, ...] = ()

    def __init__(self, columns: Columns, capacity: int) -> None:
        self.columns = columns
        self.rows = np.empty((capacity, 1 + len(columns)))
        self.count = 0

    def __enter__(self) -> InMemory:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def commit(self, rows: int) -> None:
        self.count = rows

    def cut(self, t: float) -> None:
        self.count = int(np.searchsorted(self.rows[: self.count, 0], t, side="right"))

    def note(self, event: Event) -> None:
        pass

    def keep(self, state: Callable[[], State]) -> None:
        pass

    def write(self) -> None:
        pass

    def result(self, details: Found, derivatives: Any = None) -> Result:
        return deferred(Deferred(self.rows[: self.count], self.columns, details, derivatives))

    def discard(self) -> None:
        pass


class InFile:
    """Rows recorded in a file beside the result's."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._cut: float | None = None
        self._began = self._wrote = self._kept = time.monotonic()

    @property
    def rows(self) -> np.ndarray:
        return self._recording.table

    @property
    def count(self) -> int:
        n = self._recording.committed
        return n if self._cut is None else int(np.searchsorted(self.rows[:n, 0], self._cut, side="right"))

    @property
    def state(self) -> State | None:
        return self._recording.state

    @property
    def events(self) -> tuple[Event, ...]:
        """Events noted before the run was resumed, and since."""
        return self._recording.events

    def __enter__(self) -> InFile:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is not None and not self._recording.has_progress:
            self._recording.discard()
            return
        with suppress(ResultError):  # the disk may be full, which the run itself reports
            self._recording.write()
        self._recording.close()

    def commit(self, rows: int) -> None:
        now = time.monotonic()
        due = now - self._wrote >= _OFTEN
        self._recording.commit(rows, write=due)
        if due:
            self._wrote = now

    def cut(self, t: float) -> None:
        self._cut = t

    def note(self, event: Event) -> None:
        self._recording.note(event)

    def keep(self, state: Callable[[], State]) -> None:
        now = time.monotonic()
        if now - self._kept >= min(max(_SOONEST, _SHARE * (now - self._began)), _LATEST):
            self._recording.write(state())
            self._wrote = self._kept = now

    def write(self) -> None:
        self._recording.write()

    def result(self, details: Found, derivatives: Any = None) -> Result:
        meta, events = details()
        whole = self._recording.result(meta, events)
        n = self.count
        series = tuple(Series(s.name, s.values[:n], s.unit, s.group) for s in whole.series)
        return Result(whole.t[:n], series, meta, events)

    def discard(self) -> None:
        self._recording.discard()


def table(
    output: Output,
    resume: bool,
    columns: Columns,
    capacity: int,
    meta: Callable[[], dict[str, Any]],
    request: Callable[[], dict[str, Any]],
) -> RowTable:
    """A table in memory, or beside the path of the result, with the meta known before the run and its request."""
    if output.path is None:
        return InMemory(columns, capacity)
    if not output.overwrite:
        require_replaceable(output.path, RUN)
    options = {"resume": resume, "overwrite": output.overwrite}
    return InFile(Recording(output.path, columns.items, capacity, meta(), request(), **options))
