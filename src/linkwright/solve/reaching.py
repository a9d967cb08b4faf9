"""From actuators or from the platform to all joints: positions by closing the loops, rates by linear equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from linkwright.algebra import quaternion
from linkwright.compiler import Fallback
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.inputs import InputKernel, Owned
from linkwright.kernels.stages import SquareTarget
from linkwright.solve.closing import CLOSED
from linkwright.solve.configuration import Configuration
from linkwright.solve.continuation import (
    AMBIGUOUS,
    LEFT_OPEN,
    NOT_BUILT,
    NOT_FINITE,
    OPEN,
    REACHED,
    TOO_FAR,
    TURNED,
    Reached,
    Rows,
    Steps,
    error_at,
    in_blocks,
    in_sequence,
    reached,
    reached_one,
    sense_at,
    steps_to,
    wandered,
)
from linkwright.solve.failures import Failures
from linkwright.solve.finding import close_with, described, distinct
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.rows import least_norm
from linkwright.solve.scales import random_coordinates
from linkwright.solve.targets import square_target
from linkwright.solve.tracking import by_rows, tracked, why_not_tracked

Array = np.ndarray
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
_OPEN = 1e-6

# Rows that damped steps did not bring this near are taken as out of reach.
_STALLED = 1e-2

# Poses farther away than this, in lengths of the mechanism, are not looked for.
_FARTHEST = 500.0

_CODES = {
    OPEN: "out-of-reach",
    TURNED: "other-mode",
    LEFT_OPEN: "loops-open",
    TOO_FAR: "too-far",
    NOT_BUILT: "bad-parameters",
}


@dataclass(frozen=True, eq=False)
class Found:
    """Coordinates, velocities and accelerations, NaN in rows that have none, and those rows."""

    q: Array
    v: Array
    a: Array
    failures: tuple[Failures, ...]


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is given of a motion.

    Attributes:
        lead: leading axes of the batch.
        frame: a frame whose pose is given; None where the actuators' positions are.
        given: components of the frame rx ry rz x y z that count, or numbers of the actuators.
        target: pose x y z, w x y z (..., 7), or positions of the actuators (..., na).
        rate, acceleration: twist and twist rate (..., 6), or those of the actuators; None for zero.
    """

    lead: tuple[int, ...]
    frame: str | None
    given: tuple[int, ...]
    target: Array
    rate: Array | None
    acceleration: Array | None


def kinematics_of(loops: Kinematics, wanted: Wanted, near: Array | None, previous: bool = False) -> Found:
    """All joints from what is given; a row without a result is NaN.

    Args:
        loops: the mechanism, at one set of values of its inputs or at one for each row.
        wanted: what is given.
        near: coordinates to start from, (..., nq); None starts from home.
        previous: each row along the last leading axis starts from the one before.
    """
    values, start, before = _from(loops, near)
    rows = Rows(wanted.lead, start, wanted.target, values, before)
    solve = partial(tracked, loops) if wanted.frame is None else partial(_posed, loops, wanted)
    found = in_sequence(rows, solve) if previous and wanted.lead else solve(rows)
    failures = _position_failures(loops, wanted, rows, found)
    q = found.q.reshape(*wanted.lead, found.q.shape[-1])
    if failures and not wanted.lead:
        still = np.full(loops.setup.tree.nv, np.nan)
        return Found(q, still, still, tuple(failures))
    v, a, lost = _rates(loops, wanted, q, values)
    return Found(q, v, a, (*failures, *lost))


def _from(loops: Kinematics, near: Array | None) -> tuple[Array | None, Array, Array | None]:
    """Values of the inputs, coordinates to start from, and values at which these are closed; None where the same."""
    if loops.nominal is None:
        return None, loops.home if near is None else near, None
    values = loops.setup.inputs.values  # type: ignore[union-attr]
    if near is not None:
        return values, near, None
    return values, loops.nominal.home, loops.nominal.setup.inputs.values  # type: ignore[union-attr]


