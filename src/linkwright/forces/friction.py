"""Viscous and dry friction along the velocities of a joint."""

from __future__ import annotations

from linkwright.algebra.vectors import keep_tuples
from linkwright.dataclass import dataclass


@dataclass(frozen=True)
class Friction:
    """Resistance along each velocity: viscous v + coulomb v / sqrt(v^2 + slip^2); `slip` smooths the step at rest."""

    viscous: tuple[float, ...] = ()
    coulomb: tuple[float, ...] = ()
    slip: float = 1e-3

    def __post_init__(self) -> None:
        keep_tuples(self, "viscous", "coulomb")
