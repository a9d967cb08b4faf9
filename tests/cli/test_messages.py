"""Messages of the command line name the thing, the value found and a way out that there is on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis.performance.indices_record import UNITS
from linkwright.cli import main
from linkwright.cli.command_failures import command_line_text
from linkwright.mechanism.names import suggest_name

PYTHON = re.compile(r"\w=\w*\[|near=q|numpy\.|model\.\w+\(|FixedPose|lw\.types")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args):
    return CliRunner().invoke(main, [str(each) for each in args])


FURLONG = """format: 1
name: a
parameters: {mass: 3 furlong}
bodies: {b: {mass: = mass}, c: {mass: = mass}}
joints: {j: {type: revolute, parent: ground, child: b}, k: {type: revolute, parent: b, child: c}}
"""
CALLS = [
    (("fk", "five-bar", "--at", "motor1=120, motor2=50"), 0, ["motor1, motor2", "120 deg", "'motor1 [deg]'"]),
    (("fk", "five-bar", "--at", "motor1=2, motor1=1"), 2, ["'motor1' is given twice"]),
    (("fk", "five-bar", "--at", "motor1=2, theta1=1"), 2, ["'motor1' and 'theta1' are the same coordinate"]),
    (("ik", "five-bar", "--pose", "x=5 m, y=0"), 4, ["(5, 0, 0) m", "another home in the file"]),
    (("motion", "five-bar", "--sines", "x=50 mm 2 Hz"), 2, ["'50 mm 2 Hz' of 'x' has no '@'", "z=10 mm @ 2 Hz"]),
    (("motion", "five-bar", "--sines", "w=50 mm @ 2 Hz"), 2, ["unknown component 'w'", "z=10 mm @ 2 Hz"]),
    (("workspace", "delta", "--show", "velocity"), 2, ["show names the unknown index 'velocity'", *UNITS]),
    (("export", "c", "five-bar", "-o", "taken.yaml"), 3, ["taken.yaml", "is a file; name a folder"]),
    (("export", "c", "five-bar", "-o", "taken.yaml/kit"), 3, ["taken.yaml' is a file; name a folder"]),
    (("info", "run.npz"), 3, ["run.npz", "a saved run", "linkwright report"]),
    (("size", "five-bar", "--run", "run.npz", "--motors", "motors.csv"), 2, ["'four-bar'", "'five-bar'", "1 efforts"]),
    (
        ("size", "four-bar", "--run", "run.npz", "--motors", "bad.csv"),
        2,
        ["bad.csv:3: motor 'B'", "give each speed once"],
    ),
    (("new", "hexapod.yaml", "hexapod"), 2, ["unknown kind 'hexapod.yaml'; KIND comes before FILE"]),
    (("convert", "five-bar", "out"), 3, ["out: the name has no ending", ".yaml"]),
    (("motion", "four-bar", "--at", "1", "--output", "x.csv"), 2, ["--without", "--save-run"]),
    (("info", "furlong.yaml"), 3, ["furlong.yaml:3: parameters.mass: unknown unit 'furlong'", "'kg'"]),
    (("calibrate", "five-bar", "poses.csv", "--vary", "proximal"), 2, ["'motor1' is missing; it has 'm1', 'motor2'"]),
]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("args", "code", "expected"), CALLS, ids=[" ".join(args) for args, _, _ in CALLS])
def test_a_message_names_the_thing_and_a_way_out_of_the_command_line(args, code, expected):
    Path("taken.yaml").write_text("format: 1\n")
    Path("motors.csv").write_text("name,speed [rpm],continuous [N m],peak [N m],rotor_inertia\nA,3000,1,3,1e-5\n")
    Path("poses.csv").write_text("m1,motor2,x,y,z\n1,1,0,0,0\n")
    head = "name,speed [rpm],continuous [N m],peak [N m],rotor_inertia\n"
    Path("bad.csv").write_text(head + "A,3000,1,3,1e-5\nB,3000,1,3,1e-5\nB,3000,1,3,1e-5\n")
    Path("furlong.yaml").write_text(FURLONG)
    if "run.npz" in args:
        robot = lw.build(lw.catalog.load("four-bar"))
        lw.simulate(robot, robot.assemble().q, t_end=0.01).save("run.npz")
    done = run(*args)
    assert done.exit_code == code, done.output + done.stderr
    text = " ".join(done.stderr.split())
    assert all(part in text for part in expected), text
    assert not PYTHON.search(text), text


def test_advice_of_the_library_becomes_options():
    for advice in ("start on its other side with near=q, or plan around it", "name with components=['x', 'rz']"):
        assert PYTHON.search(advice) and not PYTHON.search(command_line_text(advice))
    assert command_line_text("name with components=['x', 'rz']") == 'name with --components "x rz"'


def test_a_unit_is_wrong_once_where_the_parameter_is_written():
    Path("furlong.yaml").write_text(FURLONG)
    with pytest.raises(lw.errors.FormatError) as caught:
        lw.load("furlong.yaml")
    assert [finding.path for finding in caught.value.findings] == [("parameters", "mass")]


def test_names_in_a_message_are_listed_once_and_equally_close_ones_together():
    assert suggest_name("motr", ["motor1", "motor2"]) == " (did you mean 'motor1' or 'motor2'?)"
    assert suggest_name("motr", ["motor", "motor2"]) == " (did you mean 'motor'?)"


def test_a_doubt_about_many_rows_is_warned_of_once():
    done = CliRunner().invoke(main, ["motion", "four-bar", "--at", "motor=0..360", "--json"])
    assert done.stderr.count("Warning") == 1 and "were degrees meant" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message", "mark"),
    [
        (("assemble", "four-bar", "--at", "theta 60 deg"), "'=' is missing; write \"theta=60 deg\"", " 60 deg"),
        (("workspace", "five-bar", "--pose", "x=0..1:1, y=0"), "a range of 1 values has no two ends", "1, y=0"),
        (
            ("optimize", "five-bar", "--vary", "distal=0.3..0.4", "--minimize", "conditio"),
            "mean 'condition'",
            "conditio",
        ),
    ],
)
def test_what_is_missing_is_marked(arguments, message, mark):
    """The mark stands below the character at which the rest of the text begins."""
    done = CliRunner().invoke(main, [*arguments])
    _, text, below = done.stderr.rstrip().rsplit("\n", 2)
    assert done.exit_code == 2 and message in done.stderr
    assert text[below.index("^") :] == mark


def test_a_state_is_given_to_studies_of_one_configuration():
    for verb in ("indices", "clearance"):
        done = CliRunner().invoke(main, [verb, "five-bar", "--at", "motor1=120 deg, motor2=60 deg", "--json"])
        assert done.exit_code == 0 and json.loads(done.stdout)["configurations"] == 1
    both = CliRunner().invoke(main, ["indices", "five-bar", "--at", "motor1=2", "--pose", "x=0"])
    assert both.exit_code == 2 and "give one of them" in both.output
