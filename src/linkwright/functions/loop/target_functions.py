"""Newton steps, velocities and accelerations of a mechanism whose platform pose or actuator positions are given.

The equations are the kept closure rows and as many of the given components as make them square. With the pose of the
platform given, the legs are blocks of their own, so that the sparse elimination is short.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra import rotations
from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.compiler import is_constant, maximum, minimum, select
from linkwright.formulations.elimination import SquareFactor, factor_lu, lu_solve
from linkwright.functions.definition import compiled
from linkwright.functions.fallback_chain import flag_result, in_pairs, small_pivot_share
from linkwright.functions.loop.minimal_functions import actuator_accelerations
from linkwright.functions.setup import Setup
from linkwright.functions.stages import MotionTarget, SquareTarget
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.loops.closure import (
    actuation_matrix,
    closure_bias,
    exact_jacobian_of_closure,
    gaps_of_closure,
    jacobian_of_closure,
    relative_poses,
)
from linkwright.loops.cut_joints import joint_value
from linkwright.numerics.tolerances import ACCEPTED_RATES, HALF_TURN, NEWTON_PIVOT, PROMISED, TINY
from linkwright.recursion import poses
from linkwright.recursion.relative_motion import FramePose
from linkwright.recursion.twist_recursion import advance_coordinates, motion_of_tree

_ANGLES = ("angle", "first", "second")

# A step is no longer than this, [rad or lengths of the mechanism].
LONGEST = 1.0


def coordinate_of(setup: Setup, speed: int) -> int | None:
    """Index in q of the coordinate whose rate is a velocity; None for parts of joints with quaternions."""
    for link in setup.tree.links:
        same = link.coords.stop - link.coords.start == link.dofs.stop - link.dofs.start
        if link.dofs.start <= speed < link.dofs.stop:
            return link.coords.start + speed - link.dofs.start if same else None
    return None


def _actuator_error(target: MotionTarget, q: Vec, number: int, wanted: Any) -> Any:
    """How far an actuator is off; an angle at a cut joint within half a turn."""
    drive, setup = target.setup.drives[number], target.setup
    if drive.speed is not None:
        return q[coordinate_of(setup, drive.speed)] - wanted
    loop = setup.closure.loops[drive.loop]
    off = joint_value(loop, relative_poses(setup.closure, q)[drive.loop])[drive.part] - wanted
    return np.arctan2(np.sin(off), np.cos(off)) if is_angle_velocity(loop.kind, drive.part) else off


def is_angle_velocity(kind: kinds.JointKind, part: int) -> bool:
    """Return True if a velocity of a joint with as many coordinates as velocities is that of an angle below a turn."""
    return kind.coordinates[part].is_wrapped_angle


def target_gap(target: MotionTarget, q: Vec, wanted: Vec) -> Vec:
    """How far the given components are off, (len(given),): turns as 2 tan(angle / 2) about the world's axes."""
    if target.frame is None:
        return np.array([_actuator_error(target, q, i, wanted[i]) for i in target.given], dtype=q.dtype)
    setup = target.setup
    pose = poses.pose_of_frame(setup.simplified, q, *frame_attachment(setup, target.frame))
    return pose_gap(pose, wanted[:3], rotations.rotation_of_quaternion(wanted[3:]))[list(target.given)]


def pose_gap(pose: FramePose, r: Vec, R: Mat) -> Vec:
    """How far a pose is off a position and rotation, (6,): turns as 2 tan(angle / 2) about the world's axes.

    With M = pose.R R^T and the unit vector n of the axis, the skew part of M gives 2 sin(angle) n, and
    1 + tr M = 4 cos(angle / 2)^2. Next to half a turn both vanish; the diagonal of M still gives
    2 (1 - cos(angle)) n_i^2 there, so that no component looks met that is not.
    """
    twice_sine = np.sum([cross_product(R[:, i], pose.R[:, i]) for i in range(3)], axis=0)
    diagonal = np.sum(R * pose.R, axis=1)
    trace: Any = np.sum(diagonal)
    turn = twice_sine * (2.0 / maximum(1.0 + trace, HALF_TURN))
    squares = 1.0 - trace + 2.0 * diagonal
    half_turn = select(squares * squares - turn * turn, squares, turn)
    return np.concatenate([select(HALF_TURN - (1.0 + trace), half_turn, turn), pose.r - r])


def target_jacobian(target: MotionTarget, q: Vec) -> Mat:
    """Rates of the given components along the velocities, (len(given), nv)."""
    setup = target.setup
    if target.frame is None:
        return actuation_matrix(setup.closure, setup.drives, q).T[list(target.given)]
    J = poses.jacobian_of_frame(setup.simplified, q, *frame_attachment(setup, target.frame))
    return J[list(target.given)]


