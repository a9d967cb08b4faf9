"""Published and independently computed motions (tests/data), each within its own tolerance."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import linkwright as lw
from tests.simulation.mechanisms import catalog_model

DATA = Path(__file__).parents[1] / "data"
START = np.array([np.pi / 3, 4 * np.pi / 3, 11 * np.pi / 6])
MOVE = lw.control.Cycloidal(START, START + 2 * np.pi * np.array([1 / 6, -1 / 6, 1 / 12]), duration=3.0)
VARIANTS = {"V1": lw.Minimal(displacement=True), "V2": lw.Minimal()}


@cache
def two_four_bars():
    return lw.build(lw.load(DATA / "two-four-bars.yaml"))


def case(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["saha_3r_freefall", "saha_stanford_freefall"])
def test_sahas_arms_fall_as_listed(name):
    data, arm = case(name), catalog_model({"saha_3r_freefall": "three-link-arm"}.get(name, "stanford-arm"))
    run = lw.simulate(arm, data["initial"]["q"], data["initial"]["qd"], data["t"][-1], output=data["t"], method=tight())
    assert np.abs(run.q - data["expected"]["q"]).max() < data["tolerance_abs"]
    scale = max(1.0, np.abs(run.v).max())
    assert np.abs(run.v - data["expected"]["qd"]).max() < data["tolerance_abs"] * scale
    assert run.meta["energy_balance"]["relative"] < 1e-10


def tight():
    return lw.DOP853(1e-12, 1e-13)


FORMULATIONS = [lw.Multipliers(), lw.Minimal(), lw.Minimal(displacement=True)]


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_wangs_four_bar_turns_as_computed_exactly(formulation):
    data, tolerances = case("fourbar_rigid_exact"), case("fourbar_rigid_exact")["tolerances"]
    linkage = catalog_model("four-bar")
    q = np.array(data["initial"]["theta"])
    run = lw.simulate(
        linkage,
        linkage.assemble().q,
        t_end=2.0,
        effort=[6.0],
        output=data["t"],
        method=tight(),
        formulation=formulation,
    )
    assert run.q[0, 0] == approx(q, abs=1e-15)
    expected = dict(zip(data["columns"], np.array(data["expected"]).T))
    for name, found in (("theta", run.q[:, 0]), ("alpha", run.q[:, 0] + run.q[:, 1]), ("phi", run.q[:, 2])):
        assert np.abs(found - expected[name]).max() < tolerances["pos"]
    assert np.abs(run["theta_dot"] - expected["dtheta"]).max() < tolerances["vel"]
    assert np.abs(run["theta_ddot"] - expected["ddtheta"]).max() < tolerances["acc"]
    assert np.abs(run.energy - run["work"] - run.energy[0]).max() < 1e-9
    assert run.meta["agreement"]["relative"] < 1e-12


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_khans_robot_falls_as_listed_and_on_through_its_type_2_singularity(formulation):
    data, model = case("khan_3rrr_freefall"), catalog_model("3-rrr")
    q = model.assemble(fixed=dict(zip(model.independent, data["initial"]["thetaA"]))).q
    run = lw.simulate(model, q, t_end=0.34, output=data["t"], method=tight(), formulation=formulation)
    assert np.abs(run.q[:, :3] - data["expected"]["thetaA"]).max() < data["tolerance_abs"]
    assert np.abs(run.v[:, :3] - data["expected"]["thetaA_d"]).max() < 10 * data["tolerance_abs"]
    on = lw.simulate(model, q, t_end=0.6, method=lw.DOP853(1e-11), formulation=formulation)
    passed = [event for event in on.events if event.kind == "singularity"]
    first = data["singularity"]["local_minima_of_detK_below_0.02_from_maximal_coordinates_first_2s_(t,detK)"][0][0]
    assert passed[0].name == "type2" and passed[0].t == approx(first, abs=5e-4)
    assert (formulation == lw.Multipliers()) == (not any(event.kind == "coordinates" for event in on.events))
    assert on.meta["complete"] and on.meta["energy_balance"]["relative"] < 1e-9
    assert on.q[-1] == approx(straight_through(), abs=3e-7)


def straight_through():
    """Final state where the multipliers, which do not notice the singularity, end up."""
    model = catalog_model("3-rrr")
    start = dict(zip(model.independent, case("khan_3rrr_freefall")["initial"]["thetaA"]))
    return lw.simulate(model, model.assemble(fixed=start).q, t_end=0.6, method=lw.DOP853(1e-12), check=False).q[-1]


@cache
def torques():
    """The efforts of Khan's motion, by inverse dynamics."""
    model = catalog_model("3-rrr")
    q, _, _ = model.forward_kinematics(START, near=model.assemble().q)
    found = lw.control.feedforward(model, MOVE, np.linspace(0.0, 3.0, 3001), near=q)
    return lw.control.Table(found.times, found.efforts, "spline")


