"""Poses of all bodies along a motion, and frames between samples where bodies that a page blends would part."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.rotations import NO_TURN, factor_rotation
from linkwright.algebra.transforms import frame_with_z
from linkwright.errors import LinkwrightError
from linkwright.joints import JointKind
from linkwright.joints.motion_terms import NeutralPlacement
from linkwright.mechanism.flexible_bodies import beams_of
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.topology import as_drawn
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.numerics.tolerances import TINY
from linkwright.viewer.shown_motion import ShownMotion

# --- poses of all bodies along a motion -------------------------------------------------------------------------------

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


# --- frames between the samples of a motion, where bodies that a page blends would part at their joints ---------------

PIXEL = 1e-3  # of the mechanism's size: one pixel of a view of a thousand
_MOST = 3  # rounds, each of which halves the worst intervals or more


def refine_motion(
    model: Model, motion: ShownMotion, tracks: Array, size: float, most: int
) -> tuple[ShownMotion, Array]:
    """A motion with frames between its samples, so that joints of blended bodies stay together within half a pixel.

    Args:
        motion: what is shown.
        tracks: poses of all bodies, (n, n_bodies, 7).
        size: of the mechanism [m]; a thousandth of it is taken as a pixel.
        most: number of frames that the page may have.

    Returns: motion and poses. Coordinates of new frames are halfway along the joints, with the loops closed again;
    velocities, efforts and reactions lie on straight lines.
    """
    for _ in range(_MOST):
        wide = joint_separation(model.mechanism, tracks)
        pieces = np.where(wide > 0.5 * PIXEL * size, np.ceil(np.sqrt(wide / (0.25 * PIXEL * size))), 1.0)
        if not (pieces > 1).any() or len(tracks) + (pieces - 1).sum() > most:
            break
        try:
            motion, tracks = _divide_intervals(model, motion, pieces.astype(int))
        except LinkwrightError:
            break
    return motion, tracks


def joint_separation(mech: Mechanism, tracks: Array) -> Array:
    """Largest distance between the two sides of a joint halfway between samples, as a page blends them, (n - 1,), [m].

    Positions are blended on straight lines, turns on great circles. Distance is what the joint does not allow: across
    the axis of a sliding joint, all of it at a pin.
    """
    if len(tracks) < 2:
        return np.zeros(0)
    r, wxyz = 0.5 * (tracks[:-1, :, :3] + tracks[1:, :, :3]), tracks[:-1, :, 3:] + tracks[1:, :, 3:]
    wxyz = wxyz / np.maximum(np.linalg.norm(wxyz, axis=-1, keepdims=True), TINY)
    R = np.moveaxis(rotations.rotation_matrix(np.moveaxis(wxyz, -1, 0)), (0, 1), (-2, -1))
    number = {name: i for i, name in enumerate(mech.names)}
    found = [np.zeros(len(r)), *(_separation_at_joint(joint, number, r, R) for joint in (*mech.joints, *mech.loops))]
    return np.nan_to_num(np.max(found, axis=0))


def _separation_at_joint(joint: Joint, number: dict[str, int], r: Array, R: Array) -> Array:
    along = joint.kind.can_shift_along_z and not joint.kind.keeps_origin
    if not (joint.kind.keeps_origin or along):
        return np.zeros(len(r))
    apart = _point_in_world(number.get(joint.child), joint.child_at.r, r, R) - _point_in_world(
        number.get(joint.parent), joint.at.r, r, R
    )
    if along:
        local = joint.at.R @ np.array(joint.kind.axes[0])
        axis = local if joint.parent not in number else R[:, number[joint.parent]] @ local
        apart = apart - np.sum(apart * axis, axis=-1, keepdims=True) * axis
    return np.linalg.norm(apart, axis=-1)


def _point_in_world(body: int | None, at: Array, r: Array, R: Array) -> Array:
    return np.broadcast_to(at, (len(r), 3)) if body is None else r[:, body] + R[:, body] @ at


def _divide_intervals(model: Model, motion: ShownMotion, pieces: Array) -> tuple[ShownMotion, Array]:
    """A motion whose interval i is divided into pieces[i] equal ones, and its poses."""
    rows, shares = _frame_shares(pieces)
    upper = np.minimum(rows + 1, len(motion.t) - 1)
    inner = shares > 0.0
    q = motion.q[rows].copy()
    step = model.difference(motion.q[rows[inner]], motion.q[upper[inner]])
    between = model.integrate(motion.q[rows[inner]], step, shares[inner])
    closed, _ = model.project(between, np.zeros((len(between), model.nv)))
    q[inner] = np.where(np.isfinite(closed), closed, between)

    def blended(x: Array) -> Array:
        part = shares.reshape(-1, *[1] * (x.ndim - 1))
        return np.where(part > 0.0, x[rows] + part * (x[upper] - x[rows]), x[rows])

    finer = replace(
        motion,
        t=blended(motion.t),
        q=q,
        v=None if motion.v is None else blended(motion.v),
        tau=None if motion.tau is None else blended(motion.tau),
        reactions={name: blended(np.asarray(w)) for name, w in motion.reactions.items()},
        of=max(motion.of, len(motion.t)),
    )
    return finer, body_tracks(model, q)


def _frame_shares(pieces: Array) -> tuple[Array, Array]:
    """Sample before each new frame and the share of the step to the next.

    >>> [x.tolist() for x in _frame_shares(np.array([1, 2]))]
    [[0, 1, 1, 2], [0.0, 0.0, 0.5, 0.0]]
    """
    edges = np.concatenate([[0], np.cumsum(pieces)])
    rows = np.concatenate([np.full(b - a, i) for i, (a, b) in enumerate(pairwise(edges))] + [[len(pieces)]])
    shares = np.concatenate([np.arange(n) / n for n in pieces] + [[0.0]])
    return rows.astype(int), shares
