"""Motions of a platform in space (any scalar)."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.checks import require_positive
from linkwright.control.control_checks import Array, finite_row, require_reference, scalar_array, set_frozen_fields
from linkwright.control.references import Motion, Reference, Steady
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import ORTHONORMAL


@dataclass(frozen=True, eq=False)
class Circle:
    """A point on a circle: center + radius (cos(angle) first + sin(angle) second).

    Attributes:
        center: (3,), [m].
        radius: [m].
        angle: reference of one number [rad]; `Steady(0, rate)` turns at constant speed, `Cycloidal` starts at rest.
        first, second: perpendicular unit vectors of its plane.

    >>> Circle((0, 0, 1), 0.5, Steady(0.0, 2.0)).at(0.0)[1].round(12).tolist()
    [0.0, 1.0, 0.0]
    """

    center: Array
    radius: float
    angle: Reference
    first: Array = (1.0, 0.0, 0.0)  # type: ignore[assignment]
    second: Array = (0.0, 1.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        first, second = finite_row("first", self.first, 3), finite_row("second", self.second, 3)
        if np.abs([first @ first - 1.0, second @ second - 1.0, first @ second]).max() > ORTHONORMAL:
            raise ArgumentError("first and second must be perpendicular unit vectors of the circle's plane")
        require_reference("angle", self.angle, 1)
        set_frozen_fields(
            self, center=finite_row("center", self.center, 3), radius=require_positive("radius", self.radius)
        )
        set_frozen_fields(self, first=first, second=second)

    @property
    def size(self) -> int:
        return 3

    def at(self, t: Any) -> Motion:
        phi, phi_dot, phi_ddot = self.angle.at(t)
        out = self.radius * (np.cos(phi) * self.first + np.sin(phi) * self.second)
        along = self.radius * (np.cos(phi) * self.second - np.sin(phi) * self.first)
        return self.center + out, phi_dot * along, phi_ddot * along - phi_dot**2 * out


@dataclass(frozen=True, eq=False)
class PlatformMotion:
    """Reference of a platform: its origin along a path, turned about a fixed world axis.

    Attributes:
        position: reference of the origin, three numbers [m], world axes.
        quaternion_wxyz: orientation at angle zero.
        axis: world axis it turns about, (3,), unit.
        angle: reference of one number [rad].
    """

    position: Reference
    quaternion_wxyz: Array = (1.0, 0.0, 0.0, 0.0)  # type: ignore[assignment]
    axis: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]
    angle: Reference = field(default_factory=lambda: Steady(np.zeros(1), np.zeros(1)))

    def __post_init__(self) -> None:
        require_reference("position", self.position, 3)
        require_reference("angle", self.angle, 1)
        wxyz, axis = finite_row("quaternion_wxyz", self.quaternion_wxyz, 4), finite_row("axis", self.axis, 3)
        for name, x in (("quaternion_wxyz", wxyz), ("axis", axis)):
            if abs(x @ x - 1.0) > ORTHONORMAL:
                raise ArgumentError(f"{name} has length {np.sqrt(x @ x):.6g}, expected 1")
        set_frozen_fields(self, quaternion_wxyz=wxyz, axis=axis)

    def at(self, t: Any) -> tuple[Pose, Any, Any]:
        """Pose (origin (3,), quaternion w x y z (4,)), twist and twist rate (6,) in world axes, at one time."""
        if scalar_array("t", t).shape:
            raise ArgumentError(f"t has shape {np.shape(t)}, expected one time")
        p, p_dot, p_ddot = self.position.at(t)
        angle, angle_dot, angle_ddot = self.angle.at(t)
        turn = np.concatenate([np.cos(0.5 * angle), np.sin(0.5 * angle) * self.axis])
        pose = Pose(p, rotations.quaternion_product(turn, self.quaternion_wxyz))
        return pose, np.concatenate([angle_dot * self.axis, p_dot]), np.concatenate([angle_ddot * self.axis, p_ddot])
