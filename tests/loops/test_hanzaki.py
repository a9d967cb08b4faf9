"""Rahmani Hanzaki, Yoosefi 2011: the 3-RPS manipulator, driving forces and spherical-joint forces of three motions."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.functions import setup
from linkwright.kinematics.forward_kinematics import follow_actuator_path
from tests.loops import worlds
from tests.loops.cases import ask, case, completed, cut_forces, efforts
from tests.loops.mechanisms import Mechanics, mechanics

NAME = "3-rps"
LENGTHS = [9, 10, 11]  # speeds of s1, s2, s3
WEIGHTLESS = Mechanics(setup(replace(catalog.load(NAME), gravity=(0.0, 0.0, 0.0)), None))


@pytest.fixture(scope="module", params=["A", "B", "C"])
def run(request):
    """A motion of the legs with everything that follows from it."""
    data = case("rps3")["runs"][request.param]
    made = mechanics(NAME) if data["g"] else WEIGHTLESS
    d, rate, second = (np.array(data[k]) for k in ("d", "d_dot", "d_ddot"))
    q = follow_actuator_path(made.kinematics, 0.26 + d, made.home)
    return data, made, q, *completed(made, q, LENGTHS, rate, second)


def test_kinematics(run):
    data, made, q, v, a = run
    tolerance = case("rps3")["tolerances"]["kin"]
    assert np.abs(q[:, :3] - data["platform_com"]).max() < tolerance
    assert np.abs(np.abs(np.sum(q[:, 3:7] * data["platform_quat"], axis=1)) - 1.0).max() < tolerance
    assert np.abs(q[:, 7:10] - data["gamma"]).max() < tolerance
    assert np.abs(v[:, 6:9] - data["gamma_dot"]).max() < tolerance
    platform = [worlds.bodies(made.setup.mech, *x)["platform"] for x in zip(q, v, a)]
    for name, ours in (
        ("platform_v", [x.vel for x in platform]),
        ("platform_w", [x.omega for x in platform]),
        ("platform_a", [x.acc for x in platform]),
        ("platform_wdot", [x.alpha for x in platform]),
    ):
        assert np.abs(np.array(ours) - data[name]).max() < tolerance


def test_driving_forces(run):
    data, made, q, v, a = run
    tau = efforts(made, q, v, a)
    assert np.abs(tau - data["F_act"]).max() < case("rps3")["tolerances"]["F"]


def test_ball_joint_forces(run):
    data, made, q, v, a = run
    R = np.array([RigidTransform.from_quaternion((0, 0, 0), x).R for x in q[:, 3:7]])
    on_legs = -cut_forces(made, q, v, a, np.array(data["F_act"])) @ R.transpose(0, 2, 1)
    assert np.abs(on_legs - data["f_on_leg_at_B_world"]).max() < case("rps3")["tolerances"]["f"]


def test_forward_dynamics_returns_the_motion(run):
    data, made, q, v, a = run
    again = ask(made.kernels, "loop_forward_dynamics", q, v, np.array(data["F_act"]))[0]
    assert np.abs(again - a).max() < 1e-9
