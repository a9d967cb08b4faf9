"""Configurations people ask for: from a guess, with coordinates held, for actuator positions, for a platform pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from linkwright.errors import ArgumentError, AssemblyError
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.assembly_mode import branch, warn_of_other_branch
from linkwright.kinematics.configuration import Configuration
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.singularity import dense_singularity
from linkwright.mechanism.tree import coordinate_slices
from linkwright.plans.closure_newton import CLOSED, close_all, right_way_round
from linkwright.plans.damped_newton import close, close_carefully
from linkwright.plans.scales import random_coordinates

_STARTS = 128
_ROUNDS = 64  # of random starts for all modes at most
TURNING = ("angle", "first", "second")


def assemble(
    kinematics: Kinematics, guess: np.ndarray | None, fixed: dict[int, float], guesses: int = _STARTS
) -> Configuration:
    """A closed configuration near the guess with some coordinates (indices in q to values) held."""
    start = kinematics.home if guess is None else guess
    starts = np.array(start, dtype=float)[None, :]
    if not kinematics.closed:
        return Configuration(_held(starts, fixed)[0], 0.0)
    found = _closed(kinematics, _held(starts, fixed), fixed)
    if not len(found):
        rng = np.random.default_rng(4)
        starts = np.concatenate([starts, random_coordinates(kinematics.setup.mech, guesses, rng)])
        found = _closed(kinematics, _held(starts, fixed), fixed)
    if not len(found):
        raise AssemblyError(_failure(kinematics, starts[0], fixed, guesses))
    return described(kinematics, found[np.argmin(np.linalg.norm(found - starts[0], axis=1))])


def modes(
    kinematics: Kinematics, q_act: np.ndarray, guesses: int = 512, confidence: float | None = None
) -> list[Configuration]:
    """All assembly modes found for given actuator positions, nearest to home first.

    With a confidence, random starts go on in rounds until `undiscovered` is at most 1 - confidence.
    """
    if kinematics.closed:
        require_actuators(kinematics)
    fixed = dict(zip(actuator_indices(kinematics), np.asarray(q_act, dtype=float).tolist(), strict=True))
    if not kinematics.closed:
        return [assemble(kinematics, None, fixed)]
    rng = np.random.default_rng(5)
    starts = np.concatenate([kinematics.home[None, :], random_coordinates(kinematics.setup.mech, guesses, rng)])
    found = _closed(kinematics, _held(starts, fixed), fixed)
    kept, closed, rounds = distinct(kinematics, found), len(found), 1
    while confidence is not None and undiscovered(len(kept), closed) > 1.0 - confidence and rounds < _ROUNDS:
        more = _closed(kinematics, _held(random_coordinates(kinematics.setup.mech, guesses, rng), fixed), fixed)
        kept, closed, rounds = distinct(kinematics, np.array([*kept, *more])), closed + len(more), rounds + 1
    return [described(kinematics, q) for q in kept]


def undiscovered(modes: int, closed: int) -> float:
    """The expected share of starts that lead to modes not found yet, after `closed` starts led to some modes.

    C. G. E. Boender, A. H. G. Rinnooy Kan, "Bayesian stopping rules for multistart global optimization methods",
    Mathematical Programming 37 (1987) 59-80: w (w + 1) / (n (n - 1)), for any sizes of the modes' basins.

    >>> undiscovered(2, 100) < 1e-3, undiscovered(6, 100) > 4e-3
    (True, True)
    """
    return modes * (modes + 1.0) / (closed * (closed - 1.0)) if closed > 1 else 1.0


def distinct(kinematics: Kinematics, found: np.ndarray, by_actuators: bool = False) -> list[np.ndarray]:
    """Configurations that differ in the platform's pose (or in the actuators' positions), nearest to home first."""
    kept: list[np.ndarray] = []
    shapes: list[np.ndarray] = []
    for q in found[np.argsort(np.linalg.norm(found - kinematics.home, axis=1))]:
        shape = _actuators(kinematics, q) if by_actuators else _shape(kinematics, q)
        if all(np.abs(shape - other).max() > 1e-6 for other in shapes):
            kept.append(q)
            shapes.append(shape)
    return kept


def _actuators(kinematics: Kinematics, q: np.ndarray) -> np.ndarray:
    """Positions of the actuators; an angle as its cosine and sine, so that whole turns do not count."""
    indices = actuator_indices(kinematics)
    parts = [part for joint in kinematics.setup.mech.joints for part in joint.kind.q_parts]
    pairs = [(np.cos(q[p]), np.sin(q[p])) if parts[p] in TURNING else (q[p], 0.0) for p in indices]
    return np.array(pairs)


def require_actuators(kinematics: Kinematics) -> None:
    """Refuse functions of actuator positions when there are no actuators."""
    if not kinematics.setup.drives:
        raise ArgumentError(
            f"mechanism '{kinematics.setup.mech.name}' names no actuators, so their positions decide nothing; "
            "name them in the file or in actuated=[...], or hold coordinates with assemble(fixed=...)"
        )


def described(kinematics: Kinematics, q: np.ndarray) -> Configuration:
    """A closed configuration with its residual, branch and distance to the nearest singularity."""
    if not kinematics.closed:
        return Configuration(q, 0.0)
    residual = float(np.abs(kinematics.all_rows.function(closure_functions.closure_residual)(q)).max(initial=0.0))
    warn_of_other_branch(kinematics, q)
    return Configuration(q, residual, partial(branch, kinematics, q), partial(_distance, kinematics, q))


def _distance(kinematics: Kinematics, q: np.ndarray) -> float:
    return float(dense_singularity(kinematics, q).distance)


def actuator_indices(kinematics: Kinematics) -> list[int]:
    """Places in q of the actuators' coordinates."""
    slices = coordinate_slices(kinematics.setup.mech.joints)
    by_speed = {
        v.start + i: q.start + i for q, v in slices.values() for i in range(min(q.stop - q.start, v.stop - v.start))
    }
    indices = []
    for name, drive in zip(kinematics.setup.actuated, kinematics.setup.drives, strict=True):
        if drive.speed is None or drive.speed not in by_speed:
            raise AssemblyError(f"actuator '{name}' sits at a cut joint and has no coordinate in q; cut another joint")
        indices.append(by_speed[drive.speed])
    return indices


