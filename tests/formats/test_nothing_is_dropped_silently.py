"""Whatever a foreign file says and the mechanism does not hold is noted, graded by what it changes."""

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright.errors import FormatWarning
from linkwright.formats import from_urdf, read

LINKS = "".join(
    f'<link name="{x}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>{{{x}}}</link>'
    for x in "abc"
)
ROBOT = (
    f'<robot name="r">{LINKS}<joint name="i" type="continuous"><parent link="a"/><child link="b"/>{{joint}}</joint>'
    '<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>{robot}</robot>'
)
PLAIN = {"a": "", "b": "", "c": "", "joint": "", "robot": ""}


def urdf(**parts):
    return ROBOT.format(**(PLAIN | parts))


def matters(text):
    return [(note.severity, note.code) for note in from_urdf(text).notes if note.matters]


def test_a_plain_robot_has_nothing_to_report():
    assert matters(urdf()) == []


@pytest.mark.parametrize(
    ("where", "text", "found"),
    [
        ("robot", '<constraint name="l" class="loop"/>', ("error", "dropped-loop")),
        ("robot", '<loop_joint name="l"/>', ("error", "dropped-loop")),
        ("robot", '<closed_chain name="l"/>', ("error", "dropped-loop")),
        ("robot", "<drake:ball_constraint/>", ("error", "dropped-loop")),
        ("robot", "<drake:distance_constraint/>", ("error", "dropped-loop")),
        ("robot", "<drake:tendon_constraint/>", ("error", "dropped-loop")),
        ("robot", '<drake:bushing name="k"/>', ("warning", "dropped-force")),
        ("robot", "<drake:linear_bushing_rpy/>", ("warning", "dropped-force")),
        ("robot", "<xacro:macro name='leg'/>", ("error", "xacro")),
        ("robot", "<gazebo><joint name='close' type='revolute'/></gazebo>", ("error", "dropped-loop")),
        (
            "robot",
            "<gazebo><plugin filename='libgazebo_mimic_joint_plugin.so' name='m'/></gazebo>",
            ("error", "dropped-coupling"),
        ),
        ("robot", "<gazebo reference='i'><springStiffness>3</springStiffness></gazebo>", ("warning", "dropped-spring")),
        ("robot", "<gazebo reference='b'><gravity>false</gravity></gazebo>", ("warning", "dropped-gravity")),
        (
            "robot",
            "<gazebo reference='b'><turnGravityOff>true</turnGravityOff></gazebo>",
            ("warning", "dropped-gravity"),
        ),
        ("robot", "<transmission name='t'><joint name='x'/></transmission>", ("warning", "dropped-actuator")),
        ("robot", "<Joint name='k'/>", ("error", "dropped-loop")),
        ("joint", "<mimic joint='z'/>", ("error", "dropped-coupling")),
        ("joint", "<mimic joint='j' ratio='2'/>", ("warning", "unknown-attribute")),
        ("joint", "<dynamics damping='1' spring_stiffness='4'/>", ("warning", "unknown-attribute")),
        ("joint", "<spring stiffness='4'/>", ("warning", "dropped-force")),
        ("joint", "<axis xyz='1 0 0'/><axis xyz='0 0 1'/>", ("warning", "repeated-tag")),
        ("b", "<inertia ixx='1'/>", ("warning", "dropped-force")),
        ("b", "<drake:mass value='1'/>", ("warning", "unknown-tag")),
    ],
)
def test_what_changes_the_mechanics_is_reported(where, text, found):
    assert found in matters(urdf(**{where: text}))


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("robot", "<gazebo reference='b'><material>Gazebo/Red</material><mu1>0.2</mu1></gazebo>"),
        ("robot", "<gazebo reference='i'><springStiffness>0</springStiffness></gazebo>"),
        ("robot", "<ros2_control name='c' type='system'><joint name='i'/></ros2_control>"),
        ("robot", "<drake:collision_filter_group name='g'/>"),
        ("robot", "<transmission name='t'><type>SimpleTransmission</type><joint name='i'/></transmission>"),
        ("joint", "<safety_controller k_velocity='1'/><calibration rising='0'/>"),
        ("joint", "<limit effort='1' velocity='2' acceleration='3'/>"),
        ("b", "<visual><geometry><box size='1 1 1'/></geometry></visual><collision/><contact/>"),
    ],
)
def test_what_does_not_change_it_is_a_remark(where, text):
    text = urdf(**{where: text})
    assert matters(text) == []
    assert len(from_urdf(text).notes) > len(from_urdf(urdf()).notes) or "visual" in text


