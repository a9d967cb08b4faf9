"""Loops that do not hold yet: written, read, checked, and left out of everything that is closed."""

import json
from dataclasses import replace

import jsonschema
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis.check.check import check as examined
from linkwright.cli import main
from linkwright.errors import FormatError, MechanismError
from linkwright.formats import json_schema, to_yaml
from linkwright.formats.yaml import from_yaml
from linkwright.formats.yaml.yaml_text import read_yaml_text
from linkwright.mechanism import Actuator

LEG = """\
format: 1
name: leg
bodies:
  hip: {mass: 5}
  thigh: {mass: 1, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001]}
  shank: {mass: 0.5, com: [0, 0, -0.2], inertia: [0.01, 0.01, 0.001]}
joints:
  rail: {type: prismatic, parent: ground, child: hip, axis: z}
  hip_joint: {type: revolute, parent: hip, child: thigh, axis: y}
  knee: {type: revolute, parent: thigh, child: shank, axis: y, at: [0, 0, -0.4]}
loops:
  foot: {type: revolute, parent: ground, child: shank, axis: y, child_at: [0, 0, -0.4], open: true}
actuators: [hip_joint, knee]
"""


def test_an_open_loop_is_read_and_written_as_such():
    mech = from_yaml(LEG)
    assert [j.name for j in mech.open_loops] == ["foot"] and mech.loops == ()
    assert from_yaml(to_yaml(mech)) == mech
    shut = from_yaml(LEG.replace("open: true", "open: false"))
    assert shut.loops == mech.open_loops and shut.open_loops == ()
    assert "open" not in to_yaml(shut)


def test_an_open_loop_holds_nothing():
    assert lw.build(from_yaml(LEG)).mobility == 3
    assert lw.build(from_yaml(LEG.replace("open: true", "open: false"))).mobility == 1


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("open: true", "open: 3", "loops.foot.open: true or false is wanted here and 3 was found"),
        ("at: [0, 0, -0.4]}\nloops", "at: [0, 0, -0.4], open: true}\nloops", "joints.knee.open: unknown key 'open'"),
        ("[hip_joint, knee]", "[foot, knee]", "actuator 'foot' drives joint 'foot', which is open"),
        ("child: shank, axis: y, child_at", "child: shin, axis: y, child_at", "unknown child body 'shin'"),
    ],
)
def test_mistakes_are_reported(old, new, message):
    assert old in LEG
    with pytest.raises(FormatError, match=message.replace("[", r"\[")):
        from_yaml(LEG.replace(old, new))


def test_names_are_not_given_twice():
    mech = from_yaml(LEG)
    with pytest.raises(MechanismError, match="2 joints are called 'knee'"):
        replace(mech, open_loops=(replace(mech.open_loops[0], name="knee"),))
    with pytest.raises(MechanismError, match="which is open"):
        replace(mech, actuators=(Actuator("motor", "foot"),))


def test_the_schema_knows_open_for_loops_only():
    check = jsonschema.Draft202012Validator(json_schema())
    assert check.is_valid(read_yaml_text(LEG, "file").data)
    assert not check.is_valid(read_yaml_text(LEG.replace("open: true", "open: shut"), "file").data)
    assert not check.is_valid(
        read_yaml_text(LEG.replace("child: thigh, axis: y", "child: thigh, open: true"), "file").data
    )


def test_check_and_info_report_open_loops(tmp_path):
    found = examined(from_yaml(LEG))
    assert found.problems == () and found.loops == 0 and found.mobility == 3
    assert any(f.message.startswith("loop 'foot' is open at the start") for f in found.findings)
    (few,) = [f for f in found.findings if f.code == "too-few-actuators"]
    assert few.fix.startswith("nothing to do if open loops hold that motion")
    path = tmp_path / "leg.yaml"
    path.write_text(LEG, encoding="utf-8")
    answer = CliRunner().invoke(main, ["info", str(path)])
    assert answer.exit_code == 0 and "Loops that are open" in answer.output and "foot" in answer.output
    data = json.loads(CliRunner().invoke(main, ["info", str(path), "--json"]).output)
    assert [joint["name"] for joint in data["open_loops"]] == ["foot"] and data["loops"] == []
