"""The spanning tree of a mechanism in link frames: a link's z axis is the axis of the joint it hangs on.

Users' body frames sit anywhere; link frames are ours to choose, so that recursions meet the fewest non-zero numbers.
Links are numbered as the bodies in the file; the base is number -1. Coordinates follow the file's joints.

Mass on the axis of a revolute joint, for instance, moves in the same way whether it belongs to the child or to the
parent. Moving it inward leaves every force, acceleration and energy of the whole tree as it was and empties the outer
links' parameters, which saves operations; only wrenches inside joints change, so `reactions` uses the tree as drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.rotations import NO_TURN, Rotation, axis_rotation, factor_rotation
from linkwright.algebra.sums import is_structural_zero, numeric_array
from linkwright.algebra.transforms import (
    IDENTITY,
    Moments,
    RigidTransform,
    Transform,
    frame_with_z,
    moments_about_origin,
)
from linkwright.algebra.vectors import Mat, Vec, reproducible_product
from linkwright.dataclass import dataclass
from linkwright.forces.carried_weight import CarriedWeight
from linkwright.forces.element import ForceElement, JointForce, PointForce, merge_forces
from linkwright.forces.rotor import Rotor
from linkwright.forces.strain import Strain
from linkwright.mechanism.flexible_bodies import Flexibility, flexibility_of_beam
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Actuator, Inertia, Joint
from linkwright.mechanism.topology import as_drawn

# --- the spanning tree of a mechanism in link frames ------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Link:
    """A body and the joint it hangs on.

    The joint's frame is at `r` [m] with axes `R` in the parent's link frame; a universal joint turns about z, then
    by the constant `between`, then about z. `offsets` [rad] are added to its first and to its last angle. `body` is
    the user's body frame seen from the link frame. `reversed`: the file draws the joint from this body to its parent,
    and coordinates and velocities are those of that drawing.
    """

    name: str
    joint: str
    parent: int
    kind: kinds.JointKind
    r: Vec
    R: Rotation
    moments: Moments
    coords: slice
    dofs: slice
    between: Rotation = NO_TURN
    offsets: tuple[float, float] = (0.0, 0.0)
    body: RigidTransform = IDENTITY
    reversed: bool = False

    @property
    def flexibility(self) -> Flexibility | None:
        """Flexibility of a link that carries a beam's modal coordinates."""
        return flexibility_of_beam(self.kind.beam) if self.kind.bends else None


@dataclass(frozen=True, eq=False)
class TreeJointForce:
    """A force element along velocity `speed` with coordinate `coordinate`, None where it has none; a beam's has all."""

    speed: int | slice
    coordinate: int | slice | None
    element: JointForce

    def deflection(self, q: Vec) -> Any:
        """Its channel x at coordinates q (nq,)."""
        return 0.0 if self.coordinate is None else q[self.coordinate] - self.element.rest


@dataclass(frozen=True, eq=False)
class TreePointForce:
    """A force element with its ends as (link number, point in the body's frame); -1 is the base."""

    parent: int
    child: int
    at: Vec
    child_at: Vec
    element: PointForce


@dataclass(frozen=True, eq=False)
class TreeLift:
    """Gravity compensation of a link with mass m [kg] and first moment h [kg m] in the body's frame."""

    link: int
    m: Any
    h: Vec
    element: CarriedWeight


@dataclass(frozen=True, eq=False)
class CutJoint:
    """A joint outside the tree with force elements, which act between its two bodies.

    Attributes:
        name, kind: of the joint.
        parent, child: link numbers; -1 is the base.
        at, child_at: its frames in the two bodies' frames, z along the joint's axis there.
        forces: elements along its velocities.
        closed: whether the loop is closed, so that the frames meet as the joint demands; virtual springs open it.
    """

    name: str
    kind: kinds.JointKind
    parent: int
    child: int
    at: RigidTransform
    child_at: RigidTransform
    forces: tuple[JointForce, ...]
    closed: bool = True

    @cached_property
    def rotors(self) -> Vec:
        """Inertia along its velocities, (nv,) of the joint."""
        return _channel_inertias(((force.part, force) for force in self.forces), self.kind.nv)


