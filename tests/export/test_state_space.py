"""State spaces of python-control: names, outputs and responses are those of the mechanism."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from tests.export.learners import model, states

control = pytest.importorskip("control", reason="needs the extra control")


def test_names_say_what_a_state_is():
    five = model("five-bar")
    found = lw.export.state_space(five, states("five-bar")["q"][0], outputs=["positions", "velocities", "platform"])
    assert found.state_labels == ["theta1", "theta2", "theta1_dot", "theta2_dot"]
    assert found.input_labels == list(five.actuated)
    ends = [f"platform_{x}" for x in ("rx", "ry", "rz", "x", "y", "z")]
    assert found.output_labels == [*five.actuated, *(f"{x}_dot" for x in five.actuated), *ends]


@pytest.mark.parametrize("name", ["five-bar", "puma-560", "gough-stewart"])
def test_outputs_move_as_the_mechanism_does(name):
    """Rows of C are differences of the actuators' positions and of a frame's pose along independent displacements."""
    own, q, h = model(name), states(name)["q"][0], 1e-6
    frame = own.bodies[-1]
    C = lw.export.state_space(own, q, outputs=["positions", frame]).C
    R = own.independent_map(q)
    for j in range(R.shape[1]):
        ends = [own.project(own.integrate(q, R[:, j], x), np.zeros(own.nv))[0] for x in (h, -h)]
        moved = (own.actuator_positions(ends[0]) - own.actuator_positions(ends[1])) / (2 * h)
        assert np.abs(C[: own.na, j] - moved).max() < 1e-6
        origins = [own.frame_pose(x, frame)[0] for x in ends]
        assert np.abs(C[own.na + 3 :, j] - (origins[0] - origins[1]) / (2 * h)).max() < 1e-6


def test_the_response_to_a_small_step_is_the_simulated_one():
    five, q = model("five-bar"), states("five-bar")["q"][0]
    system, step, t = lw.export.state_space(five, q, outputs=["positions", "velocities"]), 1e-4, np.linspace(0, 0.2, 21)
    linear = control.forced_response(system, t, np.tile([[step], [0.0]], len(t))).outputs
    run = lw.simulate(five, q, t_end=0.2, effort=[step, 0.0], method=lw.DOP853(rtol=1e-11, atol=1e-14))
    end = np.concatenate([five.actuator_positions(run.q[-1]) - five.actuator_positions(q), run.v[-1, :2]])
    assert np.abs(linear[:, -1] - end).max() < 1e-3 * np.abs(end).max()


def test_unknown_outputs_and_moving_states_are_refused():
    q = states("five-bar")["q"][0]
    with pytest.raises(ArgumentError, match="outputs names 'platfrom'"):
        lw.export.state_space(model("five-bar"), q, outputs=["platfrom"])
    v = states("five-bar")["v"][0]
    with pytest.raises(ArgumentError, match="give tau"):
        lw.export.state_space(model("five-bar"), q, v)
    redundant = lw.build(lw.catalog.load("five-bar"), ["theta1", "theta2", "psi1"])
    assert lw.export.state_space(redundant, q, outputs=["velocities"]).C.shape == (3, 4)
    with pytest.raises(ArgumentError, match="at rest only"):
        lw.export.state_space(redundant, q, v, np.zeros(3), outputs=["velocities"])
