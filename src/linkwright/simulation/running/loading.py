"""The memory of a run filled for its first step."""

from __future__ import annotations

import numpy as np

from linkwright.simulation.drivers import places as at
from linkwright.simulation.methods.methods import Method, Rodas5P
from linkwright.simulation.problem.efforts import Drive
from linkwright.simulation.problem.jacobians import jacobian_code
from linkwright.simulation.running.memory import Memory
from linkwright.simulation.running.times import Times


def load(
    memory: Memory,
    state: tuple[np.ndarray, np.ndarray],
    driven: Drive,
    times: Times,
    rows: np.ndarray,
    t: float,
    method: Method,
) -> None:
    """Put a state (q, v) at a time t after the start, what drives it, and the rows' place and times into a memory."""
    memory.begin(*state)
    memory.real[at.T] = memory.real[at.T_START] = t
    memory.real[at.ORIGIN] = times.origin
    memory.arrays[at.TAU][: len(driven.start)] = driven.start
    if driven.code is not None:
        memory.codes[at.EFFORT] = driven.code
        memory.whole[at.HAS_EFFORT] = 1
    if driven.again is not None:
        memory.codes[at.EFFORT_AGAIN] = driven.again
        memory.whole[at.HAS_EFFORT_AGAIN] = 1
    if isinstance(method, Rodas5P):
        memory.codes[at.JACOBIAN] = jacobian_code(memory.problem, driven)
    memory.rows_into(times.since_start, rows, times.shown)
