"""From actuators or from the platform to the whole machine: positions by closing, rates by linear equations."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.algebra import quaternion
from linkwright.errors import ArgumentError, AssemblyError, BatchWarning, LinkwrightError, MechanismError
from linkwright.kernels.setup import unit_quaternion
from linkwright.mechanism.names import suggestion
from linkwright.model import arguments
from linkwright.model.engine import Engine
from linkwright.solve.configuration import Configuration
from linkwright.solve.rows import least_norm
from linkwright.solve.scales import random_coordinates

if TYPE_CHECKING:
    from linkwright.model.model import Model

Array = np.ndarray
Triple = tuple[Array, Array, Array]
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
_OPEN = 1e-6

# How many failed rows a warning names.
_SHOWN = 5


def from_actuators(model: Model, engine: Engine, q_act: Any, v_act: Any, a_act: Any, near: Any) -> Triple:
    """Forward kinematics of all joints; see `Model.from_actuators`."""
    given = {"q_act": q_act, "v_act": v_act, "a_act": a_act}
    q_act, v_act, a_act = arguments.joined({name: (x, model.na) for name, x in given.items()})
    start = engine.assemble(None, {}, 128).q if near is None else model._coordinates("near", near)
    lead = q_act.shape[:-1]
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no actuators; name them in actuated=[...]")
    flat = q_act.reshape(-1, model.na)
    good = np.isfinite(flat).all(axis=1)
    rows = np.full((len(flat), model.nq), np.nan)
    lost: dict[int, str] = {}
    if good.any():
        found = engine.tracked(start, flat[good])
        rows[good] = found.q
        lost = _numbered(good, found.reasons)
    q = rows.reshape(*lead, model.nq)
    _require_answered("from_actuators", model, lead, lost)
    v = rates("from_actuators", model, q, _drives(engine, q), v_act)
    bias = closure_bias(engine, q, v)
    a = rates("from_actuators", model, q, _drives(engine, q), a_act, bias)
    return q, v, a


def _numbered(good: Array, reasons: dict[int, str]) -> dict[int, str]:
    """Reasons by row among the good rows, as reasons by row among all."""
    which = np.flatnonzero(good)
    return {int(which[row]): reason for row, reason in reasons.items()}


def _require_answered(
    function: str,
    model: Model,
    lead: tuple[int, ...],
    lost: dict[int, str],
    kind: type[LinkwrightError] = AssemblyError,
) -> None:
    """Raise for a single state that has no result; warn once for the rows of a batch that have none and hold NaN."""
    if not lost:
        return
    rows = sorted(lost)
    if not lead:
        raise kind(f"{function} of '{model.mechanism.name}': {lost[rows[0]]}", rows=rows)
    shown = ", ".join(str(_index(row, lead)) for row in rows[:_SHOWN]) + (", ..." if len(rows) > _SHOWN else "")
    warnings.warn(
        f"{function} of '{model.mechanism.name}': {len(rows)} of {int(np.prod(lead))} rows could not be computed and "
        f"hold NaN (rows {shown}); row {_index(rows[0], lead)}: {lost[rows[0]]}",
        BatchWarning,
        stacklevel=4,
    )


def _index(row: int, lead: tuple[int, ...]) -> int | tuple[int, ...]:
    """A row's index in the leading axes of the batch."""
    return row if len(lead) == 1 else tuple(int(i) for i in np.unravel_index(row, lead))


def _drives(engine: Engine, q: Array) -> Array:
    """Rows that pick the actuators' speeds, (..., na, nv)."""
    B = engine.kernels.function("effort_matrix")(q)
    return np.swapaxes(B, -1, -2)


def closure_bias(engine: Engine, q: Array, v: Array) -> Array:
    """Second rate of the closure gaps at zero joint acceleration, (..., rows)."""
    return engine.kernels.function("closure_bias")(q, v)


