"""Poses that a mechanism reaches from a start without leaving its working mode, and the criteria they meet.

Rows first jump from the start. Rows that fail are tried again from neighbors that were reached, layer by layer, so that
the region is what is connected with the start; poses far outside cost one attempt. A jump that ends in closed
coordinates with another sign of a determinant has crossed a singularity: its row, and what is reached from there, lies
behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.analysis.interference.clearance import Clearances
from linkwright.analysis.performance.indices import indices
from linkwright.analysis.performance.indices_record import UNITS
from linkwright.analysis.performance.output_components import OutputFrame
from linkwright.analysis.region.grid import PoseGrid
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import require_mapping, require_number
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.kinematics.continuation import JUMP, PART, Acceptance, Steps, jump_to_targets, mode_at, steps_to
from linkwright.kinematics.query import BatchRows, Ended
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.model.pose import Pose

Array = np.ndarray
INSIDE, UNREACHED, LIMITED, APART, BEHIND, UNDECIDED = range(6)
"""Codes of poses; those of criteria follow."""

_REASONS = (
    "inside", "out of reach", "limit exceeded", "not connected with the start", "behind a singularity", "not decided"
)  # fmt: skip

_BLOCK = 1 << 16
_QUICK = ("type1", "type2", "constraint", "condition", "manipulability", "length")


@dataclass(frozen=True, eq=False)
class Criteria:
    """What a pose has to meet besides being reached.

    Attributes:
        limits: limits of joints count.
        at_least, at_most: bounds of indices by name. properties: arguments of `indices` that these need.
        shown: further indices that are computed. clearance: least distance between links, [m]; None does not look.
    """

    limits: bool
    at_least: Mapping[str, float]
    at_most: Mapping[str, float]
    properties: Mapping[str, Any]
    shown: tuple[str, ...] = ()
    clearance: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Indices that are computed."""
        return tuple(dict.fromkeys((*self.at_least, *self.at_most, *self.shown)))

    @property
    def reasons(self) -> tuple[str, ...]:
        """The reason of each code."""
        least = (f"{name} below {x:g}" for name, x in self.at_least.items())
        most = (f"{name} above {x:g}" for name, x in self.at_most.items())
        close = () if self.clearance is None else (f"links closer than {self.clearance:g} m",)
        return (*_REASONS, *least, *most, *close)


def criteria_of(limits: bool, least: Any, most: Any, properties: Mapping[str, Any]) -> Criteria:
    """Checked criteria."""
    least, most = _index_bounds("at_least", least), _index_bounds("at_most", most)
    both = [name for name in least if name in most and least[name] > most[name]]
    if both:
        raise ArgumentError(f"'{both[0]}' shall be at least {least[both[0]]:g} and at most {most[both[0]]:g}")
    return Criteria(limits, least, most, properties)


def _index_bounds(title: str, given: Any) -> dict[str, float]:
    """Bounds of indices by name; none where none are given."""
    bounds = {} if given is None else require_mapping(title, given, "bounds by index, such as {'condition': 10}")
    require_indices(title, bounds)
    return {name: require_number(f"{title}['{name}']", value) for name, value in bounds.items()}


def require_indices(title: str, names: Iterable[Any]) -> None:
    """Refuse names that are not indices."""
    for name in names:
        if not isinstance(name, str) or name not in UNITS:
            raise ArgumentError(
                f"{title} names the unknown index {name!r:.80}{suggest_name(str(name), UNITS, most=len(UNITS))}"
            )


