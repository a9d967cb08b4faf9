"""Errors of the components of a pose, twist and twist rate that inverse kinematics of a kit do not follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import Program, maximum
from linkwright.dataclass import dataclass
from linkwright.functions.fallback_chain import in_pairs
from linkwright.functions.loop.target_functions import pose_gap
from linkwright.recursion.relative_motion import FramePose


@dataclass(frozen=True, eq=False)
class OtherComponents:
    """Compares a state with what was asked of its platform.

    Attributes:
        pose, twist, twist_rate: programs of the frame.
        counted: components rx ry rz x y z (0 to 5) that inverse kinematics follow, which are left out here.
        length: of the mechanism, the unit of positions.
    """

    pose: Program
    twist: Program
    twist_rate: Program
    counted: tuple[int, ...]
    length: float

    def errors(
        self, call: Any, q: Vec, v: Vec, a: Vec, target: Vec, target_rate: Vec, target_acceleration: Vec
    ) -> tuple[Mat, Vec]:
        """Errors by rows pose, twist, twist rate, (3, 6), zero where counted, and what each row is relative to, (3,).

        Angles count as they are, lengths in units of the mechanism's; a pose is relative to 1, a twist to its largest
        component, a twist rate to its largest one plus the square of the twist's.
        """
        pose, R = FramePose(*call(self.pose, q)), rotations.rotation_of_quaternion(target[3:])
        rates = call(self.twist, q, v) - target_rate, call(self.twist_rate, q, v, a) - target_acceleration
        off = np.array([pose_gap(pose, target[:3], R), *rates])
        off = np.array([[abs(x) for x in row] for row in off]) * (1.0 / self._units)
        off[:, list(self.counted)] = 0.0
        twist, twist_rate = self._largest(target_rate), self._largest(target_acceleration)
        return off, np.array([1.0, twist, twist_rate + twist * twist], dtype=object)

    @property
    def _units(self) -> Vec:
        return np.array([1.0] * 3 + [self.length] * 3)

    def _largest(self, x: Vec) -> Any:
        return in_pairs(maximum, [abs(value) for value in x * (1.0 / self._units)])
