"""Setting of a scene, known before anything is drawn: sizes, positions of the joints, upward axis, common plane."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.dataclass import dataclass
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Body, Joint
from linkwright.mechanism.shapes import Mesh
from linkwright.mechanism.tree import coordinate_slices
from linkwright.numerics.tolerances import LEAST_SIZE, WRITTEN_DIGITS

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class FirstPose:
    """A mechanism at its first pose.

    Attributes:
        mech: the mechanism.
        poses: of every body in the world, by name, the base included.
        reach: smallest and largest coordinate seen of joints with one coordinate, by name.
        extent: largest edge of the box round all joints, [m].
        unit: half the thickness of an ordinary link, [m].
        center: middle of that box, (3,), [m].
        up: unit vector against gravity, (3,).
        normal: of the plane the mechanism moves in, (3,); None when it moves in space.
    """

    mech: Mechanism
    poses: dict[str, RigidTransform]
    reach: dict[str, tuple[float, float]]
    extent: float
    unit: float
    center: Array
    up: Array
    normal: Array | None

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Every body's index among the moving bodies, -1 for the base."""
        return {name: i for i, name in enumerate(self.mech.names)} | {self.mech.base: -1}

    @cached_property
    def depths(self) -> dict[str, int]:
        """Number of joints between every body and the base."""
        above, depth = {j.child: j.parent for j in self.mech.joints}, {self.mech.base: 0}
        for name in self.mech.names:
            chain = []
            while name not in depth:
                chain.append(name)
                name = above[name]
            for body in reversed(chain):
                depth[body] = depth[above[body]] + 1
        return depth

    @cached_property
    def columns(self) -> dict[str, int]:
        """The first column in q of every joint of the tree."""
        return {name: coords.start for name, (coords, _) in coordinate_slices(self.mech.joints).items()}

    @cached_property
    def bodies(self) -> dict[str, Body]:
        """The moving bodies by name."""
        return {body.name: body for body in self.mech.bodies}


def setting(mech: Mechanism, at: Array, reach: dict[str, tuple[float, float]]) -> FirstPose:
    """The setting of a mechanism whose bodies have poses `at` (n_bodies, 7): origin, quaternion w x y z."""
    poses = {name: RigidTransform.from_quaternion(p[:3], p[3:]) for name, p in zip(mech.names, at, strict=True)}
    poses |= {mech.base: RigidTransform()}
    points = np.array(_landmark_positions(mech, poses))
    low, high = points.min(axis=0), points.max(axis=0)
    extent = float((high - low).max())
    extent = extent if extent > LEAST_SIZE else _shape_extent(mech)
    return FirstPose(
        mech,
        poses,
        reach,
        extent,
        0.012 * extent,
        0.5 * (low + high),
        upward_direction(mech),
        planar_normal(mech, poses),
    )


def _landmark_positions(mech: Mechanism, poses: dict[str, RigidTransform]) -> list[Array]:
    """Positions of all joints, frames, force elements and mass centers in the world."""
    ends = [end for j in (*mech.joints, *mech.loops) for end in _joint_ends(j)]
    ends += [(frame.body, frame.pose.r) for frame in mech.frames]
    ends += [(body, np.array(at)) for force in mech.forces for body, at in force.ends]
    ends += [(body.name, np.array(body.inertia.com)) for body in mech.bodies]
    return [poses[body].r + poses[body].R @ r for body, r in ends] or [np.zeros(3)]


def _joint_ends(joint: Joint) -> list[tuple[str, Array]]:
    """A joint's position in both bodies; a floating joint has none."""
    if joint.kind.floats:
        return []
    return [(joint.parent, joint.at.r), (joint.child, joint.child_at.r)]


def _shape_extent(mech: Mechanism) -> float:
    """A size for a mechanism whose joints are all at one point: of its shapes, else one meter."""
    sizes = [
        float(np.max(np.abs(value)))
        for body in mech.bodies
        for shape in body.shapes
        if not isinstance(shape.solid, Mesh)
        for value in vars(shape.solid).values()
        if np.size(value)
    ]
    return max(sizes, default=0.5) * 2.0


def upward_direction(mech: Mechanism) -> Array:
    """The unit vector against gravity; z when there is none."""
    g = np.array(mech.gravity, dtype=float)
    size = float(np.linalg.norm(g))
    return -g / size if size > 0.0 else np.array([0.0, 0.0, 1.0])


def planar_normal(mech: Mechanism, poses: dict[str, RigidTransform]) -> Array | None:
    """The common normal of a mechanism that moves in parallel planes, None when it does not."""
    axes = [pair for joint in (*mech.joints, *mech.loops) for pair in _world_axes(joint, poses)]
    turning = [axis for turns, axis in axes if turns]
    if not turning or any(j.kind.velocity_sides is None and j.kind.nv for j in mech.joints if not j.kind.bends):
        return None
    n, sliding = turning[0], [axis for turns, axis in axes if not turns]
    flat = all(np.linalg.norm(np.cross(n, a)) < WRITTEN_DIGITS for a in turning) and all(
        abs(n @ a) < WRITTEN_DIGITS for a in sliding
    )
    return _towards_viewer(n) if flat else None


def _world_axes(joint: Joint, poses: dict[str, RigidTransform]) -> list[tuple[bool, Array]]:
    """Directions a joint turns about (True) or moves along, in the world; a screw does both."""
    R = poses[joint.parent].R @ joint.at.R
    if joint.kind.bends:
        return [(False, R[:, "xyz".index(plane)]) for plane in joint.kind.beam.planes]
    sides = R, poses[joint.child].R @ joint.child_at.R, R
    freedoms = [(x, sides[x.side] @ np.array(x.axis)) for x in joint.kind.unit_twists()]
    return [(x.turns, axis) for x, axis in freedoms] + [(False, axis) for x, axis in freedoms if x.turns and x.pitch]


def _towards_viewer(n: Array) -> Array:
    """The normal's direction from which the picture is looked at: z up front, y away, x to the viewer."""
    largest = int(np.argmax(np.abs(n)))
    wanted = -1.0 if largest == 1 else 1.0
    return n if n[largest] * wanted > 0 else -n
