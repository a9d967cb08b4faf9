"""Computed torque in the space of the platform (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra import quaternion
from linkwright.compiler import select
from linkwright.control.checks import Array, frozen, row
from linkwright.control.paths import PlatformMotion
from linkwright.control.solving import least_squares
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.programs import accelerations, answer, independent_map

COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True, eq=False)
class PlatformComputedTorque:
    """Efforts that give the platform its reference's twist rate + damping (twist error) + stiffness (pose error).

    The pose error is twice the vector part of the quaternion between reference and platform, and the difference of the
    origins: [rotation; translation], world axes.

    Attributes:
        model: the machine; its file names a platform.
        motion: where the platform should be.
        stiffness: (6,) or one for all, [1/s^2].
        damping: (6,) or one for all, [1/s].
        free: the components of rx ry rz x y z that are followed, one per degree of freedom; all when None.
    """

    model: Model
    motion: PlatformMotion
    stiffness: Array
    damping: Array
    free: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ArgumentError(f"the model of a law is {self.model!r}, expected lw.build(...)")
        if self.model.mechanism.platform is None:
            raise ArgumentError(
                f"mechanism '{self.model.mechanism.name}' names no platform; add 'platform:' to its file"
            )
        free = COMPONENTS if self.free is None else tuple(self.free)
        if set(free) - set(COMPONENTS) or len(set(free)) != len(free) or len(free) < self.model.mobility:
            raise ArgumentError(
                f"free is {free}, expected {self.model.mobility} different ones of {', '.join(COMPONENTS)}"
            )
        frozen(self, free=free, _rows=[COMPONENTS.index(name) for name in free])
        frozen(self, stiffness=row("stiffness", self.stiffness, 6), damping=row("damping", self.damping, 6))

    @property
    def na(self) -> int:
        return self.model.na

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        a = accelerations(self.model, q, v, self._independent(t, q, v))
        return answer(self.model, "inverse_dynamics", q, v, a)

    def wanted(self, t: Any, q: Any, v: Any) -> Any:
        """The twist rate asked for, (6,)."""
        pose, twist, twist_rate = self.motion.at(t)
        frame = self.model.mechanism.platform
        found = answer(self.model, "frame_twist", q, v, frame=frame)
        error = pose_error(pose, answer(self.model, "frame_quaternion", q, frame=frame))
        return twist_rate + self.damping * (twist - found) + self.stiffness * error

    def _independent(self, t: Any, q: Any, v: Any) -> Any:
        """Accelerations of the independent speeds: J R a_ind = wanted - (twist rate at a_ind = 0)."""
        frame, rows = self.model.mechanism.platform, self._rows  # type: ignore[attr-defined]
        coasting = accelerations(self.model, q, v, np.zeros(self.model.mobility))
        rest = answer(self.model, "frame_twist_rate", q, v, coasting, frame=frame)
        J = answer(self.model, "frame_jacobian", q, frame=frame) @ independent_map(self.model, q)
        return least_squares(J[rows], (self.wanted(t, q, v) - rest)[rows])


def pose_error(wanted: tuple[Any, Any], found: tuple[Any, Any]) -> Any:
    """What takes the found pose to the wanted one, (6,): [2 vec(q_wanted q_found^-1); difference of origins]."""
    turn = quaternion.product(wanted[1], found[1] * np.array([1.0, -1.0, -1.0, -1.0]))
    shorter = select(turn[0], 2.0, -2.0)
    return np.concatenate([shorter * turn[1:], wanted[0] - found[0]])