def followed(method, formulation=None):
    """Khan's motion driven by the torques of inverse dynamics: errors (3,) of the actuated angles, and the run."""
    model = catalog_model("3-rrr")
    q, _, _ = model.forward_kinematics(START, near=model.assemble().q)
    run = lw.simulate(model, q, t_end=3.0, effort=torques(), method=method, formulation=formulation, output=301)
    return np.abs(run.q[:, :3] - MOVE.at(run.t)[0]).max(axis=0), run


def listed(variant, rtol):
    """Rows of Khan's study by solver: steps and largest error."""
    rows = [
        row
        for row in case("khan_3rrr_integration")["results"]["adaptive"]
        if (row["rtol"], row["atol"], row["max_step"], row["torque"]) == (rtol, 1e-6, None, "exact")
        if row["variant"].startswith(variant) and "3-digit" not in row["variant"]
    ]
    return {row["solver"]: (row["steps"], max(row["max_abs_err_theta1_3_rad"])) for row in rows}


@pytest.mark.parametrize("variant", ["V1", "V2"])
def test_khans_integration_study(variant):
    """Sec. 5.2, both variants at four tolerances.

    SciPy's RK45 has our formula and our mean square of errors: steps agree to one, errors within a factor of two.
    Matlab's ode45 judges by the largest error, so equal tolerances ask more of it: up to a quarter more steps, errors
    down to a fifth of ours.
    """
    for rtol in (1e-3, 1e-4, 1e-5, 1e-6):
        errors, run = followed(lw.DP5(rtol, 1e-6), VARIANTS[variant])
        rows = listed(variant, rtol)
        steps, error = rows["matlab_ode45"]
        assert 0.75 * steps <= run.stats["steps"] <= 1.1 * steps
        assert 0.5 * error < errors.max() < 5.5 * error
        if "RK45" in rows:
            steps, error = rows["RK45"]
            assert abs(run.stats["steps"] - steps) <= 1
            assert 0.5 * error < errors.max() < 2 * error
        assert run.meta["closure"] < 1e-12


@pytest.mark.parametrize("variant", ["V1", "V2"])
def test_khans_fixed_steps(variant):
    """h = 0.01 s: the error of the formula, to a thousandth. h = 0.001 s: round-off, which the motion magnifies."""
    rows = [row for row in case("khan_3rrr_integration")["results"]["fixed"] if row["variant"] == variant]
    fixed = {row["h"]: row["max_abs_err_theta1_3_rad"] for row in rows if row["torque"] == "exact"}
    errors, run = followed(lw.DP5(h=0.01), VARIANTS[variant])
    assert run.stats["steps"] == 300
    assert errors == approx(fixed[0.01], rel=1e-3)
    errors, run = followed(lw.DP5(h=0.001), VARIANTS[variant])
    assert run.stats["steps"] == 3000
    assert max(fixed[0.001]) < 5e-10 and errors.max() < 5e-10


def test_the_papers_301_points_are_a_cap_on_the_step():
    errors, run = followed(lw.DP5(1e-3, 1e-6, h_max=0.01))
    assert 300 <= run.stats["steps"] <= 305 and errors.max() < 2e-7


def test_wangs_platform_falls_as_computed_with_two_methods():
    data = case("stewart_forward_g98")
    model = catalog_model("gough-stewart")
    q, _, _ = model.inverse_kinematics((data["initial"]["p"], data["initial"]["quat"]), near=model.assemble().q)
    law = lw.control.Sines([9.0] * 6, [np.pi] * 6)
    run = lw.simulate(model, q, t_end=1.0, effort=law, output=data["t"], method=tight())
    x, turn = model.frame_pose(run.q, "platform")
    rates = model.frame_twist(run.q, run.v, "platform")
    expected = np.array(data["expected"])
    sign = np.sign(np.sum(turn * expected[:, 3:7], axis=1))[:, None]
    assert np.abs(x - expected[:, :3]).max() < data["tolerances"]["pos"]
    assert np.abs(sign * turn - expected[:, 3:7]).max() < data["tolerances"]["pos"]
    assert np.abs(rates[:, 3:] - expected[:, 7:10]).max() < data["tolerances"]["vel"]
    assert np.abs(rates[:, :3] - expected[:, 10:]).max() < data["tolerances"]["vel"]
    legs = [run[name] for name in model.q_names if name.startswith("rho")]
    assert np.abs(np.stack(legs, axis=1) - data["rho"]).max() < data["tolerances"]["pos"]
    assert run.closure.max() < 1e-12 and run["closure rate"].max() < 1e-11


