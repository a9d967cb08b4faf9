"""What can be exported where, from Python and from the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from linkwright.cli import main
from linkwright.export.exported_functions import function_to_export
from linkwright.export.listing import SINGLE, list_functions
from tests.export.learners import given, model


def run(*arguments):
    found = CliRunner().invoke(main, ["export", *arguments])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.parametrize("name", ["five-bar", "three-link-arm"])
def test_what_is_listed_can_be_exported_and_the_rest_says_why(name):
    rows = {x.name: x for x in list_functions(model(name))}
    assert rows["mass_matrix"].targets == SINGLE and rows["forward_kinematics"].targets == ("jax", "torch")
    assert all(x.reason for x in rows.values() if not x.targets)
    for x in ("mass_matrix", "forward_kinematics", "frame_jacobian"):
        function_to_export(model(name), x, model(name).bodies[-1] if rows[x].frame else None)


def test_the_command_line_lists_and_writes(tmp_path):
    rows = json.loads(run("list", "five-bar", "--target", "jax", "--json"))
    assert {"forward_kinematics", "forward_dynamics"} <= {x["name"] for x in rows if "jax" in x["targets"]}
    assert "closure_residual" in run("list", "five-bar")
    made = json.loads(run("ros2", "five-bar", "-o", str(tmp_path / "robot"), "--name", "arm", "--json"))
    assert made["files"] == ["arm.launch.py", "arm.urdf", "arm_relay.py"]
    assert sorted(x.name for x in (tmp_path / "robot").iterdir()) == made["files"]


def test_casadi_reads_the_file_of_the_command_line(tmp_path):
    casadi = pytest.importorskip("casadi")
    path = tmp_path / "f.casadi"
    run("casadi", "five-bar", "forward_dynamics", "-o", str(path))
    _, x, expected = given("five-bar", "forward_dynamics")
    found = casadi.Function.load(str(path))(*(each[0] for each in x))
    assert np.abs(np.asarray(found)[:, 0] - expected[0]).max() <= 1e-12 * np.abs(expected[0]).max()


def test_jax_reads_the_file_of_the_command_line(tmp_path):
    jax = pytest.importorskip("jax")
    pytest.importorskip("flatbuffers")
    path = tmp_path / "f.jax"
    run("jax", "five-bar", "forward_dynamics", "-o", str(path))
    _, x, expected = given("five-bar", "forward_dynamics")
    with jax.enable_x64(True):
        function = jax.export.deserialize(bytearray(path.read_bytes()))
        assert np.abs(np.asarray(function.call(*x)) - expected).max() <= 1e-12 * np.abs(expected).max()
        assert np.isfinite(jax.grad(lambda q: function.call(q, *x[1:]).sum())(x[0])).all()