@dataclass(frozen=True, eq=False)
class Solver:
    """Inverse kinematics of one frame from starts, and the judgment of what it finds."""

    model: Model
    moved: OutputFrame
    criteria: Criteria
    clearances: Clearances | None = None
    budget: StudyBudget = field(default_factory=lambda: StudyBudget("exploring", None))

    def coordinates_at(self, target: Array, start: Array) -> Array:
        """Coordinates (n, nq) with the frame at targets (n, 7), from starts (nq,) or (n, nq); NaN where not reached."""
        q, ended = self.jump_to_poses(target, start)
        q[ended != Ended.REACHED] = np.nan
        return q

    def jump_to_poses(
        self, target: Array, start: Array, accept: Acceptance = JUMP, mode: Array | None = None
    ) -> tuple[Array, Array]:
        """Coordinates with the frame at targets, as `coordinates_at`, and how each row ended.

        Where it ended `TURNED` a singularity lies between the start, or the given mode, and the target: the coordinates
        are closed ones behind it.
        """
        steps = self._steps
        if steps is None:
            q = self._generally(target, start)
            return q, np.where(np.isnan(q[:, 0]), Ended.OPEN, Ended.REACHED)
        return jump_to_targets(steps, BatchRows((len(target),), start, target, self._values), accept, mode)

    def mode_at(self, start: Array, target: Array) -> Array | None:
        """The mode of a start (nq,) for `jump_to_poses`; None where poses are not reached by compiled steps."""
        return None if self._steps is None else mode_at(self._steps, start, target, self._values)

    @property
    def _steps(self) -> Steps | None:
        return steps_to(self.model.kinematics, self.moved.frame, self.moved.components)

    @property
    def _values(self) -> Array | None:
        inputs = self.model.setup.inputs
        return None if inputs is None else inputs.given

    def continue_to_rows(self, grid: PoseGrid, rows: Array, start: Array) -> Array:
        """Coordinates (n, nq) at numbered poses, by continuation from a start; NaN where not reached."""
        q = self._generally(grid.targets(grid.coordinates(rows)), start)
        q[~np.isfinite(q).all(axis=1)] = np.nan
        return q

    def _generally(self, target: Array, start: Array) -> Array:
        components = None if len(self.moved.components) == 6 else self.moved.names
        pose = Pose(target[:, :3], target[:, 3:])
        with withheld_warnings(BatchWarning):
            return self.model.inverse_kinematics(pose, near=start, frame=self.moved.frame, components=components)[0]

    def judge_coordinates(self, q: Array) -> tuple[Array, dict[str, Array]]:
        """Code of every row of coordinates, (n,), and the indices that count."""
        code = np.where(np.isnan(q[:, 0]), UNREACHED, INSIDE).astype(np.int8)
        values = {name: np.full(len(q), np.nan) for name in self.criteria.names}
        rows = np.flatnonzero(code == INSIDE)
        if self.criteria.limits and len(rows):
            beyond = self.model.limits_exceeded(q[rows]).any  # type: ignore[union-attr]
            code[rows[beyond]] = LIMITED
        if values and len(rows):
            found = self._indices(q[rows])
            for name in values:
                values[name][rows] = found[name]
            self._first_missed_criterion(code, values)
        self._apart(code, q)
        return code, values

    def _apart(self, code: Array, q: Array) -> None:
        """Poses whose links are too close get the last code."""
        rows = np.flatnonzero(code == INSIDE)
        if self.clearances is None or self.criteria.clearance is None or not len(rows) or not self.clearances.pairs:
            return
        least = self.clearances.distances(self.model, q[rows]).min(axis=1)
        code[rows[~(least >= self.criteria.clearance)]] = len(self.criteria.reasons) - 1

    def _first_missed_criterion(self, code: Array, values: Mapping[str, Array]) -> None:
        """The first criterion that a pose misses gives its code; NaN misses all."""
        tests = [(name, x, 1.0) for name, x in self.criteria.at_least.items()]
        tests += [(name, x, -1.0) for name, x in self.criteria.at_most.items()]
        for i, (name, bound, sign) in enumerate(tests):
            code[(code == INSIDE) & ~(sign * (values[name] - bound) >= 0.0)] = len(_REASONS) + i

    def _indices(self, q: Array) -> Mapping[str, Array]:
        names = self.criteria.names
        if set(names) <= set(_QUICK) and not self.criteria.properties:
            whole = len(self.moved.components) == 6
            near = self.model.singularity(q, components=None if whole else self.moved.names)
            return {name: np.asarray(getattr(near, name)) for name in names}
        found = indices(self.model, q, frame=self.moved.frame, components=self.moved.names, **self.criteria.properties)
        missing = [name for name in names if getattr(found, name) is None]
        if missing:
            raise ArgumentError(f"'{missing[0]}' needs properties of the design; give them, for example stiffness=1e4")
        return {name: np.asarray(getattr(found, name)) for name in names}


@dataclass(frozen=True, eq=False)
class Region:
    """Codes of all poses of a grid (n,), indices (n,) by name, and coordinates (n, nq) in single precision."""

    code: Array
    values: dict[str, Array]
    q: Array


@dataclass(frozen=True, eq=False)
class KnownPoses:
    """Closed coordinates (nq,) from which a grid is explored.

    Attributes:
        start: where every pose is tried from. rows, known: numbered poses (n,) with coordinates (n, nq) found already.
    """

    start: Array
    rows: Array
    known: Array


