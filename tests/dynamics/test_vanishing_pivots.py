"""Forward kinematics where a pivot of the planned elimination vanishes exactly: the result is that of its neighbors."""

import warnings

import numpy as np
import pytest

import linkwright as lw

RIGHT_ANGLES = np.array([-np.pi, -np.pi / 2, 0.0, np.pi / 2, np.pi])


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "five-bar", "3-rrr", "theo-jansen-leg"])
def test_exact_right_angles_are_the_limit_of_their_neighbors(name):
    model = lw.build(lw.catalog.load(name))
    home = model.actuator_positions(model.assemble().q)
    rows = [home + (angle - home[k]) * np.eye(model.na)[k] for k in range(model.na) for angle in RIGHT_ANGLES]
    exact, beside = np.array(rows), np.array(rows) + 1e-9
    rate = np.ones_like(exact)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        q, v, _ = model.forward_kinematics(exact, rate)
        q_near, v_near, a_near = model.forward_kinematics(beside, rate)
    both = np.isfinite(q_near).all(axis=1)
    assert both.any()
    assert np.isfinite(q[both]).all(), "what a neighbor reaches is reached"
    assert np.abs(model.closure_residual(q[both])).max(initial=0.0) < 1e-12
    far = np.abs(v_near[both]).max() < 1e3
    if far:
        assert np.abs(q - q_near)[both].max() < 1e-6
        assert np.abs(v - v_near)[both].max() < 1e-5 * max(1.0, np.abs(a_near[both]).max())


def test_a_slider_crank_in_line():
    """Crank 0.1 m, rod 0.3 m: at angle 0 the slider stands still and the rod turns at a third of the crank's rate."""
    model = lw.build(lw.catalog.load("slider-crank"))
    q, v, _ = model.forward_kinematics([0.0], [3.0])
    assert q == pytest.approx([0.0, 0.4, 0.0], abs=1e-14)
    assert v == pytest.approx([3.0, 0.0, -1.0], abs=1e-13)
