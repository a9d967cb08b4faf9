"""Configurations people ask for: from a guess, with coordinates held, for actuator positions, for a platform pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property, partial
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import AssemblyError
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.assembly_mode import branch_signs, warn_of_other_branch
from linkwright.kinematics.driven_coordinates import free_speeds, locate_driven_coordinates, require_actuators
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.singularity import dense_singularity
from linkwright.numerics.tolerances import CLOSED, SAME_CONFIGURATION
from linkwright.plans.closure_newton import close_all, right_way_round
from linkwright.plans.damped_newton import Closed
from linkwright.plans.scales import random_coordinates


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
    if not kinematics.closed:
        return Configuration(_with_fixed_coordinates(starts, fixed)[0], 0.0)
    found = _close_with_fixed(kinematics, _with_fixed_coordinates(starts, fixed), fixed)
    if not len(found):
        rng = np.random.default_rng(4)
        starts = np.concatenate([starts, random_coordinates(kinematics.setup.mech, guesses, rng)])
        found = _close_with_fixed(kinematics, _with_fixed_coordinates(starts, fixed), fixed)
    if not len(found):
        raise AssemblyError(_assembly_failure_text(kinematics, starts[0], fixed, guesses))
    return make_configuration(kinematics, found[np.argmin(np.linalg.norm(found - starts[0], axis=1))])


def find_assembly_modes(
    kinematics: Kinematics, q_act: np.ndarray, guesses: int = 512, confidence: float | None = None
) -> list[Configuration]:
    """All assembly modes found for given actuator positions, nearest to home first.

    With a confidence, random starts go on in rounds until `undiscovered_share` is at most 1 - confidence.
    """
    if not kinematics.closed:
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
    if not kinematics.closed:
        return Configuration(q, 0.0)
    residual = float(np.abs(kinematics.all_rows.function(closure_functions.closure_residual)(q)).max(initial=0.0))
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
    gaps = np.abs(kinematics.all_rows.function(closure_functions.closure_residual)(result.q[0]))
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
    poses = np.array(kinematics.all_rows.function(tree_functions.body_poses)(q))
    poses[:, :3] /= kinematics.scales.length
    carrier = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    return poses[mech.names.index(carrier)] if carrier in mech.names else poses
