"""Every machine of the catalog loads, says where its numbers come from, and can be drawn."""

import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.errors import ArgumentError
from linkwright.formats import from_yaml, to_yaml


def test_the_serial_arms_of_the_papers_are_there():
    assert {"three-link-arm", "stanford-arm"} <= set(catalog.names())


@pytest.mark.parametrize("name", catalog.names())
def test_a_machine_is_complete(name):
    mech = catalog.load(name)
    assert mech.name == name
    assert "Assumed" in mech.source, "the source says what is assumed"
    assert all(body.shapes for body in mech.bodies), "every body can be drawn"
    assert from_yaml(to_yaml(mech)) == mech


def test_joints_have_the_papers_names():
    assert [j.name for j in catalog.load("three-link-arm").joints] == ["theta1", "theta2", "theta3"]
    assert [j.name for j in catalog.load("stanford-arm").joints] == [
        "theta1",
        "theta2",
        "b3",
        "theta4",
        "theta5",
        "theta6",
    ]


def test_inertias_are_the_slender_rods_they_claim_to_be():
    mech = catalog.load("three-link-arm")
    for body, length in zip(mech.bodies, (0.3, 0.25, 0.22)):
        moment = body.inertia.mass * length**2 / 12
        assert [body.inertia.tensor[i][i] for i in range(3)] == pytest.approx([0.0, moment, moment], rel=1e-15)
        assert body.inertia.com == (-length / 2, 0.0, 0.0)


def test_holding_torques_of_the_stretched_arm_are_weights_times_levers():
    arm = lw.build(catalog.load("three-link-arm"))
    lengths, masses = (0.3, 0.25, 0.22), (0.5, 0.4, 0.3)
    levers = [sum(lengths[:i]) + lengths[i] / 2 for i in range(3)]
    expected = [9.81 * sum(masses[i] * (levers[i] - sum(lengths[:k])) for i in range(k, 3)) for k in range(3)]
    assert arm.inverse_dynamics([0.0] * 3, [0.0] * 3, [0.0] * 3) == pytest.approx(expected, rel=1e-14)


def test_the_stanford_boom_is_level_at_home():
    """With theta2 = 90 deg the sliding joint is horizontal and carries no weight."""
    arm = lw.build(catalog.load("stanford-arm"))
    tau = arm.inverse_dynamics([0, dict(arm.mechanism.home)["theta2"][0], 0.1, 0, 0, 0], [0.0] * 6, [0.0] * 6)
    assert tau[2] == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize(("wrong", "meant"), [("standford-arm", "stanford-arm"), ("three_link_arm", "three-link-arm")])
def test_an_unknown_name_suggests_the_closest(wrong, meant):
    with pytest.raises(ArgumentError, match=f"did you mean '{meant}'"):
        catalog.load(wrong)


@pytest.mark.parametrize("wrong", ["../secret", "", 3, None])
def test_only_names_of_the_catalog_open(wrong):
    with pytest.raises(ArgumentError, match="the catalog has no mechanism"):
        catalog.load(wrong)
