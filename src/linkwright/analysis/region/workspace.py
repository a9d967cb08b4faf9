"""Workspaces of a mechanism (docs/howto/workspace.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.interference.clearance import clearances_of
from linkwright.analysis.performance.indices_record import UNITS, WORSE_WHEN_LARGE
from linkwright.analysis.performance.output_components import NAMES, OutputFrame, output_of
from linkwright.analysis.region.boundary import Boundary, corner_counts, region_boundary, sum_cell_pairs, thin_region
from linkwright.analysis.region.grid import COMPONENTS, PoseGrid, axes_of
from linkwright.analysis.region.grid_exploration import (
    INSIDE,
    UNDECIDED,
    Criteria,
    Region,
    Solver,
    beginning_of,
    connected_region,
    criteria_of,
    explore_grid,
    require_indices,
)
from linkwright.analysis.region.workspace_record import Workspace
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.analysis.study_budget import StudyBudget
from linkwright.checks import (
    refuse_argument,
    require_choice,
    require_flag,
    require_instance,
    require_number,
    require_texts,
    require_vector,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.kinematics.query import batch_array
from linkwright.model import Model, arguments
from linkwright.model.pose import Pose

Array = np.ndarray
Combine = Literal["any", "all"]
_HALVINGS = 14
_COARSE = {1: 257, 2: 33, 3: 17}
_FINE = {1: 401, 2: 101, 3: 41}
_GROWTHS = 5

# The bound of the error: roots of the sum of squares of what coarse and fine cells differ by, and cells for corners
# that neither sees. Of 566 random five-bars on grids of 31, 41, 61 and 101 values, whose areas are known in closed
# form, it holds for 98 %, and is 9 to 15 times too large in the middle; with the sum of all sizes it was 10 to 19.
_SPREAD, _UNSEEN = 3.0, 1.0
_THINNEST = 2  # poses that must lie inside on both sides of some pose, or the grid does not see the region's shape


def workspace(
    model: Model,
    grid: Mapping[str, Sequence[float]] | Sequence[str] | None = None,
    *,
    at: Pose | tuple[ArrayLike, ArrayLike] | None = None,
    orientations: ArrayLike | None = None,
    turns: Mapping[str, Sequence[float]] | None = None,
    combine: Combine = "all",
    limits: bool = True,
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    show: Sequence[str] = (),
    clearance: float | None = None,
    refine: bool = True,
    frame: str | None = None,
    near: ArrayLike | None = None,
    max_seconds: float | None = None,
    **properties: Any,
) -> Workspace:
    """Poses that a frame reaches within limits and bounds, on a grid, with boundary and volume.

    Args:
        grid: axes {"x": (low, high, count), ...}, one to three of x y z rx ry rz; names alone, or None for the
            components that the mechanism can move (at most three, positions first), find their ranges themselves.
        at: pose of the frame that gives the components which do not vary; None takes home. Angles of the grid turn
            about fixed axes, from this orientation.
        orientations: quaternions (k, 4), instead of that of `at`; a pose is inside if all of them are ("all":
            dexterous), or if one is ("any": reach).
        turns: instead, ranges of angles {"rx": (low, high, count), ...} from that of `at`: a pose is inside if the
            frame can be turned through all of them ("all": total orientation), or to one ("any": inclusive).
        limits: positions of joints have to be within their limits.
        at_least, at_most: bounds of indices by name, for example at_least={"type2": 0.1}, at_most={"condition": 10}.
        show: further indices to compute.
        clearance: least distance [m] between links that no joint connects, by `clearance`; None does not look.
        refine: find where the boundary crosses the edges of the grid, for the volume and a mesh.
        frame: frame or body; None takes the mechanism's output. near: closed coordinates to start from; None is home.
        max_seconds: end after this time, or after Ctrl-C, with the poses so far; None for no limit.
        properties: arguments of `indices` that the indices need, for example stiffness=1e4.

    The region is what is connected with the start on the grid, in the working mode of the start. Where the start is
    not inside, all parts that its legs reach count.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> found = workspace(model, {"x": (-0.5, 0.5, 41), "y": (0.05, 0.65, 31)}, at_most={"condition": 5})
    >>> found.unit, bool(found.bounds[0] < found.volume < found.bounds[1])
    ('m^2', True)
    """
    require_instance("model", model, Model, "a model, build(mechanism)")
    require_choice("combine", combine, ("any", "all"))
    moved = _workspace_output(model, frame)
    start = model.assemble().q if near is None else require_vector("near", near, model.nq)
    pose = model.frame_pose(start, moved.frame) if at is None else arguments.origin_and_quaternion(at)
    shown = dict.fromkeys(require_texts("show", show, "['condition']"), -np.inf)
    require_indices("show", shown)
    refine = require_flag("refine", refine)
    criteria = criteria_of(require_flag("limits", limits), at_least, at_most, properties)
    least_distance = None if clearance is None else require_number("clearance", clearance)
    criteria = replace(_with_shown(criteria, shown), clearance=least_distance)
    budget = StudyBudget("exploring", max_seconds)
    solver = Solver(model, moved, criteria, None if clearance is None else clearances_of(model), budget)
    turned = _counted_orientations(pose, orientations, turns)
    if isinstance(grid, Mapping):
        made = PoseGrid(*axes_of(grid), _float_array(pose.position), _float_array(pose.quaternion_wxyz))
        _require_movable(made, moved)
        found = _all_explored(made, turned, solver, start)
    else:
        made, found = _around_region(_grid_components(moved, grid), pose, solver, start, turned)
    kind = _workspace_kind(made, combine, turned, turns is not None)
    refine = refine and turned is None
    return budget.complete(lambda: _workspace_record(made, solver, found, combine, refine, kind))


def _float_array(x: ArrayLike) -> Array:
    return np.asarray(x, dtype=float)


def _workspace_output(model: Model, frame: str | None) -> OutputFrame:
    found = output_of(model, frame)
    if not found.exact and len(found.components) != 6:
        raise ArgumentError(f"the output '{found.description}' has fewer components than the mechanism has freedoms")
    return found


def _with_shown(criteria: Criteria, shown: Mapping[str, float]) -> Criteria:
    """Criteria that compute further indices without a bound."""
    criteria_of(True, dict.fromkeys(shown, 0.0), {}, {})
    return Criteria(criteria.limits, criteria.at_least, criteria.at_most, criteria.properties, tuple(shown))


def _counted_orientations(
    pose: Pose, orientations: ArrayLike | None, turns: Mapping[str, Sequence[float]] | None
) -> Array | None:
    """Quaternions (k, 4) of all orientations that count; None where that of the pose is the only one."""
    if turns is None:
        return None if orientations is None else _check_orientations(orientations)
    if orientations is not None:
        raise ArgumentError("orientations and turns are both given; give one of them")
    names, axes = axes_of(turns)
    if set(names) & set("xyz"):
        raise ArgumentError(f"turns names '{names[0]}', expected some of rx, ry, rz")
    ways = PoseGrid(names, axes, _float_array(pose.position), _float_array(pose.quaternion_wxyz))
    return ways.targets(ways.coordinates(np.arange(ways.count)))[:, 3:]


def _check_orientations(given: ArrayLike) -> Array:
    found = batch_array("orientations", given, 4)
    if found.ndim != 2 or not len(found) or not np.isfinite(found).all():
        raise ArgumentError(f"orientations have shape {found.shape}, expected quaternions w x y z (k, 4)")
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def _grid_components(moved: OutputFrame, grid: Any) -> tuple[str, ...]:
    if grid is not None:
        return require_texts("grid", grid, "['x', 'y']") or refuse_argument(
            "grid", grid, "at least one axis, such as ['x', 'y']"
        )
    movable = {NAMES[i] for i in moved.components}
    return tuple(name for name in COMPONENTS if name in movable)[:3]


def _require_movable(grid: PoseGrid, moved: OutputFrame) -> None:
    fixed = [name for name in grid.names if name not in moved.names]
    if fixed:
        raise ArgumentError(
            f"the grid varies '{fixed[0]}', which the output '{moved.description}' does not have; vary some of "
            f"{', '.join(moved.names)}"
        )


def _orientation_grids(grid: PoseGrid, turned: Array | None) -> list[PoseGrid]:
    return [grid] if turned is None else [PoseGrid(grid.names, grid.axes, grid.position, wxyz) for wxyz in turned]


def _explore_from_start(grid: PoseGrid, solver: Solver, start: Array) -> Region:
    """The region from the start, or from the grid's pose nearest to it where the grid lies elsewhere."""
    first = solver.model.frame_pose(start, solver.moved.frame)
    point = np.array([first.position[COMPONENTS.index(n)] if n in "xyz" else 0.0 for n in grid.names])
    middle = np.array([0.5 * (axis[0] + axis[-1]) for axis in grid.axes])
    nearest = grid.nearest(point)
    region = explore_grid(grid, solver, beginning_of(grid, solver, start, nearest, grid.nearest(middle)))
    return solver.budget.complete(lambda: connected_region(grid, region, nearest))


