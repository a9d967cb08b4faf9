"""URDF as people write it: loops in every dialect, graphs, followers, gears, rounded inertias."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats import from_urdf, read
from linkwright.joints import Distance, Fixed, Floating, Revolute, Screw, Spherical, Universal
from tests.formats.test_urdf_loops import FOUR_BAR, joint, link, robot

OPEN = (
    link("base", None),
    link("crank", 1.0),
    link("coupler", 2.0),
    link("rocker", 1.5),
    joint("A", "base", "crank"),
    joint("B", "crank", "coupler", (0.2, 0, 0)),
    joint("D", "base", "rocker", (0.5, 0, 0)),
)
DRIVE = '<transmission name="t"><joint name="A"/><actuator name="m"/></transmission>'
DIALECTS = {
    "loop_joint": '<loop_joint name="C" type="continuous"><link1 link="coupler" xyz="0.45 0 0"/>'
    '<link2 link="rocker" xyz="0.3 0 0"/><axis xyz="0 0 1"/></loop_joint>',
    "constraint": '<constraint name="C" type="revolute"><parent link="coupler"><origin xyz="0.45 0 0"/></parent>'
    '<child link="rocker"><origin xyz="0.3 0 0"/></child><axis xyz="0 0 1"/></constraint>',
    "drake": '<drake:ball_constraint xmlns:drake="d"><drake:ball_constraint_body_A name="coupler"/>'
    '<drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_AP value="0.45 0 0"/>'
    '<drake:ball_constraint_p_BQ value="0.3 0 0"/></drake:ball_constraint>',
}


def swing(mech):
    """Acceleration of the crank at one closed state under one effort."""
    model = lw.build(mech)
    assert model.mobility == 1 and [actuator.joint for actuator in mech.actuators] == ["A"]
    q = model.assemble(fixed={"A": 0.7}).q
    a = model.forward_dynamics(q, np.zeros(model.nv), np.array([0.4]))
    return a[model.v_names.index("A")]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_the_same_four_bar(dialect):
    imported = from_urdf(robot(*OPEN, DIALECTS[dialect], DRIVE))
    assert not [note for note in imported.notes if note.severity == "error"]
    assert swing(imported.mechanism) == pytest.approx(swing(from_urdf(FOUR_BAR).mechanism), rel=1e-9)


def test_a_link_with_two_parents_is_cut():
    """The rocker hangs on the base and on the coupler's end."""
    graph = robot(
        *OPEN[:6],
        link("end", 0.1),
        joint("weld", "coupler", "end", (0.45, 0, 0), "fixed"),
        joint("D", "base", "rocker", (0.5, 0, 0)),
        joint("C", "end", "rocker", (0, 0, 0)),
    )
    imported = from_urdf(graph)
    mech = imported.mechanism
    assert len(mech.joints) == 4 and [loop.name for loop in mech.loops] == ["C"]
    assert any(note.code == "cut-loops" for note in imported.notes)


def test_rods_springs_and_screws_of_drake():
    text = robot(
        link("base", None),
        link("a"),
        link("b"),
        '<drake:joint name="s" type="screw" xmlns:drake="d"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>'
        '<drake:screw_thread_pitch value="0.5"/></drake:joint>',
        '<drake:joint name="u" type="universal"><parent link="base"/><child link="b"/></drake:joint>',
        '<drake:distance_constraint><drake:distance_constraint_body_A name="a"/>'
        '<drake:distance_constraint_body_B name="b"/><drake:distance_constraint_p_AP value="1 0 0"/>'
        '<drake:distance_constraint_p_BQ value="0 1 0"/><drake:distance_constraint_distance value="1.5"/>'
        "</drake:distance_constraint>",
        '<drake:linear_spring_damper><drake:linear_spring_damper_body_A name="a"/>'
        '<drake:linear_spring_damper_body_B name="b"/><drake:linear_spring_damper_p_AP value="0 0 1"/>'
        '<drake:linear_spring_damper_p_BQ value="0 0 2"/><drake:linear_spring_damper_free_length value="0.3"/>'
        '<drake:linear_spring_damper_stiffness value="7"/><drake:linear_spring_damper_damping value="0.2"/>'
        "</drake:linear_spring_damper>",
    )
    mech = from_urdf(text).mechanism
    assert mech.joints[0].kind == Screw((0.0, 0.0, 1.0), 0.5 / (2 * np.pi))
    assert mech.joints[1].kind == Universal()
    assert mech.loops[0].kind == Distance(1.5) and mech.loops[0].child_at.xyz == (0.0, 1.0, 0.0)
    (strut,) = mech.forces
    assert (strut.stiffness, strut.length, strut.damping, strut.child_at) == (7.0, 0.3, 0.2, (0.0, 0.0, 2.0))