def _position_failures(loops: Kinematics, wanted: Wanted, rows: Rows, found: Reached) -> list[Failures]:
    ended = found.ended
    if not ended.any():
        return []

    def reason(row: int) -> str:
        if ended[row] == NOT_BUILT:
            return (
                "at these values of the parameters a length or an angle that follows from them is not a finite number; "
                "give values nearer to the nominal ones"
            )
        if wanted.frame is None:
            return why_not_tracked(loops, found, rows, row)
        return _unreached(loops, rows.of(rows.target, np.array([row])).reshape(-1), ended[row], wanted.given)

    def code(row: int) -> str:
        return _CODES.get(int(ended[row]), "out-of-reach")

    bad, lost = np.flatnonzero(ended == NOT_FINITE), np.flatnonzero((ended != REACHED) & (ended != NOT_FINITE))
    given = "actuator positions" if wanted.frame is None else "pose"
    broken = Failures(
        wanted.lead,
        bad,
        lambda _: "not-finite",
        lambda _: f"the {given} or the parameters are not finite numbers",
        ArgumentError,
        warned=False,
    )
    return [Failures(wanted.lead, lost, code, reason, AssemblyError), broken]


def _posed(loops: Kinematics, wanted: Wanted, rows: Rows) -> Reached:
    """Closed coordinates with a frame at given poses, in the working mode of the starts."""
    frame, given = str(wanted.frame), wanted.given
    steps, solve = steps_to(loops, frame, given), partial(_generally_posed, frame, list(given))
    if steps is None:
        return by_rows(loops, rows, solve)
    if not rows.lead:
        found = reached_one(steps, rows)
        if found.ended[0] == REACHED:
            return found
    place = partial(_pose_at, loops, frame)
    found = reached(steps, rows, place, _pose_between, partial(_within_reach, loops, place, rows))
    again = np.flatnonzero((found.ended != REACHED) & (found.ended < TOO_FAR))
    return _tried_again(loops, steps, rows, found, again, solve) if len(again) else found


def _within_reach(loops: Kinematics, place: Callable[..., Array], rows: Rows, index: Array) -> Array:
    """Mask of numbered rows whose ways are not absurdly long."""
    start, values = rows.of(rows.start, index), rows.of(rows.values, index) if rows.before is None else rows.before
    way = np.abs(rows.of(rows.target, index)[..., :3] - place(start, values)[..., :3]).max(axis=-1)
    return np.broadcast_to(way <= _FARTHEST * loops.scales.length, (len(index),))


def _tried_again(
    loops: Kinematics, steps: Steps, rows: Rows, found: Reached, again: Array, solve: Callable[..., Reached]
) -> Reached:
    """Rows that no path reached: by damped steps on no path, and near a leg's own singularity with all equations."""
    part = rows.picked(again)
    q, ended = wandered(steps, part)
    open_rows = ended == LEFT_OPEN
    if open_rows.any():
        ended[open_rows] = np.where(_loops_open(loops, part, q), LEFT_OPEN, OPEN)[open_rows]
    singular = np.isnan(q).any(axis=1)  # a start at which no step can be made
    near = singular | (error_at(steps, np.where(singular[:, None], 0.0, q), part) < _STALLED)
    hard = np.flatnonzero((ended == OPEN) & near & ~open_rows | (ended == LEFT_OPEN))
    if len(hard):
        few = part.picked(hard)
        general = by_rows(loops, few, solve)
        q[hard], ended[hard] = general.q, _kept_mode(steps, few, general)
    found.q[again], found.ended[again] = np.where((ended == REACHED)[:, None], q, np.nan), ended
    found.done[again] = np.where(ended == REACHED, 1.0, found.done[again])
    return found


def _loops_open(loops: Kinematics, rows: Rows, q: Array) -> Array:
    """Mask of rows in which closure equations that take no part do not hold."""
    gap = _at(loops, registry.CLOSURE_RESIDUAL, None, rows.of(rows.values, slice(0, rows.count)))(q) / loops.scales.rows
    return np.abs(gap).max(axis=1, initial=0.0) > 1e4 * CLOSED


def _kept_mode(steps: Steps, rows: Rows, general: Reached) -> Array:
    """How rows of the general solver ended: in another mode if a determinant has another sign than at the start."""
    given = steps.given(rows.values)
    there = given if rows.before is None else steps.given(rows.before)
    sense = sense_at(steps, rows.start, rows.target, there)
    turned = (sense_at(steps, np.nan_to_num(general.q), rows.target, given, AMBIGUOUS) * sense < 0.0).any(axis=-1)
    return np.where((general.ended == REACHED) & turned, TURNED, general.ended)


