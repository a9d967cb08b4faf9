"""States of the actuators, and the Jacobian from their velocities to the twist of a frame."""

from __future__ import annotations

import numpy as np

from linkwright.dynamics.actuation import effort_rank
from linkwright.dynamics.complement import dense_map, independent_code
from linkwright.dynamics.independent_velocities import independent_velocity_map
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions.loop import actuator_functions, closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import SINGULAR, UNDETERMINED

Array = np.ndarray


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
        return independent_code(
            kinematics, actuator_functions.checked_actuator_jacobian, _dense_actuator_jacobian, frame
        )(q)
    return _by_least_norm(kinematics, q, frame)


def _dense_actuator_jacobian(kinematics: Kinematics, q: Array, frame: str) -> Array:
    return kinematics.all_rows.function(tree_functions.frame_jacobian, frame=frame)(q) @ dense_map(kinematics, q)


def _by_least_norm(kinematics: Kinematics, q: Array, frame: str) -> Array:
    """The same with v = R v_ind and v_act = B^T R v_ind, by the singular values of B^T R in the mechanism's units."""
    speeds, length = kinematics.scales.speeds, kinematics.scales.length
    R = independent_velocity_map(kinematics, q) * speeds[list(kinematics.independent)]
    units = 1.0 / np.array(
        [1.0 if x is None else speeds[x] for x in (drive.speed for drive in kinematics.setup.drives)]
    )
    G = units[:, None] * (np.swapaxes(kinematics.all_rows.function(closure_functions.effort_matrix)(q), -1, -2) @ R)
    J = kinematics.all_rows.function(tree_functions.frame_jacobian, frame=frame)(q) @ R
    rank, by = effort_rank(kinematics), decompose_scaled(G)
    bad = ~(by.finite & np.isfinite(J).all(axis=(-2, -1)))
    singular, V = by.distance(rank) <= SINGULAR, by.row_space(rank)
    left = np.abs((J - J @ V @ np.swapaxes(V, -1, -2)) / np.array([1.0] * 3 + [length] * 3)[:, None])
    loose = left.max(axis=(-2, -1), initial=0.0) > UNDETERMINED
    _require_determined_frame(kinematics, q, frame, singular & ~bad, loose & ~bad)
    found = J @ by.inverse(rank) * units
    return np.where((bad | singular | loose)[..., None, None], np.nan, found)


def _require_determined_frame(kinematics: Kinematics, q: Array, frame: str, singular: Array, loose: Array) -> None:
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
