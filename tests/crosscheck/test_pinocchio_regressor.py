"""The regressor of UR5 and its number of base parameters against Pinocchio's joint torque regressor."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.functions.loop.regressor_functions import INERTIAL
from tests.crosscheck.test_pinocchio_robots import FILES, ROBOTS, pin

# Their order of the inertia tensor's entries.
ORDER = [INERTIAL.index(kind) for kind in ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")]


@pytest.fixture(scope="module")
def ur5():
    path = ROBOTS / FILES["ur5"]
    if not path.exists():
        pytest.skip("the pip package example-robot-data is not installed")
    return lw.build(lw.load(path)), pin.buildModelFromUrdf(str(path))


def their_regressor(theirs, ours: lw.Model, q, v, a) -> np.ndarray:
    """Their regressor with rows in our order of the velocities."""
    at = [theirs.joints[theirs.getJointId(name)].idx_v for name in ours.v_names]
    state = [np.zeros(theirs.nv) for _ in range(3)]
    for whole, part in zip(state, (q, v, a), strict=True):
        whole[at] = part
    return pin.computeJointTorqueRegressor(theirs, theirs.createData(), *state)[at]


def test_columns_of_every_link_agree(ur5) -> None:
    ours, theirs = ur5
    rng = np.random.default_rng(5)
    names = ours.regressor_parameters.names
    child = {joint.name: joint.child for joint in ours.mechanism.joints}
    for _ in range(5):
        q, v, a = rng.normal(size=(3, 6))
        Y, wanted = ours.regressor(q, v, a), their_regressor(theirs, ours, q, v, a)
        for joint in ours.v_names:
            first = names.index(f"{child[joint]}.m")
            number = 10 * (theirs.getJointId(joint) - 1)
            block = Y[:, first : first + 10][:, ORDER]
            assert np.allclose(block, wanted[:, number : number + 10], rtol=1e-11, atol=1e-11)


def test_ur5_has_36_inertial_base_parameters(ur5) -> None:
    """7 N - 4 - 2 (Mayeda, Yoshida, Osuka 1990); the same by the rank of their regressor."""
    ours, theirs = ur5
    rng = np.random.default_rng(6)
    W = np.concatenate([their_regressor(theirs, ours, *rng.normal(size=(3, 6))) for _ in range(60)])
    values = np.linalg.svd(W, compute_uv=False)
    found = len(lw.analysis.base_parameters(ours, parameters=["inertial"]))
    assert found == int(np.sum(values > 1e-10 * values[0])) == 36
