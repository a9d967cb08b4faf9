"""Link frames chosen as Denavit and Hartenberg did: z along the joint's axis, x along the common normal to the next.

Between two links then are one constant turn about x and one joint turn about z, with an arm that has two non-zero
components: 8 multiplications to carry a vector across a joint instead of 13 or more for an arbitrary frame.

Frames follow from directions. Where numbers of a mechanism are inputs, directions are mostly constants and the same
frames are chosen, with offsets along them that are linear in the lengths; where a direction is an input, the frame of
its joint stays as drawn.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.rotations import Rotation, axis_rotation, factor_rotation
from linkwright.algebra.sums import (
    all_known,
    constant_ratio,
    direction_angle,
    float_if_known,
    is_structural_zero,
    numeric_array,
)
from linkwright.algebra.transforms import RigidTransform, Transform
from linkwright.algebra.vectors import Mat, Vec, reproducible_product
from linkwright.mechanism.tree import Link, Tree
from linkwright.numerics.tolerances import NEARLY_PARALLEL, NO_DIRECTION, RIGHT_ANGLE, ROUNDED_AWAY


def align_link_frames(tree: Tree) -> Tree:
    """An equivalent tree with Denavit-Hartenberg-like link frames."""
    slides = _origin_shifts(tree)
    turns = [_normal_angle(tree, i, slides) for i in tree.bodies]
    links = [_realign_link(tree, i, slides, turns) for i in tree.bodies]
    return replace(tree, links=tuple(links))


def _origin_shifts(tree: Tree) -> list[Any]:
    """Shift of each link's origin along its z axis, to the foot of the common normal with the parent's axis."""
    slides: list[Any] = [0.0] * len(tree.links)
    for i in tree.outward:
        link, k = tree.links[i], tree.parent[i]
        if k >= 0 and link.kind.can_shift_along_z:
            slides[i] = _foot_of_normal(link.r, link.R @ np.array([0.0, 0.0, 1.0]), slides[k])
    return slides


def _foot_of_normal(r: Vec, u: Vec, level: Any) -> Any:
    """Parameter s of the point r + s u nearest to the z axis; for a (nearly) parallel line at height `level`."""
    if not all_known(u):
        return 0.0
    u = numeric_array(u)
    flat = u[0] ** 2 + u[1] ** 2
    if flat > NEARLY_PARALLEL**2:
        return float_if_known(-(r[0] * u[0] + r[1] * u[1]) / flat)
    return float_if_known((level - r[2]) / u[2])


def _normal_angle(tree: Tree, k: int, slides: list[Any]) -> float:
    """Angle about link k's z axis to the common normal with the axis of its main child."""
    outer = [i for i in tree.children[k] if tree.links[i].kind.starts_about_z]
    if not outer or not tree.links[k].kind.starts_about_z:
        return 0.0
    link = tree.links[outer[0]]
    u = link.R @ np.array([0.0, 0.0, 1.0])
    if not all_known(u):
        return 0.0
    u = numeric_array(u)
    arm = link.r + slides[outer[0]] * u
    if math.hypot(u[0], u[1]) > NEARLY_PARALLEL:
        return _quarter_angle(-u[1], u[0])
    if not all_known(arm):
        return _constant_direction(arm[0], arm[1]) or 0.0
    return _quarter_angle(arm[0], arm[1]) if math.hypot(arm[0], arm[1]) > NO_DIRECTION else 0.0


def _constant_direction(x: Any, y: Any) -> float | None:
    """The direction of (x, y) modulo half a turn where that is a constant, although a length may be an input."""
    if is_structural_zero(x):
        return 0.0 if is_structural_zero(y) else 0.5 * np.pi
    ratio = constant_ratio(y, x)
    return None if ratio is None else _quarter_angle(1.0, ratio)


def _quarter_angle(x: float, y: float) -> float:
    """The direction of (x, y) modulo half a turn, exact for whole right angles."""
    angle = math.atan2(y, x)
    quarters = round(angle / (0.5 * np.pi))
    if abs(angle - quarters * 0.5 * np.pi) < RIGHT_ANGLE:
        angle = quarters * 0.5 * np.pi
    return angle - np.pi if angle > 0.5 * np.pi else angle + np.pi if angle <= -0.5 * np.pi else angle


