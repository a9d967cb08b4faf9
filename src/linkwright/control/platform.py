"""Control of the platform's pose (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.algebra import quaternion
from linkwright.compiler import select
from linkwright.control.checks import Array, frozen, row, scalars
from linkwright.control.paths import PlatformMotion
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.programs import accelerations, evaluated, independent_map


def least_squares(A: Any, b: Any) -> Any:
    """x with the smallest |A x - b|, for A (m, n) of full rank n, by elimination of A^T A without pivoting.

    Elimination of a positive definite matrix is stable in any order, which a recorded one needs; the price is the
    square of A's condition number.

    >>> least_squares(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([2.0, 3.0])).round(12).tolist()
    [1.0, 2.0]
    """
    M, x = A.T @ A, A.T @ b
    n = len(x)
    M, x = [[M[i, j] for j in range(n)] for i in range(n)], [x[i] for i in range(n)]
    for k in range(n):
        inverse = 1.0 / M[k][k]
        for i in range(k + 1, n):
            factor = M[i][k] * inverse
            x[i] = x[i] - factor * x[k]
            for j in range(k, n):
                M[i][j] = M[i][j] - factor * M[k][j]
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(M[k][j] * x[j] for j in range(k + 1, n))) / M[k][k]
    return np.array(x)


COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True, eq=False)
class PlatformComputedTorque:
    """Efforts that give the platform its reference's twist rate + damping (twist error) + stiffness (pose error).

    The pose error is twice the vector part of the quaternion between reference and platform, and the difference of the
    origins: [rotation; translation], world axes.

    Attributes:
        model: the model; its file names a platform.
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
        checks.instance("model", self.model, Model, "a Model from linkwright.build")
        if self.model.mechanism.platform is None:
            raise ArgumentError(
                f"mechanism '{self.model.mechanism.name}' names no platform; add 'platform:' to its file"
            )
        checks.instance("motion", self.motion, PlatformMotion, "control.PlatformMotion(...)")
        free = COMPONENTS if self.free is None else checks.texts("free", self.free, "['x', 'y']")
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
        q, v = scalars("q", q, self.model.nq), scalars("v", v, self.model.nv)
        a = accelerations(self.model, q, v, self._independent(t, q, v))
        return evaluated(self.model, "inverse_dynamics", q, v, a)

    def wanted(self, t: Any, q: Any, v: Any) -> Any:
        """The requested twist rate, (6,)."""
        q, v = scalars("q", q, self.model.nq), scalars("v", v, self.model.nv)
        pose, twist, twist_rate = self.motion.at(t)
        frame = self.model.mechanism.platform
        found = evaluated(self.model, "frame_twist", q, v, frame=frame)
        error = pose_error(pose, evaluated(self.model, "frame_quaternion", q, frame=frame))
        return twist_rate + self.damping * (twist - found) + self.stiffness * error

    def _independent(self, t: Any, q: Any, v: Any) -> Any:
        """Accelerations of the independent velocities: J R a_ind = wanted - (twist rate at a_ind = 0)."""
        frame, rows = self.model.mechanism.platform, self._rows  # type: ignore[attr-defined]
        coasting = accelerations(self.model, q, v, np.zeros(self.model.mobility))
        rest = evaluated(self.model, "frame_acceleration", q, v, coasting, frame=frame)
        J = evaluated(self.model, "frame_jacobian", q, frame=frame) @ independent_map(self.model, q)
        return least_squares(J[rows], (self.wanted(t, q, v) - rest)[rows])


def pose_error(wanted: tuple[Any, Any], found: tuple[Any, Any]) -> Any:
    """Error of the found pose against the wanted one, (6,): [2 vec(q_wanted q_found^-1); difference of origins]."""
    turn = quaternion.product(wanted[1], found[1] * np.array([1.0, -1.0, -1.0, -1.0]))
    shorter = select(turn[0], 2.0, -2.0)
    return np.concatenate([shorter * turn[1:], wanted[0] - found[0]])
