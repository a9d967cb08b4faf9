"""The open tree of a closed-loop robot is recognized, and the sidecar that is shown closes it."""

import pytest

import linkwright as lw
from linkwright.formats import read
from tests.formats.test_urdf_loops import joint, link, robot

TREE = (
    link("base", None),
    link("crank", 1.0),
    link("coupler", 2.0),
    link("rocker", 1.5),
    joint("A", "base", "crank"),
    joint("B", "crank", "coupler", (0.2, 0, 0)),
    joint("D", "base", "rocker", (0.5, 0, 0)),
)
DRIVE = '<transmission name="t"><joint name="A"/><actuator name="m"/></transmission>'


def ends(a, b, at=0.45):
    """A link at the end of the coupler and one on the rocker that lies in the same point when at is 0.45."""
    return (
        *(link(name, None) for name in (a, b)),
        joint("e1", "coupler", a, (at, 0, 0), "fixed"),
        joint("e2", "rocker", b, (0.15, 0, 0), "fixed"),
    )


def notes_of_tree(folder, *more):
    (folder / "arm.urdf").write_text(robot(*TREE, *more), encoding="utf-8")
    return [note for note in read(folder / "arm.urdf").notes if note.code == "open-tree"]


@pytest.mark.parametrize(
    "names", [("loop1_A", "loop1_B"), ("closure_parent", "closure_child"), ("loop2_A_3D", "loop2_B_3D"), ("p", "q")]
)
def test_the_sidecar_that_is_shown_closes_the_loop(names, tmp_path):
    (note,) = notes_of_tree(tmp_path, *ends(*names), DRIVE)
    assert note.severity == "warning" and note.value == [names]
    lines = note.fix.splitlines()
    assert "'arm.yaml'" in lines[0]
    (tmp_path / "arm.yaml").write_text("\n".join(each.strip() for each in lines[1:]), encoding="utf-8")
    mech = read(tmp_path / "arm.urdf").mechanism
    assert len(mech.loops) == 1 and [actuator.joint for actuator in mech.actuators] == ["A"]
    assert lw.build(mech).mobility == 1


def test_check_shows_it(tmp_path):
    notes_of_tree(tmp_path, *ends("p", "q"))
    imported = read(tmp_path / "arm.urdf")
    found = lw.check(imported.mechanism, imported.notes)
    assert any("closed_loop: [[p, q]]" in finding.fix for finding in found.findings)


@pytest.mark.parametrize("more", [ends("p", "q", at=0.4), (), ends("left_hand", "right_hand", at=0.3)])
def test_other_trees_are_left_alone(more, tmp_path):
    assert not notes_of_tree(tmp_path, *more)


def test_a_tip_beside_the_joint_that_carries_it_is_no_loop(tmp_path):
    at_joint = (link("p", None), link("q", None), joint("e1", "crank", "p", (0.2, 0, 0), "fixed"))
    assert not notes_of_tree(tmp_path, *at_joint, joint("e2", "coupler", "q", (0, 0, 0), "fixed"))
