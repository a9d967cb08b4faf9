"""Reachable interval of every actuator while the others stay: how far loops and limits let it go."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning, LinkwrightError, withheld_warnings
from linkwright.model import Model
from linkwright.model.limits import limit_rows

Array = np.ndarray
_STEPS = 72  # of a turn
_TOGETHER = 8  # steps of one batch: beyond the end of the interval a row costs milliseconds
_SLIGHTLY = 1e-7  # [rad or m] beside a position that cannot be reached by itself
_FARTHEST = 1.0  # of the mechanism's size, for sliding actuators without limits


@dataclass(frozen=True)
class Interval:
    """Positions that an actuator can take while the others stay.

    Attributes:
        low, high: its ends, [rad or m].
        whole: True if it turns all the way round; low and high are half a turn from where it is.
    """

    low: float
    high: float
    whole: bool = False


def reachable_intervals(model: Model, q: Array, length: float) -> list[Interval]:
    """The reachable interval of every actuator at closed coordinates q (nq,), for a mechanism of a size [m]."""
    home = model.actuator_positions(q)
    return [_reachable_interval(model, q, home, k, length) for k in range(model.na)]


def coordinates_on_way(model: Model, q: Array, q_act: Array) -> Array:
    """Closed coordinates (n, nq) at actuator positions (n, na), each on the straight way from q; else rows of NaN."""
    with withheld_warnings(BatchWarning):
        rows = model.forward_kinematics(q_act, near=q)[0]
        lost = ~np.isfinite(rows).all(axis=-1)
        if lost.any():
            rows = np.array(rows)
            rows[lost] = model.forward_kinematics(q_act[lost] + _SLIGHTLY, near=q)[0]
    return rows


def _reachable_interval(model: Model, q: Array, home: Array, k: int, length: float) -> Interval:
    actuator = model.actuators[k]
    (least, most), turning = actuator.range, not actuator.is_sliding
    farthest = 2.0 * np.pi if turning else _FARTHEST * length
    x = float(home[k])
    down = _reach_of_actuator(model, q, home, k, -min(farthest, max(x - least, 0.0)))
    up = _reach_of_actuator(model, q, home, k, min(farthest, max(most - x, 0.0)))
    if turning and min(-down, up) >= farthest:
        return Interval(x - np.pi, x + np.pi, whole=True)
    return Interval(x + down, x + up)


def _reach_of_actuator(model: Model, q: Array, home: Array, k: int, way: float) -> float:
    """How far an actuator can go towards home + way, [rad or m], with the sign of `way`."""
    steps = np.linspace(0.0, way, _STEPS + 1)
    allowed = int(np.sum(limit_rows(model.kernels, q).exceeded))
    for start in range(1, _STEPS + 1, _TOGETHER):
        path = np.tile(home, (_TOGETHER, 1))
        path[:, k] += steps[start : start + _TOGETHER]
        try:
            rows = coordinates_on_way(model, q, path)
        except LinkwrightError:
            return float(steps[start - 1])
        fine = np.isfinite(rows).all(axis=-1)
        exceeded = limit_rows(model.kernels, np.where(fine[:, None], rows, q)).exceeded
        fine &= np.sum(exceeded, axis=-1) <= allowed
        if not fine.all():
            return float(steps[start + int(np.argmin(fine)) - 1])
    return float(way)
