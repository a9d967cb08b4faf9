"""States of the actuators, and the Jacobian from their velocities to the twist of a frame."""

from __future__ import annotations

import functools

import numpy as np

from linkwright.errors import ArgumentError, SingularityError
from linkwright.kernels import registry
from linkwright.kernels.inputs import Owned
from linkwright.solve.actuation import effort_rank
from linkwright.solve.complement import SINGULAR, dense_map, with_fallback
from linkwright.solve.independent import independent_map
from linkwright.solve.kinematics import Kinematics

Array = np.ndarray

# Motion of a frame with locked actuators, per unit of motion of the joints, from which on it is not determined by them.
_LOOSE = 1e-7


def need_coordinates(loops: Kinematics) -> bool:
    """True if an actuator sits at a cut joint, so that its rates depend on q."""
    return any(drive.speed is None for drive in loops.setup.drives)


def driven_rates(loops: Kinematics, rates: Array) -> Array:
    """The actuators' own ones of all velocities or accelerations (..., nv), where none sits at a cut joint."""
    inputs = loops.setup.inputs
    sets = () if inputs is None else inputs.values.shape[:-1]
    out = rates[..., [drive.speed for drive in loops.setup.drives if drive.speed is not None]]
    return np.broadcast_to(out, (*np.broadcast_shapes(out.shape[:-1], sets), out.shape[-1])).copy()


def actuator_jacobian(loops: Kinematics, q: Array, frame: str) -> Array:
    """J with twist of a frame = J v_act, (..., 6, na), world axes, at its origin; NaN in rows at type 2 singularities.

    With more actuators than freedoms any consistent v_act gives the twist, and J has the least norm.
    """
    drives = loops.setup.drives
    if not drives:
        raise ArgumentError(
            f"mechanism '{loops.setup.mech.name}' names no actuators, so nothing follows from their velocities; name "
            "them in the file or in actuated=[...]"
        )
    if loops.closed and loops.mobility and loops.independent == tuple(drive.speed for drive in drives):
        dense = Owned(functools.partial(_dense, frame=frame), loops)
        return with_fallback(loops, registry.CHECKED_ACTUATOR_JACOBIAN, dense, frame)(q)
    return _by_least_norm(loops, q, frame)


def _dense(loops: Kinematics, q: Array, frame: str) -> Array:
    return loops.open.function(registry.FRAME_JACOBIAN, frame=frame)(q) @ dense_map(loops, q)


def _by_least_norm(loops: Kinematics, q: Array, frame: str) -> Array:
    """The same with v = R v_ind and v_act = B^T R v_ind, by the singular values of B^T R in the mechanism's units."""
    speeds, length = loops.scales.speeds, loops.scales.length
    R = independent_map(loops, q) * speeds[list(loops.independent)]
    units = 1.0 / np.array([1.0 if x is None else speeds[x] for x in (drive.speed for drive in loops.setup.drives)])
    G = units[:, None] * (np.swapaxes(loops.open.function(registry.EFFORT_MATRIX)(q), -1, -2) @ R)
    J = loops.open.function(registry.FRAME_JACOBIAN, frame=frame)(q) @ R
    bad = ~(np.isfinite(G).all(axis=(-2, -1)) & np.isfinite(J).all(axis=(-2, -1)))
    rank = effort_rank(loops)
    U, s, Vt = np.linalg.svd(np.where(bad[..., None, None], 1.0, G), full_matrices=False)
    U, s, Vt = U[..., :, :rank], s[..., :rank], Vt[..., :rank, :]
    singular = s[..., -1] <= SINGULAR * s[..., 0]
    inverse = 1.0 / np.where(singular[..., None], 1.0, s)
    onto = J @ np.swapaxes(Vt, -1, -2)
    left = np.abs((J - onto @ Vt) / np.array([1.0] * 3 + [length] * 3)[:, None])
    loose = left.max(axis=(-2, -1), initial=0.0) > _LOOSE
    _require(loops, q, frame, singular & ~bad, loose & ~bad)
    found = (onto * inverse[..., None, :]) @ np.swapaxes(U, -1, -2) * units
    return np.where((bad | singular | loose)[..., None, None], np.nan, found)


def _require(loops: Kinematics, q: Array, frame: str, singular: Array, loose: Array) -> None:
    """Raise for a single state at a singularity, and where the actuators never determine the frame's motion."""
    name = loops.setup.mech.name
    if singular.ndim == 0 and singular:
        raise SingularityError(
            f"mechanism '{name}' stands at a singularity (type2): there the velocities of its actuators do not "
            f"determine the twist of '{frame}'; move it off this position, or choose other actuators",
            q=q,
            kind="type2",
        )
    if loose.size and np.all(loose):
        raise ArgumentError(
            f"the actuators {list(loops.setup.actuated)} of '{name}' do not determine the twist of '{frame}': it can "
            "move although they are locked; actuate more joints"
        )
