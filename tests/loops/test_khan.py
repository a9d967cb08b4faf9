"""Khan, Krovi, Saha, Angeles 2005: the planar 3-RRR manipulator, geometry, inverse dynamics, Jacobians, free fall."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from linkwright.functions.loop import multiplier_functions
from linkwright.kinematics.assembly import find_assembly_modes
from linkwright.kinematics.forward_kinematics import follow_actuator_path
from tests.loops.cases import apart, ask, case, efforts
from tests.loops.mechanisms import mechanics

NAME = "3-rrr"


def chain_angles(q):
    """The paper's nine angles, leg by leg, from ours (theta_1..6, vertex3); exact but for whole turns."""
    theta7 = q[..., 2] + q[..., 5] + q[..., 6]
    legs = [(q[..., i], q[..., i + 3], theta7 - q[..., i] - q[..., i + 3]) for i in range(3)]
    return np.stack([x for leg in legs for x in leg], axis=-1)


def platform(made, q):
    """Centroid and angle, (n, 3)."""
    body = ask(made.all_rows, "body_poses", q)[:, -1]
    return np.stack([body[:, 0], body[:, 1], q[:, 2] + q[:, 5] + q[:, 6]], axis=-1)


@pytest.fixture(scope="module")
def motion():
    """The prescribed motion: q, v, a along the path of the actuators, never leaving the start's branch."""
    data, made = case("khan_3rrr_inverse"), mechanics(NAME)
    q = follow_actuator_path(made.kinematics, np.array(data["thetaA"]), made.home)
    both = ask(made.minimal, "checked_motion", q, np.array(data["thetaA_d"]), np.array(data["thetaA_dd"]))
    v, a = both[:, 0], both[:, 1]
    return q, v, a


def test_the_printed_start_is_closed_and_there_are_two_assembly_modes():
    data, made = case("khan_3rrr_geometry"), mechanics(NAME)
    expected, tolerance = data["expected"], data["tolerance_abs"]
    found = find_assembly_modes(made.kinematics, np.array(expected["thetaA0"]))
    assert len(found) == 2
    for mode in expected["all_real_assembly_modes_at_thetaA0"]:
        q = min((c.q for c in found), key=lambda q: apart(q[3:6], mode["theta4_6"]))
        pose = platform(made, q[None])[0]
        assert apart(q[3:6], mode["theta4_6"]) < tolerance
        assert np.abs(pose[:2] - mode["pose"][:2]).max() < tolerance
        assert apart(pose[2], mode["pose"][2]) < tolerance
    assert apart(chain_angles(found[0].q), expected["theta9"]) < tolerance


def test_kinematics_along_the_path(motion):
    data, made = case("khan_3rrr_inverse"), mechanics(NAME)
    q, v, a = motion
    expected, tolerance = data["expected"], data["tolerance_abs"]
    pose = platform(made, q)
    assert np.abs(pose[:, :2] - np.array(expected["pose"])[:, :2]).max() < tolerance
    assert apart(pose[:, 2], np.array(expected["pose"])[:, 2]) < tolerance
    assert apart(chain_angles(q), expected["theta9"]) < tolerance
    assert np.abs(chain_angles(v) - expected["theta9_d"]).max() < tolerance
    assert np.abs(chain_angles(a) - expected["theta9_dd"]).max() < tolerance


def test_torques_along_the_path(motion):
    data = case("khan_3rrr_inverse")
    tau = efforts(mechanics(NAME), *motion)
    assert np.abs(tau - data["expected"]["tau"]).max() < data["tolerance_abs"]


def test_forward_dynamics_returns_the_path(motion):
    q, v, a = motion
    tau = np.array(case("khan_3rrr_inverse")["expected"]["tau"])
    again = ask(mechanics(NAME).kernels, "loop_forward_dynamics", q, v, tau)[0]
    assert np.abs(again - a).max() < 1e-9


@pytest.mark.parametrize("index", range(3))
def test_jacobians_and_inertia(index):
    """J = P L B P of the paper is the independent map, and J^T I J the minimal inertia."""
    data, made = case("khan_3rrr_jacobians"), mechanics(NAME)
    config, tolerance = data["configurations"][index], data["tolerance_abs"]
    q = follow_actuator_path(made.kinematics, np.array([config["thetaA"]]), made.home)
    R = ask(made.minimal, "independent_map", q)[0]
    J = chain_angles(R.T).T
    assert np.abs(J - config["J"]).max() < tolerance
    assert np.abs(np.array(config["loop_constraint_jacobian_A"]) @ J).max() < tolerance
    assert np.abs(ask(made.minimal, "minimal_inertia", q)[0] - config["GIM_3x3"]).max() < tolerance
    omega = J[:3].sum(axis=0)
    assert np.abs(omega - config["platform_twist_map_tP_over_thetaA_d"][0]).max() < tolerance
    free = config["forward_zero_torque_thetaA_dd_at_listed_rates"]
    v = (R @ free["thetaA_d"])[None]
    a = ask(made.kernels, "loop_forward_dynamics", q, v, np.zeros((1, 3)))[0][0]
    assert np.abs(a[:3] - free["thetaA_dd"]).max() < 100 * tolerance


def test_free_fall():
    data, made = case("khan_3rrr_freefall"), mechanics(NAME)
    forward, tau, t = (
        made.kernels.function(multiplier_functions.loop_forward_dynamics),
        np.zeros(3),
        np.array(data["t"]),
    )

    def rates(_, x):
        return np.concatenate([x[7:], forward(x[:7], x[7:], tau)[0]])

    start = np.concatenate([made.home, np.zeros(7)])
    run = solve_ivp(rates, (0.0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-13)
    q, v = run.y[:7].T, run.y[7:].T
    expected, tolerance = data["expected"], data["tolerance_abs"]
    assert np.abs(q[:, :3] - expected["thetaA"]).max() < tolerance
    assert np.abs(v[:, :3] - expected["thetaA_d"]).max() < 10 * tolerance
    assert apart(chain_angles(q), expected["theta9"]) < tolerance
    energy = ask(made.all_rows, "energy", q, v).sum(axis=1)
    assert np.abs(energy - expected["total_energy_J"]).max() < tolerance * expected["total_energy_J"]
