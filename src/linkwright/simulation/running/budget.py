"""The budget of steps of a run: how many it may attempt, and the messages about it."""

from __future__ import annotations

import math
from typing import Any

from linkwright.checks import require_integer
from linkwright.errors import ArgumentError
from linkwright.numerics.tolerances import END_OF_WAY
from linkwright.simulation.methods.methods import Method

MAX_STEPS = 100_000_000
"""Steps that a run may attempt unless it is allowed more."""

_MORE = "allow more (max_steps=..., --max-steps, max_steps: in a study)"


def checked_budget(max_steps: Any) -> int:
    """The number of steps that a run may attempt."""
    return require_integer("max_steps", max_steps, 1, 1 << 53)


def require_affordable(method: Method, duration: float, max_steps: int) -> None:
    """Refuse steps so short that a run cannot reach its end within its budget: it would only end by that.

    >>> from linkwright.simulation.methods.methods import RK4
    >>> require_affordable(RK4(1e-3), 1.0, 1000)
    """
    longest = method.h if method.h is not None else getattr(method, "h_max", math.inf)
    needed = duration / longest
    if needed > max_steps * (1.0 + END_OF_WAY):
        raise ArgumentError(
            f"{method!r} takes {needed:.3g} steps for {duration:g} s, and max_steps is {max_steps}; take longer steps, "
            f"or {_MORE}"
        )


def used_up(max_steps: float, work: str) -> str:
    """The message of a run that has used up its budget."""
    return (
        f"the budget of {int(max_steps)} steps is used up ({work}); {_MORE}, or take longer steps, looser tolerances "
        "or a method for stiff motion"
    )
