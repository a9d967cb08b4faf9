"""All coordinates from a pose of the platform, or from given coordinates, leg by leg in closed form.

Of the files about legs, open this first: its functions take a plan, which `kinematics/leg_plan_search.py` finds, and
solve each leg by the equations of `leg_equations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import maximum, minimum
from linkwright.dataclass import dataclass
from linkwright.functions.definition import compiled
from linkwright.functions.fallback_chain import in_pairs
from linkwright.functions.loop.leg_equations import (
    JointEquation,
    PlacedSurface,
    Value,
    common_point,
    move_point,
    moved_pose,
    nearest_quaternion,
    poses_on,
    shortest_turn,
    solve_joint_equation,
    unit_cosine_and_sine,
    values_from_point,
    values_from_rotation,
)
from linkwright.functions.loop.target_functions import coordinate_of, target_error
from linkwright.functions.stages import ClosedLegs
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.loops.chains_between import (
    Chain,
    Edge,
    ElementaryMotion,
    chain_of,
    compose_poses,
    constant_pose,
    inverse_pose,
)
from linkwright.loops.closure import relative_poses
from linkwright.loops.cut_joints import joint_value
from linkwright.loops.legs import GivenPose, LegPlan
from linkwright.recursion import poses
from linkwright.recursion.relative_motion import WORLD, FramePose


def known_pose(given: GivenPose, target: Vec) -> FramePose | Vec:
    """Pose of the frame from x y z, quaternion w x y z; its position alone where the orientation is not known."""
    r = np.array([target[i] if x is None else x for i, x in enumerate(given.position)], dtype=target.dtype)
    if given.turns is None:
        return r
    home = np.array(given.home)
    if not given.turns:
        return FramePose(r, home)
    R = rotations.rotation_of_quaternion(target[3:])
    if len(given.turns) == 3:
        return FramePose(r, R)
    i = given.turns[0]
    j, k = (i + 1) % 3, (i + 2) % 3
    M = R @ home.T
    turn = unit_cosine_and_sine((M[j, j] + M[k, k], M[k, j] - M[j, k]))
    about = ElementaryMotion("turn", np.eye(3)[i], np.zeros(3), None)
    return FramePose(r, moved_pose(about, turn, FramePose(np.zeros(3), home)).R)


@dataclass
class _Solution:
    """Coordinates and poses found so far."""

    stage: ClosedLegs
    q_last: Vec
    q: list[Any]
    poses: dict[int, FramePose] = field(default_factory=lambda: {-1: WORLD})

    def chain(self, start: int, edges: Sequence[Edge]) -> Chain:
        setup = self.stage.setup
        return chain_of(setup.simplified, setup.closure, start, edges)

    def last(self, element: ElementaryMotion) -> Value:
        """Value of an element at the last state; nothing for a rotation about a point."""
        if element.kind == "ball":
            return ()
        x = self.q_last[element.coordinate] if element.cut is None else self._cut_value(*element.cut)
        return (x,) if element.kind == "slide" else (np.cos(x), np.sin(x))

    def _cut_value(self, loop: int, part: int) -> Any:
        """Coordinate of a joint that closes a loop, at the last state."""
        closure = self.stage.setup.closure
        return joint_value(closure.loops[loop], relative_poses(closure, self.q_last)[loop])[part]

    def store(self, element: ElementaryMotion, value: Value) -> None:
        """The coordinate of a turn or slide; angles go on from the last state."""
        if element.coordinate is None:
            return
        x = self.q_last[element.coordinate]
        if element.kind == "slide":
            self.q[element.coordinate] = value[0]
            return
        (c, s), (c_last, s_last) = value, self.last(element)
        self.q[element.coordinate] = x + np.arctan2(s * c_last - c * s_last, c * c_last + s * s_last)

    def last_rotation(self, element: ElementaryMotion) -> Mat:
        """The last rotation about a point, in the frame of the chain's first body."""
        first = element.coordinate
        assert first is not None
        Q = rotations.rotation_of_quaternion(self.q_last[first : first + 4])
        return element.axis @ (Q.T if element.transposed else Q) @ element.axis.T

    def store_rotation(self, element: ElementaryMotion, R: Mat) -> None:
        """The quaternion of a rotation about a point, given in the frame of the chain's first body."""
        if element.coordinate is None:
            return
        own = slice(element.coordinate, element.coordinate + 4)
        Q = element.axis.T @ R @ element.axis
        self.q[own] = nearest_quaternion(Q.T if element.transposed else Q, self.q_last[own])


