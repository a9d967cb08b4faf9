"""The kinds of joint. Axes are unit vectors in the joint's frame; docs/theory/2-joints-and-poses.md gives q and v."""

from __future__ import annotations

from typing import ClassVar

from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.mechanism.beams import Beam

X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Fixed:
    """Joins two bodies rigidly."""

    q_parts: ClassVar[tuple[str, ...]] = ()
    v_parts: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Revolute:
    """Turns about an axis fixed in both bodies; q in rad."""

    axis: Vec3 = Z
    q_parts: ClassVar[tuple[str, ...]] = ("angle",)
    v_parts: ClassVar[tuple[str, ...]] = ("angle",)


@dataclass(frozen=True)
class Prismatic:
    """Slides along an axis fixed in both bodies; q in m."""

    axis: Vec3 = Z
    q_parts: ClassVar[tuple[str, ...]] = ("length",)
    v_parts: ClassVar[tuple[str, ...]] = ("length",)


@dataclass(frozen=True)
class Screw:
    """Turns about an axis and advances `pitch` [m/rad] along it; q in rad."""

    axis: Vec3 = Z
    pitch: float = 0.0
    q_parts: ClassVar[tuple[str, ...]] = ("angle",)
    v_parts: ClassVar[tuple[str, ...]] = ("angle",)


@dataclass(frozen=True)
class Cylindrical:
    """Turns about and slides along the same axis; q = angle [rad], length [m]."""

    axis: Vec3 = Z
    q_parts: ClassVar[tuple[str, ...]] = ("angle", "length")
    v_parts: ClassVar[tuple[str, ...]] = ("angle", "length")


@dataclass(frozen=True)
class Universal:
    """Turns about `first`, fixed in the parent, then about `second`, fixed in the child; q in rad."""

    first: Vec3 = X
    second: Vec3 = Y
    q_parts: ClassVar[tuple[str, ...]] = ("first", "second")
    v_parts: ClassVar[tuple[str, ...]] = ("first", "second")


@dataclass(frozen=True)
class Spherical:
    """Turns freely about a point; q = unit quaternion w x y z, v = angular velocity in the child frame."""

    q_parts: ClassVar[tuple[str, ...]] = ("qw", "qx", "qy", "qz")
    v_parts: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz")


@dataclass(frozen=True)
class Planar:
    """Slides in and turns within the plane normal to `normal`; q = x, y [m], angle [rad] in the joint plane."""

    normal: Vec3 = Z
    q_parts: ClassVar[tuple[str, ...]] = ("x", "y", "angle")
    v_parts: ClassVar[tuple[str, ...]] = ("x", "y", "angle")


@dataclass(frozen=True)
class Floating:
    """Moves freely; q = x y z in the parent and quaternion w x y z, v = [angular; linear] in the child frame."""

    q_parts: ClassVar[tuple[str, ...]] = ("x", "y", "z", "qw", "qx", "qy", "qz")
    v_parts: ClassVar[tuple[str, ...]] = ("wx", "wy", "wz", "vx", "vy", "vz")


@dataclass(frozen=True)
class Distance:
    """Keeps two points `length` [m] apart, as a massless rod between spherical joints; closes loops only."""

    length: float = 1.0
    q_parts: ClassVar[tuple[str, ...]] = ()
    v_parts: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True)
class Modes:
    """Carries a beam's modal coordinates and its mass; the beam's own frame does not move by them. q in m."""

    beam: Beam

    @property
    def q_parts(self) -> tuple[str, ...]:
        """Names of the coordinates, one for each shape."""
        return tuple(f"eta{i + 1}" for i in range(self.beam.count))

    @property
    def v_parts(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return self.q_parts


@dataclass(frozen=True)
class Section:
    """The cross-section of a beam at x [m], moved by the modal coordinates of the `Modes` joint it hangs on."""

    beam: Beam
    x: float
    q_parts: ClassVar[tuple[str, ...]] = ()
    v_parts: ClassVar[tuple[str, ...]] = ()


Rigid = Fixed | Revolute | Prismatic | Screw | Cylindrical | Universal | Spherical | Planar | Floating | Distance
JointType = Rigid | Modes | Section

JOINT_TYPES: dict[str, type] = {
    kind.__name__.lower(): kind
    for kind in (Fixed, Revolute, Prismatic, Screw, Cylindrical, Universal, Spherical, Planar, Floating, Distance)
}

# What a closed joint keeps of its two frames: the origins together, the z axes along each other, the orientation.
KEEPS_ORIGIN = (Spherical, Revolute, Universal, Fixed)
KEEPS_AXIS = (Revolute, Cylindrical, Planar, Screw)
KEEPS_ORIENTATION = (Fixed, Prismatic)


def nq(kind: JointType) -> int:
    """Number of coordinates of a kind of joint."""
    return len(kind.q_parts)


def nv(kind: JointType) -> int:
    """Number of velocities of a kind of joint."""
    return len(kind.v_parts)


def axes(kind: JointType) -> tuple[Vec3, ...]:
    """The axes a kind of joint carries, in order."""
    match kind:
        case Revolute(axis) | Prismatic(axis) | Screw(axis) | Cylindrical(axis):
            return (axis,)
        case Universal(first, second):
            return (first, second)
        case Planar(normal):
            return (normal,)
        case _:
            return ()


def neutral(kind: JointType) -> tuple[float, ...]:
    """The coordinates at which child and parent joint frames coincide."""
    return tuple(1.0 if part == "qw" else 0.0 for part in kind.q_parts)
