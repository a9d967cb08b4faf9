"""Assembly modes of some random 3-RRR manipulators; `python -m tests.laws.planar_modes 200` compares many."""

import numpy as np

import linkwright as lw
from tests.laws.planar_modes import compared


def test_assembly_modes_of_the_3_rrr_are_the_roots_of_its_polynomial():
    model, rng = lw.build(lw.catalog.load("3-rrr"), inputs="all"), np.random.default_rng(3)
    found = [compared(model, rng) for _ in range(5)]
    assert all(ours == theirs and off < 1e-6 for ours, theirs, off in found), found
