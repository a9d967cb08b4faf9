"""Drawings are cut into trees, with reasons; where they are cut changes no result."""

import logging
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.joints import Floating, Planar, Spherical, Universal
from linkwright.mechanism import Joint, Limits
from linkwright.mechanism.topology import arrange_spanning_tree, as_drawn, cut_reasons, is_tree, turned_round

DRAWING = """
format: 1
name: my four-bar
gravity: [0, -9.8, 0]
bodies:
  crank: {mass: 1, com: [0.5, 0, 0], inertia: [0, 0.0833, 0.0833]}
  coupler: {mass: 1, com: [2, 0, 0], inertia: [0, 1.333, 1.333]}
  rocker: {mass: 1, com: [1.25, 0, 0], inertia: [0, 0.52, 0.52]}
joints:
  A: {type: revolute, parent: ground, child: crank}
  B: {type: revolute, parent: crank, child: coupler, at: [1, 0, 0]}
  C: {type: revolute, parent: coupler, child: rocker, at: [4, 0, 0], child_at: [2.5, 0, 0]}
  D: {type: revolute, parent: rocker, child: ground, child_at: [3, 0, 0]}
actuators:
  motor: {joint: A}
"""


def test_a_drawing_with_a_loop_is_cut_and_says_where(tmp_path, caplog):
    path = tmp_path / "four-bar.yaml"
    path.write_text(DRAWING)
    with caplog.at_level(logging.INFO):
        mech = lw.load(path)
    assert len(mech.joints) == 3 and len(mech.loops) == 1
    assert f"joint '{mech.loops[0].name}' closes a loop" in caplog.text
    model = lw.build(mech)
    assert model.mobility == 1 and model.assemble().residual < 1e-12


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "five-bar", "slider-crank"])
def test_every_drawing_gives_a_tree_and_the_same_freedom(name):
    mech = lw.catalog.load(name)
    drawn = (*mech.joints, *mech.loops)
    found = arrange_spanning_tree(drawn, mech.base)
    assert is_tree(found.joints, mech.base) and len(found.joints) == len(mech.bodies)
    assert sorted(j.name for j in (*found.joints, *found.loops)) == sorted(j.name for j in drawn)
    other = replace(mech, joints=found.joints, loops=found.loops, actuators=(), home=(), frames=(), platform=None)
    assert lw.build(other).mobility == lw.build(mech).mobility


def test_a_named_joint_is_cut():
    mech = lw.catalog.load("four-bar")
    found = arrange_spanning_tree((*mech.joints, *mech.loops), mech.base, cut=("theta",))
    assert [j.name for j in found.loops] == ["theta"] and "because you requested" in found.reasons[0]


@pytest.mark.parametrize("kind", [lw.joints.Revolute((0.6, 0.0, 0.8)), lw.joints.Prismatic((0.0, 0.6, 0.8))])
def test_turning_a_joint_round_twice_changes_nothing(kind):
    joint = Joint("j", "a", "b", kind)
    assert turned_round(turned_round(joint)) == joint
    assert np.allclose(turned_round(joint).kind.axis, -np.array(kind.axis))


@pytest.mark.parametrize("kind", [Planar(), Floating(), Universal(), Spherical()])
def test_what_is_counted_along_coordinates_keeps_the_drawings_order(kind):
    n = len(kind.q_parts)
    limits = Limits(lower=tuple(-1.0 - i for i in range(n)), upper=tuple(2.0 + i for i in range(n)))
    joint = Joint("j", "a", "b", kind, limits=limits, armature=tuple(range(len(kind.v_parts))))
    turned = turned_round(joint)
    assert turned.reversed and (turned.parent, turned.child) == ("b", "a")
    assert (turned.limits, turned.armature) == (joint.limits, joint.armature)
    assert as_drawn(turned) == as_drawn(joint) == joint


def test_every_cut_has_a_reason():
    for name in ("gough-stewart", "3-rrr", "bricard"):
        mech = lw.catalog.load(name)
        reasons = cut_reasons(mech.joints, mech.loops, mech.base)
        assert len(reasons) == len(mech.loops)
        assert all(f"joint '{loop.name}'" in reason for loop, reason in zip(mech.loops, reasons, strict=True))
    assert "'platform' floats" in cut_reasons(*_parts("gough-stewart"))[0]
    assert "3 coordinates less, 3 closure equations more" in cut_reasons(*_parts("gough-stewart"))[0]
    assert "no choice of cuts leaves out more" in cut_reasons(*_parts("3-rrr"))[0]


def test_a_dear_cut_names_the_better_one():
    """A platform carried by one leg that carries the second in turn: the hinge at that leg's foot is cut."""
    joints, loops, base = _parts("3-rps")
    hinge = next(j for j in joints if j.parent == base and j.child.endswith("2"))
    tree = tuple(j for j in joints if j is not hinge and not isinstance(j.kind, Floating))
    reason = cut_reasons((*tree, *loops[:2]), (hinge, loops[2]), base)[0]
    assert f"joint '{hinge.name}'" in reason
    assert f"cutting '{loops[1].name}', '{loops[2].name}' would leave out more" in reason


def _parts(name):
    mech = lw.catalog.load(name)
    return mech.joints, mech.loops, mech.base


def test_a_drawn_floating_joint_stays_in_the_tree():
    """Its user wants the platform's pose among the coordinates."""
    mech = lw.catalog.load("gough-stewart")
    drawn = arrange_spanning_tree((*reversed(mech.loops), *reversed(mech.joints)), mech.base)
    assert {joint.name for joint in drawn.loops} == {joint.name for joint in mech.loops}
    assert "pose" in {joint.name for joint in drawn.joints}
