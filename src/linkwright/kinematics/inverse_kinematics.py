"""From actuators or from the platform to all joints: positions by closing the loops."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.errors import ArgumentError
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.continuation import (
    NO_PATH,
    Steps,
    damped_newton_to_targets,
    error_at,
    reach_targets,
    reached_one,
    sense_at,
    steps_to,
)
from linkwright.kinematics.failure_reasons import position_failures
from linkwright.kinematics.forward_kinematics import by_rows, track_actuators
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import (
    COMPONENTS,
    REACHED,
    BatchRows,
    ClosedRows,
    Ended,
    KinematicsQuery,
    KinematicsResult,
    in_sequence,
)
from linkwright.kinematics.velocity_kinematics import velocities_and_accelerations
from linkwright.numerics.dense import decompose_scaled, singular_values
from linkwright.numerics.tolerances import CLOSED, INDEPENDENT_ROW, STALLED, TINY
from linkwright.plans.closure_newton import close_with

Array = np.ndarray

# Poses farther away than this, in lengths of the mechanism, are not looked for.
_FARTHEST = 500.0


def kinematics_of(
    kinematics: Kinematics, wanted: KinematicsQuery, near: Array | None, previous: bool = False
) -> KinematicsResult:
    """All joints from what is given; a row without a result is NaN.

    Args:
        loops: the mechanism, at one set of values of its inputs or at one for each row.
        wanted: what is given.
        near: coordinates to start from, (..., nq); None starts from home.
        previous: each row along the last leading axis starts from the one before.
    """
    values, start, before = _starting_state(kinematics, near)
    rows = BatchRows(wanted.lead, start, wanted.target, values, before)
    solve = (
        partial(track_actuators, kinematics) if wanted.frame is None else partial(_solve_for_poses, kinematics, wanted)
    )
    found = in_sequence(rows, solve) if previous and wanted.lead else solve(rows)
    failures = position_failures(kinematics, wanted, rows, found)
    q = found.q.reshape(*wanted.lead, found.q.shape[-1])
    if failures and not wanted.lead:
        still = np.full(kinematics.setup.tree.nv, np.nan)
        return KinematicsResult(q, still, still, tuple(failures))
    v, a, lost = velocities_and_accelerations(kinematics, wanted, q, values)
    return KinematicsResult(q, v, a, (*failures, *lost))


def _starting_state(kinematics: Kinematics, near: Array | None) -> tuple[Array | None, Array, Array | None]:
    """Values of the inputs, coordinates to start from, and values at which these are closed; None where the same."""
    if kinematics.nominal is None:
        return None, kinematics.home if near is None else near, None
    values = kinematics.setup.inputs.values  # type: ignore[union-attr]
    if near is not None:
        return values, near, None
    return values, kinematics.nominal.home, kinematics.nominal.setup.inputs.values  # type: ignore[union-attr]


def _solve_for_poses(kinematics: Kinematics, wanted: KinematicsQuery, rows: BatchRows) -> ClosedRows:
    """Closed coordinates with a frame at given poses, in the working mode of the starts."""
    frame, given = str(wanted.frame), wanted.given
    steps, solve = steps_to(kinematics, frame, given), partial(_generally_posed, frame, list(given))
    if steps is None:
        return by_rows(kinematics, rows, solve)
    if not rows.lead:
        found = reached_one(steps, rows)
        if found.ended[0] == int(REACHED):
            return found
    place = partial(_pose_at, kinematics, frame)
    found = reach_targets(steps, rows, place, _pose_between, partial(_poses_within_reach, kinematics, place, rows))
    again = np.flatnonzero((found.ended != Ended.REACHED) & (found.ended < Ended.TOO_FAR))
    return _tried_again(kinematics, steps, rows, found, again, solve) if len(again) else found


def _poses_within_reach(kinematics: Kinematics, place: Callable[..., Array], rows: BatchRows, index: Array) -> Array:
    """Mask of numbered rows whose ways are not absurdly long."""
    start, values = rows.of(rows.start, index), rows.of(rows.values, index) if rows.before is None else rows.before
    way = np.abs(rows.of(rows.target, index)[..., :3] - place(start, values)[..., :3]).max(axis=-1)
    return np.broadcast_to(way <= _FARTHEST * kinematics.scales.length, (len(index),))


def _tried_again(
    kinematics: Kinematics,
    steps: Steps,
    rows: BatchRows,
    found: ClosedRows,
    again: Array,
    solve: Callable[..., ClosedRows],
) -> ClosedRows:
    """Rows that no path reached: by damped steps on no path, and near a leg's own singularity with all equations."""
    part = rows.take_rows(again)
    q, ended = damped_newton_to_targets(steps, part)
    open_rows = ended == Ended.LEFT_OPEN
    if open_rows.any():
        ended[open_rows] = np.where(_loops_open(kinematics, part, q), Ended.LEFT_OPEN, Ended.OPEN)[open_rows]
    singular = np.isnan(q).any(axis=1)  # a start at which no step can be made
    near = singular | (error_at(steps, np.where(singular[:, None], 0.0, q), part) < STALLED)
    hard = np.flatnonzero((ended == Ended.OPEN) & near & ~open_rows | (ended == Ended.LEFT_OPEN))
    if len(hard):
        few = part.take_rows(hard)
        general = by_rows(kinematics, few, solve)
        q[hard], ended[hard] = general.q, _kept_mode(steps, few, general)
    found.q[again], found.ended[again] = np.where((ended == Ended.REACHED)[:, None], q, np.nan), ended
    found.done[again] = np.where(ended == Ended.REACHED, 1.0, found.done[again])
    return found