def fingers(extra=""):
    follow = '<mimic joint="lead" multiplier="{}"/>'
    return robot(
        *(link(name, None if name == "base" else 1.0) for name in ("base", "a", "b", "c")),
        joint("lead", "base", "a"),
        joint("f1", "a", "b", inside=follow.format(-1)),
        joint("f2", "b", "c", inside=follow.format(0.5)),
        extra,
    )


def test_followers_follow_and_leaders_stay_driven():
    mech = from_urdf(fingers()).mechanism
    assert [actuator.joint for actuator in mech.actuators] == ["lead"]
    assert [coupling.terms for coupling in mech.couplings] == [
        (("f1", 1.0), ("lead", 1.0)),
        (("f2", 1.0), ("lead", -0.5)),
    ]
    model = lw.build(mech)
    assert (model.mobility, model.na) == (1, 1)


def test_independent_joints_of_urdf_plus_are_driven():
    text = robot(
        *OPEN,
        '<loop name="C" type="revolute"><predecessor link="coupler"><origin xyz="0.45 0 0"/></predecessor>'
        '<successor link="rocker"><origin xyz="0.3 0 0"/></successor><axis xyz="0 0 1"/></loop>',
    )
    for name, value in (("A", "true"), ("B", "false"), ("D", "false")):
        text = text.replace(f'<joint name="{name}"', f'<joint independent="{value}" name="{name}"')
    imported = from_urdf(text)
    assert not [note for note in imported.notes if note.matters]
    assert swing(imported.mechanism) == pytest.approx(swing(from_urdf(FOUR_BAR).mechanism), rel=1e-9)


