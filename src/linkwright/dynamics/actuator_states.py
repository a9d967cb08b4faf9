"""States of the actuators, and the Jacobian from their velocities to the twist of a frame."""

from __future__ import annotations

import functools

import numpy as np

from linkwright.dynamics.actuation import effort_rank
from linkwright.dynamics.complement import SINGULAR, dense_map, with_fallback
from linkwright.dynamics.independent_velocities import independent_map
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions.design_inputs import OwnedInputs
from linkwright.functions.loop import actuator_functions, closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics

Array = np.ndarray

# Motion of a frame with locked actuators, per unit of motion of the joints, from which on it is not determined by them.
_LOOSE = 1e-7


def need_coordinates(kinematics: Kinematics) -> bool:
    """True if an actuator sits at a cut joint, so that its rates depend on q."""
    return any(drive.speed is None for drive in kinematics.setup.drives)


def driven_rates(kinematics: Kinematics, rates: Array) -> Array:
    """The actuators' own ones of all velocities or accelerations (..., nv), where none sits at a cut joint."""
    inputs = kinematics.setup.inputs
    sets = () if inputs is None else inputs.values.shape[:-1]
    out = rates[..., [drive.speed for drive in kinematics.setup.drives if drive.speed is not None]]
    return np.broadcast_to(out, (*np.broadcast_shapes(out.shape[:-1], sets), out.shape[-1])).copy()


def actuator_jacobian(kinematics: Kinematics, q: Array, frame: str) -> Array:
    """J with twist of a frame = J v_act, (..., 6, na), world axes, at its origin; NaN in rows at type 2 singularities.

    With more actuators than freedoms any consistent v_act gives the twist, and J has the least norm.
    """
    drives = kinematics.setup.drives
    if not drives:
        raise ArgumentError(
            f"mechanism '{kinematics.setup.mech.name}' names no actuators, so nothing follows from their velocities; "
            "name them in the file or in actuated=[...]"
        )
    if kinematics.closed and kinematics.mobility and kinematics.independent == tuple(drive.speed for drive in drives):
        dense = OwnedInputs(functools.partial(_dense, frame=frame), kinematics)
        return with_fallback(kinematics, actuator_functions.checked_actuator_jacobian, dense, frame)(q)
    return _by_least_norm(kinematics, q, frame)


def _dense(kinematics: Kinematics, q: Array, frame: str) -> Array:
    return kinematics.all_rows.function(tree_functions.frame_jacobian, frame=frame)(q) @ dense_map(kinematics, q)


def _by_least_norm(kinematics: Kinematics, q: Array, frame: str) -> Array:
    """The same with v = R v_ind and v_act = B^T R v_ind, by the singular values of B^T R in the mechanism's units."""
    speeds, length = kinematics.scales.speeds, kinematics.scales.length
    R = independent_map(kinematics, q) * speeds[list(kinematics.independent)]
    units = 1.0 / np.array(
        [1.0 if x is None else speeds[x] for x in (drive.speed for drive in kinematics.setup.drives)]
    )
    G = units[:, None] * (np.swapaxes(kinematics.all_rows.function(closure_functions.effort_matrix)(q), -1, -2) @ R)
    J = kinematics.all_rows.function(tree_functions.frame_jacobian, frame=frame)(q) @ R
    bad = ~(np.isfinite(G).all(axis=(-2, -1)) & np.isfinite(J).all(axis=(-2, -1)))
    rank = effort_rank(kinematics)
    U, s, Vt = np.linalg.svd(np.where(bad[..., None, None], 1.0, G), full_matrices=False)
    U, s, Vt = U[..., :, :rank], s[..., :rank], Vt[..., :rank, :]
    singular = s[..., -1] <= SINGULAR * s[..., 0]
    inverse = 1.0 / np.where(singular[..., None], 1.0, s)
    onto = J @ np.swapaxes(Vt, -1, -2)
    left = np.abs((J - onto @ Vt) / np.array([1.0] * 3 + [length] * 3)[:, None])
    loose = left.max(axis=(-2, -1), initial=0.0) > _LOOSE
    _require(kinematics, q, frame, singular & ~bad, loose & ~bad)
    found = (onto * inverse[..., None, :]) @ np.swapaxes(U, -1, -2) * units
    return np.where((bad | singular | loose)[..., None, None], np.nan, found)


def _require(kinematics: Kinematics, q: Array, frame: str, singular: Array, loose: Array) -> None:
    """Raise for a single state at a singularity, and where the actuators never determine the frame's motion."""
    name = kinematics.setup.mech.name
    if singular.ndim == 0 and singular:
        raise SingularityError(
            f"mechanism '{name}' stands at a singularity (type2): there the velocities of its actuators do not "
            f"determine the twist of '{frame}'; move it off this position, or choose other actuators",
            q=q,
            kind="type2",
        )
    if loose.size and np.all(loose):
        raise ArgumentError(
            f"the actuators {list(kinematics.setup.actuated)} of '{name}' do not determine the twist of '{frame}': it "
            "can move although they are locked; actuate more joints"
        )