def rates(function: str, model: Model, q: Array, J: Array, given: Array, bias: Array | None = None) -> Array:
    """Speeds (or accelerations) that keep the loops closed and give J v = given, (..., nv); NaN in rows without any."""
    J_c = model.closure_jacobian(q)
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
        f"{model.mobility} degrees of freedom, so give that many that are independent (free=... names the platform's), "
        "away from singularities"
        for row in np.flatnonzero(lost)
    }
    _require_answered(function, model, J_c.shape[:-2], reasons, ArgumentError)
    return np.where(lost[..., None], np.nan, v)


def from_platform(
    model: Model, engine: Engine, pose: Any, twist: Any, twist_rate: Any, near: Any, free: Sequence[str] | None
) -> Triple:
    """Inverse kinematics of all joints; see `Model.from_platform`."""
    frame = platform_frame(model)
    picked = components(free)
    xyz, wxyz = _pose(pose)
    parts = {"pose origin": (xyz, 3), "pose quaternion": (wxyz, 4), "twist": (twist, 6), "twist_rate": (twist_rate, 6)}
    xyz, wxyz, t, t_dot = arguments.joined(parts)
    lead = xyz.shape[:-1]
    start = engine.assemble(None, {}, 128).q if near is None else model._coordinates("near", near)
    flat, turned = xyz.reshape(-1, 3), wxyz.reshape(-1, 4)
    good = np.isfinite(flat).all(axis=1) & np.isfinite(turned).all(axis=1)
    rows = np.full((len(flat), model.nq), np.nan)
    _require_determined(model, engine, start, picked)
    if good.any():
        rows[good] = _reached(engine, frame, flat[good], quaternion_matrices(turned[good]), picked, start)
    lost = {
        int(row): _unreached(model, flat[row], picked) for row in np.flatnonzero(good & np.isnan(rows[:, :1])[:, 0])
    }
    _require_answered("from_platform", model, lead, lost)
    q = rows.reshape(*lead, model.nq)
    J = model.frame_jacobian(q, frame)[..., picked, :]
    v = rates("from_platform", model, q, J, t[..., picked])
    drifting = model.frame_twist_rate(q, v, np.zeros_like(v), frame)
    a = rates("from_platform", model, q, J, (t_dot - drifting)[..., picked], closure_bias(engine, q, v))
    return q, v, a


def _too_many(model: Model, picked: list[int]) -> str:
    """What to add when more components are asked for than the machine has freedoms."""
    if len(picked) <= model.mobility:
        return ""
    return (
        f"; it has {model.mobility} degrees of freedom and {len(picked)} components of the pose are given: name those "
        f"to follow, free=[...] of {', '.join(COMPONENTS)}"
    )


def _require_determined(model: Model, engine: Engine, q: Array, picked: list[int]) -> None:
    """Refuse as many components as there are freedoms when they leave some motion of the platform open."""
    if not 6 > len(picked) >= model.mobility:
        return
    scale = engine.machine.scales
    units = np.array([1.0] * 3 + [scale.length] * 3)[:, None]
    J_c = model.closure_jacobian(q) / scale.rows[:, None] * scale.speeds
    T = np.linalg.svd(J_c)[2][J_c.shape[1] - model.mobility :].T
    moves = model.frame_jacobian(q, platform_frame(model)) * scale.speeds / units @ T
    known = np.linalg.matrix_rank(moves[picked], tol=_OPEN)
    rest = [i for i in range(6) if i not in picked]
    left = [COMPONENTS[i] for i in rest if np.linalg.matrix_rank(moves[[*picked, i]], tol=_OPEN) > known]
    if left:
        named, platform = ", ".join(COMPONENTS[i] for i in picked), model.mechanism.name
        raise ArgumentError(
            f"{named} do not say where the platform of '{platform}' is (left open: {', '.join(left)}); name components "
            "that it can change one by one"
        )


