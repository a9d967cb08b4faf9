"""Exciting motions: limits hold between the samples too, equations become better, contradictions are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis import base_parameters, excite, identify
from linkwright.analysis.identification.sine_search import SineSearch, motion_space
from linkwright.cli import main
from linkwright.errors import ArgumentError

LIMITS = {"range": [[1.6, 2.6], [0.4, 1.4]], "speed": 4.0, "acceleration": [25.0, 20.0], "effort": 0.6}


@pytest.fixture(scope="module")
def five_bar():
    model = lw.build(lw.catalog.load("five-bar"))
    return model, base_parameters(model, parameters=["inertial", "friction"])


@pytest.fixture(scope="module")
def found(five_bar):
    model, base = five_bar
    return excite(model, base=base, limits=LIMITS, samples=40, starts=1, iterations=15, margin=0.3)


def test_limits_hold_between_the_samples(five_bar, found) -> None:
    model, _ = five_bar
    run = lw.motion(model, np.linspace(0.0, found.period, 1501), q_act=found.positions, reactions=False)
    q_act = model.actuator_positions(run.q)
    v, a = model.actuator_velocities(run.v), model.actuator_accelerations(run.a)
    low, high = np.array(LIMITS["range"]).T
    assert np.all(q_act > low - 1e-8) and np.all(q_act < high + 1e-8)
    assert np.all(np.abs(v) < 4.0 * (1.0 + 1e-8))
    assert np.all(np.abs(a) < np.array([25.0, 20.0]) * (1.0 + 1e-8))
    assert np.all(np.abs(run.tau) < 0.6 * (1.0 + 1e-4))
    center = model.singularity(model.forward_kinematics(0.5 * (low + high))[0])
    assert model.singularity(run.q).type2.min() > 0.3 * min(center.type2, center.constraint) * 0.99


def test_the_motion_is_better_than_a_random_one_and_determines_all(five_bar, found) -> None:
    model, base = five_bar
    assert found.condition < 0.5 * found.begun
    run = lw.motion(model, np.linspace(0.0, found.period, 201), q_act=found.positions, reactions=False)
    identified = identify(model, run, base=base, method="ordinary")
    assert not identified.unexcited
    assert identified.condition == pytest.approx(found.condition, rel=0.1)


@pytest.mark.parametrize("criterion", ["condition", "determinant"])
def test_derivatives_of_the_objective(five_bar, criterion) -> None:
    model, base = five_bar
    space = motion_space(model, {}, None)
    search = SineSearch.of(model, base, space, 5.0, 2, 12, 0.2, criterion)
    rng = np.random.default_rng(2)
    x = 0.4 * search.random(rng)
    _, gradient, _, jacobian = search.derivatives(x)
    along = rng.normal(size=len(x))
    h = 1e-5
    both = [replace(search).objective(x + s * h * along) for s in (1.0, -1.0)]
    assert (both[0] - both[1]) / (2.0 * h) == pytest.approx(gradient @ along, rel=1e-4)
    limits = [search._regressors_and_limits((x + s * h * along)[None])[1][0] for s in (1.0, -1.0)]
    assert np.allclose((limits[0] - limits[1]) / (2.0 * h), jacobian @ along, rtol=1e-3, atol=1e-4)


def test_contradictory_limits_and_unknown_names_are_refused(five_bar) -> None:
    model, base = five_bar
    with pytest.raises(ArgumentError, match="'motor1' moves between 2 and 1"):
        excite(model, base=base, limits={"range": [[2.0, 1.0], [0.0, 1.0]]})
    with pytest.raises(ArgumentError, match="its center is 5"):
        excite(model, base=base, limits={"range": [[1.0, 2.0], [0.0, 1.0]]}, center=[5.0, 0.5])
    with pytest.raises(ArgumentError, match="limits names 'torque'"):
        excite(model, base=base, limits={"torque": 1.0})
    with pytest.raises(ArgumentError, match="limits of speed"):
        excite(model, base=base, limits={"speed": -1.0})
    with pytest.raises(ArgumentError, match=r"margin is 1\.5"):
        excite(model, base=base, margin=1.5)
    heavy = lw.build(lw.catalog.load("three-link-arm"))
    with pytest.raises(ArgumentError, match="keeps all limits"):
        excite(heavy, parameters=["inertial"], limits={"effort": 1e-6}, iterations=0, starts=1, samples=10)


def test_the_verb_finds_a_motion(tmp_path) -> None:
    file = tmp_path / "motion.csv"
    arguments = ["identify", "three-link-arm", "--parameters", "inertial", "--excite", "4", "--output", str(file)]
    result = CliRunner().invoke(main, [*arguments, "--max-speed", "3"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert "condition" in result.output
    assert file.exists()
