"""Derivatives of what a kind says about its motion, by numbers with an infinitesimal part (any scalar)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, skew
from linkwright.dataclass import dataclass
from linkwright.joints.motion_terms import RelativeMotion, RelativePose

PoseFunction = Callable[[Mat, Vec], Any]


def _binary_operation(rule: Callable[[Any, Any], Dual]) -> Callable[[Any, Any], Dual]:
    """An operation on two numbers of which one may be plain; arrays do it for each of their elements."""

    def operation(own: Dual, other: Any) -> Dual:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return rule(own, other if isinstance(other, Dual) else Dual(other, 0.0))

    return operation


class Dual:
    """x + e y with e^2 = 0: a value and its derivative.

    >>> turned = np.cos(Dual(0.0, 1.0)) * 2.0 + 3.0 * Dual(0.0, 1.0)
    >>> float(turned.x), float(turned.y)
    (2.0, 3.0)
    """

    __slots__ = ("x", "y")

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __neg__(self) -> Dual:
        return Dual(-self.x, -self.y)

    __add__ = __radd__ = _binary_operation(lambda a, b: Dual(a.x + b.x, a.y + b.y))
    __sub__ = _binary_operation(lambda a, b: Dual(a.x - b.x, a.y - b.y))
    __rsub__ = _binary_operation(lambda a, b: Dual(b.x - a.x, b.y - a.y))
    __mul__ = __rmul__ = _binary_operation(lambda a, b: Dual(a.x * b.x, a.x * b.y + a.y * b.x))
    __truediv__ = _binary_operation(lambda a, b: Dual(a.x / b.x, (a.y - a.x / b.x * b.y) / b.x))
    __rtruediv__ = _binary_operation(lambda a, b: Dual(b.x / a.x, (b.y - b.x / a.x * a.y) / a.x))

    def __pow__(self, power: int) -> Dual:
        return Dual(self.x**power, power * self.x ** (power - 1) * self.y)

    def cos(self) -> Dual:
        """Called by `np.cos`, as are the others by theirs."""
        return Dual(np.cos(self.x), -np.sin(self.x) * self.y)

    def sin(self) -> Dual:
        """The sine."""
        return Dual(np.sin(self.x), np.cos(self.x) * self.y)

    def sqrt(self) -> Dual:
        """The square root."""
        root = np.sqrt(self.x)
        return Dual(root, 0.5 * self.y / root)

    def arctan2(self, other: Any) -> Dual:
        """The angle of (other, self)."""
        x = other if isinstance(other, Dual) else Dual(other, 0.0)
        square = self.x * self.x + x.x * x.x
        return Dual(np.arctan2(self.x, x.x), (self.y * x.x - self.x * x.y) / square)


def with_rate(x: Any, rate: Any) -> Any:
    """Arrays of values and of their rates as one array."""
    x, rate = np.asarray(x, dtype=object), np.asarray(rate, dtype=object)
    out = np.empty(x.shape, dtype=object)
    for i in np.ndindex(*x.shape):
        out[i] = Dual(x[i], rate[i])
    return out


def rate_of(x: Any) -> Any:
    """The rates of an array of such numbers, zero where it has plain ones; floats where all are."""
    rates = [each.y if isinstance(each, Dual) else 0.0 for each in np.asarray(x, dtype=object).flat]
    return np.array(rates).reshape(np.shape(x))


def motion_matrix_of(displacement: Callable[[Vec], tuple[Mat, Vec]], q: Vec) -> Mat:
    """Rates of coordinates to relative twist, child's axes, (6, nq), from axes and origin of the child at q."""
    Q, _ = displacement(q)
    columns = []
    for unit in np.eye(len(q)):
        Q_dot, d_dot = (rate_of(x) for x in displacement(with_rate(q, unit)))
        spin = Q.T @ Q_dot
        columns.append(join_twist(np.array([spin[2, 1], spin[0, 2], spin[1, 0]]), Q.T @ d_dot))
    return np.array(columns).T


def inverse_motion_matrix(Q: Mat, d: Vec, p: Mat) -> Mat:
    """The motion matrix of the inverse motion: of the parent in the child, parent's axes."""
    turning, moving = Q @ p[:3], Q @ p[3:]
    return np.vstack([-turning, -moving - skew(d) @ turning])


def pose_gradient(value: PoseFunction, pose: RelativePose) -> tuple[Vec, Vec]:
    """The covector (n, f) of a function of the relative pose, first frame's axes."""
    Q, d = pose.Q, pose.d
    n = [_rate_of_pose_function(value, Q, d, skew(e) @ Q, np.zeros(3)) for e in np.eye(3)]
    f = [_rate_of_pose_function(value, Q, d, np.zeros((3, 3)), e) for e in np.eye(3)]
    return np.array(n), np.array(f)


def _rate_of_pose_function(value: PoseFunction, Q: Mat, d: Vec, Q_dot: Mat, d_dot: Vec) -> Any:
    found = value(with_rate(Q, Q_dot), with_rate(d, d_dot))
    return found.y if isinstance(found, Dual) else 0.0


def second_rate(value: PoseFunction, pose: RelativePose, motion: RelativeMotion) -> Any:
    """The second rate of a function of the relative pose in a motion."""
    Q, d, omega = pose.Q, pose.d, motion.omega
    Q_dot = np.array([cross_product(omega, x) for x in Q.T]).T
    Q_ddot = np.array([cross_product(motion.alpha, x) + cross_product(omega, cross_product(omega, x)) for x in Q.T]).T
    moving = with_rate(with_rate(Q, Q_dot), with_rate(Q_dot, Q_ddot))
    found = value(moving, with_rate(with_rate(d, motion.vel), with_rate(motion.vel, motion.acc)))
    first = found.y if isinstance(found, Dual) else 0.0
    return first.y if isinstance(first, Dual) else 0.0


@dataclass(frozen=True, eq=False)
class Constraint:
    """A closure equation of any form: a function of Q and d that is zero when the joint is closed."""

    value: PoseFunction
    description: str
    length: bool = True

    def gap(self, pose: RelativePose) -> Any:
        return self.value(pose.Q, pose.d)

    def covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        return pose_gradient(self.value, pose)

    exact_covector = covector

    def bias(self, pose: RelativePose, motion: RelativeMotion) -> Any:
        return second_rate(self.value, pose, motion)


@dataclass(frozen=True, eq=False)
class Coordinate:
    """A coordinate of a joint as a function of the relative pose; `wraps`: it is the same after a whole turn."""

    value: PoseFunction
    pose: RelativePose
    wraps: bool

    def deflection(self, rest: Any) -> Any:
        """The coordinate less `rest`, of an angle the value that is nearest to zero."""
        off = self.value(self.pose.Q, self.pose.d) - rest
        return np.arctan2(np.sin(off), np.cos(off)) if self.wraps else off

    @property
    def covector(self) -> tuple[Vec, Vec]:
        """The coordinate's gradient."""
        return pose_gradient(self.value, self.pose)

    def drift(self, rate: Any, moving: RelativeMotion) -> Any:
        """Contribution of the turning covector to the second rate."""
        still = np.zeros(3)
        return second_rate(self.value, self.pose, RelativeMotion(moving.omega, moving.vel, still, still))
