"""The papers' own roads, as objects to choose them by; each applies to the machines its paper is about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Khan:
    """Serial legs and a platform by twist annihilators, divided platform and one central sum (Khan et al. 2005).

    Attributes:
        platform: the body that all legs hold; None takes the file's platform, else the body with most joints.
    """

    platform: str | None = None


@dataclass(frozen=True)
class Rao:
    """Hexaslides by T = T_h T_d with the platform's twist (Koteswara Rao et al. 2006).

    Attributes:
        spin: the universal joints decide how rods turn about themselves; False neglects that turning (Rao 19-20, 23).
    """

    spin: bool = True


@dataclass(frozen=True)
class Hanzaki:
    """Loops cut at ball joints, the platform hung on the first in Euler parameters, multipliers (Hanzaki 2011)."""


Road = Khan | Rao | Hanzaki