def _held(q: np.ndarray, fixed: dict[int, float]) -> np.ndarray:
    q = np.array(q)
    for index, value in fixed.items():
        q[:, index] = value
    return q


def _closed(kinematics: Kinematics, q: np.ndarray, fixed: dict[int, float]) -> np.ndarray:
    result = close_all(kinematics.all_rows, q, free_speeds(kinematics, list(fixed)))
    good = result.q[result.gap < CLOSED]
    return good[right_way_round(kinematics.all_rows, good)] if len(good) else good


def free_speeds(kinematics: Kinematics, indices: list[int]) -> np.ndarray:
    """Mask of the velocities that may move when the coordinates at `indices` are held, (nv,) of bool."""
    free = np.ones(kinematics.setup.tree.nv, dtype=bool)
    for link in kinematics.setup.tree.links:
        held = [p - link.coords.start for p in indices if link.coords.start <= p < link.coords.stop]
        if held and (link.coords.stop - link.coords.start) == (link.dofs.stop - link.dofs.start):
            free[[link.dofs.start + i for i in held]] = False
        elif held:
            free[link.dofs] = False
    return free


def _failure(kinematics: Kinematics, start: np.ndarray, fixed: dict[int, float], guesses: int) -> str:
    result = close_all(kinematics.all_rows, _held(start[None, :], fixed), free_speeds(kinematics, list(fixed)))
    gaps = np.abs(kinematics.all_rows.function(closure_functions.closure_residual)(result.q[0]))
    loop = kinematics.loop_of_row(int(np.argmax(gaps)))
    return (
        f"loop '{loop}' does not close: gap {gaps.max():.1e} after {result.steps} steps, and none of {guesses} other "
        "starts closed; the held values may be out of reach: hold fewer, or start nearer to an assembled configuration"
    )


def _shape(kinematics: Kinematics, q: np.ndarray) -> np.ndarray:
    """Signature of an assembly mode: the pose of the platform's body when one is named, else of every body."""
    mech = kinematics.setup.mech
    poses = kinematics.all_rows.function(tree_functions.body_poses)(q)
    carrier = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    return poses[mech.names.index(carrier)] if carrier in mech.names else poses


def close_with(
    kinematics: Kinematics, q: np.ndarray, rows: Callable[..., tuple[np.ndarray, np.ndarray]], weights: np.ndarray
) -> np.ndarray:
    """Close the loops together with further equations: `rows(q, active)` gives their gaps and Jacobians."""
    closing = kinematics.all_rows.function(closure_functions.closing)

    def both(x: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = closing(x)
        more, more_J = rows(x, active)
        return np.concatenate([g, more], axis=1), np.concatenate([J, more_J], axis=1)

    scale = replace(kinematics.scales, rows=np.concatenate([kinematics.scales.rows, weights]))
    free = np.ones(kinematics.setup.tree.nv, dtype=bool)
    moving = kinematics.all_rows.function(closure_functions.advanced)
    result = close_carefully(close(q, both, moving, scale, free), both, moving, scale, free)
    return np.where((result.gap < CLOSED)[:, None], result.q, np.nan)
