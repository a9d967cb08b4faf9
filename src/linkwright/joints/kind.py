"""What every joint kind provides, and what follows from it for all kinds.

A kind is a frozen record whose fields are what a file says. Its frames on both sides have z along the joint's axis:
of a universal joint the first axis on the parent's side, the second on the child's. Methods take any scalar.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from linkwright.algebra.rotations import factor_rotation
from linkwright.algebra.transforms import Moments, frame_with_z
from linkwright.algebra.vectors import Mat, Vec, Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.joints.closure_rows import Equation
from linkwright.joints.coordinate_gradients import Covector, Freedom
from linkwright.joints.derivatives import (
    Constraint,
    Coordinate,
    PoseFunction,
    inverse_motion_matrix,
    motion_matrix_of,
    pose_gradient,
    rate_of,
    with_rate,
)
from linkwright.joints.motion_terms import JointFreedom, Movement, Placement, RelativePose

# --- what every joint kind provides, and what follows from it for all kinds -------------------------------------------

X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class JointPart:
    """A coordinate or velocity of a joint: its name, and the unit of the coordinate, or of what its velocity adds to.

    `unit` is rad, m, or empty for a component of a quaternion. `wraps`: an angle is the same after a whole turn.
    """

    name: str
    unit: str
    wraps: bool = True

    @property
    def is_wrapped_angle(self) -> bool:
        """Whether it is an angle that is the same after a whole turn."""
        return self.unit == "rad" and self.wraps


@dataclass(frozen=True)
class JointNumber:
    """A field of a kind: its key in files and its unit; a direction has three components and no unit."""

    key: str
    unit: str = ""
    is_direction: bool = False


@dataclass(frozen=True)
class GlyphPart:
    """A part of a joint's sign on its parent's side (0) or its child's (1), along an axis; sizes are times its own."""

    shape: Literal["pin", "slider", "sleeve", "rod", "ball", "plate"]
    axis: Vec3 = Z
    side: int = 0
    radius: float = 1.0
    length: float = 1.0


NumberProblem = tuple[str, str, str, Any]
"""Code, what is wrong, what to do, and the value."""

LARGEST = 1e30
"""Bound of lengths, masses, stiffnesses and the like in SI units: products of five of them are finite numbers."""


@dataclass(frozen=True)
class SimpleStep:
    """A turn or a slide along an axis in the joint's frames, and the velocities of the joint that it has."""

    sort: Literal["turn", "slide"]
    axis: Vec3
    velocities: tuple[int, ...]


Elements = tuple[tuple[Literal["turn", "slide"], int], ...]


