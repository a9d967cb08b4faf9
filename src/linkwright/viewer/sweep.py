"""A small motion of all actuators about a configuration, to see what a mechanism does."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.model.limits import limit_rows, limits_exceeded
from linkwright.viewer.motion import ShownMotion

Array = np.ndarray
DURATION = 4.0  # [s]
_ROWS = 161
_SMALLEST = 1.0 / 64.0


def sweep(model: Model, q: Array, length: float) -> ShownMotion:
    """Sines of all actuators from a closed configuration q (nq,) and back, as wide as loops and limits allow.

    Args:
        model: the mechanism.
        q: where it starts and ends.
        length: size of the mechanism [m], of which sliding actuators move a tenth.

    Returns: the motion; one still sample when not even a small motion is possible.
    """
    still = ShownMotion(np.zeros(1), q[None])
    home = actuator_positions(model, q)
    if home is None:
        return still
    wide, share = amplitudes(model, length), 1.0
    while share >= _SMALLEST:
        path = home + share * wide * _sines(model.na)
        try:
            rows = model.follow(path, q)
        except LinkwrightError:
            share *= 0.5
            continue
        if _worse(model, rows, q):
            share *= 0.5
            continue
        return ShownMotion(np.linspace(0.0, DURATION, _ROWS), rows)
    return still


def _sines(count: int) -> Array:
    """One wave per actuator, (rows, count), each with its own number of periods, zero at both ends."""
    s = np.linspace(0.0, 2.0 * np.pi, _ROWS)[:, None]
    which = np.arange(count)
    return np.sin((1 + which % 2) * s) * np.where(which % 4 < 2, 1.0, -1.0)


def _worse(model: Model, rows: Array, q: Array) -> bool:
    """Return True if some row breaks more limits than the start, or comes near a singularity it was not near."""
    allowed = len(limits_exceeded(model.kernels, q))
    broken = limit_rows(model.kernels, rows[:: _ROWS // 16]).exceeded
    return bool(np.any(np.sum(broken, axis=-1) > allowed))


def driven_joints(model: Model) -> list[tuple[Joint, int]]:
    """The joint behind every actuator and which of its velocities is driven."""
    mech = model.mechanism
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    named = {actuator.name: (actuator.joint, actuator.dof) for actuator in mech.actuators}
    out = []
    for name in model.actuated:
        if name in named:
            joint, dof = named[name]
            out.append((joints[joint], dof))
        elif name in joints:
            out.append((joints[name], 0))
        else:
            joint, _, part = name.rpartition(".")
            out.append((joints[joint], joints[joint].kind.v_parts.index(part)))
    return out


def actuator_positions(model: Model, q: Array) -> Array | None:
    """Coordinates of the driven joints in q (..., nq), (..., na); None when some joint has none of its own."""
    columns = _indices(model)[0]
    return q[..., columns] if columns else None


def actuator_velocities(model: Model) -> list[int]:
    """Indices of the actuators' velocities in v; empty when an actuator drives a joint without its own coordinates."""
    return list(_indices(model)[1])


@lru_cache(maxsize=32)
def _indices(model: Model) -> tuple[list[int], list[int]]:
    """Indices of the actuators in q and in v."""
    slices = coordinate_slices(model.mechanism.joints)
    coords, velocities = [], []
    for joint, dof in driven_joints(model):
        if joint.name not in slices or joint.kind.q_parts != joint.kind.v_parts:
            return [], []
        coords.append(slices[joint.name][0].start + dof)
        velocities.append(slices[joint.name][1].start + dof)
    return coords, velocities


def amplitudes(model: Model, length: float) -> Array:
    """Amplitude of each actuator when nothing is in the way, (na,): 0.35 rad, or a tenth of the mechanism's size."""
    turning = [joint.kind.v_parts[dof] in ("angle", "first", "second") for joint, dof in driven_joints(model)]
    return np.where(turning, 0.35, 0.1 * length)
