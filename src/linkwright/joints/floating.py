"""The floating joint."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.rotations import Full, Rotation
from linkwright.algebra.vectors import Mat, Vec, cross_product, skew
from linkwright.dataclass import dataclass
from linkwright.joints.closure_rows import Equation
from linkwright.joints.coordinate_gradients import Component, Covector, Freedom, travel_covector, turning_covectors
from linkwright.joints.kind import ANGULAR_VELOCITY, LINEAR_VELOCITY, POSITION, QUATERNION, GlyphPart, JointKind
from linkwright.joints.motion_terms import COORDINATE_AXES, JointFreedom, Movement, Placement, RelativePose
from linkwright.numerics.choices import maximum, select

# Below this square of an angle, functions that divide by powers of it are summed as series.
_SERIES = 1.0

# Terms of those series: the next one is below rounding.
_TERMS = 10

# Bernoulli numbers B_2, B_4, ... by magnitude.
_BERNOULLI = (1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6, 3617 / 510, 43867 / 798, 174611 / 330)


@dataclass(frozen=True)
class Floating(JointKind):
    """Moves freely; q = x y z in the parent and quaternion w x y z, v = [angular; linear] in the child frame."""

    coordinates = (*POSITION, *QUATERNION)
    velocities = (*ANGULAR_VELOCITY, *LINEAR_VELOCITY)
    has_quaternion = True
    floats = True
    has_constant_p = True
    velocity_sides = (1,) * 6

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        R = Rotation((Full(rotations.rotation_of_quaternion(q[3:])),))
        return R, R.T @ q[:3], np.eye(6), np.zeros((6, 6))

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """The inverse; v is the twist of the parent link relative to this one, in parent axes at its joint frame."""
        r, R, zero = q[:3], rotations.rotation_of_quaternion(q[3:]), np.zeros((3, 3))
        r_dot, R_dot = R @ v[3:], R @ skew(v[:3])
        p = np.block([[-R, zero], [-(skew(r) @ R), -R]])
        p_dot = np.block([[-R_dot, zero], [-(skew(r_dot) @ R) - skew(r) @ R_dot, -R_dot]])
        return Rotation((Full(R.T),)), -r, p, p_dot

    def coordinate_rates(self, q: Vec, v: Vec) -> Vec:
        return np.concatenate(
            [rotations.rotation_of_quaternion(q[3:]) @ v[3:], rotations.quaternion_rate(q[3:], v[:3])]
        )

    def moved_coordinates(self, q: Vec, dv: Vec) -> Vec:
        phi, R = dv[:3], rotations.rotation_of_quaternion(q[3:])
        travel = R @ _cross_product_series(
            phi, dv[3:], 0.5 * rotations.sine_ratio(0.25 * (phi @ phi)) ** 2, _cubic_sinc_factor(phi @ phi)
        )
        turn = rotations.quaternion_of_rotation_vector
        return np.concatenate([q[:3] + travel, rotations.quaternion_product(q[3:], turn(phi))])

    def displacement_between(self, q: Vec, q1: Vec) -> Vec:
        phi, R = rotations.rotation_vector_between(q[3:], q1[3:]), rotations.rotation_of_quaternion(q[3:])
        travel = _cross_product_series(phi, R.T @ (q1[:3] - q[:3]), -0.5, _inverse_third(phi @ phi))
        return np.concatenate([phi, travel])

    def closure_rows(self) -> tuple[Equation, ...]:
        return ()

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        """The position alone."""
        return d

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        turns = [Component(axis, np.zeros(3)) for axis in pose.Q.T]
        return [*turns, *(Component(np.zeros(3), axis) for axis in pose.Q.T)]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        axes = np.eye(3) if flipped else pose.Q
        travels = [travel_covector(pose, flipped, axes[:, i]) for i in range(3)]
        return [*turning_covectors(pose, flipped), *travels]

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        return tuple(JointFreedom(turns, axis, 1, 1.0) for turns in (True, False) for axis in COORDINATE_AXES)

    def element_axes(self, parent: Mat, child: Mat) -> tuple[Vec, ...]:
        return (*child.T, *child.T)

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        return ()


def _cross_product_series(phi: Vec, x: Vec, second: Any, third: Any) -> Vec:
    """x + second phi x x + third phi x (phi x x)."""
    across = cross_product(phi, x)
    return x + second * across + third * cross_product(phi, across)


def _cubic_sinc_factor(square: Any) -> Any:
    """(1 - sin(x) / x) / x^2 from the square of x."""
    series = _evaluate_polynomial([(-1.0) ** k / factorial(2 * k + 3) for k in range(_TERMS)], square)
    return select(square - _SERIES, (1.0 - rotations.sine_ratio(square)) / maximum(square, _SERIES), series)


def _inverse_third(square: Any) -> Any:
    """(1 - (x / 2) / tan(x / 2)) / x^2 from the square of x."""
    series = _evaluate_polynomial([b / factorial(2 * k + 2) for k, b in enumerate(_BERNOULLI)], square)
    half = 0.5 * np.sqrt(maximum(square, _SERIES))
    return select(square - _SERIES, (1.0 - half * np.cos(half) / np.sin(half)) / maximum(square, _SERIES), series)


def _evaluate_polynomial(coefficients: list[float], x: Any) -> Any:
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total
