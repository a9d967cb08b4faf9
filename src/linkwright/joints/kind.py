"""What every joint kind provides, and what follows from it for all kinds.

A kind is a frozen record whose fields are what a file says. Its frames on both sides have z along the joint's axis:
of a universal joint the first axis on the parent's side, the second on the child's. Methods take any scalar.
"""

from __future__ import annotations

from typing import ClassVar

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass

X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class JointPart:
    """A coordinate or velocity of a joint: its name, and the unit of the coordinate, or of what its velocity adds to.

    `unit` is rad, m, or empty for a component of a quaternion.
    """

    name: str
    unit: str


@dataclass(frozen=True)
class JointNumber:
    """A field of a kind: its key in files and its unit; a direction has three components and no unit."""

    key: str
    unit: str = ""
    is_direction: bool = False


class JointKind:
    """A kind of joint.

    Attributes:
        coordinates, velocities: names and units of q and v; velocities as coordinates where only these are given.
        q_parts, v_parts: their names.
        numbers: fields that files give.
        can_span_tree: whether it can carry a body; others close loops only.
        keeps_origin, keeps_axis, keeps_orientation: what a closed joint keeps of its two frames: the origins together,
            the z axes along each other, all axes along each other.
        borrows: the kind of its parent's joint whose coordinates it moves by.
    """

    numbers: ClassVar[tuple[JointNumber, ...]] = ()
    q_parts: ClassVar[tuple[str, ...]] = ()
    v_parts: ClassVar[tuple[str, ...]] = ()
    coordinates: ClassVar[tuple[JointPart, ...]] = ()
    velocities: ClassVar[tuple[JointPart, ...]] = ()
    can_span_tree: ClassVar[bool] = True
    keeps_origin: ClassVar[bool] = False
    keeps_axis: ClassVar[bool] = False
    keeps_orientation: ClassVar[bool] = False
    borrows: ClassVar[type[JointKind] | None] = None

    def __init_subclass__(cls) -> None:
        own = cls.__dict__
        if "coordinates" in own and "velocities" not in own:
            cls.velocities = cls.coordinates
        cls.q_parts = tuple(part.name for part in cls.coordinates)
        cls.v_parts = tuple(part.name for part in cls.velocities)

    @property
    def nq(self) -> int:
        """JointNumber of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """JointNumber of velocities."""
        return len(self.velocities)

    @property
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at which child and parent joint frames coincide."""
        return tuple(1.0 if part.name == "qw" else 0.0 for part in self.coordinates)

    @property
    def axes(self) -> tuple[Vec3, ...]:
        """The axes of the file, in order: the first is fixed in the parent, the last in the child."""
        return tuple(getattr(self, number.key) for number in self.numbers if number.is_direction)

    def reversed_kind(self) -> JointKind:
        """The kind whose motion of parent relative to child has the coordinates of child relative to parent.

        Axes are negated; kinds without an axis to negate have another motion, see `recursion.joints`.
        """
        return self


def opposite(axis: Vec3) -> Vec3:
    """The opposite direction."""
    x, y, z = axis
    return (0.0 - x, 0.0 - y, 0.0 - z)
