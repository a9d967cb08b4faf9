"""Relative poses, turns, motion matrices, twists and moments that kinds of joint are written with."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.algebra.rotations import NO_TURN, Rotation, Turn
from linkwright.algebra.sums import known_value
from linkwright.algebra.transforms import Moments
from linkwright.algebra.vectors import Mat, Vec, join_twist
from linkwright.dataclass import dataclass
from linkwright.numerics.tolerances import RIGHT_ANGLE

# --- relative pose and motion of the two frames of a joint, in the first frame's axes ---------------------------------


@dataclass(frozen=True, eq=False)
class RelativePose:
    """Second frame seen from the first: axes Q (columns), origin d [m]."""

    Q: Mat
    d: Vec


@dataclass(frozen=True, eq=False)
class RelativeMotion:
    """Relative motion in the first frame's axes: omega, vel and the rates alpha, acc of their components."""

    omega: Vec
    vel: Vec
    alpha: Vec
    acc: Vec


# --- turns and motion matrices that several kinds of joint are written with (any scalar) ------------------------------

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


# --- freedoms of a joint as turns and slides, for mobility and singularities ------------------------------------------

COORDINATE_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class JointFreedom:
    """One freedom of a joint: turning about an axis with a pitch [m/rad], or sliding along it (`turns` False).

    The axis is given in the joint's frame on the parent (`side` 0), on the child (1), or in a frame whose z is the
    direction of a rod (2). It passes a point at `share` of the way from the parent's origin to the child's.
    """

    turns: bool
    axis: tuple[Any, ...]
    side: int = 0
    share: float = 0.0
    pitch: Any = 0.0


# --- moments of a body that move with its parent in the same way (any scalar) -----------------------------------------


def moments_on_axis(body: Moments) -> Mat:
    """Second moments of a body along the joint's axis."""
    return np.diag([0.0, 0.0, 1.0]) * body.Sigma
