"""A closed-loop mechanism as the peers want it: a tree in depth-first order and points that must coincide.

Pinocchio's `constraintDynamics` is silently wrong by 8 to 40 % when joints are not added branch by branch, so the order
matters. Two trees are offered: the platform free with every leg cut, and the platform hung on the first leg.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright import Model
from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Floating, Planar, Revolute, Spherical
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism.tree import coordinate_slices

Array = np.ndarray
FREE, HUNG = "platform free", "platform on leg 1"


@dataclass(frozen=True)
class Edge:
    """A tree joint with its coordinates and velocities at one state, in our convention."""

    joint: Joint
    q: Array
    v: Array


@dataclass(frozen=True)
class PeerTree:
    """Joints branch by branch, the cut joints, and one state.

    Attributes:
        rate_slices: for every joint with our own coordinates, the slice of its accelerations in ours.
        efforts: actuator effort at each named joint.
    """

    mech: Mechanism
    edges: tuple[Edge, ...]
    cuts: tuple[Joint, ...]
    rate_slices: dict[str, slice]
    efforts: dict[str, float]


def peer_trees(model: Model, q: Array, v: Array, tau: Array) -> dict[str, PeerTree]:
    """The mechanism cut in the ways that make sense; a planar loop has one way only."""
    mech = model.mechanism
    if not any(isinstance(j.kind, Floating | Planar) for j in mech.joints):
        return {"cut as drawn": _tree(model, mech.joints, mech.loops, q, v, tau)}
    legs = tuple(j for j in mech.joints if not isinstance(j.kind, Floating | Planar))
    hung = (*legs, mech.loops[0])
    return {
        HUNG: _tree(model, hung, mech.loops[1:], q, v, tau),
        FREE: _tree(model, mech.joints, mech.loops, q, v, tau),
    }


def _tree(model: Model, joints: tuple[Joint, ...], cuts: tuple[Joint, ...], q: Array, v: Array, tau: Array) -> PeerTree:
    mech = model.mechanism
    slices = coordinate_slices(mech.joints)
    edges = []
    for joint in depth_first(joints, mech.base):
        if joint.name in slices:
            coords, dofs = slices[joint.name]
            edges.append(Edge(joint, q[coords], v[dofs]))
        else:
            edges.append(Edge(joint, *_relative(model, joint, q, v)))
    simple = {
        j.name: slices[j.name][1] for j in joints if j.name in slices and not isinstance(j.kind, Floating | Planar)
    }
    efforts = {a.joint: float(x) for a, x in zip(mech.actuators, tau)}
    return PeerTree(mech, tuple(edges), cuts, simple, efforts)


def depth_first(joints: tuple[Joint, ...], body: str) -> list[Joint]:
    """Joints branch by branch from a body."""
    return [j for start in joints if start.parent == body for j in (start, *depth_first(joints, start.child))]


def _relative(model: Model, joint: Joint, q: Array, v: Array) -> tuple[Array, Array]:
    """Coordinates and velocities of a cut joint: how its child turns against its parent."""
    parent, child = (RigidTransform.from_quaternion(*model.frame_pose(q, body)) for body in (joint.parent, joint.child))
    fixed, moving = parent @ joint.at, child @ joint.child_at
    spin = (model.frame_twist(q, v, joint.child) - model.frame_twist(q, v, joint.parent))[:3]
    turn = RigidTransform.of(matrix=fixed.R.T @ moving.R)
    match joint.kind:
        case Spherical():
            return turn.wxyz, moving.R.T @ spin
        case Revolute(axis):
            w, *xyz = turn.wxyz
            return np.array([2.0 * np.arctan2(np.dot(axis, xyz), w)]), np.array([np.dot(axis, fixed.R.T @ spin)])
        case _:
            raise NotImplementedError(f"a cut joint of kind {type(joint.kind).__name__} in the tree of a peer")
