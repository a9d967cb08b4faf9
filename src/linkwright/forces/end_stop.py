"""An end of a joint's range as a spring and a damper that push back and never pull."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from linkwright.algebra.sums import known_value
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.forces.element import ForceNumber, JointForce, register_force
from linkwright.numerics.choices import maximum, select


@register_force
@dataclass(frozen=True)
class EndStop(JointForce):
    """A stop at one end of a coordinate's range: max(0, stiffness depth + damping depth_dot) beyond `bound`.

    Attributes:
        end: of the range that it bounds, "lower" or "upper".
        part: number of the coordinate in its joint.
        stiffness: [N m/rad or N/m]. damping: [N m s/rad or N s/m].
        bound: where it begins, [rad or m]; None takes the limit of its joint at that end.
    """

    numbers: ClassVar[tuple[ForceNumber, ...]] = (
        ForceNumber("stiffness", at_least=0.0),
        ForceNumber("damping", at_least=0.0),
        ForceNumber("bound"),
    )
    is_smooth: ClassVar[bool] = False

    end: str
    part: int = 0
    stiffness: float = 0.0
    damping: float = 0.0
    bound: float | None = None

    def __post_init__(self) -> None:
        if self.end not in ("lower", "upper"):
            raise ArgumentError(f"the end of the stop '{self.name}' is {self.end!r:.40}, expected 'lower' or 'upper'")

    def placed_at(self, joint: Any) -> tuple[EndStop, ...]:
        if self.bound is not None:
            return (self,)
        limits = getattr(joint.limits, self.end)
        bound = limits[self.part] if limits else np.inf
        known = known_value(bound)
        return (replace(self, bound=bound),) if known is None or np.isfinite(known) else ()

    def _depth(self, x: Any) -> Any:
        return maximum(self._outward * (x - self.bound), 0.0)

    @property
    def _outward(self) -> float:
        return 1.0 if self.end == "upper" else -1.0

    def _push(self, x: Any, x_dot: Any) -> Any:
        depth = self._depth(x)
        push = maximum(self.stiffness * depth + self.damping * (self._outward * x_dot), 0.0)
        return select(depth, push, 0.0 * depth)

    def channel_force(self, x: Any, x_dot: Any) -> Any:
        return self._outward * self._push(x, x_dot)

    def stored_energy(self, x: Any) -> Any:
        depth = self._depth(x)
        return 0.5 * (self.stiffness * depth) * depth

    def lost_power(self, x: Any, x_dot: Any) -> Any:
        return (self._push(x, x_dot) - self.stiffness * self._depth(x)) * (self._outward * x_dot)
