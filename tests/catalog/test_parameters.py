"""Parameters of the catalog: every mechanism has some, and other values keep loops closed and move the workspace."""

import warnings

import numpy as np
import pytest
from click.testing import CliRunner
from pytest import approx

import linkwright as lw
from linkwright.cli import main


@pytest.mark.parametrize("name", lw.catalog.names())
def test_every_mechanism_has_parameters_that_its_numbers_follow(name):
    mech = lw.catalog.load(name)
    assert mech.parameters
    assert any(each.unit for each in mech.parameters)
    for each in mech.parameters:
        assert each.uses or each.structural, f"nothing follows from {each.name}"


@pytest.mark.parametrize("name", ["delta", "gough-stewart", "hexam", "hexaglide", "linapod", "3-rps", "bricard"])
def test_other_lengths_close(name):
    lengths = [x for x in lw.catalog.load(name).parameters if x.unit == "m"]
    for each in lengths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = lw.build(lw.catalog.load(name, {each.name: f"{1030.0 * each.value} mm"}))
        assert np.abs(model.closure_residual(model.assemble().q)).max() < 1e-10
        assert model.mobility == lw.build(lw.catalog.load(name)).mobility


def delta_depth(theta: float, arm: float, rod: float) -> float:
    """Height of the platform with all arms down by theta, from the lengths alone."""
    base, plate = 0.4573 / (2.0 * np.sqrt(3.0)), 0.115 / (2.0 * np.sqrt(3.0))
    return float(-arm * np.sin(theta) - np.sqrt(rod**2 - (base + arm * np.cos(theta) - plate) ** 2))


@pytest.fixture(scope="module")
def delta():
    return lw.build(lw.catalog.load("delta"), inputs=["arm", "rod", "rod_mass"])


@pytest.mark.parametrize("arm, rod", [(0.112, 0.232), (0.112, 0.25), (0.1, 0.26)])
def test_a_delta_stands_where_its_rods_take_it(delta, arm, rod):
    model = delta.with_parameters({"arm": arm, "rod": rod})
    loaded = lw.catalog.load("delta", {"arm": arm, "rod": rod})
    theta = np.full(3, 0.6)
    q, _, _ = model.forward_kinematics(theta, near=model.assemble().q)
    assert np.abs(model.closure_residual(q)).max() < 1e-12
    np.testing.assert_allclose(model.frame_pose(q, "platform").position, [0, 0, delta_depth(0.6, arm, rod)], atol=1e-12)
    assert loaded == model.mechanism


def test_masses_are_inputs(delta):
    q = delta.assemble().q
    for mass in (0.02, 0.05):
        model = delta.with_parameters({"rod_mass": mass})
        assert model.mass_matrix(q).trace() > 0.0
        assert sum(body.inertia.mass for body in model.mechanism.bodies) == approx(3 * 0.12 + 6 * mass + 0.1)


@pytest.mark.parametrize("rod", [0.232, 0.26])
def test_longer_rods_reach_deeper(rod):
    """The deepest point has arms and rods in line."""
    found = lw.analysis.workspace(lw.build(lw.catalog.load("delta", {"rod": rod})), {"z": (-0.5, -0.2, 61)})
    across = (0.4573 - 0.115) / (2.0 * np.sqrt(3.0))
    assert found.extent["z"][0] == approx(-np.sqrt((0.112 + rod) ** 2 - across**2), abs=1e-4)


BASE = np.array([[-0.62, 1.374], [-0.88, 1.224], [-0.88, -1.224], [-0.62, -1.374], [1.5, -0.15], [1.5, 0.15]])
PLATE = np.array([[0.17, 0.595], [-0.6, 0.15], [-0.6, -0.15], [0.17, -0.595], [0.43, -0.445], [0.43, 0.445]])


@pytest.mark.parametrize("base, plate, height", [(1.0, 1.0, 0.4), (1.2, 0.8, 0.3)])
def test_legs_of_a_gough_stewart_platform_are_distances(base, plate, height):
    given = {"base_size": base, "platform_size": plate, "height": height}
    model = lw.build(lw.catalog.load("gough-stewart", given))
    pose = np.array([-1.4, 0.05, 1.6]), np.array([1.0, 0.0, 0.0, 0.0])
    q, _, _ = model.inverse_kinematics(pose, near=model.assemble().q)
    flat = pose[0][:2] + plate * PLATE - (base * BASE + [-1.5, 0.0])
    legs = np.sqrt((flat**2).sum(axis=1) + (1.6 - height) ** 2)
    np.testing.assert_allclose([q[model.q_names.index(f"rho{i}")] for i in range(1, 7)], legs, rtol=1e-12)


@pytest.mark.parametrize("longest", [2.0, 2.4])
def test_longer_legs_reach_higher(longest):
    model = lw.build(lw.catalog.load("gough-stewart", {"longest": longest}))
    level = np.array([-1.5, 0.0, 1.5]), np.array([1.0, 0.0, 0.0, 0.0])
    found = lw.analysis.workspace(model, {"z": (1.2, 3.0, 31)}, at=level)
    across = np.max(np.linalg.norm(PLATE - BASE, axis=1))
    assert found.extent["z"][1] == approx(0.4 + np.sqrt(longest**2 - across**2), abs=1e-3)


def test_the_command_line_lists_and_sets_them():
    listed = CliRunner().invoke(main, ["info", "delta"])
    assert listed.exit_code == 0 and "232 mm" in listed.output.replace("0.232 m", "232 mm")
    shown = CliRunner().invoke(main, ["info", "delta", "--set", "rod=260 mm", "--json"])
    assert shown.exit_code == 0 and '"value": 0.26' in shown.output
