"""Written files read back as the same mechanism, and other spellings of the same numbers give the same mechanism."""

import math

import pytest
from hypothesis import example, given, settings

from linkwright.formats import from_yaml, to_yaml
from linkwright.formats.yaml.yaml_writer import quote_text
from linkwright.joints.joint_registry import KINDS
from tests.formats.mechanisms import letters, mechanisms, one_joint


@settings(max_examples=60)
@given(mechanisms())
def test_writing_and_reading_is_the_identity(mech):
    assert from_yaml(to_yaml(mech)) == mech


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_joint_survives(kind):
    mech = one_joint(kind)
    assert from_yaml(to_yaml(mech)) == mech


@given(letters)
@example("=")
def test_any_name_survives_as_key_and_value(name):
    text = f'format: 1\nname: {quote_text(name)}\nbodies: {{{quote_text(name)}: {{}}}}\nbase: "a base \\u263a"\n'
    text += f'joints: {{j: {{type: fixed, parent: "a base \\u263a", child: {quote_text(name)}}}}}\n'
    assert from_yaml(text).names == (name,) == (from_yaml(text).name,)


PENDULUM = """
format: 1
name: p
bodies: {{rod: {{mass: {mass}, com: [0, 0, {com}], inertia: [{inertia}, 0.5, 0.5]}}}}
joints:
  j: {{type: {kind}, parent: ground, child: rod, at: {{rpy: [{angle}, 0, 0]}},
      limits: {{lower: {low}, effort: {effort}}}, friction: {{viscous: {viscous}}}, spring: {{stiffness: {stiffness}}}}}
"""
SI = {"kind": "revolute", "mass": 0.5, "com": 0.3, "inertia": 0.25, "angle": math.pi / 6, "low": -math.pi / 4}
SI |= {"effort": 2.5, "viscous": 0.125, "stiffness": 3.0}


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("mass", "500 g"),
        ("mass", "0.5kg"),
        ("com", "300 mm"),
        ("com", "30 cm"),
        ("com", '"0.3"'),
        ("inertia", "250000 kg mm^2"),
        ("inertia", "2500 kg*cm^2"),
        ("angle", "30 deg"),
        ("angle", "30°"),
        ("low", "-45 deg"),
        ("effort", "2500 mN m"),
        ("effort", "2.5 Nm"),
        ("viscous", "0.125 N m s/rad"),
        ("viscous", "0.125 N m s"),
        ("stiffness", "3000 N mm/rad"),
    ],
)
def test_a_unit_gives_exactly_the_si_number(key, written):
    assert from_yaml(PENDULUM.format(**{**SI, key: written})) == from_yaml(PENDULUM.format(**SI))


def test_units_follow_the_kind_of_joint():
    sliding = {
        **SI,
        "kind": "prismatic",
        "low": "-100 mm",
        "effort": "2.5 N",
        "viscous": "1 N s/m",
        "stiffness": "3 N/mm",
    }
    joint = from_yaml(PENDULUM.format(**sliding)).joints[0]
    assert joint.limits.lower == (-0.1,)
    assert joint.spring.stiffness == (3000.0,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("axis: y", "axis: [0, 2, 0]"),
        ("axis: -z", "axis: [0, 0, -0.5]"),
        ("at: [1, 2, 3]", "at: {xyz: [1, 2, 3]}"),
        ("at: {rpy: [0, 0, 90 deg]}", "at: {quaternion: [1, 0, 0, 1]}"),
        ("at: {rpy: [90 deg, 0, 0]}", "at: {matrix: [[1, 0, 0], [0, 0, -1], [0, 1, 0]]}"),
        ("limits: {lower: -1}", "limits: {lower: [-1]}"),
    ],
)
def test_the_same_thing_in_other_words(one, other):
    text = (
        "{{format: 1, name: x, bodies: {{b: {{}}}}, joints: {{j: {{type: revolute, parent: ground, child: b, {}}}}}}}"
    )
    assert from_yaml(text.format(one)) == from_yaml(text.format(other))


def test_a_list_of_joints_names_direct_drives():
    joints = "{{j: {{type: revolute, parent: ground, child: b}}}}"
    text = "{{format: 1, name: x, bodies: {{b: {{}}}}, joints: " + joints + ", actuators: {}}}"
    assert from_yaml(text.format("[j]")) == from_yaml(text.format("{j: {joint: j}}"))
    assert from_yaml(text.format("{j: {joint: j, dof: angle}}")) == from_yaml(text.format("[j]"))


def test_aliases_write_a_value_once():
    text = """
format: 1
name: x
bodies: {a: &leg {mass: 2}, b: *leg}
joints:
  i: {type: revolute, parent: ground, child: a}
  j: {type: revolute, parent: a, child: b}
"""
    a, b = from_yaml(text).bodies
    assert a.inertia == b.inertia
