"""Force elements in motion: at the tree's joints, at cut joints, between points of two bodies, against gravity.

Each speed of such a joint is the product of a covector (n, f) and the relative velocity of the joint's frames; what
acts along the speed acts on the two bodies along that covector. Covectors are the exact gradients of the joint's
coordinates, so that springs keep the energy whether the loop is closed or stands open on virtual springs (theory 6.24).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform, Transform, wrench_from
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, reproducible_product
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, JointForce
from linkwright.joints.coordinate_gradients import AngleAbout, Freedom
from linkwright.joints.motion_terms import RelativeMotion, RelativePose
from linkwright.mechanism.tree import CutJoint, Tree, TreeLift, TreePointForce
from linkwright.numerics.tolerances import COINCIDENT_SQUARED
from linkwright.recursion.relative_motion import (
    WORLD,
    FramePose,
    attached_pose,
    chained_poses,
    frame_motion,
    relative_motion,
    relative_pose,
)
from linkwright.recursion.twist_recursion import Motion, motion_of_tree

# --- force elements at joints outside the tree: wrenches between the two bodies that meet there -----------------------

_O = np.zeros(3)
_X, _Y, _Z = np.eye(3)


@dataclass(frozen=True, eq=False)
class Resisting:
    """A joint outside the tree with its ends' frames in link frames, its pose and its freedoms."""

    cut: CutJoint
    ends: tuple[RigidTransform, RigidTransform]
    pose: RelativePose
    freedoms: list[Freedom]

    def deflection(self, element: JointForce) -> Any:
        """Channel x of an element at the joint."""
        return self.freedoms[element.part].deflection(element.rest)

    def motion(self, state: Motion) -> RelativeMotion:
        """Relative motion of the two frames."""
        links = (self.cut.parent, self.cut.child)
        first, second = (frame_motion(state, i, at) for i, at in zip(links, self.ends, strict=True))
        return relative_motion(self.pose, first, second)

    def rates(self, moving: RelativeMotion) -> list[Any]:
        """The joint's speeds."""
        pairs = (freedom.covector for freedom in self.freedoms)
        return [n @ moving.omega + f @ moving.vel for n, f in pairs]

    def accelerations(self, moving: RelativeMotion) -> list[Any]:
        """The rates of the joint's speeds."""
        out = []
        for freedom, rate in zip(self.freedoms, self.rates(moving), strict=True):
            n, f = freedom.covector
            turning = freedom.drift(rate, moving) if self.drifts(freedom) else 0.0
            out.append(n @ moving.alpha + f @ moving.acc + turning)
        return out

    def drifts(self, freedom: Freedom) -> bool:
        """True if a covector turns in a way that shows: not that of an angle while the loop is closed."""
        return not (self.cut.closed and isinstance(freedom, AngleAbout))

    def frame_wrenches(self, sizes: list[Any]) -> tuple[Vec, Vec]:
        """Sizes along the covectors as wrenches on the two frames, in their own axes, at their origins."""
        n, f = _O, _O
        for size, freedom in zip(sizes, self.freedoms, strict=True):
            n_i, f_i = freedom.covector
            n, f = n + size * n_i, f + size * f_i
        Q, d = self.pose.Q, self.pose.d
        return join_twist(-n - cross_product(d, f), -f), join_twist(Q.T @ n, Q.T @ f)

    def link_wrenches(self, sizes: list[Any]) -> tuple[Vec, Vec]:
        """The same wrenches in the axes and at the origins of the two links."""
        first, second = (wrench_from(w, at) for w, at in zip(self.frame_wrenches(sizes), self.ends, strict=True))
        return first, second


def resisting_joints(tree: Tree, A: list[Transform]) -> list[Resisting]:
    """The joints outside the tree that carry force elements, at the pose that A gives."""
    if not tree.cut_joints:
        return []
    poses = [*chained_poses(tree, A), WORLD]
    out = []
    for cut in tree.cut_joints:
        ends = (_cut_joint_end(tree, cut.parent, cut.at), _cut_joint_end(tree, cut.child, cut.child_at))
        pose = relative_pose(attached_pose(poses[cut.parent], ends[0]), attached_pose(poses[cut.child], ends[1]))
        pose = cut.kind.closed_pose(pose) if cut.closed else pose
        out.append(Resisting(cut, ends, pose, cut.kind.coordinate_gradients(pose, cut.closed)))
    return out


def _cut_joint_end(tree: Tree, link: int, at: RigidTransform) -> RigidTransform:
    return at if link < 0 else tree.links[link].body @ at


def resisting_forces(joint: Resisting, state: Motion) -> list[Any]:
    """Forces of elements along each velocity of a joint in motion, [N m or N]."""
    moving = joint.motion(state)
    rates, out = joint.rates(moving), [0.0] * len(joint.freedoms)
    for element in joint.cut.forces:
        out[element.part] = out[element.part] + element.channel_force(joint.deflection(element), rates[element.part])
    accelerations = joint.accelerations(moving)
    return [x + rotor * a for x, rotor, a in zip(out, joint.cut.rotors, accelerations, strict=True)]