def explore_grid(grid: PoseGrid, solver: Solver, beginning: KnownPoses) -> Region:
    """Every pose of a grid from closed coordinates."""
    n = grid.count
    q = np.full((n, solver.model.nq), np.nan, dtype=np.float32)
    code = np.full(n, UNREACHED, dtype=np.int8)
    values = {name: np.full(n, np.nan) for name in solver.criteria.names}
    reached, behind = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)

    # neighbors on a singularity have no mode of their own: all poses that are reached are in that of the start
    start_mode = solver.mode_at(beginning.start, grid.targets(grid.coordinates(np.array([0])))[0])

    def jump(rows: Array, starts: Array, accept: Acceptance, mode: Array | None = None) -> tuple[Array, Array]:
        """Coordinates at numbered poses, kept in `q` where loops close, and whether they are in the same mode."""
        found, ended = solver.jump_to_poses(grid.targets(grid.coordinates(rows)), starts, accept, mode)
        same, turned = ended == Ended.REACHED, ended == Ended.TURNED
        q[rows[same | turned]] = found[same | turned]
        behind[rows[turned]] = True
        return np.where(same[:, None], found, np.nan), same

    def tried(rows: Array, starts: Array, accept: Acceptance = JUMP) -> Array:
        found, same = jump(rows, starts, accept, start_mode)
        code[rows], own = solver.judge_coordinates(found)
        for name, x in own.items():
            values[name][rows] = x
        return same

    def tried_from_neighbors(rows: Array, near: Array) -> Array:
        return tried(rows, q[near].astype(float), PART)

    def tried_behind(rows: Array, near: Array) -> Array:
        same = jump(rows, q[near].astype(float), PART)[1]
        return same | behind[rows]

    with solver.budget.ending_early():
        for at in solver.budget.steps(range(0, n, _BLOCK)):
            rows = np.arange(at, min(at + _BLOCK, n))
            reached[rows] = tried(rows, beginning.start)
        missed = ~reached[beginning.rows]
        reached[beginning.rows[missed]] = tried(beginning.rows[missed], beginning.known[missed])
        _spread_to_neighbors(grid, np.flatnonzero(reached), reached, tried_from_neighbors, solver.budget)
        behind &= ~reached
        known = reached | behind
        _spread_to_neighbors(grid, np.flatnonzero(behind), known, tried_behind, solver.budget)
        behind |= known
    behind &= ~reached
    code[behind], q[behind] = BEHIND, np.nan
    if solver.budget.reason:
        code[code == UNREACHED] = UNDECIDED
    return Region(code, values, q)


def connected_region(grid: PoseGrid, region: Region, row: int) -> Region:
    """The region without the parts that are not connected with a pose inside; the whole where that one is outside."""
    from scipy.ndimage import label  # half a second to import

    parts, count = label((region.code == INSIDE).reshape(grid.shape))
    own = parts.ravel()[row]
    if count < 2 or not own:
        return region
    code = np.where((region.code == INSIDE) & (parts.ravel() != own), APART, region.code).astype(np.int8)
    return Region(code, region.values, region.q)


def _spread_to_neighbors(
    grid: PoseGrid, new: Array, reached: Array, tried: Callable[[Array, Array], Array], budget: StudyBudget
) -> None:
    """Try poses from neighbors that were reached, of which some are new; every pair of neighbors once."""
    strides = [int(np.prod(grid.shape[i + 1 :])) for i in range(len(grid.shape))]
    while len(new):
        budget.require_time()
        fresh: list[Array] = []
        for axis, stride in enumerate(strides):
            index = new // stride % grid.shape[axis]
            for step, inner in ((stride, index < grid.shape[axis] - 1), (-stride, index > 0)):
                near = new[inner]
                pairs = ~reached[near + step]
                rows, near = near[pairs] + step, near[pairs]
                for at in range(0, len(rows), _BLOCK):
                    part = rows[at : at + _BLOCK]
                    good = tried(part, near[at : at + _BLOCK])
                    reached[part[good]] = True
                    fresh.append(part[good])
        new = np.concatenate(fresh) if fresh else new[:0]


def beginning_of(grid: PoseGrid, solver: Solver, start: Array, nearest: int, middle: int) -> KnownPoses:
    """Coordinates to begin from: those at two numbered poses, by continuation from a start, the start, or others.

    The first of these that reaches a neighbor on the grid is taken. A singularity of type 1 reaches none: poses around
    the nearest one, by continuation again, lead away from it.
    """
    q = solver.continue_to_rows(grid, np.array([nearest, middle]), start)
    rows = np.array([nearest])[np.isfinite(q[:1, 0])]
    for row, own in ((nearest, q[0]), (middle, q[1]), (nearest, start)):
        if _leads_on(grid, solver, own, row):
            return KnownPoses(own, rows, q[: len(rows)])
    for steps in (1, 2, 4, 8):
        around = grid.around(nearest, steps)
        for row, own in zip(around, solver.continue_to_rows(grid, around, start), strict=True):
            if _leads_on(grid, solver, own, row):
                return KnownPoses(own, rows, q[: len(rows)])
    found = q[np.isfinite(q[:, 0])]
    return KnownPoses(found[0] if len(found) else start, rows, q[: len(rows)])


def _leads_on(grid: PoseGrid, solver: Solver, q: Array, row: int) -> bool:
    """Return True if a neighbor of a numbered pose is reached from coordinates."""
    if not np.isfinite(q).all():
        return False
    around = grid.around(row)
    return bool(np.isfinite(solver.coordinates_at(grid.targets(grid.coordinates(around)), q)).all(axis=1).any())
