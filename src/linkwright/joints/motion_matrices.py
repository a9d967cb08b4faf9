"""Turns and motion matrices that several kinds of joint are written with (any scalar)."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.algebra.rotation import NO_TURN, Rotation, Turn
from linkwright.algebra.sums import known_value
from linkwright.algebra.vectors import Mat, Vec, join_twist
from linkwright.dataclass import dataclass
from linkwright.numerics.tolerances import RIGHT_ANGLE

X_AXIS, Y_AXIS, Z_AXIS = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
NOTHING = np.zeros(3)

Movement = tuple[Rotation, Vec, Mat, Mat]
"""Turn R of the child's frame in the parent's; travel s, child's axes [m]; motion matrix p, velocities to relative
twist, child's axes, (6, nv); the rate p_dot of its components."""


class Placement(Protocol):
    """Constants of a joint in its tree: a turn between its two axes, angles added to its first and to its last turn."""

    @property
    def between(self) -> Rotation: ...

    @property
    def offsets(self) -> tuple[Any, Any]: ...


@dataclass(frozen=True, eq=False)
class NeutralPlacement:
    """A joint between its own two frames, outside a tree."""

    between: Rotation = NO_TURN
    offsets: tuple[Any, Any] = (0.0, 0.0)


def turn_about_z(angle: Any, offset: Any) -> Rotation:
    """A turn about z by angle + offset; offsets of whole right angles cost nothing."""
    if known_value(offset) is None:
        return Rotation((Turn(2, np.cos(angle + offset), np.sin(angle + offset)),))
    quarters = round(offset / (0.5 * np.pi))
    if abs(offset - quarters * 0.5 * np.pi) > RIGHT_ANGLE:
        return Rotation((Turn(2, np.cos(angle + offset), np.sin(angle + offset)),))
    c, s = np.cos(angle), np.sin(angle)
    for _ in range(quarters % 4):
        c, s = -s, c
    return Rotation((Turn(2, c, s),))


def motion_columns(*pairs: tuple[Vec, Vec]) -> Mat:
    """A motion matrix from the angular and linear part of each column."""
    return np.array([join_twist(angular, linear) for angular, linear in pairs]).T