def _all_explored(grid: PoseGrid, turned: Array | None, solver: Solver, start: Array) -> _Pass:
    return _Pass([_explore_from_start(each, solver, start) for each in _orientation_grids(grid, turned)])


@dataclass(frozen=True, eq=False)
class _Pass:
    """Regions of one grid, of one orientation each."""

    regions: list[Region]

    def join_orientations(self, combine: Combine) -> tuple[Array, dict[str, Array]]:
        """Codes and indices of all orientations together.

        An index is the worst of all orientations, NaN if one is not reached; for "any", the best of those inside, or of
        those reached where none is inside.
        """
        codes = np.array([region.code for region in self.regions])
        outside = codes != INSIDE
        pick = np.argmax(outside, axis=0) if combine == "all" else np.argmin(outside, axis=0)
        code = np.take_along_axis(codes, pick[None], axis=0)[0]
        values = {}
        for name in self.regions[0].values:
            every = np.array([region.values[name] for region in self.regions])
            large = name in WORSE_WHEN_LARGE
            if combine == "all":
                values[name] = (np.maximum if large else np.minimum).reduce(every)
            else:
                counted = np.where(outside & ~outside.all(axis=0), np.nan, every)
                values[name] = (np.fmin if large else np.fmax).reduce(counted)
        return code, values


