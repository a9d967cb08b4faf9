"""Rows of a run and where they go."""

from __future__ import annotations

import os
from collections.abc import Callable

from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.files import require_regular
from linkwright.simulation.running.pacing import Pace


@dataclass(frozen=True, eq=False)
class Output:
    """What a run hands out, when and where.

    Attributes:
        rows: number of rows (201), time between rows [s], or an array of times [s].
        path: where to save the result; what was computed so far can be opened there after a crash.
        progress: called with the share done, now and then.
        pace: `Pace()` holds the run back to the wall clock; `run.meta["real time"]` reports deadlines.
        overwrite: replace an unfinished run of that name, and a file that is not a run; both are refused otherwise.
    """

    rows: ArrayLike | None = None
    path: str | os.PathLike[str] | None = None
    progress: Callable[[float], object] | None = None
    pace: Pace | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.path is not None:
            require_regular(checks.require_path("path", self.path))
        if self.progress is not None:
            checks.require_callable("progress", self.progress, "a function of the share done, or None")
        checks.require_instance("pace", self.pace, (Pace, type(None)), "Pace(), or None")
        checks.require_flag("overwrite", self.overwrite)
