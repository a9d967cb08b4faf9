"""Poses of the output as functions of the inputs with the actuators held, and differences of poses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra import rotations
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.model import Model
from linkwright.model.pose import Pose

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class HeldActuators:
    """Configurations with given actuator positions, as functions of the model's inputs.

    Attributes:
        model: with inputs. frame: output frame or body. q_act: actuator positions, (n, na). near: coordinates from
            which the loops are closed, (n, nq).
    """

    model: Model
    frame: str
    q_act: Array
    near: Array

    def coordinates(self, p: Array) -> Array:
        """Closed coordinates at inputs (n_p,) or (n, n_p), (n, nq); NaN where they cannot be reached."""
        with withheld_warnings(BatchWarning):
            return self.model.forward_kinematics(self.q_act, near=self.near, p=p)[0]

    def begun_at(self, q: Array) -> HeldActuators:
        """The same with the loops closed from other coordinates; where these are NaN the start stays."""
        return replace(self, near=np.where(np.isfinite(q), q, self.near))

    def pose(self, q: Array, p: Array) -> Pose:
        """Pose of the output."""
        return self.model.frame_pose(q, self.frame, p=p)

    def derivative(self, q: Array, p: Array) -> Array:
        """[angular; linear] of the output by the inputs, world axes, (n, 6, n_p)."""
        return np.asarray(self.model.parameter_jacobian("frame_pose", q, self.frame, p=p))


def pose_difference(target: Pose, pose: Pose) -> Array:
    """Rotation vector [rad] and displacement [m] from a pose to a target, world axes, (..., 6).

    >>> turned = Pose(np.array([0.0, 0.0, 1.0]), np.array([np.cos(0.1), 0.0, 0.0, np.sin(0.1)]))
    >>> pose_difference(turned, Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))).round(9).tolist()
    [0.0, 0.0, 0.2, 0.0, 0.0, 1.0]
    """
    inverse = pose.quaternion_wxyz * np.array([1.0, -1.0, -1.0, -1.0])
    turn = np.moveaxis(
        rotations.quaternion_product(np.moveaxis(target.quaternion_wxyz, -1, 0), np.moveaxis(inverse, -1, 0)), 0, -1
    )
    turn = np.where(turn[..., :1] < 0.0, -turn, turn)
    size = np.linalg.norm(turn[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(size, turn[..., :1])
    vector = np.where(size > 0.0, angle / np.where(size > 0.0, size, 1.0), 2.0) * turn[..., 1:]
    return np.concatenate([vector, target.position - pose.position], axis=-1)


def require_inputs(model: Model, what: str) -> None:
    """Refuse a model whose numbers are all constants."""
    if not len(model.parameters):
        raise ArgumentError(
            f'{what} needs a model with inputs; name them, for example build(mech, inputs=["joints.B.at.x"])',
            name="model",
        )
