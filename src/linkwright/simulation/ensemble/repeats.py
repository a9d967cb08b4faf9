"""Runs of an ensemble done one by one by `simulate`: those that cannot end in a lane."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import field
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.model import Model
from linkwright.results.recording import Recording, RunEnd
from linkwright.results.result import Result
from linkwright.results.series import Event
from linkwright.simulation.api import execute
from linkwright.simulation.drivers.driver_records import GOING
from linkwright.simulation.ensemble.lane_workers import OVER, Shared
from linkwright.simulation.problem.run_efforts import actuation_of
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run_spec import RunSpec, Start, start_state

_LOOK = 0.2  # [s] between looks at Ctrl-C


@dataclass(frozen=True, eq=False)
class Repeats:
    """Does runs of an ensemble with `simulate`, and writes their rows in place of the fast ones.

    Attributes:
        watching: True where the events of runs are wanted.
        noted: by run, its events as [t, kind, name, text] and its impulses; only where runs are watched.
    """

    about: Shared
    watching: bool = False
    noted: dict[int, tuple[list[Any], list[Any]]] = field(default_factory=dict)

    def resume(self, recording: Recording) -> None:
        """Know what happened in the runs that were done before an interruption."""
        if self.watching:
            repeated = {i: note for i, note in recording.notes.items() if isinstance(note, dict)}
            self.noted.update({i: (note["events"], note["impulses"]) for i, note in repeated.items()})

    def doubtful(self, recording: Recording) -> list[int]:
        """Runs that did not end in their lanes: ill-conditioned accelerations, near a singular position."""
        status = self.about.runs.column("status")
        doubtful = np.flatnonzero(~np.isin(status, (*OVER, GOING))).tolist()
        return [i for i in doubtful if i not in recording.ends]

    def repeat(
        self,
        runs: Sequence[int],
        recording: Recording,
        threads: int,
    ) -> bool:
        """Do some runs, on so many threads; False when it was interrupted (Ctrl-C) before the last had ended.

        The recording takes kind, message and time of each end.
        """
        n, progress = len(self.about.runs), self.about.spec.output.progress
        with ThreadPoolExecutor(max(1, min(threads, len(runs)))) as pool:
            left = {pool.submit(self._one, i): i for i in runs}
            try:
                while left:
                    self._collect_runs(left, wait(left, _LOOK, FIRST_COMPLETED).done, recording)
                    if progress is not None:
                        checks.result_of("progress", progress, 1.0 - len(left) / n)
            except KeyboardInterrupt:
                pool.shutdown(wait=True, cancel_futures=True)
                ended = [each for each in left if not each.cancelled() and each.exception() is None]
                self._collect_runs(left, ended, recording)
                return False
            except BaseException:  # raised by a function of the caller: runs that have ended are kept
                pool.shutdown(wait=True, cancel_futures=True)
                raise
        return True

    def _collect_runs(self, left: dict[Future[Any], int], ended: Iterable[Future[Any]], to: Recording) -> None:
        for future in ended:
            i = left.pop(future)
            end = future.result()
            events, impulses = self.noted.setdefault(i, ([], [])) if self.watching else ([], [])
            to.keep_runs([i], {i: end}, {i: {"events": events, "impulses": impulses}} if self.watching else {})

    def _one(self, i: int) -> RunEnd:
        spec = self.about.spec
        try:
            run = execute(self._spec_of(i)).result
        except LinkwrightError as error:
            return RunEnd("failed", str(error), spec.times.origin + self.about.runs[i].end)
        self._take_over(i, run)
        ended = run.meta["ended"]
        return RunEnd(ended["kind"], ended["text"], float(ended["t"]))

    def _spec_of(self, i: int) -> RunSpec[Start]:
        """One of the runs as a run of its own."""
        spec, model = self.about.spec, self.about.spec.start.varied.of(i)
        states, law, loads = spec.start.states[i], spec.actuation.law, spec.actuation.loads
        effort = spec.start.taus[i] if law is None else law
        actuation = actuation_of(model, effort if model.na else None, loads.wrenches or None)
        begin = start_state(model, states[: model.nq], states[model.nq :])
        return RunSpec(
            model, begin, actuation, spec.times, spec.method, None, spec.crossings, spec.switches, spec.stop_at,
            check=False, max_steps=spec.max_steps, stops=spec.stops,
        )  # fmt: skip

    def _take_over(self, i: int, run: Result) -> None:
        """Take rows on the grid, where velocities jump those after it, and counts."""
        rows, grid = self.about.rows[i], self.about.spec.times.shown
        rows[:] = np.nan
        if not len(run.t):  # it failed at its start
            return
        last = np.searchsorted(run.t, grid, side="right") - 1
        kept = last[(last >= 0) & (run.t[np.maximum(last, 0)] == grid)]
        width = rows.shape[1]
        self.about.last[i] = _final_row(run, width, self.about.spec.model)
        rows[: len(kept), 0] = run.t[kept]
        rows[: len(kept), 1:] = np.stack([each.values[kept] for each in run.series[: rows.shape[1] - 1]], axis=1)
        for name in ("steps", "rejected", "evaluations", "projections"):
            setattr(self.about.runs[i], name, run.stats[name])
        if self.watching:
            self.noted[i] = _event_rows(run.events), run.meta.get("impulses", [])

    def notes(self, in_lanes: Mapping[int, Sequence[Event]] = MappingProxyType({})) -> dict[str, Any]:
        """Events and impulses of all runs, for the meta of the ensemble; those in lanes have no impulses."""
        runs: Sequence[int] = sorted(self.noted)
        found = {i: _event_rows(events) for i, events in in_lanes.items()} | {i: self.noted[i][0] for i in runs}
        events = {str(i): found[i] for i in sorted(found) if found[i]}
        impulses = {str(i): self.noted[i][1] for i in runs if self.noted[i][1]}
        return {"events": events} | ({"impulses": impulses} if impulses else {})


def _final_row(run: Result, width: int, model: Model) -> np.ndarray:
    """The row at the end of a run; where it has none there, time, coordinates and velocities, and NaN."""
    ended = run.meta["ended"]
    if "q" not in ended or not ended["t"] > run.t[-1]:
        return np.array([run.t[-1], *(each.values[-1] for each in run.series[: width - 1])])
    row = np.full(width, np.nan)
    layout = row_layout(model)
    row[0], row[layout.q], row[layout.v] = ended["t"], ended["q"], ended.get("v", np.nan)
    return row


def _event_rows(events: Iterable[Event]) -> list[list[Any]]:
    return [[e.t, e.kind, e.name, e.text] for e in events if e.kind != "end"]
