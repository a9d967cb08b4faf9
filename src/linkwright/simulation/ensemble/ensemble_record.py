"""Saved and unfinished ensembles, opened again."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError, ResultError
from linkwright.files import require_regular, write_whole
from linkwright.mechanism.names import suggest_name
from linkwright.readable_text import Description, Printable, described_table, value_text
from linkwright.results import attached_functions, labeled_tables
from linkwright.results.archives import (
    HEADER,
    archive_header,
    foreign_file_error,
    header_array,
    open_archive,
    plain_meta,
    read_array,
    read_header,
    written_columns,
)
from linkwright.results.recording import ENDING, open_recording
from linkwright.results.result import Result
from linkwright.results.series import Event, Series
from linkwright.simulation.ensemble.fan_charts import ensemble_content
from linkwright.simulation.running.energy_balance import energy_balance

COUNTS = ("steps", "rejected", "evaluations", "projections")
INTERRUPTED = "the ensemble was interrupted before this run ended"


@dataclass(frozen=True, eq=False)
class Ensemble(Printable):
    """Results of many runs. Frozen: arrays are read-only; rows that a run did not reach are NaN.

    Attributes:
        t: times of the rows, (rows,), [s].
        values: every series of every run, (runs, rows, series).
        columns: (name, unit, group) of every series.
        status: how each run ended: "done", or another kind with a message in `reasons`.
        ended: when each run ended, (runs,), [s].
        reasons: for runs that are not done, by number.
        counts: steps, rejected, evaluations, projections of each run, (runs,).
        meta: how it was computed, as plain JSON data.
        final: every series at the end of each run, (runs, series). Where a run ended between rows and not by an event
            (a singular position, a law that is not finite), coordinates and velocities there, and NaN.
        thread_seconds: CPU time of each thread, [s]; files do not keep it, so that equal ensembles are equal files.
    """

    t: np.ndarray
    values: np.ndarray
    columns: tuple[tuple[str, str, str], ...]
    status: tuple[str, ...]
    ended: np.ndarray
    reasons: dict[int, str]
    counts: dict[str, np.ndarray]
    meta: dict[str, Any]
    final: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    thread_seconds: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        checks.require_mapping("counts", self.counts, "a dictionary of arrays")
        for name in ("t", "values", "ended", "final"):
            checks.require_instance(name, getattr(self, name), np.ndarray, "an array")
        if self.t.ndim != 1 or self.ended.ndim != 1 or self.values.shape[:2] != (len(self.ended), len(self.t)):
            raise ArgumentError(
                f"values has shape {self.values.shape}, t {self.t.shape} and ended {self.ended.shape}, expected "
                "(runs, rows, series), (rows,) and (runs,)"
            )
        object.__setattr__(self, "status", checks.require_texts("status", self.status, "['done', 'done']"))
        for name, count in self.counts.items():
            checks.require_instance(f"counts['{name}']", count, np.ndarray, "an array")
        object.__setattr__(self, "meta", plain_meta(self.meta))
        if not self.final.size:
            object.__setattr__(self, "final", last_rows(self.values))
        for array in (self.t, self.values, self.ended, self.final, *self.counts.values()):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.values)

    def _describe(self) -> Description:
        """How many runs are done, and the reasons of those that are not."""
        name = self.meta.get("mechanism", {}).get("name", "")
        facts = [("runs", str(len(self))), ("done", str(int(self.done.sum()))), ("times", str(len(self.t)))]
        facts += [("series", str(len(self.columns))), ("work", value_text(self.stats))]
        other = np.flatnonzero(~self.done).tolist()
        rows = [[str(i), self.status[i], float(self.ended[i]), self.reasons.get(i, "")] for i in other]
        columns = {"run": "", "ended": "", "at": "s", "reason": ""}
        return Description(f"Ensemble of '{name}'", tuple(facts), (described_table("Not done", columns, rows),))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the series, in order."""
        return tuple(name for name, _, _ in self.columns)

    @cached_property
    def done(self) -> np.ndarray:
        """Mask of the runs that reached the end, (runs,)."""
        return np.array([kind == "done" for kind in self.status])

    def __getitem__(self, key: int | str) -> Any:
        """A run as a `Result`, by number; a series of all runs, (runs, rows), by name."""
        if isinstance(key, str):
            return self.values[:, :, self._index(key)]
        if isinstance(key, bool) or not isinstance(key, int | np.integer) or not -len(self) <= key < len(self):
            raise ArgumentError(f"the ensemble has no run {key!r}; its runs are 0 to {len(self) - 1}")
        return self._result(int(key) % len(self))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def unit(self, name: str) -> str:
        """The unit of a series."""
        return self.columns[self._index(name)][1]

    def _index(self, name: str) -> int:
        if checks.require_text("name", name) not in self.names:
            raise ArgumentError(f"the ensemble has no series '{name}'{suggest_name(name, self.names)}", name=name)
        return self.names.index(name)

    def group(self, name: str) -> np.ndarray:
        """The series of a group, (runs, rows, k)."""
        checks.require_text("name", name)
        return self.values[:, :, [i for i, column in enumerate(self.columns) if column[2] == name]]

    @property
    def q(self) -> np.ndarray:
        """Coordinates, (runs, rows, nq)."""
        return self.group("q")

    @property
    def v(self) -> np.ndarray:
        """Velocities, (runs, rows, nv)."""
        return self.group("v")

    @property
    def a(self) -> np.ndarray:
        """Accelerations, (runs, rows, nv)."""
        return self.group("a")

    @property
    def tau(self) -> np.ndarray:
        """Efforts of the actuators, (runs, rows, na)."""
        return self.group("tau")

    @cached_property
    def events(self) -> tuple[tuple[Event, ...], ...]:
        """Events of every run as `simulate` lists them, where they were watched; last the end of a run not done."""
        noted = self.meta.get("events", {})
        return tuple((*(Event(*each) for each in noted.get(str(i), ())), *self._end(i)) for i in range(len(self)))

    def _end(self, i: int) -> tuple[Event, ...]:
        if self.status[i] == "done":
            return ()
        return (Event(float(self.ended[i]), "end", self.status[i], self.reasons.get(i, "")),)

    @property
    def stats(self) -> dict[str, int]:
        """Steps, rejections, evaluations and projections of all runs together."""
        return {name: int(x.sum()) for name, x in self.counts.items()}

    def _result(self, i: int) -> Result:
        table, times = self.values[i], self.t
        n = int(np.isfinite(table[:, 0]).sum()) if table.shape[1] else len(self.t)
        if self.status[i] == "event" and n and self.ended[i] > times[n - 1]:
            table, times = np.vstack([table[:n], self.final[i]]), np.append(times[:n], self.ended[i])
            n += 1
        series = tuple(
            Series(name, np.array(table[:n, k]), unit, group) for k, (name, unit, group) in enumerate(self.columns)
        )
        reason = self.reasons.get(i, "the end time was reached")
        t = float(self.ended[i])
        ended = {"t": t, "kind": self.status[i], "text": reason}
        stats = {name: int(x[i]) for name, x in self.counts.items()}
        known = {name: x for name, x in self.meta.items() if name not in ("events", "impulses", "energy_balance")}
        if "energy_balance" in self.meta:
            first = self._index("kinetic energy")
            own = energy_balance(table[:n, first : first + 4], 0.0)
            known["energy_balance"] = {"drift": float(own.drift), "relative": float(own.relative)}
        if "impulses" in self.meta:
            known["impulses"] = self.meta["impulses"].get(str(i), [])
        meta = known | {"run": i, "ended": ended, "stats": stats, "complete": self.status[i] == "done"}
        return Result(np.array(times[:n]), series, meta, self.events[i])

    def plot(self, names: str | Sequence[str] | None = None, path: Any = None, **options: Any) -> Any:
        """Figure of fans over time and histograms of last values, of the named series or groups.

        Unless named, at most eight series that differ among runs are drawn. It is saved as PDF, SVG or PNG when a path
        is given.
        """
        return attached_functions.attached_function("study plot")(ensemble_content(self, names), path, **options)

    def report(self, path: str | os.PathLike[str], names: str | Sequence[str] | None = None) -> str:
        """Write one HTML file with fans, histograms, tables and how the runs ended; return the path."""
        return attached_functions.attached_function("study report")(ensemble_content(self, names), path)

    def _repr_html_(self) -> str:
        """The report in a frame, for notebooks."""
        return attached_functions.attached_function("study html")(ensemble_content(self))

    def to_dataframe(self) -> Any:
        """A DataFrame with a column for each series and rows by run and time, those that were reached."""
        reached = np.isfinite(self.values).any(axis=2)
        return labeled_tables.data_frame(
            labeled_tables.index_of_runs(self.t, reached), self.columns, self.values[reached]
        )

    def to_xarray(self) -> Any:
        """A Dataset with a variable for each series over `run` and `time`; `status` is how runs ended."""
        return labeled_tables.make_dataset(self.t, self.columns, self.values, self.meta, self.status)

    def save(self, path: str | os.PathLike[str], durable: bool = True) -> None:
        """Write all runs into one .npz; the file appears complete or not at all.

        Durable: it is on the disk when this returns, so that loss of power keeps it; False saves the wait for the disk.
        """
        file = npz_path(path)
        head = archive_header("ensemble", self.meta, {name: unit for name, unit, _ in self.columns})
        head |= {"columns": self.columns, "status": self.status, "meta": self.meta}
        head |= {"reasons": {str(i): reason for i, reason in self.reasons.items()}, "counts": list(self.counts)}
        arrays = {"t": self.t, "values": self.values, "ended": self.ended, "final": self.final}
        arrays |= {f"count{i}": x for i, x in enumerate(self.counts.values())}
        arrays[HEADER] = header_array(head)

        def write(beside: Path) -> None:
            with beside.open("wb") as stream:
                np.savez(stream, **arrays)  # type: ignore[arg-type]

        write_whole(file, write, durable)


