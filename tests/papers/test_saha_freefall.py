"""Saha 1999, figures 6 and 9: both arms let go under gravity, followed for 2 s by a standard integrator."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.energy import kinetic_energy, potential_energy
from linkwright.recursion.forward_recursion import composite_forward_dynamics, tree_forward_dynamics
from tests.papers.arms import arm, case

NAMES = ["saha_3r_freefall", "saha_stanford_freefall"]


def fall(name):
    """The case, its tree and the states (n_times, 2 n) at the listed times."""
    data = case(name)
    tree = arm(data["model"])
    run = solve_ivp(
        equations_of_motion(tree, np.array(data["tau"], dtype=float)),
        (data["t"][0], data["t"][-1]),
        np.concatenate([data["initial"]["q"], data["initial"]["qd"]]),
        method="DOP853",
        t_eval=data["t"],
        rtol=1e-12,
        atol=1e-13,
    )
    assert run.success, run.message
    return data, tree, run.y.T


def equations_of_motion(tree, tau):
    """State rates on floats, by grouped and aligned link frames."""
    fast, n = group_inertial_parameters(align_link_frames(tree)), tree.nv
    return lambda t, x: np.concatenate([x[n:], tree_forward_dynamics(fast, x[:n], x[n:], tau)])


@pytest.mark.parametrize("name", NAMES)
def test_the_fall_is_the_listed_one(name):
    data, tree, states = fall(name)
    q, v = np.split(states, 2, axis=1)
    assert np.abs(q - data["expected"]["q"]).max() < data["tolerance_abs"]
    assert np.abs(v - data["expected"]["qd"]).max() < data["tolerance_abs"] * max(1.0, np.abs(v).max())
    for time in ("0.5", "1", "2"):
        named = q[data["t"].index(float(time))]
        assert np.abs(named - data["key"][f"q({time})"]).max() < data["tolerance_abs"]
    assert_energy_is_kept(data, tree, states)


def assert_energy_is_kept(data, tree, states):
    """To a billionth of the peak kinetic energy."""
    n = tree.nv
    kinetic = np.array([kinetic_energy(tree, x[:n], x[n:]) for x in states])
    total = kinetic + [potential_energy(tree, x[:n]) for x in states]
    assert np.abs(total - data["expected"]["total_energy_J"]).max() < 1e-9 * kinetic.max()


def test_the_first_joint_first_swings_back():
    """The paper's remark on figure 6, from the listed accelerations and the first half second."""
    data = case("saha_3r_freefall")
    tree, tau = arm(data["model"]), np.zeros(3)
    assert tree_forward_dynamics(tree, np.zeros(3), np.zeros(3), tau)[0] < 0
    assert max(q[0] for q in data["expected"]["q"][1 : data["t"].index(0.5)]) < 0


@pytest.mark.parametrize("method", [tree_forward_dynamics, composite_forward_dynamics])
@pytest.mark.parametrize("name", NAMES)
def test_the_listed_accelerations(name, method):
    data = case(name)
    tree, tau = arm(data["model"]), np.array(data["tau"], dtype=float)
    for q, v, a in zip(*(data["expected"][x] for x in ("q", "qd", "qdd")), strict=True):
        found = method(tree, np.array(q), np.array(v), tau)
        assert np.abs(found - a).max() < data["tolerance_abs"] * max(1.0, np.abs(a).max())
