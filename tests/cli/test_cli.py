"""The command line: exit codes, messages on stderr, the same numbers as the library, JSON."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main

ARM = """format: 1
name: arm
bodies: {link: {mass: 1, com: [0.5, 0, 0]}}
joints: {swing: {type: revolute, parent: ground, child: link, axis: y, limits: {lower: -1, upper: 1}}}
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args):
    return CliRunner().invoke(main, [str(each) for each in args])


def table(path):
    with Path(path).open() as stream:
        head, *rows = csv.reader(stream)
    return head, [[float(x) for x in row] for row in rows]


def verbs(group, path=()):
    """Every verb, those of groups in full."""
    for name, command in group.commands.items():
        yield from verbs(command, (*path, name)) if hasattr(command, "commands") else [(*path, name)]


def test_help_has_an_example_for_every_verb():
    assert run("--help").exit_code == 0
    for verb in verbs(main):
        shown = run(*verb, "--help")
        assert shown.exit_code == 0
        assert "Example" in shown.output
        assert f"linkwright {' '.join(verb)}" in shown.output
        assert "--json" in shown.output or verb == ("export", "schema")  # a schema is JSON anyway


def test_help_is_quick_because_nothing_heavy_is_imported():
    heavy = "numpy scipy pydantic llvmlite ruamel.yaml rich"
    code = f"import sys, linkwright.cli; print([m for m in '{heavy}'.split() if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_demo_writes_the_torques_and_agrees_with_the_reference(here):
    done = run("demo")
    assert done.exit_code == 0, done.output
    assert "Check: agrees" in done.output
    tau = lw.open_result("stanford_torques.csv").tau
    assert tau.shape == (101, 6)
    assert tau[0] == pytest.approx([0, 13.3416, 0, 0, 0, 0], abs=1e-10)
    for k, digits in enumerate((-0.005709, 15.75379, -15.57439, 4.0e-5, -9.8e-5, -7.0e-5)):
        assert tau[50, k] == pytest.approx(digits, rel=1e-2, abs=5.1e-7), "as quoted, in few digits"


def test_demo_says_so_when_the_numbers_differ(here, monkeypatch):
    monkeypatch.setattr(sys.modules["linkwright.cli.demo"], "REFERENCE", {0.0: (0.0, 13.4, 0.0, 0.0, 0.0, 0.0)})
    done = run("demo")
    assert done.exit_code == 5
    assert "DIFFERS" in done.output
    assert "differ from the reference values by 5.8e-02" in done.stderr


def test_demo_as_json(here):
    data = json.loads(run("demo", "--json").stdout)
    assert data["agrees"] is True
    assert len(data["t"]) == len(data["tau"]) == 101
    assert data["units"] == ["N m", "N m", "N", "N m", "N m", "N m"]


def test_a_path_that_cannot_be_written_is_reported(here):
    done = run("demo", "--save-run", here / "none" / "x.csv")
    assert done.exit_code == 1
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.output + done.stderr


def test_info_names_everything(here):
    Path("arm.yaml").write_text(ARM)
    for name, expected in (
        ("stanford-arm", ["theta2", "prismatic", "Saha", "hand", "license: MIT", "units: SI, angles in degrees"]),
        ("puma-560", ["-160 to 160 deg", "62.61"]),
        ("arm.yaml", ["swing", "-57.3 to 57.3 deg"]),
    ):
        done = run("info", name)
        assert done.exit_code == 0
        assert all(word in done.output for word in expected)


def test_info_shows_every_number_of_a_force(here):
    """Springs, friction, rotors, carried weight and elements of their own section, those that are not zero."""
    text = ARM.replace("axis: y,", "axis: y, spring: {stiffness: 3}, friction: {viscous: 0.1, coulomb: 0}, ")
    text = text.replace("mass: 1,", "mass: 1, gravity_compensation: 0.5,")
    text += "actuators: {motor: {joint: swing, rotor_inertia: 2e-6}}\n"
    text += "struts: {rod: {parent: ground, child: link, at: [0, 0, 1], child_at: [1, 0, 0], stiffness: 40}}\n"
    Path("arm.yaml").write_text(text)
    paths = ["joints.swing.spring.stiffness", "joints.swing.friction.viscous", "bodies.link.gravity_compensation"]
    paths += ["actuators.motor.rotor_inertia", "struts.rod.stiffness"]
    numbers = {each["path"]: each["value"] for each in json.loads(run("info", "arm.yaml", "--json").stdout)["forces"]}
    assert [numbers.get(path) for path in paths] == [3.0, 0.1, 0.5, 2e-6, 40.0]
    assert "joints.swing.friction.coulomb" not in numbers
    assert all(path in run("info", "arm.yaml").output for path in paths)


def test_info_lists_the_catalog():
    assert "stanford-arm" in run("info").output
    assert set(json.loads(run("info", "--json").stdout)) == set(lw.catalog.names())


def test_info_as_json(here):
    Path("arm.yaml").write_text(ARM.replace("lower: -1", "lower: -.inf"))
    data = json.loads(run("info", "arm.yaml", "--json").stdout)
    assert data["joints"][0]["limits"] == {"lower": [None], "upper": [1.0]}
    assert data["speeds"] == 1


