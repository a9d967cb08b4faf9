"""Chains of joints between two bodies as products of elementary motions (any scalar).

While all coordinates are zero, every axis of a chain is a fixed line in the frame of its first body. The pose of its
last body there is E_1 ... E_n B_0: turns about and slides along these lines, one for each coordinate, and its pose at
zero (R. W. Brockett's product of exponentials).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.dataclass import dataclass
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import Loop
from linkwright.mechanism.tree import Link, Tree
from linkwright.numerics.tolerances import ROUNDED_ENTRY
from linkwright.recursion.relative_motion import WORLD, FramePose
from linkwright.recursion.twist_recursion import joint_map


@dataclass(frozen=True)
class Edge:
    """A joint on the way from one body to the next.

    Attributes:
        index: number of the link that hangs on it, or of the loop.
        cut: whether it closes a loop.
        forward: from parent to child link, or from a loop's near side to its far one.
    """

    index: int
    cut: bool
    forward: bool


@dataclass(frozen=True, eq=False)
class ElementaryMotion:
    """An elementary motion, seen from the first body while all coordinates are zero.

    Attributes:
        kind: a turn, a slide, or any rotation about a point.
        axis: direction, (3,); axes of the joint's child (3, 3) for a rotation about a point.
        point: on the axis, (3,), [m].
        coordinate: index in q of its coordinate, of the first one of a quaternion; None at a joint that closes a loop.
        transposed: whether the quaternion describes the opposite rotation.
        cut: number of the loop that it closes, and of the joint's coordinate; None in the tree.
    """

    kind: Literal["turn", "slide", "ball"]
    axis: Any
    point: Vec
    coordinate: int | None
    transposed: bool = False
    cut: tuple[int, int] | None = None

    @property
    def opposite(self) -> ElementaryMotion:
        """The inverse motion."""
        return replace(self, transposed=not self.transposed) if self.kind == "ball" else replace(self, axis=-self.axis)


@dataclass(frozen=True, eq=False)
class Station:
    """A body on a chain: link number, its pose at zero, and how many elements come before it."""

    link: int
    pose: FramePose
    before: int


@dataclass(frozen=True, eq=False)
class Chain:
    """Elements between two bodies, and all bodies on the way, both ends included.

    `rod`: length [m] of a rod that ends the chain instead of a joint, and its point on the last body; else None.
    """

    elements: tuple[ElementaryMotion, ...]
    stations: tuple[Station, ...]
    rod: EndRod | None = None


@dataclass(frozen=True, eq=False)
class EndRod:
    """A distance between a point of the last but one body, at zero in the frame of the first, and one of the last."""

    length: Any
    near: Vec
    far: Vec


def compose_poses(first: FramePose, second: FramePose) -> FramePose:
    """The second pose, given in the first."""
    return FramePose(first.r + first.R @ second.r, first.R @ second.R)


def inverse_pose(pose: FramePose) -> FramePose:
    """The pose of the outer frame, seen from the inner one."""
    return FramePose(-(pose.R.T @ pose.r), pose.R.T)


def constant_pose(at: RigidTransform) -> FramePose:
    """A constant pose."""
    return FramePose(at.r, at.R)


def has_elements(kind: kinds.JointKind) -> bool:
    """Return True if the motion of a joint of this kind is a product of turns and slides, or a rotation."""
    return kind.elements is not None or kind.turns_about_point


def chain_of(tree: Tree, closure: Closure, start: int, edges: Sequence[Edge]) -> Chain:
    """The chain that begins at a link (-1: the base) and follows some joints; a loop of kind distance may be last."""
    elements: list[ElementaryMotion] = []
    pose, rod, link = WORLD, None, start
    stations = [Station(start, pose, 0)]
    for edge in edges:
        if edge.cut and closure.loops[edge.index].kind.rod_length is not None:
            rod, link = _rod_to_far_end(closure.loops[edge.index], pose, edge.forward)
            stations.append(Station(link, WORLD, len(elements)))
            break
        step = _elements_across_loop if edge.cut else _elements_along_tree
        more, pose, link = step(tree, closure, edge, pose)
        elements += more
        stations.append(Station(link, pose, len(elements)))
    return Chain(tuple(map(_element_without_rounding, elements)), tuple(stations), rod)


def _elements_along_tree(
    tree: Tree, closure: Closure, edge: Edge, pose: FramePose
) -> tuple[list[ElementaryMotion], FramePose, int]:
    """Elements of a joint of the tree, the pose of the next link at zero, and its number."""
    link = tree.links[edge.index]
    rest = joint_map(link, _neutral_of_link(link), np.zeros(link.dofs.stop - link.dofs.start))
    step = FramePose(rest.A.origin, rest.A.R.matrix)
    after = compose_poses(pose, step if edge.forward else inverse_pose(step))
    elements = _elements_of_joint(link, rest.p, after if edge.forward else pose)
    if edge.forward:
        return elements, after, edge.index
    return [x.opposite for x in reversed(elements)], after, link.parent


def _neutral_of_link(link: Link) -> Vec:
    return np.array(link.kind.neutral)


def _elements_of_joint(link: Link, p: Mat, child: FramePose) -> list[ElementaryMotion]:
    """Elements of a joint, from the columns of its motion matrix at zero."""
    first = link.coords.start
    if link.kind.turns_about_point:
        return [ElementaryMotion("ball", child.R, child.r, first, link.reversed)]
    out = []
    for kind, i in (link.kind.reversed_elements if link.reversed else link.kind.elements) or ():
        omega, vel = p[:3, i], p[3:, i]
        axis = child.R @ (omega if kind == "turn" else vel)
        point = child.r + child.R @ cross_product(omega, vel) if kind == "turn" else child.r
        out.append(ElementaryMotion(kind, axis, point, first + i))
    return out


def _elements_across_loop(
    tree: Tree, closure: Closure, edge: Edge, pose: FramePose
) -> tuple[list[ElementaryMotion], FramePose, int]:
    """The same for a joint that closes a loop: at zero its frames coincide, but for a universal joint's own turn."""
    loop = closure.loops[edge.index]
    near, far = (loop.near, loop.far) if edge.forward else (loop.far, loop.near)
    drawn = edge.forward != loop.flipped
    here = compose_poses(pose, constant_pose(near.at))
    step = FramePose(np.zeros(3), _turn_of_cut_joint(loop))
    there = compose_poses(here, step if drawn else inverse_pose(step))
    after = compose_poses(there, inverse_pose(constant_pose(far.at)))
    parent, child = (here, there) if drawn else (there, here)
    elements = _cut_parts(loop, edge.index, parent, child)
    return elements if drawn else [x.opposite for x in reversed(elements)], after, far.link