@dataclass(frozen=True, eq=False)
class Tree:
    """Links, their order, and the forces on them."""

    links: tuple[Link, ...]
    nq: int
    nv: int
    gravity: Vec
    joint_forces: tuple[TreeJointForce, ...] = ()
    point_forces: tuple[TreePointForce, ...] = ()
    lifts: tuple[TreeLift, ...] = ()
    cut_joints: tuple[CutJoint, ...] = ()

    @cached_property
    def bodies(self) -> range:
        return range(len(self.links))

    @cached_property
    def parent(self) -> tuple[int, ...]:
        return tuple(link.parent for link in self.links)

    @cached_property
    def dofs(self) -> tuple[slice, ...]:
        return tuple(link.dofs for link in self.links)

    @cached_property
    def beams(self) -> tuple[tuple[int, Flexibility], ...]:
        """The links that carry modal coordinates, with what bending adds."""
        found = ((i, link.flexibility) for i, link in enumerate(self.links))
        return tuple((i, flex) for i, flex in found if flex is not None)

    @cached_property
    def cut_rotors(self) -> bool:
        """True if joints outside the tree carry rotors, whose inertia couples velocities of different branches."""
        return any(not all(map(is_structural_zero, cut.rotors.tolist())) for cut in self.cut_joints)

    @cached_property
    def rotors(self) -> Vec:
        """Inertia along the velocities, of rotors after their gears and of armature, (nv,)."""
        return _channel_inertias(((each.speed, each.element) for each in self.joint_forces), self.nv)

    @cached_property
    def outward(self) -> tuple[int, ...]:
        """Every link after its parent."""
        order: list[int] = []
        front = [i for i in self.bodies if self.parent[i] < 0]
        while front:
            order += front
            front = [j for i in front for j in self.children[i]]
        return tuple(order)

    @cached_property
    def inward(self) -> tuple[int, ...]:
        """Every link before its parent."""
        return tuple(reversed(self.outward))

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        below: list[list[int]] = [[] for _ in self.links]
        for j in self.bodies:
            if self.parent[j] >= 0:
                below[self.parent[j]].append(j)
        return tuple(tuple(x) for x in below)

    def ancestors(self, i: int) -> tuple[int, ...]:
        """The links between link i and the base, i first."""
        return self.path(i, -1)

    def path(self, i: int, top: int) -> tuple[int, ...]:
        """The links between link i, first, and one of its ancestors (-1: the base), which is left out."""
        chain = []
        while i != top:
            chain.append(i)
            i = self.parent[i]
        return tuple(chain)

    def beyond(self, top: int) -> tuple[int, ...]:
        """The links that hang on a link, every one after its parent."""
        order: list[int] = []
        front = list(self.children[top])
        while front:
            order += front
            front = [j for i in front for j in self.children[i]]
        return tuple(order)


def _channel_inertias(forces: Iterable[tuple[int | slice, JointForce]], nv: int) -> Vec:
    out = np.zeros(nv, dtype=object)
    for d, element in forces:
        out[d] = out[d] + element.channel_inertia
    return numeric_array(out)


def spanning_tree(mech: Mechanism) -> Tree:
    """The tree of a mechanism's joints (its loops left out), link axes along the joint axes."""
    frames = {joint.child: _link_frame(joint) for joint in mech.joints}
    links = _make_links(mech, frames)
    nq, nv = sum(j.kind.nq for j in mech.joints), sum(j.kind.nv for j in mech.joints)
    gravity = numeric_array(mech.gravity)
    return Tree(
        links, nq, nv, gravity, _tree_joint_forces(mech), _point_forces(mech), _gravity_lifts(mech), _cut_joints(mech)
    )


def _tree_joint_forces(mech: Mechanism) -> tuple[TreeJointForce, ...]:
    """Force elements along the tree's velocities."""
    slices = coordinate_slices(mech.joints)
    out: list[TreeJointForce] = []
    for joint, forces in _forces_by_joint(mech, mech.joints):
        coords, dofs = slices[joint.name]
        if joint.kind.bends:
            flex = flexibility_of_beam(joint.kind.beam)
            out.append(TreeJointForce(dofs, coords, Strain(joint.child, joint.name, flex.stiffness, flex.damping)))
        for force in forces:
            coordinate = coords.start + force.part if joint.kind.nq == joint.kind.nv else None
            out.append(TreeJointForce(dofs.start + force.part, coordinate, force))
    return tuple(out)


