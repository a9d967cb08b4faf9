"""Positions of actuators in degrees are doubted, once for a call; motors that turn on are not."""

import warnings

import numpy as np
import pytest

import linkwright as lw


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"))


def doubts(call):
    """Records of the warnings of a call."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call()
    return [each.message.finding for each in given]


def calls(model, q_act):
    """Every function that takes positions of the actuators, in one state or a batch."""
    q = model.assemble().q
    yield lambda: model.forward_kinematics(q_act, near=q)
    yield lambda: model.forward_kinematics(np.tile(q_act, (3, 1)), near=q)
    yield lambda: model.assembly_modes(q_act, guesses=8)
    yield lambda: model.follow(np.array([q_act, q_act]), q)


def test_degrees_are_doubted_once_for_a_call_and_radians_are_not(five_bar):
    driven = [five_bar.q_names.index(each.coordinate) for each in five_bar.actuators]
    home = five_bar.assemble().q[driven]
    for call in calls(five_bar, home):
        assert not doubts(call)
    for call in calls(five_bar, home + 8 * np.pi):
        (one,) = doubts(call)
        assert one.code == "many-turns" and "radians" in one.message
        assert set(one.value) == {each.name for each in five_bar.actuators}


def test_coordinates_that_assemble_holds_or_begins_at_are_doubted_too(five_bar):
    q = five_bar.assemble().q
    assert not doubts(lambda: five_bar.assemble(guess=q, fixed={"theta1": q[five_bar.q_names.index("theta1")]}))
    for given in ({"fixed": {"theta1": 120.0}}, {"guess": np.degrees(q)}):
        (one,) = doubts(lambda given=given: five_bar.assemble(**given))
        assert one.code == "many-turns" and "theta1" in one.value
    legs = lw.build(lw.catalog.load("gough-stewart"))
    assert not doubts(lambda: legs.assemble(fixed={"pose.x": 0.0}))


def test_a_crank_may_turn_on(five_bar):
    driven = [five_bar.q_names.index(each.coordinate) for each in five_bar.actuators]
    home = five_bar.assemble().q[driven]
    path = home + np.linspace(0.0, 16 * np.pi, 200)[:, None] * [1.0, 1.0]
    assert not [x for x in doubts(lambda: five_bar.forward_kinematics(path, near="previous")) if x.code == "many-turns"]


def test_lengths_are_not_angles():
    model = lw.build(lw.catalog.load("gough-stewart"))
    assert not doubts(lambda: model.forward_kinematics(np.full(model.na, 100.0)))