_LATE = "poses that it did not come to, if any, are not decided, and the boundary is not refined"


def _workspace_record(
    grid: PoseGrid, solver: Solver, found: _Pass, combine: Combine, refine: bool, kind: str
) -> Workspace:
    code, values = found.join_orientations(combine)
    if solver.budget.interrupted and np.all(code == UNDECIDED):
        raise KeyboardInterrupt
    inside = (code == INSIDE).reshape(grid.shape)
    counts = corner_counts(inside)
    possible = corner_counts(inside | (code == UNDECIDED).reshape(grid.shape))
    full = 2 ** len(grid.names)
    least, largest = (float(grid.cell * np.count_nonzero(x)) for x in (counts == full, possible > 0))
    cut = bool(np.any(grid.open_ends(inside)))
    refined, error = None, float("nan")
    if refine and not solver.budget.is_over():
        with solver.budget.ending_early():
            refined, error = _refine_boundary(grid, found.regions[0], solver, inside)
    mean = grid.cell * counts.sum() / full
    empty = np.zeros((0, len(grid.names)))
    return Workspace(
        solver.model.mechanism.name,
        solver.moved.frame,
        kind,
        grid.names,
        grid.axes,
        code.reshape(grid.shape),
        {name: x.reshape(grid.shape) for name, x in values.items()},
        solver.criteria.reasons,
        float(mean) if refined is None else refined.volume,
        error,
        (least, np.inf if cut else largest),
        grid.unit,
        empty if refined is None else refined.points,
        np.zeros((0, 3), dtype=int) if refined is None else refined.faces,
        {} if refined is None else refined.indices,
        (*_workspace_notes(grid, code, values, solver), *solver.budget.notes(_LATE)),
        solver.budget.interrupted,
        studied_mechanism(solver.model, solver.model.assemble().q, region=_region_words(grid, solver, values, kind)),
    )