def _forces_by_joint(mech: Mechanism, joints: Iterable[Joint]) -> Iterator[tuple[Joint, list[JointForce]]]:
    """Joints with the force elements along their velocities: their own and their actuators', then `mech.forces`."""
    drives: dict[tuple[str, int], list[Actuator]] = {}
    for actuator in mech.actuators:
        drives.setdefault((actuator.joint, actuator.dof), []).append(actuator)
    further: dict[str, list[JointForce]] = {}
    for force in mech.forces:
        if isinstance(force, JointForce):
            further.setdefault(force.joint, []).append(force)
    for joint in joints:
        found: list[Any] = []
        for part, name in enumerate(part_names((joint,), speeds=True)):
            found += _forces_along(joint, part, name, drives.get((joint.name, part), []))
        yield joint, found + [placed for force in further.get(joint.name, []) for placed in force.placed_at(joint)]


def _forces_along(joint: Joint, part: int, name: str, actuators: list[Actuator]) -> list[ForceElement]:
    """Force elements that a joint and its actuators have along one velocity."""
    at = (name, joint.name, part, joint.kind.velocities[part].unit == "rad")
    given = [x for x in (joint.spring, joint.friction) if x is not None]
    found: list[ForceElement] = [force for x in given for force in x.forces_along(*at)]
    found += [Rotor(*at, joint.armature[part])] if joint.armature else []
    for each in actuators:
        found += () if each.friction is None else each.friction.forces_along(*at)
        found += () if is_structural_zero(each.rotor_inertia) else [Rotor(*at, each.gear**2 * each.rotor_inertia)]
    return merge_forces(found)


def _cut_joints(mech: Mechanism) -> tuple[CutJoint, ...]:
    """The joints outside the tree with force elements."""
    number = {name: i for i, name in enumerate(mech.names)} | {mech.base: -1}
    out = []
    for joint, forces in _forces_by_joint(mech, map(as_drawn, mech.loops)):
        if forces:
            ends, at = (number[joint.parent], number[joint.child]), RigidTransform.of(matrix=_joint_axes(joint))
            out.append(CutJoint(joint.name, joint.kind, *ends, joint.at @ at, _link_frame(joint), tuple(forces)))
    return tuple(out)


def tree_with_open_joints(tree: Tree) -> Tree:
    """The tree with joints outside it that may be open, as virtual springs leave them."""
    return replace(tree, cut_joints=tuple(replace(cut, closed=False) for cut in tree.cut_joints))


def tree_without_resistance(tree: Tree) -> Tree:
    """The tree without force elements at its joints and at those outside it."""
    return replace(tree, joint_forces=(), cut_joints=())


def _point_forces(mech: Mechanism) -> tuple[TreePointForce, ...]:
    number = {name: i for i, name in enumerate(mech.names)} | {mech.base: -1}
    return tuple(
        TreePointForce(number[x.parent], number[x.child], np.array(x.at), np.array(x.child_at), x)
        for x in mech.forces
        if isinstance(x, PointForce)
    )


def _gravity_lifts(mech: Mechanism) -> tuple[TreeLift, ...]:
    out = []
    for i, body in enumerate(mech.bodies):
        if body.gravity_compensation:
            m, com = body.inertia.mass, np.array(body.inertia.com)
            out.append(TreeLift(i, m, m * com, CarriedWeight(body.name, body.gravity_compensation)))
    return tuple(out)


def _joint_axes(joint: Joint) -> Mat:
    """Rotation from the joint's frame to one whose z is the joint's first axis."""
    axes = joint.kind.axes
    return frame_with_z(axes[0]) if axes else np.eye(3)


def _link_frame(joint: Joint) -> RigidTransform:
    """The link frame of the joint's child, seen from the child's body frame."""
    axes = joint.kind.axes
    return joint.child_at @ RigidTransform.of(matrix=frame_with_z(axes[-1]) if axes else np.eye(3))


