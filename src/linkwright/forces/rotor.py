"""Inertia along a velocity of a joint: the rotor of an actuator after its gear, and armature."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, ForceNumber, LinearParameter, PartForce, Role


@dataclass(frozen=True)
class Rotor(PartForce):
    """Inertia that a drive must accelerate along a velocity; its force does not reach the child."""

    numbers: ClassVar[tuple[ForceNumber, ...]] = (ForceNumber("inertia", at_least=0.0),)
    role: ClassVar[Role] = "inertia"

    inertia: Any = 0.0

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return 0.0

    @property
    def channel_inertia(self) -> Any:
        return self.inertia

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        return (LinearParameter("rotor", self._unit("kg m^2", "kg"), self.inertia),)

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        return (0.0,)

    def inertia_columns(self) -> tuple[Any, ...]:
        return (1.0,)

    def merged_with(self, other: ForceElement) -> Self | None:
        return replace(self, inertia=self.inertia + other.inertia) if isinstance(other, Rotor) else None
