"""Configurations people ask for: from a guess, with coordinates held, for a pose; and their assembly mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import AccuracyWarning, ArgumentError, AssemblyError, ParameterWarning, warn_caller
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.singularity import dense_singularity
from linkwright.kinematics.target_plans import free_speeds, locate_driven_coordinates, require_actuators
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import equations_of_cut_joint
from linkwright.mechanism.tree import Tree
from linkwright.numerics.dense import count_above, singular_values
from linkwright.numerics.tolerances import (
    CLOSED,
    CLOSED_STATE,
    INDEPENDENT_ROW,
    OPEN_STATE,
    ROUNDED_SUM,
    SAME_CONFIGURATION,
)
from linkwright.plans.closure_newton import Closed, close_all, right_way_round
from linkwright.plans.scales import coordinate_ranges, random_coordinates

# --- assembly mode of a configuration, and the check that it is closed ------------------------------------------------

# Rows of a batch that are looked at.
_LOOKED_AT = 16


@dataclass(frozen=True)
class SquareLeg:
    """A loop whose own joints are as many as its equations: rows among the kept ones, and speeds."""

    rows: tuple[int, ...]
    speeds: tuple[int, ...]


def square_legs(kinematics: Kinematics) -> tuple[SquareLeg, ...]:
    """The loops that have a square Jacobian of their own; its sign is the working mode of that leg."""
    return square_legs_of_closure(kinematics.independent_rows.closure, kinematics.setup.tree)


def square_legs_of_closure(closure: Closure, tree: Tree) -> tuple[SquareLeg, ...]:
    """The legs of a closure, rows numbered among the kept ones."""
    chains = [
        {
            d
            for end in (loop.near, loop.far)
            for i in _ancestors_of_link(tree, end.link)
            for d in _velocity_indices_of_link(tree, i)
        }
        for loop in closure.loops
    ]
    kept = list(range(closure.n_all)) if closure.kept is None else list(closure.kept)
    out, row = [], 0
    for index, loop in enumerate(closure.loops):
        count = len(equations_of_cut_joint(loop))
        rows = tuple(kept.index(r) for r in range(row, row + count) if r in kept)
        row += count
        others = set().union(*(chain for j, chain in enumerate(chains) if j != index))
        own = tuple(sorted(chains[index] - others))
        if rows and len(rows) == len(own):
            out.append(SquareLeg(rows, own))
    return tuple(out)


def _ancestors_of_link(tree: Tree, link: int) -> tuple[int, ...]:
    return tree.ancestors(link) if link >= 0 else ()


def _velocity_indices_of_link(tree: Tree, i: int) -> range:
    return range(tree.dofs[i].start, tree.dofs[i].stop)


def branch_signs(kinematics: Kinematics, q: np.ndarray) -> str:
    """Signs of the legs' determinants, then of the dependent closure Jacobian, for example "++-|+"."""
    J = kinematics.compute_at(closure_functions.closure_jacobian, q)
    *legs, whole = [_sign_character(np.linalg.det(J[np.ix_(*at)])) for at in branch_determinants(kinematics)]
    return f"{''.join(legs)}|{whole}"


