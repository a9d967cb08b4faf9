"""Every mechanism of the catalog loads, gives the source of its numbers, and can be drawn."""

import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.errors import ArgumentError
from linkwright.formats import from_yaml, to_yaml
from linkwright.mechanism.flexible_bodies import remove_beams


def test_the_serial_arms_of_the_papers_are_there():
    assert {"three-link-arm", "stanford-arm"} <= set(catalog.names())


@pytest.mark.parametrize("name", catalog.names())
def test_a_mechanism_is_complete(name):
    mech = catalog.load(name)
    assert mech.name == name
    assert "Assumed" in mech.source, "the source lists what is assumed"
    assert mech.license.startswith("MIT (this file")
    assert all(body.shapes for body in remove_beams(mech)[0].bodies), "every body can be drawn"
    assert from_yaml(to_yaml(mech)) == mech


LOOPS = [name for name in catalog.names() if catalog.load(name).loops]


def test_the_mechanisms_of_the_papers_are_there():
    papers = {"four-bar", "four-bar-flexible", "3-rrr", "gough-stewart", "3-rps", "hexam", "hexaglide", "linapod"}
    assert papers | {"andrews-squeezer", "iftomm-two-four-bars", "three-link-arm", "stanford-arm"} <= set(
        catalog.names()
    )


LINKAGES = {"four-bar", "four-bar-flexible", "slider-crank", "bricard", "andrews-squeezer", "bennett", "peaucellier"}
LINKAGES |= {"iftomm-two-four-bars", "theo-jansen-leg"}  # no platform


@pytest.mark.parametrize("name", LOOPS)
def test_a_mechanism_with_loops_names_its_actuators_and_home(name):
    mech = catalog.load(name)
    assert mech.actuators
    assert [joint for joint, _ in mech.home] == [joint.name for joint in remove_beams(mech)[0].joints]
    assert mech.base_shapes
    assert (mech.platform is not None) == (name not in LINKAGES)


@pytest.mark.parametrize("name", LOOPS)
def test_bodies_that_are_alike_are_alike(name):
    """Bodies whose names differ in a number only have the same mass and shapes, except in one-off linkages.

    The halves of par4's platform are mirror images.
    """
    if name in {"bricard", "andrews-squeezer", "bennett", "par4"}:
        return
    groups = {}
    for body in catalog.load(name).bodies:
        groups.setdefault(body.name.rstrip("123456ab"), set()).add((body.inertia, body.shapes))
    limit = 2 if name == "3-rrr" else 1  # link1..3 and link4..6
    assert all(len(kinds) <= limit for kinds in groups.values())


@pytest.mark.parametrize(
    ("name", "body", "length", "along"),
    [
        ("four-bar", "crank", 1.0, 0),
        ("four-bar", "coupler", 4.0, 0),
        ("four-bar", "rocker", 2.5, 0),
        ("slider-crank", "crank", 0.1, 0),
        ("slider-crank", "rod", 0.3, 0),
        ("five-bar", "proximal1", 0.25, 0),
        ("five-bar", "distal2", 0.35, 0),
        ("3-rrr", "link1", 0.4, 0),
        ("3-rrr", "link6", 0.6, 0),
        ("delta", "arm1", 0.112, 0),
        ("delta", "rod3b", 0.232, 2),
        ("hexaglide", "leg1", 0.8, 2),
        ("linapod", "leg1", 0.8, 2),
        ("theo-jansen-leg", "rod_k", 0.619, 0),
        ("peaucellier", "arm2", 0.5, 0),
        ("3-rpr", "upper3", 0.3, 0),
        ("3-prs", "strut2", 0.5, 2),
        ("orthoglide", "rod2b", 0.31, 0),
        ("par4", "rod4a", 0.65, 2),
    ],
)
def test_uniform_rods_have_the_moments_of_uniform_rods(name, body, length, along):
    inertia = next(b.inertia for b in catalog.load(name).bodies if b.name == body)
    moments = [inertia.mass * length**2 / 12] * 3
    moments[along] = 0.0
    assert [inertia.tensor[i][i] for i in range(3)] == pytest.approx(moments, rel=1e-12)
    assert abs(inertia.com[along]) == pytest.approx(length / 2, rel=1e-12)


def test_the_steel_parts_of_the_3rps_have_the_printed_moments():
    """Rods r 5 x 200 mm and r 10 x 160 mm, a plate r 100 x 10 mm, about the links' origins [kg mm^2]."""
    bodies = {b.name: b.inertia for b in catalog.load("3-rps").bodies}
    lower, upper, plate = bodies["lower1"], bodies["upper1"], bodies["platform"]
    assert 1e6 * (lower.tensor[1][1] + lower.mass * 0.1**2) == pytest.approx(1630, rel=1e-9)
    assert 1e6 * (upper.tensor[1][1] + upper.mass * 0.08**2) == pytest.approx(3360, rel=1e-9)
    assert 1e6 * (plate.tensor[1][1] + plate.mass * 0.1**2) == pytest.approx(11410, rel=1e-9)
    assert lower.mass * 5**2 / 2 == pytest.approx(1e6 * lower.tensor[0][0], rel=0.01)
    assert upper.mass * 10**2 / 2 == pytest.approx(1e6 * upper.tensor[0][0], rel=0.01)


def test_joints_have_the_papers_names():
    assert [j.name for j in catalog.load("3-rrr").joints][:6] == [f"theta{i}" for i in range(1, 7)]
    assert [a.joint for a in catalog.load("gough-stewart").actuators] == [f"rho{i}" for i in range(1, 7)]
    squeezer = ["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"]
    assert [j.name for j in catalog.load("andrews-squeezer").joints] == squeezer
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


def test_the_catalog_in_one_line_each():
    about = catalog.summaries()
    assert tuple(about) == catalog.names()
    assert (
        about["delta"].what
        == "Delta robot: R. Clavel's parallel robot with three arms and three pairs of parallel rods"
    )
    assert (about["stanford-arm"].actuators, about["par4"].actuators) == (6, 4)
    assert all(10 < len(one.what) < 200 and "Assumed" not in one.what for one in about.values())