def platform_frame(model: Model) -> str:
    """The name of the platform frame, or the sentence that asks for one."""
    if model.mechanism.platform is None:
        raise MechanismError(
            f"mechanism '{model.mechanism.name}' names no platform; add a frame and `platform: <frame>` to the file"
        )
    return model.mechanism.platform


def components(free: Sequence[str] | None) -> list[int]:
    """Numbers of the named components of a pose or twist, angular ones first; all when none are named."""
    if free is None:
        return list(range(6))
    wanted = arguments.names("free", free, "['z', 'rx', 'ry']")
    if not wanted:
        raise ArgumentError(f"free names no component, so no pose is asked for; name some of {', '.join(COMPONENTS)}")
    for name in wanted:
        if name not in COMPONENTS:
            raise ArgumentError(f"free names the unknown component '{name}'{suggestion(name, COMPONENTS)}")
    return [i for i, name in enumerate(COMPONENTS) if name in wanted]


def _pose(pose: Any) -> tuple[Array, Array]:
    if not isinstance(pose, Sequence) or len(pose) != 2:
        raise ArgumentError("pose is the pair (origin x y z, quaternion w x y z); give both")
    xyz, wxyz = arguments.batch("pose origin", pose[0], 3), arguments.batch("pose quaternion", pose[1], 4)
    return xyz, arguments.unit_quaternions("pose[1]", wxyz, (unit_quaternion(0, "quaternion"),))


def quaternion_matrices(wxyz: Array) -> Array:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4)."""
    return np.array([quaternion.rotation_matrix(row) for row in wxyz])


def platform_modes(model: Model, engine: Engine, pose: Any, guesses: int) -> list[Configuration]:
    """All leg roots for one platform pose; see `Model.platform_modes`."""
    frame = platform_frame(model)
    xyz, wxyz = (arguments.vector("pose", part, size) for part, size in zip(_pose(pose), (3, 4), strict=True))
    home = engine.assemble(None, {}, 128).q
    starts = np.concatenate([home[None, :], random_coordinates(model.mechanism, guesses, np.random.default_rng(6))])
    R = np.repeat(quaternion_matrices(wxyz[None, :]), len(starts), axis=0)
    rows = _pose_rows(engine, frame, np.repeat(xyz[None, :], len(starts), axis=0), R, list(range(6)))
    found = engine.reach(starts, rows, np.ones(6))
    return engine.distinct(found[np.isfinite(found).all(axis=1)])


def _pose_rows(
    engine: Engine, frame: str, xyz: Array, R: Array, picked: list[int]
) -> Callable[[Array, Array], tuple[Array, Array]]:
    """Gaps and Jacobians of a frame that is to stand at given poses."""
    pose, jacobian = (engine.kernels.function(name, frame=frame) for name in ("frame_pose", "frame_jacobian"))

    def rows(q: Array, active: Array) -> tuple[Array, Array]:
        r, Q = pose(q)
        turn = 0.5 * sum(np.cross(R[active][:, :, i], Q[:, :, i]) for i in range(3))
        gap = np.concatenate([turn, r - xyz[active]], axis=1)
        return gap[:, picked], jacobian(q)[:, picked, :]

    return rows


def _reached(engine: Engine, frame: str, xyz: Array, R: Array, picked: list[int], start: Array) -> Array:
    """Closed coordinates with the frame at given poses, (n, nq); rows of NaN where none were found."""
    rows = _pose_rows(engine, frame, xyz, R, picked)
    return engine.reach(np.repeat(start[None, :], len(xyz), axis=0), rows, np.ones(len(picked)))


def _unreached(model: Model, xyz: Array, picked: list[int]) -> str:
    """Why a pose has no configuration."""
    where = ", ".join(f"{x:.4g}" for x in xyz)
    return (
        f"the platform cannot reach the pose with origin ({where}) from here; it may be out of reach, or start nearer "
        f"to it with near=q{_too_many(model, picked)}"
    )
