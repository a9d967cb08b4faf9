"""Andrews' squeezing mechanism of the test set for initial value problems: accelerations and multipliers."""

import numpy as np
import pytest

from linkwright.plans.closure_newton import close_all
from tests.loops.cases import ask, case
from tests.loops.mechanisms import mechanics

NAME = "andrews-squeezer"


def closure(q):
    """The six closure equations of the test set."""
    p = case("andrews_squeezer")["parameters"]
    beta, theta, gamma, phi, delta, omega, epsilon = q
    x = p["rr"] * np.cos(beta) - p["d"] * np.cos(beta + theta)
    y = p["rr"] * np.sin(beta) - p["d"] * np.sin(beta + theta)
    return np.array(
        [
            x - p["ss"] * np.sin(gamma) - p["xb"],
            y + p["ss"] * np.cos(gamma) - p["yb"],
            x - p["e"] * np.sin(phi + delta) - p["zt"] * np.cos(delta) - p["xa"],
            y + p["e"] * np.cos(phi + delta) - p["zt"] * np.sin(delta) - p["ya"],
            x - p["zf"] * np.cos(omega + epsilon) - p["u"] * np.sin(epsilon) - p["xa"],
            y - p["zf"] * np.sin(omega + epsilon) + p["u"] * np.cos(epsilon) - p["ya"],
        ]
    )


def closure_jacobian(q):
    """By complex steps, exact to round-off."""
    return np.array([closure(q + 1e-30j * e).imag / 1e-30 for e in np.eye(7)]).T


@pytest.mark.parametrize(("moment", "tolerance"), [("initial", 1e-9), ("expected", 1e-4)])
def test_accelerations_and_multipliers(moment, tolerance):
    """M a = f - G^T lambda there, M a = f + J_c^T lam here: both give the same joint forces."""
    data, made = case("andrews_squeezer"), mechanics(NAME)
    state = {key: np.array(value, dtype=float) for key, value in data[moment].items()}
    q, v, tau = state["q"][None], state["v"][None], np.array([[data["parameters"]["mom"]]])
    a, lam, _ = ask(made.kernels, "loop_forward_dynamics", q, v, tau)
    assert np.abs(a[0] - state["a"]).max() < tolerance * np.abs(state["a"]).max()
    ours = ask(made.kernels, "closure_jacobian", q)[0].T @ lam[0]
    theirs = -closure_jacobian(state["q"]).T @ state["multipliers"]
    assert np.abs(ours - theirs).max() < tolerance * np.abs(theirs).max()


@pytest.mark.parametrize("moment", ["initial", "expected"])
def test_the_test_sets_states_are_closed(moment):
    q = np.array(case("andrews_squeezer")[moment]["q"])
    ours = ask(mechanics(NAME).all_rows, "closure_residual", q[None])[0]
    assert np.abs(ours).max() < 1e-9
    assert np.abs(closure(q)).max() < 1e-9


def test_closing_our_loops_closes_the_test_sets_equations():
    made = mechanics(NAME)
    start = made.home[None] + 0.05 * np.random.default_rng(1).normal(size=(20, 7))
    closed = close_all(made.all_rows, start)
    good = closed.q[closed.gap < 1e-12]
    assert len(good) > 10
    assert max(np.abs(closure(q)).max() for q in good) < 1e-12


def test_the_mass_matrix_is_the_test_sets():
    """Four of its printed elements, at the start."""
    p, made = case("andrews_squeezer")["parameters"], mechanics(NAME)
    M = ask(made.all_rows, "mass_matrix", made.home[None])[0]
    theta, phi, omega = made.home[1], made.home[3], made.home[5]
    e, zf = p["e"] - p["ea"], p["zf"] - p["fa"]
    assert M[0, 1] == pytest.approx(p["m2"] * (p["da"] ** 2 - p["da"] * p["rr"] * np.cos(theta)) + p["i2"], rel=1e-12)
    assert M[2, 2] == pytest.approx(p["m3"] * (p["sa"] ** 2 + p["sb"] ** 2) + p["i3"], rel=1e-12)
    assert M[3, 4] == pytest.approx(p["m4"] * (e**2 + p["zt"] * e * np.sin(phi)) + p["i4"], rel=1e-12)
    assert M[5, 6] == pytest.approx(p["m6"] * (zf**2 - p["u"] * zf * np.sin(omega)) + p["i6"], rel=1e-12)
