"""Flexible links: slender beams that bend, described by a few shapes (Rayleigh and Ritz). Frozen records."""

from __future__ import annotations

from typing import Literal

from linkwright.dataclass import dataclass

Plane = Literal["y", "z"]
Root = Literal["clamped", "pinned", "free"]


@dataclass(frozen=True)
class Sine:
    """Shapes sin(j pi x / l), j = 1..count, both ends on the line between them: a beam pinned at both ends."""

    count: int


@dataclass(frozen=True)
class Clamped:
    """The first `count` vibration shapes of a beam clamped at x = 0 and free at x = l, 1 at the free end."""

    count: int


@dataclass(frozen=True)
class Polynomial:
    """`count` polynomials that keep what the ends demand and are otherwise free.

    A clamped end has no deflection and no slope, a pinned end no deflection.
    """

    count: int
    root: Root = "clamped"
    tip: Root = "free"


Shapes = Sine | Clamped | Polynomial


@dataclass(frozen=True)
class Beam:
    """A uniform beam along the x axis of its body's frame, from x = 0 to x = length.

    Attributes:
        length: [m].
        density: mass per length, [kg/m].
        stiffness: bending stiffness E I, [N m^2]; one number, or one for each plane.
        shapes: how it may bend in each plane.
        planes: directions of the deflection, in body axes: ("y",), ("z",) or both.
        damping: structural damping, stress grows by damping [s] times its rate, so that a shape of angular frequency
            w loses energy with the damping ratio damping w / 2.
        gyration: radius of gyration of the cross-section [m], for rotary inertia; 0 leaves it out.
        shortening: count that a bent beam's end comes nearer, by half the integral of the squared slope.
    """

    length: float
    density: float
    stiffness: float | tuple[float, ...]
    shapes: Shapes
    planes: tuple[Plane, ...] = ("y",)
    damping: float = 0.0
    gyration: float = 0.0
    shortening: bool = False

    @property
    def count(self) -> int:
        """Number of modal coordinates."""
        return self.shapes.count * len(self.planes)

    @property
    def stiffnesses(self) -> tuple[float, ...]:
        """Bending stiffness in each plane."""
        given = self.stiffness
        return tuple(given) if isinstance(given, tuple) else (given,) * len(self.planes)
