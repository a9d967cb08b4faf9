"""Contents of a result that are made when they are first read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.results.sensitivity_record import Sensitivity
from linkwright.results.series import TIME, Array, Event, Series

Details = tuple[dict[str, Any], tuple[Event, ...]]


@dataclass(frozen=True)
class Columns:
    """(name, unit, group) of every series of a table, whose first column is the time."""

    items: tuple[tuple[str, str, str], ...]

    def __post_init__(self) -> None:
        names = [name for name, _, _ in self.items]
        twice = next((name for i, name in enumerate(names) if name == TIME or name in names[:i]), None)
        if twice is not None:
            raise ArgumentError(f"two series are called '{twice}'; give each its own name")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self.items)

    @cached_property
    def index(self) -> dict[str, int]:
        """Index of every series in the table."""
        return {name: i for i, (name, _, _) in enumerate(self.items, 1)}

    @cached_property
    def groups(self) -> dict[str, slice | list[int]]:
        """Indices of the series of every group."""
        found = {g: [i for i, item in enumerate(self.items, 1) if item[2] == g] for _, _, g in self.items}
        return {g: slice(x[0], x[-1] + 1) if x[-1] - x[0] + 1 == len(x) else x for g, x in found.items()}


@dataclass(frozen=True, eq=False)
class Deferred:
    """Rows of a run, and a function that finds out the rest.

    Attributes:
        rows: (n, 1 + number of series), the time in front; nobody writes into it any more.
        columns: of the rows.
        details: called once, for meta and events.
        derivatives: makes what `Result.sensitivity` returns; None where the run cannot be differentiated.
        lock: held while something is made.
    """

    rows: Array
    columns: Columns
    details: Callable[[], Details]
    derivatives: Callable[..., Sensitivity] | None = None
    lock: Any = field(default_factory=threading.RLock)

    def column(self, i: int) -> Array:
        """One column as a read-only array of its own, (n,)."""
        values = self.rows[:, i].copy()
        values.setflags(write=False)
        return values

    def one(self, name: str) -> Series:
        """The series of a name that the columns have."""
        i = self.columns.index[name]
        _, unit, group = self.columns.items[i - 1]
        return Series(name, self.column(i), unit, group)

    def series(self) -> tuple[Series, ...]:
        """All series."""
        turned = np.ascontiguousarray(self.rows.T)
        turned.setflags(write=False)
        return tuple(Series(name, x, unit, g) for (name, unit, g), x in zip(self.columns, turned[1:], strict=True))

    def group(self, name: str) -> Array:
        """The series of a group side by side, (n, k)."""
        return self.rows[:, self.columns.groups.get(name, slice(0))].copy()
