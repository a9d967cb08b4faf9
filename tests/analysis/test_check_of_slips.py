"""Slips in a mechanism are named by `check` for what they are, in one finding each."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.forces import Strut
from linkwright.formats.urdf.urdf_reader import from_urdf
from linkwright.joints import Prismatic, Revolute
from tests.analysis import mechanisms as m


def codes(mech, **more):
    return [finding.code for finding in lw.check(mech, **more).findings]


def found(mech, code):
    (one,) = [finding for finding in lw.check(mech).findings if finding.code == code]
    return one


def with_axis(mech, name, axis):
    joints, loops = (
        tuple(replace(j, kind=type(j.kind)(axis)) if j.name == name else j for j in each)
        for each in (mech.joints, mech.loops)
    )
    return replace(mech, joints=joints, loops=loops)


@pytest.mark.parametrize("name", ["j1", "j2", "j3", "j4"])
@pytest.mark.parametrize("angle", [0.3, np.pi / 2])
def test_a_wrong_axis_in_a_planar_loop_is_named_with_its_angle(name, angle):
    mech = with_axis(m.four_bar("j1"), name, (float(np.sin(angle)), 0.0, float(np.cos(angle))))
    diagnosis = lw.check(mech)
    assert diagnosis.problems, "it cannot move, or does not close"
    worst = diagnosis.problems[0]
    assert f"axis of joint '{name}' is tilted by {angle:.2g} rad" in worst.message
    assert f"make the direction of joint '{name}' parallel" in worst.fix


def test_a_body_with_an_inertia_and_no_mass_is_named():
    mech = m.four_bar("j1")
    body = mech.bodies[1]
    forgotten = replace(body, inertia=replace(body.inertia, mass=0.0))
    assert "missing-mass" not in codes(mech)
    one = found(replace(mech, bodies=(mech.bodies[0], forgotten, *mech.bodies[2:])), "missing-mass")
    assert one.subject == body.name and "and no mass" in one.message and one.severity == "warning"


def test_a_slide_out_of_its_plane_is_named():
    mech = m.offset_slider_crank()
    (name,) = [j.name for j in (*mech.joints, *mech.loops) if isinstance(j.kind, Prismatic)]
    worst = lw.check(with_axis(mech, name, m.unit(1.0, 0.0, 0.4))).problems[0]
    assert f"slide of joint '{name}' leaves the plane" in worst.message


def test_loops_with_axes_in_all_directions_blame_no_axis():
    for mech in (m.bennett(), m.spherical_four_bar(), m.sarrus(), m.rssr()):
        assert not any("is tilted" in finding.message for finding in lw.check(mech).findings)


def test_a_joint_without_an_axis_says_which_was_taken():
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
    text = (
        f'<robot name="r"><link name="base"/>{link.format("a")}<joint name="hinge" type="continuous">'
        '<parent link="base"/><child link="a"/></joint></robot>'
    )
    imported = from_urdf(text)
    (note,) = [each for each in imported.notes if each.code == "default-axis"]
    assert note.subject == "hinge" and "default of URDF was taken, x" in note.message
    assert "default-axis" in codes(imported.mechanism, notes=imported.notes)


def test_a_chain_that_ends_in_the_air_asks_for_the_joint():
    whole = m.four_bar("j1")
    cut = replace(whole, loops=())
    assert "loose-chain" not in codes(whole)
    one = found(cut, "loose-chain")
    assert one.severity == "warning" and "is a joint missing?" in one.fix
    assert one.subject in cut.names


def test_a_driven_arm_and_a_pendulum_without_actuators_are_no_loose_chains():
    assert "loose-chain" not in codes(lw.catalog.load("puma-560"))
    assert "loose-chain" not in codes(lw.catalog.load("three-link-arm"))


def test_a_joint_that_repeats_another_names_both():
    mech = m.four_bar("j1")
    first = mech.joints[1]
    again = replace(first, name="again")
    one = [f for f in lw.check(replace(mech, loops=(*mech.loops, again))).findings if f.subject == "again"]
    assert len(one) == 1
    assert f"joint 'again' repeats joint '{first.name}'" in one[0].message


def test_limbs_of_a_tree_are_no_separate_parts():
    rows = [("a", Revolute(m.Z), "ground", "A", (0, 0, 0)), ("b", Revolute(m.Z), "ground", "B", (1, 0, 0))]
    assert "separate-parts" not in codes(m.drawn("two arms", rows, ("a", "b")))
    assert "separate-parts" in codes(m.two_mechanisms())


def test_too_few_actuators_are_a_warning():
    diagnosis = lw.check(m.five_bar("j1"))
    assert diagnosis.exit_code == 0
    assert found(m.five_bar("j1"), "too-few-actuators").severity == "warning"


def test_a_strut_without_length_is_named():
    mech = m.four_bar("j1")
    joint = mech.joints[1]
    point = tuple(joint.at.xyz)
    strut = Strut("spring", joint.parent, joint.child, point, tuple(joint.child_at.xyz), 10.0)
    assert found(replace(mech, forces=(strut,)), "coincident-ends").severity == "warning"
    assert found(replace(mech, forces=(replace(strut, length=0.1),)), "coincident-ends").severity == "error"
    apart = replace(strut, child_at=(point[0] + 0.3, point[1], point[2]))
    assert "coincident-ends" not in codes(replace(mech, forces=(apart,)))


def test_a_home_in_degrees_is_named():
    mech = replace(m.four_bar("j1"), home=(("j1", (130.0,)),))
    one = found(mech, "many-turns")
    assert "130 rad" in one.message and "130 deg" in one.fix


def test_a_home_open_by_more_than_a_link_is_a_warning():
    """A crank of 100 cm for 100 mm; a home that is roughly right, or a first guess of some joints, stays a remark."""
    mech = lw.catalog.load("slider-crank")
    slip = mech.with_values({"crank": 1.0})
    assert found(slip, "home-open").severity == "warning" and "units" in found(slip, "home-open").fix
    assert found(mech.with_values({"crank": 0.102}), "home-open").severity == "remark"
    guess = replace(slip, home=slip.home[:1])
    assert found(guess, "home-open").severity == "remark"


def test_a_home_of_the_actuators_that_is_kept_leaves_nothing_to_say():
    mech = lw.catalog.load("five-bar")
    driven = {each.joint for each in mech.actuators}
    assert "home-open" not in codes(replace(mech, home=tuple(x for x in mech.home if x[0] in driven)))


def test_a_robot_without_mass_is_said_once():
    mech = m.four_bar("j1")
    mech = replace(mech, bodies=tuple(lw.Body(body.name) for body in mech.bodies))
    diagnosis = lw.check(mech)
    assert [f.code for f in diagnosis.findings if "mass" in f.message] == ["no-mass"]
    assert diagnosis.exit_code == 0


def test_the_angle_of_an_open_loop_is_what_its_joint_forbids():
    """Axes of a planar loop stay parallel, however far the hinge's own angle turns."""
    mech = m.four_bar("j1")
    far = replace(mech, loops=tuple(replace(j, at=lw.RigidTransform.of((9.0, 0.0, 0.0))) for j in mech.loops))
    one = found(far, "loop-open")
    assert "their axes 0 degrees" in one.message
