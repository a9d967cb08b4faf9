"""An integrator written as the page shows has its order, and runs alone, in ensembles and in the stepper."""

from typing import Any, get_args

import numpy as np
import pytest

import linkwright as lw
from linkwright.cli.simulate import simulate as verb
from linkwright.formats.study.study_document import Study
from linkwright.simulation.integrators import METHODS
from tests.extension.pages import names_of_section


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return names_of_section("extend.md", "An integrator")


def test_halving_the_step_quarters_the_error(page: dict[str, Any]) -> None:
    arm, q = page["arm"], np.array([0.3, -0.2, 0.4])
    exact = lw.simulate(arm, q, t_end=0.5, method=lw.DOP853(rtol=1e-12), output=2).q[-1]
    errors = [
        np.abs(lw.simulate(arm, q, t_end=0.5, method=page["Heun"](h=h), output=2).q[-1] - exact).max()
        for h in (2e-3, 1e-3, 5e-4)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.1)


def test_alone_and_in_the_stepper_the_same_bits(page: dict[str, Any]) -> None:
    arm, q = page["arm"], np.array([0.3, -0.2, 0.4])
    alone = lw.simulate(arm, q, t_end=0.01, method=page["Heun"](h=1e-3), output=2)
    robots = lw.Stepper(arm, n=3, h=1e-3, method=page["Heun"])
    robots.reset(q=np.tile(q, (3, 1)))
    for _ in range(10):
        robots.step(np.zeros((3, arm.na)))
    np.testing.assert_array_equal(robots.q, np.tile(alone.q[-1], (3, 1)))


def test_an_ensemble_steps_with_it(page: dict[str, Any]) -> None:
    arm, q = page["arm"], np.random.default_rng(2).normal(size=(5, 3))
    many = lw.simulate_many(arm, q, t_end=0.05, method=page["Heun"](h=1e-3), output=2)
    for k in range(5):
        alone = lw.simulate(arm, q[k], t_end=0.05, method=page["Heun"](h=1e-3), output=2)
        np.testing.assert_allclose(many.q[k, -1], alone.q[-1], rtol=0.0, atol=1e-13)


def test_a_stepper_refuses_methods_that_choose_their_steps(page: dict[str, Any]) -> None:
    for method in (lw.DOP853, lw.Rodas5P, lw.RK4(1e-3), float):
        with pytest.raises(lw.errors.ArgumentError, match="fixed step"):
            lw.Stepper(page["arm"], n=1, h=1e-3, method=method)  # type: ignore[arg-type]


def test_files_and_command_line_know_every_method() -> None:
    (option,) = (x for x in verb.params if x.name == "method")
    named = get_args(get_args(type(Study.model_fields["method"].default).model_fields["name"].annotation)[0])
    assert sorted(METHODS) == sorted(option.type.choices) == sorted(named)