def branch_determinants(kinematics: Kinematics) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of the closure Jacobian whose determinants `branch_signs` names: of the legs, then of all."""
    kept = kinematics.rank.kept
    legs = [([kept[row] for row in leg.rows], list(leg.speeds)) for leg in square_legs(kinematics)]
    return [*legs, (list(kept), list(kinematics.partition.dependent))]


def _sign_character(x: float) -> str:
    return "0" if abs(x) < ROUNDED_SUM else "+" if x > 0 else "-"


def require_closed_loops(kinematics: Kinematics, q: np.ndarray) -> None:
    """Refuse coordinates (n, nq) that leave a loop open; warn where they close in another way than at home.

    A residual that is a length is measured in units of the mechanism's characteristic length, an angle as it is.
    """
    gaps = np.abs(kinematics.compute_at(closure_functions.closure_residual, q))
    if not gaps.size:
        return
    relative = gaps / kinematics.scales.rows
    if np.nanmax(relative) > CLOSED_STATE:
        state, row = np.unravel_index(int(np.nanargmax(relative)), gaps.shape)
        where = f" (row {state})" if len(q) > 1 else ""
        unit = f" m, {relative[state, row]:.2g} of its size" if kinematics.setup.closure.lengths[row] else ""
        raise ArgumentError(
            f"q{where} leaves loop '{kinematics.loop_of_row(int(row))}' of '{kinematics.setup.mech.name}' open by "
            f"{gaps[state, row]:.2g}{unit}, more than {CLOSED_STATE:g}; close it with model.assemble(guess=q).q",
            gap=float(gaps[state, row]),
        )
    for each in q[np.isfinite(q).all(axis=1)]:
        warn_of_other_branch(kinematics, each)


def warn_of_open_loops(kinematics: Kinematics, function: str, q: np.ndarray) -> None:
    """Warn once of states (..., nq) that leave a loop open at the values of the mechanism's inputs.

    Such states were closed for another design. Of a batch some rows are looked at, spread evenly.
    """
    inputs = kinematics.setup.inputs
    code = kinematics.all_rows.code(closure_functions.closure_residual)
    if inputs is None or not isinstance(code, InputKernel) or not q.size:
        return
    values = inputs.values
    try:
        lead = np.broadcast_shapes(q.shape[:-1], values.shape[:-1])
    except ValueError:
        return  # the function itself refuses them
    if 0 in lead:
        return
    if lead:
        count = int(np.prod(lead))
        rows = np.unravel_index(np.unique(np.linspace(0, count - 1, min(count, _LOOKED_AT)).astype(int)), lead)
        q, values = (np.broadcast_to(x, (*lead, x.shape[-1]))[rows] for x in (q, values))
        code = code.at(np.ascontiguousarray(values))
    gaps = np.abs(np.atleast_2d(code(np.ascontiguousarray(q))))
    relative = np.nan_to_num(gaps / kinematics.scales.rows)
    state, row = np.unravel_index(int(np.argmax(relative)), relative.shape)
    if relative[state, row] <= OPEN_STATE:
        return
    loop = kinematics.loop_of_row(int(row))
    found: dict[str, object] = {
        "gap": float(gaps[state, row]),
        "unit": "m" if kinematics.setup.closure.lengths[row] else "",
    }
    if lead:
        found["row"] = [int(index[state]) for index in rows]
        found["open"] = int(np.sum(relative.max(axis=1) > OPEN_STATE))
        found["looked_at"] = len(gaps)
    warn_caller(
        f"{function} of '{kinematics.setup.mech.name}': at these parameters q leaves loop '{loop}' open, as "
        "coordinates of another design do; close them again with forward_kinematics(q_act, p=p), "
        "inverse_kinematics(pose, p=p) or project(q, v, p=p)",
        ParameterWarning,
        subject=loop,
        value=found,
    )


def warn_of_other_branch(kinematics: Kinematics, q: np.ndarray) -> None:
    """Warn of a closed configuration in which equations count that only repeat others on the home's branch.

    A parallelogram that was folded over is such a place: the mechanism has fewer freedoms there, and all that was
    planned for its home is not for it.
    """
    more = extra_equation_count(kinematics, q) if kinematics.rank.redundant else 0
    if not more:
        return
    name, mobility = kinematics.setup.mech.name, kinematics.mobility
    warn_caller(
        f"mechanism '{name}' is closed here in another way than at home: {more} more of its closure equations count, "
        f"so it has {mobility - more} degrees of freedom and not {mobility}, and dynamics computed for its home are "
        "wrong here; start nearer to home, or make this configuration the home of the file",
        AccuracyWarning,
    )


def extra_equation_count(kinematics: Kinematics, q: np.ndarray) -> int:
    """Number of closure equations that count at q beyond those that do on the home's branch."""
    J, scales = kinematics.compute_at(closure_functions.closure_jacobian, q), kinematics.scales
    counting = count_above(singular_values(J, scales.rows, scales.speeds), INDEPENDENT_ROW)
    return max(0, int(counting) - kinematics.rank.rank)


