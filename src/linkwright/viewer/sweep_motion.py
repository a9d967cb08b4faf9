"""A motion of all actuators about a configuration, to show a mechanism: a crank turns round, others go to and fro."""

from __future__ import annotations

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.model import Model
from linkwright.model.limits import limit_rows, limits_exceeded
from linkwright.viewer.ranges import Interval, coordinates_on_way, reachable_intervals
from linkwright.viewer.shown_motion import ShownMotion

Array = np.ndarray
DURATION = 4.0  # [s]
_ROWS = 161
_SMALLEST = 1.0 / 64.0
_MARGIN = 0.03  # of an interval, kept from its ends: they are singular, or limits


def actuator_sweep(model: Model, q: Array, length: float) -> ShownMotion:
    """A periodic motion of all actuators from a closed configuration q (nq,), as wide as loops and limits allow.

    One actuator goes through its whole reachable interval, and round and round where it can; several make sines of
    different periods.

    Args:
        model: the mechanism.
        q: where it starts and ends.
        length: size of the mechanism [m], of which sliding actuators move a tenth when there are several.

    Returns: the motion; one still sample when not even a small motion is possible.
    """
    still = ShownMotion(np.zeros(1), q[None])
    if not model.na:
        return still
    home, ways = model.actuator_positions(q), reachable_intervals(model, q, length)
    if model.na == 1:
        rows = coordinates_on_way(model, q, _single_sweep_positions(home[0], ways[0])[:, None])
        if np.isfinite(rows).all() and np.ptp(rows, axis=0).max() > 0.0:
            return ShownMotion(_sweep_times(), rows)
    share = 1.0
    while share >= _SMALLEST:
        path = _combined_sweep_positions(home, ways, share * sweep_amplitudes(model, length))
        try:
            rows = model.follow(path, q)
        except LinkwrightError:
            share *= 0.5
            continue
        if _has_more_violations(model, rows, q):
            share *= 0.5
            continue
        return ShownMotion(_sweep_times(), rows)
    return still


def _sweep_times() -> Array:
    return np.linspace(0.0, DURATION, _ROWS)


def _single_sweep_positions(x: float, way: Interval) -> Array:
    """Positions (rows,) of a single actuator: one turn, or to and fro between the ends of its interval."""
    if way.whole:
        return x + np.linspace(0.0, 2.0 * np.pi, _ROWS)
    margin = _MARGIN * (way.high - way.low)
    low, high = min(way.low + margin, x), max(way.high - margin, x)
    return _sine_wave(x, low, high, 1)


def _combined_sweep_positions(home: Array, ways: list[Interval], wide: Array) -> Array:
    """Positions (rows, na) of several actuators, each with its own number of periods."""
    waves = []
    for k, (x, way, a) in enumerate(zip(home, ways, wide, strict=True)):
        low, high = (x - a, x + a) if way.whole else (max(way.low, x - a), min(way.high, x + a))
        waves.append(_sine_wave(x, low, high, (1 + k % 2) * (1 if k % 4 < 2 else -1)))
    return np.stack(waves, axis=1)


def _sine_wave(x: float, low: float, high: float, periods: int) -> Array:
    """A sine between two positions that is at x when it starts and ends, (rows,)."""
    half = 0.5 * (high - low)
    if half <= 0.0:
        return np.full(_ROWS, x)
    start = np.arcsin(np.clip((x - low) / half - 1.0, -1.0, 1.0))
    rows = low + half * (1.0 + np.sin(start + periods * np.linspace(0.0, 2.0 * np.pi, _ROWS)))
    rows[[0, -1]] = x
    return rows


def _has_more_violations(model: Model, rows: Array, q: Array) -> bool:
    """Return True if some row breaks more limits than the start."""
    allowed = len(limits_exceeded(model.kernels, q))
    broken = limit_rows(model.kernels, rows[:: _ROWS // 16]).exceeded
    return bool(np.any(np.sum(broken, axis=-1) > allowed))


def sweep_amplitudes(model: Model, length: float) -> Array:
    """Amplitude of each actuator when nothing is in the way, (na,): 0.5 rad, or a tenth of the mechanism's size."""
    return np.where([each.is_sliding for each in model.actuators], 0.1 * length, 0.5)