def test_info_shows_the_notes_of_an_import(here):
    Path("r.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    assert "assumed" in run("info", "r.urdf").output


def write_states(run, path="m.csv"):
    """The states of a run as a table that --coordinates reads; numbers read back to the same bits."""
    names = [name for name in run.names if name in run.names[: run.q.shape[1]]]
    titles = [f"{x}.{name}" for x in "qva" for name in names]
    rows = np.hstack([run.t[:, None], run.q, run.v, run.a]).tolist()
    lines = [",".join(["t", *titles]), *(",".join(map(repr, row)) for row in rows)]
    Path(path).write_text("\n".join(lines) + "\n")


def test_a_motion_of_coordinates_has_the_librarys_numbers(here):
    done = run("motion", "three-link-arm", "--at", "90 deg, 45 deg, 0", "--duration", "2 s", "--save-run", "r.npz")
    assert done.exit_code == 0, done.output
    found, model = lw.open_result("r.npz"), lw.build(lw.catalog.load("three-link-arm"))
    assert found.tau == pytest.approx(model.inverse_dynamics(found.q, found.v, found.a), rel=1e-15)
    assert found.q[-1] == pytest.approx([1.5707963, 0.78539816, 0.0])


def test_a_motion_written_is_a_motion_read(here):
    assert run("motion", "stanford-arm", "--at", "theta1=60 deg, b3=100 mm", "--save-run", "a.npz").exit_code == 0
    first = lw.open_result("a.npz")
    write_states(first)
    assert run("motion", "stanford-arm", "--coordinates", "m.csv", "--save-run", "b.npz").exit_code == 0
    assert run("motion", "stanford-arm", "--run", "a.npz", "--save-run", "c.npz").exit_code == 0
    for name in ("b.npz", "c.npz"):
        assert np.array_equal(lw.open_result(name).tau, first.tau)
    assert first.q[0, 1] == pytest.approx(1.5707963), "the motion starts at home"


def test_a_motion_as_json_writes_no_file(here):
    data = json.loads(run("motion", "three-link-arm", "--at", "1, 1, 1", "--json").stdout)
    assert len(data["actuators"]) == 6
    assert list(here.iterdir()) == []


def test_one_sample_is_enough(here):
    Path("m.csv").write_text("t,q.swing,v.swing,a.swing\n0,0,0,0\n")
    Path("arm.yaml").write_text(ARM)
    done = run("motion", "arm.yaml", "--coordinates", "m.csv")
    assert done.exit_code == 0, done.output
    assert "4.905" in done.output, "half a meter times 9.81 N"


WRONG = [
    (("motion",), 2, "Missing argument"),
    (("nonsense",), 2, "No such command"),
    (("motion", "three-link-arm"), 2, "give one of --at, --poses"),
    (("motion", "three-link-arm", "--at", "1, 2"), 2, "has 2 values and needs 3: theta1, theta2, theta3"),
    (("motion", "three-link-arm", "--at", "theta4=1"), 2, "unknown actuator or coordinate 'theta4'"),
    (("motion", "three-link-arm", "--at", "theta1=3 mm"), 2, "theta1: '3 mm' is a length, but an angle is wanted"),
    (("motion", "three-link-arm", "--at", "0,0,0", "--duration", "0"), 2, "--duration: '0' is not above zero"),
    (("motion", "three-link-arm", "--at", "0,0,0", "--duration", "2 m"), 2, "--duration: '2 m' is a length"),
    (("motion", "three-link-arm", "--at", "0,0,0", "--samples", "1"), 2, "1 is not in the range 2<=x"),
    (("motion", "three-link-arm", "--coordinates", "none.csv"), 2, "there is no such file"),
    (("info", "stanford"), 3, "did you mean 'stanford-arm'"),
    (("info", "none.yaml"), 3, "there is no such file"),
    (("info", "bad.yaml"), 3, "bad.yaml:1: a: unknown key 'a'"),
    (("motion", "bad.yaml", "--at", "1"), 3, "bad.yaml"),
    (("motion", "free.yaml", "--at", "1"), 2, "joint 'j' carries a quaternion; give the motion as a CSV file"),
    (("motion", "free.yaml", "--coordinates", "bad.yaml"), 2, "the column 't' is missing"),
    (
        ("motion", "three-link-arm", "--coordinates", "words.csv"),
        2,
        "words.csv:2: q.theta2 is 'x'; write a finite number",
    ),
    (("motion", "three-link-arm", "--coordinates", "short.csv"), 2, "the motion has no rows"),
]


@pytest.mark.parametrize(("args", "code", "expected"), WRONG, ids=[" ".join(args) for args, _, _ in WRONG])
def test_mistakes_give_a_message_and_their_exit_code(here, args, code, expected):
    Path("bad.yaml").write_text("a: 1")
    Path("free.yaml").write_text(
        "{format: 1, name: f, bodies: {b: {mass: 1}}, joints: {j: {type: spherical, parent: ground, child: b}}}"
    )
    head = "t," + ",".join(f"{part}.theta{i}" for part in "qva" for i in (1, 2, 3)) + "\n"
    Path("words.csv").write_text(head + "0,0,x,0,0,0,0,0,0,0\n")
    Path("short.csv").write_text(head)
    done = run(*args)
    assert done.exit_code == code, done.output + done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.output + done.stderr


def test_an_unexpected_error_is_a_message_unless_debugging(here, monkeypatch):
    def broken(_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("linkwright.cli.mechanisms.import_mechanism", broken)
    done = run("info", "stanford-arm")
    assert done.exit_code == 1
    assert "unexpected RuntimeError: boom" in done.stderr
    assert isinstance(run("--debug", "info", "stanford-arm").exception, RuntimeError)


def test_a_terminal_without_unicode_gets_plain_bars(here):
    done = subprocess.run(
        [sys.executable, "-c", "from linkwright.cli import main; main(['demo'])"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        cwd=here,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


@pytest.mark.parametrize("name", ["no-such-run.npz", "run.docx"])
def test_a_run_that_cannot_be_read_is_a_bad_file(name, tmp_path):
    result = CliRunner().invoke(main, ["report", str(tmp_path / name)])
    assert result.exit_code == 3
    assert name in result.output and result.output.startswith("Error: ")