def last_rows(values: np.ndarray) -> np.ndarray:
    """The last row of every run that was reached, (runs, series), of (runs, rows, series); NaN where none was."""
    runs, rows, series = values.shape
    if not rows or not series:
        return np.full((runs, series), np.nan)
    reached = np.isfinite(values[:, :, 0]).sum(axis=1)
    return np.array(values[np.arange(runs), np.maximum(reached - 1, 0)])


def final_rows(rows: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Every series at the end of every run, of rows that begin with their time: the last one, where there is one."""
    return np.where(np.isnan(last[:, :1]), last_rows(rows), last)[:, 1:]


def npz_path(path: Any, also: str = ".npz") -> Path:
    """The path, if it has the ending that ensembles are saved under, or another that is allowed."""
    file = checks.require_path("path", path)
    if file.suffix.lower() not in (".npz", also):
        raise ResultError(f"{file}: an ensemble is kept as .npz; end the name with it", file=str(file))
    return file


_log = logging.getLogger(__name__)


def read_ensemble(path: str | os.PathLike[str]) -> Ensemble:
    """The runs that `Ensemble.save` wrote; of an ensemble that was interrupted, the runs that had ended until then.

    >>> read_ensemble("nowhere.npz")
    Traceback (most recent call last):
        ...
    linkwright.errors.ResultError: nowhere.npz: there is no such file; check the name and the folder
    """
    file = npz_path(path, ENDING)
    beside = Path(f"{file}{ENDING}")
    try:
        if file.suffix == ENDING:
            return read_unfinished(file)
        if not file.exists() and beside.is_file():
            _log.warning("%s: the ensemble was interrupted; its runs are read from %s", file, beside.name)
            return read_unfinished(beside)
        require_regular(file)
        with open_archive(file) as archive:
            head = read_header(archive, "ensemble", str(file))
            return _ensemble_from_arrays(
                head, {each[:-4]: read_array(archive, each[:-4]) for each in archive.namelist()}
            )
    except FileNotFoundError:
        raise ResultError(f"{file}: there is no such file; check the name and the folder", file=str(file)) from None
    except LinkwrightError:
        raise
    except Exception as error:  # damaged archives fail in many ways
        raise ResultError(f"{file}: not a saved ensemble ({error}); name another file", file=str(file)) from None


def read_unfinished(path: Path) -> Ensemble:
    """The runs that had ended when an ensemble was interrupted; the others have the status "interrupted"."""
    found = open_recording(path)
    if found.lanes is None:
        raise foreign_file_error(str(path))
    if found.remark:
        _log.warning("%s: %s", path, found.remark)
    lanes, runs = found.lanes, range(len(found.lanes.rows))
    zero = np.zeros(len(runs))
    status = ["interrupted"] * len(runs)
    ended, reasons = found.request["span"][0] + lanes.numbers.get("end", zero), dict.fromkeys(runs, INTERRUPTED)
    for i in found.ended:
        status[i] = "done"
        del reasons[i]
    for i, end in found.ends.items():
        status[i], ended[i] = end.kind, end.t
        reasons |= {} if end.kind == "done" else {i: end.text}
    counts = {name: lanes.numbers.get(name, zero).astype(int) for name in COUNTS}
    meta, final = found.header.meta | {"complete": False}, final_rows(lanes.rows, lanes.last)
    reasons = dict(sorted(reasons.items()))
    values, columns = lanes.rows[:, :, 1:], found.header.columns
    return Ensemble(lanes.t, values, columns, tuple(status), ended, reasons, counts, meta, final)


def _ensemble_from_arrays(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> Ensemble:
    counts = {name: arrays[f"count{i}"] for i, name in enumerate(head["counts"])}
    columns = written_columns(head["columns"])
    reasons = {int(i): reason for i, reason in head["reasons"].items()}
    status = tuple(head["status"])
    known = (arrays["t"], arrays["values"], columns, status, arrays["ended"], reasons, counts, head["meta"])
    return Ensemble(*known, arrays["final"]) if "final" in arrays else Ensemble(*known)
