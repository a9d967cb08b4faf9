"""Reference motions with rates and accelerations (any scalar).

A reference has `size` and `at(t)`, which for a time (...) gives position, rate and acceleration, each (..., size).
Before its first and after its last instant it stands still; at these instants themselves rate and acceleration are
those of the motion, not zero, so that a controller which starts or ends there follows the motion and not its stop.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.checks import require_number, require_positive
from linkwright.compiler import maximum, minimum, select
from linkwright.control.control_checks import Array, finite_row, require_reference, scalar_array, set_frozen_fields
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

Motion = tuple[Any, Any, Any]
"""Position, rate and acceleration."""


class Reference(Protocol):
    """A motion of `size` numbers."""

    @property
    def size(self) -> int:
        """Number of coordinates."""
        ...

    def at(self, t: Any) -> Motion:
        """Position, rate and acceleration at the time t."""
        ...


def clamp_time(t: Any, end: float, begin: float = 0.0) -> tuple[Any, Any]:
    """The time (..., 1) kept between begin and end, and 1 from begin to end, both included, 0 outside."""
    t = scalar_array("t", t)[..., None]
    return minimum(maximum(t, begin), end), select(begin - t, 0.0, select(t - end, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class _Move:
    """A move from start to end (k,) in a duration [s]."""

    start: Array
    end: Array
    duration: float

    def __post_init__(self) -> None:
        start = finite_row("start", self.start)
        set_frozen_fields(
            self,
            start=start,
            end=finite_row("end", self.end, len(start)),
            duration=require_positive("duration", self.duration),
        )

    @property
    def size(self) -> int:
        return len(self.start)


@dataclass(frozen=True, eq=False)
class Cycloidal(_Move):
    """The papers' move: q0 + (qT - q0) (w t - sin w t) / (2 pi) with w = 2 pi / T; rates and accelerations end at zero.

    >>> [float(x[0]) for x in Cycloidal(0.0, 1.0, duration=2.0).at(1.0)][:2]
    [0.5, 1.0]
    """

    def at(self, t: Any) -> Motion:
        s, inside = clamp_time(t, self.duration)
        w = 2.0 * np.pi / self.duration
        rise = (self.end - self.start) / (2.0 * np.pi)
        x = self.start + rise * (w * s - np.sin(w * s))
        return x, rise * w * (1.0 - np.cos(w * s)) * inside, rise * (w * w) * np.sin(w * s) * inside


@dataclass(frozen=True, eq=False)
class Quintic(_Move):
    """A move along 10 s^3 - 15 s^4 + 6 s^5; rates and accelerations end at zero.

    >>> [float(x[0]) for x in Quintic(0.0, 1.0, duration=2.0).at(1.0)]
    [0.5, 0.9375, 0.0]
    """

    def at(self, t: Any) -> Motion:
        s, inside = clamp_time(t, self.duration)
        s, T, rise = s / self.duration, self.duration, self.end - self.start
        x = self.start + rise * s**3 * (10.0 + s * (6.0 * s - 15.0))
        x_dot = rise / T * 30.0 * s**2 * (1.0 + s * (s - 2.0)) * inside
        return x, x_dot, rise / (T * T) * 60.0 * s * (1.0 + s * (2.0 * s - 3.0)) * inside


@dataclass(frozen=True, eq=False)
class Trapezoid(_Move):
    """A move of constant acceleration, constant velocity, constant deceleration; `ramp` is each ramp's share of time.

    >>> [float(x[0]) for x in Trapezoid(0.0, 3.0, duration=4.0, ramp=0.25).at(2.0)]
    [1.5, 1.0, 0.0]
    """

    ramp: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < require_number("ramp", self.ramp) <= 0.5:
            raise ArgumentError(f"ramp is {self.ramp!r}, expected a part of the time above 0 and at most 0.5")
        if not self.ramp * self.duration > 0.0:
            raise ArgumentError(
                f"ramp is {self.ramp!r} of {self.duration!r} s, shorter than any number; give longer ones"
            )

    def at(self, t: Any) -> Motion:
        s, inside = clamp_time(t, self.duration)
        T, ramp = self.duration, self.ramp * self.duration
        speed = 1.0 / (T - ramp)
        pull, early, late = speed / ramp, ramp - s, s - (T - ramp)
        rest = T - s
        x = _select_phase(early, late, 0.5 * pull * s**2, speed * (s - 0.5 * ramp), 1.0 - 0.5 * pull * rest**2)
        x_dot = _select_phase(early, late, pull * s, speed, pull * rest)
        rise = self.end - self.start
        x_ddot = _select_phase(early, late, pull, 0.0, -pull)
        return self.start + rise * x, rise * x_dot * inside, rise * x_ddot * inside


def _select_phase(early: Any, late: Any, first: Any, middle: Any, last: Any) -> Any:
    return select(early, first, select(late, last, middle))


@dataclass(frozen=True, eq=False)
class Steady:
    """Motion at a constant rate for ever: start + rate t; at rest without a rate.

    >>> [float(x[0]) for x in Steady(1.0, 2.0).at(3.0)]
    [7.0, 2.0, 0.0]
    """

    start: Array
    rate: Array = 0.0  # type: ignore[assignment]

    def __post_init__(self) -> None:
        start = finite_row("start", self.start)
        set_frozen_fields(self, start=start, rate=finite_row("rate", self.rate, len(start)))

    @property
    def size(self) -> int:
        return len(self.start)

    def at(self, t: Any) -> Motion:
        t = scalar_array("t", t)[..., None]
        return self.start + self.rate * t, self.rate + 0.0 * t, 0.0 * self.rate * t


@dataclass(frozen=True)
class Delayed:
    """Another reference that begins at the time `start` [s].

    >>> [float(x[0]) for x in Delayed(Steady(0.0, 1.0), 2.0).at(3.0)][0]
    1.0
    """

    reference: Reference
    start: float

    def __post_init__(self) -> None:
        require_reference("reference", self.reference)
        set_frozen_fields(self, start=require_number("start", self.start))

    @property
    def size(self) -> int:
        return self.reference.size

    def at(self, t: Any) -> Motion:
        return self.reference.at(scalar_array("t", t) - self.start)
