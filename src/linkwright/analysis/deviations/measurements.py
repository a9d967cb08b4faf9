"""Measurements from a file: actuator positions and poses, one row each."""

from __future__ import annotations

import os

import numpy as np

from linkwright.algebra.pose import RigidTransform
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.sweeps.points import Listed

Array = np.ndarray


def read_measurements(model: Model, path: str | os.PathLike[str]) -> tuple[Array, Pose | Array]:
    """Actuator positions (n, na) and poses, or positions (n, 3), of a .csv or .npz with one column per name.

    Columns: every actuator by its name [rad or m], x, y, z [m], and for poses qw, qx, qy, qz or rx, ry, rz (roll,
    pitch, yaw about the fixed axes) [rad].
    """
    columns = Listed.read(path).columns
    actuators = list(model.actuated)
    missing = [name for name in (*actuators, "x", "y", "z") if name not in columns]
    if missing:
        raise ArgumentError(f"{path}: columns {missing} are missing; it has {list(columns)}", name="path")
    q_act, position = (np.stack([columns[name] for name in names], axis=1) for names in (actuators, ("x", "y", "z")))
    if all(name in columns for name in ("qw", "qx", "qy", "qz")):
        return q_act, Pose(position, np.stack([columns[name] for name in ("qw", "qx", "qy", "qz")], axis=1))
    if all(name in columns for name in ("rx", "ry", "rz")):
        rpy = np.stack([columns[name] for name in ("rx", "ry", "rz")], axis=1)
        return q_act, Pose(position, np.array([RigidTransform.from_rpy((0.0, 0.0, 0.0), row).wxyz for row in rpy]))
    return q_act, position