def _make_links(mech: Mechanism, frames: dict[str, RigidTransform]) -> tuple[Link, ...]:
    index = {name: i for i, name in enumerate(mech.names)}
    above = {joint.child: joint for joint in mech.joints}
    slices = coordinate_slices(mech.joints)
    out = []
    for body in mech.bodies:
        joint = above[body.name]
        at = frames.get(joint.parent, IDENTITY).inverse @ joint.at @ RigidTransform.of(matrix=_joint_axes(joint))
        coords, dofs = slices[joint.name]
        pose = frames[body.name].inverse
        out.append(
            Link(
                name=body.name,
                joint=joint.name,
                parent=index.get(joint.parent, -1),
                kind=joint.kind,
                r=at.r,
                R=factor_rotation(at.R),
                between=_turn_between_sides(joint.kind),
                moments=moments_in_frame(body.inertia, pose),
                coords=coords,
                dofs=dofs,
                body=pose,
                reversed=joint.reversed,
            )
        )
    return tuple(out)


def _turn_between_sides(kind: kinds.JointKind) -> Rotation:
    """The constant turn between the frames of a joint's two sides."""
    turn = kind.turn_between
    return NO_TURN if turn is None else factor_rotation(turn)


def part_names(joints: tuple[Joint, ...], speeds: bool) -> tuple[str, ...]:
    """A name for every coordinate or speed: the joint's, with the part's behind a dot when there are several."""
    out: list[str] = []
    for joint in joints:
        parts = joint.kind.v_parts if speeds else joint.kind.q_parts
        if joint.kind.bends:  # the coordinates of a beam carry its body's name
            out += [f"{joint.parent}.{part}" for part in parts]
            continue
        out += [joint.name] if len(parts) == 1 else [f"{joint.name}.{part}" for part in parts]
    return tuple(out)


def coordinate_slices(joints: tuple[Joint, ...]) -> dict[str, tuple[slice, slice]]:
    """Slices of each joint's coordinates and velocities in q and v."""
    out: dict[str, tuple[slice, slice]] = {}
    iq, iv = 0, 0
    above = {joint.child: joint.name for joint in joints}
    for joint in joints:
        if joint.kind.borrows is not None:
            out[joint.name] = out[above[joint.parent]]
            continue
        nq, nv = joint.kind.nq, joint.kind.nv
        out[joint.name] = (slice(iq, iq + nq), slice(iv, iv + nv))
        iq, iv = iq + nq, iv + nv
    return out


def moments_in_frame(inertia: Inertia, pose: RigidTransform) -> Moments:
    """Moments about the origin of another frame, seen from which the body frame is at `pose`."""
    tensor = reproducible_product(reproducible_product(pose.R, numeric_array(inertia.tensor)), pose.R.T)
    return moments_about_origin(inertia.mass, pose.r + reproducible_product(pose.R, numeric_array(inertia.com)), tensor)


# --- inertial parameters folded towards the base ----------------------------------------------------------------------


def group_inertial_parameters(tree: Tree) -> Tree:
    """An equivalent tree with the inertial parameters folded towards the base."""
    links = list(tree.links)
    for i in tree.inward:
        inner = links[i].kind.shared_moments(links[i].moments)
        links[i] = replace(links[i], moments=_difference_of_moments(links[i].moments, inner))
        k = links[i].parent
        if k >= 0:
            links[k] = replace(
                links[k], moments=links[k].moments + _link_pose_at_zero(links[i]).moments_in_parent(inner)
            )
    return replace(tree, links=tuple(links))


def _difference_of_moments(body: Moments, part: Moments) -> Moments:
    return Moments.of(body.m - part.m, body.h - part.h, body.Sigma - part.Sigma)


def _link_pose_at_zero(link: Link) -> Transform:
    """Parent to link with the joint at zero; the shared moments do not feel the joint's own motion."""
    still = (
        axis_rotation(2, link.offsets[1]) if link.kind.keeps_orientation and link.kind.starts_about_z else Rotation()
    )
    return Transform(link.r, link.R * still, np.zeros(3))
