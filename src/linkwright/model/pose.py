"""The pose of a frame as users give and get it, and what stays while inputs of a model change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from linkwright.algebra.rotations import rotation_matrix
from linkwright.dataclass import dataclass

# --- the pose of a frame in the world as users give and get it; a pair, so that it unpacks ----------------------------


class Pose(NamedTuple):
    """Position and orientation of a frame or of several, one or any leading batch axes; unpacks to a pair.

    Attributes:
        position: origin, (..., 3), [m], world axes.
        quaternion_wxyz: unit quaternion w x y z, (..., 4).

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> pose = arm.frame_pose([0.0, 0.0, 0.0], "link3")
    >>> position, quaternion_wxyz = pose
    >>> pose.position is position, pose.quaternion_wxyz.shape
    (True, (4,))
    """

    position: np.ndarray
    quaternion_wxyz: np.ndarray

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix, (..., 3, 3); its columns are the frame's axes in world axes."""
        matrix = rotation_matrix(np.moveaxis(self.quaternion_wxyz, -1, 0))
        return np.moveaxis(matrix, (0, 1), (-2, -1))


# --- what stays while inputs of a model change ------------------------------------------------------------------------


@dataclass(frozen=True)
class FixedPose:
    """A frame whose pose stays while inputs of a model change, in derivatives with loops kept closed.

    Attributes:
        frame: a frame or body; None takes the model's output, as `inverse_kinematics` does.
        components: those of x y z rx ry rz that stay; None for all in which the frame moves.
    """

    frame: str | None = None
    components: Sequence[str] | None = None


Fixed = Literal["actuators", "pose", "state"] | FixedPose
"""What stays while an input changes."""