def _realign_link(tree: Tree, i: int, slides: list[Any], turns: list[float]) -> Link:
    link, k = tree.links[i], tree.parent[i]
    shift = RigidTransform.of((0.0, 0.0, slides[i]), axis_rotation(2, turns[i]).matrix)
    above = RigidTransform.of((0.0, 0.0, slides[k]), axis_rotation(2, turns[k]).matrix) if k >= 0 else RigidTransform()
    at = above.inverse @ RigidTransform.of(link.r, link.R.matrix) @ RigidTransform.of((0.0, 0.0, slides[i]))
    if link.kind.starts_about_z:
        R, lead = _split_leading_angle(at.R)
    else:
        R, lead = factor_rotation(at.R), 0.0
    back = shift.inverse
    return replace(
        link,
        r=_zero_small_components(at.r),
        R=R,
        offsets=_realigned_offsets(link, lead, turns[i]),
        moments=Transform(back.r, factor_rotation(back.R), np.zeros(3)).moments_in_parent(link.moments),
        body=back @ link.body,
    )


def _realigned_offsets(link: Link, lead: Any, tail: float) -> tuple[Any, Any]:
    if link.kind.turn_between is not None:
        return (link.offsets[0] + lead, link.offsets[1] + tail)
    return (0.0, link.offsets[1] + lead + tail)


def _split_leading_angle(R: Mat) -> tuple[Rotation, Any]:
    """R = Rz(beta) Rx(alpha) Rz(lead) as the constant part and the leading joint angle."""
    if not all_known(R):
        return _split_input(R)
    sine = math.hypot(R[0, 2], R[1, 2])
    if sine < ROUNDED_AWAY:
        flip = Rotation() if R[2, 2] > 0 else factor_rotation(np.diag([1.0, -1.0, -1.0]))
        rest = reproducible_product(flip.T.matrix, R)
        return flip, _exact_angle(rest[0, 0], rest[1, 0])
    beta = _quarter_angle(-R[1, 2], R[0, 2])
    inner = RigidTransform.of(matrix=reproducible_product(axis_rotation(2, beta).matrix.T, R)).R
    alpha = factor_rotation(RigidTransform.of(matrix=axis_rotation(0, math.atan2(-inner[1, 2], inner[2, 2])).matrix).R)
    lead = reproducible_product(alpha.T.matrix, inner)
    outer = factor_rotation(RigidTransform.of(matrix=axis_rotation(2, beta).matrix).R)
    return outer * alpha, _exact_angle(lead[0, 0], lead[1, 0])


def _split_input(R: Mat) -> tuple[Rotation, Any]:
    """The same for an orientation that is an input, if beta is a constant; as it is, if not."""
    beta = _constant_direction(-R[1, 2], R[0, 2])
    if beta is None:
        return factor_rotation(R), 0.0
    outer = RigidTransform.of(matrix=axis_rotation(2, beta).matrix).R
    inner = outer.T @ R
    if not is_structural_zero(inner[0, 2]):
        return factor_rotation(R), 0.0
    alpha = numeric_array([[1.0, 0.0, 0.0], [0.0, inner[2, 2], inner[1, 2]], [0.0, -inner[1, 2], inner[2, 2]]])
    return factor_rotation(outer) * factor_rotation(alpha), direction_angle(-inner[0, 1], inner[0, 0])


def _exact_angle(c: float, s: float) -> float:
    angle = math.atan2(s, c)
    quarters = round(angle / (0.5 * np.pi))
    return quarters * 0.5 * np.pi if abs(angle - quarters * 0.5 * np.pi) < RIGHT_ANGLE else angle


def _zero_small_components(r: Vec) -> Vec:
    if not all_known(r):
        return r
    r = numeric_array(r)
    return np.where(np.abs(r) < ROUNDED_AWAY * max(1.0, float(np.abs(r).max())), 0.0, r)