@compiled("q", "target", stage=ClosedLegs, any_norm=True)
def closed_coordinates(stage: ClosedLegs, q: Vec, target: Vec) -> tuple[Vec, Vec]:
    """Coordinates at a target on the branch of the last ones q, and measures, (1 + legs,).

    These are the largest error of all equations in units of the mechanism's size, or of the distance of the target
    where that is larger, and the margin by which each leg reaches, relative to its size; negative out of reach.
    """
    found = _Solution(stage, q, list(q))
    setup, plans = stage.setup, stage.plans
    point = None
    if plans.pose is None:
        _give_coordinates(found, target)
    else:
        link, at = frame_attachment(setup, str(stage.base.target.frame))
        pose = known_pose(plans.pose, target)
        if isinstance(pose, FramePose):
            found.poses[link] = compose_poses(pose, inverse_pose(constant_pose(at)))
        else:
            point = pose
    margins = []
    for leg in plans.legs:
        reached = _solve_leg(found, leg, point)
        if not leg.floating:
            margins.append(in_pairs(minimum, reached) if reached else 1.0)
    q_new = np.array(found.q, dtype=q.dtype)
    error = target_error(stage.base, q_new, target)
    if plans.pose is not None:
        error = error / in_pairs(maximum, [1.0, *(abs(x) * (1.0 / stage.base.length) for x in target[:3])])
    return q_new, np.array([error, *margins], dtype=object)


def _give_coordinates(found: _Solution, target: Vec) -> None:
    """Coordinates that are given, and poses of the links they carry."""
    setup, stage = found.stage.setup, found.stage
    speeds = [drive.speed for drive in setup.drives]
    for i, speed in enumerate(speeds):
        found.q[coordinate_of(setup, speed)] = target[i]  # type: ignore[index, arg-type]
    for link in stage.plans.links:
        parent = setup.simplified.parent[link]
        chain = found.chain(parent, [Edge(link, False, True)])
        given = [found.q[x.coordinate] for x in chain.elements]  # type: ignore[index]
        values = [(x,) if e.kind == "slide" else (np.cos(x), np.sin(x)) for e, x in zip(chain.elements, given)]
        found.poses[link] = poses_on(chain, values, found.poses[parent], None)[-1]


def _solve_leg(found: _Solution, leg: LegPlan, point: Vec | None) -> list[Any]:
    """Add the coordinates and poses of a leg; margins of its equations. `point`: of a frame whose pose is not known."""
    start = found.poses[leg.start]
    if leg.floating:
        return _solve_floating(found, leg, start)
    chain = found.chain(leg.start, leg.edges)
    if chain.rod is not None:
        return _solve_rod(found, chain, start)
    if leg.spinning:
        return _solve_spinning(found, chain, start)
    e, m = chain.elements, leg.positioned
    last = [found.last(x) for x in e]
    end = found.poses.get(chain.stations[-1].link)
    scale = found.stage.base.length**2
    if not leg.meet and end is None:
        assert point is not None
        P, p = inverse_moved(start, point), _frame_point(found, chain)
        positioned, margins = values_from_point(e, leg.steps, p, P, last, scale)
        values: list[Value | None] = list(positioned)
    else:
        assert end is not None
        G = compose_poses(compose_poses(inverse_pose(start), end), inverse_pose(chain.stations[-1].pose))
        p = common_point([e[i] for i in leg.meet]) if leg.meet else np.zeros(3)
        positioned, margins = values_from_point(e[:m], leg.steps, p, G.r + G.R @ p, last[:m], scale)
        R = G.R
        for element, value in zip(e[:m], positioned, strict=True):
            R = moved_pose(element.opposite, value, FramePose(np.zeros(3), R)).R
        more, other = _elements_from_rotation(found, e[m:], leg, R, last[m:], scale)
        values, margins = [*positioned, *more], [*margins, *other]
    for element, x in zip(e, values, strict=True):
        if x is not None:
            found.store(element, x)
    for station, pose in zip(chain.stations, poses_on(chain, values, start, end), strict=True):
        found.poses.setdefault(station.link, pose)
    return margins


