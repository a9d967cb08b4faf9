"""A share of a body's weight that something outside the model carries."""

from __future__ import annotations

from typing import Any

from linkwright.algebra.vectors import Vec
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, LinearParameter


@dataclass(frozen=True)
class CarriedWeight(ForceElement):
    """A force against gravity at a body's mass center.

    Its channel x is the work of gravity on the body from the world's origin on, [J]. The wrench is linear in the mass
    and the first moment of the body: its columns are those of the body, in less gravity.
    """

    name: str
    share: Any

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return self.share

    def stored_energy(self, x: Any) -> Any:
        return self.share * x

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        return ()

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        return ()

    def carried_gravity(self, gravity: Vec) -> Vec:
        """The part of gravity [m/s^2] that the body does not feel."""
        return self.share * gravity