def _loops_open(kinematics: Kinematics, rows: BatchRows, q: Array) -> Array:
    """Mask of rows in which closure equations that take no part do not hold."""
    gap = (
        _tree_function_at_inputs(
            kinematics, closure_functions.closure_residual, None, rows.of(rows.values, slice(0, rows.count))
        )(q)
        / kinematics.scales.rows
    )
    return np.abs(gap).max(axis=1, initial=0.0) > 1e4 * CLOSED


def _kept_mode(steps: Steps, rows: BatchRows, general: ClosedRows) -> Array:
    """How rows of the general solver ended: in another mode if a determinant has another sign than at the start."""
    given = steps.given_numbers(rows.values)
    there = given if rows.before is None else steps.given_numbers(rows.before)
    sense = sense_at(steps, rows.start, rows.target, there)
    turned = (sense_at(steps, np.nan_to_num(general.q), rows.target, given, NO_PATH.singular) * sense < 0.0).any(
        axis=-1
    )
    return np.where((general.ended == Ended.REACHED) & turned, Ended.TURNED, general.ended)


def _tree_function_at_inputs(
    kinematics: Kinematics, definition: Any, frame: str | None, values: Array | None
) -> Callable[..., Any]:
    """A function of the spanning tree, at values of the inputs where they are given."""
    code = kinematics.all_rows.code(definition, frame=frame)
    if isinstance(code, InputKernel):
        return code if values is None else code.at(np.ascontiguousarray(values))
    return kinematics.all_rows.function(definition, frame=frame)


def _pose_at(kinematics: Kinematics, frame: str, q: Array, values: Array | None) -> Array:
    """Poses of a frame, (n, 7)."""
    return np.concatenate(
        _tree_function_at_inputs(kinematics, tree_functions.frame_quaternion, frame, values)(q), axis=-1
    )


def _pose_between(a: Array, b: Array, share: Array) -> Array:
    """Poses some shares of the way, positions along the line, quaternions along the shorter arc nearly evenly."""
    out = a + (b - a) * share[:, None]
    sign = np.where((a[:, 3:] * b[:, 3:]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    out[:, 3:] = a[:, 3:] * (1.0 - share[:, None]) + sign * b[:, 3:] * share[:, None]
    out[:, 3:] /= np.maximum(np.linalg.norm(out[:, 3:], axis=1, keepdims=True), TINY)
    return out


def _generally_posed(frame: str, picked: list[int], kinematics: Kinematics, start: Array, poses: Array) -> ClosedRows:
    """Poses (n, 7) by least-norm Newton steps on all equations; for any number of components and freedoms."""
    _require_determined_platform(kinematics, frame, start, picked)
    wanted = _frame_pose_equations(kinematics, frame, poses[:, :3], quaternion_matrices(poses[:, 3:]), picked)
    starts = np.repeat(start[None, :], len(poses), axis=0)
    units = np.array([1.0] * 3 + [kinematics.scales.length] * 3)[picked]
    found = close_with(kinematics.all_rows, starts, wanted, units)
    good = found.gap < CLOSED
    q = np.where(good[:, None], found.q, np.nan)
    return ClosedRows(q, np.where(good, Ended.REACHED, Ended.OPEN).astype(np.int8), np.where(good, 1.0, 0.0))


def _seen_motion_count(moves: Array) -> int:
    """How many motions of the platform some components see."""
    return int(np.sum(singular_values(moves) > INDEPENDENT_ROW))


def _require_determined_platform(kinematics: Kinematics, frame: str, q: Array, picked: list[int]) -> None:
    """Refuse as many components as there are freedoms when they leave some motion of the platform open."""
    if not 6 > len(picked) >= kinematics.mobility:
        return
    scale = kinematics.scales
    units = np.array([1.0] * 3 + [scale.length] * 3)[:, None]
    J_c = kinematics.compute_at(closure_functions.exact_closure_jacobian, q)
    T = decompose_scaled(J_c, scale.rows, scale.speeds, complete=True).null_space(J_c.shape[1] - kinematics.mobility)
    moves = kinematics.compute_at(tree_functions.frame_jacobian, q, frame=frame) * scale.speeds / units @ T
    known = _seen_motion_count(moves[picked])
    rest = [i for i in range(6) if i not in picked]
    left = [COMPONENTS[i] for i in rest if _seen_motion_count(moves[[*picked, i]]) > known]
    if left:
        named, name = ", ".join(COMPONENTS[i] for i in picked), kinematics.setup.mech.name
        raise ArgumentError(
            f"{named} do not say where the platform of '{name}' is (left open: {', '.join(left)}); name components "
            "that it can change one by one"
        )


def quaternion_matrices(wxyz: Array) -> Array:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4)."""
    return np.array([rotations.rotation_matrix(row) for row in wxyz])


def _frame_pose_equations(
    kinematics: Kinematics, frame: str, xyz: Array, R: Array, picked: list[int]
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Gaps and Jacobians of a frame that is to stand at given poses."""
    pose, jacobian = (
        kinematics.all_rows.function(x, frame=frame) for x in (tree_functions.frame_pose, tree_functions.frame_jacobian)
    )

    def rows(q: Array, active: Array) -> tuple[Array, Array]:
        r, Q = pose(q)
        turn = 0.5 * sum(np.cross(R[active][:, :, i], Q[:, :, i]) for i in range(3))
        gap = np.concatenate([turn, r - xyz[active]], axis=1)
        return gap[:, picked], jacobian(q)[:, picked, :]

    return rows
