"""Every element and attribute of a dialect is read or listed; each rule that a dialect has of its own has a file."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.formats import from_mjcf, from_sdf, from_urdf, read
from linkwright.joints import Revolute

MASS = "<inertial><mass value='1'/><origin xyz='0.1 0 0'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
URDF = f"""<robot name="r">
  <link name="a">{MASS}</link><link name="b">{MASS}<visual><geometry><sphere radius="1"/></geometry></visual></link>
  <link name="c">{MASS}</link><link name="d">{MASS}</link>
  <joint name="i" type="revolute"><origin xyz="1 0 0" rpy="0 0 1"/><parent link="a"/><child link="b"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/><dynamics damping="1" friction="2"/></joint>
  <joint name="j" type="continuous"><parent link="b"/><child link="c"/>
    <mimic joint="i" multiplier="2" offset="1"/></joint>
  <joint name="k" type="continuous"><parent link="b"/><child link="d"/></joint>
  <loop name="l" type="spherical"><predecessor link="c"><origin xyz="1 0 0"/></predecessor>
    <successor link="a"><origin xyz="2 0 0"/></successor></loop>
  <transmission name="t"><type>SimpleTransmission</type><joint name="i"/>
    <actuator name="m"><mechanicalReduction>3</mechanicalReduction></actuator></transmission>
