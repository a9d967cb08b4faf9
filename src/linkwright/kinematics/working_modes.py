"""Working modes: all sets of actuator positions that hold a frame at a pose, leg by leg.

With the pose given, the joints between the base and the frame, and the legs beside them, share no unknowns, so that
each is solved by itself from many starts, and every combination of their solutions is a mode. Where a pose of fewer
components leaves the frame's body loose, the legs decide together, and all joints are one leg.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightWarning, warn_caller
from linkwright.functions.loop import closure_functions, minimal_functions
from linkwright.functions.setup import Setup
from linkwright.functions.tree import tree_functions
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.kinematics.assembly import TURNING, Configuration, make_configuration
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import COMPONENTS
from linkwright.loops.cut_joints import assembly_sense_cosines, equations_of_cut_joint
from linkwright.mechanism.tree import Tree
from linkwright.numerics.dense import count_above, singular_values
from linkwright.numerics.tolerances import CLOSED, HALF_TURN, NO_EFFECT, SAME_CONFIGURATION
from linkwright.plans.closure_newton import Closed, close_carefully, close_gaps
from linkwright.plans.scales import random_coordinates

Array = np.ndarray
Pose = Callable[[Array], tuple[Array, Array]]
"""Coordinates (n, nq) to errors (n, m) and Jacobians (n, m, nv) of the given components of the frame's pose."""

# Modes that are listed at most, and solutions of a leg from which on the pose is taken not to determine it.
_MOST, _ENDLESS = 1024, 64

# Rows that are walked on carefully.
_CAREFUL = 16

# Digits of distances from home that count: modes of legs that mirror each other are equally far but for rounding.
_DIGITS = 9


@dataclass(frozen=True, eq=False)
class SolvedLeg:
    """Joints whose coordinates are found together.

    Attributes:
        links: of the spanning tree. loops: numbers of its loops.
        rows: of its closure equations among all. senses: indices of its loops' senses.
        coordinates, velocities: of its joints, indices in q and v. actuators: numbers of its actuators.
    """

    links: tuple[int, ...]
    loops: tuple[int, ...]
    rows: Array
    senses: Array
    coordinates: Array
    velocities: Array
    actuators: Array


def working_modes(
    kinematics: Kinematics, frame: str, xyz: Array, R: Array, given: Sequence[int], guesses: int
) -> list[Configuration]:
    """Configurations, one for each set of actuator positions, that hold a frame at one pose; nearest to home first.

    Args:
        loops: the mechanism.
        frame: the frame or body. xyz, R: its origin and rotation matrix.
        given: the components rx ry rz x y z of its pose that count, 0 to 5.
        guesses: starts of each leg.
    """
    search = _Search(kinematics, frame, xyz, R, tuple(given), guesses)
    link = frame_attachment(kinematics.setup, frame)[0]
    first, *legs = legs_from_base(kinematics.setup, link)
    if legs and not search.is_determined(first, kinematics.home, pose=True):
        first, legs = _merge_legs([first, *legs]), []
    found = search.solutions(first, kinematics.home, pose=True)
    modes: list[Array] = []
    for together in search.by_pose(found):
        apart = [search.solutions(leg, together[0], pose=False) for leg in legs]
        modes += (
            _combine_leg_solutions(kinematics.home, [first, *legs], [together, *apart]) if all(map(len, apart)) else []
        )
    modes.sort(key=lambda q: round(float(np.linalg.norm(q - kinematics.home)), _DIGITS))
    if len(modes) > _MOST:
        warn_caller(
            f"'{kinematics.setup.mech.name}' has more than {_MOST} working modes at this pose; the {_MOST} nearest to "
            "home are listed",
            LinkwrightWarning,
        )
    return [make_configuration(kinematics, q) for q in modes[:_MOST]]


def legs_from_base(setup: Setup, carrier: int) -> list[SolvedLeg]:
    """The joints between the base and a link in front, then those beside them, in the order of their first joints.

    What lies beyond the link depends on its pose alone, and so do loops that end there.
    """
    tree, closure = setup.tree, setup.closure
    owner = list(range(len(tree.links)))

    def root(i: int) -> int:
        while owner[i] != i:
            i = owner[i]
        return i

    def join(links: Sequence[int]) -> None:
        for i in links[1:]:
            owner[root(i)] = root(links[0])

    ends = [
        [i for end in (loop.near, loop.far) for i in _links_toward_base(tree, end.link, carrier)]
        for loop in closure.loops
    ]
    of_speed = {d: i for i in range(len(tree.links)) for d in range(tree.dofs[i].start, tree.dofs[i].stop)}
    geared = [[of_speed[d] for d in coupling.speeds] for coupling in closure.couplings]
    chain = list(tree.ancestors(carrier)) if carrier >= 0 else []
    for links in (chain, *ends, *geared):
        join(links)
    home = root(chain[0]) if chain else -1
    roots = dict.fromkeys([home, *(root(links[0]) for links in (*ends, *geared) if links)])
    owners = [root(links[0]) if links else home for links in (*ends, *geared)]
    return [_make_solved_leg(setup, tuple(i for i in range(len(tree.links)) if root(i) == r), owners, r) for r in roots]


