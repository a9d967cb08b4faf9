"""Same mechanism, same call, comparable results."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.functions.loop import closure_functions
from tests.model.models import model

MECHANISMS = ["four-bar", "3-rrr", "gough-stewart", "3-rps", "bricard", "delta"]


def state(m: lw.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    q = m.assemble().q
    return q, m.independent_map(q) @ rng.normal(size=m.mobility), rng.normal(size=m.na)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("formulation", [lw.Multipliers(), lw.Minimal(), lw.Multipliers(lw.Baumgarte(20.0))])
def test_formulations_agree_on_closed_states(name, formulation):
    m = model(name)
    a = m.forward_dynamics(*state(m))
    assert np.abs(m.forward_dynamics(*state(m), formulation=formulation) - a).max() < 1e-9 * np.abs(a).max()


def test_any_independent_set_gives_the_same_answer():
    m = model("four-bar")
    answers = [m.forward_dynamics(*state(m), formulation=lw.Minimal((name,))) for name in m.v_names]
    assert np.abs(np.diff(answers, axis=0)).max() < 1e-12 * np.abs(answers).max()


def test_baumgarte_draws_an_open_loop_shut():
    m = model("four-bar")
    q, v, tau = state(m)
    q = q + np.array([0.0, 1e-6, 0.0])
    gap, J = (
        m.closure_residual(q),
        m.kernels.function(closure_functions.closure_jacobian)(q),
    )  # of relative twists, exact if closed
    free, drawn = (m.forward_dynamics(q, v, tau, formulation=lw.Multipliers(b)) for b in (None, lw.Baumgarte(50.0)))
    assert np.allclose(J @ (drawn - free), -2 * 50.0 * (J @ v) - 50.0**2 * gap, atol=1e-9)


def test_wrong_independent_sets_are_refused():
    m = model("3-rrr")
    with pytest.raises(lw.errors.LinkwrightError, match="did you mean 'theta1'"):
        m.forward_dynamics(*state(m), formulation=lw.Minimal(("thta1", "theta2", "theta3")))
    with pytest.raises(lw.errors.LinkwrightError, match="3 degrees of freedom"):
        m.forward_dynamics(*state(m), formulation=lw.Minimal(("theta1", "theta2")))


@pytest.mark.parametrize("name", ["four-bar", "three-link-arm"])
@pytest.mark.parametrize("wrong", ["khan", lw.papers.Khan, lw.LeastNorm()], ids=["text", "class", "sharing"])
def test_what_is_no_formulation_is_refused_and_not_passed_over(name, wrong):
    m = model(name)
    q, v, tau = state(m)
    functions = (
        lambda: m.inverse_dynamics(q, v, 0 * v, formulation=wrong),
        lambda: m.forward_dynamics(q, v, tau, formulation=wrong),
        lambda: m.energy(q, v, formulation=wrong),
        lambda: lw.simulate(m, q, v, formulation=wrong),
    )
    for function in functions:
        with pytest.raises(ArgumentError, match=r"formulation is .*, expected Multipliers\(\.\.\.\), Minimal"):
            function()


@pytest.mark.parametrize("rate", [None, 0.0, -1.0, float("nan"), "fast"])
def test_a_rate_of_baumgarte_is_above_zero(rate):
    with pytest.raises(ArgumentError, match=r"rate is .* above zero"):
        lw.Baumgarte(rate)


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "gough-stewart", "bricard"])
def test_efforts_by_independent_speeds_are_a_second_opinion(name):
    """R^T B tau = R^T force: no closure multipliers are solved for."""
    m = model(name)
    q = m.assemble().q
    rng = np.random.default_rng(2)
    v, a = np.zeros(m.nv), m.independent_map(q) @ rng.normal(size=m.mobility)
    w = rng.normal(size=(len(m.bodies), 6))
    for extra in ({}, {"w_ext": w}):
        first, second = (m.inverse_dynamics(q, v, a, formulation=f, **extra) for f in (None, lw.Minimal()))
        assert np.abs(first - second).max() < 1e-10 * max(1.0, np.abs(first).max())
    many = m.inverse_dynamics(*(np.stack([x, x]) for x in (q, v, a)), formulation=lw.Minimal())
    assert np.array_equal(many[0], many[1])
