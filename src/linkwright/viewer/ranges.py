"""Reachable interval of every actuator while the others stay, and components of the platform that can change."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning, LinkwrightError, withheld_warnings
from linkwright.model import Model
from linkwright.model.limits import limit_rows
from linkwright.numerics.tolerances import UNSEEN
from linkwright.recursion.twist_recursion import advance_coordinates
from linkwright.viewer.dragging import Grip, close_dragged_loops, free_motions

# --- components of the platform's pose that the mechanism can change, which are those that the live page offers -------

Array = np.ndarray
PARTS = ("x", "y", "z", "roll", "pitch", "yaw")
_STEP = 0.05  # [rad], of the largest joint velocity; of sliding ones times the size


def moving_parts(held: Grip, q: Array) -> list[str]:
    """The parts of the pose that change along some motion of closed loops near q; all when nothing moves there."""
    name = held.model.mechanism.platform
    if name is None:
        return []
    still = UNSEEN * np.array([held.size] * 3 + [1.0] * 3)
    home, moving = _position_and_angles(held, q, name), np.zeros(6, dtype=bool)
    for direction in free_motions(held, q).T:
        step = _STEP * min(1.0, held.size) / np.abs(direction).max()
        for sign in (1.0, -1.0):
            moved = close_dragged_loops(held, advance_coordinates(held.tree, q, sign * step * direction))
            if moved is not None:
                change = _position_and_angles(held, moved, name) - home
                change[3:] = (change[3:] + np.pi) % (2.0 * np.pi) - np.pi
                moving |= np.abs(change) > still
    return [part for part, moves in zip(PARTS, moving, strict=True) if moves or not moving.any()]


def _position_and_angles(held: Grip, q: Array, name: str) -> Array:
    """Position, and angles of R = Rz(yaw) Ry(pitch) Rx(roll), (6,)."""
    r, (w, x, y, z) = held.model.frame_pose(q, name)
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.array([*r, roll, pitch, yaw])


# --- reachable interval of every actuator while the others stay -------------------------------------------------------

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