def _region_words(grid: PoseGrid, solver: Solver, values: Mapping[str, Array], kind: str) -> dict[str, Any]:
    """What the page needs to draw the region round the mechanism, besides the arrays of the study."""
    words = {"frame": solver.moved.frame, "kind": kind, "names": list(grid.names), "indices": list(values)}
    return {**words, "units": {name: UNITS.get(name, "") for name in values}, "at": [float(x) for x in grid.position]}


def _refine_boundary(grid: PoseGrid, region: Region, solver: Solver, inside: Array) -> tuple[Boundary, float]:
    """The boundary with its volume extrapolated from that of half the resolution, and a bound of its error.

    Flat pieces between the crossings leave an error of second order in the spacing, which is extrapolated, and corners
    of the boundary one that is not: there fine and coarse volumes differ at random, and over the whole boundary these
    differences cancel. So the differences of all coarse cells are added up as independent errors are. A region of few
    poses has parts that no difference shows, and no bound.
    """
    fine, thin = region_boundary(grid, region, solver, _HALVINGS), thin_region(grid, region)
    if thin is None:
        return fine, float("nan")
    coarse = region_boundary(*thin, solver, _HALVINGS)
    change = (fine.volume - coarse.volume) / 3.0
    error = _SPREAD * float(np.linalg.norm(sum_cell_pairs(fine.cells) - coarse.cells)) + _UNSEEN * grid.cell
    return replace(fine, volume=fine.volume + change), float("nan") if _is_thin(inside) else error


def _is_thin(inside: Array) -> bool:
    """Return True if no pose of an area or a volume has enough others around it."""
    from scipy.ndimage import binary_erosion  # half a second to import

    return inside.ndim > 1 and not binary_erosion(inside, iterations=_THINNEST, border_value=1).any()


def _workspace_kind(grid: PoseGrid, combine: Combine, turned: Array | None, ranges: bool) -> str:
    if ranges:
        return "total orientation" if combine == "all" else "inclusive orientation"
    if turned is not None:
        return "dexterous" if combine == "all" else "reach"
    turns = any(name.startswith("r") for name in grid.names)
    return "orientation" if turns and not set(grid.names) & set("xyz") else "mixed" if turns else "constant orientation"


def _workspace_notes(grid: PoseGrid, code: Array, values: Mapping[str, Array], solver: Solver) -> tuple[str, ...]:
    inside = (code == INSIDE).reshape(grid.shape)
    notes = []
    ends = [name for name, at in zip(grid.names, grid.open_ends(inside), strict=True) if any(at)]
    if ends:
        notes.append(f"the region reaches the end of the grid along {', '.join(ends)}: it is larger than what is shown")
    if not inside.any():
        notes.append("no pose of the grid is inside; the table gives the reasons")
    elif not np.any(corner_counts(inside) == 2**inside.ndim):
        notes.append("the region is thinner than a cell of the grid: no cell is inside as a whole; take more values")
    elif _is_thin(inside):
        notes.append(
            f"the region is nowhere more than {2 * _THINNEST} cells of the grid wide, so that necks and parts of it "
            "may not be seen, and its volume has no bound of the error; take more values"
        )
    limited = any(joint.limits.lower or joint.limits.upper for joint in solver.model.mechanism.joints)
    if solver.criteria.limits and not limited:
        notes.append("no joint of the tree has limits of position: only the reach of the legs bounds the region")
    notes += _notes_on_missing_limits(solver, values)
    if solver.clearances is not None:
        notes += solver.clearances.at(solver.model, np.zeros((0, solver.model.nq))).notes
    return tuple(notes)


