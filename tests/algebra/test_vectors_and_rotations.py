"""Cross products, turns, quaternions and poses against their definitions and SciPy's rotations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation as Reference

from linkwright.algebra import rotations
from linkwright.algebra.rotations import Full, Rotation, Turn, axis_rotation, factor_rotation
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.algebra.vectors import cross_product, join_twist, skew, spin_acceleration_matrix, twist_bracket
from tests.strategies import error, rate

TOLERANCE = 1e-14
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@given(seeds)
def test_cross_skew_and_bracket(rng):
    a, b = rng.normal(size=(2, 3))
    s, t = rng.normal(size=(2, 6))
    assert error(cross_product(a, b), np.cross(a, b)) < TOLERANCE
    assert error(skew(a) @ b, np.cross(a, b)) < TOLERANCE
    bracket = join_twist(np.cross(t[:3], s[:3]), np.cross(t[3:], s[:3]) + np.cross(t[:3], s[3:]))
    assert error(twist_bracket(t) @ s, bracket) < TOLERANCE
    assert error(twist_bracket(t) @ s, -twist_bracket(s) @ t) < TOLERANCE


@given(seeds)
def test_the_spin_rate_is_what_accelerates_an_arm(rng):
    omega, alpha, r = rng.normal(size=(3, 3))
    acceleration = np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
    assert error(spin_acceleration_matrix(omega, alpha) @ r, acceleration) < TOLERANCE


@given(seeds)
def test_quaternions_are_rotations(rng):
    wxyz, other = (x / np.linalg.norm(x) for x in rng.normal(size=(2, 4)))
    R = rotations.rotation_matrix(wxyz)
    assert error(R, Reference.from_quat(wxyz, scalar_first=True).as_matrix()) < TOLERANCE
    both = rotations.rotation_matrix(rotations.quaternion_product(wxyz, other))
    assert error(both, R @ rotations.rotation_matrix(other)) < TOLERANCE
    back = rotations.from_matrix(R)
    assert back[0] >= 0 and error(back, wxyz * np.sign(wxyz[0])) < TOLERANCE


@pytest.mark.parametrize("axis", np.eye(3))
@pytest.mark.parametrize("angle", [0.0, 1e-9, np.pi / 2, np.pi - 1e-9, np.pi])
def test_quaternions_of_half_turns_keep_their_digits(axis, angle):
    R = Reference.from_rotvec(angle * axis).as_matrix()
    assert error(rotations.rotation_matrix(rotations.from_matrix(R)), R) < TOLERANCE


@given(seeds)
def test_the_quaternion_rate_turns_the_child_axes(rng):
    wxyz, omega = rng.normal(size=4), 0.5 * rng.normal(size=3)
    wxyz = wxyz / np.linalg.norm(wxyz)
    R_dot = rate(lambda h: rotations.rotation_matrix(wxyz + h * rotations.quaternion_rate(wxyz, omega)))
    assert error(R_dot, rotations.rotation_matrix(wxyz) @ skew(omega)) < 1e-11


def a_rotation(rng) -> Rotation:
    full = Reference.random(random_state=int(rng.integers(2**31))).as_matrix()
    return (
        axis_rotation(0, rng.normal())
        * Rotation((Full(full),))
        * axis_rotation(2, rng.normal())
        * axis_rotation(1, rng.normal())
    )


@given(seeds)
def test_a_product_of_turns_acts_as_its_matrix(rng):
    R, x, B = a_rotation(rng), rng.normal(size=3), rng.normal(size=(3, 3))
    matrix, S = R.matrix, B + B.T
    assert error(R @ x, matrix @ x) < TOLERANCE
    assert error(R.T.matrix, matrix.T) < TOLERANCE
    assert error(R.similar(B), matrix @ B @ matrix.T) < TOLERANCE
    assert error(R.similar_symmetric(S), matrix @ S @ matrix.T) < TOLERANCE
    similar = R.similar_symmetric(S)
    assert error(similar, similar.T) < TOLERANCE


@pytest.mark.parametrize("axis", range(3))
@given(angle=st.floats(-7, 7))
def test_a_turn_is_right_handed(axis, angle):
    assert (
        error(axis_rotation(axis, angle).matrix, Reference.from_rotvec(angle * np.eye(3)[axis]).as_matrix()) < TOLERANCE
    )


@pytest.mark.parametrize("axis", range(3))
def test_a_turn_about_a_coordinate_axis_is_factored_as_one(axis):
    (factor,) = factor_rotation(axis_rotation(axis, 0.7).matrix).factors
    assert isinstance(factor, Turn) and factor.axis == axis
    assert factor_rotation(np.eye(3)).factors == ()


@given(seeds, st.floats(-16, 0))
def test_factoring_drops_no_digit_of_a_small_tilt(rng, exponent):
    tilt = Reference.from_rotvec(10.0**exponent * rng.normal(size=3)) * Reference.from_euler("z", rng.normal())
    matrix = tilt.as_matrix()
    assert np.abs(factor_rotation(matrix).matrix - matrix).max() <= 1e-16


@given(seeds)
def test_poses_compose_and_invert(rng):
    rpy, xyz, wxyz = rng.uniform(-3, 3, 3), rng.normal(size=3), rng.normal(size=4)
    a, b = RigidTransform.from_rpy(xyz, rpy), RigidTransform.from_quaternion(2 * xyz, wxyz)
    assert error(a.R, Reference.from_euler("xyz", rpy).as_matrix()) < TOLERANCE
    assert error((a @ b).r, a.r + a.R @ b.r) < TOLERANCE
    assert error((a @ b).R, a.R @ b.R) < TOLERANCE
    assert error((a @ a.inverse).r, np.zeros(3)) < TOLERANCE
    assert error((a.inverse @ a).R, np.eye(3)) < TOLERANCE
    assert error(RigidTransform.from_quaternion(a.xyz, a.wxyz).R, a.R) < TOLERANCE
    assert hash(a) == hash(RigidTransform(a.xyz, a.rows))


@pytest.mark.parametrize("quarters", [(1, 0, 0), (0, 1, 0), (0, 0, 3), (2, 1, 0), (1, 1, 1)])
def test_right_angles_are_exactly_sparse(quarters):
    R = RigidTransform.from_rpy((0, 0, 0), 0.5 * np.pi * np.array(quarters)).R
    assert set(np.unique(R)) <= {-1.0, 0.0, 1.0}


@given(seeds)
def test_frame_with_z(rng):
    z = rng.normal(size=3)
    z = z / np.linalg.norm(z)
    R = frame_with_z(z)
    assert error(R[:, 2], z) < TOLERANCE
    assert error(R.T @ R, np.eye(3)) < TOLERANCE and np.linalg.det(R) > 0


@pytest.mark.parametrize("axis", [*np.eye(3), *-np.eye(3)])
def test_frame_with_z_is_exact_along_coordinate_axes(axis):
    R = frame_with_z(axis)
    assert np.array_equal(R[:, 2], axis) and np.array_equal(R.T @ R, np.eye(3)) and np.linalg.det(R) == 1.0
