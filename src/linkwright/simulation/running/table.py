"""The rows of a run: in memory, or in a file that survives a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from linkwright.results.deferred import Columns, Deferred, Details
from linkwright.results.recording import Recording
from linkwright.results.result import Result, deferred
from linkwright.results.series import Event, Series

Found = Callable[[], Details]


class RowTable(Protocol):
    """Table into which a driver writes rows, (capacity, 1 + number of series), and the number of valid rows."""

    @property
    def rows(self) -> np.ndarray: ...

    @property
    def count(self) -> int: ...

    def commit(self, rows: int) -> None: ...

    def cut(self, t: float) -> None:
        """Forget rows later than a time."""

    def note(self, event: Event) -> None: ...

    def result(self, details: Found, derivatives: Any = None) -> Result:
        """The rows as a result; `details` gives meta and events, `derivatives` those of its end."""

    def discard(self) -> None: ...


class InMemory:
    """Rows kept in memory."""

    def __init__(self, columns: Columns, capacity: int) -> None:
        self.columns = columns
        self.rows = np.empty((capacity, 1 + len(columns)))
        self.count = 0

    def commit(self, rows: int) -> None:
        self.count = rows

    def cut(self, t: float) -> None:
        self.count = int(np.searchsorted(self.rows[: self.count, 0], t, side="right"))

    def note(self, event: Event) -> None:
        pass

    def result(self, details: Found, derivatives: Any = None) -> Result:
        return deferred(Deferred(self.rows[: self.count], self.columns, details, derivatives))

    def discard(self) -> None:
        pass


class InFile:
    """Rows recorded in a file beside the result's."""

    def __init__(self, path: str | os.PathLike[str], columns: Columns, capacity: int, meta: dict[str, Any]) -> None:
        self._recording = Recording(path, columns.items, capacity, meta)
        self._cut: float | None = None

    @property
    def rows(self) -> np.ndarray:
        return self._recording.table

    @property
    def count(self) -> int:
        n = self._recording.committed
        return n if self._cut is None else int(np.searchsorted(self.rows[:n, 0], self._cut, side="right"))

    def commit(self, rows: int) -> None:
        self._recording.commit(rows)

    def cut(self, t: float) -> None:
        self._cut = t

    def note(self, event: Event) -> None:
        self._recording.note(event)

    def result(self, details: Found, derivatives: Any = None) -> Result:
        meta, events = details()
        whole = self._recording.result(meta, events)
        n = self.count
        series = tuple(Series(s.name, s.values[:n], s.unit, s.group) for s in whole.series)
        return Result(whole.t[:n], series, meta, events)

    def discard(self) -> None:
        self._recording.discard()


def table(path: Any, columns: Columns, capacity: int, meta: Callable[[], dict[str, Any]]) -> RowTable:
    """A table in memory, or beside the path of the result, with the meta known before the run."""
    return InMemory(columns, capacity) if path is None else InFile(path, columns, capacity, meta())