class JointKind:
    """A kind of joint.

    Attributes:
        coordinates, velocities: names and units of q and v; velocities as coordinates where only these are given.
        q_parts, v_parts: their names.
        numbers: fields that files give.
        can_span_tree: whether it can carry a body; others close loops only.
        keeps_origin, keeps_axis, keeps_orientation: what a closed joint keeps of its two frames: the origins together,
            the z axes along each other, all axes along each other.
        has_quaternion: whether its last four coordinates are a unit quaternion w x y z.
        has_constant_p, has_constant_reversed_p: whether the motion matrix is constant, drawn either way.
        floats: whether it allows any motion.
        bends: whether its coordinates bend a beam, `beam`; `x` [m] is where a section of one is.
        velocity_sides: of each velocity the side, parent 0 or child 1, in which its direction is fixed; None where that
            changes with the coordinates.
        starts_about_z: whether a turn about z before it can be added to its offsets.
        can_shift_along_z: whether its frames may be shifted along z together.
        elements, reversed_elements: turns and slides it is a product of, in their order, each with the number of its
            coordinate, drawn either way; None where it is no such product.
        turns_about_point: whether it is any rotation about a point.
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
    has_quaternion: ClassVar[bool] = False
    has_constant_p: ClassVar[bool] = False
    has_constant_reversed_p: ClassVar[bool] = False
    floats: ClassVar[bool] = False
    bends: ClassVar[bool] = False
    velocity_sides: ClassVar[tuple[int, ...] | None] = None
    beam: Any = None
    x: Any = None
    starts_about_z: ClassVar[bool] = False
    can_shift_along_z: ClassVar[bool] = False
    elements: ClassVar[Elements | None] = None
    reversed_elements: ClassVar[Elements | None] = None
    turns_about_point: ClassVar[bool] = False
    borrows: ClassVar[type[JointKind] | None] = None

    def __init_subclass__(cls) -> None:
        own = cls.__dict__
        if "coordinates" in own and "velocities" not in own:
            cls.velocities = cls.coordinates
        if "elements" in own and "reversed_elements" not in own:
            cls.reversed_elements = cls.elements
        cls.q_parts = tuple(part.name for part in cls.coordinates)
        cls.v_parts = tuple(part.name for part in cls.velocities)

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"{type(self).__name__.lower()} joint"

    @property
    def is_rigid(self) -> bool:
        """Whether it joins two bodies rigidly."""
        return self.can_span_tree and not self.nv and self.borrows is None

    @property
    def is_of_beam(self) -> bool:
        """Whether it is part of a beam."""
        return self.bends or self.borrows is not None

    @property
    def turns_about_two_axes(self) -> bool:
        """Whether it is a product of two turns about axes through one point."""
        return self.keeps_origin and tuple(kind for kind, _ in self.elements or ()) == ("turn", "turn")

    @property
    def slides_along_axis(self) -> bool:
        """Whether it slides along its axis, whatever it does else about it."""
        return self.can_shift_along_z and any(kind == "slide" for kind, _ in self.elements or ())

    @property
    def rod_length(self) -> Any:
        """The distance [m] that it keeps between its two points; None for all but rods."""
        return None

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return len(self.velocities)

    @property
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at which child and parent joint frames coincide."""
        return tuple(1.0 if part.name == "qw" else 0.0 for part in self.coordinates)

    @property
    def axes(self) -> tuple[Vec3, ...]:
        """The axes of the file, in order: the first is fixed in the parent, the last in the child."""
        return tuple(getattr(self, number.key) for number in self.numbers if number.is_direction)

    @property
    def scalars(self) -> tuple[str, ...]:
        """Keys of the fields that are not directions."""
        return tuple(number.key for number in self.numbers if not number.is_direction)

    def with_numbers(self, numbers: Mapping[str, Any]) -> Self:
        """The kind with some of its numbers replaced."""
        if not numbers:
            return self
        return type(self)(**{number.key: numbers.get(number.key, getattr(self, number.key)) for number in self.numbers})

    @property
    def turn_between(self) -> Mat | None:
        """The constant turn between the frames of its two sides at the neutral coordinates; None without one."""
        return None

    def displacement(self, q: Vec) -> tuple[Mat, Vec]:
        """Axes of the child's frame (columns) and its origin [m] at coordinates q, in the parent's frame.

        A kind that gives this, `coordinates_from_pose` and `closure_rows` has all the rest from here; its velocities
        are the rates of its coordinates.
        """
        raise ArgumentError(f"{type(self).__name__} joints do not span a tree")

    def motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """Turn, travel and motion matrix at coordinates q and velocities v (theory 2.1-2.9)."""
        (Q, d), p = self.displacement(q), motion_matrix_of(self.displacement, q)
        p_dot = rate_of(motion_matrix_of(self.displacement, with_rate(q, v)))
        return factor_rotation(Q), Q.T @ d, p, p_dot

    def reversed_kind(self) -> JointKind:
        """The kind of the joint seen from its child: axes are negated, so that it keeps its coordinates.

        Kinds without an axis to negate have another motion, `reversed_motion`.
        """
        return self

    def reversed_motion(self, q: Vec, v: Vec, at: Placement) -> Movement:
        """Motion of the reversed kind, at the coordinates and velocities of the drawing (theory 2.14-2.17)."""
        if type(self).displacement is JointKind.displacement:
            return self.motion(q, v, at)

        def matrix(q: Vec) -> Mat:
            return inverse_motion_matrix(*self.displacement(q), motion_matrix_of(self.displacement, q))

        Q, d = self.displacement(q)
        return factor_rotation(Q.T), -d, matrix(q), rate_of(matrix(with_rate(q, v)))

    def check_numbers(self) -> Iterator[NumberProblem]:
        """Problems of its numbers; directions are checked for all kinds alike."""
        for number in self.numbers:
            value = getattr(self, number.key)
            if not number.is_direction and not abs(value) <= LARGEST:
                unit = f" in {number.unit}" if number.unit else ""
                yield "not-finite", f"has the {number.key} {value}", f"give a number{unit}", value

    def draw_glyph(self) -> tuple[GlyphPart, ...]:
        """The parts of its sign in pictures."""
        return (GlyphPart("ball", side=1, radius=1.25),)

    def coordinate_rates(self, q: Vec, v: Vec) -> Vec:
        """Time derivative of q at velocities v, (nq,)."""
        return v

    def moved_coordinates(self, q: Vec, dv: Vec) -> Vec:
        """Coordinates (nq,) after a unit of time at constant velocities dv: the exact solution of the rates."""
        return q + dv

    def displacement_between(self, q: Vec, q1: Vec) -> Vec:
        """Velocities that lead from q to q1 in a unit of time; rotations the short way round, by at most pi, (nv,)."""
        return q1 - q

    def shared_moments(self, body: Moments) -> Moments:
        """The part of a child's moments that moves with its parent in the same way (theory 4.9)."""
        return Moments.of(0.0, np.zeros(3), np.zeros((3, 3)))

    def closure_rows(self) -> tuple[Equation, ...]:
        """The closure equations of the joint where it closes a loop (theory 6.1-6.6)."""
        raise ArgumentError(f"{type(self).__name__} joints close no loops")

    def closure_rows_from_child(self) -> tuple[Equation, ...]:
        """The same equations on the pose of the parent's frame in the child's; many kinds have the same there."""
        rows = self.closure_rows()
        return rows if type(self).displacement is JointKind.displacement else tuple(map(_from_child, rows))

    def assembly_senses(self, Q: Mat) -> Mat:
        """Cosines that must be positive for the joint to be assembled the right way round, (..., k)."""
        if self.keeps_orientation:
            return np.stack([Q[..., i, i] for i in range(3)], axis=-1)
        return Q[..., 2, 2][..., None] if self.keeps_axis else np.ones((*Q.shape[:-2], 0))

    def closed_pose(self, pose: RelativePose) -> RelativePose:
        """The pose with what a closed joint makes zero or one written as such, which costs fewer operations."""
        Q, d = pose.Q, np.zeros(3) if self.keeps_origin else pose.d
        if self.keeps_orientation:
            Q = np.eye(3)
        elif self.keeps_axis:
            Q = np.array([[Q[0, 0], -Q[1, 0], 0.0], [Q[1, 0], Q[0, 0], 0.0], [0.0, 0.0, 1.0]])
        return RelativePose(Q, d)

    def coordinates_from_pose(self, Q: Mat, d: Vec) -> Vec:
        """Coordinates from the pose of the child's frame in the parent's; quaternions are left out."""
        return np.zeros(0)

    def coordinate_gradients(self, pose: RelativePose, closed: bool) -> list[Freedom]:
        """Of each velocity the exact covector at any pose, its drift, and the deflection of its coordinate."""
        if self.nq != self.nv:
            return []
        return [Coordinate(self._coordinate(i), pose, part.is_wrapped_angle) for i, part in enumerate(self.coordinates)]

    def _coordinate(self, number: int) -> PoseFunction:
        return lambda Q, d: self.coordinates_from_pose(Q, d)[number]

    def effort_covectors(self, pose: RelativePose, flipped: bool) -> list[Covector]:
        """Of each velocity the covector that extracts it at a closed joint; `flipped`: in the child's axes."""
        if self.nq != self.nv:
            return []
        values = [self._coordinate(i) for i in range(self.nv)]
        return [pose_gradient(_of_inverse(x) if flipped else x, pose) for x in values]

    def unit_twists(self) -> tuple[JointFreedom, ...]:
        """Its freedoms as turns and slides, in the order of its velocities; links that bend count as rigid."""
        return () if self.bends else tuple(JointFreedom(part.unit == "rad", Z) for part in self.velocities)

    def element_axes(self, parent: Mat, child: Mat) -> tuple[Vec, ...]:
        """Directions of its elements by coordinate, from the axes (columns) of its frames on both sides."""
        return (parent[:, 2],) * self.nv

    def simple_steps(self) -> tuple[SimpleStep, ...]:
        """Joints in a row that turn or slide and move as this one; none if it is no such row."""
        if not self.elements:
            return ()
        frames = []
        for axis in ((self.axes or (Z,))[0], (self.axes or (Z,))[-1]):
            frame = frame_with_z(axis)
            frames.append(np.column_stack([frame[:, 0], frame[:, 1], axis]))  # the axis with the digits of the file
        directions = [(x, y, z) for x, y, z in (axis.tolist() for axis in self.element_axes(*frames))]
        return tuple(SimpleStep(sort, directions[i], (i,)) for sort, i in self.elements)


