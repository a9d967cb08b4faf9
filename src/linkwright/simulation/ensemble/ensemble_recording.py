"""Many runs written to a file while they go on: every run that has ended is kept, whatever ends the process.

The file, `<name of the ensemble>.unfinished`, consists of checked blocks (`results.blocks`): the first holds the
request and what the ensemble has besides its rows, the others the rows and ends of runs. A resumed ensemble computes
the runs that are not there; since a run does not depend on its neighbors, all numbers are those of an uninterrupted
call.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import ResultError
from linkwright.files import FileKind, require_replaceable
from linkwright.results.archives import holds_kind
from linkwright.results.blocks import BlockWriter, SoundBlocks, open_unfinished, read_blocks
from linkwright.results.recording import ENDING, require_same
from linkwright.results.run_archive import damaged_file_error, foreign_file_error, written_columns
from linkwright.simulation.drivers.status import DONE, FAILED, GOING
from linkwright.simulation.ensemble.ensemble_record import COUNTS, INTERRUPTED, Ensemble, final_rows, npz_path
from linkwright.simulation.ensemble.workers import Shared

_log = logging.getLogger(__name__)
KIND = "linkwright ensemble recording"
FORMAT = 1
_OFTEN = 0.02
_ENSEMBLE = FileKind("an ensemble", (".npz",), lambda file: holds_kind(file, "ensemble"))


class EnsembleRecording:
    """Writes runs as they end; without a path, nothing.

    Attributes:
        repeated: by number, kind, message and time of the end of runs that `simulate` repeated, those before the call
            was resumed among them.
    """

    def __init__(self, about: Shared, resume: bool = False) -> None:
        """Begin a file beside that of the ensemble, or go on with one: runs that it has already are filled in."""
        self.repeated: dict[int, tuple[str, str, float]] = {}
        self._about, self._pending, self._wrote = about, list[int](), time.monotonic()
        self._lock = threading.Lock()
        self._has_runs = False  # in the file
        self._writer: BlockWriter | None = None
        spec = about.spec
        if spec.output.path is None:
            return
        file, overwrite = npz_path(spec.output.path), spec.output.overwrite
        if not overwrite:
            require_replaceable(file, _ENSEMBLE)
        head: dict[str, Any] = {"request": spec.request(), "columns": spec.columns.items, "meta": spec.meta()}
        beside = Path(f"{file}{ENDING}")
        first = {KIND: FORMAT, "runs": len(about.runs)} | head
        times = np.ascontiguousarray(spec.times.shown, dtype="<f8").tobytes()

        def check(content: SoundBlocks) -> None:
            require_same(beside, _read_recording_head(content, str(beside))["request"], head["request"])

        self._writer, content = open_unfinished(beside, (first, times), resume, overwrite, check, _in_the_way)
        if content is not None:
            self._has_runs = len(content.blocks) > 1
            _warn_of_damage(content, beside)
            try:
                self.repeated |= _fill_recorded_runs(content, str(beside), about.rows, about.last, about.runs.column)
            except BaseException:
                self._writer.close()
                raise

    def ended(self, runs: Iterable[int]) -> None:
        """Keep runs that have ended well; the others are repeated later."""
        if self._writer is None:
            return
        status = self._about.runs.column("status")
        with self._lock:
            self._pending += [i for i in runs if status[i] == DONE]
            if time.monotonic() - self._wrote >= _OFTEN:
                self._write()

    def stopped(self, ends: Mapping[int, tuple[str, str, float]]) -> None:
        """Keep runs that an event ended in their lanes, with kind, message and time of each end."""
        self.repeated |= ends
        if self._writer is not None:
            with self._lock:
                self._pending += ends
                self._write()

    def repeat_ended(self, i: int, end: tuple[str, str, float]) -> None:
        """Keep a run that was repeated."""
        self.repeated[i] = end
        if self._writer is not None:
            with self._lock:
                self._pending.append(i)
                self._write()

    def _write(self) -> None:
        runs, self._pending, self._wrote = self._pending, [], time.monotonic()
        if not runs or self._writer is None:
            return
        about = self._about
        head = {"ended": runs, "ends": about.runs.column("end")[runs].tolist()}
        head |= {name: about.runs.column(name)[runs].tolist() for name in COUNTS}
        repeated = [i for i in runs if i in self.repeated]
        head["repeated"] = {str(i): list(self.repeated[i]) for i in repeated}
        head["last"] = {str(i): about.last[i].tolist() for i in repeated}
        self._writer.append(head, np.ascontiguousarray(about.rows[runs], dtype="<f8").tobytes())
        self._has_runs = True

    def finish(self, found: Ensemble, complete: bool) -> None:
        """Save an ensemble and remove the recording; one that was interrupted stays a recording."""
        path = self._about.spec.output.path
        if self._writer is None or path is None:
            return
        if complete:
            found.save(path)
            self._writer.remove()
            self._writer = None
            return
        _log.warning(
            "the ensemble was interrupted; the runs that had ended are in %s, and resume=True goes on",
            self._writer.path,
        )

    def __enter__(self) -> EnsembleRecording:
        return self

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            with suppress(ResultError), self._lock:  # the disk may be full, which the call itself reports
                self._write()
            if error[0] is not None and not self._has_runs:
                self._writer.remove()
            self._writer.close()


def read_unfinished(path: Path) -> Ensemble:
    """The runs that had ended when an ensemble was interrupted; the others have the status "interrupted"."""
    content = read_blocks(path)
    head = _read_recording_head(content, str(path))
    _warn_of_damage(content, path)
    try:
        t = np.frombuffer(content.blocks[0].body, dtype="<f8").copy()
        columns = written_columns(head["columns"])
        rows = np.full((int(head["runs"]), len(t), 1 + len(columns)), np.nan)
        known = {
            name: np.zeros(len(rows), dtype=float if name == "end" else int) for name in ("status", "end", *COUNTS)
        }
        last = np.full((len(rows), rows.shape[2]), np.nan)
        repeated = _fill_recorded_runs(content, str(path), rows, last, known.__getitem__)
    except (KeyError, TypeError, ValueError, MemoryError):
        raise damaged_file_error(str(path), "its first block is not readable") from None
    status = ["done" if x == DONE else "interrupted" for x in known["status"].tolist()]
    ended = head["request"]["span"][0] + known["end"]
    reasons = {i: INTERRUPTED for i, kind in enumerate(status) if kind != "done"}
    for i, (kind, text, at) in repeated.items():
        status[i], ended[i] = kind, at
        reasons.pop(i, None)
        if kind != "done":
            reasons[i] = text
    counts = {name: known[name] for name in COUNTS}
    meta = dict(head["meta"]) | {"complete": False}
    return Ensemble(t, rows[:, :, 1:], columns, tuple(status), ended, reasons, counts, meta, final_rows(rows, last))


def _read_recording_head(content: SoundBlocks, file: str) -> dict[str, Any]:
    if not content.blocks:
        raise damaged_file_error(file, "its first block is not sound") if content.lost else foreign_file_error(file)
    head = content.blocks[0].head
    if head.get(KIND) != FORMAT or not isinstance(head.get("request"), dict):
        raise foreign_file_error(file)
    return head


def _fill_recorded_runs(
    content: SoundBlocks, file: str, rows: np.ndarray, last: np.ndarray, column: Any
) -> dict[int, tuple[str, str, float]]:
    """Fill in the runs of a file: rows, last row, status, end, counts; return the ends of those that were repeated."""
    repeated: dict[int, tuple[str, str, float]] = {}
    try:
        for head, body in content.blocks[1:]:
            runs = np.array(head["ended"], dtype=int)
            rows[runs] = np.frombuffer(body, dtype="<f8").reshape(len(runs), *rows.shape[1:])
            column("status")[runs] = DONE
            column("end")[runs] = head["ends"]
            for name in COUNTS:
                column(name)[runs] = head[name]
            for i, (kind, text, t) in head["repeated"].items():
                repeated[int(i)] = (str(kind), str(text), float(t))
                column("status")[int(i)] = FAILED
                last[int(i)] = head.get("last", {}).get(i, np.nan)
    except (KeyError, TypeError, ValueError, IndexError):
        raise damaged_file_error(file, "its blocks are not readable") from None
    return repeated


def left_to_run(about: Shared, repeated: dict[int, tuple[str, str, float]]) -> list[range]:
    """Runs that are not there yet, as ranges."""
    missing = np.flatnonzero(about.runs.column("status") == GOING)
    missing = missing[~np.isin(missing, list(repeated))]
    parts = np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1)
    return [range(int(part[0]), int(part[-1]) + 1) for part in parts if len(part)]


def _warn_of_damage(content: SoundBlocks, path: Path) -> None:
    if content.lost:
        _log.warning("%s: %d bytes behind the last sound block are left out", path, content.lost)


def _in_the_way(path: Path) -> ResultError:
    try:
        found = read_unfinished(path)
    except (OSError, ResultError):
        what = "a file of that name is there and is not an unfinished ensemble, so it is not replaced; remove it, or"
    else:
        what = (
            f"an unfinished ensemble is there, {int(found.done.sum())} of {len(found)} runs, and is not replaced; go "
            "on with it (resume=True), begin anew (overwrite=True), or"
        )
    return ResultError(f"{path}: {what} choose another name", file=str(path))
