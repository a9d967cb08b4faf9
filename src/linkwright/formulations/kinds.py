"""Ways to solve a closed-loop machine, as objects: same machine, same call, comparable answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Baumgarte:
    """Pulls an open loop shut while it moves: gap acceleration = -2 rate gap_dot - rate^2 gap, rate [1/s]."""

    rate: float


@dataclass(frozen=True)
class Multipliers:
    """Lagrange multipliers by one planned elimination of [M J^T; J 0]; survives redundant equations. The default."""

    baumgarte: Baumgarte | None = None


@dataclass(frozen=True)
class Minimal:
    """The loop-closure orthogonal complement on independent speeds; names None: the machine's own independent set."""

    independent: tuple[str, ...] | None = None


Formulation = Multipliers | Minimal
