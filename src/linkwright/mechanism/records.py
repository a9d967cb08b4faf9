"""Frozen records of a mechanism: bodies, joints, frames, actuators, and all parts together. SI and radians."""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any, Self, TypeVar

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3, keep_tuples
from linkwright.checks import refuse_argument
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement
from linkwright.forces.friction import Friction
from linkwright.forces.spring import Spring
from linkwright.joints import JointKind
from linkwright.mechanism.expressions import Formulas
from linkwright.mechanism.shapes import Shape

# --- frozen records of bodies, joints, frames, actuators. Units are SI and radians throughout -------------------------

Tensor = tuple[Vec3, Vec3, Vec3]
NO_TENSOR: Tensor = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], mass center [m, body frame], inertia tensor about the mass center in body axes [kg m^2]."""

    mass: float = 0.0
    com: Vec3 = (0.0, 0.0, 0.0)
    tensor: Tensor = NO_TENSOR

    def __post_init__(self) -> None:
        keep_tuples(self, "com")
        if isinstance(self.tensor, np.ndarray) and self.tensor.ndim:
            object.__setattr__(self, "tensor", tuple(tuple(np.atleast_1d(row).tolist()) for row in self.tensor))

    @staticmethod
    def diagonal(mass: float, com: Vec3, moments: Vec3) -> Inertia:
        """Principal moments about the mass center along the body's axes."""
        if not isinstance(moments, tuple | list | np.ndarray) or _count_of_entries(moments) != 3:
            refuse_argument("moments", moments, "three principal moments")
        a, b, c = moments
        return Inertia(mass, com, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)))


def _count_of_entries(given: tuple[Any, ...] | list[Any] | np.ndarray) -> int:
    return 0 if isinstance(given, np.ndarray) and given.ndim == 0 else len(given)


NO_INERTIA = Inertia()


@dataclass(frozen=True)
class Body:
    """A rigid body; its frame is the one its joints, frames and shapes are given in.

    `gravity_compensation` is the share of its weight that a force at its center of mass carries: 1 makes the body float
    while its inertia stays, above 1 it rises.
    """

    name: str
    inertia: Inertia = Inertia()
    shapes: tuple[Shape, ...] = ()
    gravity_compensation: float = 0.0


@dataclass(frozen=True)
class Limits:
    """Ranges of a joint: per coordinate for `lower` and `upper`, per velocity for `speed` and `effort`.

    `cone` [rad] bounds the angle between the z axes of a spherical or universal joint's two sides; components of
    quaternions have no limits of their own.
    """

    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    speed: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()
    cone: float | None = None

    def __post_init__(self) -> None:
        keep_tuples(self, "lower", "upper", "speed", "effort")


@dataclass(frozen=True)
class Joint:
    """Connects `child` to `parent`; at the neutral coordinates the frames `at` and `child_at` coincide.

    `armature` [kg m^2, or kg] is inertia added along each velocity of the joint, as that of a rotor after its gear; it
    needs no actuator.

    `reversed` marks a joint that its file draws from `child` to `parent`. Bodies, frames and axes are then given in
    the direction of the tree, while coordinates, velocities, efforts, limits, springs, friction, home and reactions
    are those of the drawing, which `topology.as_drawn` gives back.
    """

    name: str
    parent: str
    child: str
    kind: JointKind
    at: RigidTransform = IDENTITY
    child_at: RigidTransform = IDENTITY
    limits: Limits = Limits()
    spring: Spring | None = None
    friction: Friction | None = None
    armature: tuple[float, ...] = ()
    reversed: bool = False

    def __post_init__(self) -> None:
        keep_tuples(self, "armature")


@dataclass(frozen=True)
class Coupling:
    """A gear or belt between joints: the sum of ratio times coordinate over `terms` keeps the value `offset`.

    Terms are (joint, ratio) for joints with one coordinate: a 2:1 reduction of b on a is (("a", 1.0), ("b", -2.0)).
    `curves` adds polynomials to the sum, (joint, factors of its square, cube and so on) for joints of the terms: a cam
    b = a^2 is terms (("b", 1.0), ("a", 0.0)) with the curve (("a", (-1.0,)),).
    """

    name: str
    terms: tuple[tuple[str, float], ...]
    offset: float = 0.0
    curves: tuple[tuple[str, tuple[float, ...]], ...] = ()


@dataclass(frozen=True)
class Actuator:
    """Drives one velocity of a joint; efforts are at the joint, after the gear.

    The rotor's inertia [kg m^2, or kg] counts `gear` squared at the joint; `friction` is at the joint.
    `effort` and `speed` bound the magnitudes at the joint.
    """

    name: str
    joint: str
    dof: int = 0
    gear: float = 1.0
    rotor_inertia: float = 0.0
    friction: Friction | None = None
    effort: float | None = None
    speed: float | None = None


@dataclass(frozen=True)
class Frame:
    """A named pose on a body (or on the base)."""

    name: str
    body: str
    pose: RigidTransform = IDENTITY


# --- the parts of a mechanism: the record that checks, parameters and beams read and change ---------------------------


@dataclass(frozen=True)
class Parts:
    """The fields of a `Mechanism`, whose only subclass that is."""

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    loops: tuple[Joint, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    forces: tuple[ForceElement, ...] = ()
    frames: tuple[Frame, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    platform: str | None = None
    base: str = "ground"
    base_shapes: tuple[Shape, ...] = ()
    base_inertia: Inertia = NO_INERTIA
    gravity: Vec3 = (0.0, 0.0, -9.81)
    home: tuple[tuple[str, tuple[float, ...]], ...] = ()
    source: str = ""
    license: str = ""
    open_loops: tuple[Joint, ...] = ()
    formulas: Formulas = field(default=Formulas(), compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the moving bodies, in the file's order."""
        return tuple(body.name for body in self.bodies)

    def replace_unchecked(self, **changes: Any) -> Self:
        """The mechanism with fields replaced whose numbers need not be plain ones, and are not checked."""
        new = object.__new__(type(self))
        for each in fields(self):
            object.__setattr__(new, each.name, changes.get(each.name, getattr(self, each.name)))
        return new


M = TypeVar("M", bound=Parts)
"""A mechanism that comes back as the same type."""
