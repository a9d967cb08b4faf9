"""Covectors that extract a velocity of a closed joint from the relative velocity of its frames (any scalar).

Velocities are those of the drawn child's frame relative to the drawn parent. Written on the child's side (`flipped`),
the velocity of the child's origin in the parent is omega x d - vel, and a force along it has the moment
n = d x direction too; of the sliding joints only planar and floating ones have a travel d that leaves their direction.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Vec, cross_product
from linkwright.joints.relative_pose import RelativePose

_O = np.zeros(3)
_Z = np.array([0.0, 0.0, 1.0])
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