def test_andrews_squeezer_at_the_end_of_the_test_set():
    data, model = case("andrews_squeezer"), catalog_model("andrews-squeezer")
    start = {key: np.array(value, dtype=float) for key, value in data["initial"].items()}
    run = lw.simulate(
        model, start["q"], start["v"], data["t_end"], effort=[data["parameters"]["mom"]], method=lw.DOP853(1e-11)
    )
    end, tolerances = {key: np.array(value) for key, value in data["expected"].items()}, data["tolerances"]
    assert np.abs(run.q[-1] - end["q"]).max() < tolerances["q_abs"]
    assert np.abs(run.v[-1] - end["v"]).max() < tolerances["v_rel"] * np.abs(end["v"]).max()
    assert np.abs(run.a[-1] - end["a"]).max() < tolerances["a_rel"] * np.abs(end["a"]).max()
    assert run.closure.max() < 1e-12


def test_two_four_bars_stop_at_their_flat_position_or_pass_it_on_their_branch():
    """IFToMM benchmark A02: ten passages of a position in which the mobility jumps."""
    data = case("iftomm_n_four_bar")
    model = two_four_bars()
    q, v = model.assemble().q, np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    stopped = lw.simulate(model, q, v, t_end=2.0)
    assert stopped.meta["ended"]["kind"] == "singularity" and not stopped.meta["complete"]
    assert "lose rank" in stopped.meta["ended"]["text"] and stopped.t[-1] <= stopped.meta["ended"]["t"]
    run = lw.simulate(model, q, v, t_end=10.0, output=[0.0, 1.0, 5.0, 10.0], stop_at=(), check=False)
    found = np.stack([np.cos(run["theta0"]), np.sin(run["theta0"])], axis=1)[1:]
    expected = np.array([data["expected"][f"B0({t})"] for t in (1, 5, 10)])
    assert np.abs(found - expected).max() < data["tolerances"]["position_m"]
    assert np.abs(run["theta0"] - run["theta2"]).max() < 1e-4
    assert sum(event.name == "constraint" for event in run.events) == 10


@pytest.mark.parametrize("method", [lw.DOP853(1e-6), lw.DOP853(1e-8), lw.DOP853(1e-10), lw.DP5(1e-6), lw.RK4(1e-3)])
def test_every_passage_of_the_flat_position_is_noted_whatever_the_steps(method):
    """Between two steps the loops are open a little, and singular values there are as large as the root of that gap."""
    model = two_four_bars()
    q, v = model.assemble().q, np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    run = lw.simulate(model, q, v, 10.0, output=11, stop_at=(), check=False, method=method)
    passed = [event.t for event in run.events if event.name == "constraint"]
    # Twice in every turn of the first crank; turns take 1.94 s, rough steps make them a little longer or shorter, and
    # a passage that is missed would add more than half a second.
    assert len(passed) == 10
    assert np.subtract(passed[2:], passed[:-2]) == approx(np.full(8, 1.9425), abs=0.1)
    assert run.closure.max() < 1e-12 and run["closure rate"].max() < 1e-11


def test_singular_positions_inside_one_step_are_found_all():
    """Three within 0.03 s: steps that pass several of them see as many as short ones."""
    model = catalog_model("gough-stewart")
    passed = []
    for method in (lw.RK4(0.002), lw.DP5(h=0.05), lw.DOP853(1e-10)):
        run = lw.simulate(model, model.assemble().q, t_end=0.6, method=method, check=False)
        passed.append([event.t for event in run.events if event.name == "type2"])
    assert len(passed[0]) == 3
    assert passed[1] == approx(passed[0], abs=1e-4) and passed[2] == approx(passed[0], abs=1e-6)
