"""Coordinates of legs in closed form: between two bodies whose poses are known (any scalar).

A chain E_1 ... E_n takes a point p of its last body, which is given there, to a point P. A surface that some joints at
one end leave invariant (a plane normal to their parallel axes, a sphere about the point where their axes meet) leaves
one equation for the joint at the other end alone: A cos(q) + B sin(q) = C for a turn, a quadratic one for a slide.
That joint then counts as part of the body, and the rest is a shorter chain of the same kind. What is left after the
position are joints whose axes meet in that point: their rotation is known, and their axes are points of the same kind,
at infinity. (E. D. Paden's and W. Kahan's subproblems, and Pieper's wrist, are such steps.)

Read `leg_functions` first: it has the compiled functions and calls these equations. `kinematics/leg_plan_search.py`
decides which steps a leg takes; a new kind of surface needs its equation here and its search there.

Of the two solutions of every equation the one is taken on whose side the last state lies: the sign of the derivative
by the coordinate, which is zero where the two meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product, skew
from linkwright.compiler import maximum, select
from linkwright.dataclass import dataclass
from linkwright.loops.chains_between import Chain, ElementaryMotion, compose_poses, inverse_pose
from linkwright.loops.legs import InvariantSurface, LegStep
from linkwright.recursion.relative_motion import FramePose

Value = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class PlacedSurface:
    """A surface in the frame of the first body: normal of a plane, or center of a sphere, (3,)."""

    kind: Literal["plane", "sphere"]
    at: Vec

    def value(self, x: Vec) -> Any:
        """The number by which such surfaces differ: height of a plane, square of a sphere's radius."""
        return self.at @ x if self.kind == "plane" else (x - self.at) @ (x - self.at)


def surface_at_elements(surface: InvariantSurface, elements: Sequence[ElementaryMotion]) -> PlacedSurface:
    """The surface of a plan for given elements."""
    chosen = [elements[i] for i in surface.elements]
    if surface.kind == "sphere":
        return PlacedSurface("sphere", common_point(chosen))
    if len(chosen) == 1:
        return PlacedSurface("plane", chosen[0].axis)
    normal = cross_product(chosen[0].axis, chosen[1].axis)
    return PlacedSurface("plane", cross_product(chosen[0].axis, normal) if surface.twice else normal)


def common_point(elements: Sequence[ElementaryMotion]) -> Vec:
    """The point of an axis, or the point of the first of two axes that is nearest to the second."""
    if len(elements) == 1 or elements[0].point is elements[1].point:
        return elements[0].point
    (z, o), (z_2, o_2) = ((e.axis, e.point) for e in elements[:2])
    normal = cross_product(z, z_2)
    return o + z * ((cross_product(o_2 - o, z_2) @ normal) / (normal @ normal))


def move_point(element: ElementaryMotion, value: Value, x: Vec) -> Vec:
    """A point moved by an element."""
    if element.kind == "slide":
        return x + element.axis * value[0]
    c, s = value
    arm = x - element.point
    along = element.axis * (element.axis @ arm)
    across = arm - along
    return element.point + along + across * c + cross_product(element.axis, across) * s


def moved_pose(element: ElementaryMotion, value: Value, pose: FramePose) -> FramePose:
    """A pose moved by an element."""
    if element.kind == "slide":
        return FramePose(move_point(element, value, pose.r), pose.R)
    free = replace(element, point=np.zeros(3))
    columns = [move_point(free, value, pose.R[:, i]) for i in range(3)]
    return FramePose(move_point(element, value, pose.r), np.array(columns).T)


def turn_between_points(element: ElementaryMotion, x: Vec, y: Vec) -> Value:
    """Cosine and sine of the turn about an axis from one point to another, both times a positive number."""
    a, b = x - element.point, y - element.point
    a, b = (arm - element.axis * (element.axis @ arm) for arm in (a, b))
    return a @ b, element.axis @ cross_product(a, b)


@dataclass(frozen=True, eq=False)
class JointEquation:
    """The equation of one joint: where it takes a point y, onto which surface, and the same at the last state."""

    element: ElementaryMotion
    y: Vec
    surface: PlacedSurface
    height: Any
    y_last: Vec
    surface_last: PlacedSurface
    last: Value

    def amplitudes(self, y: Vec, surface: PlacedSurface) -> tuple[Any, Any, Any]:
        """A, B and the constant part of the surface's value along the circle of a turn; half of them for a sphere."""
        e = self.element
        arm = y - e.point
        along = e.axis * (e.axis @ arm)
        b, center = arm - along, e.point + along
        c = cross_product(e.axis, b)
        if surface.kind == "plane":
            return surface.at @ b, surface.at @ c, surface.at @ center
        d = center - surface.at
        return d @ b, d @ c, 0.5 * (d @ d + b @ b)


def solve_joint_equation(equation: JointEquation, scale: float) -> tuple[Value, Any]:
    """Value of the joint on the last state's side, and the margin by which the surface is reached, 0 or more.

    `scale`: square of a length to which margins of slides are relative. A plane is always reached by a slide: None.
    """
    y, last = equation.y, equation.last
    if equation.element.kind == "slide":
        return _solve_sliding_joint(equation, scale)
    A, B, center = equation.amplitudes(y, equation.surface)
    A_last, B_last, _ = equation.amplitudes(equation.y_last, equation.surface_last)
    C = (equation.height if equation.surface.kind == "plane" else 0.5 * equation.height) - center
    square = A * A + B * B
    left = square - C * C
    root = np.sqrt(maximum(left, 0.0))
    D = select(B_last * last[0] - A_last * last[1], root, -root)
    share = 1.0 / square
    return ((A * C + B * D) * share, (B * C - A * D) * share), left * share


