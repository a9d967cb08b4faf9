"""`assemble`, `fk`, `ik` and `export` on the command line."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def positions(*arguments):
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["positions"]


def test_assembling_holds_what_is_fixed_and_closes_the_rest():
    (found,) = positions("assemble", "four-bar", "--at", "theta=60 deg")
    assert found["q"]["theta"] == pytest.approx(np.pi / 3)
    assert found["residual"] < 1e-12
    assert "closure residual" in run("assemble", "four-bar").output


def test_khans_manipulator_has_two_modes():
    found = positions("assemble", "3-rrr", "--modes")
    assert len(found) == 2 and found[0]["branch"] != found[1]["branch"]


def test_forward_kinematics_inverts_inverse_kinematics():
    target = {"x": 0.05, "y": 0.02, "z": -0.16}
    (there,) = positions("ik", "delta", "--pose", ", ".join(f"{k}={v}" for k, v in target.items()))
    acts = ", ".join(f"motor{i}={there['q'][f'theta{i}']!r}" for i in (1, 2, 3))
    (back,) = positions("fk", "delta", "--at", acts)
    assert back["platform"]["xyz"] == pytest.approx(list(target.values()), abs=1e-12)


def test_a_tree_is_placed_by_its_coordinates():
    (found,) = positions("fk", "three-link-arm", "--at", "theta2=90 deg")
    model = lw.build(lw.catalog.load("three-link-arm"))
    assert found["q"][model.q_names[1]] == pytest.approx(np.pi / 2)


def test_any_body_of_an_arm_is_placed():
    (there,) = positions(
        "ik", "three-link-arm", "--frame", "link3", "--pose", "x=0.3 m, y=0.2 m", "--components", "x y"
    )
    model = lw.build(lw.catalog.load("three-link-arm"))
    assert there["frame"]["xyz"] == pytest.approx([0.3, 0.2, 0.0], abs=1e-12)
    at, _ = model.frame_pose(list(there["q"].values()), "link3")
    assert at == pytest.approx(there["frame"]["xyz"], abs=1e-12)


@pytest.mark.parametrize(
    "arguments, code, message",
    [
        (
            ("assemble", "four-bar", "--at", "thet=1"),
            2,
            "unknown actuator or coordinate 'thet' (did you mean 'theta'?)",
        ),
        (("assemble", "four-bar", "--at", "theta"), 2, "'theta' is not a quantity"),
        (("assemble", "four-bar", "--at", "theta=1 kg"), 2, "--at: theta: '1 kg' is a mass"),
        (("ik", "four-bar", "--pose", "x=1"), 2, "names no platform"),
        (("ik", "four-bar", "--pose", "x=1", "--frame", "croupler"), 2, "unknown frame or body 'croupler'"),
        (("ik", "delta", "--modes", "--components", "x"), 2, "--modes holds the whole pose"),
        (
            ("ik", "delta", "--pose", "x=50 mm"),
            2,
            "--pose names 1 components and the platform of 'delta' has 3 freedoms",
        ),
        (("ik", "gough-stewart", "--pose", "z=9000 m"), 4, "give lengths in meters"),
        (("fk", "none.yaml"), 3, "there is no such file"),
        (("export", "c", "four-bar", "inverse_dynamic"), 2, "unknown function 'inverse_dynamic' of a model"),
    ],
)
def test_mistakes_are_reported(arguments, code, message):
    done = run(*arguments)
    assert message in done.output
    assert done.exit_code == code


def test_exported_c_passes_its_own_test(here):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler is installed")
    done = run("export", "c", "four-bar", "inverse_dynamics", "--name", "bar", "--output", "bar.c")
    assert done.exit_code == 0 and "operations" in done.output
    command = [compiler, "-std=c99", "-O1", "-DBAR_SELFTEST", "bar.c", "-lm", "-o", "bar"]
    subprocess.run(command, check=True)
    assert "worst relative error" in subprocess.run(["./bar"], check=True, capture_output=True, text=True).stdout


def test_a_kit_is_exported_and_passes_its_own_test(here):
    compiler = shutil.which("cc")
    done = run("export", "c", "four-bar", "-o", "kit", "--name", "bar", "--json")
    assert done.exit_code == 0 and "forward_kinematics" in json.loads(done.stdout)["functions"]
    if compiler is None:
        pytest.skip("no C compiler is installed")
    subprocess.run([compiler, "-std=c99", "kit/bar.c", "kit/bar_selftest.c", "-lm", "-o", "bar"], check=True)
    assert "passed" in subprocess.run(["./bar"], check=True, capture_output=True, text=True).stdout


def test_functions_of_frames_are_listed_and_exported(here):
    listed = json.loads(run("export", "c", "four-bar", "--list", "--frame", "coupler", "--json").stdout)
    kit = {x["name"]: x for x in listed["kit"]}
    assert kit["inverse_dynamics"]["operations"] > 0 and kit["forward_kinematics"]["note"] == "by Newton steps"
    assert kit["inverse_kinematics"]["stack"] > 0 and listed["no_kit"] == ""
    found = {x["name"]: x for x in listed["functions"]}
    assert found["frame_pose"]["frame"] and found["inverse_dynamics"]["inputs"] and found["rao_forward"]["reason"]
    assert "target_step" not in found  # internal
    assert all(x["inputs"] or x["reason"] for x in found.values())
    done = run("export", "c", "four-bar", "frame_jacobian", "--frame", "coupler", "--output", "jacobian.c")
    assert done.exit_code == 0 and "operations" in done.output
    refused = run("export", "c", "four-bar", "frame_jacobian")
    assert refused.exit_code == 2 and "name a frame or body" in refused.output


def test_the_schema_is_printed():
    assert json.loads(run("export", "schema").stdout)["title"] == "linkwright mechanism"


def test_assembly_modes_of_a_tree_whose_joints_are_driven_themselves():
    found = CliRunner().invoke(main, ["assemble", "three-link-arm", "--modes"])
    assert found.exit_code == 0 and "mode 1" in found.output
