"""A motion of all actuators about a configuration, to show a mechanism: a crank turns round, others go to and fro.

The interval that an actuator can reach is looked for where it moves alone; several go as far as their limits allow, and
less far where the loops do not close.
"""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning, LinkwrightError, withheld_warnings
from linkwright.model import Model
from linkwright.model.limits import limit_rows, limits_exceeded
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
    home = model.actuator_positions(q)
    if model.na == 1:
        way = reachable_interval(model, q, length)
        rows = coordinates_on_way(model, q, _single_sweep_positions(home[0], way)[:, None])
        if np.isfinite(rows).all() and np.ptp(rows, axis=0).max() > 0.0:
            return ShownMotion(_sweep_times(), rows)
    share = 1.0
    while share >= _SMALLEST:
        path = _combined_sweep_positions(model, home, share * sweep_amplitudes(model, length))
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


def _combined_sweep_positions(model: Model, home: Array, wide: Array) -> Array:
    """Positions (rows, na) of several actuators, each with its own number of periods."""
    waves = []
    for k, (x, actuator, a) in enumerate(zip(home, model.actuators, wide, strict=True)):
        least, most = actuator.range
        low, high = max(min(least, x), x - a), min(max(most, x), x + a)
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


# --- reachable interval of a single actuator --------------------------------------------------------------------------

_STEPS = 72  # of a turn
_TOGETHER = 8  # steps of one batch: beyond the end of the interval a row costs milliseconds
_SLIGHTLY = 1e-7  # [rad or m] beside a position that cannot be reached by itself
_FARTHEST = 1.0  # of the mechanism's size, for sliding actuators without limits


@dataclass(frozen=True)
class Interval:
    """Positions that an actuator can take.

    Attributes:
        low, high: its ends, [rad or m].
        whole: True if it turns all the way round; low and high are half a turn from where it is.
    """

    low: float
    high: float
    whole: bool = False


def coordinates_on_way(model: Model, q: Array, q_act: Array) -> Array:
    """Closed coordinates (n, nq) at actuator positions (n, na), each on the straight way from q; else rows of NaN."""
    with withheld_warnings(BatchWarning):
        rows = model.forward_kinematics(q_act, near=q)[0]
        lost = ~np.isfinite(rows).all(axis=-1)
        if lost.any():
            rows = np.array(rows)
            rows[lost] = model.forward_kinematics(q_act[lost] + _SLIGHTLY, near=q)[0]
    return rows


def reachable_interval(model: Model, q: Array, length: float) -> Interval:
    """The interval of the only actuator at closed coordinates q (nq,), for a mechanism of a size [m]."""
    (actuator,) = model.actuators
    (least, most), turning = actuator.range, not actuator.is_sliding
    farthest = 2.0 * np.pi if turning else _FARTHEST * length
    x = float(model.actuator_positions(q)[0])
    down = _reach_of_actuator(model, q, x, -min(farthest, max(x - least, 0.0)))
    up = _reach_of_actuator(model, q, x, min(farthest, max(most - x, 0.0)))
    if turning and min(-down, up) >= farthest:
        return Interval(x - np.pi, x + np.pi, whole=True)
    return Interval(x + down, x + up)


def _reach_of_actuator(model: Model, q: Array, x: float, way: float) -> float:
    """How far the actuator can go from x towards x + way, [rad or m], with the sign of `way`."""
    steps = np.linspace(0.0, way, _STEPS + 1)
    allowed = int(np.sum(limit_rows(model.kernels, q).exceeded))
    for start in range(1, _STEPS + 1, _TOGETHER):
        try:
            rows = coordinates_on_way(model, q, x + steps[start : start + _TOGETHER, None])
        except LinkwrightError:
            return float(steps[start - 1])
        fine = np.isfinite(rows).all(axis=-1)
        exceeded = limit_rows(model.kernels, np.where(fine[:, None], rows, q)).exceeded
        fine &= np.sum(exceeded, axis=-1) <= allowed
        if not fine.all():
            return float(steps[start + int(np.argmin(fine)) - 1])
    return float(way)