@given(st.sampled_from(["robot", "joint", "b"]), st.text(string.ascii_lowercase, min_size=4, max_size=12))
def test_no_unknown_tag_is_silent(where, tag):
    known = {"link", "joint", "origin", "parent", "child", "axis", "limit", "mimic", "dynamics", "visual", "inertial"}
    if tag not in known | {"gazebo", "loop", "coupling", "transmission", "collision"}:
        before, after = (from_urdf(urdf(**{where: x})).notes for x in ("", f"<{tag}/>"))
        (new,) = set(after) - set(before)
        assert f"<{tag}>" in new.message and (new.matters or new.code == "dropped-tag")


def test_an_origin_may_be_a_quaternion():
    half = from_urdf(urdf(joint='<origin xyz="1 2 3" quat_xyzw="0 0 0.7071067811865476 0.7071067811865476"/>'))
    turned = from_urdf(urdf(joint='<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>'))
    one, two = half.mechanism.joints[0].at, turned.mechanism.joints[0].at
    assert abs(one.R - two.R).max() < 1e-15 and one.xyz == two.xyz


def test_drakes_rotors_and_the_joints_bounds_come_with_a_transmission():
    actuator = "<actuator name='m'><drake:rotor_inertia value='0.01'/><drake:gear_ratio value='20'/></actuator>"
    text = urdf(
        joint="<limit effort='7' velocity='3'/>",
        robot=f"<transmission name='t'><joint name='i'/>{actuator}</transmission>",
    )
    (actuator,) = from_urdf(text).mechanism.actuators
    assert (actuator.rotor_inertia, actuator.gear, actuator.effort, actuator.speed) == (0.01, 20.0, 7.0, 3.0)
    assert matters(text) == []


SIDECAR = {"closed_loop": [["c", "a"]], "type": ["3d"], "name_mot": ["i"]}


@pytest.mark.parametrize("name", ["loops.yaml", "robot_closed.yml", "r.json", "R2.yaml"])
def test_a_list_of_loops_under_another_name_is_reported(tmp_path, name):
    (tmp_path / "r.urdf").write_text(urdf())
    (tmp_path / name).write_text(json.dumps(SIDECAR))
    (note,) = (note for note in read(tmp_path / "r.urdf").notes if note.matters)
    assert (note.severity, note.code, note.subject) == ("error", "sidecar-not-read", name)
    with pytest.warns(FormatWarning, match=f"'{name}' lists closed loops of this robot"):
        assert lw.load(tmp_path / "r.urdf").loops == ()


def test_files_that_list_no_loops_of_this_robot_are_passed_over(tmp_path):
    (tmp_path / "r.urdf").write_text(urdf())
    (tmp_path / "other.yaml").write_text(json.dumps(SIDECAR | {"closed_loop": [["x", "y"]]}))
    (tmp_path / "controllers.yaml").write_text("joints: [i, j]\nconstraints: {i: {goal: 0.1}}\n")
    (tmp_path / "broken.yaml").write_text("closed_loop: [[")
    (tmp_path / "mine.yaml").write_text("format: 1\nname: x\nloops: {k: {type: fixed, parent: a, child: c}}\n")
    assert not [note for note in read(tmp_path / "r.urdf").notes if note.matters]


def test_the_sidecar_may_end_in_yml(tmp_path):
    (tmp_path / "r.urdf").write_text(urdf())
    (tmp_path / "r.yml").write_text(json.dumps(SIDECAR))
    assert len(lw.load(tmp_path / "r.urdf").loops) == 1
