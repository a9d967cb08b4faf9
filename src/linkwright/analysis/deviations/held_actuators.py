"""Poses with the actuators held as functions of the inputs, and measured poses from a file."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.motions.motion_arguments import POSE, QUATERNION, actuator_columns, pose_columns
from linkwright.analysis.performance.output_components import NAMES, output_of
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.sweeps.points import read_points

# --- poses of the output as functions of the inputs with the actuators held, and differences of poses -----------------

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


# --- measurements from a file: actuator positions and poses, one row each ---------------------------------------------


def read_measurements(
    model: Model, path: str | os.PathLike[str], frame: str | None = None
) -> tuple[Array, Pose | Array]:
    """Actuator positions (n, na) and poses, or positions (n, 3), of a .csv or .npz with one column per name.

    Columns: every actuator by its name [rad or m], x, y, z [m], and for poses qw, qx, qy, qz or rx, ry, rz (roll,
    pitch, yaw about the fixed axes) [rad].
    A title may name another unit, `x [mm]`, and is converted by it. Positions that the frame keeps, as z of a planar
    robot, may be left out.
    """
    table = read_points(path)
    acts, components = actuator_columns(model.actuators), pose_columns(table)
    position_names, turned = POSE[:3], [name for name in components if name not in POSE[:3]]
    given = [name for name in position_names if name in table or name not in _still_positions(model, frame)]
    table.require([*acts, *given])
    q_act = table.stack(acts)
    position = np.tile(model.frame_pose(model.assemble().q, output_of(model, frame).frame).position, (len(q_act), 1))
    for name in given:
        position[:, position_names.index(name)] = table.numbers(name, components[name])
    if all(name in table for name in QUATERNION):
        return q_act, Pose(position, table.stack({name: components[name] for name in turned}))
    if all(name in table for name in turned):
        rpy = table.stack({name: components[name] for name in turned})
        return q_act, Pose(position, np.array([RigidTransform.from_rpy((0.0, 0.0, 0.0), row).wxyz for row in rpy]))
    return q_act, position


def _still_positions(model: Model, frame: str | None) -> set[str]:
    """Those of x, y, z that a frame keeps whatever the actuators do."""
    return set(POSE[:3]) - {NAMES[i] for i in output_of(model, frame).components}
