"""A mechanism that makes no sense is refused; the message names the thing, the value and the way out."""

from dataclasses import replace

import pytest

from linkwright.errors import MechanismError
from linkwright.forces import Friction, Spring, Strut
from linkwright.joints import Revolute, Screw, Spherical, Universal
from linkwright.mechanism import Actuator, Body, Frame, Inertia, Joint, Limits, Mechanism
from linkwright.mechanism.validation import body_doubts

ROD = Inertia.diagonal(1.0, (0.1, 0.0, 0.0), (0.01, 0.02, 0.02))
ARM = Mechanism(
    "arm",
    bodies=(Body("upper", ROD), Body("lower", ROD)),
    joints=(Joint("shoulder", "ground", "upper", Revolute()), Joint("elbow", "upper", "lower", Revolute())),
)


def upper(**changes):
    return replace(ARM, bodies=(replace(ARM.bodies[0], **changes), ARM.bodies[1]))


def elbow(**changes):
    return replace(ARM, joints=(ARM.joints[0], replace(ARM.joints[1], **changes)))


def inertia(mass=1.0, com=(0.0, 0.0, 0.0), moments=(0.01, 0.02, 0.02)):
    return upper(inertia=Inertia.diagonal(mass, com, moments))


BAD = {
    "negative mass": (lambda: inertia(mass=-1.0), "'upper' has the negative mass -1"),
    "nan mass": (lambda: inertia(mass=float("nan")), "'upper' has a mass"),
    "infinite mass center": (lambda: inertia(com=(float("inf"), 0.0, 0.0)), "'upper'"),
    "negative principal moment": (lambda: inertia(moments=(-0.01, 0.02, 0.02)), "none below zero"),
    "unknown parent": (lambda: elbow(parent="uper"), "did you mean 'upper'"),
    "unknown child": (lambda: elbow(child="nothing"), "unknown child body 'nothing'"),
    "duplicate body": (lambda: replace(ARM, bodies=(*ARM.bodies, Body("upper", ROD))), "2 bodies are called 'upper'"),
    "duplicate joint": (lambda: elbow(name="shoulder"), "2 joints are called 'shoulder'"),
    "zero axis": (lambda: elbow(kind=Revolute((0.0, 0.0, 0.0))), "needs a direction"),
    "long axis": (lambda: elbow(kind=Revolute((0.0, 0.0, 2.0))), "axis of length 2"),
    "parallel universal axes": (lambda: elbow(kind=Universal((1.0, 0.0, 0.0), (1.0, 0.0, 0.0))), "parallel"),
    "infinite pitch": (lambda: elbow(kind=Screw(pitch=float("inf"))), "pitch inf"),
    "joint to itself": (lambda: elbow(parent="lower"), "to itself"),
    "no base": (lambda: replace(ARM, base="floor"), "unknown parent body 'ground'"),
    "loose body": (lambda: replace(ARM, bodies=(*ARM.bodies, Body("hand", ROD))), "to 'hand'"),
    "two parents": (
        lambda: replace(ARM, joints=(*ARM.joints, Joint("third", "ground", "lower", Revolute()))),
        "move all but one to the loops",
    ),
    "base as child": (lambda: elbow(child="ground"), "swap parent and child"),
    "no bodies": (lambda: replace(ARM, bodies=(), joints=()), "no moving body"),
    "nan gravity": (lambda: replace(ARM, gravity=(0.0, 0.0, float("nan"))), "gravity"),
    "unknown platform": (lambda: replace(ARM, platform="tool"), "platform 'tool' is not a frame"),
    "frame on nothing": (lambda: replace(ARM, frames=(Frame("tool", "hand"),)), "unknown body 'hand'"),
    "actuator on nothing": (lambda: replace(ARM, actuators=(Actuator("m", "wrist"),)), "unknown joint 'wrist'"),
    "actuator freedom": (lambda: replace(ARM, actuators=(Actuator("m", "elbow", dof=1),)), "freedom 1"),
    "gear zero": (lambda: replace(ARM, actuators=(Actuator("m", "elbow", gear=0.0),)), "gear ratio 0"),
    "negative rotor": (
        lambda: replace(ARM, actuators=(Actuator("m", "elbow", rotor_inertia=-1.0),)),
        "negative rotor inertia -1",
    ),
    "crossed limits": (lambda: elbow(limits=Limits(lower=(1.0,), upper=(-1.0,))), "swap them"),
    "limits of another joint": (lambda: elbow(limits=Limits(lower=(1.0, 2.0))), "needs 1"),
    "limit on a quaternion": (
        lambda: elbow(kind=Spherical(), limits=Limits(lower=(0.5, *(-float("inf"),) * 3))),
        "limit 0.5 on qw",
    ),
    "spring on a ball": (lambda: elbow(kind=Spherical(), spring=Spring((1.0, 1.0, 1.0))), "cannot carry"),
    "negative spring": (lambda: elbow(spring=Spring((-1.0,))), "spring stiffness"),
    "negative friction": (lambda: elbow(friction=Friction(viscous=(-0.1,))), "viscous friction"),
    "no slip": (lambda: elbow(friction=Friction(coulomb=(0.1,), slip=0.0)), "slip speed 0"),
    "negative armature": (lambda: elbow(armature=(-0.1,)), "armature"),
    "armature of another joint": (lambda: elbow(armature=(0.1, 0.1)), "needs 1"),
    "unknown home": (lambda: replace(ARM, home=(("wrist", (0.0,)),)), "unknown joint 'wrist'"),
    "strut to nothing": (
        lambda: replace(ARM, forces=(Strut("s", "ground", "hand", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), 1.0),)),
        "'hand'",
    ),
}


@pytest.mark.parametrize(("make", "says"), BAD.values(), ids=BAD.keys())
def test_nonsense_is_refused_by_name(make, says):
    with pytest.raises(MechanismError) as caught:
        make()
    assert says in str(caught.value)
    assert caught.value.findings and all(str(found) in str(caught.value) for found in caught.value.findings)


def test_all_problems_are_reported_at_once():
    with pytest.raises(MechanismError) as caught:
        replace(inertia_free(), gravity=(0.0, 0.0, float("inf")), platform="tool")
    assert len(caught.value.findings) == 2


def inertia_free():
    """Bodies without mass are allowed; whether they can move is decided later."""
    return replace(ARM, bodies=(Body("upper"), Body("lower", ROD)))


def test_a_flat_body_on_the_edge_of_the_triangle_inequality_is_real():
    for moments in ((0.01, 0.02, 0.03), (0.0, 0.02, 0.02)):
        assert list(body_doubts(inertia(moments=moments).bodies[0])) == []


def test_an_inertia_no_body_has_is_doubted_unless_it_is_planar():
    (doubt,) = body_doubts(inertia(moments=(0.01, 0.01, 0.05)).bodies[0])
    assert (doubt.code, doubt.subject, doubt.severity) == ("impossible-inertia", "upper", "warning")
    assert "exceeds the sum of the others" in doubt.message
    assert list(body_doubts(inertia(moments=(0.0, 0.0, 0.05)).bodies[0])) == []