def _links_toward_base(tree: Tree, link: int, carrier: int) -> tuple[int, ...]:
    """The links between a link and the base, or the carrier where that lies between."""
    if link < 0:
        return ()
    above = tree.ancestors(link)
    return tree.path(link, carrier) if carrier in above else above


def _make_solved_leg(setup: Setup, links: tuple[int, ...], owners: Sequence[int], root: int) -> SolvedLeg:
    tree, closure = setup.tree, setup.closure
    own = [i for i, owner in enumerate(owners) if owner == root]
    loops = tuple(i for i in own if i < len(closure.loops))
    counts = [len(equations_of_cut_joint(loop)) for loop in closure.loops] + [1] * len(closure.couplings)
    turns = [len(assembly_sense_cosines(loop, np.eye(3))) for loop in closure.loops]
    driven = [
        k
        for k, drive in enumerate(setup.drives)
        if (
            drive.loop in loops
            if drive.speed is None
            else any(drive.speed in _slice_indices(tree.dofs[i]) for i in links)
        )
    ]
    return SolvedLeg(
        links,
        loops,
        _entry_indices_of_parts(counts, own),
        _entry_indices_of_parts(turns, loops),
        np.array([k for i in links for k in _slice_indices(tree.links[i].coords)], dtype=int),
        np.array([k for i in links for k in _slice_indices(tree.dofs[i])], dtype=int),
        np.array(driven, dtype=int),
    )


def _slice_indices(part: slice) -> range:
    return range(part.start, part.stop)


