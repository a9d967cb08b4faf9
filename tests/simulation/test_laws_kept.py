"""Code of laws is kept for further runs, but only of laws that nobody can change."""

from dataclasses import dataclass, field

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.problem import run_efforts
from tests.simulation.mechanisms import catalog_model


@dataclass
class Held:
    effort: float

    def tau(self, t, q, v):
        return np.array([self.effort + 0.0 * t])


@dataclass(frozen=True)
class HeldInAList:
    efforts: list = field(default_factory=lambda: [6.0])

    def tau(self, t, q, v):
        return np.array([self.efforts[0] + 0.0 * t])


def last(law):
    linkage = catalog_model("four-bar")
    run = lw.simulate(linkage, linkage.assemble().q, t_end=0.2, effort=law, check=False)
    return run["theta"][-1], run["effort(motor)"][-1]


@pytest.mark.parametrize("law", [Held(6.0), HeldInAList()], ids=lambda law: type(law).__name__)
def test_a_law_that_was_changed_has_its_new_effect(law):
    before = last(law)
    if isinstance(law, Held):
        law.effort = 8.0
    else:
        law.efforts[0] = 8.0
    after = last(law)
    assert before[1] == 6.0 and after[1] == 8.0 and before[0] < after[0]


def test_a_law_that_cannot_change_is_traced_once(monkeypatch):
    law = lw.control.Sines([6.0], 3.0)
    first = last(law)
    monkeypatch.setattr(run_efforts, "trace", lambda *_: pytest.fail("traced again"))
    assert last(law) == first


def test_equal_laws_that_are_not_the_same_give_the_same_run():
    assert last(lw.control.Constant([6.0])) == last(lw.control.Constant([6.0])) == last([6.0])
