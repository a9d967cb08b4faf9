"""The public pose: what `frame_pose` gives is what kinematics take, as a record or as a pair, alone and in batches."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.viewer.body_tracks import walk_outward

MODEL = lw.build(lw.catalog.load("gough-stewart"))
HOME = MODEL.assemble().q


def test_a_pose_unpacks_to_position_and_quaternion():
    pose = MODEL.frame_pose(np.stack([HOME, HOME]), "platform")
    position, quaternion_wxyz = pose
    assert isinstance(pose, lw.Pose)
    assert position.shape == (2, 3) and quaternion_wxyz.shape == (2, 4)
    assert pose.position is position and pose.quaternion_wxyz is quaternion_wxyz


@pytest.mark.parametrize("form", [lambda pose: pose, tuple, list], ids=["record", "tuple", "list"])
def test_inverse_kinematics_returns_to_the_pose_it_is_given(form):
    at = MODEL.frame_pose(HOME, "platform")
    moved = lw.Pose(at.position + [0.01, -0.02, 0.03], at.quaternion_wxyz)
    q, _, _ = MODEL.inverse_kinematics(form(moved), near=HOME)
    reached = MODEL.frame_pose(q, "platform")
    assert reached.position == pytest.approx(moved.position, abs=1e-12)
    assert abs(reached.quaternion_wxyz @ moved.quaternion_wxyz) == pytest.approx(1.0, abs=1e-12)


def test_working_modes_take_a_pose():
    model = lw.build(lw.catalog.load("3-rrr"))
    pose = model.frame_pose(model.assemble().q, "platform")
    modes = model.working_modes(pose, guesses=64)
    assert modes
    for mode in modes:
        assert model.frame_pose(mode.q, "platform").position == pytest.approx(pose.position, abs=1e-9)


@pytest.mark.parametrize("name", ["gough-stewart", "puma-560"])
def test_poses_of_all_bodies_are_those_of_a_walk_along_the_joints(name):
    model = lw.build(lw.catalog.load(name))
    home = model.assemble().q
    q = np.stack([home, home + 0.1]) if name == "puma-560" else np.stack([home, home])
    poses, (origins, rotations) = model.body_poses(q), walk_outward(model.mechanism, q)
    assert np.abs(poses.position - origins).max() < 1e-13
    assert np.abs(poses.rotation - rotations).max() < 1e-13


def test_poses_of_all_bodies_are_those_of_each():
    model = lw.build(lw.catalog.load("four-bar-flexible"))
    q = model.assemble().q
    poses = model.body_poses(q)
    for i, body in enumerate(model.bodies):
        alone = model.frame_pose(q, body)
        assert np.abs(poses.position[i] - alone.position).max() < 1e-14
        assert np.abs(poses.rotation[i] - alone.rotation).max() < 1e-14
