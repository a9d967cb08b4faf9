"""Coordinates and velocities of a joint from the relative pose of its frames, with exact gradients.

Each velocity of a joint is the product of a covector (n, f) and the relative velocity of the joint's frames; what acts
along the velocity acts on the two bodies along that covector, whether the loop is closed or open (theory 6.24).

Velocities are those of the drawn child's frame relative to the drawn parent. Written on the child's side (`flipped`),
the velocity of the child's origin in the parent is omega x d - vel, and a force along it has the moment
n = d x direction too; of the sliding joints only planar and floating ones have a travel d that leaves their direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.dataclass import dataclass
from linkwright.joints.derivatives import Coordinate
from linkwright.joints.motion_terms import RelativeMotion, RelativePose

# --- coordinates of a joint from the relative pose of its frames, with their exact gradients (any scalar) -------------

_O = np.zeros(3)
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class AngleAbout:
    """The angle about the direction e at which the direction g stands, both unit; one of them moves.

    `x`, `y` are the components of g across e, `origin` [rad] their direction at the coordinate zero, `sense` the sign
    with which the angle counts.
    """

    e: Vec
    g: Vec
    moving: Vec
    x: Any
    y: Any
    origin: float = 0.0
    sense: float = 1.0

    def deflection(self, rest: Any) -> Any:
        """The angle less `rest`, the one of its values that is nearest to zero."""
        zero = self.origin + self.sense * rest
        c, s = np.cos(zero), np.sin(zero)
        return self.sense * np.arctan2(self.y * c - self.x * s, self.x * c + self.y * s)

    @property
    def covector(self) -> tuple[Vec, Vec]:
        """The angle's gradient, (e - g c) / (1 - c^2) with c = e . g."""
        c = self.e @ self.g
        return (self.e - self.g * c) / (1.0 - c * c), _O

    def drift(self, rate: Any, moving: RelativeMotion) -> Any:
        """Contribution of the turning covector to the second rate; zero where c is constant."""
        c = self.e @ self.g
        fixed = self.g if self.moving is self.e else self.e
        c_dot = moving.omega @ cross_product(self.moving, fixed)
        return c_dot * (2.0 * c * rate - self.g @ moving.omega) / (1.0 - c * c)


@dataclass(frozen=True, eq=False)
class Slide:
    """A coordinate along a direction f of the first frame, [m] times `scale`."""

    f: Vec
    value: Any
    scale: float = 1.0

    def deflection(self, rest: Any) -> Any:
        return self.value - rest

    @property
    def covector(self) -> tuple[Vec, Vec]:
        return _O, self.scale * self.f

    def drift(self, rate: Any, moving: RelativeMotion) -> Any:
        return 0.0


@dataclass(frozen=True, eq=False)
class Component:
    """A velocity along a direction of the second frame that belongs to no coordinate."""

    n: Vec
    f: Vec

    def deflection(self, rest: Any) -> Any:
        return 0.0

    @property
    def covector(self) -> tuple[Vec, Vec]:
        return self.n, self.f

    def drift(self, rate: Any, moving: RelativeMotion) -> Any:
        return cross_product(moving.omega, self.f) @ moving.vel


Freedom = AngleAbout | Slide | Component | Coordinate


def turn_from_pose(Q: Mat) -> AngleAbout:
    """The angle about z at which x of the second frame stands in the first."""
    return AngleAbout(_Z, Q[:, 0], Q[:, 0], Q[0, 0], Q[1, 0])


# --- covectors that extract a velocity of a closed joint from the relative velocity of its frames (any scalar) --------

Covector = tuple[Vec, Vec]


def sign_of_side(flipped: bool) -> float:
    """The sign with which turns and slides along a common axis count."""
    return -1.0 if flipped else 1.0


def turn_covector(flipped: bool) -> Covector:
    """The covector of a turn about z."""
    return sign_of_side(flipped) * _Z, _O


def slide_covector(flipped: bool) -> Covector:
    """The covector of a slide along z."""
    return _O, sign_of_side(flipped) * _Z


def turning_covectors(pose: RelativePose, flipped: bool) -> list[Covector]:
    """Covectors of the angular velocity in the drawn child's axes."""
    axes, sign = np.eye(3) if flipped else pose.Q, sign_of_side(flipped)
    return [(sign * axes[:, i], _O) for i in range(3)]


def travel_covector(pose: RelativePose, flipped: bool, along: Vec) -> Covector:
    """The covector of the velocity of the drawn child's origin in the drawn parent, along a direction in near axes."""
    return (cross_product(pose.d, along), -along) if flipped else (_O, along)
