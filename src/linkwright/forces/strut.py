"""A linear spring and damper between points of two bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from linkwright.algebra.sums import is_structural_zero, known_value
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceNumber, LinearParameter, LinearSpring, PointForce, register_force


@register_force
@dataclass(frozen=True)
class Strut(PointForce):
    """A spring and damper between a point on one body and a point on another (or on the base), massless.

    It pulls with stiffness (distance - length) + damping (rate of the distance); [N/m], [m], [N s/m].
    """

    numbers: ClassVar[tuple[ForceNumber, ...]] = (
        ForceNumber("stiffness", "N/m", 0.0, "stiffness along the line between the points"),
        ForceNumber("length", "m", 0.0, "length without force"),
        ForceNumber("damping", "N s/m", 0.0, "force per velocity along the line"),
    )
    section: ClassVar[str] = "struts"
    section_description: ClassVar[str] = "springs and dampers between points of two bodies"

    stiffness: float
    length: float = 0.0
    damping: float = 0.0

    @property
    def may_vanish(self) -> bool:
        """A strut whose free length may be zero may have its ends in one point, and pulls with k d nearby.

        One that is longer pushes its ends apart and never gets there.
        """
        return not known_value(self.length)

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        spring = self.stiffness * (x - self.length)
        return spring if is_structural_zero(self.damping) else spring + self.damping * x_dot

    def stored_energy(self, x: Any) -> Any:
        stretch = x - self.length
        return 0.5 * self.stiffness * stretch * stretch

    def lost_power(self, x: Any, x_dot: Any) -> Any:
        return self.damping * x_dot * x_dot

    def linear_parameters(self) -> tuple[LinearParameter, ...]:
        return (
            LinearParameter("stiffness", "N/m", self.stiffness),
            LinearParameter("preload", "N", self.stiffness * self.length),
            LinearParameter("damping", "N s/m", self.damping),
        )

    def regressor_columns(self, x: Any, x_dot: Any) -> tuple[Any, ...]:
        return x, -1.0, x_dot

    def with_parameters(self, values: Mapping[str, float]) -> Self:
        stiffness, preload = values["stiffness"], values["preload"]
        length = preload / stiffness if stiffness else self.length
        return replace(self, stiffness=stiffness, length=length, damping=values["damping"])

    def linear_spring(self) -> LinearSpring:
        return LinearSpring(self.stiffness, self.length, self.damping)

    @property
    def glyph(self) -> str:
        return "spring" if self.stiffness else "strut"
