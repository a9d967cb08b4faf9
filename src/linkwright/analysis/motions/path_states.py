"""Coordinates, velocities and accelerations along given motions of a frame or of the actuators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.analysis.motions.unfollowed_components import require_followed
from linkwright.analysis.motions.unreached_poses import first_unreached, first_unreached_error
from linkwright.analysis.performance.output_components import output_of
from linkwright.control.pose_references import Kinematics
from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning, withheld_warnings
from linkwright.model import Model
from linkwright.model.pose import Pose

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PathStates:
    """Coordinates (n, nq), velocities and accelerations (n, nv)."""

    q: Array
    v: Array
    a: Array


def actuator_states(
    model: Model, t: Array, given: tuple[Array, Array, Array], near: Any, along: str = "t"
) -> PathStates:
    """States at positions, rates and accelerations of the actuators, (n, na) each; row after row from home."""
    positions, rates, second = given

    def solve(rows: slice, start: Any) -> Array:
        return _call_without_warnings(model.forward_kinematics, positions[rows], near=near if start is None else start)[
            0
        ]

    failed = first_unreached(len(t), solve)
    if failed is not None:
        row, before = failed
        start = near if before is None else before
        raise first_unreached_error(
            model, t, row, lambda: model.forward_kinematics(positions[row], near=start), None, along
        )
    first = "previous" if near is None else near
    return PathStates(*_call_without_warnings(model.forward_kinematics, positions, rates, second, near=first))


def frame_states(
    model: Model, t: Array, given: Kinematics, frame: Any, components: Any, near: Any, along: str = "t"
) -> PathStates:
    """States at poses, twists and twist rates of a frame; row after row from home.

    Without `components`, poses that vary a component which the mechanism does not move are refused.
    """
    moved = output_of(model, frame, components)
    pose, twist, rate = given
    named: dict[str, Any] = {"frame": moved.frame, "components": None if len(moved.components) == 6 else moved.names}

    def solve(rows: slice, start: Any) -> Array:
        part = Pose(pose.position[rows], pose.quaternion_wxyz[rows])
        return _call_without_warnings(model.inverse_kinematics, part, near=near if start is None else start, **named)[0]

    def again(at: Pose, q: Array) -> Array:
        return model.inverse_kinematics(at, near=q, **named)[0]

    failed = first_unreached(len(t), solve)
    if failed is not None:
        row, before = failed
        start = model.assemble().q if before is None and near is None else near if before is None else before
        wanted = Pose(pose.position[row], pose.quaternion_wxyz[row])
        raise first_unreached_error(
            model, t, row, lambda: again(wanted, start), (moved, np.asarray(start), wanted, again), along
        )
    first = "previous" if near is None else near
    found = PathStates(*_call_without_warnings(model.inverse_kinematics, pose, twist, rate, near=first, **named))
    if components is None:
        require_followed(model, moved, pose, found.q)
    return found


def _call_without_warnings(function: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """A call without warnings of rows that have no result."""
    with withheld_warnings(BatchWarning):
        return function(*given, **named)
