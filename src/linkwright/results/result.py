"""The record of one run: times, named series, events and metadata."""

from __future__ import annotations

import difflib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.checks import require_instances, require_text
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.readable_text import (
    Description,
    Printable,
    RecordTable,
    described_table,
    number_text,
    quantity_text,
    value_text,
)
from linkwright.results import attached_functions
from linkwright.results.archives import archive_of_run, plain_meta
from linkwright.results.series import (
    TIME,
    Array,
    Event,
    Sensitivity,
    Series,
    SeriesSummary,
    read_only_column,
    summarize_series,
)

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


@dataclass(frozen=True, eq=False)
class Result(Printable):
    """Result of a run. Frozen: arrays are read-only.

    Attributes:
        t: times, (n,), [s].
        series: the named columns.
        meta: how it was computed, as plain JSON data (see `linkwright.results.archives`).
        events: what happened, in time order.

    Of a run that was just simulated, series, meta and events are made when they are first read; comparing with a second
    method, which meta reports, is done then. Saving, reports and pickling read everything.

    >>> run = Result([0.0, 1.0], [Series("theta1", [0.1, 0.2], "rad", "q")])
    >>> run["theta1"].tolist(), run.unit("theta1"), run.q.shape
    ([0.1, 0.2], 'rad', (2, 1))
    """

    t: Array
    series: tuple[Series, ...] = field(default_factory=tuple)
    meta: dict[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = field(default_factory=tuple)

    @property
    def _deferred_details(self) -> Deferred | None:
        return self.__dict__.get("_content")

    def __getattr__(self, name: str) -> Any:
        """A field that is not made yet."""
        content = self._deferred_details
        if content is None or name not in _FIELDS:
            raise AttributeError(f"'Result' has no attribute '{name}'")
        with content.lock:
            if name not in self.__dict__:
                self.__dict__.update(_fields_from_content(content, name))
        return self.__dict__[name]

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", read_only_column("t", self.t))
        object.__setattr__(self, "series", require_instances("series", self.series, Series, "a list of Series"))
        events = RecordTable(require_instances("events", self.events, Event, "a list of Event"))
        object.__setattr__(self, "events", events)
        object.__setattr__(self, "meta", plain_meta(self.meta))
        for each in self.series:
            if len(each.values) != len(self.t):
                raise ArgumentError(f"series '{each.name}' has {len(each.values)} values for {len(self.t)} times")
        if len(self._indices) != len(self.series):
            twice = next(name for name in self.names if self.names.count(name) > 1)
            raise ArgumentError(f"two series are called '{twice}'; give each its own name")

    def __reduce__(self) -> Any:
        return Result, (self.t, self.series, self.meta, self.events)

    def _headline(self) -> Description:
        """Name of the mechanism, and how many times, series and events there are."""
        known = self.meta.get("mechanism", {})
        title = f"'{known['name']}'" if isinstance(known, dict) and "name" in known else ""
        span = f", t = {number_text(self.t[0])} to {quantity_text(self.t[-1], 's')}" if len(self.t) else ""
        facts = (
            ("times", f"{len(self.t)}{span}"),
            ("series", str(len(self.series))),
            ("events", str(len(self.events))),
        )
        return Description(title, facts)

    def _describe(self) -> Description:
        """Times, how the run ended, its work, and range and last value of every series."""
        head, ended = self._headline(), self.meta.get("ended", {})
        facts = [*head.facts, *([("ended", str(ended["text"]))] if ended.get("text") else [])]
        facts += [("work", value_text(self.stats))] if self.stats else []
        columns = dict.fromkeys(("series", "unit", "first", "last", "least", "largest", "rms"), "")
        rows = [[x.name, x.unit, x.first, x.last, x.low, x.high, x.rms] for x in self.summary()]
        return Description(
            f"Run of {head.title}" if head.title else "Run", tuple(facts), (described_table("Series", columns, rows),)
        )

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {each.name: i for i, each in enumerate(self.series)}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the series, in order."""
        return tuple(each.name for each in self.series)

    def __getitem__(self, name: str) -> Array:
        """The values of a series, (n,); for a frame or body "P" its path, (n, 3) [m], for "P.x" one component of it."""
        if require_text("name", name) == TIME:
            return self.t
        path = None if self._has_series(name) else self._path(name)
        return self.one(name).values if path is None else path

    def unit(self, name: str) -> str:
        """The unit of a series, or of a path."""
        if require_text("name", name) == TIME:
            return "s"
        return "m" if not self._has_series(name) and self._path(name) is not None else self.one(name).unit

    def _has_series(self, name: str) -> bool:
        content = self._deferred_details
        return (content is not None and name in content.columns.index) or name in self._indices

    def _path(self, name: str) -> Array | None:
        """The path of a frame or body in the world, or a component of it; None where there is none of that name."""
        known = self.meta.get("mechanism")
        if not isinstance(known, dict) or "yaml" not in known:
            return None
        found: Array | None = attached_functions.attached_function("path of frame")(self, name)
        return found

    def one(self, name: str) -> Series:
        """The series of that name."""
        if self._deferred_details is not None and require_text("name", name) in self._deferred_details.columns.index:
            return self._deferred_details.one(name)
        index = self._indices.get(require_text("name", name))
        if index is None:
            raise ArgumentError(f"the run has no series {name!r}{_name_suggestion(name, self.names)}", name=name)
        return self.series[index]

    def group(self, name: str) -> Array:
        """The series of a group side by side, (n, k); an unknown group has no columns."""
        require_text("name", name)
        if self._deferred_details is not None:
            return self._deferred_details.group(name)
        found = [each.values for each in self.series if each.group == name]
        return np.stack(found, axis=1) if found else np.zeros((len(self.t), 0))

    @cached_property
    def q(self) -> Array:
        """Coordinates, (n, nq)."""
        return self.group("q")

    @cached_property
    def v(self) -> Array:
        """Velocities, (n, nv)."""
        return self.group("v")

    @cached_property
    def a(self) -> Array:
        """Accelerations, (n, nv)."""
        return self.group("a")

    @cached_property
    def tau(self) -> Array:
        """Efforts of the actuators, (n, na), [N m or N]."""
        return self.group("tau")

    @cached_property
    def closure(self) -> Array:
        """The largest closure residual at every time, (n,), [m]; zero for a mechanism without loops."""
        return self["closure residual"] if "closure residual" in self._indices else np.zeros(len(self.t))

    @cached_property
    def energy(self) -> Array:
        """Mechanical energy at every time, (n,), [J]: the sum of all series called "... energy"."""
        parts = [each.values for each in self.series if each.group == "energy" and each.name.endswith("energy")]
        return np.sum(parts, axis=0) if parts else np.full(len(self.t), np.nan)

    @property
    def stats(self) -> dict[str, Any]:
        """Steps, rejections, evaluations, projections and the like."""
        return self.meta.get("stats", {})

    def sensitivity(
        self,
        parameters: Sequence[str] | None = None,
        *,
        initial: bool = False,
        objective: Callable[[Any, Any, Any], Any] | None = None,
        start: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Sensitivity:
        """Derivatives of the last state of a run of `simulate`, at its time, with the loops kept closed.

        The variational equation is stepped with the motion, once more for every few directions. The integrator is that
        of the run, with its step sizes.

        Args:
            parameters: names of inputs of the model; all by default.
            initial: also by the start, displacements "q0.<velocity>" and velocities "v0.<velocity>".
            objective: a function of (t, q, v) at the end, written for any number, whose gradient is wanted too.
            start: displacements and changes of velocity of the start with the inputs, (nv, n) each, for example those
                of `model.assembly_sensitivity`; by default it stays where it is, and is closed by the least change.
        """
        content = self._deferred_details
        if content is None or content.derivatives is None:
            raise ArgumentError(
                "sensitivity is of a run that simulate returned in this process, not of one that was read from a file, "
                "saved on the way or whose loops close and open (the times of these change too, which is not "
                "differentiated): simulate the part before the switch, without Output(path=...)"
            )
        return content.derivatives(parameters, initial, objective, start)

    def summary(self) -> tuple[SeriesSummary, ...]:
        """Peak, RMS and range of every series, as rows of a table."""
        return RecordTable(summarize_series(self.t, self.series))

    def save(self, path: str | os.PathLike[str], durable: bool = True) -> None:
        """Write the run as .npz, .csv, .mat or .nc; the file appears complete or not at all.

        Durable: it is on the disk when this returns, so that loss of power keeps it; False saves the wait for the disk.
        """
        from linkwright.results.run_files import save_sheet

        save_sheet(archive_of_run(self.t, self.series, self.events, self.meta), path, durable)

    def to_dataframe(self) -> Any:
        """A DataFrame with a row for each time, its index, and a column for each series; `attrs["units"]` has units."""
        from linkwright.results import labeled_tables

        columns = [(each.name, each.unit, each.group) for each in self.series]
        return labeled_tables.data_frame(labeled_tables.index_of(self.t), columns, self._table(columns))

    def to_xarray(self) -> Any:
        """A Dataset with a variable for each series over the coordinate `time`; units are attributes of variables."""
        from linkwright.results import labeled_tables

        columns = [(each.name, each.unit, each.group) for each in self.series]
        return labeled_tables.make_dataset(self.t, columns, self._table(columns), self.meta)

    def _table(self, columns: Sequence[tuple[str, str, str]]) -> Array:
        """All series side by side, (n, series)."""
        return np.stack([self[name] for name, _, _ in columns], axis=1) if columns else np.zeros((len(self.t), 0))

    def plot(self, names: Any = None, path: Any = None, **options: Any) -> Any:
        """Figure of the named series, all when None, saved as PDF, SVG or PNG when a path is given."""
        return attached_functions.attached_function("plot")(self, names, path, **options)

    def report(self, path: Any, **options: Any) -> Any:
        """One HTML file with animation, plots and tables."""
        return attached_functions.attached_function("report")(self, path, **options)

    def _repr_html_(self) -> str:
        """The report in a frame, for notebooks."""
        return attached_functions.attached_function("html")(self)


_FIELDS = ("t", "series", "meta", "events")


def lazy_result(content: Deferred) -> Result:
    """A result whose series, meta and events are made when they are first read."""
    made = object.__new__(Result)
    made.__dict__["_content"] = content
    return made


def _fields_from_content(content: Deferred, name: str) -> dict[str, Any]:
    """Fields of a result made from its content; meta and events together."""
    if name == "t":
        return {"t": content.column(0)}
    if name == "series":
        return {"series": content.series()}
    meta, events = content.details()
    return {"meta": plain_meta(meta), "events": RecordTable(events)}


def _name_suggestion(name: object, known: tuple[str, ...]) -> str:
    close = difflib.get_close_matches(str(name), known, n=1)
    if close:
        return f" (did you mean '{close[0]}'?)"
    return f" (it has {', '.join(repr(k) for k in known[:8])}{', ...' if len(known) > 8 else ''})"
