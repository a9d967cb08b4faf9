"""An effort law written as the page shows drives runs, ensembles and steppers, compiled, with the same efforts."""

from typing import Any, get_args

import numpy as np
import pytest

import linkwright as lw
from linkwright.control import ComputedTorque
from linkwright.control.control_descriptions import LAWS, REFERENCES
from linkwright.formats.study.study_document import AnyLaw, AnyMove
from tests.extension.pages import names_of_section

START = np.array([0.3, -0.2, 0.4])


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return names_of_section("extend.md", "A law or a reference", before="A kind of event")


def test_efforts_of_a_run_are_those_of_the_law(page: dict[str, Any]) -> None:
    run, law = page["held"], page["HardeningSprings"](3, 40.0, 2.0)
    expected = [law.tau(t, q, v) for t, q, v in zip(run.t, run.q, run.v, strict=True)]
    np.testing.assert_allclose(run.tau, expected, rtol=1e-12, atol=1e-12)
    assert run.meta["energy_balance"]["relative"] < 1e-9


def test_an_ensemble_has_the_bits_of_runs_alone(page: dict[str, Any]) -> None:
    arm, law = page["arm"], page["HardeningSprings"](3, 40.0, 2.0)
    starts = np.stack([START, 2.0 * START, -START])
    many = lw.simulate_many(arm, starts, t_end=0.2, effort=law, output=5, threads=1)
    for q, rows in zip(starts, many.q, strict=True):
        np.testing.assert_array_equal(rows, lw.simulate(arm, q, t_end=0.2, effort=law, output=5).q)


class Circle:
    """A reference: every joint swings around zero."""

    size = 3

    def at(self, t: Any) -> Any:
        s, c = np.sin(2.0 * t), np.cos(2.0 * t)
        return tuple(scale * x * np.ones(3) for scale, x in ((0.5, s), (1.0, c), (-2.0, s)))


def test_computed_torque_follows_an_own_reference(page: dict[str, Any]) -> None:
    arm = page["arm"]
    law = ComputedTorque(arm, Circle(), stiffness=100.0, damping=20.0)
    run = lw.simulate(arm, np.zeros(3), np.ones(3), t_end=1.0, effort=law, output=11)
    np.testing.assert_allclose(run.q, 0.5 * np.sin(2.0 * run.t)[:, None] * np.ones(3), atol=1e-8)


@pytest.mark.parametrize(("key", "known", "document"), [("law", LAWS, AnyLaw), ("move", REFERENCES, AnyMove)])
def test_study_files_know_every_law_and_reference(key: str, known: dict[str, Any], document: Any) -> None:
    kinds = get_args(get_args(document)[0])
    named = [name for kind in kinds for name in get_args(kind.model_fields[key].annotation)]
    assert sorted(named) == sorted(known)
