"""Kits of mechanisms with rods that spin idly, and with actuators at joints that close loops."""

import shutil
import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import MotionWarning
from linkwright.export import c_kit
from linkwright.joints import Spherical
from tests.export.test_kit import COMPILERS, Robot, _at, built
from tests.model.test_undriven import legs_and_platform, rssr, walker

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")


def state(robot):
    """Coordinates, velocities, accelerations."""
    m = robot.model
    return np.split(robot.state[:-1].copy(), [m.nq, m.nq + m.nv])


def efforts(model, q, v, a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        return model.inverse_dynamics(q, v, a)


@pytest.mark.parametrize(("compiler", "axial"), list(zip([*COMPILERS, *COMPILERS], [2e-3, 0.0])))
def test_a_linkage_with_a_rod_between_spherical_joints(tmp_path, compiler, axial):
    """With inertia about the rod and without: the self-test, forward dynamics of the efforts, the spin held."""
    model = lw.build(rssr(4, axial))
    assert model.mobility == 2 and model.na == 1
    kit = c_kit(model, "robot", frame="rocker")
    assert "keep their spin" in kit.files["robot.h"]
    assert set(kit.left_out) == (set() if axial else {"joint_reactions"})  # which a rod without inertia does not have
    lines = built(kit, tmp_path, compiler, "-O1").splitlines()
    assert lines[-1] == "passed" and max(float(line.split()[-1]) for line in lines[:-1]) < 1e-11


def test_the_crank_turns_with_the_spin_held(tmp_path):
    """Along a path: loops closed, Newton steps converge, efforts give the actuator's acceleration back."""
    model = lw.build(rssr(4))
    robot = Robot(model, tmp_path, frame="rocker")
    held = next(i for i, name in enumerate(model.v_names) if name in robot.kit.files["robot.h"].split("velocities ")[1])
    first = model.actuator_positions(robot.q)
    for t in np.linspace(0.0, 0.6, 61):
        assert robot("forward_kinematics", first + np.sin(t), [np.cos(t)], [-np.sin(t)]) == 0
        assert robot.residual < 1e-12
        q, v, a = state(robot)
        assert np.abs(model.closure_residual(q)).max() < 1e-12 and v[held] == a[held] == 0.0
        assert model.actuator_velocities(v, q) == pytest.approx([np.cos(t)], abs=1e-12)
        tau = np.zeros(1)
        assert robot("inverse_dynamics", tau) == 0
        assert tau == pytest.approx(efforts(model, q, v, a), rel=1e-11)
        free = model.forward_dynamics(q, v, tau)  # the rod spins as it likes, the crank accelerates as wanted
        assert model.actuator_accelerations(free, q, v) == pytest.approx([-np.sin(t)], abs=1e-9)


def test_a_platform_on_six_legs_that_spin(tmp_path):
    """6-SPS: from lengths to the pose and back, inertia that the actuators feel with the legs free to spin."""
    model = lw.build(legs_and_platform(1, Spherical()))
    assert model.mobility == 12
    robot = Robot(model, tmp_path, "-O0")
    x = model.actuator_positions(robot.q) + [0.02, -0.01, 0.015, 0.0, -0.02, 0.01]
    assert robot("forward_kinematics", x, np.ones(6) * 0.1, None) == 0
    q, v, a = state(robot)
    assert np.abs(model.closure_residual(q)).max() < 1e-12
    assert model.actuator_positions(q) == pytest.approx(x, abs=1e-12)
    tau, M, bias, pose = np.zeros(6), np.zeros((6, 6)), np.zeros(6), np.zeros(7)
    assert robot("inverse_dynamics", tau) == robot("mass_matrix", M) == robot("bias", bias) == robot("pose", pose) == 0
    assert tau == pytest.approx(efforts(model, q, v, a), rel=1e-10)
    assert np.abs(M - M.T).max() < 1e-10 and bias == pytest.approx(tau, rel=1e-9)  # no acceleration was given
    push = np.array([1.0, -2.0, 0.5, 3.0, 0.0, -1.0])
    found = model.actuator_accelerations(model.forward_dynamics(q, v, tau + push), q, v)
    assert M @ found == pytest.approx(push, rel=1e-8, abs=1e-8)
    robot.code.robot_home(_at(robot.state))
    assert robot("inverse_kinematics", pose, None, None) == 0
    assert model.actuator_positions(robot.q) == pytest.approx(x, abs=1e-11)


@pytest.mark.parametrize("inputs", [[], ["proximal"]])
def test_an_actuator_at_the_joint_that_closes_the_loop(tmp_path, inputs):
    """A five-bar driven at a base joint and at the tip, whose angle is not a coordinate."""
    model = lw.build(lw.catalog.load("five-bar"), ["theta1", "tip"], inputs=inputs)
    robot, p = Robot(model, tmp_path), [model.parameters.values] if inputs else []
    lines = built(robot.kit, tmp_path / "tested", COMPILERS[0], "-O1").splitlines()
    assert lines[-1] == "passed" and max(float(line.split()[-1]) for line in lines[:-1]) < 1e-11
    x = model.actuator_positions(robot.q) + [0.1, -0.2]
    rate, acceleration = np.array([0.5, 0.3]), np.array([-1.0, 2.0])
    assert robot("forward_kinematics", x, rate, acceleration, *p) == 0
    q, v, a = state(robot)
    assert np.abs(model.closure_residual(q)).max() < 1e-12
    assert model.actuator_positions(q) == pytest.approx(x, abs=1e-12)
    assert model.actuator_velocities(v, q) == pytest.approx(rate, abs=1e-12)
    assert model.actuator_accelerations(a, q, v) == pytest.approx(acceleration, abs=1e-11)
    found = np.zeros((3, 2))
    robot.code.robot_actuators(*map(_at, (robot.state, *found, *p)))
    assert found == pytest.approx(np.array([x, rate, acceleration]), abs=1e-11)
    tau = np.zeros(2)
    assert robot("inverse_dynamics", tau, *p) == 0
    assert model.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-9)


def test_a_floating_base_is_refused():
    with pytest.raises(lw.errors.LinkwrightError, match="floating"):
        c_kit(lw.build(walker(0)))
