"""Times that mean something on a machine with other work: the least CPU time of several calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def least(call: Callable[[], Any], rounds: int = 15) -> float:
    """Shortest CPU time of one call, [s]."""
    times = []
    for _ in range(rounds):
        began = time.process_time_ns()
        call()
        times.append(time.process_time_ns() - began)
    return 1e-9 * min(times)