def _entry_indices_of_parts(counts: Sequence[int], chosen: Sequence[int]) -> Array:
    """Indices of the entries of some parts, where the parts have so many entries each."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    return np.array([k for i in chosen for k in range(int(ends[i]), int(ends[i + 1]))], dtype=int)


def _merge_legs(legs: Sequence[SolvedLeg]) -> SolvedLeg:
    """All legs as one."""
    parts = [
        np.concatenate([getattr(leg, name) for leg in legs])
        for name in ("rows", "senses", "coordinates", "velocities", "actuators")
    ]
    links, loops = (tuple(i for leg in legs for i in getattr(leg, name)) for name in ("links", "loops"))
    return SolvedLeg(links, loops, *(np.sort(part) for part in parts))


@dataclass(frozen=True, eq=False)
class _Search:
    """The search for the solutions of every leg with a frame at one pose."""

    loops: Kinematics
    frame: str
    xyz: Array
    R: Array
    given: tuple[int, ...]
    guesses: int

    def solutions(self, leg: SolvedLeg, base: Array, pose: bool) -> Array:
        """Coordinates (n, nq), nearest to home first, in which a leg is closed; all other joints stand as in `base`.

        One for each set of positions of its actuators, and of poses of the frame where those are given in part.
        """
        rng, mech = np.random.default_rng(6), self.loops.setup.mech
        half = self.guesses // 2  # roots may lie beyond the joints' limits
        random = np.concatenate(
            [random_coordinates(mech, half, rng), random_coordinates(mech, self.guesses - half, rng, limited=False)]
        )
        q = np.repeat(base[None, :], 1 + len(random), axis=0)
        q[1:, leg.coordinates] = random[:, leg.coordinates]
        found = self._close_leg(leg, q, pose)
        found = found[np.argsort(np.linalg.norm(found - self.loops.home, axis=1), kind="stable")]
        if not len(found):
            return found
        shapes = self._actuators(found)[:, leg.actuators].reshape(len(found), -1)
        if pose and len(self.given) < len(COMPONENTS):
            shapes = np.hstack([shapes, self._poses(found)])
        kept = _distinct_rows(shapes)
        if len(kept) <= _ENDLESS or self.is_determined(leg, found[0], pose):
            return found[kept]
        warn_caller(
            f"the pose does not determine the joints {self._names(leg)} of '{self.loops.setup.mech.name}': they have "
            "freedoms of their own, and the configuration nearest to home stands for all",
            LinkwrightWarning,
        )
        return found[kept[:1]]

    def is_determined(self, leg: SolvedLeg, q: Array, pose: bool) -> bool:
        """True if a leg's own loops, and the given components of the pose, determine its coordinates near q."""
        J = (self._equations(leg, pose)(q[None, :])[1][0] * self.loops.scales.speeds)[:, leg.velocities]
        values = singular_values(J, self._units(leg, pose))
        return count_above(values, NO_EFFECT) == len(leg.velocities)

    def by_pose(self, found: Array) -> list[Array]:
        """Solutions in groups with the same pose of the frame, which all other legs stand on."""
        poses, out = self._poses(found), []
        for i in _distinct_rows(poses):
            out.append(found[np.abs(poses - poses[i]).max(axis=1) <= SAME_CONFIGURATION])
        return out

    def _close_leg(self, leg: SolvedLeg, q: Array, pose: bool) -> Array:
        """Rows of q with the leg's joints moved so that it is closed, those that are."""
        both = self._equations(leg, pose)

        def closing(x: Array, _: Array) -> tuple[Array, Array]:
            return both(x)

        scale, free = replace(self.loops.scales, rows=self._units(leg, pose)), np.zeros(self.loops.setup.tree.nv, bool)
        free[leg.velocities] = True
        moving = self.loops.all_rows.function(closure_functions.advanced)
        found = close_gaps(q, closing, moving, scale, free)
        stalled = np.flatnonzero(found.gap > CLOSED)
        few = stalled[np.argsort(found.gap[stalled], kind="stable")][:_CAREFUL]
        again = close_carefully(Closed(found.q[few], found.gap[few], 0), closing, moving, scale, free)
        found.q[few], found.gap[few] = again.q, again.gap
        good = found.q[found.gap < CLOSED]
        if len(leg.senses):
            good = good[(self.loops.compute_at(closure_functions.all_senses, good)[:, leg.senses] > 0.0).all(axis=1)]
        if pose and min(self.given) < 3 and len(good):  # not turned half round, where sines vanish too
            Q = self.loops.compute_at(tree_functions.frame_pose, good, frame=self.frame)[1]
            good = good[1.0 + np.einsum("ij,nij->n", self.R, Q) > HALF_TURN]
        return good

    def _equations(self, leg: SolvedLeg, pose: bool) -> Pose:
        """Errors and Jacobians of a leg's closure equations and of the given components of the pose."""
        functions = self.loops.all_rows.function
        closing, given = functions(closure_functions.closing) if self.loops.has_closure else None, list(self.given)
        place, jacobian = (
            functions(x, frame=self.frame) for x in (tree_functions.frame_pose, tree_functions.frame_jacobian)
        )

        def both(q: Array) -> tuple[Array, Array]:
            gaps, matrices = [], []
            if closing is not None and len(leg.rows):
                gap, J = closing(q)
                gaps, matrices = [gap[:, leg.rows]], [J[:, leg.rows]]
            if pose:
                r, Q = place(q)
                turn = 0.5 * sum(np.cross(self.R[:, i], Q[:, :, i]) for i in range(3))
                gaps.append(np.concatenate([turn, r - self.xyz], axis=1)[:, given])
                matrices.append(jacobian(q)[:, given])
            return np.concatenate(gaps, axis=1), np.concatenate(matrices, axis=1)

        return both

    def _units(self, leg: SolvedLeg, pose: bool) -> Array:
        scale = self.loops.scales
        own = scale.rows[leg.rows]
        return np.concatenate([own, [1.0 if i < 3 else scale.length for i in self.given]]) if pose else own

    def _actuators(self, q: Array) -> Array:
        """Positions of all actuators, (n, na, 2): an angle as cosine and sine, a length in units of the mechanism."""
        setup, length = self.loops.setup, self.loops.scales.length
        if not setup.drives:
            return np.zeros((len(q), 0, 2))
        at = self.loops.compute_at(minimal_functions.actuator_positions, q)
        parts = [part for joint in setup.mech.joints for part in joint.kind.v_parts]
        turning = [_is_turning_actuator(setup, parts, k) for k in range(len(setup.drives))]
        return np.where(
            np.array(turning)[:, None],
            np.stack([np.cos(at), np.sin(at)], axis=-1),
            np.stack([at / length, np.zeros_like(at)], axis=-1),
        )

    def _poses(self, q: Array) -> Array:
        r, R = self.loops.compute_at(tree_functions.frame_pose, q, frame=self.frame)
        return np.hstack([r / self.loops.scales.length, R.reshape(len(q), 9)])

    def _names(self, leg: SolvedLeg) -> str:
        return ", ".join(self.loops.setup.tree.links[i].joint for i in leg.links)


def _is_turning_actuator(setup: Setup, parts: Sequence[str], actuator: int) -> bool:
    drive = setup.drives[actuator]
    if drive.speed is not None:
        return parts[drive.speed] in TURNING
    return setup.closure.loops[drive.loop].kind.v_parts[drive.part] in TURNING


def _distinct_rows(shapes: Array) -> list[int]:
    """Numbers of the rows that differ from all rows before them."""
    kept: list[int] = []
    for i, shape in enumerate(shapes):
        if not kept or np.abs(shapes[kept] - shape).max(axis=1, initial=0.0).min() > SAME_CONFIGURATION:
            kept.append(i)
    return kept


def _combine_leg_solutions(home: Array, legs: Sequence[SolvedLeg], found: Sequence[Array]) -> list[Array]:
    """Every combination of the legs' solutions, the nearest ones to home if there are very many."""
    modes = [np.array(found[0][0])]
    for leg, solutions in zip(legs, found, strict=True):
        modes = [_replace_leg_coordinates(q, leg, x) for q in modes for x in solutions]
        away = [round(float(np.linalg.norm(q - home)), _DIGITS) for q in modes]
        modes = [modes[k] for k in np.argsort(away, kind="stable")[: _MOST + 1]]
    return modes


def _replace_leg_coordinates(q: Array, leg: SolvedLeg, other: Array) -> Array:
    """Coordinates with those of a leg taken from others."""
    out = np.array(q)
    out[leg.coordinates] = other[leg.coordinates]
    return out
