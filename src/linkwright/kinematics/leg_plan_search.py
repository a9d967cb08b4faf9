"""Plans for legs in closed form: which chains of joints have one, found by looking at their axes.

`functions/loop/leg_functions.py` has the functions that follow the plans; read it first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.functions.loop import leg_functions
from linkwright.functions.loop.leg_equations import JointEquation, Value, common_point, move_point, surface_at_elements
from linkwright.functions.loop.target_functions import coordinate_of
from linkwright.functions.memo import memo
from linkwright.functions.setup import Setup
from linkwright.functions.stages import ClosedLegs, MotionTarget, SquareTarget
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.target_plans import moving_components, samples_of, square_target
from linkwright.loops.chains_between import Chain, Edge, ElementaryMotion, chain_of, has_elements
from linkwright.loops.closure import relative_poses
from linkwright.loops.cut_joints import joint_value
from linkwright.loops.legs import GivenPose, InvariantSurface, LegPlan, LegPlans, LegStep
from linkwright.numerics.tolerances import CLOSED_STATE, NO_AMPLITUDE, PARALLEL_AXES, REGULAR_STATE, SAME_CONFIGURATION

Array = np.ndarray

# Longest chain, in joints, and most chains that are tried.
_LONGEST, _MOST = 7, 400

# By how much the mechanism's inputs are varied.
_VARIED = 1e-3


@memo(valid_at="nominal")
def closed_legs(
    kinematics: Kinematics, frame: str | None, given: tuple[int, ...], holding: bool = False
) -> Kernels[ClosedLegs] | None:
    """Kernels that solve a target leg by leg in closed form; None where some leg has none.

    `holding`: see `square_target`; a part that spins idly turns the shortest way from the last state.
    """
    target = square_target(kinematics, frame, given, holding)
    plans = None if target is None else _plan_legs(kinematics, target.stage)
    if target is None or plans is None:
        return None
    found = Kernels(ClosedLegs(target.stage, plans))
    return found if _can_reproduce_samples(kinematics, found) else None


def _plan_legs(kinematics: Kinematics, stage: SquareTarget) -> LegPlans | None:
    setup = stage.setup
    kinds_met = [link.kind for link in setup.simplified.links] + [loop.kind for loop in setup.closure.loops]
    solvable = all(has_elements(x) or x.floats or x.rod_length is not None for x in kinds_met)
    if setup.closure.couplings or not solvable or any(setup.closure.released):
        return None
    search = _Search(setup, stage.length, samples_of(kinematics))
    if stage.target.frame is None:
        links = _given_links(setup)
        legs = search.legs({-1, *links}, set(links))
        return None if legs is None else LegPlans(None, links, legs)
    pose = _given_pose(kinematics, stage.target)
    if pose is None:
        return None
    link, at = frame_attachment(setup, str(stage.target.frame))
    if pose.turns is not None:
        legs = search.legs({-1, link}, set())
        return None if legs is None else LegPlans(pose, (), legs)
    first = search.to_point(link, at.r)
    if first is None:
        return None
    known = {-1, *(edge.index for edge in first.edges)}
    legs = search.legs(known, {edge.index for edge in first.edges})
    return None if legs is None else LegPlans(pose, (), (first, *legs))


def _given_links(setup: Setup) -> tuple[int, ...]:
    """Links whose joint and all before it have given coordinates only."""
    tree = setup.simplified
    given = {coordinate_of(setup, drive.speed) for drive in setup.drives if drive.speed is not None}
    found: list[int] = []
    for i in tree.outward:
        own = range(tree.links[i].coords.start, tree.links[i].coords.stop)
        if tree.parent[i] in (-1, *found) and all(k in given for k in own) and has_elements(tree.links[i].kind):
            found.append(i)
    return tuple(found)


def _given_pose(kinematics: Kinematics, target: MotionTarget) -> GivenPose | None:
    """The part of the frame's pose that is given; None where its position is not known."""
    frame, given = str(target.frame), set(target.given)
    moving = set(moving_components(kinematics, frame))
    r, R = kinematics.compute_at(tree_functions.frame_pose, kinematics.home, frame=frame)
    if moving & {3, 4, 5} - given:
        return None
    turns = tuple(sorted(given & {0, 1, 2}))
    known = not moving & {0, 1, 2} - given and len(turns) != 2
    position = tuple(None if 3 + i in given else float(r[i]) for i in range(3))
    rows = tuple(tuple(map(float, row)) for row in R)
    return GivenPose(turns if known else None, rows, position)


