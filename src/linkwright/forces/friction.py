"""Viscous and dry friction along the velocities of a joint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from linkwright.algebra.vectors import keep_tuples
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, ForceNumber, LinearParameter, PartForce, Role


@dataclass(frozen=True)
class Friction:
    """Resistance along each velocity: viscous v + coulomb v / sqrt(v^2 + slip^2); `slip` smooths the step at rest."""

    viscous: tuple[float, ...] = ()
    coulomb: tuple[float, ...] = ()
    slip: float = 1e-3

    def __post_init__(self) -> None:
        keep_tuples(self, "viscous", "coulomb")

    def forces_along(self, name: str, joint: str, part: int, turns: bool) -> tuple[PartForce, ...]:
        """Viscous and dry friction along one velocity; an actuator has one value for its own."""
        viscous, coulomb = (x[part if len(x) > 1 else 0] if x else 0.0 for x in (self.viscous, self.coulomb))
        at = (name, joint, part, turns)
        return ViscousFriction(*at, viscous), DryFriction(*at, coulomb, self.slip)


@dataclass(frozen=True)
class ViscousFriction(PartForce):
    """Resistance in proportion to the velocity."""

    numbers: ClassVar[tuple[ForceNumber, ...]] = (ForceNumber("viscous", at_least=0.0),)
    role: ClassVar[Role] = "dissipative"

    viscous: Any = 0.0

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return self.viscous * x_dot

    def lost_power(self, x: Any, x_dot: Any) -> Any:
        return self.viscous * (x_dot * x_dot)

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        return (LinearParameter("viscous", self._unit("N m s/rad", "N s/m"), self.viscous),)

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        return (x_dot,)

    def merged_with(self, other: ForceElement) -> Self | None:
        return replace(self, viscous=self.viscous + other.viscous) if isinstance(other, ViscousFriction) else None


@dataclass(frozen=True)
class DryFriction(PartForce):
    """Coulomb friction, smoothed over the velocity `slip`."""

    numbers: ClassVar[tuple[ForceNumber, ...]] = (ForceNumber("coulomb", at_least=0.0), ForceNumber("slip"))
    role: ClassVar[Role] = "dissipative"

    coulomb: Any = 0.0
    slip: Any = Friction.slip

    def _smooth_speed(self, x_dot: Any) -> Any:
        return np.sqrt(x_dot * x_dot + self.slip**2)

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return self.coulomb * x_dot / self._smooth_speed(x_dot)

    def lost_power(self, x: Any, x_dot: Any) -> Any:
        return self.coulomb * (x_dot * x_dot) / self._smooth_speed(x_dot)

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        return (LinearParameter("coulomb", self._unit("N m", "N"), self.coulomb),)

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        return (x_dot / self._smooth_speed(x_dot),)

    def merged_with(self, other: ForceElement) -> Self | None:
        if not isinstance(other, DryFriction) or other.slip != self.slip:
            return None
        return replace(self, coulomb=self.coulomb + other.coulomb)
