"""Frames between the samples of a motion, where bodies that a page blends would part at their joints."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from linkwright.algebra import rotations
from linkwright.errors import LinkwrightError
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.numerics.tolerances import TINY
from linkwright.viewer.body_tracks import body_tracks
from linkwright.viewer.shown_motion import ShownMotion

Array = np.ndarray
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
    efforts and reactions lie on straight lines.
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