def _cut_parts(loop: Loop, index: int, parent: FramePose, child: FramePose) -> list[ElementaryMotion]:
    """Elements of a joint that closes a loop, from its parent to its child."""
    if loop.kind.turns_about_point:
        return [ElementaryMotion("ball", child.R, child.r, None)]
    axes = loop.kind.element_axes(parent.R, child.R)
    return [ElementaryMotion(kind, axes[i], parent.r, None, cut=(index, i)) for kind, i in loop.kind.elements or ()]


def _turn_of_cut_joint(loop: Loop) -> Mat:
    """The turn from the frame of a cut joint at its parent to that at its child; each has its axis as z."""
    turn = loop.kind.turn_between
    return np.eye(3) if turn is None else turn


def _rod_to_far_end(loop: Loop, pose: FramePose, forward: bool) -> tuple[EndRod, int]:
    near, far = (loop.near, loop.far) if forward else (loop.far, loop.near)
    return EndRod(loop.kind.rod_length, pose.r + pose.R @ near.at.r, far.at.r), far.link


def _element_without_rounding(element: ElementaryMotion) -> ElementaryMotion:
    return replace(element, axis=_zero_rounded_constants(element.axis), point=_zero_rounded_constants(element.point))


def _zero_rounded_constants(x: Any) -> Any:
    """Constants that are zero but for rounding as zero; what a program records stays."""
    if x.dtype == object:
        return x
    return np.where(np.abs(x) < ROUNDED_ENTRY, 0.0, x)