# --- configurations people ask for ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Configuration:
    """Coordinates with every loop closed.

    Attributes:
        q: coordinates, (nq,).
        residual: largest closure residual, [m or 1].
        signs: what computes `branch_signs` when it is first read, or its value.
        distance: the same of `singularity`.
    """

    q: np.ndarray
    residual: float
    signs: str | Callable[[], str] = field(default="", repr=False)
    distance: float | Callable[[], float] = field(default=1.0, repr=False)

    @cached_property
    def branch(self) -> str:
        """Signs of the loops' determinants and of the whole closure, for example `++-|+`; empty for a tree."""
        return self.signs() if callable(self.signs) else self.signs

    @cached_property
    def singularity(self) -> float:
        """Smallest of the distances of `Model.singularity`; 0 at a singularity, 1 at an isotropic pose."""
        return self.distance() if callable(self.distance) else self.distance

    def __reduce__(self) -> tuple[Any, ...]:
        return Configuration, (self.q, self.residual, self.branch, self.singularity)


_STARTS = 128
_ROUNDS = 64  # of random starts for all modes at most
TURNING = ("angle", "first", "second")


def assemble_near_guess(
    kinematics: Kinematics, guess: np.ndarray | None, fixed: dict[int, float], guesses: int = _STARTS
) -> Configuration:
    """A closed configuration near the guess with some coordinates (indices in q to values) held."""
    start = kinematics.home if guess is None else guess
    starts = np.array(start, dtype=float)[None, :]
    if not kinematics.has_closure:
        return Configuration(_with_fixed_coordinates(starts, fixed)[0], 0.0)
    found = _close_with_fixed(kinematics, _with_fixed_coordinates(starts, fixed), fixed)
    if not len(found):
        rng = np.random.default_rng(4)
        starts = np.concatenate([starts, random_coordinates(kinematics.setup.mech, guesses, rng)])
        found = _close_with_fixed(kinematics, _with_fixed_coordinates(starts, fixed), fixed)
    if not len(found):
        raise AssemblyError(_assembly_failure_text(kinematics, starts[0], fixed, guesses))
    return make_configuration(kinematics, found[np.argmin(np.linalg.norm(found - starts[0], axis=1))])


def ranges_of_starts(kinematics: Kinematics) -> list[tuple[float, float] | None]:
    """Range of every coordinate from which other assembly modes are looked for; None of the parts of quaternions."""
    return coordinate_ranges(kinematics.setup.mech)


def find_assembly_modes(
    kinematics: Kinematics, q_act: np.ndarray, guesses: int = 512, confidence: float | None = None
) -> list[Configuration]:
    """All assembly modes found for given actuator positions, nearest to home first.

    With a confidence, random starts go on in rounds until `undiscovered_share` is at most 1 - confidence.
    """
    if not kinematics.has_closure:
        fixed = dict(
            zip(locate_driven_coordinates(kinematics).indices, np.asarray(q_act, dtype=float).tolist(), strict=True)
        )
        return [assemble_near_guess(kinematics, None, fixed)]
    require_actuators(kinematics)
    driven, rng = locate_driven_coordinates(kinematics), np.random.default_rng(5)

    def found_from(starts: np.ndarray) -> np.ndarray:
        return _rightly_assembled_rows(kinematics, driven.close(starts, np.asarray(q_act, dtype=float)))

    found = found_from(
        np.concatenate([kinematics.home[None, :], random_coordinates(kinematics.setup.mech, guesses, rng)])
    )
    kept, closed, rounds = distinct_configurations(kinematics, found), len(found), 1
    while confidence is not None and undiscovered_share(len(kept), closed) > 1.0 - confidence and rounds < _ROUNDS:
        more = found_from(random_coordinates(kinematics.setup.mech, guesses, rng))
        kept, closed, rounds = (
            distinct_configurations(kinematics, np.array([*kept, *more])),
            closed + len(more),
            rounds + 1,
        )
    return [make_configuration(kinematics, q) for q in kept]


