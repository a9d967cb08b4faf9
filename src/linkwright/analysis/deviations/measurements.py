"""Measurements from a file: actuator positions and poses, one row each."""

from __future__ import annotations

import os

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.motions.motion_arguments import POSE, QUATERNION, actuator_columns, pose_columns
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.sweeps.points import read_points

Array = np.ndarray


def read_measurements(model: Model, path: str | os.PathLike[str]) -> tuple[Array, Pose | Array]:
    """Actuator positions (n, na) and poses, or positions (n, 3), of a .csv or .npz with one column per name.

    Columns: every actuator by its name [rad or m], x, y, z [m], and for poses qw, qx, qy, qz or rx, ry, rz (roll,
    pitch, yaw about the fixed axes) [rad]. A title may name another unit, `x [mm]`, and is converted by it.
    """
    table = read_points(path)
    acts, components = actuator_columns(model.actuators), pose_columns(table)
    position_names, turned = POSE[:3], [name for name in components if name not in POSE[:3]]
    table.require([*acts, *position_names])
    q_act, position = table.stack(acts), table.stack({name: components[name] for name in position_names})
    if all(name in table for name in QUATERNION):
        return q_act, Pose(position, table.stack({name: components[name] for name in turned}))
    if all(name in table for name in turned):
        rpy = table.stack({name: components[name] for name in turned})
        return q_act, Pose(position, np.array([RigidTransform.from_rpy((0.0, 0.0, 0.0), row).wxyz for row in rpy]))
    return q_act, position
