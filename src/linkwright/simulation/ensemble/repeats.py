"""Runs that met ill-conditioned accelerations, repeated one by one by `simulate`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.drivers.status import DONE, EXHAUSTED, GOING
from linkwright.simulation.ensemble.memory import Shared
from linkwright.simulation.ensemble.parameters import Varied
from linkwright.simulation.ensemble.saving import EnsembleRecording


@dataclass(frozen=True, eq=False)
class Repeats:
    """Repeats the doubtful runs of an ensemble with `simulate`, and writes their rows in place of the fast ones."""

    about: Shared
    varied: Varied
    law: Any
    wrench: Any = None

    def all(self, recording: EnsembleRecording) -> None:
        """Repeat them and hand the end of each to the recording: kind, message, time."""
        doubtful = np.flatnonzero(~np.isin(self.about.runs.column("status"), (DONE, GOING, EXHAUSTED))).tolist()
        for i in doubtful:
            if i not in recording.repeated:
                recording.repeat_ended(i, self._one(i))

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
            )
        except LinkwrightError as error:
            return "failed", str(error), times.origin + self.about.runs[i].end
        self._take_over(i, run)
        ended = run.meta["ended"]
        return ended["kind"], ended["text"], float(ended["t"])

    def _take_over(self, i: int, run: Result) -> None:
        rows, grid = self.about.rows[i], self.about.times.shown
        kept = np.isin(run.t, grid)
        n = int(kept.sum())
        rows[:] = np.nan
        rows[:n, 0] = run.t[kept]
        rows[:n, 1:] = np.stack([each.values[kept] for each in run.series[: rows.shape[1] - 1]], axis=1)
        for name in ("steps", "rejected", "evaluations", "projections"):
            setattr(self.about.runs[i], name, run.stats[name])