def _of_inverse(value: PoseFunction) -> PoseFunction:
    """A function of the pose of the child in the parent as one of the pose of the parent in the child."""
    return lambda Q, d: value(Q.T, -(Q.T @ d))


def _from_child(row: Equation) -> Equation:
    return Constraint(_of_inverse(lambda Q, d: row.gap(RelativePose(Q, d))), row.description, row.length)


def opposite_axis(axis: Vec3) -> Vec3:
    """The opposite direction."""
    x, y, z = axis
    return (0.0 - x, 0.0 - y, 0.0 - z)


# --- names and units of coordinates, velocities and fields that several kinds share -----------------------------------

ANGLE = JointPart("angle", "rad")
LENGTH = JointPart("length", "m")
POSITION = tuple(JointPart(name, "m") for name in ("x", "y", "z"))
QUATERNION = tuple(JointPart(name, "") for name in ("qw", "qx", "qy", "qz"))
ANGULAR_VELOCITY = tuple(JointPart(name, "rad") for name in ("wx", "wy", "wz"))
LINEAR_VELOCITY = tuple(JointPart(name, "m") for name in ("vx", "vy", "vz"))
AXIS = JointNumber("axis", is_direction=True)


def units_along_parts(parts: tuple[JointPart, ...], turning: str, sliding: str) -> tuple[str, ...]:
    """The unit of a quantity along each coordinate or velocity; quaternion parts have none.

    >>> units_along_parts((ANGLE, LENGTH), "N m", "N")
    ('N m', 'N')
    """
    return tuple("" if not part.unit else turning if part.unit == "rad" else sliding for part in parts)
