"""What a user pulls at: the pose of the platform, or a point of any body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from linkwright.algebra import quaternion
from linkwright.algebra.pose import frame_with_z
from linkwright.mechanism.tree import Tree
from linkwright.model import Model

Array = np.ndarray
_LIGHT = 1e-3  # what a direction counts in which nobody pulls


@dataclass(frozen=True, eq=False)
class Grip:
    """What is needed to drag one machine.

    Attributes:
        model: the machine.
        tree: its tree, which moves coordinates by displacements.
        size: its size [m], which makes angles and lengths comparable.
    """

    model: Model
    tree: Tree
    size: float

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

    def jacobian(self, grip: Grip, q: Array) -> Array:
        """How speeds lessen the error, (k, nv)."""
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

    def jacobian(self, grip: Grip, q: Array) -> Array:
        """The platform's Jacobian with its turns as lengths, (6, nv)."""
        J = np.array(grip.model.frame_jacobian(q, str(grip.model.mechanism.platform)))
        J[:3] *= grip.reach
        return J

    def words(self, missed: float) -> str:
        """A pose is meant to be reached."""
        return f"the target is out of reach: stopped {missed:.3g} m before it, at the boundary"


@dataclass(frozen=True, eq=False)
class BodyPoint:
    """A point of a body, (3,) [m] in its frame, at a place on the screen.

    Attributes:
        body: name of the body.
        point: which point of it, in its frame.
        xyz: where to, in the world.
        sight: unit vector of the line of sight, along which it may move as the machine likes.
    """

    body: str
    point: Array
    xyz: Array
    sight: Array

    def weights(self, grip: Grip) -> Array:
        """Both directions of the screen count, the depth hardly."""
        return np.array([1.0, 1.0, _LIGHT])

    def error(self, grip: Grip, q: Array) -> Array:
        """What is missing across and along the line of sight, (3,), [m]."""
        r, now = grip.model.frame_pose(q, self.body)
        return frame_with_z(self.sight).T @ (self.xyz - r - quaternion.rotation_matrix(now) @ self.point)

    def jacobian(self, grip: Grip, q: Array) -> Array:
        """The point's Jacobian across and along the line of sight, (3, nv)."""
        J = grip.model.frame_jacobian(q, self.body)
        _, now = grip.model.frame_pose(q, self.body)
        arm = quaternion.rotation_matrix(now) @ self.point
        return frame_with_z(self.sight).T @ (J[3:] + np.cross(J[:3].T, arm).T)

    def words(self, missed: float) -> str:
        """A point follows a hand that need not stay on its way."""
        return f"as near as the machine comes: {missed:.3g} m from the pointer"
