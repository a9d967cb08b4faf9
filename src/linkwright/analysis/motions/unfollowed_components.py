"""Components of given poses that a frame does not follow: a motion that varies them is refused, not cut short."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.rotations import quaternion_product
from linkwright.analysis.performance.output_components import NAMES, OutputFrame
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import SAME_CONFIGURATION

Array = np.ndarray


def require_followed(model: Model, moved: OutputFrame, given: Pose, q: Array) -> None:
    """Refuse poses (n) that vary a component which the states q (n, nq) do not follow.

    Constants pass: rows may have zeros where the mechanism stands elsewhere. So do components that the mechanism turns
    or shifts in this very way without being asked.
    """
    others = [i for i in range(6) if i not in moved.components]
    if not others or not len(q):
        return
    wanted = _since_first(given)
    unit = np.array([1.0] * 3 + [float(model.kinematics.scales.length)] * 3)
    varied = [i for i in others if np.abs(wanted[:, i]).max() > SAME_CONFIGURATION * unit[i]]
    if not varied:
        return
    off = _since_first(_pose_difference(given, model.frame_pose(q, moved.frame)))
    lost = [NAMES[i] for i in varied if np.abs(off[:, i]).max() > SAME_CONFIGURATION * unit[i]]
    if lost:
        raise ArgumentError(
            f"the given poses vary {', '.join(lost)}, which the output '{moved.description}' of "
            f"'{model.mechanism.name}' does not follow; keep {'it' if len(lost) == 1 else 'them'} constant, or name "
            f"the components that count, components={list(moved.names)}",
            name="pose",
        )


def _since_first(pose: Pose) -> Array:
    """Turns and shifts since the first row in the order of NAMES, (n, 6), world axes; of turns, 2 sin(angle / 2)."""
    shift = pose.position - pose.position[0]
    turn = _turn_between(pose.quaternion_wxyz, np.broadcast_to(pose.quaternion_wxyz[0], pose.quaternion_wxyz.shape))
    return np.concatenate([2.0 * turn[:, 1:] * np.where(turn[:, :1] < 0.0, -1.0, 1.0), shift], axis=1)


def _pose_difference(wanted: Pose, found: Pose) -> Pose:
    return Pose(wanted.position - found.position, _turn_between(found.quaternion_wxyz, wanted.quaternion_wxyz))


def _turn_between(to: Array, start: Array) -> Array:
    """Quaternions (n, 4) of the turns in world axes from `start` to `to`."""
    return quaternion_product(to.T, (start * np.array([1.0, -1.0, -1.0, -1.0])).T).T
