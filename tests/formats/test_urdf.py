"""URDF trees: the same robot as in YAML, notes for what is left out, messages for what is wrong."""

import os

import numpy as np
import pytest

from linkwright.errors import FormatError
from linkwright.formats import from_urdf, from_yaml, read, to_yaml
from linkwright.joints import Fixed, Floating, Planar, Prismatic, Revolute

ROBOT = """<?xml version="1.0"?>
<robot name="toy">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <link name="world"/>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <origin xyz="0 0 0.5"/>
      <geometry><cylinder radius="0.1" length="1"/></geometry>
      <material name="blue"/>
    </visual>
    <visual><geometry><mesh filename="package://toy/arm.dae"/></geometry></visual>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
  </link>
  <link name="slider"/>
  <joint name="turn" type="revolute">
    <origin xyz="0 0 0.3" rpy="0 0 0"/>
    <parent link="world"/><child link="arm"/>
    <axis xyz="0 0 2"/>
    <limit lower="-1" upper="2" velocity="3" effort="40"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="arm"/><child link="slider"/>
    <axis xyz="0 1 0"/>
    <limit lower="0" upper="0.2" velocity="0" effort="0"/>
  </joint>
  <transmission name="t"/>
</robot>"""

SAME = """
format: 1
name: toy
source: URDF 'toy'
base: world
bodies:
  arm:
    mass: 2 kg
    com: [100 mm, 0, 0]
    inertia: [2, 1, 2.5]
    shapes:
      - {cylinder: {radius: 0.1, length: 1}, at: [0, 0, 0.5], color: "#0000ff"}
      - {mesh: {file: "package://toy/arm.dae"}}
  slider: {}
joints:
  turn:
    type: revolute
    parent: world
    child: arm
    at: [0, 0, 300 mm]
    limits: {lower: -1, upper: 2, speed: 3, effort: 40}
    friction: {viscous: 0.5, coulomb: 0.25}
  slide: {type: prismatic, parent: arm, child: slider, axis: y, limits: {lower: 0, upper: 0.2}}
"""


def test_urdf_and_yaml_say_the_same():
    assert from_urdf(ROBOT).mechanism == from_yaml(SAME)


def test_every_loss_is_noted():
    notes = [str(note) for note in from_urdf(ROBOT).notes]
    for expected in (
        "joint 'slide': velocity limit 0 taken as no limit",
        "joint 'slide': effort limit 0 taken as no limit",
        "<transmission> dropped; it drives no joint with one coordinate",
        "<collision> 1 times dropped",
        "(0, 0, -9.81) m/s^2 assumed",
    ):
        assert any(expected in note for note in notes), expected


def robot(*joints, links="abcd", extra=""):
    named = "".join(f'<link name="{name}"/>' for name in links)
    return f'<robot name="r">{named}{"".join(joints)}{extra}</robot>'


def joint(name, kind, parent, child, inside=""):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("revolute", Revolute((1.0, 0.0, 0.0))),
        ("continuous", Revolute((1.0, 0.0, 0.0))),
        ("prismatic", Prismatic((1.0, 0.0, 0.0))),
        ("planar", Planar((1.0, 0.0, 0.0))),
        ("fixed", Fixed()),
        ("floating", Floating()),
    ],
)
def test_every_type_of_joint(kind, expected):
    """URDF's default axis is x."""
    mech = from_urdf(robot(joint("j", kind, "a", "b"), links="ab")).mechanism
    assert mech.joints[0].kind == expected