@compiled("q", stage=MotionTarget)
def target_matrix(target: MotionTarget, q: Vec) -> Mat:
    """The kept closure rows, all given components and what is held, (n_rows + len(given) + len(held), nv)."""
    J_c = jacobian_of_closure(target.setup.closure, q)
    rows = np.concatenate([target_jacobian(target, q), _held_velocity_rows(target)])
    return np.concatenate([J_c, rows]) if len(J_c) else rows


def _held_velocity_rows(target: MotionTarget) -> Mat:
    """Rows that pick the held velocities, (len(held), nv)."""
    return np.eye(target.setup.simplified.nv)[list(target.held)]


def _given_component_units(stage: SquareTarget) -> Vec:
    """What a unit of every given component counts."""
    target = stage.target
    if target.frame is None:
        return np.array([actuator_unit(target.setup, i, stage.length, stage.speeds) for i in target.given])
    return np.array([1.0 if i < 3 else stage.length for i in target.given])


def actuator_unit(setup: Setup, number: int, length: float, speeds: Sequence[float]) -> float:
    """What a unit of an actuator's position counts, from those of the velocities and the mechanism's length."""
    drive = setup.drives[number]
    if drive.speed is not None:
        return speeds[drive.speed]
    return 1.0 if setup.closure.loops[drive.loop].kind.v_parts[drive.part] in _ANGLES else length


def _eliminate_target_equations(stage: SquareTarget, J_c: Mat, J: Mat, bounded: bool = False) -> SquareFactor:
    """Elimination of the equations used; `bounded` pivots are kept away from zero.

    A pivot of the planned order can vanish where the matrix is regular. With a small number in its place the step is
    that of a matrix this little different, and Newton steps correct what it lacks.
    """
    used = J[list(stage.used)]
    if stage.target.held:
        used = np.concatenate([used, _held_velocity_rows(stage.target)])

    def away_from_zero(k: int, x: Any) -> Any:
        least = NEWTON_PIVOT * abs(stage.typical[k])
        return x if isinstance(x, float) or is_constant(x) else select(abs(x) - least, x, least)

    return factor_lu(np.concatenate([J_c, used]) if len(J_c) else used, stage.plan, away_from_zero if bounded else None)


def _newton_step_to_target(
    stage: SquareTarget, q: Vec, target: Vec, bounded: bool
) -> tuple[Vec, Vec, SquareFactor, Vec]:
    """All closure residuals, errors of the given components, the elimination, and the whole Newton step (nv,)."""
    closure = stage.setup.closure
    every = _every_residual(stage, q)
    off = target_gap(stage.target, q, target)
    kept = closure.select(every)
    J_c = exact_jacobian_of_closure(closure, q) if len(kept) else kept
    f = _eliminate_target_equations(stage, J_c, target_jacobian(stage.target, q), bounded)
    return every, off, f, -lu_solve(f, np.concatenate([kept, off[list(stage.used)], _at_rest(stage)]))


def _at_rest(stage: SquareTarget) -> Vec:
    """What held velocities are."""
    return np.zeros(len(stage.target.held))


@compiled("q", "target", stage=SquareTarget, any_norm=True)
def target_step(stage: SquareTarget, q: Vec, target: Vec) -> tuple[Vec, Vec]:
    """A Newton step towards a target: q after it, and how things were before it, (3 + blocks,).

    These are: largest error of the equations used and of all equations, in units of the mechanism's size; length of the
    whole Newton step; determinants of the irreducible blocks, typical ones being 1. A step longer than LONGEST is
    shortened to it.
    """
    setup = stage.setup
    every, off, f, dv = _newton_step_to_target(stage, q, target, bounded=True)
    length = _largest_magnitude(dv, np.array(stage.speeds))
    worst, most = _largest_equation_errors(stage, every, off)
    moved = advance_coordinates(setup.simplified, q, dv * minimum(1.0, LONGEST / maximum(length, TINY)))
    return moved, np.array([worst, most, length, *_relative_block_determinants(stage, f)], dtype=object)


def _largest_equation_errors(stage: SquareTarget, every: Vec, off: Vec) -> tuple[Any, Any]:
    """Largest error of the equations used and of all equations, in units of the mechanism's size."""
    scaled = _magnitudes_in_units(every, np.array(stage.rows)), _magnitudes_in_units(off, _given_component_units(stage))
    used = [*stage.setup.closure.select(np.array(scaled[0], dtype=object)), *(scaled[1][i] for i in stage.used)]
    left = [x for part in scaled for x in part if not any(x is y for y in used)]
    worst = in_pairs(maximum, list(used)) if used else 0.0
    return worst, in_pairs(maximum, [worst, *left])


def _every_residual(stage: SquareTarget, q: Vec) -> Vec:
    """Residuals of all closure equations, those too that repeat others."""
    closure = stage.setup.closure
    return gaps_of_closure(replace(closure, kept=None), q) if closure.n_all else np.zeros(0)


