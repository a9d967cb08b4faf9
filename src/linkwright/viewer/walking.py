"""Poses of all bodies along a motion: by the compiled function, or by a walk over the joints of a very big tree."""

from __future__ import annotations

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra import quaternion
from linkwright.algebra.pose import frame_with_z
from linkwright.mechanism.flexible import beams_of
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.topology import as_drawn
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model

Array = np.ndarray
_COMPILE_UP_TO = 150  # bodies; straight-line code of more takes longer to compile than the walk to run


def body_tracks(model: Model, q: Array) -> Array:
    """Origin [m] and quaternion w x y z of every body's frame, (n, n_bodies, 7), at coordinates q (n, nq)."""
    if len(model.bodies) <= _COMPILE_UP_TO or beams_of(model.mechanism):
        r, wxyz = model.body_poses(q)
    else:
        r, R = walked(model.mechanism, q)
        wxyz = quaternions(R)
    return np.concatenate([r, _continuous(wxyz)], axis=-1)


def quaternions(R: Array) -> Array:
    """Unit quaternions w x y z of rotations (..., 3, 3); NaN stays NaN."""
    bad = ~np.isfinite(R).all(axis=(-2, -1))
    out = quaternion.from_matrix(np.where(bad[..., None, None], np.eye(3), R))
    return np.where(bad[..., None], np.nan, out)


def _continuous(wxyz: Array) -> Array:
    """The same turns with signs that do not jump from sample to sample, (n, bodies, 4)."""
    if len(wxyz) < 2:
        return wxyz
    along = np.sum(wxyz[1:] * wxyz[:-1], axis=-1)
    flips = np.where(along < 0.0, -1.0, 1.0)
    return wxyz * np.concatenate([np.ones((1, wxyz.shape[1])), np.cumprod(flips, axis=0)])[..., None]


def walked(mech: Mechanism, q: Array) -> tuple[Array, Array]:
    """Origins (n, bodies, 3) and axes (n, bodies, 3, 3) by walking outward (theory 2.10); beams stay straight."""
    n = len(q)
    slices = coordinate_slices(mech.joints)
    above = {joint.child: joint for joint in mech.joints}
    poses = {mech.base: (np.zeros((n, 3)), np.broadcast_to(np.eye(3), (n, 3, 3)))}
    for joint in _outward(mech, above):
        r, R = poses[joint.parent]
        r, R = r + R @ joint.at.r, R @ joint.at.R
        shift, turn = _joint_motion(joint, q[:, slices[joint.name][0]])
        r, R = r + np.einsum("nij,nj->ni", R, shift), R @ turn
        back = joint.child_at.inverse
        poses[joint.child] = (r + R @ back.r, R @ back.R)
    return tuple(np.stack([poses[name][k] for name in mech.names], axis=1) for k in (0, 1))  # type: ignore[return-value]


def _outward(mech: Mechanism, above: dict[str, Joint]) -> list[Joint]:
    """The tree's joints, each after those that carry it."""
    order, reached = [], {mech.base}
    for name in mech.names:
        chain = []
        while name not in reached:
            chain.append(name)
            reached.add(name)
            name = above[name].parent
        order += [above[body] for body in reversed(chain)]
    return order


def _joint_motion(joint: Joint, q: Array) -> tuple[Array, Array]:
    """Displacement (n, 3) and turn (n, 3, 3) of the child's side in the tree, of a reversed joint those of the drawing
    inverted."""
    if not joint.reversed:
        return _motion(joint.kind, q)
    shift, turn = _motion(as_drawn(joint).kind, q)
    back = np.swapaxes(turn, -1, -2)
    return -np.einsum("nij,nj->ni", back, shift), back


def _motion(kind: kinds.JointKind, q: Array) -> tuple[Array, Array]:
    """Displacement (n, 3) and turn (n, 3, 3) of a joint's child side seen from its parent side."""
    none, still = np.zeros((len(q), 3)), np.broadcast_to(np.eye(3), (len(q), 3, 3))
    match kind:
        case kinds.Revolute(axis):
            return none, turned(axis, q[:, 0])
        case kinds.Prismatic(axis):
            return q[:, :1] * np.array(axis), still
        case kinds.Screw(axis, pitch):
            return pitch * q[:, :1] * np.array(axis), turned(axis, q[:, 0])
        case kinds.Cylindrical(axis):
            return q[:, 1:] * np.array(axis), turned(axis, q[:, 0])
        case kinds.Universal(first, second):
            return none, turned(first, q[:, 0]) @ turned(second, q[:, 1])
        case kinds.Spherical():
            return none, _rotations(q)
        case kinds.Floating():
            return q[:, :3], _rotations(q[:, 3:])
        case kinds.Planar(normal):
            return _in_plane(normal, q), turned(normal, q[:, 2])
        case kinds.Section(_, x):
            return none + np.array([x, 0.0, 0.0]), still
        case _:
            return none, still


def turned(axis: tuple[float, float, float], angle: Array) -> Array:
    """Rotations (n, 3, 3) about a unit axis by angles (n,) [rad]."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * K + (1.0 - c) * (K @ K)


def _rotations(wxyz: Array) -> Array:
    return np.moveaxis(quaternion.rotation_matrix(wxyz.T), -1, 0)


def _in_plane(normal: tuple[float, float, float], q: Array) -> Array:
    return q[:, :2] @ frame_with_z(normal)[:, :2].T