def _elements_from_rotation(
    found: _Solution, elements: Sequence[ElementaryMotion], leg: LegPlan, R: Mat, last: Sequence[Value], scale: float
) -> tuple[list[Value | None], list[Any]]:
    """Values of the elements that are found from a rotation; None where nobody needs them."""
    if all(x.coordinate is None for x in elements):
        return [None] * len(elements), []
    if elements[0].kind == "ball":
        found.store_rotation(elements[0], R)
        return [None], []
    values, margins = values_from_rotation(elements, leg.turns, R, last, scale)
    return list(values), margins


def inverse_moved(pose: FramePose, x: Vec) -> Vec:
    """A point of the world seen from a frame."""
    return pose.R.T @ (x - pose.r)


def _frame_point(found: _Solution, chain: Chain) -> Vec:
    """The target's frame at zero, at the end of a chain."""
    _, at = frame_attachment(found.stage.setup, str(found.stage.base.target.frame))
    end = chain.stations[-1].pose
    return end.r + end.R @ at.r


def _solve_floating(found: _Solution, leg: LegPlan, start: FramePose) -> list[Any]:
    link = found.stage.setup.simplified.links[leg.edges[0].index]
    joint = compose_poses(start, FramePose(link.r, link.R.matrix))
    pose = compose_poses(inverse_pose(joint), found.poses[leg.edges[0].index])
    first = link.coords.start
    found.q[first : first + 3] = list(pose.r)
    found.q[first + 3 : first + 7] = nearest_quaternion(pose.R, found.q_last[first + 3 : first + 7])
    return []


def _solve_spinning(found: _Solution, chain: Chain, start: FramePose) -> list[Any]:
    """A part between two rotations about points: its length, or the joint before it, and the shortest turn of it.

    Nothing else depends on its spin about the line between the points.
    """
    e = chain.elements
    i = next(k for k, x in enumerate(e) if x.kind == "ball")
    near, far, R_last = e[i].point, e[-1].point, found.last_rotation(e[i])
    G = compose_poses(
        compose_poses(inverse_pose(start), found.poses[chain.stations[-1].link]), inverse_pose(chain.stations[-1].pose)
    )
    P, part, margins = G.r + G.R @ far, far - near, []
    reach, before, scale = P - near, e[:i], found.stage.base.length**2
    if before:
        last = found.last(e[0])
        surface, surface_last = (PlacedSurface("sphere", x) for x in (P, move_point(e[0], last, near + R_last @ part)))
        equation = JointEquation(e[0], near, surface, part @ part, near, surface_last, last)
        value, margin = solve_joint_equation(equation, scale)
        found.store(e[0], value)
        margins, reach = [margin], move_point(e[0].opposite, value, P) - near
        settled = poses_on(chain, [value, None, None], start, None)  # up to the part that spins
        for station, pose in zip(chain.stations, settled, strict=False):
            found.poses.setdefault(station.link, pose)
    elif i + 2 < len(e):
        slide, surface = e[i + 1], PlacedSurface("sphere", near)
        equation = JointEquation(slide, far, surface, reach @ reach, far, surface, found.last(slide))
        value, margin = solve_joint_equation(equation, scale)
        found.store(slide, value)
        margins, part = [margin], move_point(slide, value, far) - near
    found.store_rotation(e[i], shortest_turn(R_last @ part, reach) @ R_last)
    return margins


def _solve_rod(found: _Solution, chain: Chain, start: FramePose) -> list[Any]:
    """A single element that brings the rod's near end to its length from the far one."""
    rod, (element,) = chain.rod, chain.elements
    assert rod is not None
    end = chain.stations[-1].link
    tree, first = found.stage.setup.simplified, chain.stations[0].link
    before = [WORLD if i < 0 else poses.link_poses(tree, found.q_last)[i] for i in (first, end)]
    center, center_last = (
        inverse_moved(a, b.r + b.R @ rod.far) for a, b in ((start, found.poses[end]), (before[0], before[1]))
    )
    surface, surface_last = PlacedSurface("sphere", center), PlacedSurface("sphere", center_last)
    height = rod.length * rod.length
    equation = JointEquation(element, rod.near, surface, height, rod.near, surface_last, found.last(element))
    value, margin = solve_joint_equation(equation, found.stage.base.length**2)
    found.store(element, value)
    for station, pose in zip(chain.stations[:-1], poses_on(chain, [value], start, None), strict=False):
        found.poses.setdefault(station.link, pose)
    return [margin]
