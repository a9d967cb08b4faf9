"""A linear spring along the coordinates of a joint."""

from __future__ import annotations

from typing import Any, ClassVar

from linkwright.algebra.vectors import keep_tuples
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceNumber, LinearParameter, PartForce


@dataclass(frozen=True)
class Spring:
    """A linear spring along each coordinate of a joint: force -stiffness (q - rest)."""

    stiffness: tuple[float, ...]
    rest: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        keep_tuples(self, "stiffness", "rest")

    def forces_along(self, name: str, joint: str, part: int, turns: bool) -> tuple[PartForce, ...]:
        """The spring along one coordinate."""
        return (JointSpring(name, joint, part, turns, self.stiffness[part], self.rest[part] if self.rest else 0.0),)


@dataclass(frozen=True)
class JointSpring(PartForce):
    """A linear spring along one coordinate of a joint: stiffness x, with x from its rest."""

    numbers: ClassVar[tuple[ForceNumber, ...]] = (ForceNumber("stiffness", at_least=0.0), ForceNumber("rest"))

    stiffness: Any = 0.0
    rest: Any = 0.0

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return self.stiffness * x

    def stored_energy(self, x: Any) -> Any:
        return 0.5 * self.stiffness * (x * x)

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        preload = LinearParameter("preload", self._unit("N m", "N"), self.stiffness * self.rest)
        return LinearParameter("stiffness", self._unit("N m/rad", "N/m"), self.stiffness), preload

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        return x + self.rest, -1.0
