"""Closure equations that kinds of joint are made of, on the relative pose (Q, d) of its two frames.

Each has a value `gap`, which is zero when the loop is closed; a covector (n, f) that turns the relative velocity, in
near axes, into the gap's rate; and a bias, the gap's second rate at zero joint acceleration. The covector may take
closure for granted, which saves operations; `exact_covector` is the gap's derivative at any relative pose.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.algebra.vectors import Vec, cross_product
from linkwright.dataclass import dataclass
from linkwright.joints.motion_terms import RelativeMotion, RelativePose

_O = np.zeros(3)
_X, _Y, _Z = np.eye(3)


class Equation(Protocol):
    """One closure equation."""

    @property
    def length(self) -> bool:
        """True if the gap is a length [m]; otherwise it is the sine of an angle."""

    @property
    def description(self) -> str:
        """Description of what the equation demands."""

    def gap(self, pose: RelativePose) -> Any:
        """Its value, which is zero where the joint is closed."""

    def covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        """What turns the relative velocity, in near axes, into the gap's rate; it may take closure for granted."""

    def exact_covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        """The gap's derivative at any relative pose."""

    def bias(self, pose: RelativePose, motion: RelativeMotion) -> Any:
        """The gap's second rate in a motion."""


def _dominant_axis_name(u: Vec) -> str:
    return "xyz"[int(np.argmax(np.abs(u)))]


@dataclass(frozen=True, eq=False)
class Along:
    """The origins do not part along the near direction u."""

    u: Vec
    length = True

    @property
    def description(self) -> str:
        return f"its two sides stay together along {_dominant_axis_name(self.u)}"

    def gap(self, pose: RelativePose) -> Any:
        return self.u @ pose.d

    def covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        return _O, self.u

    exact_covector = covector

    def bias(self, pose: RelativePose, motion: RelativeMotion) -> Any:
        return self.u @ motion.acc


@dataclass(frozen=True, eq=False)
class Angle:
    """The near direction a and the far direction b keep the angle whose cosine is given."""

    a: Vec
    b: Vec
    cosine: Any = 0.0
    length = False

    @property
    def description(self) -> str:
        return (
            f"{_dominant_axis_name(self.b)} of one side keeps its angle to {_dominant_axis_name(self.a)} of the other"
        )

    def gap(self, pose: RelativePose) -> Any:
        return self.a @ (pose.Q @ self.b) - self.cosine

    def covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        return cross_product(pose.Q @ self.b, self.a), _O

    exact_covector = covector

    def bias(self, pose: RelativePose, motion: RelativeMotion) -> Any:
        b, omega = pose.Q @ self.b, motion.omega
        return self.a @ (cross_product(motion.alpha, b) + cross_product(omega, cross_product(omega, b)))


@dataclass(frozen=True, eq=False)
class Rod:
    """The origins stay `span` [m] apart."""

    span: float
    length = True

    @property
    def description(self) -> str:
        return f"its two points stay {self.span:g} m apart"

    def gap(self, pose: RelativePose) -> Any:
        return 0.5 * (pose.d @ pose.d * (1.0 / self.span) - self.span)

    def covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        return _O, pose.d * (1.0 / self.span)

    exact_covector = covector

    def bias(self, pose: RelativePose, motion: RelativeMotion) -> Any:
        return (pose.d @ motion.acc + motion.vel @ motion.vel) * (1.0 / self.span)


@dataclass(frozen=True, eq=False)
class Lead:
    """The far frame advances `pitch` [m/rad] along z as it turns about z; right over many turns."""

    pitch: float
    length = True

    @property
    def description(self) -> str:
        return f"it advances {self.pitch:g} m per radian along z"

    def gap(self, pose: RelativePose) -> Any:
        turned = pose.d[2] * (1.0 / self.pitch)
        return self.pitch * (np.sin(turned) * pose.Q[0, 0] - np.cos(turned) * pose.Q[1, 0])

    def covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        return -self.pitch * _Z, _Z

    def exact_covector(self, pose: RelativePose) -> tuple[Vec, Vec]:
        turned, x = pose.d[2] * (1.0 / self.pitch), pose.Q[:, 0]
        sine, cosine = np.sin(turned), np.cos(turned)
        n = self.pitch * (sine * cross_product(x, _X) - cosine * cross_product(x, _Y))
        return n, (cosine * x[0] + sine * x[1]) * _Z

    def bias(self, pose: RelativePose, motion: RelativeMotion) -> Any:
        return motion.acc[2] - self.pitch * motion.alpha[2]


SAME_ORIGIN: tuple[Equation, ...] = (Along(_X), Along(_Y), Along(_Z))
"""The origins stay together."""

SAME_Z: tuple[Equation, ...] = (Angle(_X, _Z), Angle(_Y, _Z))
"""The z axes stay along each other."""

SAME_X: tuple[Equation, ...] = (Angle(_Y, _X),)
"""The x axes stay along each other where the z axes do."""
