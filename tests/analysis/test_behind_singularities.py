"""Poses that are reached only through a singularity, against the Delta's closed form.

The rods of a pair are parallel, so that each pair keeps the platform from turning about one axis: at right angles to
the rods and to the side between them. Where the three axes lie in a plane the platform can turn, a constraint
singularity; the determinant of the axes has another sign on its two sides.
"""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import BatchWarning
from tests.analysis import closed_forms as delta_lengths

GRID = {"x": (-0.3, 0.3, 33), "y": (-0.3, 0.3, 33), "z": (-0.36, 0.0, 23)}


@pytest.fixture(scope="module")
def delta():
    return lw.build(lw.catalog.load("delta"))


@pytest.fixture(scope="module")
def found(delta):
    return lw.analysis.workspace(delta, GRID, refine=False)


@pytest.fixture(scope="module")
def poses(found):
    return np.stack(np.meshgrid(*found.axes, indexing="ij"), axis=-1).reshape(-1, 3)


def determinant_of_held_axes(poses):
    """Determinants (n,) at positions (n, 3); NaN out of reach."""
    with np.errstate(invalid="ignore"):
        angles = delta_lengths.delta_angles(poses.T)
    axes = []
    for turn, angle in zip((0.0, 2 * np.pi / 3, -2 * np.pi / 3), angles):
        out, side = np.array([np.cos(turn), np.sin(turn), 0.0]), np.array([-np.sin(turn), np.cos(turn), 0.0])
        elbow = (delta_lengths.BASE_RADIUS + delta_lengths.ARM * np.cos(angle))[:, None] * out
        elbow[:, 2] = -delta_lengths.ARM * np.sin(angle)
        axis = np.cross(side, poses + delta_lengths.PLATFORM_RADIUS * out - elbow)
        axes.append(axis / np.linalg.norm(axis, axis=1, keepdims=True))
    return np.sum(axes[0] * np.cross(axes[1], axes[2]), axis=1)


def sides(delta, poses):
    """1 on the side of home, -1 behind the singularity, NaN out of reach; (n,)."""
    home = delta.frame_pose(delta.assemble().q, "platform").position
    return np.sign(determinant_of_held_axes(poses) / determinant_of_held_axes(home[None]))


def test_poses_behind_a_constraint_singularity_have_their_own_reason(delta, found, poses):
    side, code = sides(delta, poses), found.code.ravel()
    behind, out = (found.reasons.index(name) for name in ("behind a singularity", "out of reach"))
    assert np.all(side[code == 0] == 1.0) and np.all(code[np.isnan(side)] == out)
    assert np.sum(side == -1.0) > 100 and np.mean(code[side == -1.0] == behind) > 0.98
    assert np.mean(code[side == 1.0] == 0) > 0.98  # some cannot be reached but from behind
    assert np.sum(code[np.isfinite(side)] == out) < 10  # next to the end of a leg, where Newton steps fail


def test_inverse_kinematics_reaches_what_the_workspace_has_inside(delta, found, poses):
    at = lw.Pose(poses, np.tile([1.0, 0.0, 0.0, 0.0], (len(poses), 1)))
    with pytest.warns(BatchWarning):
        q = delta.inverse_kinematics(at, components=["x", "y", "z"])[0]
    assert np.all(np.isfinite(q[found.code.ravel() == 0, 0]))