def cut_joint_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of force elements outside the tree on every link, link axes, at the link's origin."""
    w = [np.zeros(6) for _ in range(len(tree.links) + 1)]
    for joint in resisting_joints(tree, state.A):
        ends = joint.link_wrenches(resisting_forces(joint, state))
        for i, taken in zip((joint.cut.parent, joint.cut.child), ends, strict=True):
            w[i] = w[i] - taken
    return w[:-1]


def transmitted_at_cuts(tree: Tree, state: Motion) -> dict[str, Vec]:
    """By joint the wrench of force elements on its child, body axes, at the joint's origin on the child.

    What a rotor's inertia takes of the drive's effort does not reach the child, as at joints of the tree.
    """
    out = {}
    for joint in resisting_joints(tree, state.A):
        _, w = joint.frame_wrenches(resisting_forces(joint, state))
        R = joint.cut.child_at.R
        out[joint.cut.name] = -join_twist(R @ w[:3], R @ w[3:])
    return out


def cut_rows(tree: Tree, A: list[Transform], p: list[Mat]) -> list[tuple[Any, Vec]]:
    """Per speed of those joints its rotor's inertia and the row s with speed = s v, (nv,)."""
    out = []
    for joint in resisting_joints(tree, A):
        for k in range(len(joint.freedoms)):
            unit = [1.0 if i == k else 0.0 for i in range(len(joint.freedoms))]
            row: list[Any] = [0.0] * tree.nv
            for i, w in zip((joint.cut.parent, joint.cut.child), joint.link_wrenches(unit), strict=True):
                _add_along_speeds(tree, A, p, i, w, row)
            out.append((joint.cut.rotors[k], np.array(row)))
    return out


def _add_along_speeds(tree: Tree, A: list[Transform], p: list[Mat], link: int, w: Vec, row: list[Any]) -> None:
    """Add to a row on the tree's speeds what the wrench w on a link does along them."""
    for i in tree.ancestors(link):
        for column, d in zip(p[i].T, range(tree.dofs[i].start, tree.dofs[i].stop), strict=True):
            row[d] = row[d] + w @ column
        w = A[i].T @ w


def cut_rotor_inertia(tree: Tree, A: list[Transform], p: list[Mat]) -> Mat:
    """Contribution of rotors outside the tree to its inertia, sum of rotor s s^T, (nv, nv)."""
    rows = cut_rows(tree, A, p)
    n = range(tree.nv)
    entries = {(i, j): sum(rotor * (s[i] * s[j]) for rotor, s in rows) for i in n for j in range(i, tree.nv)}
    return np.array([[entries[min(i, j), max(i, j)] for j in n] for i in n])


def cut_kinetic_energy(tree: Tree, state: Motion) -> Any:
    """Kinetic energy of the rotors outside the tree, [J]."""
    total: Any = 0.0
    for joint in resisting_joints(tree, state.A):
        rates = joint.rates(joint.motion(state))
        total = total + sum(0.5 * r * (x * x) for r, x in zip(joint.cut.rotors, rates, strict=True))
    return total


# --- force elements between points of two bodies, in motion -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MovingPoints:
    """The two points of an element in motion.

    Attributes:
        force: the element and its ends. distance: of its ends [m]. rate: of the distance [m/s].
        along: unit vector from the parent's end to the child's, world axes.
        poses: of all links, and last of the world.
    """

    force: TreePointForce
    distance: Any
    rate: Any
    along: Vec
    poses: list[FramePose]

    def wrenches(self, tree: Tree, tension: Any) -> tuple[tuple[int, Vec], tuple[int, Vec]]:
        """Per end its link and the wrench of a tension on it, link axes, at the link's origin."""
        force, pull = self.force, tension * self.along
        return self._at(tree, force.parent, force.at, pull), self._at(tree, force.child, force.child_at, -pull)

    def _at(self, tree: Tree, i: int, at: Vec, force: Vec) -> tuple[int, Vec]:
        local = self.poses[i].R.T @ force
        return i, join_twist(cross_product(_point_in_link(tree, i, at), local), local)


def moving_points(tree: Tree, state: Motion) -> list[MovingPoints]:
    """The elements between points, in motion."""
    poses = [*chained_poses(tree, state.A), WORLD] if tree.point_forces else []
    return [_moving_points(tree, force, poses, state) for force in tree.point_forces]


def _moving_points(tree: Tree, force: TreePointForce, poses: list[FramePose], state: Motion) -> MovingPoints:
    d = _vector_between_ends(tree, force, poses)
    distance = _distance_of_ends(force, d)
    along = d / distance
    vel = _velocity_of_end(tree, force.child, force.child_at, poses, state)
    rate = along @ (vel - _velocity_of_end(tree, force.parent, force.at, poses, state))
    return MovingPoints(force, distance, rate, along, poses)


def _distance_of_ends(force: TreePointForce, d: Vec) -> Any:
    """Length of the vector d between an element's ends; where they may meet, the direction there is zero."""
    squared = d @ d
    return np.sqrt(squared + COINCIDENT_SQUARED if force.element.may_vanish else squared)