@dataclass(frozen=True, eq=False)
class _Search:
    """Looks for chains between known bodies that can be solved.

    `through_cuts`: whether joints that close loops may be found from a point, which needs their values at the last
    state.
    """

    setup: Setup
    length: float
    q: Array
    through_cuts: bool = False

    def legs(self, known: set[int], done: set[int]) -> tuple[LegPlan, ...] | None:
        """Plans for all joints of the tree but those in `done`; None where some have none."""
        tree, found = self.setup.simplified, []
        left = set(range(len(tree.links))) - done
        while left:
            leg = self._next(known, left)
            if leg is None:
                return None
            found.append(leg)
            left -= {edge.index for edge in leg.edges if not edge.cut}
            known |= {link for edge in self._settled_joints(leg) for link in self._ends(edge)}
        return tuple(found)

    def _settled_joints(self, leg: LegPlan) -> tuple[Edge, ...]:
        """The joints of a leg beside which bodies are known afterwards: of one that spins those before the spin."""
        if not leg.spinning:
            return leg.edges
        kinds_met = [self.setup.simplified.links[e.index].kind if not e.cut else None for e in leg.edges]
        return leg.edges[: next(k for k, kind in enumerate(kinds_met) if kind is not None and kind.turns_about_point)]

    def _next(self, known: set[int], left: set[int]) -> LegPlan | None:
        """A plan for one of the shortest chains between known bodies."""
        paths = sorted(self._paths(known, left), key=lambda path: (len(path[1]), [edge.index for edge in path[1]]))
        for search in (self, replace(self, through_cuts=True)):
            found = (search.plan(start, edges) for start, edges in paths)
            leg = next((leg for leg in found if leg is not None), None)
            if leg is not None:
                return leg
        return None

    def _ends(self, edge: Edge) -> tuple[int, int]:
        """Links before and after a joint, in the direction of the way."""
        if edge.cut:
            loop = self.setup.closure.loops[edge.index]
            ends = loop.near.link, loop.far.link
        else:
            ends = self.setup.simplified.parent[edge.index], edge.index
        return ends if edge.forward else ends[::-1]

    def _paths(self, known: set[int], left: set[int]) -> Iterator[tuple[int, tuple[Edge, ...]]]:
        """Ways from a known body through unknown ones to a known one, both directions, that find something new."""
        joints = [Edge(i, False, way) for i in left for way in (True, False)]
        joints += [Edge(i, True, way) for i in range(len(self.setup.closure.loops)) for way in (True, False)]
        from_link: dict[int, list[Edge]] = {}
        for edge in joints:
            from_link.setdefault(self._ends(edge)[0], []).append(edge)
        count = 0
        stack: list[tuple[int, tuple[Edge, ...]]] = [(start, ()) for start in sorted(known, reverse=True)]
        while stack and count < _MOST:
            start, edges = stack.pop()
            at = self._ends(edges[-1])[1] if edges else start
            if edges and at in known:
                count += 1
                if any(not edge.cut for edge in edges):
                    yield start, edges
                continue
            passed = {start, *(self._ends(edge)[1] for edge in edges)}
            for edge in from_link.get(at, ()):
                if len(edges) < _LONGEST and self._ends(edge)[1] not in passed:
                    stack.append((start, (*edges, edge)))

    def _name(self, edges: Sequence[Edge]) -> str:
        """Name of a leg: of the joint that closes it, else of its last joint."""
        closing = [self.setup.closure.loops[edge.index].name for edge in edges if edge.cut]
        return closing[0] if closing else self.setup.simplified.links[edges[-1].index].joint

    def plan(self, start: int, edges: tuple[Edge, ...]) -> LegPlan | None:
        """A plan for a chain between known bodies, or None."""
        links, loops = self.setup.simplified.links, self.setup.closure.loops
        leg = LegPlan(self._name(edges), start, edges)
        floating = [edge for edge in edges if not edge.cut and links[edge.index].kind.floats]
        if floating:
            alone = len(edges) == 1 and edges[0].forward and not links[edges[0].index].reversed
            return replace(leg, floating=True) if alone else None
        rods = [k for k, e in enumerate(edges) if e.cut and loops[e.index].kind.rod_length is not None]
        if rods and rods != [len(edges) - 1]:
            return None
        chain = chain_of(self.setup.simplified, self.setup.closure, start, edges)
        if rods:
            alone = len(chain.elements) == 1 and chain.elements[0].kind != "ball"
            return replace(leg, positioned=1) if alone else None
        balls = [k for k, x in enumerate(chain.elements) if x.kind == "ball"]
        if len(balls) == 2:
            return replace(leg, spinning=True) if _is_distance_solvable(chain.elements, *balls) else None
        return self._by_position_and_rotation(leg, chain)

    def _by_position_and_rotation(self, leg: LegPlan, chain: Chain) -> LegPlan | None:
        """First the elements before a point in which the axes of all others meet, then these."""
        e = chain.elements
        if any(x.kind == "ball" for x in e[:-1]) or not any(x.coordinate is not None for x in e):
            return None
        if e[-1].kind == "ball":
            steps = self._steps(e[:-1], e[-1].point)
            n = len(e) - 1
            return None if steps is None else replace(leg, positioned=n, meet=(n,), steps=steps)
        for count in range(min(3, len(e)), -1, -1):
            m = len(e) - count
            meet, turns = self._meet(e, m), self._turns(e[m:])
            if meet is None or turns is None or (not count and any(x.kind == "turn" for x in e)):
                continue
            point = common_point([e[i] for i in meet]) if meet else np.zeros(3)
            steps = self._steps(e[:m], point)
            if steps is not None:
                return replace(leg, positioned=m, meet=meet, steps=steps, turns=turns)
        return None

    def _meet(self, e: Sequence[ElementaryMotion], m: int) -> tuple[int, ...] | None:
        """Elements from number m on that define the point in which the axes of all these meet; None without one."""
        if any(x.kind != "turn" for x in e[m:]):
            return None
        if len(e) - m < 2:
            return (m,) if m < len(e) else ()
        center = _common_center_turns(e[m:], self.length)
        return None if center is None else tuple(m + i for i in center)

    def _turns(self, e: Sequence[ElementaryMotion]) -> tuple[LegStep, ...] | None:
        """Steps for turns whose product is known; () where their coordinates are not wanted."""
        if not any(x.coordinate is not None for x in e):
            return ()
        if len(e) < 2:
            return ()
        free = [replace(x, point=np.zeros(3)) for x in e]
        return self._steps(free[:-1], free[-1].axis, unit=1.0)

    def to_point(self, link: int, point: Array) -> LegPlan | None:
        """A plan for the joints between the base and a link, a point of which is known."""
        edges = tuple(Edge(i, False, True) for i in reversed(self.setup.simplified.ancestors(link)))
        if not all(has_elements(self.setup.simplified.links[edge.index].kind) for edge in edges):
            return None
        chain = chain_of(self.setup.simplified, self.setup.closure, -1, edges)
        if any(x.kind == "ball" for x in chain.elements) or len(chain.elements) > 3:
            return None
        end = chain.stations[-1].pose
        steps = self._steps(chain.elements, end.r + end.R @ point)
        return None if steps is None else LegPlan(self._name(edges), -1, edges, len(chain.elements), (), steps)

    def _steps(self, e: Sequence[ElementaryMotion], p: Array, unit: float | None = None) -> tuple[LegStep, ...] | None:
        """Equations for elements that take a point p to a known one, one less than elements; None where there are none.

        `unit`: the length that amplitudes are compared with, the mechanism's when None.
        """
        if len(e) > 3 or (any(x.cut for x in e) and not self.through_cuts):
            return None
        samples = [self._values(e, q) for q in self.q[:: max(1, len(self.q) // 8)]]
        return self._reduce_elements(
            e, 0, len(e), [(p, _move_point_by_elements(e, v, p)) for v in samples], samples, unit or self.length
        )

    def _values(self, e: Sequence[ElementaryMotion], q: Array) -> list[Value]:
        """Values of elements at coordinates."""
        closure = self.setup.closure
        cut = [joint_value(loop, pose) for loop, pose in zip(closure.loops, relative_poses(closure, q), strict=True)]
        given = [q[x.coordinate] if x.cut is None else cut[x.cut[0]][x.cut[1]] for x in e]
        return [(x,) if y.kind == "slide" else (np.cos(x), np.sin(x)) for x, y in zip(given, e, strict=True)]

    def _reduce_elements(
        self,
        e: Sequence[ElementaryMotion],
        first: int,
        end: int,
        points: list[tuple[Array, Array]],
        samples: list[list[Value]],
        unit: float,
    ) -> tuple[LegStep, ...] | None:
        """Steps for elements `first` to `end`, of samples with the point before and after them."""
        if end - first == 0:
            return ()
        if end - first == 1:
            x = e[first]
            arms = [np.linalg.norm(np.cross(x.axis, p - x.point)) for p, _ in points]
            return () if x.kind == "slide" or np.median(arms) > NO_AMPLITUDE * unit else None
        for last in (True, False):
            k = end - 1 if last else first
            group = range(first, end - 1) if last else range(first + 1, end)
            x = e[k] if last else e[k].opposite
            for surface in _invariant_surfaces(e, group, k, self.length):
                if not self._counts(e, x, surface, [ends[0 if last else 1] for ends in points], unit):
                    continue
                after = [
                    (move_point(x, v[k], p), P) if last else (p, move_point(x, v[k], P))
                    for (p, P), v in zip(points, samples, strict=True)
                ]
                rest = self._reduce_elements(e, first + (not last), end - last, after, samples, unit)
                if rest is not None:
                    return (LegStep(last, surface), *rest)
        return None

    def _counts(
        self,
        e: Sequence[ElementaryMotion],
        x: ElementaryMotion,
        surface: InvariantSurface,
        points: list[Array],
        unit: float,
    ) -> bool:
        """Whether the value of a surface changes while an element moves a point."""
        found = surface_at_elements(surface, e)
        if x.kind == "slide":
            return surface.kind == "sphere" or bool(abs(found.at @ x.axis) > NO_AMPLITUDE)
        size = unit if surface.kind == "plane" else unit * unit
        amplitudes = [JointEquation(x, p, found, 0.0, p, found, ()).amplitudes(p, found)[:2] for p in points]
        return bool(np.median([np.hypot(*pair) for pair in amplitudes]) > NO_AMPLITUDE * size)


def _is_distance_solvable(e: Sequence[ElementaryMotion], first: int, second: int) -> bool:
    """Whether one element at most stands before or between two rotations about points, found from their distance."""
    between = e[first + 1 : second]
    alone = first + len(between) <= 1 and all(x.kind == "slide" for x in between)
    inside = e[first].coordinate is not None and e[second].coordinate is None
    return second == len(e) - 1 and alone and inside and not any(x.cut for x in (*e[:first], *between))


def _move_point_by_elements(e: Sequence[ElementaryMotion], values: Sequence[Value], p: Array) -> Array:
    """A point moved by all elements, the last one first."""
    for x, value in zip(reversed(e), reversed(values), strict=True):
        p = move_point(x, value, p)
    return p


def _is_parallel_to(a: Array, b: Array) -> bool:
    return bool(np.linalg.norm(np.cross(a, b)) < PARALLEL_AXES)


def _on_axis(x: ElementaryMotion, point: Array, length: float) -> bool:
    return bool(np.linalg.norm(np.cross(x.axis, point - x.point)) < PARALLEL_AXES * length)


def _common_center_turns(e: Sequence[ElementaryMotion], length: float) -> tuple[int, ...] | None:
    """Numbers of turns that define the point in which all their axes meet; None where they do not."""
    other = next((i for i in range(1, len(e)) if not _is_parallel_to(e[0].axis, e[i].axis)), None)
    if len(e) == 1:
        return (0,)
    if other is None:
        return (0,) if all(_on_axis(x, e[0].point, length) for x in e) else None
    point = common_point([e[0], e[other]])
    return (0, other) if all(_on_axis(x, point, length) for x in e) else None


def _invariant_surfaces(
    e: Sequence[ElementaryMotion], group: range, k: int, length: float
) -> Iterator[InvariantSurface]:
    """Surfaces that a group of elements leaves invariant, planes first; element k is the one to be found."""
    slides, turns = ([i for i in group if e[i].kind == kind] for kind in ("slide", "turn"))
    planes = [InvariantSurface("plane", (i,)) for i in turns[:1]]
    planes += [InvariantSurface("plane", (i, j)) for i in slides for j in slides if i < j]
    planes += [InvariantSurface("plane", (i, k), twice) for i in slides[:1] for twice in (False, True) if not turns]
    for plane in planes:
        normal = surface_at_elements(plane, e).at
        size = np.linalg.norm(normal)
        if size > NO_AMPLITUDE and _is_plane_invariant(normal / size, [e[i] for i in group]):
            yield plane
    if not slides:
        center = _common_center_turns([e[i] for i in turns], length)
        if center is not None:
            yield InvariantSurface("sphere", tuple(turns[i] for i in center))


def _is_plane_invariant(normal: Array, e: Sequence[ElementaryMotion]) -> bool:
    """Whether elements move points along planes with a normal."""
    return all(_is_parallel_to(x.axis, normal) if x.kind == "turn" else abs(x.axis @ normal) < PARALLEL_AXES for x in e)


def _can_reproduce_samples(kinematics: Kinematics, kernels: Kernels[ClosedLegs]) -> bool:
    """Whether the program finds sampled coordinates again, and closes the loops at other values of the inputs too."""
    inputs, q = kinematics.setup.inputs, samples_of(kinematics)
    program = kernels.input_program(leg_functions.closed_coordinates)
    target = _targets_at_coordinates(kinematics, kernels.stage.base.target, q)
    if inputs is None:
        again, measures = evaluate(program, q, target)
        return _is_same_solution(again, q, measures)
    again, measures = evaluate(program, q, target, inputs.values)
    rng = np.random.default_rng(0)
    varied = inputs.values * (1.0 + _VARIED * rng.uniform(-1.0, 1.0, (len(q), len(inputs.values))))
    _, others = evaluate(program, q, target, varied)
    reached = others[:, 1:].min(axis=1, initial=0.0) >= 0.0
    return _is_same_solution(again, q, measures) and bool(np.all(others[reached, 0] < CLOSED_STATE))


def _is_same_solution(again: Array, q: Array, measures: Array) -> bool:
    """Whether coordinates are found again, in all states but some in which two solutions of a leg (nearly) meet."""
    regular = measures[:, 1:].min(axis=1, initial=1.0) > REGULAR_STATE
    good = (np.abs(again - q).max(axis=1) < SAME_CONFIGURATION) & (measures[:, 0] < CLOSED_STATE)
    return bool(regular.any() and np.mean(good[regular]) > 0.9)


def _targets_at_coordinates(kinematics: Kinematics, target: MotionTarget, q: Array) -> Array:
    """Poses of the frame, or positions of the actuators, at coordinates."""
    if target.frame is None:
        found = (coordinate_of(target.setup, drive.speed) for drive in target.setup.drives if drive.speed is not None)
        return q[:, [i for i in found if i is not None]]
    r, wxyz = kinematics.compute_at(tree_functions.frame_quaternion, q, frame=target.frame)
    return np.concatenate([r, wxyz], axis=1)
