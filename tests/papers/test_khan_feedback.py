"""Khan et al., sec. 5.2 and Fig. 8: feedforward torques with feedback at a fixed step of 0.001 s.

The torques of inverse dynamics are sampled every 0.01 s and taken straight or stepwise between; errors of the actuated
angles and torque corrections are those of `khan_3rrr_integration.json`, computed independently (gains assumed there).
"""

import json
from pathlib import Path

import numpy as np
import pytest
from pytest import approx

import linkwright as lw

CASE = json.loads((Path(__file__).parents[1] / "data" / "khan_3rrr_integration.json").read_text(encoding="utf-8"))
EXPECTED = {case["torque"]: case for case in CASE["results"]["feedback"]}
STIFFNESS, DAMPING = CASE["feedback_gains_assumed"]["Kp"], CASE["feedback_gains_assumed"]["Kd"]
START = np.array([np.pi / 3, 4 * np.pi / 3, 11 * np.pi / 6])
MOVE = lw.control.Cycloidal(START, START + 2 * np.pi * np.array([1 / 6, -1 / 6, 1 / 12]), duration=3.0)


@pytest.fixture(scope="module")
def model():
    return lw.build(lw.catalog.load("3-rrr"))


def followed(model, between):
    """Errors of the actuated angles and corrections of the efforts, both (n, 3)."""
    q, _, _ = model.forward_kinematics(START, near=model.assemble().q)
    torques = lw.control.feedforward(model, MOVE, np.linspace(0.0, 3.0, 301), near=q)
    correction = lw.control.PD(model, MOVE, STIFFNESS, DAMPING)
    law = lw.control.FeedforwardFeedback(lw.control.Table(torques.times, torques.efforts, between), correction)
    run = lw.simulate(model, q, t_end=3.0, effort=law, method=lw.DP5(h=1e-3), output=3001)
    x, x_dot, _ = MOVE.at(run.t)
    errors, slips = x - run.q[:, :3], x_dot - run.v[:, :3]
    return errors, STIFFNESS * errors + DAMPING * slips, run


@pytest.mark.parametrize(("between", "torque", "digits"), [("line", "lin0.01", 1e-6), ("step", "zoh0.01", 1e-5)])
def test_errors_and_corrections_are_those_of_the_case(model, between, torque, digits):
    errors, corrections, run = followed(model, between)
    expected = EXPECTED[torque]
    assert np.abs(errors).max(axis=0) == approx(expected["max_abs_err_theta1_3_rad"], rel=digits)
    assert np.abs(corrections).max(axis=0) == approx(expected["max_torque_correction_Nm"], rel=digits)
    assert run.closure.max() < 1e-12


def test_the_correction_is_extremely_small_as_the_paper_says(model):
    """With a spline through the torques: below a millionth of a percent of the largest torque."""
    errors, corrections, run = followed(model, "spline")
    assert np.abs(errors).max() < 1e-9
    assert (np.abs(corrections).max(axis=0) / np.abs(run.tau).max(axis=0)).max() < 1e-8
