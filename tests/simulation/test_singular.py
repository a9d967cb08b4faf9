"""Independent velocities to continue in: chosen among those allowed, and nearly the best there are."""

from itertools import combinations

import numpy as np
import pytest

from linkwright.simulation.problem.problem import coordinate_of_velocity, minimal_problem
from linkwright.simulation.run_singularities import best_set, partition_condition
from tests.simulation.mechanisms import catalog_model


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("barred", [(), (0, 3)])
def test_the_best_set_is_allowed_and_nearly_as_good_as_any(seed, barred):
    J = np.random.default_rng(seed).standard_normal((5, 8))
    allowed = tuple(i for i in range(8) if i not in barred)
    found = best_set(J, 3, allowed)
    assert len(set(found)) == 3 and set(found) <= set(allowed)
    assert partition_condition(J, found) > 0.1 * max(partition_condition(J, each) for each in combinations(allowed, 3))


def test_a_set_avoids_speeds_that_the_others_do_not_determine():
    """With the third velocity barred from the independent ones, those that determine it must be independent."""
    J = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 1e-3]])
    assert best_set(J, 2, (0, 1, 3)) == (0, 3)


def test_displacement_analysis_is_offered_coordinates_only():
    """Velocities of a floating platform are not rates of coordinates; all others of the Gough-Stewart platform are."""
    model = catalog_model("gough-stewart")
    index_of = coordinate_of_velocity(model)
    assert [model.v_names[i] for i in range(model.nv) if i not in index_of] == list(model.v_names[:6])
    assert all(model.q_names[q] == model.v_names[v] for v, q in index_of.items())


def test_problems_in_independent_speeds_are_made_once():
    model = catalog_model("four-bar")
    assert minimal_problem(model, (1,), True) is minimal_problem(model, (1,), True)
