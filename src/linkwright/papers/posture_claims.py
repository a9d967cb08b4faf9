"""Published numbers of real postures: Dietmaier's forty of a Gough-Stewart platform, and a 3-RPR of ALIAS."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import own_model

Array = np.ndarray
FORTY_LENGTHS = (1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071)
THREE_LENGTHS = (np.sqrt(50.0), np.sqrt(26.0), 5.0)
_ALIKE = 1e-6  # of coordinates of size one: two postures nearer than this are counted once


@cache
def forty_postures() -> Array:
    """Closed coordinates of all postures found, (n, nq)."""
    modes = own_model("dietmaier-platform").assembly_modes(FORTY_LENGTHS, confidence=0.999)
    return np.array([mode.q for mode in modes])


def count_of_poses() -> int:
    """Number of different poses of the platform: a position, and a quaternion or its negative."""
    poses = forty_postures()[:, :7]
    turns = np.einsum("ni,nj->nij", poses[:, 3:], poses[:, 3:]).reshape(len(poses), -1)
    apart = np.hstack([poses[:, :3], turns])
    near = np.abs(apart[:, None] - apart[None, :]).max(axis=2) < _ALIKE
    return int(np.sum(~np.tril(near, -1).any(axis=1)))


def largest_gap() -> float:
    """Largest closure residual of the postures, [m]."""
    return float(np.abs(own_model("dietmaier-platform").closure_residual(forty_postures())).max())


@cache
def two_poses() -> Array:
    """x, y [m] and angle [rad] of all solutions of the 3-RPR, the largest x first, (n, 3)."""
    poses = np.array([mode.q[:3] for mode in own_model("alias-3-rpr").assembly_modes(THREE_LENGTHS, confidence=0.999)])
    return poses[np.argsort(-poses[:, 0])]


DIETMAIER: Computed = {
    "postures": lambda: len(forty_postures()),
    "poses": count_of_poses,
    "closure": largest_gap,
}
ALIAS: Computed = {"solutions": lambda: two_poses().ravel()}