</robot>"""
SDF = """<sdf version="1.9"><world name="w"><gravity>0 0 -9</gravity>
  <model name="m"><pose>1 0 0 0 0 0</pose><static>false</static>
    <frame name="f" attached_to="a"><pose relative_to="a">0 0 1 0 0 0</pose></frame>
    <link name="a"><pose>0 0 0 0 0 1</pose><gravity>true</gravity><inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass>
      <inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz><ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>
      <visual name="v"><geometry><sphere><radius>1</radius></sphere></geometry></visual></link>
    <link name="b"/>
    <joint name="i" type="revolute"><parent>world</parent><child>a</child><pose relative_to="a">1 0 0 0 0 0</pose>
      <axis><xyz expressed_in="a">0 1 0</xyz><limit><lower>-1</lower><upper>1</upper><effort>2</effort>
      <velocity>3</velocity></limit><dynamics><damping>1</damping><friction>1</friction>
      <spring_stiffness>2</spring_stiffness><spring_reference>0.1</spring_reference></dynamics></axis></joint>
    <joint name="j" type="screw"><parent>a</parent><child>b</child><screw_thread_pitch>1</screw_thread_pitch>
      <axis><xyz>0 0 1</xyz><mimic joint="i"><multiplier>2</multiplier><offset>1</offset>
      <reference>0</reference></mimic></axis></joint>
  </model></world></sdf>"""
MJCF = """<mujoco model="r"><compiler angle="radian"/><option gravity="0 0 -9"/>
  <default><joint damping="0.1"/><default class="x"><geom size="0.1"/></default></default>
  <asset><material name="red" rgba="1 0 0 1"/></asset>
  <worldbody>
    <body name="a" pos="1 0 0"><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/>
      <joint name="i" axis="0 1 0" range="-1 1" limited="true" armature="0.1" stiffness="2" springref="0.1"/>
      <geom name="g" size="0.1"/><site name="s"/>
      <body name="b" pos="1 0 0"><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/>
        <joint name="j" axis="0 1 0"/></body></body>
    <body name="c"><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/><joint name="k" axis="0 1 0"/></body>
  </worldbody>
  <equality><connect name="l" body1="b" body2="c" anchor="1 0 0"/>
    <joint joint1="i" joint2="j" polycoef="0 1 0 0 0"/></equality>
  <tendon><fixed name="t"><joint joint="i" coef="1"/></fixed></tendon>
  <actuator><motor name="m" joint="i" gear="3"/></actuator>
  <keyframe><key qpos="0 0 0"/></keyframe></mujoco>"""
READERS = {"urdf": (URDF, from_urdf), "sdf": (SDF, from_sdf), "mjcf": (MJCF, from_mjcf)}
DRAWN = {"visual", "collision"}


def element_numbers(text):
    """Numbers of all elements that are not inside of what is drawn."""
    root = ET.fromstring(text)
    hidden = {id(below) for each in root.iter() if each.tag in DRAWN for below in each.iter()}
    return [i for i, element in enumerate(root.iter()) if id(element) not in hidden]


def with_stranger(text, i, attribute):
    root = ET.fromstring(text)
    element = list(root.iter())[i]
    if attribute:
        element.set("stranger", "5")
    else:
        ET.SubElement(element, "stranger")
    return ET.tostring(root, encoding="unicode")


@pytest.mark.parametrize("ending", READERS)
@pytest.mark.parametrize("attribute", [False, True], ids=["child", "attribute"])
def test_what_nobody_knows_is_listed_wherever_it_is(ending, attribute):
    text, reader = READERS[ending]
    silent = []
    for i in element_numbers(text):
        notes = reader(with_stranger(text, i, attribute)).notes
        if not [note for note in notes if "stranger" in note.message and note.matters]:
            silent.append(list(ET.fromstring(text).iter())[i].tag)
    assert not silent


@pytest.mark.parametrize("ending", READERS)
def test_the_files_themselves_have_nothing_to_list(ending):
    text, reader = READERS[ending]
    assert not [note for note in reader(text).notes if note.matters]


@pytest.mark.parametrize("tag", ["contact", "sensor", "custom", "extension"])
def test_sections_of_mjcf_that_are_not_read_are_listed_as_a_whole(tag):
    notes = from_mjcf(MJCF.replace("<tendon>", f"<{tag}/><tendon>")).notes
    assert [note for note in notes if f"<{tag}>" in note.message]


@pytest.mark.parametrize("tag", ["plugin", "sensor", "self_collide", "velocity_decay", "kinematic", "battery"])
def test_what_sdf_knows_and_is_not_read_is_listed(tag):
    for text in ("", "<linear>0.5</linear>", "true"):
        found = from_sdf(SDF.replace('<link name="b"/>', f'<link name="b"><{tag}>{text}</{tag}></link>'))
        (note,) = (note for note in found.notes if f"<{tag}>" in note.message)
        assert note.matters == (tag in ("velocity_decay", "kinematic") and bool(text))


# --- URDF: joints for Gazebo are SDF; those of the robot's own block between two of its links are read.

CLOSING = "<joint name='close' type='revolute'><parent>d</parent><child>a</child><axis><xyz>0 1 0</xyz></axis></joint>"


def test_a_loop_for_gazebo_is_read():
    imported = from_urdf(URDF.replace("</robot>", f"<gazebo>{CLOSING}</gazebo></robot>"))
    assert [loop.name for loop in imported.mechanism.loops] == ["l", "close"]
    assert not [note for note in imported.notes if note.matters]


@pytest.mark.parametrize(
    "reference, where", [("", "<model name='m'>{}</model>"), ("", "<a><b>{}</b></a>"), (" reference='d'", "{}")]
)
def test_loops_elsewhere_in_blocks_for_gazebo_are_listed(where, reference):
    notes = from_urdf(URDF.replace("</robot>", f"<gazebo{reference}>{where.format(CLOSING)}</gazebo></robot>")).notes
    (note,) = (note for note in notes if note.matters)
    assert (note.severity, note.code, note.subject) == ("error", "dropped-loop", "close")


def test_settings_of_a_plugin_are_no_joints():
    plugin = (
        "<gazebo><plugin name='p' filename='x.so'><joint>i</joint><joint name='j'><p>1</p></joint></plugin></gazebo>"
    )
    assert not [note for note in from_urdf(URDF.replace("</robot>", f"{plugin}</robot>")).notes if note.matters]


# --- SDF, up to 1.4: axes are given in the frame of the model, from 1.5 in that of the joint.

TURNED = """<sdf version="{version}"><model name="m"><pose>0 0 0 0 0 {model}</pose>
  <link name="a"><pose>0 0 0 0 0 1.5707963267948966</pose></link>
  <joint name="i" type="revolute"><pose>0 0 0 1.5707963267948966 0 0</pose><parent>world</parent><child>a</child>
    <axis><xyz>1 0 0</xyz>{more}</axis></joint></model></sdf>"""


def world_axis(text):
    """The axis of the first joint in the world, in which the base does not turn."""
    joint = from_sdf(text).mechanism.joints[0]
    assert isinstance(joint.kind, Revolute)
    return joint.at.R @ np.array(joint.kind.axis)


@pytest.mark.parametrize("version", ["1.2", "1.3", "1.4"])
@pytest.mark.parametrize("model", [0.0, 0.5])
def test_axes_of_old_files_are_those_of_the_model(version, model):
    found = world_axis(TURNED.format(version=version, model=model, more=""))
    assert found == pytest.approx([np.cos(model), np.sin(model), 0.0], abs=1e-12)


@pytest.mark.parametrize("version", ["1.5", "1.6", "1.7", "1.10"])
def test_axes_of_newer_files_are_those_of_the_joint_unless_they_say_otherwise(version):
    assert world_axis(TURNED.format(version=version, model=0.0, more="")) == pytest.approx([0, 1, 0], abs=1e-12)
    more = "<use_parent_model_frame>true</use_parent_model_frame>"
    assert world_axis(TURNED.format(version=version, model=0.0, more=more)) == pytest.approx([1, 0, 0], abs=1e-12)


def test_an_included_file_has_a_version_of_its_own(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "model.sdf").write_text(TURNED.format(version="1.4", model=0.0, more=""))
    text = '<sdf version="1.9"><world name="w"><include><uri>model://old</uri></include></world></sdf>'
    (tmp_path / "w.sdf").write_text(text)
    joint = read(tmp_path / "w.sdf").mechanism.joints[0]
    assert joint.at.R @ np.array(joint.kind.axis) == pytest.approx([1, 0, 0], abs=1e-12)


@pytest.mark.parametrize("name", ["frame", "relative_to"])
def test_poses_had_another_name_for_their_frame(name):
    text = TURNED.format(version="1.6", model=0.0, more="").replace("<pose>0 0 0 1.57", f'<pose {name}="b">0 0 0 1.57')
    text = text.replace('<joint name="i"', '<link name="b"><pose>0 0 2 0 0 0</pose></link><joint name="i"')
    assert from_sdf(text).mechanism.joints[0].at.xyz == pytest.approx((0.0, 0.0, 2.0))


# --- SDF: a model is the one that is named, or none.


def test_another_model_is_never_taken_for_the_one_that_is_named(tmp_path):
    own = TURNED.format(version="1.9", model=0.0, more="")
    (tmp_path / "model.sdf").write_text(own)
    for uri in (
        "model://gripper",
        "model://gripper/model.sdf",
        "gripper",
        "../model.sdf",
        "package://gripper/model.sdf",
    ):
        text = f'<sdf version="1.9"><world name="w"><include><uri>{uri}</uri></include></world></sdf>'
        (tmp_path / "w.sdf").write_text(text)
        with pytest.raises(FormatError, match="is not a file below the model's folder") as caught:
            lw.load(tmp_path / "w.sdf")
        assert "folders=" in str(caught.value)


@pytest.mark.parametrize("name", ["gripper/model.sdf", "gripper.sdf", "gripper/gripper.sdf"])
def test_a_model_is_found_where_its_name_leads(tmp_path, name):
    (tmp_path / "models" / name).parent.mkdir(parents=True)
    (tmp_path / "models" / name).write_text(TURNED.format(version="1.9", model=0.0, more=""))
    text = '<sdf version="1.9"><world name="w"><include><uri>model://gripper</uri></include></world></sdf>'
    for folder, folders in ((tmp_path / "models", ()), (tmp_path, [tmp_path / "models"])):
        (folder / "w.sdf").write_text(text)
        assert lw.load(folder / "w.sdf", folders=folders).names == ("a",)
