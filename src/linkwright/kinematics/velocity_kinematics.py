"""Velocities and accelerations of all joints from those of actuators or of a frame, by linear equations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.functions.fallback_chain import Code, FallbackChain
from linkwright.functions.loop import closure_functions, minimal_functions, target_functions
from linkwright.functions.memo import memo
from linkwright.functions.stages import SquareTarget
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.nominal_rank import added_equations, has_nominal_rank, rank_change_of_row
from linkwright.kinematics.query import BatchRows, Failures, KinematicsQuery, run_in_blocks
from linkwright.kinematics.target_plans import square_target
from linkwright.numerics.dense import least_norm
from linkwright.numerics.tolerances import NO_RATE, UNDETERMINED

Array = np.ndarray


def velocities_and_accelerations(
    kinematics: Kinematics, wanted: KinematicsQuery, q: Array, values: Array | None
) -> tuple[Array, Array, tuple[Failures, ...]]:
    """Velocities and accelerations that go with those given."""
    nv, size = kinematics.setup.tree.nv, len(kinematics.setup.drives) if wanted.frame is None else 6
    if wanted.rate is None and wanted.acceleration is None:
        v, a = np.zeros((*wanted.lead, nv)), np.zeros((*wanted.lead, nv))
        if wanted.lead and q.shape[-1]:
            bad = np.isnan(q[..., 0])
            v[bad] = a[bad] = np.nan
        return v, a, ()
    rate, acceleration = (np.zeros(size) if x is None else x for x in (wanted.rate, wanted.acceleration))
    kernels = square_target(kinematics, wanted.frame, wanted.given)
    if kernels is None:
        return _general_rates(kinematics, wanted, q, rate, acceleration, values)
    both = _compiled_rates(kinematics, kernels, wanted, q, rate, acceleration, values)
    v, a = both[..., 0, :], both[..., 1, :]
    lost = np.flatnonzero((np.isnan(v[..., 0]) & ~np.isnan(q[..., 0])).ravel()) if wanted.lead else np.zeros(0, int)
    changed = _at_other_rank(kinematics, wanted, q, v, a) if has_nominal_rank(kinematics) else ()

    def what(row: int) -> str:
        rows, one = BatchRows(wanted.lead, q, rate, values), np.array([row])
        at = kinematics if values is None or values.ndim == 1 else kinematics.at(np.ravel(rows.of(values, one)))
        given = list(wanted.given)
        return _dense_rates(at, wanted.frame, given, *(rows.of(x, one).reshape(-1) for x in (q, rate, acceleration)))[2]

    return v, a, (*changed, *_rate_failures(kinematics, wanted, lost, what))


def _at_other_rank(
    kinematics: Kinematics, wanted: KinematicsQuery, q: Array, v: Array, a: Array
) -> tuple[Failures, ...]:
    """Rows at values where more equations count than at the nominal ones; their rates become NaN."""
    more = added_equations(kinematics, q)
    if not more.any():
        return ()
    v[more > 0] = a[more > 0] = np.nan
    reason = partial(rank_change_of_row, kinematics, more)
    return (Failures(wanted.lead, np.flatnonzero(more), lambda _: "rank-changed", reason, ArgumentError),)


def _rate_failures(
    kinematics: Kinematics, wanted: KinematicsQuery, lost: Array, what: Callable[[int], str]
) -> tuple[Failures, ...]:
    if not len(lost):
        return ()
    return (
        Failures(wanted.lead, lost, lambda _: "no-rates", lambda row: _no_rates(kinematics, what(row)), ArgumentError),
    )


def _no_rates(kinematics: Kinematics, what: str) -> str:
    return (
        f"the given {what} cannot be had with the loops closed: the mechanism has {kinematics.mobility} degrees of "
        "freedom, so give that many that are independent (components=... names the platform's), away from singularities"
    )


def _compiled_rates(
    kinematics: Kinematics,
    kernels: Kernels[SquareTarget],
    wanted: KinematicsQuery,
    q: Array,
    rate: Array,
    acceleration: Array,
    values: Array | None,
) -> Array:
    """Velocities and accelerations, (..., 2, nv); by dense least-norm solves where pivots are small."""
    code: Any = _rates_code(kinematics, wanted.frame, wanted.given, kernels)
    if values is not None and values.ndim == 1:
        code, values = code.at(values), None
    if not wanted.lead:
        return np.asarray(code(q, rate, acceleration))
    rows = BatchRows(wanted.lead, q, rate, values)
    out = np.empty((rows.count, 2, kinematics.setup.tree.nv))

    def work(part: slice) -> None:
        first, *others = (rows.of(x, part) for x in (q, rate, acceleration))
        at = code if values is None else code.at(rows.of(values, part))
        out[part] = at(first.reshape(-1, q.shape[-1]), *others)

    run_in_blocks(work, rows.count)
    return out.reshape(*wanted.lead, 2, kinematics.setup.tree.nv)


@memo(valid_at="nominal")
def _rates_code(
    kinematics: Kinematics, frame: str | None, given: tuple[int, ...], kernels: Kernels[SquareTarget]
) -> Code:
    """The compiled rates at the nominal values, with dense solves behind them."""
    dense = partial(_dense_velocities_of_state, frame=frame, given=given)
    return FallbackChain(kinematics, dense).code(kernels, target_functions.target_rates)


def _dense_velocities_of_state(
    kinematics: Kinematics,
    q: Array,
    rate: Array,
    acceleration: Array,
    alone: bool,
    frame: str | None,
    given: tuple[int, ...],
) -> Array:
    """Velocities and accelerations of one state by dense solves, (2, nv)."""
    v, a, missed = _dense_rates(kinematics, frame, list(given), q, rate, acceleration)
    if not missed:
        return np.array([v, a])
    if alone:
        function = "forward_kinematics" if frame is None else "inverse_kinematics"
        raise ArgumentError(f"{function} of '{kinematics.setup.mech.name}': {_no_rates(kinematics, missed)}")
    return np.array(np.nan)


def _dense_rates(
    kinematics: Kinematics, frame: str | None, given: list[int], q: Array, rate: Array, acceleration: Array
) -> tuple[Array, Array, str]:
    """Velocities and accelerations of least norm at one state, and the name of what cannot be had."""
    if frame is None:
        J = kinematics.compute_at(closure_functions.effort_matrix, q).T
    else:
        J = kinematics.compute_at(tree_functions.frame_jacobian, q, frame=frame)[given]
    J_c = (
        kinematics.compute_at(closure_functions.exact_closure_jacobian, q)
        if kinematics.has_closure
        else np.zeros((0, J.shape[1]))
    )
    v, missed = _least_norm(J_c, J, np.zeros(len(J_c)), rate[given])
    if missed:
        return v, np.full_like(v, np.nan), "velocities"
    still = np.zeros_like(v)
    if frame is not None:
        drifting = kinematics.compute_at(tree_functions.frame_twist_rate, q, v, still, frame=frame)[given]
    elif any(drive.speed is None for drive in kinematics.setup.drives):
        drifting = kinematics.compute_at(minimal_functions.actuator_accelerations, q, v, still)
    else:
        drifting = np.zeros(len(given))
    bias = kinematics.compute_at(closure_functions.bias, q, v) if kinematics.has_closure else np.zeros(0)
    a, missed = _least_norm(J_c, J, -bias, acceleration[given] - drifting)
    return v, a, "accelerations" if missed else ""


def _least_norm(J_c: Array, J: Array, closing: Array, given: Array) -> tuple[Array, bool]:
    """The least-norm solution of J_c x = closing, J x = given, and whether it misses them."""
    A, b = np.concatenate([J_c, J]), np.concatenate([closing, given])
    x = least_norm(A, b, NO_RATE)
    return x, bool(np.any(np.abs(A @ x - b) > UNDETERMINED * (1.0 + np.abs(b))))


def _general_rates(
    kinematics: Kinematics, wanted: KinematicsQuery, q: Array, rate: Array, acceleration: Array, values: Array | None
) -> tuple[Array, Array, tuple[Failures, ...]]:
    """Velocities and accelerations of least norm, row by row."""
    nv = kinematics.setup.tree.nv
    rows = BatchRows(wanted.lead, q, rate, values)
    v, a, lost = np.full((rows.count, nv), np.nan), np.full((rows.count, nv), np.nan), {}
    for row in range(rows.count):
        one = np.array([row])
        state = [rows.of(x, one).reshape(-1) for x in (q, rate, acceleration)]
        if all(np.isfinite(x).all() for x in state):
            at = kinematics if values is None or values.ndim == 1 else kinematics.at(np.ravel(rows.of(values, one)))
            v[row], a[row], missed = _dense_rates(at, wanted.frame, list(wanted.given), *state)
            if missed:
                lost[row] = missed
                a[row] = np.nan
                if missed == "velocities":
                    v[row] = np.nan
    failures = _rate_failures(kinematics, wanted, np.array(sorted(lost), dtype=int), lambda row: lost[row])
    return v.reshape(*wanted.lead, nv), a.reshape(*wanted.lead, nv), failures