def undiscovered_share(modes: int, closed: int) -> float:
    """The expected share of starts that lead to modes not found yet, after `closed` starts led to some modes.

    C. G. E. Boender, A. H. G. Rinnooy Kan, "Bayesian stopping rules for multistart global optimization methods",
    Mathematical Programming 37 (1987) 59-80: w (w + 1) / (n (n - 1)), for any sizes of the modes' basins.

    >>> undiscovered_share(2, 100) < 1e-3, undiscovered_share(6, 100) > 4e-3
    (True, True)
    """
    return modes * (modes + 1.0) / (closed * (closed - 1.0)) if closed > 1 else 1.0


def distinct_configurations(kinematics: Kinematics, found: np.ndarray) -> list[np.ndarray]:
    """Configurations that differ in the platform's pose, nearest to home first."""
    kept: list[np.ndarray] = []
    shapes: list[np.ndarray] = []
    for q in found[np.argsort(np.linalg.norm(found - kinematics.home, axis=1))]:
        shape = _assembly_mode_signature(kinematics, q)
        if all(np.abs(shape - other).max() > SAME_CONFIGURATION for other in shapes):
            kept.append(q)
            shapes.append(shape)
    return kept


def make_configuration(kinematics: Kinematics, q: np.ndarray) -> Configuration:
    """A closed configuration with its residual, branch and distance to the nearest singularity."""
    if not kinematics.has_closure:
        return Configuration(q, 0.0)
    residual = float(np.abs(kinematics.compute_at(closure_functions.closure_residual, q)).max(initial=0.0))
    warn_of_other_branch(kinematics, q)
    return Configuration(
        q, residual, partial(branch_signs, kinematics, q), partial(_singularity_distance, kinematics, q)
    )


def _singularity_distance(kinematics: Kinematics, q: np.ndarray) -> float:
    return float(dense_singularity(kinematics, q).distance)


def _with_fixed_coordinates(q: np.ndarray, fixed: dict[int, float]) -> np.ndarray:
    q = np.array(q)
    for index, value in fixed.items():
        q[:, index] = value
    return q


def _close_with_fixed(kinematics: Kinematics, q: np.ndarray, fixed: dict[int, float]) -> np.ndarray:
    return _rightly_assembled_rows(kinematics, close_all(kinematics.all_rows, q, free_speeds(kinematics, list(fixed))))


def _rightly_assembled_rows(kinematics: Kinematics, result: Closed) -> np.ndarray:
    """The rows that are closed, the right way round."""
    good = result.q[result.gap < CLOSED]
    return good[right_way_round(kinematics.all_rows, good)] if len(good) else good


def _assembly_failure_text(kinematics: Kinematics, start: np.ndarray, fixed: dict[int, float], guesses: int) -> str:
    result = close_all(
        kinematics.all_rows, _with_fixed_coordinates(start[None, :], fixed), free_speeds(kinematics, list(fixed))
    )
    gaps = np.abs(kinematics.compute_at(closure_functions.closure_residual, result.q[0]))
    loop = kinematics.loop_of_row(int(np.argmax(gaps)))
    return (
        f"loop '{loop}' does not close: gap {gaps.max():.1e} after {result.steps} steps, and none of {guesses} other "
        "starts closed; the held values may be out of reach: hold fewer, or start nearer to an assembled configuration"
    )


def _assembly_mode_signature(kinematics: Kinematics, q: np.ndarray) -> np.ndarray:
    """Signature of an assembly mode: the pose of the platform's body when one is named, else of every body.

    Positions count in lengths of the mechanism.
    """
    mech = kinematics.setup.mech
    poses = np.array(kinematics.compute_at(tree_functions.body_poses, q))
    poses[:, :3] /= kinematics.scales.length
    carrier = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    return poses[mech.names.index(carrier)] if carrier in mech.names else poses
