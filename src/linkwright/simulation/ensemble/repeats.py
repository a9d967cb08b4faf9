"""Runs of an ensemble done one by one by `simulate`: those with ill-conditioned accelerations, all that are watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.drivers.status import DONE, EXHAUSTED, GOING
from linkwright.simulation.ensemble.memory import Shared
from linkwright.simulation.ensemble.parameters import Varied
from linkwright.simulation.ensemble.saving import EnsembleRecording

_LOOK = 0.2  # [s] between looks at Ctrl-C


@dataclass(frozen=True, eq=False)
class Repeats:
    """Does runs of an ensemble with `simulate`, and writes their rows in place of the fast ones.

    Attributes:
        law, wrench: effort law and wrenches of all runs, as `simulate` takes them; None where there is none.
        watching: events and stop_at of `simulate` where runs are watched.
        noted: by run, its events as [t, kind, name, text] and its impulses; only where runs are watched.
    """

    about: Shared
    varied: Varied
    law: Any
    wrench: Any = None
    watching: dict[str, Any] = field(default_factory=dict)
    noted: dict[int, tuple[list[Any], list[Any]]] = field(default_factory=dict)

    def doubtful(self, recording: EnsembleRecording) -> None:
        """Repeat runs with ill-conditioned accelerations; the recording takes kind, message and time of each end."""
        doubtful = np.flatnonzero(~np.isin(self.about.runs.column("status"), (DONE, GOING, EXHAUSTED))).tolist()
        for i in doubtful:
            if i not in recording.repeated:
                recording.repeat_ended(i, self._one(i))

    def watched(self, recording: EnsembleRecording, threads: int, progress: Callable[[float], Any] | None) -> bool:
        """Do all runs, on so many threads; False when it was interrupted (Ctrl-C) before the last had ended."""
        n = len(self.about.runs)
        with ThreadPoolExecutor(threads) as pool:
            left = {pool.submit(self._one, i): i for i in range(n)}
            try:
                while left:
                    self._collected(left, wait(left, _LOOK, FIRST_COMPLETED).done, recording)
                    if progress is not None:
                        progress(1.0 - len(left) / n)
            except KeyboardInterrupt:
                pool.shutdown(wait=True, cancel_futures=True)
                return False
        return True

    def _collected(self, left: dict[Future[Any], int], ended: Iterable[Future[Any]], to: EnsembleRecording) -> None:
        for future in ended:
            to.repeat_ended(left.pop(future), future.result())

    def _one(self, i: int) -> tuple[str, str, float]:
        times = self.about.times
        nq, na = self.about.model.nq, self.about.model.na
        state = self.about.starts[i]
        effort = self.law if self.law is not None else self.about.taus[i]
        try:
            run = simulate(
                self.varied.of(i),
                state[:nq],
                state[nq:],
                times.end,
                effort if na else None,
                method=self.about.method,
                t_start=times.origin,
                output=times.shown,
                check=False,
                max_steps=int(self.about.template.settings.max_steps),
                wrench=self.wrench,
                **self.watching,
            )
        except LinkwrightError as error:
            return "failed", str(error), times.origin + self.about.runs[i].end
        self._take_over(i, run)
        ended = run.meta["ended"]
        return ended["kind"], ended["text"], float(ended["t"])

    def _take_over(self, i: int, run: Result) -> None:
        """Take rows on the grid, where velocities jump those after it, and counts."""
        rows, grid = self.about.rows[i], self.about.times.shown
        last = np.searchsorted(run.t, grid, side="right") - 1
        kept = last[(last >= 0) & (run.t[np.maximum(last, 0)] == grid)]
        rows[:] = np.nan
        rows[: len(kept), 0] = run.t[kept]
        rows[: len(kept), 1:] = np.stack([each.values[kept] for each in run.series[: rows.shape[1] - 1]], axis=1)
        for name in ("steps", "rejected", "evaluations", "projections"):
            setattr(self.about.runs[i], name, run.stats[name])
        if self.watching:
            events = [[e.t, e.kind, e.name, e.text] for e in run.events if e.kind != "end"]
            self.noted[i] = events, run.meta.get("impulses", [])

    def notes(self) -> dict[str, Any]:
        """Events and impulses of all runs, for the meta of the ensemble."""
        runs: Sequence[int] = sorted(self.noted)
        events = {str(i): self.noted[i][0] for i in runs if self.noted[i][0]}
        impulses = {str(i): self.noted[i][1] for i in runs if self.noted[i][1]}
        return {"events": events} | ({"impulses": impulses} if impulses else {})
