"""A sample of `python -m tests.loops.safety`: no result is wrong without a word, or wrong without need."""

import pytest

from tests.loops.mechanisms import SOME
from tests.loops.safety import examined

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.BatchWarning")  # NaN rows are what is judged


@pytest.mark.parametrize("name", SOME)
def test_random_states_are_safe(name):
    for tally in examined(name, 400, starts=0).tallies.values():
        assert tally.random == 400
        assert tally.faults == []


@pytest.mark.parametrize("name", SOME)
def test_states_next_to_singular_positions_are_safe(name):
    for tally in examined(name, 0, starts=2, most=2).tallies.values():
        assert tally.hard > 0
        assert tally.faults == []
