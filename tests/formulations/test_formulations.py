"""Multipliers and independent velocities agree, inverse undoes forward, and power is the rate of energy."""

import numpy as np
import pytest

from tests.loops.cases import ask, efforts
from tests.loops.mechanisms import SOME, closed_states, mechanics

STATES = 8


def states(name):
    return (np.array(x) for x in zip(*closed_states(name, STATES, seed=1)))


@pytest.mark.parametrize("name", SOME)
def test_multipliers_and_minimal_agree(name):
    made = mechanics(name)
    q, v, tau = states(name)
    one, _, pivot = ask(made.kernels, "loop_forward_dynamics", q, v, tau)
    other = ask(made.minimal, "minimal_forward_dynamics", q, v, tau)
    assert np.abs(one - other).max() < 1e-9 * np.abs(one).max()
    assert pivot.min() > 1e-3


@pytest.mark.parametrize("name", SOME)
def test_inverse_of_forward_is_the_identity(name):
    made = mechanics(name)
    q, v, tau = states(name)
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    back = efforts(made, q, v, a)
    assert np.abs(back - tau).max() < 1e-9 * np.abs(tau).max()


@pytest.mark.parametrize("name", SOME)
def test_the_independent_map_spans_what_the_loops_allow(name):
    made = mechanics(name)
    q, v, _ = states(name)
    R = ask(made.minimal, "independent_map", q)
    J = ask(made.all_rows, "closure_jacobian", q)
    assert R.shape[2] == made.mobility
    assert np.abs(J @ R).max() < 1e-11 * np.abs(R).max() * np.abs(J).max()
    chosen = list(made.minimal.stage.partition.independent)
    assert (R @ v[:, chosen, None])[:, :, 0] == pytest.approx(v, abs=1e-9 * np.abs(v).max())


@pytest.mark.parametrize("name", SOME)
def test_power_in_is_the_rate_of_energy(name):
    """With the accelerations of forward dynamics, kinetic and potential energy grow by what the actuators do."""
    made = mechanics(name)
    q, v, tau = states(name)
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    forces = ask(made.all_rows, "generalized_forces", q, v, a)
    driven = [drive.speed for drive in made.setup.drives]
    power_in = np.sum(tau * v[:, driven], axis=1)
    size = np.sum(np.abs(forces * v), axis=1).max() + np.abs(power_in).max()
    assert np.sum(forces * v, axis=1) == pytest.approx(power_in, abs=1e-9 * size)


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "gough-stewart"])
def test_consistent_motion_keeps_the_loops_closed(name):
    made = mechanics(name)
    q, v, tau = states(name)
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    chosen = list(made.minimal.stage.partition.independent)
    both = ask(made.minimal, "checked_motion", q, v[:, chosen], a[:, chosen])
    speeds, rates = both[:, 0], both[:, 1]
    assert speeds == pytest.approx(v, abs=1e-10 * np.abs(v).max())
    assert rates == pytest.approx(a, abs=1e-9 * np.abs(a).max())
