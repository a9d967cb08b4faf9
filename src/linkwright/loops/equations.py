"""The closure equations of each kind of joint, on the relative pose (Q, d) of its two frames.

Each has a value `gap`, which is zero when the loop is closed; a covector (n, f) that turns the relative velocity, in
near axes, into the gap's rate; and a bias, the gap's second rate at zero joint acceleration. The covector may take
closure for granted, which saves operations; `exact_covector` is the gap's derivative at any relative pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from linkwright.algebra.sums import plain
from linkwright.algebra.vectors import Vec, cross
from linkwright.loops.ends import Loop
from linkwright.loops.meeting import Drift, Meeting
from linkwright.mechanism import joints as kinds

_O = np.zeros(3)
_X, _Y, _Z = np.eye(3)


class Equation(Protocol):
    """One closure equation."""

    @property
    def length(self) -> bool:
        """Whether the gap is a length [m]; otherwise it is the sine of an angle."""

    @property
    def words(self) -> str:
        """What the equation demands, in words."""

    def gap(self, meet: Meeting) -> Any: ...

    def covector(self, meet: Meeting) -> tuple[Vec, Vec]: ...

    def exact_covector(self, meet: Meeting) -> tuple[Vec, Vec]: ...

    def bias(self, meet: Meeting, drift: Drift) -> Any: ...


def _direction(u: Vec) -> str:
    return "xyz"[int(np.argmax(np.abs(u)))]


@dataclass(frozen=True, eq=False)
class Along:
    """The origins do not part along the near direction u."""

    u: Vec
    length = True

    @property
    def words(self) -> str:
        return f"its two sides stay together along {_direction(self.u)}"

    def gap(self, meet: Meeting) -> Any:
        return self.u @ meet.d

    def covector(self, meet: Meeting) -> tuple[Vec, Vec]:
        return _O, self.u

    exact_covector = covector

    def bias(self, meet: Meeting, drift: Drift) -> Any:
        return self.u @ drift.acc


@dataclass(frozen=True, eq=False)
class Angle:
    """The near direction a and the far direction b keep the angle whose cosine is given."""

    a: Vec
    b: Vec
    cosine: Any = 0.0
    length = False

    @property
    def words(self) -> str:
        return f"{_direction(self.b)} of one side keeps its angle to {_direction(self.a)} of the other"

    def gap(self, meet: Meeting) -> Any:
        return self.a @ (meet.Q @ self.b) - self.cosine

    def covector(self, meet: Meeting) -> tuple[Vec, Vec]:
        return cross(meet.Q @ self.b, self.a), _O

    exact_covector = covector

    def bias(self, meet: Meeting, drift: Drift) -> Any:
        b, omega = meet.Q @ self.b, drift.omega
        return self.a @ (cross(drift.alpha, b) + cross(omega, cross(omega, b)))


@dataclass(frozen=True, eq=False)
class Rod:
    """The origins stay `span` [m] apart."""

    span: float
    length = True

    @property
    def words(self) -> str:
        return f"its two points stay {self.span:g} m apart"

    def gap(self, meet: Meeting) -> Any:
        return 0.5 * (meet.d @ meet.d * (1.0 / self.span) - self.span)

    def covector(self, meet: Meeting) -> tuple[Vec, Vec]:
        return _O, meet.d * (1.0 / self.span)

    exact_covector = covector

    def bias(self, meet: Meeting, drift: Drift) -> Any:
        return (meet.d @ drift.acc + drift.vel @ drift.vel) * (1.0 / self.span)


@dataclass(frozen=True, eq=False)
class Lead:
    """The far frame advances `pitch` [m/rad] along z as it turns about z; right over many turns."""

    pitch: float
    length = True

    @property
    def words(self) -> str:
        return f"it advances {self.pitch:g} m per radian along z"

    def gap(self, meet: Meeting) -> Any:
        turned = meet.d[2] * (1.0 / self.pitch)
        return self.pitch * (np.sin(turned) * meet.Q[0, 0] - np.cos(turned) * meet.Q[1, 0])

    def covector(self, meet: Meeting) -> tuple[Vec, Vec]:
        return -self.pitch * _Z, _Z

    def exact_covector(self, meet: Meeting) -> tuple[Vec, Vec]:
        turned, x = meet.d[2] * (1.0 / self.pitch), meet.Q[:, 0]
        sine, cosine = np.sin(turned), np.cos(turned)
        n = self.pitch * (sine * cross(x, _X) - cosine * cross(x, _Y))
        return n, (cosine * x[0] + sine * x[1]) * _Z

    def bias(self, meet: Meeting, drift: Drift) -> Any:
        return drift.acc[2] - self.pitch * drift.alpha[2]


def equations(loop: Loop) -> tuple[Equation, ...]:
    """The closure equations of a cut joint."""
    point = (Along(_X), Along(_Y), Along(_Z))
    axis = (Angle(_X, _Z), Angle(_Y, _Z))
    match loop.kind:
        case kinds.Spherical():
            return point
        case kinds.Revolute():
            return (*point, *axis)
        case kinds.Fixed():
            return (*point, *axis, Angle(_Y, _X))
        case kinds.Prismatic():
            return (*point[:2], *axis, Angle(_Y, _X))
        case kinds.Cylindrical():
            return (*point[:2], *axis)
        case kinds.Universal(first, second):
            return (*point, Angle(_Z, _Z, plain(np.dot(first, second))))
        case kinds.Planar():
            return (point[2], *axis)
        case kinds.Screw(_, pitch):
            return (*point[:2], *axis, Lead(pitch) if pitch else point[2])
        case kinds.Distance(span):
            return (Rod(span),)
        case _:
            return ()


def senses(loop: Loop, Q: np.ndarray) -> np.ndarray:
    """Cosines that must be positive for the joint to be assembled the right way round, (..., k)."""
    match loop.kind:
        case kinds.Revolute() | kinds.Cylindrical() | kinds.Planar() | kinds.Screw():
            return Q[..., 2, 2][..., None]
        case kinds.Fixed() | kinds.Prismatic():
            return np.stack([Q[..., i, i] for i in range(3)], axis=-1)
        case _:
            return np.ones((*Q.shape[:-2], 0))
