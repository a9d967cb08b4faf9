"""Poses of all bodies along a motion: by the compiled function, or by a walk over the joints of a very big tree."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.rotations import NO_TURN, factor_rotation
from linkwright.algebra.transforms import frame_with_z
from linkwright.joints import JointKind
from linkwright.joints.motion_terms import NeutralPlacement
from linkwright.mechanism.flexible_bodies import beams_of
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
        r, R = walk_outward(model.mechanism, q)
        wxyz = rotation_quaternions(R)
    return np.concatenate([r, _continuous_quaternions(wxyz)], axis=-1)


def rotation_quaternions(R: Array) -> Array:
    """Unit quaternions w x y z of rotations (..., 3, 3); NaN stays NaN."""
    bad = ~np.isfinite(R).all(axis=(-2, -1))
    out = rotations.from_matrix(np.where(bad[..., None, None], np.eye(3), R))
    return np.where(bad[..., None], np.nan, out)


def _continuous_quaternions(wxyz: Array) -> Array:
    """The same turns with signs that do not jump from sample to sample, (n, bodies, 4)."""
    if len(wxyz) < 2:
        return wxyz
    along = np.sum(wxyz[1:] * wxyz[:-1], axis=-1)
    flips = np.where(along < 0.0, -1.0, 1.0)
    return wxyz * np.concatenate([np.ones((1, wxyz.shape[1])), np.cumprod(flips, axis=0)])[..., None]


def walk_outward(mech: Mechanism, q: Array) -> tuple[Array, Array]:
    """Origins (n, bodies, 3) and axes (n, bodies, 3, 3) by walking outward (theory 2.10); beams stay straight."""
    n = len(q)
    slices = coordinate_slices(mech.joints)
    above = {joint.child: joint for joint in mech.joints}
    poses = {mech.base: (np.zeros((n, 3)), np.broadcast_to(np.eye(3), (n, 3, 3)))}
    for joint in _joints_outward(mech, above):
        r, R = poses[joint.parent]
        r, R = r + R @ joint.at.r, R @ joint.at.R
        shift, turn = _joint_motion(joint, q[:, slices[joint.name][0]])
        r, R = r + np.einsum("nij,nj->ni", R, shift), R @ turn
        back = joint.child_at.inverse
        poses[joint.child] = (r + R @ back.r, R @ back.R)
    return tuple(np.stack([poses[name][k] for name in mech.names], axis=1) for k in (0, 1))  # type: ignore[return-value]


def _joints_outward(mech: Mechanism, above: dict[str, Joint]) -> list[Joint]:
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
        return _joint_displacement(joint.kind, q)
    shift, turn = _joint_displacement(as_drawn(joint).kind, q)
    back = np.swapaxes(turn, -1, -2)
    return -np.einsum("nij,nj->ni", back, shift), back


def _joint_displacement(kind: JointKind, q: Array) -> tuple[Array, Array]:
    """Displacement (n, 3) and turn (n, 3, 3) of a joint's child side seen from its parent side."""
    if kind.borrows is not None:
        return np.tile([kind.x, 0.0, 0.0], (len(q), 1)), np.broadcast_to(np.eye(3), (len(q), 3, 3))
    columns = np.array([*map(Samples, q.T), None], dtype=object)[:-1]
    between = NO_TURN if kind.turn_between is None else factor_rotation(kind.turn_between)
    R, s, _, _ = kind.motion(columns, np.zeros(kind.nv), NeutralPlacement(between))
    near, far = (frame_with_z(kind.axes[i]) if kind.axes else np.eye(3) for i in (0, -1))
    turn, shift = near @ R.matrix @ far.T, near @ (R @ s)
    return _sample_array(shift, len(q)), _sample_array(turn, len(q))


def _sample_array(x: Array, n: int) -> Array:
    """An array of scalars as an array of numbers, samples first."""
    columns = [np.broadcast_to(np.asarray(values_of(each), dtype=float), n) for each in x.flat]
    return np.stack(columns, axis=-1).reshape(n, *x.shape)


def _sample_operation(combine: Callable[[Any, Any], Any]) -> Callable[[Samples, Any], Samples]:
    """An operation of samples with a number or other samples; arrays do it for each of their elements."""

    def combined(own: Samples, other: Any) -> Samples:
        return NotImplemented if isinstance(other, np.ndarray) else Samples(combine(own.values, values_of(other)))

    return combined


class Samples:
    """Values of a scalar at all samples, as one number of the joints' equations."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values, dtype=float)

    def __neg__(self) -> Samples:
        return Samples(-self.values)

    __add__, __radd__ = _sample_operation(operator.add), _sample_operation(operator.add)
    __mul__, __rmul__ = _sample_operation(operator.mul), _sample_operation(operator.mul)
    __sub__, __rsub__ = _sample_operation(operator.sub), _sample_operation(lambda x, y: y - x)
    __truediv__, __rtruediv__ = _sample_operation(operator.truediv), _sample_operation(lambda x, y: y / x)

    def cos(self) -> Samples:
        """Called by `np.cos`, as are the others by theirs."""
        return Samples(np.cos(self.values))

    def sin(self) -> Samples:
        """The sine."""
        return Samples(np.sin(self.values))

    def sqrt(self) -> Samples:
        """The square root."""
        return Samples(np.sqrt(self.values))


def values_of(x: Any) -> Any:
    """The values of a scalar at all samples, or a plain number."""
    return x.values if isinstance(x, Samples) else x
