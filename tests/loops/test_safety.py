"""A sample of `python -m tests.loops.safety`: no larger error than a dense solve makes goes unreported."""

import pytest

from tests.loops.machines import NAMES
from tests.loops.safety import examined

# The guard accepts a few states of Delta next to singular positions with errors above 1e-10; docs/safety.md says why.
LAX = pytest.mark.xfail(reason="several pivots near the guard at once, none below it", strict=False)
SHORT = ("delta",)


@pytest.mark.parametrize("name", NAMES)
def test_random_states_are_safe(name):
    seen = examined(name, 400, starts=0)
    for tally in (seen.forward, seen.inverse):
        assert tally.random == 400
        assert tally.unreported == []


@pytest.mark.parametrize("name", [pytest.param(name, marks=[LAX] if name in SHORT else []) for name in NAMES])
def test_states_next_to_singular_positions_are_safe(name):
    seen = examined(name, 0, starts=2, most=2)
    for tally in (seen.forward, seen.inverse):
        assert tally.hard > 0
        assert tally.unreported == []
