"""A path of a frame or of the actuators over a parameter s from 0 to 1: functions, references, arrays, files."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.analysis.motions.motion_arguments import (
    actuator_columns,
    actuators_at,
    check_pose_rows,
    pose_columns,
    poses_at,
)
from linkwright.analysis.motions.path_states import PathStates, actuator_states, frame_states
from linkwright.checks import require_array_shape, require_finite_array, require_real_array
from linkwright.control.pose_references import Kinematics
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formats.tables import is_table, read_table
from linkwright.model import Model
from linkwright.model.actuator_records import ModelActuator
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import UNSEEN

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class GeometricPath:
    """A path as it was given.

    Attributes:
        given: function or reference of s, or rows of an array. actuators: it gives their positions, not poses.
        driven: records of the actuators. knots: values of s at the rows of an array; None for a function.
        frame, components, sequence, near: as for `lw.motion`.
    """

    given: Any
    actuators: bool
    driven: tuple[ModelActuator, ...]
    knots: Array | None
    frame: str | None = None
    components: tuple[str, ...] | None = None
    sequence: str = "xyz"
    near: Any = None

    def poses(self, s: Array) -> Kinematics:
        """Poses and their first and second derivatives by s, as twist and twist rate."""
        return poses_at(self.given, require_array_shape("s", s, (None,)), self.sequence, self.knots)

    def positions(self, s: Array) -> tuple[Array, Array, Array]:
        """Positions of the actuators and their derivatives by s, (n, na) each."""
        return actuators_at(self.given, require_array_shape("s", s, (None,)), self.driven, self.knots)


def states_along(route: GeometricPath, model: Model, s: Array) -> PathStates:
    """Coordinates, and their first and second derivatives by s as velocities and accelerations."""
    if route.actuators:
        found = actuator_states(model, s, route.positions(s), route.near, "s")
    else:
        found = frame_states(model, s, route.poses(s), route.frame, route.components, route.near, "s")
    size = np.linalg.norm(found.v / model.scales.speeds, axis=1)
    still = size <= UNSEEN * size.max(initial=0.0)
    if still.any():
        raise ArgumentError(
            f"the path stands still at s = {s[int(np.argmax(still))]:.4g}: its derivative by s must not be zero; "
            "give waypoints as an array, or a function that moves everywhere",
            name="s",
        )
    return found


def straight_line(start: Pose, end: Pose, rows: int = 17) -> Array:
    """Waypoints on a straight line, with the orientation turned evenly the short way, (rows, 7)."""
    s = np.linspace(0.0, 1.0, rows)[:, None]
    a = start.quaternion_wxyz
    b = end.quaternion_wxyz * (1.0 if a @ end.quaternion_wxyz >= 0.0 else -1.0)
    angle = float(np.arccos(np.clip(a @ b, -1.0, 1.0)))
    turned = np.broadcast_to(a, (rows, 4))
    if angle > UNSEEN:
        turned = (np.sin((1.0 - s) * angle) * a + np.sin(s * angle) * b) / np.sin(angle)
    return np.concatenate([(1.0 - s) * start.position + s * end.position, turned], axis=1)


def route_of(model: Model, s: Any, pose: Any, q_act: Any, **named: Any) -> GeometricPath:
    """The path of the arguments of `time_optimal`; rows of arrays without s are spaced by their distances."""
    if (pose is None) == (q_act is None):
        both = "both are given" if pose is not None else "neither is given"
        raise ArgumentError(f"a path is of a frame, pose=..., or of the actuators, q_act=...; {both}")
    actuators, driven = pose is None, model.actuators
    given = q_act if actuators else pose
    if is_table(given):
        given, s = _route_of_table(given, driven if actuators else None)
    if hasattr(given, "at") or callable(given):
        if s is not None:
            raise ArgumentError("s is for rows of arrays; a function or reference is taken from s = 0 to 1", name="s")
        return GeometricPath(given, actuators, driven, None, **named)
    rows = _check_route_rows(given, model.na if actuators else None)
    return GeometricPath(rows, actuators, driven, _path_knots(model, rows, actuators, s), **named)


def _route_of_table(given: Any, driven: tuple[ModelActuator, ...] | None) -> tuple[Array, Array | None]:
    """Rows of a table, and its column s where it has one."""
    table = read_table(given, "path")
    units = pose_columns(table) if driven is None else actuator_columns(driven)
    table.require(units)
    return table.stack(units), table.numbers("s") if "s" in table else None


def _check_route_rows(given: Any, size: int | None) -> Array:
    if size is None:
        first = given[0] if isinstance(given, tuple) and len(given) == 2 else given
        return check_pose_rows(given, len(np.atleast_2d(require_real_array("pose", first))))
    rows = require_real_array("q_act", given).astype(float)
    if rows.ndim != 2 or rows.shape[1] != size:
        raise ArgumentError(f"q_act has shape {rows.shape}, expected rows (n, {size})", name="q_act")
    for k, row in enumerate(rows):
        require_finite_array(f"q_act[{k}]", row)
    return rows


def _path_knots(model: Model, rows: Array, actuators: bool, s: Any) -> Array:
    """Values of s at the rows, from 0 to 1."""
    if len(rows) < 2:
        raise ArgumentError("a path has one row; give at least two")
    if s is None:
        L = float(model.scales.length)
        units = np.ones(rows.shape[1]) if actuators else np.array([1.0, 1.0, 1.0, *[L] * (rows.shape[1] - 3)])
        at = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(rows, axis=0) * units, axis=1))])
    else:
        at = require_real_array("s", s).astype(float)
        if at.shape != (len(rows),):
            raise ArgumentError(f"s has shape {at.shape}, expected ({len(rows)},): a value for each row", name="s")
    if not np.isfinite(at).all() or np.any(np.diff(at) <= 0.0):
        k = int(np.argmax(~(np.diff(at) > 0.0)))
        raise ArgumentError(f"rows {k} and {k + 1} of the path are the same point; leave one out", name="s")
    return (at - at[0]) / (at[-1] - at[0])
