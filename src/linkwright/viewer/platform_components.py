"""Components of the platform's pose that the mechanism can change, which are those that the live page offers."""

from __future__ import annotations

import numpy as np

from linkwright.recursion.twist_recursion import advance_coordinates
from linkwright.viewer.dragging import Grip, close_dragged_loops, free_motions

Array = np.ndarray
PARTS = ("x", "y", "z", "roll", "pitch", "yaw")
_STEP = 0.05  # [rad], of the largest joint velocity; of sliding ones times the size
_STILL = 1e-6  # [rad], and times the size [m]: changes below are rounding


def moving_parts(held: Grip, q: Array) -> list[str]:
    """The parts of the pose that change along some motion of closed loops near q; all when nothing moves there."""
    name = held.model.mechanism.platform
    if name is None:
        return []
    still = _STILL * np.array([held.size] * 3 + [1.0] * 3)
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
