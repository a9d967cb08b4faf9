"""Poses turned by half a turn, where the sine of the error vanishes as it does at no turn."""

import numpy as np
import pytest

import linkwright as lw

AXES = np.array([*np.eye(3), [1, 1, 0], [0, 1, -1], [1, -2, 3]]) / np.sqrt([[1], [1], [1], [2], [2], [14]])


def turned(pose, axis, angle):
    """A pose turned about an axis of the world."""
    s, x = np.cos(angle / 2), np.sin(angle / 2) * axis
    w, u = pose.quaternion_wxyz[0], pose.quaternion_wxyz[1:]
    return pose.position, np.array([s * w - x @ u, *(s * u + w * x + np.cross(x, u))])


@pytest.mark.parametrize("name", ["delta", "five-bar", "3-rrr", "gough-stewart", "hexam"])
def test_a_pose_of_half_a_turn_is_reached_or_refused(name):
    model = lw.build(lw.catalog.load(name))
    frame = model.mechanism.platform
    pose = model.frame_pose(model.assemble().q, frame)
    for axis in AXES:
        for angle in (np.pi, np.pi - 1e-9, np.pi + 1e-5, -np.pi + 1e-3):
            r, wanted = turned(pose, axis, angle)
            try:
                q = model.inverse_kinematics((r, wanted))[0]
            except lw.errors.LinkwrightError:
                continue
            found = model.frame_pose(q, frame).quaternion_wxyz
            assert abs(abs(found @ wanted) - 1.0) < 1e-12
