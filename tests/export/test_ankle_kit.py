"""The kit of a submechanism: a humanoid ankle in C, motors to joints and back, over its whole range."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.export import c_kit
from tests.export.test_kit import COMPILERS, Robot, _at, built

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "howto" / "humanoid-ankle.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler is installed")


@pytest.fixture(scope="module")
def mechanism(tmp_path_factory):
    path = tmp_path_factory.mktemp("ankle") / "ankle.yaml"
    path.write_text(re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1], encoding="utf-8")
    return lw.load(path)


@pytest.fixture(scope="module")
def ankle(mechanism):
    return lw.submechanism(mechanism, ["motor1", "motor2"], ["ankle"])


@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_kit_passes_its_self_test(tmp_path, ankle, compiler, precision):
    kit = c_kit(ankle, frame="foot", precision=precision)
    assert {"output_kinematics", "output_jacobian", "input_jacobian", "output_mass_matrix"} <= set(kit.figures)
    lines = built(kit, tmp_path, compiler, "-O1").splitlines()
    assert lines[-1] == "passed" and len(lines) == 1 + len(kit.figures)


def test_parameters_reach_both_sides(tmp_path, mechanism):
    sub = lw.submechanism(mechanism, ["motor1", "motor2"], ["ankle"], parameters=["joints.rod1.length"])
    longer = sub.with_parameters({"joints.rod1.length": 0.262})
    x = np.radians([12.0, -5.0])
    state = longer.from_outputs(x, [1.0, 0.5])
    assert not np.allclose(state.inputs, sub.from_outputs(x).inputs, atol=1e-3)
    assert longer.from_inputs(state.inputs).outputs == pytest.approx(x, abs=1e-12)
    assert longer.jacobian(state.q) @ state.input_rates == pytest.approx([1.0, 0.5], abs=1e-10)
    lines = built(c_kit(sub, "robot", frame="foot"), tmp_path, COMPILERS[0], "-O1").splitlines()
    assert lines[-1] == "passed"


def test_a_struct_of_parameters_changes_every_function(tmp_path, mechanism):
    """At other values than the file's: both maps, Jacobians, inertia and bias as the library has them there."""
    names = ["joints.rod1.length", "bodies.foot.mass"]
    sub = lw.submechanism(mechanism, ["motor1", "motor2"], ["ankle"], parameters=names)
    robot, p, x = Robot(sub, tmp_path), np.array([0.2608, 1.3]), np.radians([8.0, -6.0])
    state = sub.from_outputs(x, [0.4, -0.2], [1.0, 0.5], p=p)
    assert robot("output_kinematics", x, [0.4, -0.2], [1.0, 0.5], p) == 0 and robot.residual < 1e-12
    assert robot.q == pytest.approx(state.q, abs=1e-12)
    assert robot("forward_kinematics", state.inputs, state.input_rates, state.input_accelerations, p) == 0
    assert robot.q == pytest.approx(state.q, abs=1e-12)
    expected = {
        "output_jacobian": sub.jacobian(state.q, p=p),
        "input_jacobian": sub.inverse_jacobian(state.q, p=p),
        "output_mass_matrix": sub.inertia(state.q, p=p),
        "mass_matrix": sub.inertia(state.q, "inputs", p=p),
        "output_bias": sub.bias(state.q, state.v, p=p),
        "bias": sub.bias(state.q, state.v, "inputs", p=p),
    }
    for title, x in expected.items():
        out = np.zeros(x.shape)
        assert robot(title, out, p) == 0
        assert out == pytest.approx(x, rel=1e-9, abs=1e-12), title
    assert "in closed form" in robot.kit.files["robot.h"] and "OUTPUT_LEG_rod1" in robot.kit.files["robot.h"]


def test_no_point_of_the_range_fails(tmp_path, ankle):
    """375 points of pitch and roll, row by row as a controller passes them: both ways on the branch of the library."""
    robot = Robot(ankle, tmp_path)
    pitch, roll = np.radians(np.linspace(-40, 40, 25)), np.radians(np.linspace(-20, 20, 15))
    path = [(a, b) for i, a in enumerate(pitch) for b in (roll if i % 2 == 0 else roll[::-1])]
    expected = ankle.from_outputs(path).inputs
    for start in np.linspace(0.0, 1.0, 40):
        assert robot("output_kinematics", start * np.array(path[0]), None, None) == 0
    found, x, rest = np.zeros((375, 2)), np.zeros(2), np.zeros(4)
    for k, point in enumerate(path):
        assert robot("output_kinematics", point, None, None) == 0, k
        robot.code.robot_actuators(_at(robot.state), _at(x), _at(rest), _at(rest))
        found[k] = x
    assert np.abs(found - expected).max() < 1e-12
    for k in reversed(range(375)):
        assert robot("forward_kinematics", expected[k], None, None) == 0, k
        robot.code.robot_outputs(_at(robot.state), _at(x), _at(rest), _at(rest))
        assert np.abs(x - path[k]).max() < 1e-12