_LIMIT_OF_INDEX = {"speed": "speed", "angular_speed": "speed", "force": "effort", "moment": "effort"}


def _notes_on_missing_limits(solver: Solver, values: Mapping[str, Array]) -> list[str]:
    """A note for each index without values because actuators have no limit of what it needs."""
    out = []
    for name, x in values.items():
        limit = _LIMIT_OF_INDEX.get(name)
        if limit is None or solver.criteria.properties.get(limit) is not None or np.isfinite(x).any():
            continue
        missing = [own for own in solver.model.actuators if np.isinf(getattr(own, limit))]
        if missing:
            out.append(
                f"{name} has no values, because the file has no limit of the {limit} of "
                f"{', '.join(own.name for own in missing)}; give one, for example {limit}=1.0"
            )
    return out


def _around_region(
    names: tuple[str, ...], pose: Pose, solver: Solver, start: Array, turned: Array | None
) -> tuple[PoseGrid, _Pass]:
    """A grid around the region, with what was found there; the region ends within it."""
    size = float(solver.model.scales.length)
    middle = np.array([pose.position[COMPONENTS.index(n)] if n in "xyz" else 0.0 for n in names])
    half = np.array([size if n in "xyz" else 0.5 * np.pi for n in names])
    ranges = {name: (a, b) for name, a, b in zip(names, middle - half, middle + half, strict=True)}
    count = _COARSE[len(names)]
    for _ in range(2 * _GROWTHS):
        given = {name: (*pair, count) for name, pair in ranges.items()}
        grid = PoseGrid(*axes_of(given), _float_array(pose.position), _float_array(pose.quaternion_wxyz))
        _require_movable(grid, solver.moved)
        found = _all_explored(grid, turned, solver, start)
        inside = (found.join_orientations("any")[0] == INSIDE).reshape(grid.shape)
        if solver.budget.reason:
            return grid, found
        if not inside.any():
            raise AssemblyError(
                f"no pose within {size:.3g} m and 90 degrees of the start is inside; give ranges, grid={{...}}, or "
                "bounds that are less strict"
            )
        ends = grid.open_ends(inside)
        if np.any(ends):
            growth = 1.0 if count == _COARSE[len(names)] else 0.125
            ranges = {name: _grow_axis(name, grid.axes[i], ends[i], growth) for i, name in enumerate(grid.names)}
        elif count == _FINE[len(names)]:
            return grid, found
        else:
            ranges = {name: _tight_axis(grid, inside, i) for i, name in enumerate(grid.names)}
            count = _FINE[len(names)]
    raise ArgumentError(
        f"the region of '{solver.model.mechanism.name}' does not end within "
        f"{max(b - a for a, b in ranges.values()):.3g}: its joints have no limits there; give ranges, for example "
        "grid={'x': (-0.1, 0.1, 41), 'y': (-0.1, 0.1, 41)}"
    )


def _grow_axis(name: str, axis: Array, ends: tuple[bool, bool], growth: float) -> tuple[float, float]:
    """The range of an axis with open ends moved by a share of its span; angles stay within one turn."""
    step = growth * (axis[-1] - axis[0])
    low, high = float(axis[0] - step * ends[0]), float(axis[-1] + step * ends[1])
    return (max(low, -np.pi), min(high, np.pi)) if name.startswith("r") else (low, high)


def _tight_axis(grid: PoseGrid, inside: Array, i: int) -> tuple[float, float]:
    """The range of an axis that ends one step outside the region."""
    some = np.flatnonzero(np.any(inside, axis=tuple(j for j in range(inside.ndim) if j != i)))
    axis = grid.axes[i]
    return float(axis[max(some[0] - 1, 0)]), float(axis[min(some[-1] + 1, len(axis) - 1)])