def test_the_inertia_does_not_depend_on_how_its_axes_are_drawn():
    """Turning the inertial frame and its numbers together changes nothing."""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><origin rpy="{rpy}"/><mass value="1"/>
    <inertia ixx="{i[0]}" iyy="{i[1]}" izz="{i[2]}" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"""
    plain = from_urdf(text.format(rpy="0 0 0", i=(1, 2, 2.5))).mechanism
    for rpy, i in (("1.5707963267948966 0 0", (1, 2.5, 2)), ("0 1.5707963267948966 0", (2.5, 2, 1))):
        turned = from_urdf(text.format(rpy=rpy, i=i)).mechanism
        assert np.allclose(turned.bodies[0].inertia.tensor, plain.bodies[0].inertia.tensor, atol=1e-15)


def test_what_changes_the_motion_is_marked():
    text = robot(
        joint("i", "continuous", "a", "b"),
        joint("j", "continuous", "b", "c", '<mimic joint="i"/>'),
        joint("k", "planar", "c", "d", '<dynamics damping="1"/>'),
        extra='<loop_joint name="l"/>',
    )
    matters = [(note.severity, note.code, note.message) for note in from_urdf(text).notes if note.matters]
    assert matters == [
        ("warning", "dropped-friction", "joint 'k': <dynamics> of a planar joint dropped"),
        ("error", "dropped-loop", "<loop_joint> dropped, it has no <link1> and <link2>"),
    ]


def test_the_mass_of_the_base_is_dropped_with_a_note():
    heavy = '<link name="a"><inertial><mass value="5"/></inertial></link>'
    text = f'<robot name="r">{heavy}<link name="b"/>{joint("j", "fixed", "a", "b")}</robot>'
    assert any("its mass acts when it is built with base='floating'" in str(note) for note in from_urdf(text).notes)


BROKEN = [
    (robot(links=""), "the robot has no <link>"),
    (
        robot(joint("i", "fixed", "a", "b"), joint("j", "fixed", "b", "a"), links="ab"),
        "every link is some joint's child",
    ),
    (robot(joint("j", "fixed", "a", "b"), links="abb"), "several links are called 'b'"),
    (robot(joint("j", "fixed", "a", "b"), joint("j", "fixed", "b", "c"), links="abc"), "several joints are called 'j'"),
    (robot(joint("j", "fixed", "a", "arm"), links=["a", "amr"]), "unknown child link 'arm' (did you mean 'amr'?)"),
    (robot(joint("j", "fixd", "a", "b"), links="ab"), "joint 'j' has the type 'fixd' (did you mean 'fixed'?)"),
    (robot(joint("", "fixed", "a", "b"), links="ab"), 'a joint: <joint> needs name="..."'),
    (robot('<joint name="j" type="fixed"><parent link="a"/></joint>', links="ab"), "joint 'j' has no <child>"),
    (
        robot(joint("j", "revolute", "a", "b", '<axis xyz="0 0 0"/>'), links="ab"),
        "joint 'j' has the axis (0.0, 0.0, 0.0)",
    ),
    (
        robot(joint("j", "revolute", "a", "b", '<axis xyz="0 0"/>'), links="ab"),
        "xyz='0 0' in <axis> is not 3 finite numbers",
    ),
    (robot(joint("j", "fixed", "a", "b", '<origin xyz="0 nan 0"/>'), links="ab"), "is not 3 finite numbers"),
    (robot(joint("j", "fixed", "a", "b", '<origin rpy="0 0 ninety"/>'), links="ab"), "is not 3 finite numbers"),
    (
        f'<robot name="r"><link name="a"/>\n<link name="b"><inertial><mass value="-1"/></inertial></link>'
        f"{joint('j', 'fixed', 'a', 'b')}</robot>",
        "bad:2: link 'b' has the negative mass -1 kg",
    ),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN, ids=[expected[:40] for _, expected in BROKEN])
def test_a_mistake_is_reported(text, expected):
    with pytest.raises(FormatError) as caught:
        from_urdf(text, "bad")
    assert expected in str(caught.value)


def real_robot(*path):
    packages = os.path.dirname(os.path.dirname(np.__file__))
    file = os.path.join(packages, "cmeel.prefix", "share", "example-robot-data", "robots", *path)
    if not os.path.exists(file):
        pytest.skip("example-robot-data is not installed")
    return read(file)


@pytest.mark.parametrize(
    ("path", "bodies", "moving"),
    [
        (("ur_description", "urdf", "ur5_robot.urdf"), 10, 6),
        (("panda_description", "urdf", "panda.urdf"), 12, 9),
    ],
)
def test_real_robots_are_read_and_written_back_exactly(path, bodies, moving):
    imported = real_robot(*path)
    mech = imported.mechanism
    assert (len(mech.bodies), sum(len(j.kind.v_parts) for j in mech.joints)) == (bodies, moving)
    assert from_yaml(to_yaml(mech)) == mech
    assert imported.notes


def test_the_mimic_joint_of_a_real_gripper_is_noted():
    notes = real_robot("panda_description", "urdf", "panda.urdf").notes
    assert any("panda_finger_joint2" in note.message and "mimics" in note.message for note in notes)
