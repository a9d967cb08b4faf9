"""Cubic splines through tables, evaluated on any scalar by a look-up and four multiplications."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from linkwright.checks import require_choice, require_finite_array
from linkwright.compiler import entry, interval
from linkwright.control.control_checks import Array, set_frozen_fields
from linkwright.control.references import Motion, clamp_time
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.numerics.tolerances import END_OF_WAY

Ends = Literal["rest", "natural", "smooth", "periodic"]
_SCIPY: dict[str, Any] = {"rest": "clamped", "natural": "natural", "smooth": "not-a-knot", "periodic": "periodic"}


@dataclass(frozen=True, eq=False)
class Spline:
    """The smooth curve through points at given times: position, rate and acceleration are continuous.

    Attributes:
        times: (m,), ascending, m at least 2, [s].
        points: (m, k), or (m,) for one number.
        ends: "rest" begins and ends with rate zero, "natural" with acceleration zero, "smooth" lets the third rate
            continue over the second point from each end, "periodic" joins end to start.

    >>> [round(float(x[0]), 12) for x in Spline([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]).at(1.0)]
    [1.0, 0.0, -6.0]
    """

    times: Array
    points: Array
    ends: Ends = "rest"

    def __post_init__(self) -> None:
        times, points = checked_knots(self.times, self.points)
        require_choice("ends", self.ends, _SCIPY)
        if self.ends == "periodic":
            points = _joined_ends(points)
        set_frozen_fields(self, times=times, points=points)
        from scipy.interpolate import CubicSpline  # half a second to import

        try:
            with np.errstate(all="ignore"):  # absurd times and points
                found = CubicSpline(times, points, bc_type=_SCIPY[self.ends])
        except ValueError as error:
            raise ArgumentError(f"no spline goes through these times and points ({error}); check their sizes") from None
        set_frozen_fields(self, _pieces=spline_pieces(times, found.c))

    @property
    def size(self) -> int:
        return self.points.shape[1]

    def at(self, t: Any) -> Motion:
        s, inside = clamp_time(t, self.times[-1], self.times[0])
        u, (c3, c2, c1, c0) = piece_at(self.times, self._pieces, s)  # type: ignore[attr-defined]
        x = ((c3 * u + c2) * u + c1) * u + c0
        return x, ((3.0 * c3 * u + 2.0 * c2) * u + c1) * inside, (6.0 * c3 * u + 2.0 * c2) * inside


def checked_knots(times: Any, points: Any) -> tuple[Array, Array]:
    """Times (m,) and points (m, k), checked."""
    times, points = require_finite_array("times", times), require_finite_array("points", points)
    points = points[:, None] if points.ndim == 1 else points
    if times.ndim != 1 or points.ndim != 2 or len(times) != len(points) or len(times) < 2 or not points.shape[1]:
        raise ArgumentError(
            f"times have shape {times.shape} and points {points.shape}, expected (m,) and (m, k) with m at least 2 and "
            "k at least 1"
        )
    if np.any(np.diff(times) <= 0.0):
        bad = int(np.argmax(np.diff(times) <= 0.0))
        raise ArgumentError(f"times must ascend, but {times[bad + 1]} follows {times[bad]} at row {bad + 1}")
    for array in (times, points):
        array.setflags(write=False)
    return times, points


def _joined_ends(points: Array) -> Array:
    """Periodic points with the last row made equal to the first, which it must be but for rounding."""
    apart, allowed = np.abs(points[-1] - points[0]), END_OF_WAY * np.ptp(points, axis=0)
    if np.any(apart > allowed):
        k = int(np.argmax(apart - allowed))
        raise ArgumentError(
            f"a periodic spline needs the same first and last point, but column {k} begins with "
            f"{float(points[0, k])!r} and ends with {float(points[-1, k])!r}"
        )
    joined = np.concatenate([points[:-1], points[:1]])
    joined.setflags(write=False)
    return joined


def spline_pieces(times: Array, c: Array) -> Array:
    """Coefficients (powers, m, k) of the pieces after each time, the last one repeated so that every time has one."""
    return np.concatenate([c, c[:, -1:]], axis=1)


def piece_at(times: Array, c: Array, s: Any, last: float | None = None) -> tuple[Any, list[Any]]:
    """Time since the piece at s (..., 1) began, and its coefficients, each (..., k).

    The piece of the end itself begins at `last`, which is the beginning of the piece before when None.
    """
    index = interval(s, times[1:])
    u = s - entry(index, np.append(times[:-1], times[-2] if last is None else last))
    return u, [_join_columns([entry(index, column) for column in power.T]) for power in c]


def _join_columns(columns: list[Any]) -> Any:
    return np.concatenate([np.asarray(x) for x in columns], axis=-1)
