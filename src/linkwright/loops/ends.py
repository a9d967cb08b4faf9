"""Loops in tree terms: the two frames a cut joint must bring together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.pose import IDENTITY, Pose, frame_with_z
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import Tree


@dataclass(frozen=True, eq=False)
class End:
    """A frame fixed in a link (-1: the base)."""

    link: int
    at: Pose


@dataclass(frozen=True, eq=False)
class Loop:
    """A cut joint: `near` carries the axes in which its equations are written, `far` is the other side.

    `flipped` says that near is the joint's child side. z of each frame is the joint's axis there (of a universal joint,
    the axis fixed on that side).
    """

    name: str
    kind: kinds.JointType
    near: End
    far: End
    flipped: bool = False


def loops_of(mech: Mechanism, tree: Tree, flipped: tuple[bool, ...] | None = None) -> tuple[Loop, ...]:
    """The cut joints of a mechanism, their frames given in the link frames of `tree`."""
    sides = flipped or (False,) * len(mech.loops)
    return tuple(loop_of(mech, tree, joint, side) for joint, side in zip(mech.loops, sides, strict=True))


def loop_of(mech: Mechanism, tree: Tree, joint: Joint, flipped: bool = False) -> Loop:
    """A joint, cut or not, as the two frames that it brings together."""
    axes = kinds.axes(joint.kind)
    first = frame_with_z(axes[0]) if axes else np.eye(3)
    last = frame_with_z(axes[-1]) if axes else np.eye(3)
    parent = _end(mech, tree, joint.parent, joint.at @ Pose.of(matrix=first))
    child = _end(mech, tree, joint.child, joint.child_at @ Pose.of(matrix=last))
    near, far = (child, parent) if flipped else (parent, child)
    return Loop(joint.name, joint.kind, near, far, flipped)


def _end(mech: Mechanism, tree: Tree, body: str, at: Pose) -> End:
    if body == mech.base:
        return End(-1, IDENTITY @ at)
    i = mech.names.index(body)
    return End(i, tree.links[i].body @ at)
