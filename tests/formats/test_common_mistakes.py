"""Common mistakes in URDF files: each finding has the line, the value and the corrected line, which removes it."""

import re

import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.formats import from_urdf

GOOD = """\
<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 0.1"/>
      <mass value="1.5"/>
      <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.025"/>
    </inertial>
  </link>
  <link name="hand">
    <inertial>
      <mass value="0.5"/>
      <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="arm"/>
    <origin xyz="0 0 0.3" rpy="0 1.5708 0"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="1.5" effort="10" velocity="2"/>
    <dynamics damping="0.1"/>
  </joint>
  <joint name="wrist" type="revolute">
    <parent link="arm"/>
    <child link="hand"/>
    <origin xyz="0.4 0 0"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="2"/>
  </joint>
</robot>
"""
LIMIT = '<limit lower="-1.5" upper="1.5"'
# What is written, the mistake, the code of its finding, its value, and its line where that is another one.
MISTAKES = {
    "limits in the other order": (LIMIT, '<limit lower="1.5" upper="-1.5"', "crossed-limits", "1.5"),
    "limits in degrees": (LIMIT, '<limit lower="-90" upper="90"', "many-turns", "90"),
    "angles in degrees": ('rpy="0 1.5708 0"', 'rpy="0 90 0"', "many-turns", "90"),
    "millimeters": ('xyz="0.4 0 0"', 'xyz="400 0 0"', "far-away", "400"),
    "an inertia that no body has": (
        'iyy="0.02" iyz="0" izz="0.025"',
        'iyy="0.02" iyz="0" izz="0.25"',
        "impossible-inertia",
        "0.25",
    ),
    "a negative moment": ('ixx="0.01" ixy="0.001"', 'ixx="0.01" ixy="0.02"', "repaired-inertia", "-0.0056"),
    "an inertia in kg mm^2": (
        'ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"',
        'ixx="1000" ixy="0" ixz="0" iyy="1000" iyz="0" izz="1000"',
        "wide-inertia",
        "44.7",
    ),
    "a negative mass": ('value="0.5"', 'value="-0.5"', "negative-mass", "-0.5"),
    "a link that is not there": ('<parent link="arm"/>', '<parent link="arn"/>', "unknown-name", "arn"),
    "one name twice": ('<joint name="wrist"', '<joint name="shoulder"', "name-taken", "shoulder"),
    "an attribute by another name": (
        '<dynamics damping="0.1"/>',
        '<dynamics dampin="0.1"/>',
        "unknown-attribute",
        "0.1",
    ),
    "a decimal comma": ('value="1.5"', 'value="1,5"', "bad-value", "1,5"),
    "commas between numbers": ('xyz="0 0 0.3"', 'xyz="0, 0, 0.3"', "bad-value", "0, 0, 0.3"),
    "a unit": ('<origin xyz="0.1 0 0"', '<origin xyz="100mm 0mm 0mm"', "bad-value", "100mm"),
    "an axis of no length": ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', "bad-axis", "0.0"),
    "a space behind a number": ('value="1.5"', 'value="1.5 "', "bad-value", "mass"),
}


def findings_of_text(text):
    """Findings that `check` shows of a file."""
    try:
        imported = from_urdf(text, "r.urdf")
    except FormatError as error:
        return list(error.findings)
    return [finding for finding in lw.check(imported.mechanism, imported.notes).findings if finding.matters]


def test_the_file_is_good():
    assert not [finding for finding in findings_of_text(GOOD) if finding.code != "no-actuators"]


@pytest.mark.parametrize("name", MISTAKES)
def test_the_corrected_line_removes_the_finding(name):
    right, wrong, code, value = MISTAKES[name]
    text = GOOD.replace(right, wrong, 1)
    assert text != GOOD
    (finding,) = [each for each in findings_of_text(text) if each.code == code]
    line = max(i for i, each in enumerate(text.splitlines(), 1) if wrong in each)
    assert finding.line == line and value in f"{finding.message} {finding.value}"
    (corrected,) = re.findall(r"<[a-z]+ .*?/>", finding.fix)
    lines = text.splitlines()
    opens = not lines[line - 1].rstrip().endswith("/>")
    lines[line - 1] = corrected.replace("/>", ">") if opens else corrected
    assert not [each for each in findings_of_text("\n".join(lines)) if each.code == code], corrected


def test_a_misspelled_tag_has_the_name_that_is_meant():
    (finding,) = [
        each for each in findings_of_text(GOOD.replace("<dynamics ", "<dynamic ")) if "dynamic" in each.message
    ]
    assert finding.line == 22 and "<dynamics>" in finding.fix


def test_a_file_without_masses_is_welcome_for_kinematics():
    text = re.sub(r"<inertial>.*?</inertial>", "", GOOD, flags=re.DOTALL)
    mech = from_urdf(text).mechanism
    (finding,) = [each for each in findings_of_text(text) if each.code == "no-mass"]
    assert finding.severity == "warning" and "kinematics" in finding.message
    model = lw.build(mech)
    assert model.frame_pose([0.1, 0.2], "hand").position.shape == (3,)


def test_too_few_actuators_are_a_warning():
    drive = '<transmission name="t"><joint name="shoulder"/><actuator name="m"/></transmission></robot>'
    found = findings_of_text(GOOD.replace("</robot>", drive))
    assert [each.severity for each in found if each.code == "too-few-actuators"] == ["warning"]
