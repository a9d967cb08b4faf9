"""Measurements from a file: actuator positions and poses, one row each."""

from __future__ import annotations

import os

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.motions.motion_arguments import POSE, QUATERNION, actuator_columns, pose_columns
from linkwright.analysis.performance.output_components import NAMES, output_of
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.sweeps.points import read_points

Array = np.ndarray


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