def _solve_sliding_joint(equation: JointEquation, scale: float) -> tuple[Value, Any]:
    e, y, surface = equation.element, equation.y, equation.surface
    if surface.kind == "plane":
        return ((equation.height - surface.at @ y) / (surface.at @ e.axis),), None
    arm, arm_last = y - surface.at, equation.y_last - equation.surface_last.at
    half, half_last = e.axis @ arm, e.axis @ arm_last
    left = half * half - arm @ arm + equation.height
    root = np.sqrt(maximum(left, 0.0))
    return (select(equation.last[0] + half_last, root, -root) - half,), left * (1.0 / scale)


def values_from_point(
    elements: Sequence[ElementaryMotion], steps: Sequence[LegStep], p: Vec, P: Vec, last: Sequence[Value], scale: float
) -> tuple[list[Value], list[Any]]:
    """Values of elements that take a point p to P, and margins of the equations.

    Args:
        elements: of the chain, in the frame of its first body.
        steps: equations, one less than elements.
        p, P: the point at zero, and where it is.
        last: values of the elements at the last state.
        scale: see `solve_joint_equation`.
    """
    found: list[Value] = [()] * len(elements)
    margins: list[Any] = []
    first, end = 0, len(elements)
    p_last = P_last = p
    for element, value in zip(reversed(elements), reversed(last), strict=True):
        P_last = move_point(element, value, P_last)
    for step in steps:
        surface = surface_at_elements(step.surface, elements)
        k = end - 1 if step.last else first
        e = elements[k] if step.last else elements[k].opposite
        y, y_last, other = (p, p_last, P) if step.last else (P, P_last, p)
        equation = JointEquation(e, y, surface, surface.value(other), y_last, surface, last[k])
        found[k], margin = solve_joint_equation(equation, scale)
        margins += [] if margin is None else [margin]
        if step.last:
            p, p_last, end = move_point(e, found[k], p), move_point(e, last[k], p_last), end - 1
        else:
            P, P_last, first = move_point(e, found[k], P), move_point(e, last[k], P_last), first + 1
    if elements:
        found[first] = _solve_single_element(elements[first], p, P)
    return found, margins


def _solve_single_element(element: ElementaryMotion, p: Vec, P: Vec) -> Value:
    """Value of a single element that takes p to P."""
    if element.kind == "slide":
        return (element.axis @ (P - p),)
    return unit_cosine_and_sine(turn_between_points(element, p, P))


def unit_cosine_and_sine(value: Value) -> Value:
    """Cosine and sine from positive multiples of them."""
    c, s = value
    scale = 1.0 / np.sqrt(c * c + s * s)
    return c * scale, s * scale


def values_from_rotation(
    elements: Sequence[ElementaryMotion], steps: Sequence[LegStep], R: Mat, last: Sequence[Value], scale: float
) -> tuple[list[Value], list[Any]]:
    """Values of one to three turns whose product is a rotation R, and margins of the equations."""
    turns = [replace(e, point=np.zeros(3)) for e in elements]
    if not turns:
        return [], []
    *before, end = turns
    found, margins = values_from_point(before, steps, end.axis, R @ end.axis, last[:-1], scale)
    for element, value in zip(before, found, strict=True):
        R = np.array([move_point(element.opposite, value, R[:, i]) for i in range(3)]).T
    z = end.axis
    cosine = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2] - 1.0)
    sine = 0.5 * (z @ np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]))
    return [*found, unit_cosine_and_sine((cosine, sine))], margins


def nearest_quaternion(R: Mat, last: Vec) -> Vec:
    """Unit quaternion w x y z of a rotation, of its two signs that nearer to a given one.

    The sums and differences of R that make up 4 q q^T, times the given one, are a positive multiple of the result
    unless the two are half a turn apart.
    """
    x, y, z = R[0, 0], R[1, 1], R[2, 2]
    zy, xz, yx = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, zx, yz = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    products = np.array(
        [
            [1.0 + x + y + z, zy, xz, yx],
            [zy, 1.0 + x - y - z, xy, zx],
            [xz, xy, 1.0 - x + y - z, yz],
            [yx, zx, yz, 1.0 - x - y + z],
        ]
    )
    wxyz = products @ last
    return wxyz * (1.0 / np.sqrt(wxyz @ wxyz))


def shortest_turn(a: Vec, b: Vec) -> Mat:
    """The rotation that takes direction a to direction b about their common normal; half a turn has none."""
    scale = 1.0 / np.sqrt((a @ a) * (b @ b))
    k, c = cross_product(a, b) * scale, (a @ b) * scale
    X = skew(k)
    return np.eye(3) + X + X @ X * (1.0 / (1.0 + c))


def poses_on(chain: Chain, values: Sequence[Value | None], start: FramePose, end: FramePose | None) -> list[FramePose]:
    """Poses of all bodies on a chain, of which both ends are given: from the start as far as values are known.

    Beyond an element without a value (of a joint that closes the loop) they follow from the end; without one the
    list stops there.
    """
    n = len(chain.elements)
    known = next((k for k, value in enumerate(values) if value is None), n)
    back = (
        None
        if end is None
        else compose_poses(compose_poses(inverse_pose(start), end), inverse_pose(chain.stations[-1].pose))
    )
    out = []
    for station in chain.stations:
        pose = station.pose
        if station.before <= known:
            for k in reversed(range(station.before)):
                pose = moved_pose(chain.elements[k], _given_value(values[k]), pose)
        elif back is None:
            continue
        else:
            for k in range(station.before, n):
                pose = moved_pose(chain.elements[k].opposite, _given_value(values[k]), pose)
            pose = compose_poses(back, pose)
        out.append(compose_poses(start, pose))
    return out


def _given_value(value: Value | None) -> Value:
    assert value is not None
    return value
