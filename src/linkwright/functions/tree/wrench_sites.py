"""Wrenches given at points of bodies and frames, brought to the origins and axes of their bodies (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform, wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.setup import Setup
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.recursion import poses
from linkwright.recursion.twist_recursion import motion_of_tree

WRENCH_PARTS = ("moment x", "moment y", "moment z", "force x", "force y", "force z")
"""The six numbers of a wrench."""


@dataclass(frozen=True)
class WrenchSite:
    """Where a wrench acts, and in which axes it is given.

    Attributes:
        on: a body or frame.
        at: the point, in the axes of `on`, from its origin, [m].
        world: whether moment and force are given in world axes; otherwise in those of `on`.
    """

    on: str
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    world: bool = False


def attachment_of_frame(mech: Mechanism, name: str) -> tuple[int, RigidTransform]:
    """Number of the body, and pose in its axes, of a named body or frame; frames of the base are refused."""
    known = {body: (body, IDENTITY) for body in mech.names} | {f.name: (f.body, f.pose) for f in mech.frames}
    if name not in (*known, mech.base):
        raise ArgumentError(
            f"a wrench acts on the unknown body or frame '{name}'{suggest_name(name, known)}", name=name
        )
    body, pose = known.get(name, (mech.base, IDENTITY))
    if body == mech.base:
        raise ArgumentError(f"a wrench acts on '{name}', which is fixed to the base; name a moving body", name=name)
    return mech.names.index(body), pose


def in_body_axes(w: Any, R: Any, r: Any) -> Any:
    """A wrench (..., 6) turned by R (..., 3, 3) and carried to the origin from which its point is at r (3,)."""
    moment, force = ((R * half[..., None, :]).sum(axis=-1) for half in (w[..., :3], w[..., 3:]))
    x, y, z = force[..., 0], force[..., 1], force[..., 2]
    carried = [r[1] * z - r[2] * y, r[2] * x - r[0] * z, r[0] * y - r[1] * x]
    return np.concatenate([moment + np.stack(carried, axis=-1), force], axis=-1)


def wrenches_from_sites(setup: Setup, sites: Sequence[WrenchSite], q: Vec, given: Vec) -> Mat:
    """Wrenches on all bodies, (n_bodies, 6), each at its origin in its frame, of six given numbers per site."""
    w_ext = np.zeros((len(setup.tree.links), 6), dtype=np.result_type(q.dtype, given.dtype))
    for site, w in zip(sites, given.reshape(-1, 6), strict=True):
        body, pose = attachment_of_frame(setup.mech, site.on)
        turn = pose.R
        if site.world:
            turn = poses.pose_of_frame(setup.simplified, q, body, setup.simplified.links[body].body).R.T
        w_ext[body] = w_ext[body] + in_body_axes(w, turn, pose.r + pose.R @ np.array(site.at))
    return w_ext


def wrench_power(setup: Setup, q: Vec, v: Vec, w_ext: Mat) -> Any:
    """Power of wrenches on the bodies, [W]."""
    state = motion_of_tree(setup.simplified, q, v, np.zeros(setup.simplified.nv))
    total: Any = 0.0
    for t, w, link in zip(state.t, w_ext, setup.simplified.links, strict=False):
        total = total + t @ wrench_from(w, link.body)
    return total