def point_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of the elements between points on every link, link axes, at the link's origin."""
    w = [np.zeros(6) for _ in range(len(tree.links) + 1)]
    for moving in moving_points(tree, state):
        tension = moving.force.element.channel_force(moving.distance, moving.rate)
        for i, wrench in moving.wrenches(tree, tension):
            w[i] = w[i] + wrench
    return w[:-1]


def _point_in_link(tree: Tree, i: int, at: Vec) -> Vec:
    """A point of a body's frame in the link's frame."""
    if i < 0:
        return at
    body = tree.links[i].body
    return body.r + reproducible_product(body.R, at)


def _vector_between_ends(tree: Tree, force: TreePointForce, poses: list[FramePose]) -> Vec:
    """Vector between an element's ends, world axes."""
    return _end_in_world(tree, force.child, force.child_at, poses) - _end_in_world(tree, force.parent, force.at, poses)


def _end_in_world(tree: Tree, i: int, at: Vec, poses: list[FramePose]) -> Vec:
    return poses[i].r + poses[i].R @ _point_in_link(tree, i, at)


def _velocity_of_end(tree: Tree, i: int, at: Vec, poses: list[FramePose], state: Motion) -> Vec:
    t = state.t[i]
    return poses[i].R @ (t[3:] + cross_product(t[:3], _point_in_link(tree, i, at)))


# --- gravity compensation: a force against gravity at the mass center of single bodies --------------------------------


def gravity_in_links(tree: Tree, state: Motion) -> list[Vec]:
    """Gravity [m/s^2] in the axes of every link, and last in the world's."""
    g: list[Any] = [tree.gravity] * (len(tree.links) + 1)
    for i in tree.outward:
        g[i] = state.A[i].R.T @ g[tree.parent[i]]
    return g


def lift_wrenches(tree: Tree, state: Motion) -> list[Vec]:
    """Wrench of the gravity compensation on every link, link axes, at the link's origin (theory 3.4)."""
    w = [np.zeros(6) for _ in tree.links]
    g = gravity_in_links(tree, state)
    for lift in tree.lifts:
        force = -lift.element.channel_force(0.0, 0.0) * g[lift.link]  # per mass: m g is the gradient of x
        w[lift.link] = join_twist(cross_product(_first_moment_in_link(tree, lift), force), lift.m * force)
    return w


def _first_moment_in_link(tree: Tree, lift: TreeLift) -> Vec:
    body = tree.links[lift.link].body
    return lift.m * body.r + reproducible_product(body.R, lift.h)


def _work_of_gravity(tree: Tree, lift: TreeLift, pose: FramePose) -> Any:
    """What gravity does on a body from the world's origin on, [J]."""
    return tree.gravity @ (lift.m * pose.r + pose.R @ _first_moment_in_link(tree, lift))


# --- force elements on the channels they act along --------------------------------------------------------------------


def passive_forces(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Forces of elements at the tree's joints that a drive must overcome, without inertia, (nv,)."""
    force = np.zeros(tree.nv, dtype=np.result_type(q, v, float))
    for each in tree.joint_forces:
        force[each.speed] = force[each.speed] + each.element.channel_force(each.deflection(q), v[each.speed])
    return force


def element_wrenches(tree: Tree, state: Motion) -> Iterator[list[Vec]]:
    """Wrenches on every link of the elements that do not act along the tree's joints, by sort of element."""
    if tree.point_forces:
        yield point_wrenches(tree, state)
    if tree.lifts:
        yield lift_wrenches(tree, state)
    if tree.cut_joints:
        yield cut_joint_wrenches(tree, state)


def channel_values(tree: Tree, q: Vec, v: Vec) -> Iterator[tuple[ForceElement, Any, Any]]:
    """Every force element with its channel x and the rate of x."""
    for each in tree.joint_forces:
        yield each.element, each.deflection(q), v[each.speed]
    if not (tree.cut_joints or tree.point_forces or tree.lifts):
        return
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    for moving in moving_points(tree, state):
        yield moving.force.element, moving.distance, moving.rate
    for joint in resisting_joints(tree, state.A):
        rates = joint.rates(joint.motion(state))
        yield from ((element, joint.deflection(element), rates[element.part]) for element in joint.cut.forces)
    if tree.lifts:
        poses = chained_poses(tree, state.A)
        yield from ((lift.element, _work_of_gravity(tree, lift, poses[lift.link]), 0.0) for lift in tree.lifts)


def stored_energy(tree: Tree, q: Vec) -> Any:
    """Energy stored in force elements, [J]."""
    return sum((element.stored_energy(x) for element, x, _ in channel_values(tree, q, np.zeros(tree.nv))), 0.0)


def lost_power(tree: Tree, q: Vec, v: Vec) -> Any:
    """Power that force elements take away, [W]."""
    return sum((element.lost_power(x, x_dot) for element, x, x_dot in channel_values(tree, q, v)), 0.0)
