"""One stretch of a run after the other: native slices, samples of controllers, what to do when a driver stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.native import native
from linkwright.errors import LinkwrightError
from linkwright.results.recording import Recording
from linkwright.results.series import Event
from linkwright.simulation.callbacks import Callback
from linkwright.simulation.drivers import places as at
from linkwright.simulation.drivers.explicit import explicit
from linkwright.simulation.efforts import Drive
from linkwright.simulation.memory import Memory
from linkwright.simulation.watching import Watch

SLICE = 0.02
"""Seconds of native work between looks at the clock, at Ctrl-C and at the progress bar."""

_FIRST_BUDGET = 512
_LARGEST_BUDGET = 1 << 22


class Runner:
    """Advances a memory to the end; `status` is the last driver's answer."""

    def __init__(
        self, memory: Memory, drive: Drive, watch: Watch, recording: Recording, progress: Callable[[float], Any] | None
    ) -> None:
        self.memory, self.drive, self.watch, self.recording, self.progress = memory, drive, watch, recording, progress
        self.events: list[Event] = []
        self.status = at.GOING
        self.slices = 0
        self._budget = _FIRST_BUDGET
        self._advance = memory.bound(native(explicit))

    def to(self, t_end: float) -> int:
        """Advance to a time; samples of a controller on the way."""
        whole, real = self.memory.whole, self.memory.real
        first, period = float(real[at.T]), self.drive.period
        sample = 0
        while True:
            if self.drive.sampled is not None:
                self._sample()
                sample += 1
                real[at.T_END] = min(t_end, first + sample * period)
            else:
                real[at.T_END] = t_end
            self.status = self._stretch(first, t_end)
            if self.status != at.DONE or real[at.T] >= t_end:
                return self.status
            whole[at.FRESH] = 0

    def _sample(self) -> None:
        memory = self.memory
        nq, nv = int(memory.whole[at.NQ]), int(memory.whole[at.NV])
        state = memory.state
        assert self.drive.sampled is not None
        tau = self.drive.sampled(float(memory.real[at.T]), state[:nq].copy(), state[nq : nq + nv].copy())
        memory.arrays[at.TAU][: len(tau)] = tau

    def _stretch(self, first: float, t_end: float) -> int:
        """Slices until the driver has something to say."""
        whole, real = self.memory.whole, self.memory.real
        while True:
            whole[at.BUDGET] = self._budget
            began = time.perf_counter()
            status = self._advance()
            spent = time.perf_counter() - began
            self.slices += 1
            self._take_over()
            if status not in (at.GOING, at.FULL_LIST):
                return status
            self._budget = int(
                np.clip(self._budget * SLICE / max(spent, 1e-5), 1, min(8 * self._budget, _LARGEST_BUDGET))
            )
            if self.progress is not None:
                self.progress((float(real[at.T]) - first) / (t_end - first))

    def _take_over(self) -> None:
        """Rows and events of the slice; then what callbacks raised."""
        whole, found = self.memory.whole, self.memory.arrays[at.FOUND]
        fresh = [found[3 * k : 3 * k + 3].tolist() for k in range(int(whole[at.N_FOUND]))]
        for t, number, way in sorted(fresh):
            event = self.watch.event(t, int(number), way)
            self.events.append(event)
            self.recording.note(event)
        whole[at.N_FOUND] = 0
        self.recording.commit(int(whole[at.NEXT_ROW]))
        for place in (at.EFFORT, at.WATCH):
            code = self.memory.codes.get(place)
            if isinstance(code, Callback) and code.error is not None:
                error, code.error = code.error, None
                if isinstance(error, LinkwrightError):
                    raise error
                raise LinkwrightError(f"a Python function called during the run failed: {error}") from error