def target_error(stage: SquareTarget, q: Vec, target: Vec) -> Any:
    """Largest error of all equations at q, in units of the mechanism's size."""
    return _largest_equation_errors(stage, _every_residual(stage, q), target_gap(stage.target, q, target))[1]


@compiled("q", "target", stage=SquareTarget, any_norm=True)
def target_correction(stage: SquareTarget, q: Vec, target: Vec) -> Vec:
    """q after a whole Newton step towards a target, (nq,).

    At a solution its derivatives by the target and by inputs of the mechanism are those of the solution.
    """
    *_, dv = _newton_step_to_target(stage, q, target, bounded=False)
    return advance_coordinates(stage.setup.simplified, q, dv)


def _magnitudes_in_units(x: Vec, units: Vec) -> list[Any]:
    return [abs(value) * (1.0 / unit) for value, unit in zip(x, units, strict=True)]


def _largest_magnitude(x: Vec, units: Vec) -> Any:
    return in_pairs(maximum, _magnitudes_in_units(x, units)) if len(x) else 0.0


def _relative_block_determinants(stage: SquareTarget, f: SquareFactor) -> list[Any]:
    """Determinants of the blocks over their typical sizes; blocks that are constant are left out."""
    out = []
    for block in stage.blocks:
        pivots = [f.sizes[i] for i in block]
        if all(isinstance(x, float) or is_constant(x) for x in pivots):
            continue
        out.append(reduce(mul, pivots) * (1.0 / math.prod(stage.typical[i] for i in block)))
    return out


@compiled("q", "target_rate", "target_acceleration", stage=SquareTarget, pivot_checked=True)
def target_rates(stage: SquareTarget, q: Vec, target_rate: Vec, target_acceleration: Vec) -> Mat:
    """Velocities and accelerations that go with those of the given components, (2, nv), at closed q.

    The first number is NaN where pivots are too small, or where a given component that takes no part is not met.
    """
    setup, given, used = stage.setup, list(stage.target.given), list(stage.used)
    tree, closure = setup.simplified, setup.closure
    J = target_jacobian(stage.target, q)
    f = _eliminate_target_equations(
        stage, jacobian_of_closure(closure, q) if closure.n_rows else np.zeros((0, tree.nv)), J
    )
    rate, acceleration = target_rate[given], target_acceleration[given]
    v = lu_solve(f, np.concatenate([np.zeros(closure.n_rows), rate[used], _at_rest(stage)]))
    still = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    c = closure_bias(closure, q, v, still) if closure.n_rows else np.zeros(0)
    acceleration = acceleration - _target_drift(stage.target, q, v)[given]
    a = lu_solve(f, np.concatenate([-c, acceleration[used], _at_rest(stage)]))
    margins = [small_pivot_share(f.sizes, stage.typical) - ACCEPTED_RATES]
    margins += _unused_component_margins(stage, J @ v, rate) + _unused_component_margins(stage, J @ a, acceleration)
    return flag_result(np.concatenate([v, a]), in_pairs(minimum, margins)).reshape(2, -1)


@compiled("q", stage=SquareTarget, pivot_checked=True)
def target_map(stage: SquareTarget, q: Vec) -> Mat:
    """R with velocities = R rates of the given components that take part, (nv, n), at closed q; flagged by NaN.

    Behind these are columns for rates of the velocities that are held: motions of idle freedoms.
    """
    closure, nv = stage.setup.closure, stage.setup.simplified.nv
    rows, n = closure.n_rows, len(stage.used) + len(stage.target.held)
    f = _eliminate_target_equations(
        stage, jacobian_of_closure(closure, q) if rows else np.zeros((0, nv)), target_jacobian(stage.target, q)
    )
    units = np.concatenate([np.zeros((n, rows)), np.eye(n)], axis=1).astype(q.dtype)
    columns = [lu_solve(f, unit) for unit in units]
    return flag_result(
        np.array(columns).T.reshape(-1), small_pivot_share(f.sizes, stage.typical) - ACCEPTED_RATES
    ).reshape(nv, n)


def _target_drift(target: MotionTarget, q: Vec, v: Vec) -> Vec:
    """Acceleration of the target's components without accelerations of the joints."""
    setup = target.setup
    if target.frame is None:
        cut = any(drive.speed is None for drive in setup.drives)
        rest = np.zeros(setup.simplified.nv)
        return actuator_accelerations(setup, q, v, rest) if cut else np.zeros(len(setup.drives))
    still = np.zeros(setup.simplified.nv)
    return poses.frame_acceleration(setup.simplified, q, v, still, *frame_attachment(setup, target.frame))


def _unused_component_margins(stage: SquareTarget, found: Vec, wanted: Vec) -> list[Any]:
    """Margins by which components that take no part are met."""
    left = [i for i in range(len(stage.target.given)) if i not in stage.used]
    return [PROMISED * (1.0 + abs(wanted[i])) - abs(found[i] - wanted[i]) for i in left]
