"""The two DH conventions describe the same arms, each in its own frames."""

import math

import pytest

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.errors import FormatError
from linkwright.formats import from_yaml
from linkwright.formats.dh import Row, arm_from_modified_dh, arm_from_standard_dh, chain_of_dh_table
from linkwright.joints import Prismatic, Revolute
from linkwright.mechanism import Inertia

ARM = [
    Row("revolute", a=0.3, b=0.2, alpha=-math.pi / 2, theta=0.1),
    Row("revolute", a=0.0, b=0.1, alpha=0.7),
    Row("prismatic", a=0.05, b=0.4, alpha=0.0, theta=0.3),
    Row("revolute", a=0.2, b=0.0, alpha=math.pi / 2),
]
Q = [0.4, -1.1, 0.25, 2.0]


def motion(joint, q):
    if isinstance(joint.kind, Revolute):
        return RigidTransform.from_rpy((0, 0, 0), (0, 0, q))
    assert isinstance(joint.kind, Prismatic)
    return RigidTransform((0.0, 0.0, q))


def frames(mech, q):
    """Pose of every body in the base."""
    pose, out = IDENTITY, []
    for joint, value in zip(mech.joints, q):
        pose = pose @ joint.at @ motion(joint, value) @ joint.child_at.inverse
        out.append(pose)
    return out


def same(one, other):
    return one.r == pytest.approx(other.r, abs=1e-14) and pytest.approx(other.R, abs=1e-14) == one.R


def turned(row, q):
    theta, b = (row.theta + q, row.b) if row.joint == "revolute" else (row.theta, row.b + q)
    return RigidTransform.from_rpy((0, 0, 0), (0, 0, theta)) @ RigidTransform((0, 0, b)), RigidTransform.from_rpy(
        (row.a, 0, 0), (row.alpha, 0, 0)
    )


def test_standard_is_rz_tz_tx_rx():
    pose = IDENTITY
    for row, q, found in zip(ARM, Q, frames(arm_from_standard_dh(ARM), Q)):
        screw, link = turned(row, q)
        pose = pose @ screw @ link
        assert same(found, pose)


def test_modified_is_rx_tx_rz_tz():
    pose = IDENTITY
    for row, q, found in zip(ARM, Q, frames(arm_from_modified_dh(ARM), Q)):
        screw, link = turned(row, q)
        pose = pose @ link @ screw
        assert same(found, pose)


def test_the_same_arm_in_both_tables():
    """A modified table is the standard one with a and alpha moved to the next row."""
    before = [Row(r.joint, p.a, r.b, p.alpha, r.theta) for p, r in zip([Row(), *ARM], ARM)]
    last = RigidTransform.from_rpy((ARM[-1].a, 0, 0), (ARM[-1].alpha, 0, 0))
    assert same(frames(arm_from_standard_dh(ARM), Q)[-1], frames(arm_from_modified_dh(before), Q)[-1] @ last)


def test_right_angles_stay_exact():
    joint = arm_from_standard_dh([Row(b=0.2, alpha=-math.pi / 2)]).joints[0]
    assert {abs(x) for row in joint.child_at.rows for x in row} == {0.0, 1.0}


YAML = """
format: 1
name: arm
dh:
  convention: {convention}
  rows:
    - {{joint: revolute, a: 300 mm, {offset}: 0.2, alpha: -90 deg, theta: 0.1, mass: 2, com: [1, 2, 3],
       inertia: [3, 4, 5]}}
    - {{joint: prismatic, name: slide, link: rod, theta: 0.3, limits: {{lower: -100 mm, upper: 1 m}}}}
"""


@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("offset", ["b", "d"])
def test_the_table_in_a_file_is_the_table_in_python(convention, offset):
    mech = from_yaml(YAML.format(convention=convention, offset=offset))
    rows = [
        Row("revolute", 0.3, 0.2, -math.pi / 2, 0.1, Inertia.diagonal(2.0, (1.0, 2.0, 3.0), (3.0, 4.0, 5.0))),
        Row("prismatic", theta=0.3, name="slide", link="rod"),
    ]
    bodies, joints = chain_of_dh_table(convention, rows)
    assert mech.bodies == bodies
    assert [(j.name, j.parent, j.child, j.kind, j.at, j.child_at) for j in mech.joints] == [
        (j.name, j.parent, j.child, j.kind, j.at, j.child_at) for j in joints
    ]
    assert mech.joints[1].limits.lower == (-0.1,)


@pytest.mark.parametrize("convention", ["", "Standard", "craig", None])
def test_no_convention_no_arm(convention):
    with pytest.raises(FormatError, match=r"name the convention .* the same numbers give different arms"):
        chain_of_dh_table(convention, ARM)


def test_a_joint_a_table_cannot_have():
    with pytest.raises(FormatError, match="row 1 of the DH table has the joint 'spherical'"):
        arm_from_standard_dh([Row("spherical")])
