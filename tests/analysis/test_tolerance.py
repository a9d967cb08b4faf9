"""Tolerance: samples, first-order budget and worst case against each other and against a closed formula."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis import tolerance
from linkwright.cli import main

NAMES = ["proximal", "distal"]


@pytest.fixture(scope="module")
def model():
    return lw.build(lw.catalog.load("five-bar"), inputs=NAMES)


def tip(base, proximal, distal, angles):
    """The tip of a five-bar by intersecting two circles, above the line of its elbows."""
    a = np.array([[-base, 0.0], [base, 0.0]]) + proximal * np.column_stack([np.cos(angles), np.sin(angles)])
    middle, across = a.mean(axis=0), a[1] - a[0]
    d = np.linalg.norm(across)
    return middle + np.sqrt(distal**2 - (d / 2) ** 2) * np.array([-across[1], across[0]]) / d


def test_sensitivities_are_those_of_the_closed_formula(model):
    q = model.assemble().q
    found = tolerance(model, q, 1e-5, samples=100)
    angles = model.actuator_positions(q)
    base = model.mechanism.value("base")
    p = np.array([model.mechanism.value(name) for name in NAMES])
    assert tip(base, *p, angles) == pytest.approx(model.frame_pose(q, "platform").position[:2], abs=1e-12)
    step = 1e-6
    for k in range(2):
        moved = [tip(base, *(p + s * step * np.eye(2)[k]), angles) for s in (1.0, -1.0)]
        assert found.sensitivity[0, 3:5, k] == pytest.approx((moved[0] - moved[1]) / (2 * step), abs=1e-8)


@pytest.mark.parametrize("distribution", ["normal", "uniform"])
def test_small_deviations_are_linear(model, distribution):
    found = tolerance(
        model, model.assemble().q, {"proximal": 2e-5, "distal": 5e-5}, samples=40_000, distribution=distribution
    )
    assert found.samples_deviation[0, 3:5] == pytest.approx(found.linear[0, 3:5], rel=0.02)
    assert found.budget.sum() == pytest.approx(1.0)
    if distribution == "uniform":
        assert (np.abs(found.samples).max(axis=(0, 1)) <= found.worst[0] * 1.001 + 1e-9).all()
        assert (np.abs(found.samples[0, :, 3:5]).max(axis=0) >= 0.95 * found.worst[0, 3:5]).all()


@pytest.mark.parametrize(
    ("distribution", "meaning", "beyond"), [("normal", "standard deviations", True), ("uniform", "half widths", False)]
)
def test_the_output_says_what_a_tolerance_is_and_only_half_widths_bound_the_errors(distribution, meaning, beyond):
    arguments = ["five-bar", "--deviation", "proximal=50 um, distal=50 um", "--distribution", distribution]
    data = json.loads(
        CliRunner().invoke(main, ["tolerance", *arguments, "--pose", "x=50 mm, y=400 mm", "--json"]).stdout
    )
    assert data["tolerance_meaning"] == meaning
    bound = np.linalg.norm([row["all_at_tolerance"] for row in data["errors"] if row["unit"] == "m"])
    assert (data["displacement_95"] > bound) == beyond
    printed = CliRunner().invoke(main, ["tolerance", *arguments, "--draws", "100"]).output
    assert meaning in printed and "all at tolerance" in printed and "worst" not in printed


def test_samples_are_designs_of_their_own(model):
    """Each sample is the pose of a model built with its lengths."""
    q = model.assemble().q
    found = tolerance(model, q, 1e-3, samples=3, seed=9)
    p = model.parameters.values + 1e-3 * np.random.default_rng(9).normal(size=(3, 2))
    for row, error in zip(p, found.samples[0]):
        other = lw.build(lw.catalog.load("five-bar", dict(zip(NAMES, map(float, row)))))
        reached = other.forward_kinematics(model.actuator_positions(q), near=other.assemble().q)[0]
        moved = other.frame_pose(reached, "platform").position - model.frame_pose(q, "platform").position
        assert error[3:] == pytest.approx(moved, abs=1e-10)


def test_designs_that_do_not_close_are_counted(model):
    found = tolerance(model, model.assemble().q, {"proximal": 0.3, "distal": 0.3}, samples=500)
    assert 0.0 < found.failed[0] < 1.0 and "do not close" in found.notes[0]
    assert np.isfinite(found.quantile(0.5)[1]).all()


def test_allocated_tolerances_are_the_cheapest(model):
    q = model.assemble().q
    one = tolerance(model, q, 1e-5, samples=10)
    t = np.array(list(one.allocate(2e-5, {"distal": 3.0}).values()))
    S = np.sum(one.sensitivity[0, 3:] ** 2, axis=0)
    assert np.sqrt(S @ t**2) == pytest.approx(2e-5)
    gradient = np.array([1.0, 3.0]) / t**2 / (2.0 * S * t)  # equal at the least cost
    assert gradient[0] == pytest.approx(gradient[1], rel=1e-9)
    rows = np.array([q, model.inverse_kinematics(([0.1, 0.35, 0.0], [1.0, 0, 0, 0]), components=("x", "y"))[0]])
    two = tolerance(model, rows, 1e-5, samples=10)
    t = np.array(list(two.allocate(2e-5).values()))
    S = np.sum(two.sensitivity[:, 3:] ** 2, axis=1)
    assert np.sqrt(S @ t**2).max() == pytest.approx(2e-5, rel=1e-6)
    chance = np.random.default_rng(0)
    for _ in range(300):  # no other direction of tolerances is cheaper
        other = t * np.exp(0.2 * chance.normal(size=2))
        other *= 2e-5 / np.sqrt(S @ other**2).max()
        assert np.sum(1.0 / other) >= np.sum(1.0 / t) * (1.0 - 1e-6)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"deviations": {"proximl": 1e-3}}, "did you mean 'proximal'"),
        ({"deviations": {"proximal": -1.0}}, "proximal"),
        ({"samples": 1}, "samples"),
        ({"distribution": "cauchy"}, "distribution"),
        ({"q": [0.0]}, "q has shape"),
        ({"q": [0.1, 0.2, 0.3, 0.4]}, "leaves the loops open"),
        ({"model": lw.build(lw.catalog.load("five-bar"))}, "inputs"),
    ],
)
def test_bad_arguments(model, change, part):
    with pytest.raises(lw.errors.ArgumentError, match=part):
        tolerance(**{"model": model, "q": model.assemble().q, "deviations": 1e-3, **change})


def test_the_verb(tmp_path):
    arguments = ["five-bar", "--deviation", "proximal=50 um, distal=20 um", "--limit", "30 um", "--draws", "500"]
    done = CliRunner().invoke(main, ["tolerance", *arguments, "--report", str(tmp_path / "x.html")])
    assert done.exit_code == 0, done.output
    assert "Tolerances at least cost" in done.output and (tmp_path / "x.html").is_file()
    data = json.loads(CliRunner().invoke(main, ["tolerance", *arguments, "--json"]).stdout)
    rows = data["allocation"]
    assert [row["parameter"] for row in rows] == ["proximal", "distal"] and all(row["tolerance"] > 0.0 for row in rows)


def test_parameters_without_effect_at_a_symmetric_pose_have_no_share():
    """Lengths that all legs share turn the platform of a 3-RPR robot about its middle and do not displace it."""
    mech, anchor = lw.catalog.load("3-rpr"), "joints.phi1.at.x"
    robot, other = lw.build(mech, inputs=["base", "plate"]), lw.build(mech, inputs=["plate", anchor])
    for turn in (0.0, 0.3):
        wxyz = [np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]
        q = robot.inverse_kinematics(([0.0, 0.0, 0.0], wxyz), components=["x", "y", "rz"])[0]
        shared = lw.analysis.tolerance(robot, q, 1e-4, samples=50)
        assert not shared.budget.any() and not shared.sensitivity[:, 3:].any() and shared.sensitivity[:, 2].any()
        assert shared.allocate(1e-4) == {"base": np.inf, "plate": np.inf}
        shown = replace(shared, limit=1e-4).content().tables
        assert [row[-1] for table in (shown[0], shown[2]) for row in table.rows] == ["no effect at this pose"] * 4
        single = lw.analysis.tolerance(other, q, 1e-4, samples=50)
        assert single.budget[0].tolist() == [0.0, 1.0]
        assert np.isfinite(single.allocate(1e-4)[anchor])
