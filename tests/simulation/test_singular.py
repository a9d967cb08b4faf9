"""Independent speeds to go on in: chosen among those allowed, and nearly the best there are."""

from itertools import combinations

import numpy as np
import pytest

from linkwright.simulation.events.singular import best_set, condition
from linkwright.simulation.problem.problem import coordinates_of_speeds, minimal_problem
from tests.simulation.machines import model


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("barred", [(), (0, 3)])
def test_the_best_set_is_allowed_and_nearly_as_good_as_any(seed, barred):
    J = np.random.default_rng(seed).standard_normal((5, 8))
    allowed = tuple(i for i in range(8) if i not in barred)
    found = best_set(J, 3, allowed)
    assert len(set(found)) == 3 and set(found) <= set(allowed)
    assert condition(J, found) > 0.1 * max(condition(J, each) for each in combinations(allowed, 3))


def test_a_set_avoids_speeds_that_the_others_do_not_determine():
    """With the third speed barred from the independent ones, those that determine it must be independent."""
    J = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 1e-3]])
    assert best_set(J, 2, (0, 1, 3)) == (0, 3)


def test_displacement_analysis_is_offered_coordinates_only():
    """Speeds of a floating platform are no rates of coordinates; all others of the Gough-Stewart platform are."""
    machine = model("gough-stewart")
    places = coordinates_of_speeds(machine)
    assert [machine.v_names[i] for i in range(machine.nv) if i not in places] == list(machine.v_names[:6])
    assert all(machine.q_names[q] == machine.v_names[v] for v, q in places.items())


def test_problems_in_independent_speeds_are_made_once():
    machine = model("four-bar")
    assert minimal_problem(machine, (1,), True) is minimal_problem(machine, (1,), True)
