"""From actuators or from the platform to all joints: positions by closing the loops, rates by linear equations."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from linkwright.algebra import quaternion
from linkwright.errors import ArgumentError, AssemblyError, BatchWarning, LinkwrightError
from linkwright.kernels import registry
from linkwright.solve.configuration import Configuration
from linkwright.solve.finding import close_with, described, distinct
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.rows import least_norm
from linkwright.solve.scales import random_coordinates
from linkwright.solve.tracking import tracked

Array = np.ndarray
Triple = tuple[Array, Array, Array]
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
_OPEN = 1e-6

# How many failed rows a warning names.
_SHOWN = 5


def forward_kinematics(loops: Kinematics, start: Array, q_act: Array, v_act: Array, a_act: Array) -> Triple:
    """Forward kinematics of all joints from positions, velocities and accelerations of the actuators, (..., na)."""
    lead, nq = q_act.shape[:-1], loops.setup.tree.nq
    flat = q_act.reshape(-1, q_act.shape[-1])
    good = np.isfinite(flat).all(axis=1)
    rows = np.full((len(flat), nq), np.nan)
    lost: dict[int, str] = {}
    if good.any():
        found = tracked(loops, start, flat[good])
        rows[good] = found.q
        lost = _numbered(good, found.reasons)
    q = rows.reshape(*lead, nq)
    _require_answered("forward_kinematics", loops, lead, lost)
    v = rates("forward_kinematics", loops, q, _drives(loops, q), v_act)
    a = rates("forward_kinematics", loops, q, _drives(loops, q), a_act, _closure_bias(loops, q, v))
    return q, v, a


def _numbered(good: Array, reasons: dict[int, str]) -> dict[int, str]:
    """Reasons by row among the good rows, as reasons by row among all."""
    which = np.flatnonzero(good)
    return {int(which[row]): reason for row, reason in reasons.items()}


def _require_answered(
    function: str,
    loops: Kinematics,
    lead: tuple[int, ...],
    lost: dict[int, str],
    kind: type[LinkwrightError] = AssemblyError,
) -> None:
    """Raise for a single state that has no result; warn once for the rows of a batch that have none and hold NaN."""
    if not lost:
        return
    rows = sorted(lost)
    if not lead:
        raise kind(f"{function} of '{loops.setup.mech.name}': {lost[rows[0]]}", rows=rows)
    shown = ", ".join(str(_index(row, lead)) for row in rows[:_SHOWN]) + (", ..." if len(rows) > _SHOWN else "")
    warnings.warn(
        f"{function} of '{loops.setup.mech.name}': {len(rows)} of {int(np.prod(lead))} rows could not be computed and "
        f"hold NaN (rows {shown}); row {_index(rows[0], lead)}: {lost[rows[0]]}",
        BatchWarning,
        stacklevel=4,
    )


def _index(row: int, lead: tuple[int, ...]) -> int | tuple[int, ...]:
    """A row's index in the leading axes of the batch."""
    return row if len(lead) == 1 else tuple(int(i) for i in np.unravel_index(row, lead))


def _drives(loops: Kinematics, q: Array) -> Array:
    """Rows that pick the actuators' speeds, (..., na, nv)."""
    B = loops.open.function(registry.EFFORT_MATRIX)(q)
    return np.swapaxes(B, -1, -2)


def _closure_bias(loops: Kinematics, q: Array, v: Array) -> Array:
    """Second rate of the closure gaps at zero joint acceleration, (..., rows)."""
    return loops.open.function(registry.CLOSURE_BIAS)(q, v)


def rates(function: str, loops: Kinematics, q: Array, J: Array, given: Array, bias: Array | None = None) -> Array:
    """Speeds (or accelerations) that keep the loops closed and give J v = given, (..., nv); NaN in rows without any."""
    J_c = loops.open.function(registry.EXACT_CLOSURE_JACOBIAN)(q)
    c = np.zeros(J_c.shape[:-1]) if bias is None else bias
    A = np.concatenate([J_c, np.broadcast_to(J, (*J_c.shape[:-2], *J.shape[-2:]))], axis=-2)
    b = np.concatenate([-c, np.broadcast_to(given, (*c.shape[:-1], given.shape[-1]))], axis=-1)
    v = least_norm(A, b)
    missed = np.abs((A @ v[..., None])[..., 0] - b)
    lost = np.any(missed > 1e-7 * (1.0 + np.abs(b)), axis=-1)
    most, what = np.max(missed, axis=-1, initial=0.0).ravel(), "velocities" if bias is None else "accelerations"
    reasons = {
        int(
            row
        ): f"the given {what} cannot be had with the loops closed (missed by {most[row]:.2g}): the mechanism has "
        f"{loops.mobility} degrees of freedom, so give that many that are independent (free=... names the platform's), "
        "away from singularities"
        for row in np.flatnonzero(lost)
    }
    _require_answered(function, loops, J_c.shape[:-2], reasons, ArgumentError)
    return np.where(lost[..., None], np.nan, v)


def inverse_kinematics(
    loops: Kinematics,
    frame: str,
    picked: list[int],
    start: Array,
    xyz: Array,
    wxyz: Array,
    twist: Array,
    twist_rate: Array,
) -> Triple:
    """Inverse kinematics of all joints from pose, twist and twist rate of a frame; `picked` components count."""
    lead, nq = xyz.shape[:-1], loops.setup.tree.nq
    flat, turned = xyz.reshape(-1, 3), wxyz.reshape(-1, 4)
    good = np.isfinite(flat).all(axis=1) & np.isfinite(turned).all(axis=1)
    rows = np.full((len(flat), nq), np.nan)
    _require_determined(loops, frame, start, picked)
    if good.any():
        wanted = _pose_rows(loops, frame, flat[good], quaternion_matrices(turned[good]), picked)
        starts = np.repeat(start[None, :], int(good.sum()), axis=0)
        rows[good] = close_with(loops, starts, wanted, np.ones(len(picked)))
    lost = {
        int(row): _unreached(loops, flat[row], picked) for row in np.flatnonzero(good & np.isnan(rows[:, :1])[:, 0])
    }
    _require_answered("inverse_kinematics", loops, lead, lost)
    q = rows.reshape(*lead, nq)
    J = loops.open.function(registry.FRAME_JACOBIAN, frame=frame)(q)[..., picked, :]
    v = rates("inverse_kinematics", loops, q, J, twist[..., picked])
    drifting = loops.open.function(registry.FRAME_TWIST_RATE, frame=frame)(q, v, np.zeros_like(v))
    a = rates("inverse_kinematics", loops, q, J, (twist_rate - drifting)[..., picked], _closure_bias(loops, q, v))
    return q, v, a


def _too_many(loops: Kinematics, picked: list[int]) -> str:
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


def _unreached(loops: Kinematics, xyz: Array, picked: list[int]) -> str:
    """Reason why a pose has no configuration."""
    where = ", ".join(f"{x:.4g}" for x in xyz)
    return (
        f"the platform cannot reach the pose with origin ({where}) from here; it may be out of reach, or start nearer "
        f"to it with near=q{_too_many(loops, picked)}"
    )
