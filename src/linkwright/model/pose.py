"""The pose of a frame in the world as users give and get it; a pair, so that it unpacks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwright.algebra.quaternion import rotation_matrix
from linkwright.dataclass import record_repr


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

    def __repr__(self) -> str:
        return record_repr(self)

    @property
    def rotation(self) -> np.ndarray:
        """Rotation matrix, (..., 3, 3); its columns are the frame's axes in world axes."""
        matrix = rotation_matrix(np.moveaxis(self.quaternion_wxyz, -1, 0))
        return np.moveaxis(matrix, (0, 1), (-2, -1))