def test_a_universal_loop_has_two_axes():
    text = robot(
        *OPEN,
        '<loop name="C" type="universal"><predecessor link="coupler"/><successor link="rocker"/>'
        '<axis xyz="0 0 2"/><axis xyz="0 1 0"/></loop>',
    )
    assert from_urdf(text).mechanism.loops[0].kind == Universal((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


def test_gears_of_transmissions_are_read():
    drive = DRIVE.replace(
        '<actuator name="m"/>', '<actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>'
    )
    (actuator,) = from_urdf(robot(*OPEN, drive)).mechanism.actuators
    assert (actuator.gear, actuator.effort, actuator.speed) == (50.0, 9.0, 9.0)


def test_rounded_inertias_are_repaired_with_a_warning_and_wrong_ones_refused():
    moments = '<inertia ixx="0.01" iyy="0.01" izz="{}" ixy="0" ixz="0" iyz="0"/>'
    heavy = f'<link name="b"><inertial><mass value="1"/>{moments}</inertial></link>'
    text = f'<robot name="r"><link name="a"/>{heavy}{{}}</robot>'
    imported = from_urdf(text.format("-3.5e-8", joint("j", "a", "b")))
    assert [note.code for note in imported.notes if note.matters] == ["repaired-inertia"]
    assert imported.mechanism.bodies[0].inertia.tensor[2][2] == 0.0
    (note,) = [note for note in from_urdf(text.format("-0.004", joint("j", "a", "b"))).notes if note.matters]
    assert (note.code, note.severity, note.value) == ("repaired-inertia", "error", -0.004)
    with pytest.raises(lw.errors.FormatError, match="none below zero"):
        from_urdf(text.format("-0.006", joint("j", "a", "b")))


def test_a_robot_of_one_link_floats():
    mech = from_urdf(robot(link("body"))).mechanism
    assert mech.joints[0].kind == Floating() and mech.bodies[0].inertia.mass == 1.0


SIDECAR = """closed_loop: [[end_d, end_b]]
name: [knot]
type: [3D]
name_mot: m
joint_name: [p1, p2]
joint_type: [SPHERICAL, UJOINT_ZY]
"""


def test_a_sidecar_changes_joint_types_and_is_found_as_robot_yaml(tmp_path):
    from tests.formats.test_urdf_loops import FIVE_BAR

    (tmp_path / "other.urdf").write_text(FIVE_BAR)
    (tmp_path / "robot.yaml").write_text(SIDECAR)
    mech = read(tmp_path / "other.urdf").mechanism
    kinds = {each.name: each.kind for each in mech.joints}
    assert kinds["p1"] == Spherical() and kinds["p2"] == Universal((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    assert isinstance(kinds["m1"], Revolute) and kinds["f1"] == Fixed()
    assert [loop.name for loop in mech.loops] == ["knot"]
    assert [actuator.joint for actuator in mech.actuators] == ["m1", "m2"]


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("UJOINT_ZY", "UJOINT_ZZ", "'UJOINT_ZZ' of joint 'p2' is not a known type"),
        ("[p1, p2]", "[p1]", "there are 1 joint names and 2 types"),
    ],
)
def test_mistakes_in_a_sidecar_are_named(tmp_path, old, new, message):
    from tests.formats.test_urdf_loops import FIVE_BAR

    (tmp_path / "robot.urdf").write_text(FIVE_BAR)
    (tmp_path / "robot.yaml").write_text(SIDECAR.replace(old, new))
    with pytest.raises(lw.errors.FormatError, match=r"robot\.yaml") as caught:
        read(tmp_path / "robot.urdf")
    assert message in str(caught.value)


def test_a_sidecar_that_names_an_unknown_joint_is_read_with_a_warning(tmp_path):
    """Others ignore such names; one published robot has a joint name with a wrong letter."""
    from tests.formats.test_urdf_loops import FIVE_BAR

    (tmp_path / "robot.urdf").write_text(FIVE_BAR)
    (tmp_path / "robot.yaml").write_text(SIDECAR.replace("[p1, p2]", "[p1, p9]"))
    noted = {note.code: note.subject for note in read(tmp_path / "robot.urdf").notes if note.matters}
    assert noted["unknown-name"] == "p9"


PAIRS = """closed_loop: [[coupler_end, rocker_end]]
type: [3d]
name_mot: [A]
"""
ENDS = (
    link("coupler_end", None),
    link("rocker_end", None),
    joint("ce", "coupler", "coupler_end", (0.45, 0, 0), "fixed"),
    joint("re", "rocker", "rocker_end", (0.3, 0, 0), "fixed"),
)


def test_a_loop_in_two_dialects_is_kept_once():
    """Files for several tools write it twice; the joint with the fewest freedoms says most."""
    both = from_urdf(robot(*OPEN, DIALECTS["drake"], DIALECTS["constraint"], DRIVE))
    assert [type(loop.kind) for loop in both.mechanism.loops] == [Revolute]
    assert any(note.code == "repeated-tag" for note in both.notes)
    assert swing(both.mechanism) == pytest.approx(swing(from_urdf(FOUR_BAR).mechanism), rel=1e-9)


def test_a_loop_in_the_file_and_in_its_sidecar_is_kept_once(tmp_path):
    (tmp_path / "bar.urdf").write_text(robot(*OPEN, *ENDS, DIALECTS["constraint"]))
    (tmp_path / "bar.yaml").write_text(PAIRS)
    mech = read(tmp_path / "bar.urdf").mechanism
    assert [(loop.name, type(loop.kind)) for loop in mech.loops] == [("C", Revolute)]


@pytest.mark.parametrize("other", ["drake", "sidecar"])
def test_dialects_that_disagree_are_refused(tmp_path, other):
    moved = DIALECTS["constraint"].replace("0.45", "0.46")
    (tmp_path / "bar.urdf").write_text(robot(*OPEN, *ENDS, moved, *([DIALECTS["drake"]] if other == "drake" else [])))
    if other == "sidecar":
        (tmp_path / "bar.yaml").write_text(PAIRS)
    with pytest.raises(lw.errors.FormatError, match=r"join the same parts at points 0\.01 m apart") as caught:
        read(tmp_path / "bar.urdf")
    assert caught.value.findings[0].code == "contradiction"


def test_couplings_that_disagree_are_refused_and_equal_ones_kept_once():
    ends = '<predecessor link="crank"/><successor link="rocker"/>'
    coupling = f'<coupling name="belt" type="belt">{ends}<ratio value="2"/></coupling>'
    parts = (*OPEN[:5], joint("D", "base", "rocker").replace("</joint>", '<mimic joint="A" multiplier="{}"/></joint>'))
    text = robot(*parts[:2], parts[3], parts[4], parts[5], coupling)
    assert len(from_urdf(text.format("2")).mechanism.couplings) == 1
    with pytest.raises(lw.errors.FormatError, match="ratios or offsets that differ by"):
        from_urdf(text.format("-2"))


@pytest.mark.parametrize("actuator, name", [('<actuator name="m"/>', "m"), ("", "A"), ('<actuator name="B"/>', "A")])
def test_an_actuator_has_its_own_name_unless_a_joint_has_it(actuator, name):
    drive = f'<transmission name="t"><joint name="A"/>{actuator}</transmission>'
    (found,) = from_urdf(robot(*OPEN, drive)).mechanism.actuators
    assert (found.name, found.joint) == (name, "A")