def _at(loops: Kinematics, definition: Any, frame: str | None, values: Array | None) -> Callable[..., Any]:
    """A function of the spanning tree, at values of the inputs where they are given."""
    code = loops.open.code(definition, frame=frame)
    if isinstance(code, InputKernel):
        return code if values is None else code.at(np.ascontiguousarray(values))
    return loops.open.function(definition, frame=frame)


def _pose_at(loops: Kinematics, frame: str, q: Array, values: Array | None) -> Array:
    """Poses of a frame, (n, 7)."""
    return np.concatenate(_at(loops, registry.FRAME_QUATERNION, frame, values)(q), axis=-1)


def _pose_between(a: Array, b: Array, share: Array) -> Array:
    """Poses some shares of the way, positions along the line, quaternions along the shorter arc nearly evenly."""
    out = a + (b - a) * share[:, None]
    sign = np.where((a[:, 3:] * b[:, 3:]).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
    out[:, 3:] = a[:, 3:] * (1.0 - share[:, None]) + sign * b[:, 3:] * share[:, None]
    out[:, 3:] /= np.maximum(np.linalg.norm(out[:, 3:], axis=1, keepdims=True), 1e-300)
    return out


def _generally_posed(frame: str, picked: list[int], loops: Kinematics, start: Array, poses: Array) -> Reached:
    """Poses (n, 7) by least-norm Newton steps on all equations; for any number of components and freedoms."""
    _require_determined(loops, frame, start, picked)
    wanted = _pose_rows(loops, frame, poses[:, :3], quaternion_matrices(poses[:, 3:]), picked)
    q = close_with(loops, np.repeat(start[None, :], len(poses), axis=0), wanted, np.ones(len(picked)))
    good = np.isfinite(q).all(axis=1)
    return Reached(q, np.where(good, REACHED, OPEN).astype(np.int8), np.where(good, 1.0, 0.0))


def _rates(
    loops: Kinematics, wanted: Wanted, q: Array, values: Array | None
) -> tuple[Array, Array, tuple[Failures, ...]]:
    """Velocities and accelerations that go with those given."""
    nv, size = loops.setup.tree.nv, len(loops.setup.drives) if wanted.frame is None else 6
    if wanted.rate is None and wanted.acceleration is None:
        v, a = np.zeros((*wanted.lead, nv)), np.zeros((*wanted.lead, nv))
        if wanted.lead and q.shape[-1]:
            bad = np.isnan(q[..., 0])
            v[bad] = a[bad] = np.nan
        return v, a, ()
    rate, acceleration = (np.zeros(size) if x is None else x for x in (wanted.rate, wanted.acceleration))
    kernels = square_target(loops, wanted.frame, wanted.given)
    if kernels is None:
        return _general_rates(loops, wanted, q, rate, acceleration, values)
    both = _compiled_rates(loops, kernels, wanted, q, rate, acceleration, values)
    v, a = both[..., 0, :], both[..., 1, :]
    lost = np.flatnonzero((np.isnan(v[..., 0]) & ~np.isnan(q[..., 0])).ravel()) if wanted.lead else np.zeros(0, int)

    def what(row: int) -> str:
        rows, one = Rows(wanted.lead, q, rate, values), np.array([row])
        at = loops if values is None or values.ndim == 1 else loops.at(np.ravel(rows.of(values, one)))
        given = list(wanted.given)
        return _dense_rates(at, wanted.frame, given, *(rows.of(x, one).reshape(-1) for x in (q, rate, acceleration)))[2]

    return v, a, _rate_failures(loops, wanted, lost, what)


def _rate_failures(loops: Kinematics, wanted: Wanted, lost: Array, what: Callable[[int], str]) -> tuple[Failures, ...]:
    if not len(lost):
        return ()
    return (Failures(wanted.lead, lost, lambda _: "no-rates", lambda row: _no_rates(loops, what(row)), ArgumentError),)


def _no_rates(loops: Kinematics, what: str) -> str:
    return (
        f"the given {what} cannot be had with the loops closed: the mechanism has {loops.mobility} degrees of freedom, "
        "so give that many that are independent (free=... names the platform's), away from singularities"
    )


def _compiled_rates(
    loops: Kinematics,
    kernels: Kernels[SquareTarget],
    wanted: Wanted,
    q: Array,
    rate: Array,
    acceleration: Array,
    values: Array | None,
) -> Array:
    """Velocities and accelerations, (..., 2, nv); by dense least-norm solves where pivots are small."""
    code = _rates_code(loops.nominal or loops, kernels, wanted)
    if values is not None and values.ndim == 1:
        code, values = code.at(values), None
    if not wanted.lead:
        return np.asarray(code(q, rate, acceleration))
    rows = Rows(wanted.lead, q, rate, values)
    out = np.empty((rows.count, 2, loops.setup.tree.nv))

    def work(part: slice) -> None:
        first, *others = (rows.of(x, part) for x in (q, rate, acceleration))
        at = code if values is None else code.at(rows.of(values, part))
        out[part] = at(first.reshape(-1, q.shape[-1]), *others)

    in_blocks(work, rows.count)
    return out.reshape(*wanted.lead, 2, -1)


def _rates_code(nominal: Kinematics, kernels: Kernels[SquareTarget], wanted: Wanted) -> Any:
    """The compiled rates at the nominal values, with dense solves behind them."""

    def made() -> Any:
        fallback = Fallback(Owned(partial(_repaired, wanted.frame, wanted.given), nominal))
        return kernels.code(registry.TARGET_RATES).extended(fallback)

    return nominal.cache.get(("rates", wanted.frame, wanted.given), made)


def _repaired(
    frame: str | None,
    given: tuple[int, ...],
    loops: Kinematics,
    q: Array,
    rate: Array,
    acceleration: Array,
    alone: bool,
) -> Array:
    """Velocities and accelerations of one state by dense solves, (2, nv)."""
    v, a, missed = _dense_rates(loops, frame, list(given), q, rate, acceleration)
    if not missed:
        return np.array([v, a])
    if alone:
        function = "forward_kinematics" if frame is None else "inverse_kinematics"
        raise ArgumentError(f"{function} of '{loops.setup.mech.name}': {_no_rates(loops, missed)}")
    return np.array(np.nan)


def _dense_rates(
    loops: Kinematics, frame: str | None, given: list[int], q: Array, rate: Array, acceleration: Array
) -> tuple[Array, Array, str]:
    """Velocities and accelerations of least norm at one state, and the name of what cannot be had."""
    if frame is None:
        J, drifting = loops.open.function(registry.EFFORT_MATRIX)(q).T, np.zeros(len(given))
    else:
        J = loops.open.function(registry.FRAME_JACOBIAN, frame=frame)(q)[given]
    J_c = loops.open.function(registry.EXACT_CLOSURE_JACOBIAN)(q) if loops.closed else np.zeros((0, J.shape[1]))
    v, missed = _least_norm(J_c, J, np.zeros(len(J_c)), rate[given])
    if missed:
        return v, np.full_like(v, np.nan), "velocities"
    if frame is not None:
        still = np.zeros_like(v)
        drifting = loops.open.function(registry.FRAME_TWIST_RATE, frame=frame)(q, v, still)[given]
    bias = loops.open.function(registry.CLOSURE_BIAS)(q, v) if loops.closed else np.zeros(0)
    a, missed = _least_norm(J_c, J, -bias, acceleration[given] - drifting)
    return v, a, "accelerations" if missed else ""


def _least_norm(J_c: Array, J: Array, closing: Array, given: Array) -> tuple[Array, bool]:
    """The least-norm solution of J_c x = closing, J x = given, and whether it misses them."""
    A, b = np.concatenate([J_c, J]), np.concatenate([closing, given])
    x = least_norm(A, b)
    return x, bool(np.any(np.abs(A @ x - b) > 1e-7 * (1.0 + np.abs(b))))


def _general_rates(
    loops: Kinematics, wanted: Wanted, q: Array, rate: Array, acceleration: Array, values: Array | None
) -> tuple[Array, Array, tuple[Failures, ...]]:
    """Velocities and accelerations of least norm, row by row."""
    nv = loops.setup.tree.nv
    rows = Rows(wanted.lead, q, rate, values)
    v, a, lost = np.full((rows.count, nv), np.nan), np.full((rows.count, nv), np.nan), {}
    for row in range(rows.count):
        one = np.array([row])
        state = [rows.of(x, one).reshape(-1) for x in (q, rate, acceleration)]
        if all(np.isfinite(x).all() for x in state):
            at = loops if values is None or values.ndim == 1 else loops.at(np.ravel(rows.of(values, one)))
            v[row], a[row], missed = _dense_rates(at, wanted.frame, list(wanted.given), *state)
            if missed:
                lost[row] = missed
                a[row] = np.nan
                if missed == "velocities":
                    v[row] = np.nan
    failures = _rate_failures(loops, wanted, np.array(sorted(lost), dtype=int), lambda row: lost[row])
    return v.reshape(*wanted.lead, nv), a.reshape(*wanted.lead, nv), failures


def _too_many(loops: Kinematics, picked: tuple[int, ...]) -> str:
    """Message to add when more components are requested than the mechanism has freedoms."""
    if len(picked) <= loops.mobility:
        return ""
    return (
        f"; it has {loops.mobility} degrees of freedom and {len(picked)} components of the pose are given: name those "
        f"to follow, free=[...] of {', '.join(COMPONENTS)}"
    )


def _require_determined(loops: Kinematics, frame: str, q: Array, picked: list[int]) -> None:
    """Refuse as many components as there are freedoms when they leave some motion of the platform open."""
    if not 6 > len(picked) >= loops.mobility:
        return
    scale = loops.scales
    units = np.array([1.0] * 3 + [scale.length] * 3)[:, None]
    J_c = loops.open.function(registry.EXACT_CLOSURE_JACOBIAN)(q) / scale.rows[:, None] * scale.speeds
    T = np.linalg.svd(J_c)[2][J_c.shape[1] - loops.mobility :].T
    moves = loops.open.function(registry.FRAME_JACOBIAN, frame=frame)(q) * scale.speeds / units @ T
    known = np.linalg.matrix_rank(moves[picked], tol=_OPEN)
    rest = [i for i in range(6) if i not in picked]
    left = [COMPONENTS[i] for i in rest if np.linalg.matrix_rank(moves[[*picked, i]], tol=_OPEN) > known]
    if left:
        named, name = ", ".join(COMPONENTS[i] for i in picked), loops.setup.mech.name
        raise ArgumentError(
            f"{named} do not say where the platform of '{name}' is (left open: {', '.join(left)}); name components "
            "that it can change one by one"
        )


def quaternion_matrices(wxyz: Array) -> Array:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4)."""
    return np.array([quaternion.rotation_matrix(row) for row in wxyz])


def working_modes(loops: Kinematics, frame: str, xyz: Array, wxyz: Array, guesses: int) -> list[Configuration]:
    """Configurations, one for each set of actuator positions, that hold a frame at one pose; nearest to home first."""
    random = random_coordinates(loops.setup.mech, guesses, np.random.default_rng(6))
    starts = np.concatenate([loops.home[None, :], random])
    R = np.repeat(quaternion_matrices(wxyz[None, :]), len(starts), axis=0)
    rows = _pose_rows(loops, frame, np.repeat(xyz[None, :], len(starts), axis=0), R, list(range(6)))
    found = close_with(loops, starts, rows, np.ones(6))
    found = found[np.isfinite(found).all(axis=1)]
    return [described(loops, q) for q in distinct(loops, found, by_actuators=True)]


def _pose_rows(
    loops: Kinematics, frame: str, xyz: Array, R: Array, picked: list[int]
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Gaps and Jacobians of a frame that is to stand at given poses."""
    pose, jacobian = (loops.open.function(x, frame=frame) for x in (registry.FRAME_POSE, registry.FRAME_JACOBIAN))

    def rows(q: Array, active: Array) -> tuple[Array, Array]:
        r, Q = pose(q)
        turn = 0.5 * sum(np.cross(R[active][:, :, i], Q[:, :, i]) for i in range(3))
        gap = np.concatenate([turn, r - xyz[active]], axis=1)
        return gap[:, picked], jacobian(q)[:, picked, :]

    return rows


def _unreached(loops: Kinematics, target: Array, ended: int, picked: tuple[int, ...]) -> str:
    """Reason why a pose has no configuration."""
    where = ", ".join(f"{x:.4g}" for x in target[:3])
    if ended == TURNED:
        return (
            f"the platform reaches the pose with origin ({where}) only in another working mode than that of the start; "
            "model.working_modes(pose) lists them: start in one with near=q"
        )
    return (
        f"the platform cannot reach the pose with origin ({where}) from here; it may be out of reach, or start nearer "
        f"to it with near=q{_too_many(loops, picked)}"
    )
