"""Ways to solve a closed-loop machine, as objects: same machine, same call, comparable answers."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from numbers import Real

from linkwright.errors import ArgumentError


@dataclass(frozen=True)
class Baumgarte:
    """Pulls an open loop shut while it moves: gap acceleration = -2 rate gap_dot - rate^2 gap, rate [1/s]."""

    rate: float

    def __post_init__(self) -> None:
        if isinstance(self.rate, bool) or not isinstance(self.rate, Real) or not 0.0 < self.rate < inf:
            raise ArgumentError(f"the rate of Baumgarte(...) is {self.rate!r}, expected a number above zero [1/s]")


@dataclass(frozen=True)
class Multipliers:
    """Lagrange multipliers by one planned elimination of [M J^T; J 0]; survives redundant equations. The default."""

    baumgarte: Baumgarte | None = None


@dataclass(frozen=True)
class Minimal:
    """The loop-closure orthogonal complement on independent speeds.

    Attributes:
        independent: their names; None takes the machine's own independent set.
        displacement: in time, integrate the independent coordinates only and solve for the others at every slope
            (displacement analysis), instead of integrating all coordinates.
    """

    independent: tuple[str, ...] | None = None
    displacement: bool = False


@dataclass(frozen=True)
class VirtualSprings:
    """Springs and dampers instead of the cut joints: a closed loop that may open a little.

    Attributes:
        stiffness: of every equation that is a length, [N/m]; one number, or one for each joint in `at`.
        damping: likewise, [N s/m].
        at: the cut joints (and couplings) that become springs; None takes all, the others keep their multipliers.
        arm: the length [m] at which angles count: equations that are angles get stiffness arm^2 [N m/rad] and
            damping arm^2; None takes the machine's own typical length.

    >>> VirtualSprings(1e6, 50.0).at is None
    True
    """

    stiffness: float | tuple[float, ...]
    damping: float | tuple[float, ...] = 0.0
    at: tuple[str, ...] | None = None
    arm: float | None = None

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "at"):
            if isinstance(value := getattr(self, name), list):
                object.__setattr__(self, name, tuple(value))


Formulation = Multipliers | Minimal | VirtualSprings
