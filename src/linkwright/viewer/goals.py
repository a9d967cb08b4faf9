"""What a user pulls at: the pose of the platform, or a point of any body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linkwright.algebra import quaternion
from linkwright.algebra.pose import frame_with_z
from linkwright.mechanism.tree import Tree
from linkwright.model import Model
from linkwright.recursion.coordinates import advanced

Array = np.ndarray
_STEP = 1e-5  # of the differences, in rad or m
_LIGHT = 1e-3  # what a direction counts in which nobody pulls


@dataclass(frozen=True, eq=False)
class Grip:
    """What is needed to drag one machine.

    Attributes:
        model: the machine.
        tree: its tree, which moves coordinates by displacements.
        size: its size [m], which makes angles and lengths comparable.
        bending: places of the speeds that bend flexible links; a hand moves links, it does not bend them.
    """

    model: Model
    tree: Tree
    size: float
    bending: tuple[int, ...] = ()

    @property
    def reach(self) -> float:
        """The length [m] at which a turn of the platform is felt."""
        return 0.25 * self.size


class Goal(Protocol):
    """Where something of a machine is pulled to."""

    def weights(self, grip: Grip) -> Array:
        """What each component of the error counts, (k,); those below one are only wishes."""
        ...

    def error(self, grip: Grip, q: Array) -> Array:
        """What is missing, (k,), [m]."""
        ...

    def slopes(self, grip: Grip, q: Array, N: Array) -> Array:
        """How the motions N (nv, m) lessen the error, (k, m)."""
        ...

    def words(self, missed: float) -> str:
        """What to say when the machine cannot come nearer than `missed` [m]."""
        ...


@dataclass(frozen=True, eq=False)
class PlatformPose:
    """The platform at xyz (3,) [m] with the quaternion wxyz (4,), which counts more than the place when `turning`."""

    xyz: Array
    wxyz: Array
    turning: bool = False

    def weights(self, grip: Grip) -> Array:
        """All alike; with fewer than six freedoms what is not pulled at is only a wish."""
        light = 1.0 if grip.model.mobility >= 6 else _LIGHT
        return np.repeat([1.0, light] if self.turning else [light, 1.0], 3)

    def error(self, grip: Grip, q: Array) -> Array:
        """Half sines of the turns times the machine's reach, and lengths, (6,), [m]."""
        r, now = grip.model.frame_pose(q, str(grip.model.mechanism.platform))
        M = quaternion.rotation_matrix(self.wxyz) @ quaternion.rotation_matrix(now).T
        turn = 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
        return np.concatenate([grip.reach * turn, self.xyz - r])

    def slopes(self, grip: Grip, q: Array, N: Array) -> Array:
        """The platform's Jacobian along the motions, with its turns as lengths, (6, m)."""
        J = grip.model.frame_jacobian(q, str(grip.model.mechanism.platform)) @ N
        J[:3] *= grip.reach
        return J

    def words(self, missed: float) -> str:
        """A pose is meant to be reached."""
        return f"the target is out of reach: stopped {missed:.3g} m before it, at the boundary"


@dataclass(frozen=True, eq=False)
class BodyPoint:
    """A point of a body, (3,) [m] in its frame, at a place on the screen.

    Attributes:
        body: number of the body.
        point: which point of it, in its frame.
        xyz: where to, in the world.
        sight: unit vector of the line of sight, along which it may move as the machine likes.
    """

    body: int
    point: Array
    xyz: Array
    sight: Array

    def weights(self, grip: Grip) -> Array:
        """Both directions of the screen count, the depth hardly."""
        return np.array([1.0, 1.0, _LIGHT])

    def error(self, grip: Grip, q: Array) -> Array:
        """What is missing across and along the line of sight, (3,), [m]."""
        return frame_with_z(self.sight).T @ (self.xyz - self.place(grip, q))

    def slopes(self, grip: Grip, q: Array, N: Array) -> Array:
        """Central differences along the motions, (3, m): no function has to be compiled for the body first."""
        ends = [advanced(grip.tree, q, way * _STEP * N[:, k]) for way in (1.0, -1.0) for k in range(N.shape[1])]
        ahead, behind = np.split(self.place(grip, np.array(ends).reshape(-1, q.size)), 2)
        return frame_with_z(self.sight).T @ (ahead - behind).T / (2.0 * _STEP)

    def place(self, grip: Grip, q: Array) -> Array:
        """Where the point is in the world at coordinates (..., nq), (..., 3), [m]."""
        row = grip.model.body_poses(q)[..., self.body, :]
        return row[..., :3] + row[..., 3:].reshape(*row.shape[:-1], 3, 3) @ self.point

    def words(self, missed: float) -> str:
        """A point follows a hand that need not stay on its way."""
        return f"as near as the machine comes: {missed:.3g} m from the pointer"
