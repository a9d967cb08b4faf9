"""Motions that show a mechanism: cranks turn round, others go through what they can reach."""

import numpy as np
import pytest

from linkwright.viewer.sweep_motion import actuator_sweep, coordinates_on_way, reachable_interval
from tests.viewer.mechanisms import home, model


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "theo-jansen-leg"])
def test_a_crank_turns_all_the_way_round_with_closed_loops(name):
    built, q = model(name), home(name)
    motion = actuator_sweep(built, q, 1.0)
    positions = built.actuator_positions(motion.q)[:, 0]
    assert np.ptp(positions) == pytest.approx(2.0 * np.pi) and (np.diff(positions) > 0.0).all()
    assert np.abs(built.closure_residual(motion.q)).max() < 1e-9
    first, last = built.body_poses(motion.q[0]), built.body_poses(motion.q[-1])
    assert first.position == pytest.approx(last.position, abs=1e-6)


def test_a_rocker_goes_to_and_fro_within_what_it_reaches():
    built, q = model("peaucellier"), home("peaucellier")
    way = reachable_interval(built, q, 1.0)
    positions = built.actuator_positions(actuator_sweep(built, q, 1.0).q)[:, 0]
    assert not way.whole and way.low < positions.min() < positions.max() < way.high
    assert np.ptp(positions) > 0.9 * (way.high - way.low)
    assert positions[0] == pytest.approx(positions[-1]) == pytest.approx(built.actuator_positions(q)[0])


@pytest.mark.parametrize("name", ["peaucellier"])
def test_intervals_end_where_loops_or_limits_do(name):
    built, q = model(name), home(name)
    way = reachable_interval(built, q, 1.0)
    step = 2.0 * np.pi / 72
    ends = np.array([way.low, way.high, way.low - 1.01 * step, way.high + 1.01 * step])
    rows = coordinates_on_way(built, q, ends[:, None])
    fine = np.isfinite(rows).all(axis=-1)
    limits = [len(built.limits_exceeded(row)) if good else 1 for row, good in zip(rows, fine, strict=True)]
    assert fine[:2].all() and limits[:2] == [0, 0]
    assert min(limits[2:]) > 0 or way.whole


@pytest.mark.parametrize("name", ["3-rrr", "gough-stewart", "par4", "puma-560"])
def test_several_actuators_move_within_their_limits_with_closed_loops(name):
    built, q = model(name), home(name)
    motion = actuator_sweep(built, q, 1.0)
    positions = built.actuator_positions(motion.q)
    assert (np.ptp(positions, axis=0) > 1e-3).all()
    assert np.abs(built.closure_residual(motion.q)).max(initial=0.0) < 1e-9
    for x, actuator in zip(positions.T, built.actuators, strict=True):
        assert actuator.range[0] <= x.min() and x.max() <= actuator.range[1]
